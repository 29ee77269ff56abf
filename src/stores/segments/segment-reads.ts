import type { Scope } from "../../contracts/scope.ts";
import type { StoredDocument } from "../../contracts/document-store.ts";
import type { DocumentStore } from "../../contracts/store.ts";
import { atOnce } from "../../runtime/next-turn.ts";
import { toStoredDocument, toStoredStructure } from "./chunk-rows.ts";
import { describeFit } from "./fit-due.ts";
import { fittedOn } from "./latent-leg.ts";
import { countFolders, countRows, listChunks, listDocuments, listInOrder, listScopes } from "./list-rows.ts";
import { lookInSlices } from "./look-in-slices.ts";
import { heldChunks } from "./replace-document.ts";
import type { SegmentCore } from "./segment-core.ts";
import { readChunks } from "./read-chunks.ts";
import type { DirectoryReader, DocumentRow } from "./segment-directory.ts";
import { createSharedLook } from "./share-look.ts";
import { createSeenScopes, recallMoment, takeMoment } from "./segment-moment.ts";

type Reads = Required<
  Pick<
    DocumentStore,
    | "held"
    | "find"
    | "document"
    | "structure"
    | "readText"
    | "documents"
    | "folders"
    | "chunks"
    | "chunkCounts"
    | "scopes"
    | "status"
    | "moment"
    | "readChunks"
  >
>;

/** Reads of a segment store: each in a transaction of its own, listings in one for each page. Scopes and moments are remembered until the next commit. */
export function segmentReads({ look, view, directory, latent }: SegmentCore): Reads {
  const seen = createSeenScopes();
  /** Listings that begin at once, such as those of a recall, read their first pages in one transaction. */
  const lookTogether = createSharedLook(look);
  let listed: { readonly stamp: number; readonly scopes: readonly Scope[] } | undefined;

  /** Documents with their texts. A book is read in slices; a few parts of a text take less than the look at a moment that slices need. */
  async function readStored(
    scopes: readonly Scope[],
    find: (rows: DirectoryReader) => readonly { readonly scope: Scope; readonly row: DocumentRow }[],
  ): Promise<readonly StoredDocument[]> {
    const read = function* (
      rows: DirectoryReader,
      found = find(rows),
    ): Generator<undefined, readonly StoredDocument[]> {
      const stored: StoredDocument[] = [];
      for (const { scope, row } of found) stored.push(yield* toStoredDocument(rows, scope, row));
      return stored;
    };
    const short = await look((rows) => {
      const found = find(rows);
      if (found.some(({ row }) => rows.documentEnds(row.key).length > fewParts)) return undefined;
      return atOnce(read(rows, found));
    });
    return short ?? lookInSlices({ look, view }, { scopes, signal: undefined }, read);
  }

  return {
    held: (scope, documentId, version) =>
      lookInSlices({ look, view }, { scopes: [scope], signal: undefined }, function* (rows) {
        const held = view.scope(rows, scope);
        return held === undefined ? new Map<string, string>() : yield* heldChunks(rows, held, documentId, version);
      }),

    find: (scopes, uri) =>
      readStored(scopes, (rows) =>
        scopes.flatMap((scope) => {
          const held = rows.scope(scope);
          return held === undefined ? [] : rows.documentsByUri(held.key, uri).map((row) => ({ scope, row }));
        }),
      ),

    async document(scopes, id) {
      const [first] = await readStored(scopes, (rows) =>
        [liveDocument(rows, scopes, id)].filter((found) => found !== undefined),
      );
      return first;
    },

    structure: (scopes, id, options = {}) =>
      look((rows) => {
        const found = liveDocument(rows, scopes, id);
        return found && toStoredStructure(rows, found.scope, found.row, options);
      }),

    readText: (scopes, id, start, end) =>
      look((rows) => {
        const found = liveDocument(rows, scopes, id);
        return found && view.slice(rows, found.row.key, start, end);
      }),

    documents: (scopes, { order, ...listing } = {}) =>
      order === undefined ? listDocuments(lookTogether, scopes, listing) : listInOrder(look, scopes, order, listing),

    folders: (scopes, options) => look((rows) => countFolders(rows, scopes, options)),

    chunks: (scopes, listing = {}) => listChunks(look, view, scopes, listing),

    chunkCounts: (_, documents) =>
      look((rows) =>
        documents.map(({ scope, documentId }) => {
          const held = rows.scope(scope);
          return held === undefined ? 0 : rows.liveChunksOf(held.key, documentId);
        }),
      ),

    async scopes() {
      if (listed !== undefined && listed.stamp === directory.peek()) return listed.scopes;
      return look((rows) => (listed = { stamp: rows.stamp(), scopes: listScopes(rows, view) }).scopes);
    },

    status: (scopes) =>
      lookInSlices({ look, view }, { scopes }, function* (rows) {
        const counted = yield* countRows(rows, view, scopes, latent);
        if (latent === undefined || !scopes.includes(fittedOn)) return counted;
        const fit = yield* describeFit(rows, view, latent);
        return fit === undefined ? counted : { ...counted, fit };
      }),

    async moment(scopes, after = []) {
      const known = after.length === 0 ? recallMoment(view, scopes, seen, directory.peek()) : undefined;
      return known ?? look((rows) => takeMoment(rows, view, scopes, after, seen));
    },

    readChunks: (refs, options) => look((rows) => readChunks(rows, view, refs, options)),
  };
}

/** Parts of a text that are read in one go. */
const fewParts = 8;

/** The live document of that id in the first of the scopes that holds it. */
function liveDocument(
  rows: DirectoryReader,
  scopes: readonly Scope[],
  id: string,
): { readonly scope: Scope; readonly row: DocumentRow } | undefined {
  for (const scope of scopes) {
    const held = rows.scope(scope);
    const row = held && rows.documentById(held.key, id);
    if (row !== undefined && row.deletedAt === null) return { scope, row };
  }
  return undefined;
}
