import { IbidError } from "../../contracts/errors.ts";
import { compareInOrder, createFolderCounter, isBehind, narrowTo } from "../compose/document-order.ts";
import type { Scope } from "../../contracts/scope.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";
import {
  createGroupIndex,
  createMemoryTable,
  createSortedIndex,
  type MemoryTable,
  type RowIndex,
  type Undo,
} from "./memory-table.ts";
import {
  type ChunkRow,
  type DirectoryWriter,
  type DocumentBody,
  type DocumentRow,
  type FitRow,
  type FormerRow,
  isRenamed,
  type Narrowing,
  type PendingRow,
  renamesSetting,
  type ScopeRow,
  type SegmentDirectory,
  type SegmentRow,
} from "../segments/segment-directory.ts";

interface FileRow {
  readonly segment: number;
  readonly name: string;
  readonly part: number;
  readonly data: Uint8Array;
}

interface KeptDocument {
  readonly row: DocumentRow;
  readonly body: DocumentBody;
}

interface KeptPending {
  readonly scope: number;
  readonly row: PendingRow;
}

interface Setting {
  readonly name: string;
  readonly value: string;
}

/** A directory's rows as plain data: what a snapshot is made of. Rows are never changed in place, so that one moment can be written down at leisure. */
export interface MemoryImage {
  /** The last key that was given to a row. */
  keys: number;
  stamp: number;
  /** Rows by table and key. */
  readonly tables: Readonly<Record<string, MemoryTable<object>>>;
}

/** A directory in memory, and what it holds. */
export interface MemoryDirectory extends SegmentDirectory {
  readonly image: MemoryImage;
}

/**
 * Segments in this process's memory: gone when it ends. Works in any JavaScript runtime.
 *
 * **Shape** `changed` is called for every row that is added, changed or deleted, and again when a change is rolled back.
 */
export function createMemoryDirectory(changed: (table: string, key: number) => void = () => {}): MemoryDirectory {
  const journal: Undo[] = [];
  const { rows, image } = createRows(journal, changed);
  return {
    image,
    durability: "none",
    peek: () => image.stamp,
    read: async (work) => work(rows),
    write: async (work) => {
      journal.length = 0;
      try {
        return work(rows);
      } catch (error) {
        for (const undo of journal.reverse()) undo();
        throw error;
      } finally {
        journal.length = 0;
      }
    },
    scrub: async () => true,
    close: async () => {},
  };
}

