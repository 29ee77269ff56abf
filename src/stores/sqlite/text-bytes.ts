const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Free text may hold U+0000, at which Node 22 ends a string that it reads from SQLite: it is read as bytes. */
export function bytesOf(column: string): string {
  return `CAST(${column} AS BLOB) AS ${column}`;
}

/** The text of a column that was read as bytes. */
export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
