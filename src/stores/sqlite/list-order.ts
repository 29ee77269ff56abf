import type { SQLInputValue } from "node:sqlite";
import type { KeptOrder, RowPlace } from "../segments/segment-directory.ts";

const columns: Readonly<Record<KeptOrder, readonly [column: "ingested_at" | "bytes", direction: "ASC" | "DESC"]>> = {
  newest: ["ingested_at", "DESC"],
  oldest: ["ingested_at", "ASC"],
  largest: ["bytes", "DESC"],
};

/** The end of a statement that lists a scope's live documents in an order, after a place. **Shape** its parameters are the scope, `placeValues` and the limit. */
export function orderedListing(order: KeptOrder, place: RowPlace | undefined, idText: string): string {
  const [column, direction] = columns[order];
  const [from, behind] = direction === "ASC" ? [">=", ">"] : ["<=", "<"];
  const sameUri = place?.id === undefined ? "" : ` OR (uri = ? AND ${idText} > ?)`;
  const rest = place === undefined ? "" : `AND ${column} ${from} ? AND (${column} ${behind} ? OR uri > ?${sameUri})`;
  return `WHERE scope = ? AND deleted_at IS NULL ${rest} ORDER BY ${column} ${direction}, uri, ${idText} LIMIT ?`;
}

/** Values of the place in {@link orderedListing}. `pack` turns a time into its stored form. */
export function placeValues(
  order: KeptOrder,
  place: RowPlace | undefined,
  pack: (time: string) => SQLInputValue,
): readonly SQLInputValue[] {
  if (place === undefined) return [];
  const value = order === "largest" ? place.bytes : pack(place.ingestedAt);
  return [value, value, place.uri, ...(place.id === undefined ? [] : [place.uri, place.id])];
}
