import { IbidError } from "../../contracts/errors.ts";
import type { ChunkRef, Moment, ReadChunk, Receipt } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { DocumentStore } from "../../contracts/store.ts";
import { createChunkReader, toStoredDocument } from "./chunk-rows.ts";
import { countRows, embeddingsOf, listChunks, listDocuments, listScopes } from "./list-rows.ts";
import { heldChunks } from "./replace-document.ts";
import { isReached, readReceipt } from "./scope-change.ts";
import type { SegmentCore } from "./segment-core.ts";
import type { ChunkRow, DirectoryReader } from "./segment-directory.ts";

type Reads = Pick<
  DocumentStore,
  "held" | "find" | "document" | "documents" | "chunks" | "chunkCounts" | "scopes" | "status" | "moment" | "readChunks"
>;

/** Reads of a segment store: each in a transaction of its own, listings in one for each page. */
export function segmentReads({ look, view }: SegmentCore): Reads {
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

    moment: (scopes, after = []) => look((rows) => readMoment(rows, scopes, after)),

    readChunks: (refs, { embeddings }) =>
      look((rows) => {
        const reader = createChunkReader(rows, view);
        const found = rowsOf(rows, refs);
        return refs.map(({ scope, id }): ReadChunk | undefined => {
          const row = found.get(scope)?.get(id);
          const held = row && view.scope(rows, scope);
          if (row === undefined || held === undefined) return undefined;
          return {
            chunk: reader.chunk(row),
            revision: row.key,
            embeddings: embeddings === true ? embeddingsOf(held, row) : undefined,
          };
        });
      }),
  };
}

/** Live rows of some chunks, by scope and id: one look-up for each scope. */
function rowsOf(rows: DirectoryReader, refs: readonly ChunkRef[]): ReadonlyMap<Scope, ReadonlyMap<string, ChunkRow>> {
  const ids = new Map<Scope, string[]>();
  for (const { scope, id } of refs) {
    const known = ids.get(scope);
    if (known === undefined) ids.set(scope, [id]);
    else known.push(id);
  }
  return new Map(
    Array.from(ids, ([scope, wanted]) => {
      const held = rows.scope(scope);
      const live = held === undefined ? [] : rows.chunksById(held.key, wanted).filter((row) => row.deletedAt === null);
      return [scope, new Map(live.map((row) => [row.id, row]))];
    }),
  );
}

/** The newest state of some scopes: every look sees each commit before it. **Errors** `invalid-argument` for a receipt of a commit that is not there. */
function readMoment(rows: DirectoryReader, scopes: readonly Scope[], after: readonly Receipt[]): Moment {
  for (const receipt of after) {
    if (isReached(rows, receipt)) continue;
    throw new IbidError("invalid-argument", `The store has no commit ${receipt.stamp} of ${receipt.scope}.`, {
      hint: "Give receipts of this store, and open it again where it is a snapshot of another process.",
    });
  }
  const stamps = new Map<Scope, { readonly stamp: number; readonly life: string }>();
  for (const scope of scopes) {
    if (rows.scope(scope) === undefined) continue;
    const { stamp, life } = readReceipt(rows, scope);
    stamps.set(scope, { stamp, life });
  }
  return { stamps };
}
