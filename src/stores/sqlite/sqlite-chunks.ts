import type { StoredChunkSpan } from "../../contracts/document-store.ts";
import type { SQLInputValue } from "node:sqlite";
import { compareCodePoints } from "../../runtime/compare-text.ts";
import type { ChunkKey, ChunkRow, DirectoryWriter, StoredPlace } from "../segments/segment-directory.ts";
import { sumOf } from "./compressed.ts";
import { damagedChunk } from "../segments/chunk-rows.ts";
import { inOrder } from "./in-order.ts";
import { noSum, sumOfSaying, toSaying } from "./name-sums.ts";
import { checkedRow, decoding, missingRow } from "./missing-row.ts";
import { firstPackedAfter, packDigits, type Packed, packId, packOrigin, unpackDigits, unpackOrigin } from "./packed.ts";
import { boundLimit, type SqliteConnection } from "./sqlite-connection.ts";
import type { Sayings } from "./sqlite-sayings.ts";
import { bytesOf, decodeText } from "./text-bytes.ts";

/** A text that is said once for all chunks of a document, or stands in the row where it is short; see {@link toSaying}. Short headings have no sum. */
const said = (column: "details" | "metadata", hasSums: boolean): string =>
  `CASE typeof(chunks.${column}) WHEN 'integer' THEN (SELECT ${hasSums ? "coalesce(sum, '') || " : ""}' ' || text FROM sayings WHERE key = chunks.${column})
    ELSE ${hasSums && column === "metadata" ? "coalesce(chunks.metadata_sum, '') || " : ""}' ' || chunks.${column} END AS ${column}`;

/** Ids of the chunks with these keys, in their order, as one text. An object and bytes for each take as long as finding the rows. */
const listedIds = `SELECT json_group_array(CASE typeof(id) WHEN 'blob' THEN lower(hex(id)) ELSE id END) AS ids
  FROM (SELECT value FROM json_each(?)) CROSS JOIN chunks ON key = value`;

const ownDocument = "(SELECT documents.id FROM documents WHERE documents.key = chunks.document)";

/** A text of a statement, with sums and without them. It is made once, because a search asks some questions for each hit. */
function eitherWay(make: (hasSums: boolean) => string): (hasSums: boolean) => string {
  const [plain, summed] = [make(false), make(true)];
  return (hasSums) => (hasSums ? summed : plain);
}

const columnsOf = eitherWay(
  (hasSums) => `chunks.key, chunks.scope, chunks.id, coalesce(chunks.document_id, ${ownDocument}, '') AS documentId,
  chunks.document, starts AS "start", starts + length AS "end", position AS "index", ${said("details", hasSums)}, ${said("metadata", hasSums)},
  chunks.origin, ${bytesOf("urtext")}, ${bytesOf("text")}, chunks.sum, chunks.deleted_at AS deletedAt, text_key AS textKey`,
);

/** Chunks of the document with that id. */
const ofDocument = "chunks.document = (SELECT key FROM documents WHERE scope = ? AND id = ?)";

/** The part of a text's key that is in the index: few keys share it. */
const textBeginning = (key: string): string => `substr(${key}, 1, 5)`;

const copies = eitherWay(
  (hasSums) =>
    `SELECT ${columnsOf(hasSums)} FROM chunks WHERE ${textBeginning("text_key")} = ${textBeginning("?")} AND text_key = ? AND scope = ?
      AND key <> ? AND deleted_at IS NULL`,
);

type ChunkRecord = Omit<ChunkRow, "id" | "documentId" | "origin" | "textKey" | "urtext" | "text"> & {
  readonly id: Packed;
  readonly documentId: Packed;
  readonly origin: Packed;
  readonly textKey: Packed;
  readonly urtext: Uint8Array | null;
  readonly text: Uint8Array | null;
  readonly sum: number | null;
};

const decodeOrNull = (bytes: Uint8Array | null): string | null => (bytes === null ? null : decodeText(bytes));

/** CRC-32 of the texts that are not slices of the document; `null` where there are none. */
function ownSum(urtext: string | null, text: string | null): number | null {
  if (urtext === null && text === null) return null;
  return sumOf(Buffer.from(text ?? ""), sumOf(Buffer.from(urtext ?? "")));
}

