import type { SQLInputValue } from "node:sqlite";
import {
  type DirectoryWriter,
  type DocumentBody,
  type DocumentRow,
  type DocumentTotals,
  type FolderRow,
  type HomeRow,
  renamesSetting,
} from "../segments/segment-directory.ts";
import { namesFile } from "../../engine/bm25/stored-names.ts";
import { noSum, sumOfNames } from "./name-sums.ts";
import { decodingSteps, missingRow, spoiltRow } from "./missing-row.ts";
import {
  packDigits,
  type Packed,
  packId,
  packOrigin,
  packTime,
  unpackDigits,
  unpackOrigin,
  unpackTime,
} from "./packed.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { Sayings } from "./sqlite-sayings.ts";
import type { SqliteTexts, StoredBody } from "./sqlite-texts.ts";
import { type Columns, folderListing, orderedListing, readListings, uriListing } from "./list-order.ts";
import { bytesOf, decodeText } from "./text-bytes.ts";

const columnsOf = (
  sums: string,
): string => `key, scope, id, uri, ${bytesOf("title")}, origin, content_hash AS contentHash,
  (SELECT text FROM words WHERE words.key = media_type) AS mediaType, metadata_hash AS metadataHash,
  (SELECT text FROM words WHERE words.key = fingerprint) AS fingerprint, bytes, folder, ingested_at AS ingestedAt,
  deleted_at AS deletedAt, readers, valid_from AS validFrom, valid_to AS validTo, supersedes,
  checked_at AS checkedAt, etag, last_modified AS lastModified${sums}`;
/** The sum of a document's names, and the scope that is in it. */
const sumColumns = ", name_sum AS nameSum, (SELECT scope FROM scopes WHERE scopes.key = documents.scope) AS scopeName";
/** The live chunks of a document, where none names a document that is not its own. */
const countColumn =
  ", (SELECT count(*) FROM chunks WHERE document = documents.key AND chunks.deleted_at IS NULL) AS liveChunks";
const markedDocuments = "documents LEFT JOIN marks ON marks.document = documents.key";

/** The id of a document as a text. */
const documentIdText = "CASE typeof(id) WHEN 'blob' THEN lower(hex(id)) ELSE id END";

type DocumentRecord = Omit<DocumentRow, "id" | "title" | "origin" | "contentHash" | "metadataHash" | "ingestedAt"> & {
  readonly id: Packed;
  readonly title: Uint8Array;
  readonly origin: Packed;
  readonly contentHash: Packed;
  readonly metadataHash: Packed;
  readonly ingestedAt: Packed;
} & SumRecord;

/** A sum as it is kept, where it is. */
interface SumRecord {
  readonly nameSum?: number | null | undefined;
  readonly scopeName?: string | null | undefined;
}

/** Whether names are others than those whose sum was kept. */
function isMisnamed(
  { nameSum = null, scopeName = null }: SumRecord,
  names: Pick<DocumentRow, "id" | "uri" | "title" | "folder">,
): boolean {
  // Without its scope it is an orphan.
  return nameSum !== null && scopeName !== null && nameSum !== sumOfNames(scopeName, names);
}

const textColumns = ["uri", "mediaType", "fingerprint"] as const;
const textOrNull = [
  "folder",
  "readers",
  "validFrom",
  "validTo",
  "supersedes",
  "checkedAt",
  "etag",
  "lastModified",
] as const;

/** Refuses values of other kinds, which would fail where nobody knows any more that they were read. */
function toDocument({ nameSum, scopeName, ...record }: DocumentRecord): DocumentRow {
  for (const name of textColumns) if (typeof record[name] !== "string") spoiltRow();
  for (const name of textOrNull) if (typeof (record[name] ?? "") !== "string") spoiltRow();
  if (typeof record.bytes !== "number" || typeof (record.deletedAt ?? 0) !== "number") spoiltRow();
  const names = { id: unpackDigits(record.id), title: decodeText(record.title) };
  return {
    ...record,
    ...names,
    ...(isMisnamed({ nameSum, scopeName }, { ...record, ...names }) && { isMisnamed: true }),
    origin: unpackOrigin(record.origin),
    contentHash: unpackDigits(record.contentHash),
    metadataHash: unpackDigits(record.metadataHash),
    ingestedAt: unpackTime(record.ingestedAt),
  };
}

