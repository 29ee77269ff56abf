import type { SQLInputValue } from "node:sqlite";
import { foldTitle } from "../compose/document-order.ts";
import type { KeptOrder, RowPlace } from "../segments/segment-directory.ts";

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

/**
 * Ends of statements that list a scope's live documents in an order, after a place. **Shape** rows of the second follow those of the first: those that are equal to the
 * place come before the others. Each is a range of an index, so that many equal titles are not passed over.
 */
export function orderedListing(
  scope: number,
  order: KeptOrder,
  place: RowPlace | undefined,
  { idText, pack }: { readonly idText: string; readonly pack: (time: string) => SQLInputValue },
): readonly Listing[] {
  const { by, direction, valueOf } = orders[order];
  // Only the index of titles has uris. A plus keeps SQLite from reading another order by the index of the uris.
  const column = order === "title" ? "uri" : "+uri";
  const listing = (where: string, ...values: SQLInputValue[]): Listing => ({
    sql: `WHERE scope = ? AND deleted_at IS NULL ${where} ORDER BY ${by} ${direction}, ${column}, ${idText} LIMIT ?`,
    values: [scope, ...values],
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
