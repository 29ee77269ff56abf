import { IbidError } from "../../contracts/errors.ts";
import type { DocumentRow } from "../segments/segment-directory.ts";
import { sumOf } from "./compressed.ts";
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

/** Metadata or headings as a statement gives them, behind its sum and a space; the sum is missing where none was kept. **Errors** `store-corrupt`. */
export function toSaying(document: number, given: string, nameOf: (document: number) => string): string {
  if (typeof given !== "string") return given;
  const end = given.indexOf(" ");
  const text = given.slice(end + 1);
  if (end > 0 && sumOfSaying(document, text) !== Number(given.slice(0, end)))
    throw new IbidError("store-corrupt", `Metadata or headings of ${nameOf(document)} are not as they were written.`, {
      uri: nameOf(document),
      hint: "Restore the file from a backup, or ingest the document again. Other documents are not affected.",
    });
  return text;
}

/** Tells whether a file has the columns of the sums. An earlier version made it without them, and they come when it is opened for writing. */
export function createSumsKept(db: SqliteConnection): () => boolean {
  let isKept = false;
  return () => (isKept ||= db.get("SELECT 1 FROM sqlite_schema WHERE name = 'names_change'") !== undefined);
}
