import type { VectorColumn } from "../segments/segment.ts";
import { scoreProduct, type ScoredQuery } from "./vector-scores.ts";

let products = new Float64Array(0);

/**
 * The scores of all admitted sparse rows, by cosine or dot product, out of the postings of the query's coordinates.
 *
 * **Shape** the very scores that `sparseDot` gives row by row: each row's products are added in ascending order of the coordinates, from 0.
 * **Cost** linear in those postings, and one look at every row; nothing is allocated but for scratch that grows once.
 */
export function scanInverted(
  column: VectorColumn,
  admitted: Uint8Array,
  query: ScoredQuery,
  offer: (row: number, score: number) => void,
): void {
  const sparse = column.sparse();
  if (sparse === undefined) return;
  const { ordinals, rows } = column;
  const inverted = sparse.inverted();
  if (products.length < rows) products = new Float64Array(rows);
  products.fill(0, 0, rows);
  const { indices, values, start, end } = query.sparse;
  for (let i = start; i < end; i++) {
    const slot = inverted.slots.get(indices[i]!);
    if (slot === undefined) continue;
    const value = values[i]!;
    for (let at = inverted.starts[slot]!; at < inverted.starts[slot + 1]!; at++) {
      products[inverted.rows[at]!]! += inverted.values[at]! * value;
    }
  }
  for (let row = 0; row < rows; row++) {
    if (admitted[ordinals[row]!] === 1) offer(row, scoreProduct(products[row]!, sparse.norms[row]!, query));
  }
}
