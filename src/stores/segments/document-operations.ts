import { toStoredDocument } from "./chunk-rows.ts";
import { listDocuments } from "./list-rows.ts";
import { markRow } from "./mark-row.ts";
import type { RawDocumentStore } from "./raw-store.ts";
import type { DirectoryReader, DirectoryWriter } from "./segment-directory.ts";

interface StoreAccess {
  readonly look: <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>;
  readonly write: <Result>(work: (rows: DirectoryWriter) => Result) => Promise<Result>;
}

/** What the segment store does with documents as they are kept. */
export function documentOperations({
  look,
  write,
}: StoreAccess): Required<
  Pick<RawDocumentStore, "doFind" | "doDocument" | "doDocuments" | "doChunkCounts" | "doTouch">
> {
  return {
    doFind: (scopes, uri) =>
      look((rows) =>
        scopes.flatMap((scope) => {
          const held = rows.scope(scope);
          if (held === undefined) return [];
          return rows.documentsByUri(held.key, uri).map((row) => toStoredDocument(rows, scope, row));
        }),
      ),

    doDocument: (scopes, id) =>
      look((rows) => {
        for (const scope of scopes) {
          const held = rows.scope(scope);
          const row = held && rows.documentById(held.key, id);
          if (row !== undefined && row.deletedAt === null) return toStoredDocument(rows, scope, row);
        }
        return undefined;
      }),

    doChunkCounts: (documents) =>
      look((rows) =>
        documents.map(({ scope, documentId }) => {
          const held = rows.scope(scope);
          return held === undefined ? 0 : rows.liveChunksOf(held.key, documentId);
        }),
      ),

    doDocuments: (scopes, listing) => listDocuments(look, scopes, listing),

    async doTouch(scope, id, mark) {
      const stale = (rows: DirectoryReader) => {
        const held = rows.scope(scope);
        const row = held && rows.documentById(held.key, id);
        return row === undefined || row.deletedAt !== null ? undefined : markRow(row, mark);
      };
      if ((await look(stale)) === undefined) return;
      await write((rows) => {
        const row = stale(rows);
        if (row !== undefined) rows.putDocument(row);
      });
    },
  };
}
