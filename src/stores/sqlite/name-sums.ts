import type { DocumentRow } from "../segments/segment-directory.ts";
import { sumOf } from "./compressed.ts";
import { spoiltRow } from "./missing-row.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Node 22 ends a text that it reads at U+0000. */
const asRead = (text: string): string => text.split("\0", 1)[0]!;

/** CRC-32, signed: four bytes in a row. */
const signed = (text: string): number => sumOf(Buffer.from(text)) | 0;

/** Sum of the names by which a document is found and cited, in the scope with that name. */
export function sumOfNames(
  scope: string,
  { id, uri, title, folder }: Pick<DocumentRow, "id" | "uri" | "title" | "folder">,
): number {
  return signed([scope, id, uri, title, folder ?? "/"].map(asRead).join("\n"));
}

/** Sum of metadata or headings of a document. */
export function sumOfSaying(document: number, text: string): number {
  return signed(`${document} ${text}`);
}

/** A sum that nothing has: what it belongs to is damaged, and stays so when its row is written again. */
export const noSum = 2 ** 32;

/** Metadata or headings as a statement gives them, behind their sum and a space; the sum is missing where none was kept. */
export function toSaying(document: number, given: string): { readonly text: string; readonly isWhole: boolean } {
  if (typeof given !== "string") return spoiltRow();
  const end = given.indexOf(" ");
  const text = given.slice(end + 1);
  return { text, isWhole: end <= 0 || sumOfSaying(document, text) === Number(given.slice(0, end)) };
}

/** Tells whether a file has the columns of the sums. An earlier version made it without them, and they come when it is opened for writing. */
export function createSumsKept(db: SqliteConnection): () => boolean {
  let isKept = false;
  return () => (isKept ||= db.get("SELECT 1 FROM sqlite_schema WHERE name = 'names_change'") !== undefined);
}