function toChunk({ sum, ...record }: ChunkRecord): ChunkRow {
  const [urtext, text] = [decodeOrNull(record.urtext), decodeOrNull(record.text)];
  const details = toSaying(record.document, record.details);
  const metadata = toSaying(record.document, record.metadata);
  const isWhole = sum === ownSum(urtext, text) && details.isWhole && metadata.isWhole;
  return {
    ...record,
    id: unpackDigits(record.id),
    documentId: unpackDigits(record.documentId),
    details: details.text,
    metadata: metadata.text,
    origin: unpackOrigin(record.origin),
    textKey: unpackDigits(record.textKey),
    urtext,
    text,
    ...(!isWhole && { isDamaged: true }),
  };
}

/** Whether metadata stand in the row, and there are some. */
const isShort = (said: number | string): said is string => typeof said === "string" && said !== "{}";

type KeyRecord = Omit<ChunkKey, "id"> & { readonly id: Packed };
const toKey = (record: KeyRecord): ChunkKey => ({ ...record, id: unpackDigits(record.id) });

type Names =
  | "chunk"
  | "chunkId"
  | "chunkIds"
  | "chunkPlaces"
  | "chunkDocuments"
  | "chunkFacts"
  | "chunks"
  | "chunkDetails"
  | "chunkKeysById"
  | "chunksById"
  | "chunkById"
  | "chunksOfDocument"
  | "copiesOf"
  | "chunkKeysOf"
  | "liveChunksOf"
  | "chunkSpansOf"
  | "chunksAfter"
  | "scanChunks"
  | "deletedChunks"
  | "addChunk"
  | "putChunk"
  | "deleteChunk"
  | "forgetSayings";

/** The chunks' rows as statements. */
export interface SqliteChunks extends Pick<DirectoryWriter, Names> {
  /** Adds a row under a key that it has already. */
  copyChunk(row: ChunkRow): void;
}

/** Whether chunks name a document that is not theirs: an earlier version kept such. A transaction that reads asks once. */
export function createStrayCheck(db: SqliteConnection): () => boolean {
  let seen = { turn: 0, strays: false };
  return () => {
    const { turn, isWriting } = db;
    if (turn === 0 || isWriting || seen.turn !== turn) {
      const strays = db.get("SELECT 1 FROM chunks WHERE document_id IS NOT NULL LIMIT 1") !== undefined;
      seen = { turn, strays };
    }
    return seen.strays;
  };
}