type Names =
  | "document"
  | "homesOf"
  | "documentBody"
  | "documentBodyInSteps"
  | "documentStructure"
  | "documentText"
  | "documentPart"
  | "documentEnds"
  | "documentById"
  | "documentsByUri"
  | "documentsAfter"
  | "documentsInOrder"
  | "folders"
  | "deletedDocuments"
  | "totals"
  | "addDocument"
  | "putDocument"
  | "deleteDocument";

/** The place of a body that is written after its row. */
const nowhere: StoredBody = { block: null, at: 0, structureSize: 0, textSize: 0, sum: 0 };

/** Names that segments of the scope keep hold no longer. */
function countRename(db: SqliteConnection, scope: number): void {
  const counted = "INSERT INTO settings VALUES (?, '1') ON CONFLICT (name) DO UPDATE SET value = value + 1";
  db.run(counted, renamesSetting);
  db.run(
    "DELETE FROM files WHERE name = ? AND segment IN (SELECT key FROM segments WHERE scope = ?)",
    namesFile,
    scope,
  );
}

/** Reads a value that never changes once in a transaction, and again after a rollback. */
function onceInTurn<Name, Value>(
  db: SqliteConnection,
  read: (name: Name) => Value | undefined,
): (name: Name) => Value | undefined {
  const known = new Map<Name, Value>();
  let turn = 0;
  return (name) => {
    if (db.turn === 0 || turn !== db.turn) known.clear();
    turn = db.turn;
    const value = known.get(name) ?? read(name);
    if (value !== undefined) known.set(name, value);
    return value;
  };
}

/** Names that rows have as numbers. */
function createNames(db: SqliteConnection) {
  const knownWord = onceInTurn(
    db,
    (text: string) => db.get<{ key: number }>("SELECT key FROM words WHERE text = ?", text)?.key,
  );
  return {
    /** The number of a word that many documents say, such as a media type. */
    wordOf: (text: string): number => knownWord(text) ?? db.run("INSERT INTO words (text) VALUES (?)", text),
    /** The name of a scope, by its row. */
    scopeName: onceInTurn(
      db,
      (key: number) => db.get<{ scope: string }>("SELECT scope FROM scopes WHERE key = ?", key)?.scope,
    ),
  };
}

/** The documents' rows as statements. */
export interface SqliteDocuments extends Pick<DirectoryWriter, Names> {
  /** Adds a row under a key that it has already. */
  copyDocument(row: DocumentRow, body: DocumentBody): void;
}