function createRows(
  journal: Undo[],
  changed: (table: string, key: number) => void,
): { readonly rows: DirectoryWriter; readonly image: MemoryImage } {
  const tables: Record<string, MemoryTable<object>> = {};
  const image: MemoryImage = { keys: 0, stamp: 0, tables };
  function table<Row extends object>(name: string, indexes: readonly RowIndex<Row>[]): MemoryTable<Row> {
    const made = createMemoryTable(journal, indexes, (key) => changed(name, key));
    tables[name] = made;
    return made;
  }

  const settingsByName = createGroupIndex<Setting>(({ name }) => name);
  const settings = table<Setting>("settings", [settingsByName]);
  const scopesByName = createGroupIndex<ScopeRow>(({ scope }) => scope);
  const scopes = table<ScopeRow>("scopes", [scopesByName]);
  const segmentsByScope = createGroupIndex<SegmentRow>(({ scope }) => String(scope));
  const segments = table<SegmentRow>("segments", [segmentsByScope]);
  const filesBySegment = createGroupIndex<FileRow>(({ segment }) => String(segment));
  const filesByName = createGroupIndex<FileRow>(({ segment, name, part }) => `${segment}/${name}/${part}`);
  const files = table<FileRow>("files", [filesBySegment, filesByName]);
  const fits = table<{ readonly row: FitRow; readonly parts: readonly Uint8Array[] }>("fits", []);
  const pendingByScope = createGroupIndex<KeptPending>(({ scope }) => String(scope));
  /** Keys of the pending rows that ever came since the last seal, ascending; some of the rows may have gone. */
  const arrivals = new Map<number, number[]>();
  const pendingInOrder: RowIndex<KeptPending> = {
    add(key, { scope }) {
      const arrived = arrivals.get(scope);
      if (arrived === undefined) arrivals.set(scope, [key]);
      else if (arrived[arrived.length - 1]! < key) arrived.push(key);
    },
    remove() {},
  };
  const pending = table<KeptPending>("pending", [pendingByScope, pendingInOrder]);

  const chunksById = createGroupIndex<ChunkRow>(({ scope, id }) => `${scope}/${id}`);
  const chunksByDocument = createGroupIndex<ChunkRow>(({ scope, documentId }) => `${scope}/${documentId}`);
  const chunksByText = createGroupIndex<ChunkRow>(({ scope, textKey }) => `${scope}/${textKey}`);
  const chunksInOrder = createSortedIndex<ChunkRow>(liveOrDeleted, (a, b) => compareCodePoints(a.id, b.id));
  const chunks = table<ChunkRow>("chunks", [chunksById, chunksByDocument, chunksByText, chunksInOrder]);

  const documentsById = createGroupIndex<KeptDocument>(({ row }) => `${row.scope}/${row.id}`);
  const documentsByUri = createGroupIndex<KeptDocument>(({ row }) => `${row.scope}/${row.uri}`);
  const documentsInOrder = createSortedIndex<KeptDocument>(
    ({ row }) => liveOrDeleted(row),
    (a, b) => compareCodePoints(a.row.uri, b.row.uri) || compareCodePoints(a.row.id, b.row.id),
  );
  const documents = table<KeptDocument>("documents", [documentsById, documentsByUri, documentsInOrder]);

  const formersByDocument = createGroupIndex<FormerRow>(({ scope, documentId }) => `${scope}/${documentId}`);
  const formersByScope = createGroupIndex<FormerRow>(({ scope }) => String(scope));
  const formers = table<FormerRow>("formers", [formersByDocument, formersByScope]);

  const only = <Row>(table: { get(key: number): Row | undefined }, found: Iterable<number>): Row | undefined => {
    for (const key of found) return table.get(key);
    return undefined;
  };
  const all = <Row>(table: { get(key: number): Row | undefined }, found: Iterable<number>): Row[] =>
    Array.from(found, (key) => must(table.get(key)));
  const everything = (): boolean => true;

  const rows: DirectoryWriter = {
    stamp: () => image.stamp,
    setStamp(next) {
      const before = image.stamp;
      journal.push(() => (image.stamp = before));
      image.stamp = next;
    },
    setting: (name) => only(settings, settingsByName.keys(name))?.value,
    setSetting(name, value) {
      const [key = ++image.keys] = settingsByName.keys(name);
      settings.set(key, { name, value });
    },

    scope: (scope: Scope) => only(scopes, scopesByName.keys(scope)),
    scopes: () => [...scopes.values()],
    addScope(scope, at) {
      scopes.set(++image.keys, { key: image.keys, scope, stamp: at, rewrites: 0 });
      return image.keys;
    },
    putScope: (row) => scopes.set(row.key, row),
    deleteScope(key) {
      for (const segment of all(segments, segmentsByScope.keys(String(key)))) this.deleteSegment(segment.key);
      this.deleteAllPending(key);
      for (const row of chunks.values()) if (row.scope === key) chunks.delete(row.key);
      for (const { row } of documents.values()) if (row.scope === key) documents.delete(row.key);
      for (const former of formersByScope.keys(String(key))) formers.delete(former);
      scopes.delete(key);
    },

    segmentStamps: (scope) => all(segments, segmentsByScope.keys(String(scope))),
    segment: (key) => must(segments.get(key)),
    segmentState: (key) => must(segments.get(key)),
    fits: () => Array.from(fits.values(), ({ row }) => row),
    fitPart: (key, part) => fits.get(key)?.parts[part],
    addFit(row, parts) {
      fits.set(++image.keys, { row: { ...row, key: image.keys }, parts });
      return image.keys;
    },
    putFit: (row) => fits.set(row.key, { row, parts: must(fits.get(row.key)).parts }),
    deleteFit: (key) => fits.delete(key),
    addSegment(row) {
      segments.set(++image.keys, { ...row, key: image.keys });
      return image.keys;
    },
    putSegmentState: (key, state, at) => segments.set(key, { ...must(segments.get(key)), state, stamp: at }),
    putSegmentColumns: (key, columns, at) => segments.set(key, { ...must(segments.get(key)), columns, stamp: at }),
    deleteFile(segment, name) {
      for (const key of filesBySegment.keys(String(segment))) if (files.get(key)?.name === name) files.delete(key);
    },
    deleteSegment(key) {
      for (const file of filesBySegment.keys(String(key))) files.delete(file);
      segments.delete(key);
    },
    file: (segment, name, part) => only(files, filesByName.keys(`${segment}/${name}/${part}`))?.data,
    addFile: (segment, name, part, data) => files.set(++image.keys, { segment, name, part, data }),

    pendingAfter(scope, key) {
      const arrived = arrivals.get(scope) ?? [];
      let from = arrived.length;
      while (from > 0 && arrived[from - 1]! > key) from--;
      return arrived.slice(from).flatMap((arrival) => pending.get(arrival)?.row ?? []);
    },
    pendingStamps: (scope) => all(pending, pendingByScope.keys(String(scope))).map(({ row }) => row),
    pending: (key) => must(pending.get(key)).row,
    addPending: (scope, row) => pending.set(row.key, { scope, row }),
    markPending(key, live, at) {
      const { scope, row } = must(pending.get(key));
      pending.set(key, { scope, row: { ...row, live, stamp: at } });
    },
    deletePending: (key) => pending.delete(key),
    deletePendingRows(keys) {
      for (const key of keys) pending.delete(key);
    },
    deleteAllPending(scope) {
      for (const key of pendingByScope.keys(String(scope))) pending.delete(key);
      const arrived = arrivals.get(scope);
      if (arrived !== undefined) journal.push(() => arrivals.set(scope, arrived));
      arrivals.delete(scope);
    },

    chunk: (key) => must(chunks.get(key)),
    chunks: (keys) => keys.map((key) => chunks.get(key)),
    chunkDetails: (keys) => keys.map((key) => must(chunks.get(key)).details),
    chunkId: (key) => must(chunks.get(key)).id,
    chunkIds: (keys) => keys.map((key) => must(chunks.get(key)).id),
    chunkDocuments: (keys) => keys.map((key) => chunks.get(key)?.document ?? 0),
    chunkPlaces: (keys) =>
      keys.map((key) => {
        const { document, start } = must(chunks.get(key));
        return { uri: documents.get(document)?.row.uri ?? "", start };
      }),
    chunkFacts: (keys) => keys.map((key) => must(chunks.get(key))),
    chunkById: (scope, id) => only(chunks, chunksById.keys(`${scope}/${id}`)),
    chunkKeysById: (scope, ids) => ids.flatMap((id) => only(chunks, chunksById.keys(`${scope}/${id}`)) ?? []),
    chunksById: (scope, ids) => ids.flatMap((id) => only(chunks, chunksById.keys(`${scope}/${id}`)) ?? []),
    chunksOfDocument: (scope, documentId) => all(chunks, chunksByDocument.keys(`${scope}/${documentId}`)),
    copiesOf: (scope, textKey, own) =>
      all(chunks, chunksByText.keys(`${scope}/${textKey}`)).filter(
        ({ key, deletedAt }) => key !== own && deletedAt === null,
      ),
    chunkKeysOf: (scope, documentId) => all(chunks, chunksByDocument.keys(`${scope}/${documentId}`)),
    liveChunksOf: (scope, documentId) =>
      all(chunks, chunksByDocument.keys(`${scope}/${documentId}`)).filter(({ deletedAt }) => deletedAt === null).length,
    chunkSpansOf: (scope, documentId) =>
      all(chunks, chunksByDocument.keys(`${scope}/${documentId}`))
        .filter(({ deletedAt }) => deletedAt === null)
        .map(({ id, index, start, end }) => ({ id, index, start, end }))
        .sort((a, b) => a.index - b.index || a.start - b.start || compareCodePoints(a.id, b.id)),
    chunksAfter: (scope, id, limit) =>
      chunksInOrder.after(`${scope}/live`, (row) => compareCodePoints(row.id, id) > 0, limit),
    *scanChunks(scope) {
      const live = chunksInOrder.after(`${scope}/live`, everything, Infinity);
      yield* live.toSorted((a, b) => a.document - b.document || a.start - b.start || a.key - b.key);
    },
    deletedChunks: (scope, until) =>
      chunksInOrder.after(`${scope}/deleted`, everything, Infinity).filter(({ deletedAt }) => deletedAt! <= until),
    addChunk(row) {
      chunks.set(++image.keys, { ...row, key: image.keys });
      return image.keys;
    },
    putChunk: (row) => chunks.set(row.key, row),
    deleteChunk: (key) => chunks.delete(key),
    // A row has its own.
    forgetSayings() {},

    document: (key) => must(documents.get(key)).row,
    homesOf: (keys) => keys.map((key) => must(documents.get(key)).row),
    documentBody: (key) => must(documents.get(key)).body,
    documentStructure: (key) => must(documents.get(key)).body.structure,
    documentText: (key) => must(documents.get(key)).body.text,
    documentPart: (key, part) => (part === 0 ? must(documents.get(key)).body.text : undefined),
    documentEnds: () => [],
    documentById: (scope, id) => only(documents, documentsById.keys(`${scope}/${id}`))?.row,
    documentsByUri: (scope, uri) =>
      all(documents, documentsByUri.keys(`${scope}/${uri}`))
        .map(({ row }) => row)
        .filter(({ deletedAt }) => deletedAt === null)
        .sort((a, b) => compareCodePoints(a.id, b.id)),
    documentsAfter: (scope, uri, id, limit, only) =>
      narrowed(limit, only, (most) =>
        documentsInOrder.after(`${scope}/live`, ({ row }) => isAfter(row, uri, id), most).map(({ row }) => row),
      ),
    documentsInOrder: (scope, order, place, limit, only) =>
      narrowed(limit, only, (most) =>
        documentsInOrder
          .after(
            `${scope}/live`,
            ({ row }) => place === undefined || isBehind(order, row, place),
            most,
            comparators[order],
          )
          .map(({ row }) => row),
      ),
    folders(scope, only = {}) {
      const [counter, isWanted] = [createFolderCounter(), narrowTo(only)];
      for (const { row } of documentsInOrder.after(`${scope}/live`, everything, Infinity))
        if (isWanted?.(row) !== false) counter.add(row);
      return counter.rows();
    },
    deletedDocuments: (scope, until) =>
      documentsInOrder
        .after(`${scope}/deleted`, everything, Infinity)
        .map(({ row }) => row)
        .filter(({ deletedAt }) => deletedAt! <= until),
    totals(scope) {
      const live = documentsInOrder.after(`${scope}/live`, everything, Infinity);
      return { documents: live.length, bytes: live.reduce((sum, { row }) => sum + row.bytes, 0) };
    },
    addDocument(row, body) {
      documents.set(++image.keys, { row: { ...row, key: image.keys }, body });
      return image.keys;
    },
    putDocument(row, body) {
      const before = must(documents.get(row.key));
      if (isRenamed(before.row, row)) {
        rows.setSetting(renamesSetting, String(Number(rows.setting(renamesSetting) ?? 0) + 1));
      }
      documents.set(row.key, { row, body: body ?? before.body });
    },
    deleteDocument(key) {
      const { scope, id } = must(documents.get(key)).row;
      for (const former of formersByDocument.keys(`${scope}/${id}`)) formers.delete(former);
      documents.delete(key);
    },
    formers: (scope) => all(formers, formersByScope.keys(String(scope))),
    formersOf: (scope, id) => all(formers, formersByDocument.keys(`${scope}/${id}`)),
    keepFormers() {},
    addFormer: (row) => formers.set(++image.keys, { ...row, key: image.keys }),
    putFormer: (row) => formers.set(row.key, row),
    deleteFormer: (key) => formers.delete(key),
    // Whatever is deleted here takes along what belongs to it.
    orphans: () => [],
    deleteOrphans() {},
    deleteSetting(name) {
      for (const key of settingsByName.keys(name)) settings.delete(key);
    },
  };
  return { rows, image };
}

