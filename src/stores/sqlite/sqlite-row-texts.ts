import type { ChunkRow, DocumentRow } from "../segments/segment-directory.ts";

/** Free text may hold U+0000, at which Node 22 ends a string that it reads from SQLite: it is read as bytes. */
export function bytesOf(column: string): string {
  return `CAST(${column} AS BLOB) AS ${column}`;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

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
export const toDocument = (row: Read<DocumentRow, "title">): DocumentRow =>
  readTexts<DocumentRow, "title">(row, "title");