export function createDocumentRows(
  db: SqliteConnection,
  texts: SqliteTexts,
  sayings: Sayings,
  { keepsSums, hasStrays }: { readonly keepsSums: () => boolean; readonly hasStrays: () => boolean },
): SqliteDocuments {
  const sumsOf = (): string => (keepsSums() ? sumColumns : "");
  const documentColumns = (): string => columnsOf(sumsOf());
  const must = <Row>(sql: string, ...values: SQLInputValue[]): Row => db.get<Row>(sql, ...values) ?? missingRow();

  function documents(sql: string, ...values: SQLInputValue[]): readonly DocumentRow[] {
    return db.all<DocumentRecord>(sql, ...values).map(toDocument);
  }

  const count = (sql: string, ...values: SQLInputValue[]): number => must<{ count: number }>(sql, ...values).count;
  const listed = (sql: string, ...values: SQLInputValue[]): readonly DocumentRow[] =>
    documents(`SELECT ${documentColumns()}${hasStrays() ? "" : countColumn} FROM ${markedDocuments} ${sql}`, ...values);
  const columns: Columns = {
    idText: documentIdText,
    pack: packTime,
    mediaTypes(mediaType) {
      const type = mediaType.toLowerCase();
      const where = type.endsWith("/") ? "substr(lower(text), 1, length(?1)) = ?1" : "lower(text) = ?1";
      return db.all<{ key: number }>(`SELECT key FROM words WHERE ${where}`, type).map(({ key }) => key);
    },
  };

  /** Most documents have none: they are as they were ingested, and no sender said anything of them. */
  const hasMarks = ({ checkedAt, etag, lastModified }: Omit<DocumentRow, "key">): boolean =>
    checkedAt !== null || etag !== null || lastModified !== null;

  function putMarks(key: number, row: Omit<DocumentRow, "key">): void {
    if (!hasMarks(row)) return void db.run("DELETE FROM marks WHERE document = ?", key);
    const { checkedAt, etag, lastModified } = row;
    db.run("INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)", key, checkedAt, etag, lastModified);
  }

  const { wordOf, scopeName } = createNames(db);

  /** The same for a document's, without its body. */
  function documentValues(row: Omit<DocumentRow, "key">): SQLInputValue[] {
    const source = [row.scope, packId(row.id), row.uri, row.title, wordOf(row.mediaType), packOrigin(row.origin)];
    const hashes = [packDigits(row.contentHash), packDigits(row.metadataHash), wordOf(row.fingerprint)];
    const times = [row.bytes, row.folder, packTime(row.ingestedAt), row.deletedAt];
    return [...source, ...hashes, ...times, row.readers, row.validFrom, row.validTo, row.supersedes];
  }

  const places = ({ block, at, structureSize, textSize, sum }: StoredBody): SQLInputValue[] => [
    block,
    at,
    structureSize,
    textSize,
    sum,
  ];

  /** The sum of a row's names; one whose names are damaged keeps none that fits. */
  function sumOfRow(row: Omit<DocumentRow, "key">): number {
    if (row.isMisnamed === true) return noSum;
    return sumOfNames(scopeName(row.scope) ?? "", row);
  }

  function putSum(key: number, row: Omit<DocumentRow, "key">): void {
    if (!keepsSums()) return;
    const sum = sumOfRow(row);
    db.run("UPDATE documents SET name_sum = ? WHERE key = ? AND name_sum IS NOT ?", sum, key, sum);
  }

  function insertDocument(row: Omit<DocumentRow, "key">, body: DocumentBody, key: number | null): number {
    const shared = texts.share(row.scope, body);
    const hasSums = keepsSums();
    const added = db.run(
      `INSERT INTO documents (scope, id, uri, title, media_type, origin, content_hash, metadata_hash, fingerprint, bytes, folder,
        ingested_at, deleted_at, readers, valid_from, valid_to, supersedes, block, at, structure_size, text_size, sum, key${hasSums ? ", name_sum" : ""})
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?${hasSums ? ", ?" : ""})`,
      ...documentValues(row),
      ...places(shared ?? nowhere),
      key,
      ...(hasSums ? [sumOfRow(row)] : []),
    );
    if (shared === undefined) place(added, texts.addParts(added, body));
    // Keys are never used again: a new row has no marks, and no sayings.
    sayings.begin(added, row.id);
    if (hasMarks(row)) putMarks(added, row);
    return added;
  }

  function place(key: number, body: StoredBody): void {
    const sql = "UPDATE documents SET block = ?, at = ?, structure_size = ?, text_size = ?, sum = ? WHERE key = ?";
    db.run(sql, ...places(body), key);
  }

  return {
    document: (key) => toDocument(must(`SELECT ${documentColumns()} FROM ${markedDocuments} WHERE key = ?`, key)),
    homesOf: (keys) =>
      db
        .all<Omit<HomeRow, "title"> & { readonly title: Uint8Array; readonly id: Packed } & SumRecord>(
          `SELECT key, scope, id, uri, folder, ${bytesOf("title")}${sumsOf()}
            FROM (SELECT value FROM json_each(?)) CROSS JOIN documents ON key = value`,
          JSON.stringify(keys),
        )
        .map(({ id, nameSum, scopeName, ...row }) => {
          if (typeof row.uri !== "string" || typeof (row.folder ?? "") !== "string") spoiltRow();
          const named = { ...row, title: decodeText(row.title) };
          const isFalse = isMisnamed({ nameSum, scopeName }, { ...named, id: unpackDigits(id) });
          return isFalse ? { ...named, isMisnamed: true } : named;
        }),
    documentBody: (key) => texts.read(key),
    documentBodyInSteps: (key) => decodingSteps(texts.readInSteps(key)),
    documentStructure: (key) => texts.structure(key),
    documentText: (key) => texts.read(key).text,
    documentPart: (key, part) => texts.part(key, part),
    documentEnds: (key) => texts.ends(key),
    documentById: (scope, id) =>
      documents(`SELECT ${documentColumns()} FROM ${markedDocuments} WHERE scope = ? AND id = ?`, scope, packId(id))[0],
    documentsByUri: (scope, uri) =>
      documents(
        `SELECT ${documentColumns()} FROM ${markedDocuments} WHERE scope = ? AND uri = ? AND deleted_at IS NULL
          ORDER BY ${documentIdText}`,
        scope,
        uri,
      ),
    documentsAfter(scope, uri, id, limit, only = {}) {
      const listing = uriListing(scope, { uri, id }, only, columns, count);
      return readListings([listing], limit, listed).filter((row) => row.uri.startsWith(only.under ?? ""));
    },
    documentsInOrder: (scope, order, place, limit, only = {}) =>
      readListings(orderedListing(scope, { order, place, only }, columns, count), limit, listed).filter((row) =>
        row.uri.startsWith(only.under ?? ""),
      ),
    folders(scope, only = {}) {
      const isKept = db.get("SELECT 1 FROM sqlite_schema WHERE name = 'folder_counts'") !== undefined;
      const { sql, values } = folderListing(scope, only, { columns, isKept });
      return db.all<FolderRow>(sql, ...values);
    },
    deletedDocuments: (scope, until) =>
      documents(
        `SELECT ${documentColumns()} FROM ${markedDocuments} WHERE scope = ? AND deleted_at IS NOT NULL AND deleted_at <= ?`,
        scope,
        until,
      ),
    totals: (scope) =>
      must<DocumentTotals>(
        `SELECT count(*) AS documents, coalesce(sum(bytes), 0) AS bytes FROM documents WHERE scope = ? AND deleted_at IS NULL`,
        scope,
      ),
    addDocument: (row, body) => insertDocument(row, body, null),
    copyDocument: (row, body) => void insertDocument(row, body, row.key),
    putDocument(row, body) {
      const before = db.get(
        "SELECT 1 FROM documents WHERE key = ? AND uri = ? AND title = ? AND folder IS ?",
        row.key,
        row.uri,
        row.title,
        row.folder,
      );
      if (before === undefined) countRename(db, row.scope);
      db.run(
        `UPDATE documents SET scope = ?, id = ?, uri = ?, title = ?, media_type = ?, origin = ?, content_hash = ?,
          metadata_hash = ?, fingerprint = ?, bytes = ?, folder = ?, ingested_at = ?, deleted_at = ?, readers = ?, valid_from = ?,
          valid_to = ?, supersedes = ? WHERE key = ?`,
        ...documentValues(row),
        row.key,
      );
      putSum(row.key, row);
      putMarks(row.key, row);
      if (body === undefined) return;
      texts.remove(row.key);
      place(row.key, texts.share(row.scope, body) ?? texts.addParts(row.key, body));
    },
    deleteDocument(key) {
      texts.remove(key);
      db.run("DELETE FROM documents WHERE key = ?", key);
      for (const table of ["marks", "sayings"]) db.run(`DELETE FROM ${table} WHERE document = ?`, key);
      sayings.clear();
    },
  };
}
