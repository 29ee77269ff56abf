import type { SQLInputValue } from "node:sqlite";
import { foldTitle } from "../compose/document-order.ts";
import { boundLimit } from "./sqlite-connection.ts";
import type { KeptOrder, Narrowing, RowPlace } from "../segments/segment-directory.ts";

/** The value that each order goes by: as a statement has it, and of a place. `pack` turns a time into its stored form. */
const orders: Readonly<
  Record<
    KeptOrder,
    {
      readonly by: "ingested_at" | "bytes" | "lower(title)";
      readonly direction: "ASC" | "DESC";
      readonly valueOf: (place: RowPlace, pack: (time: string) => SQLInputValue) => SQLInputValue;
    }
  >
> = {
  newest: { by: "ingested_at", direction: "DESC", valueOf: ({ ingestedAt }, pack) => pack(ingestedAt) },
  oldest: { by: "ingested_at", direction: "ASC", valueOf: ({ ingestedAt }, pack) => pack(ingestedAt) },
  largest: { by: "bytes", direction: "DESC", valueOf: ({ bytes }) => bytes },
  title: { by: "lower(title)", direction: "ASC", valueOf: ({ title }) => foldTitle(title) },
};

/** The end of a statement, with its parameters but for the limit, which is the last. */
export interface Listing {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** How a format keeps a document's facts. */
export interface Columns {
  /** The id as a text. */
  readonly idText: string;
  readonly pack: (time: string) => SQLInputValue;
  /** Numbers of the media types of a name or a family. Absent: they are kept as texts. */
  readonly mediaTypes?: (mediaType: string) => readonly number[];
}

/** Conditions of a narrowing. With `sorts`, few rows pass: they are read by an index of the conditions, and sorted. Otherwise the index of the order is read, and filtered. */
interface Conditions extends Listing {
  readonly sorts: boolean;
}

/** Rows that are read and sorted for one page, at most. */
const mostSorted = 2000;

/**
 * Conditions of a narrowing, for a statement that lists a scope's live documents. A plus before a column keeps SQLite from choosing an index by it.
 *
 * **Cost** a look at up to 2,000 entries of an index.
 */
function narrow(
  { scope, only: { under = "", mediaType, since, before }, by }: Narrowed,
  { pack, mediaTypes }: Columns,
  count: (sql: string, ...values: SQLInputValue[]) => number,
): Conditions {
  const [own, other]: [Listing[], Listing[]] = [[], []];
  const add = (column: string, sql: string, ...values: SQLInputValue[]) =>
    (by.includes(column) ? own : other).push({ sql: `${column} ${sql}`, values });
  const end = behindPrefix(under);
  if (under !== "") add("uri", ">= ?", under);
  if (end !== undefined) add("uri", "< ?", end);
  if (since !== undefined) add("ingested_at", ">= ?", pack(since));
  if (before !== undefined) add("ingested_at", "< ?", pack(before));
  if (mediaType !== undefined && mediaTypes === undefined) {
    const type = mediaType.toLowerCase();
    if (type.endsWith("/")) add("substr(lower(media_type), 1, length(?))", "= ?", type, type);
    else add("lower(media_type)", "= ?", type);
  } else if (mediaType !== undefined) {
    const found = mediaTypes!(mediaType);
    // No document is of the type 0.
    const keys = found.length === 0 ? [0] : found;
    add("media_type", keys.length === 1 ? "= ?" : `IN (${keys.map(() => "?").join()})`, ...keys);
  }
  const join = (all: readonly Listing[], mark = "") => all.map(({ sql }) => ` AND ${mark}${sql}`).join("");
  const values = [...own, ...other].flatMap((one) => one.values);
  const rows = `SELECT 1 FROM documents WHERE scope = ? AND deleted_at IS NULL${join([...own, ...other])} LIMIT ${mostSorted + 1}`;
  const sorts = other.length > 0 && count(`SELECT count(*) AS count FROM (${rows})`, scope, ...values) <= mostSorted;
  return { sorts, sql: sorts ? join([...own, ...other]) : `${join(own)}${join(other, "+")}`, values };
}

interface Narrowed {
  readonly scope: number;
  readonly only: Narrowing;
  /** Columns by which the statement reads an index. */
  readonly by: readonly string[];
}

/** The end of a statement that lists a scope's live documents by uri, then id; after a place, or after all of a uri. */
export function uriListing(
  scope: number,
  { uri, id }: { readonly uri: string; readonly id: string | undefined },
  only: Narrowing,
  columns: Columns,
  count: (sql: string, ...values: SQLInputValue[]) => number,
): Listing {
  // The index of the media types has the uris of each type in order.
  const isOneType = only.mediaType !== undefined && (columns.mediaTypes?.(only.mediaType).length ?? 2) < 2;
  const isByType = isOneType && only.since === undefined && only.before === undefined;
  const by = isByType ? ["media_type", "uri"] : ["uri"];
  const { sorts, sql: where, values } = narrow({ scope, only, by }, columns, count);
  const column = sorts ? "+uri" : "uri";
  const { idText } = columns;
  const isBehind = id === undefined ? `${column} > ?` : `${column} >= ? AND (uri > ? OR ${idText} > ?)`;
  return {
    sql: `WHERE scope = ? AND deleted_at IS NULL${where} AND ${isBehind} ORDER BY ${column}, ${idText} ${boundLimit}`,
    values: [scope, ...values, ...(id === undefined ? [uri] : [uri, uri, id])],
  };
}

/**
 * Ends of statements that list a scope's live documents in an order, after a place. **Shape** rows of the second follow those of the first: those that are equal to the
 * place come before the others. Each is a range of an index, so that many equal titles are not passed over.
 */
export function orderedListing(
  scope: number,
  { order, place, only }: { readonly order: KeptOrder; readonly place: RowPlace | undefined; readonly only: Narrowing },
  columns: Columns,
  count: (sql: string, ...values: SQLInputValue[]) => number,
): readonly Listing[] {
  const { direction, valueOf, by: key } = orders[order];
  const { idText, pack } = columns;
  const { sorts, sql: narrowing, values: chosen } = narrow({ scope, only, by: [key] }, columns, count);
  const by = sorts ? `+${key}` : key;
  // Only the index of titles has uris. A plus keeps SQLite from reading another order by the index of the uris.
  const column = order === "title" && !sorts ? "uri" : "+uri";
  const listing = (where: string, ...values: SQLInputValue[]): Listing => ({
    sql: `WHERE scope = ? AND deleted_at IS NULL${narrowing} ${where} ORDER BY ${by} ${direction}, ${column}, ${idText} ${boundLimit}`,
    values: [scope, ...chosen, ...values],
  });
  if (place === undefined) return [listing("")];
  const [value, { uri, id }] = [valueOf(place, pack), place];
  const sameUri = id === undefined ? "" : ` AND (uri > ? OR ${idText} > ?)`;
  return [
    listing(
      `AND ${by} = ? AND ${column} ${id === undefined ? ">" : ">="} ?${sameUri}`,
      value,
      uri,
      ...(id === undefined ? [] : [uri, id]),
    ),
    listing(`AND ${by} ${direction === "ASC" ? ">" : "<"} ?`, value),
  ];
}

/** Letters and digits of an ending. */
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** A uri up to its last slash, with it. `name` is its column. */
export const folderOf = (name: string): string => `rtrim(${name}, replace(${name}, '/', ''))`;

/** The ending of a uri in lower case: at most ten letters and digits behind its last dot. */
export function endingOf(name: string): string {
  const ending = `substr(${name}, max(length(rtrim(${name}, '${letters}')), 1))`;
  return `CASE WHEN substr(${ending}, 1, 1) = '.' AND length(${ending}) BETWEEN 2 AND 11 THEN lower(substr(${ending}, 2)) ELSE '' END`;
}

/** The statement that counts a scope's live documents by folder and kind: the rows of its table where there is one, otherwise the documents. */
export function folderListing(
  scope: number,
  only: Omit<Narrowing, "under">,
  { columns, isKept }: { readonly columns: Columns; readonly isKept: boolean },
): Listing {
  const isWord = columns.mediaTypes !== undefined;
  const type = isWord ? "(SELECT text FROM words WHERE key = media_type)" : "media_type";
  const reads = (...parts: readonly string[]): string => `SELECT ${parts.join(", ")}`;
  const isTimeless = only.since === undefined && only.before === undefined;
  // A few rows are left of many documents: no order is asked for, so that SQLite chooses the index.
  const { sql, values } = narrow({ scope, only, by: [] }, columns, () => 0);
  if (isKept && isTimeless) {
    const facts = ["folder AS uri", "nullif(root, '') AS folder", `${type} AS mediaType`, "ending", "documents"];
    return { sql: `${reads(...facts)} FROM folder_counts WHERE scope = ?${sql}`, values: [scope, ...values] };
  }
  const facts = [
    `${folderOf("uri")} AS base`,
    "folder",
    "media_type",
    `${endingOf("uri")} AS ending`,
    "count(*) AS documents",
  ];
  const counted = `${reads(...facts)} FROM documents WHERE scope = ? AND deleted_at IS NULL${sql} GROUP BY 1, 2, 3, 4`;
  return {
    sql: `${reads("base AS uri", "folder", `${type} AS mediaType`, "ending", "documents")} FROM (${counted})`,
    values: [scope, ...values],
  };
}

/** Reads listings one after the other, until there are so many rows. */
export function readListings<Row>(
  listings: readonly Listing[],
  limit: number,
  read: (sql: string, ...values: SQLInputValue[]) => readonly Row[],
): readonly Row[] {
  const rows: Row[] = [];
  for (const { sql, values } of listings)
    if (rows.length < limit) rows.push(...read(sql, ...values, limit - rows.length));
  return rows;
}

/** The least text behind all texts with a prefix, by code point. **Shape** `undefined` for a prefix that no text is behind. */
function behindPrefix(prefix: string): string | undefined {
  if (!prefix.isWellFormed()) return undefined;
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === 0x10_ff_ff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // No text has half of a surrogate pair.
  return String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1);
}