export function createChunkRows(
  db: SqliteConnection,
  sayings: Sayings,
  { keepsSums, hasStrays }: { readonly keepsSums: () => boolean; readonly hasStrays: () => boolean },
): SqliteChunks {
  const chunkColumns = (): string => columnsOf(keepsSums());
  function wholeSaying(document: number, given: string): string {
    const { text, isWhole } = toSaying(document, given);
    if (isWhole) return text;
    throw damagedChunk(db.get<{ uri: string }>("SELECT uri FROM documents WHERE key = ?", document)?.uri);
  }
  const must = <Row>(sql: string, ...values: SQLInputValue[]): Row => db.get<Row>(sql, ...values) ?? missingRow();

  function chunks(sql: string, ...values: SQLInputValue[]): readonly ChunkRow[] {
    return db.all<ChunkRecord>(sql, ...values).map(toChunk);
  }

  /** Rows of the chunks with these ids. */
  function byIds<Row>(ids: readonly string[], select: string, scope: number): readonly Row[] {
    const packed: string[] = [];
    const texts: string[] = [];
    for (const id of ids) (typeof packId(id) === "string" ? texts : packed).push(id);
    // The index is asked for each of them; the other way round all chunks would be read.
    const find = (value: string, wanted: readonly string[]): readonly Row[] =>
      wanted.length === 0
        ? []
        : db.all<Row>(
            `${select} FROM (SELECT ${value} AS wanted FROM json_each(?)) CROSS JOIN chunks ON scope = ? AND id = wanted`,
            JSON.stringify(wanted),
            scope,
          );
    return [...find("unhex(value)", packed), ...find("value", texts)];
  }

  /** Rows of a document's chunks. */
  function ofItsDocument<Row>(select: string, rest: string, scope: number, id: string): readonly Row[] {
    const packed = packId(id);
    if (!hasStrays()) return db.all<Row>(`${select} FROM chunks WHERE ${ofDocument} ${rest}`, scope, packed);
    return db.all<Row>(
      `${select} FROM chunks WHERE chunks.scope = ? AND coalesce(chunks.document_id, ${ownDocument}) = ? ${rest}`,
      scope,
      packed,
    );
  }

  /** Rows of the chunks with these keys, in no order. */
  function keyed<Row>(columns: string, keys: readonly number[]): readonly (Row & { readonly key: number })[] {
    if (keys.length === 0) return [];
    return db.all(
      `SELECT ${columns} FROM (SELECT value FROM json_each(?)) CROSS JOIN chunks ON key = value`,
      JSON.stringify(keys),
    );
  }

  /** Values of a chunk's row, by its columns. */
  function chunkValues(row: Omit<ChunkRow, "key">): Record<string, SQLInputValue> {
    const { scope, id, documentId, document, start, end, index, origin, urtext, text, deletedAt, textKey } = row;
    const metadata = sayings.say(document, row.metadata);
    return {
      scope,
      id: packId(id),
      document,
      document_id: sayings.idOf(document) === documentId ? null : packId(documentId),
      starts: start,
      length: end - start,
      position: index,
      details: sayings.say(document, row.details),
      metadata,
      origin: packOrigin(origin),
      sum: row.isDamaged && (urtext !== null || text !== null) ? noSum : ownSum(urtext, text),
      deleted_at: deletedAt,
      text_key: packDigits(textKey),
      urtext,
      text,
      ...(keepsSums() && {
        metadata_sum: !isShort(metadata) ? null : row.isDamaged ? noSum : sumOfSaying(document, metadata),
      }),
    };
  }

  /** The statement that adds a row, with the column of sums and without it. Its text is made once, because a store adds many rows. */
  const insertions = new Map<boolean, string>();

  function insertChunk(row: Omit<ChunkRow, "key">, key: number | null): number {
    const values = { ...chunkValues(row), key };
    const hasSums = "metadata_sum" in values;
    let sql = insertions.get(hasSums);
    if (sql === undefined) {
      const columns = Object.keys(values);
      sql = `INSERT INTO chunks (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
      insertions.set(hasSums, sql);
    }
    return db.run(sql, ...Object.values(values));
  }

  return {
    chunk: (key) => toChunk(must(`SELECT ${chunkColumns()} FROM chunks WHERE key = ?`, key)),
    chunkId: (key) => unpackDigits(must<{ id: Packed }>("SELECT id FROM chunks WHERE key = ?", key).id),
    chunkIds(keys) {
      if (keys.length === 0) return [];
      const found = JSON.parse(must<{ ids: string }>(listedIds, JSON.stringify(keys)).ids) as readonly Packed[];
      return found.length === keys.length ? found.map((id) => unpackDigits(id)) : missingRow();
    },
    chunkPlaces: (keys) =>
      inOrder(
        keys,
        db.all<StoredPlace & { readonly key: number }>(
          `SELECT chunks.key, coalesce(uri, '') AS uri, starts AS "start" FROM (SELECT value FROM json_each(?))
            CROSS JOIN chunks ON chunks.key = value LEFT JOIN documents ON documents.key = document`,
          JSON.stringify(keys),
        ),
      ).map((row) => checkedRow(row ?? missingRow(), { uri: "text", start: "count" })),
    chunkDocuments(keys) {
      const found = new Map<number, number>();
      for (const { key, document } of keyed<{ document: number }>("key, document", keys)) found.set(key, document);
      return keys.map((key) => found.get(key) ?? 0);
    },
    chunkFacts: (keys) =>
      inOrder(
        keys,
        keyed<{ document: number; metadata: string; origin: Packed }>(
          `key, document, ${said("metadata", keepsSums())}, origin`,
          keys,
        ),
      ).map((row) => {
        const { document, metadata, origin } = row ?? missingRow();
        return { metadata: wholeSaying(document, metadata), origin: unpackOrigin(origin) };
      }),
    chunks: (keys) => inOrder(keys, keyed<ChunkRecord>(chunkColumns(), keys)).map((row) => row && toChunk(row)),
    chunkDetails: (keys) =>
      inOrder(
        keys,
        keyed<{ document: number; details: string }>(`key, document, ${said("details", keepsSums())}`, keys),
      ).map((row) => {
        const { document, details } = row ?? missingRow();
        return wholeSaying(document, details);
      }),
    chunkKeysById: (scope, ids) => byIds<KeyRecord>(ids, "SELECT key, id, deleted_at AS deletedAt", scope).map(toKey),
    chunksById: (scope, ids) => byIds<ChunkRecord>(ids, `SELECT ${chunkColumns()}`, scope).map(toChunk),
    chunkById: (scope, id) =>
      chunks(`SELECT ${chunkColumns()} FROM chunks WHERE scope = ? AND id = ?`, scope, packId(id))[0],
    chunksOfDocument: (scope, id) =>
      ofItsDocument<ChunkRecord>(`SELECT ${chunkColumns()}`, "ORDER BY key", scope, id).map(toChunk),
    copiesOf(scope, textKey, key) {
      const packed = packDigits(textKey);
      return chunks(copies(keepsSums()), packed, packed, scope, key);
    },
    chunkKeysOf: (scope, id) =>
      ofItsDocument<KeyRecord>("SELECT key, id, deleted_at AS deletedAt", "ORDER BY key", scope, id).map(toKey),
    liveChunksOf: (scope, id) =>
      ofItsDocument<{ chunks: number }>("SELECT count(*) AS chunks", "AND deleted_at IS NULL", scope, id)[0]!.chunks,
    chunkSpansOf: (scope, id) =>
      ofItsDocument<StoredChunkSpan & { readonly id: Packed }>(
        `SELECT id, position AS "index", starts AS "start", starts + length AS "end"`,
        "AND deleted_at IS NULL",
        scope,
        id,
      )
        .map((span): StoredChunkSpan => ({ ...span, id: unpackDigits(span.id) }))
        .sort((a, b) => a.index - b.index || a.start - b.start || compareCodePoints(a.id, b.id)),
    chunksAfter(scope, id, limit) {
      const page = (condition: string, ...values: SQLInputValue[]): readonly ChunkRow[] =>
        chunks(
          `SELECT ${chunkColumns()} FROM chunks WHERE scope = ? AND ${condition} AND deleted_at IS NULL ORDER BY id ${boundLimit}`,
          scope,
          ...values,
          limit,
        );
      // Texts come before bytes in the index: both are read, and then ordered by what they stand for.
      const named = page("id > ? AND id < x''", id);
      const first = firstPackedAfter(id);
      const packed = first === undefined ? [] : page(first.orEqual ? "id >= ?" : "id > ?", first.bytes);
      if (named.length === 0) return packed;
      return [...named, ...packed].sort((a, b) => compareCodePoints(a.id, b.id)).slice(0, limit);
    },
    *scanChunks(scope) {
      const all = `SELECT ${chunkColumns()} FROM chunks WHERE scope = ? AND deleted_at IS NULL ORDER BY document, starts, key`;
      for (const row of db.iterate<ChunkRecord>(all, scope)) yield decoding(() => toChunk(row));
    },
    deletedChunks: (scope, until) =>
      chunks(
        `SELECT ${chunkColumns()} FROM chunks WHERE scope = ? AND deleted_at IS NOT NULL AND deleted_at <= ?`,
        scope,
        until,
      ),
    addChunk: (row) => insertChunk(row, null),
    copyChunk: (row) => void insertChunk(row, row.key),
    putChunk(row) {
      const values = chunkValues(row);
      const set = Object.keys(values).map((column) => `${column} = ?`);
      db.run(`UPDATE chunks SET ${set.join(", ")} WHERE key = ?`, ...Object.values(values), row.key);
    },
    deleteChunk: (key) => void db.run("DELETE FROM chunks WHERE key = ?", key),
    forgetSayings: (document) => sayings.forget(document),
  };
}