const byRow =
  (compare: ReturnType<typeof compareInOrder>) =>
  (a: KeptDocument, b: KeptDocument): number =>
    compare(a.row, b.row);
/** Each has its sorted rows until the next change. */
const comparators = {
  newest: byRow(compareInOrder("newest")),
  oldest: byRow(compareInOrder("oldest")),
  largest: byRow(compareInOrder("largest")),
  title: byRow(compareInOrder("title")),
};

function isAfter(row: DocumentRow, uri: string, id: string | undefined): boolean {
  const turn = compareCodePoints(row.uri, uri);
  return turn > 0 || (turn === 0 && id !== undefined && compareCodePoints(row.id, id) > 0);
}

/** Rows of which a narrowing leaves some. **Cost** where it leaves out any, all that follow the place. */
function narrowed(
  limit: number,
  only: Narrowing = {},
  read: (most: number) => readonly DocumentRow[],
): readonly DocumentRow[] {
  const isWanted = narrowTo(only);
  return isWanted === undefined ? read(limit) : read(Infinity).filter(isWanted).slice(0, limit);
}

function liveOrDeleted({ scope, deletedAt }: { readonly scope: number; readonly deletedAt: number | null }): string {
  return `${scope}/${deletedAt === null ? "live" : "deleted"}`;
}

function must<Row>(row: Row | undefined): Row {
  if (row !== undefined) return row;
  throw new IbidError("internal", "A row that the index refers to is not there.");
}
