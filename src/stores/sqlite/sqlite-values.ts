import type { SQLInputValue } from "node:sqlite";
import type { ChunkRow, DocumentRow } from "../segments/segment-directory.ts";

/** What is bound for a chunk's row, in the order of its columns. */
export function chunkValues(row: Omit<ChunkRow, "key">): SQLInputValue[] {
  const { scope, id, documentId, document, start, end, index, details, metadata, origin, urtext, text, deletedAt } =
    row;
  return [scope, id, documentId, document, start, end, index, details, metadata, origin, urtext, text, deletedAt];
}

/** The same for a document's, without its body. */
export function documentValues(row: Omit<DocumentRow, "key">): SQLInputValue[] {
  const source = [row.scope, row.id, row.uri, row.title, row.mediaType, row.origin];
  const provenance = [row.contentHash, row.metadataHash, row.fingerprint, row.bytes, row.folder];
  return [...source, ...provenance, row.ingestedAt, row.deletedAt];
}
