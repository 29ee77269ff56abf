import { IbidError } from "../../contracts/errors.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { SQLInputValue } from "node:sqlite";
import type { ChunkRow, DocumentRow, HomeRow } from "../segments/segment-directory.ts";

/** The longest part. **Units** UTF-16 code units. SQLite holds a row three times over while it writes it: of a part that is nothing, of a large text too much. */
const partLength = 1024 * 1024;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The texts of documents, which may be longer than a row should be. */
export interface SqliteTexts {
  /** The part that stands in the document's own row. */
  first(text: string): string;
  /** Puts the rest in place of what was there. */
  putRest(document: number, text: string): void;
  deleteRest(document: number): void;
  /** The whole text. **Errors** `store-corrupt` where the document is not there. */
  read(document: number): string;
  /** One part, `undefined` behind the last. */
  part(document: number, part: number): string | undefined;
}

export function createSqliteTexts(db: SqliteConnection): SqliteTexts {
  const deleteRest = (document: number): void => void db.run("DELETE FROM text_parts WHERE document = ?", document);
  return {
    first: (text) => text.slice(0, partEnd(text, 0)),
    putRest(document, text) {
      deleteRest(document);
      let part = 1;
      for (let at = partEnd(text, 0); at < text.length; part++) {
        const end = partEnd(text, at);
        db.run("INSERT INTO text_parts VALUES (?, ?, ?)", document, part, text.slice(at, end));
        at = end;
      }
    },
    deleteRest,
    part(document, part) {
      const row =
        part === 0
          ? db.get<{ readonly text: Uint8Array }>(
              "SELECT CAST(text AS BLOB) AS text FROM documents WHERE key = ?",
              document,
            )
          : db.get<{ readonly text: Uint8Array }>(
              "SELECT CAST(text AS BLOB) AS text FROM text_parts WHERE document = ? AND part = ?",
              document,
              part,
            );
      return row && decoder.decode(row.text);
    },
    read(document) {
      const first = "SELECT CAST(text AS BLOB) AS text FROM documents WHERE key = ?";
      const rest = "SELECT CAST(text AS BLOB) AS text FROM text_parts WHERE document = ? ORDER BY part";
      const parts: string[] = [];
      for (const sql of [first, rest]) {
        for (const { text } of db.iterate<{ readonly text: Uint8Array }>(sql, document))
          parts.push(decoder.decode(text));
      }
      return parts.length > 1 ? parts.join("") : (parts[0] ?? missingRow());
    },
  };
}

/** Never between the halves of a surrogate pair, which UTF-8 has no word for. */
function partEnd(text: string, start: number): number {
  const end = start + partLength;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** **Errors** `store-corrupt`, always. */
export function missingRow(): never {
  throw new IbidError("store-corrupt", "A row that the index refers to is not there.", {
    hint: "Restore the file from a backup, or move it away and ingest the documents again.",
  });
}

/** Values of a chunk's row, in the order of its columns. */
export function chunkValues(row: Omit<ChunkRow, "key">): SQLInputValue[] {
  const { scope, id, documentId, document, start, end, index } = row;
  const { details, metadata, origin, urtext, text, deletedAt, textKey } = row;
  const place = [scope, id, documentId, document, start, end, index];
  return [...place, details, metadata, origin, urtext, text, deletedAt, textKey];
}

/** The same for a document's, without its body. */
export function documentValues(row: Omit<DocumentRow, "key">): SQLInputValue[] {
  const source = [row.scope, row.id, row.uri, row.title, row.mediaType, row.origin];
  const provenance = [row.contentHash, row.metadataHash, row.fingerprint, row.bytes, row.folder];
  return [...source, ...provenance, row.ingestedAt, row.deletedAt];
}

/** Free text may hold U+0000, at which Node 22 ends a string that it reads from SQLite: it is read as bytes. */
export function bytesOf(column: string): string {
  return `CAST(${column} AS BLOB) AS ${column}`;
}

/** A row as SQLite has it, and the names of its columns that were read as bytes. */
export type Read<Row, Names extends keyof Row> = Omit<Row, Names> & { readonly [Name in Names]: Uint8Array | null };

/** In place, for a row is nobody else's yet, and there are many. */
function readTexts<Row, Names extends keyof Row & string>(row: Read<Row, Names>, ...names: readonly Names[]): Row {
  const texts = row as Record<Names, Uint8Array | string | null>;
  for (const name of names) {
    const bytes: Uint8Array | null = row[name];
    if (bytes !== null) texts[name] = decoder.decode(bytes);
  }
  return row as unknown as Row;
}

export const toChunk = (row: Read<ChunkRow, "urtext" | "text">): ChunkRow =>
  readTexts<ChunkRow, "urtext" | "text">(row, "urtext", "text");
export const toHome = (row: Read<HomeRow, "title">): HomeRow => readTexts<HomeRow, "title">(row, "title");
export const toDocument = (row: Read<DocumentRow, "title">): DocumentRow =>
  readTexts<DocumentRow, "title">(row, "title");
