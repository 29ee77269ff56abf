import { sparseNorm } from "../../runtime/sparse.ts";
import type { InvertedColumn, SparseColumn } from "../segments/segment.ts";

/** Sparse rows that lie end to end. **Cost** their lengths, at once; the inverted form when first asked for. */
export function createSparseColumn(starts: Uint32Array, indices: Uint32Array, values: Float32Array): SparseColumn {
  const norms = new Float64Array(starts.length - 1);
  for (let row = 0; row < norms.length; row++) {
    norms[row] = sparseNorm({ indices, values, start: starts[row]!, end: starts[row + 1]! });
  }
  let inverted: InvertedColumn | undefined;
  return { starts, indices, values, norms, inverted: () => (inverted ??= invert(starts, indices, values)) };
}

/** Joins rows end to end. */
export function joinSparse(
  rows: readonly { readonly indices: Uint32Array; readonly values: Float32Array }[],
): Pick<SparseColumn, "starts" | "indices" | "values"> {
  const starts = new Uint32Array(rows.length + 1);
  rows.forEach(({ values }, row) => {
    starts[row + 1] = starts[row]! + values.length;
  });
  const indices = new Uint32Array(starts[rows.length]!);
  const values = new Float32Array(starts[rows.length]!);
  rows.forEach((each, row) => {
    indices.set(each.indices, starts[row]);
    values.set(each.values, starts[row]);
  });
  return { starts, indices, values };
}

/** **Cost** linear: coordinates are numbered as they come, and ordered by counting. */
function invert(starts: Uint32Array, indices: Uint32Array, values: Float32Array): InvertedColumn {
  const slots = new Map<number, number>();
  const perSlot: number[] = [];
  for (const index of indices) {
    const slot = slots.get(index);
    if (slot === undefined) {
      slots.set(index, perSlot.length);
      perSlot.push(1);
    } else perSlot[slot]!++;
  }
  const slotStarts = new Uint32Array(perSlot.length + 1);
  for (let slot = 0; slot < perSlot.length; slot++) slotStarts[slot + 1] = slotStarts[slot]! + perSlot[slot]!;
  const next = slotStarts.slice();
  const rows = new Uint32Array(indices.length);
  const ordered = new Float32Array(indices.length);
  for (let row = 0; row + 1 < starts.length; row++) {
    for (let i = starts[row]!; i < starts[row + 1]!; i++) {
      const at = next[slots.get(indices[i]!)!]!++;
      rows[at] = row;
      ordered[at] = values[i]!;
    }
  }
  return { slots, starts: slotStarts, rows, values: ordered };
}
