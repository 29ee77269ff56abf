import type { DocumentStore } from "../../contracts/store.ts";
import { toStoredDocument } from "./chunk-rows.ts";
import { countRows, listChunks, listDocuments, listScopes } from "./list-rows.ts";
import { heldChunks } from "./replace-document.ts";
import type { SegmentCore } from "./segment-core.ts";
import { readChunks } from "./read-chunks.ts";
import { createReceiptCache, takeMoment } from "./segment-moment.ts";

type Reads = Pick<
  DocumentStore,
  "held" | "find" | "document" | "documents" | "chunks" | "chunkCounts" | "scopes" | "status" | "moment" | "readChunks"
>;

/** Reads of a segment store: each in a transaction of its own, listings in one for each page. */
export function segmentReads({ look, view }: SegmentCore): Reads {
  const receipts = createReceiptCache();
  return {
    held: (scope, documentId, version) =>
      look((rows) => {
        const held = view.scope(rows, scope);
        return held === undefined ? new Map<string, string>() : heldChunks(rows, held, documentId, version);
      }),

    find: (scopes, uri) =>
      look((rows) =>
        scopes.flatMap((scope) => {
          const held = rows.scope(scope);
          if (held === undefined) return [];
          return rows.documentsByUri(held.key, uri).map((row) => toStoredDocument(rows, scope, row));
        }),
      ),

    document: (scopes, id) =>
      look((rows) => {
        for (const scope of scopes) {
          const held = rows.scope(scope);
          const row = held && rows.documentById(held.key, id);
          if (row !== undefined && row.deletedAt === null) return toStoredDocument(rows, scope, row);
        }
        return undefined;
      }),

    documents: (scopes, listing = {}) => listDocuments(look, scopes, listing),

    chunks: (scopes, listing = {}) => listChunks(look, view, scopes, listing),

    chunkCounts: (_, documents) =>
      look((rows) =>
        documents.map(({ scope, documentId }) => {
          const held = rows.scope(scope);
          return held === undefined ? 0 : rows.liveChunksOf(held.key, documentId);
        }),
      ),

    scopes: () => look((rows) => listScopes(rows, view)),

    status: (scopes) => look((rows) => countRows(rows, view, scopes)),

    moment: (scopes, after = []) => look((rows) => takeMoment(rows, view, scopes, after, receipts)),

    readChunks: (refs, { moment, embeddings }) => look((rows) => readChunks(rows, view, refs, { moment, embeddings })),
  };
}
