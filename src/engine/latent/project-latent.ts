import type { TermCounts, TermRow } from "../../contracts/corpus-model.ts";
import { unseenWeight } from "./latent-basis.ts";
import { localWeight } from "./term-weight.ts";

/** A text in a model's dimensions. */
export interface LatentDirection {
  /** **Shape** length 1; all zero when the model knows none of the terms. */
  readonly direction: Float64Array;
  /** Length of the text's vector within the model's dimensions over its whole length, from 0 (no term is known) to 1 (all are). */
  readonly energy: number;
}

/** Products are rounded to whole multiples of 2^-32, whose sums are exact in a double whatever their order. */
export const fixedPoint = 4_294_967_296;

/**
 * Folds a text into a latent-semantic model: the weighted sum of its terms' rows.
 *
 * **Shape** a term that `find` does not know adds to the length of the text and to nothing else. The order of the terms does not matter, to the last bit.
 * **Cost** one row per term.
 * **Source** folding in: Deerwester et al. (JASIS 1990).
 */
export function projectLatent(
  { terms, counts }: TermCounts,
  dimensions: number,
  find: (term: string, at: number) => TermRow | undefined,
): LatentDirection {
  const rows: Int8Array[] = [];
  const factors: number[] = [];
  let whole = 0;
  for (let i = 0; i < terms.length; i++) {
    const known = find(terms[i]!, i);
    const weight = localWeight(counts[i]!) * (known?.weight ?? unseenWeight);
    whole += Math.round(weight * weight * fixedPoint);
    if (known === undefined) continue;
    rows.push(known.row);
    factors.push(Math.round(weight * known.scale * fixedPoint));
  }
  const direction = new Float64Array(dimensions);
  addRows(rows, factors, direction);
  const length = Math.sqrt(toUnit(direction)) / fixedPoint;
  return { direction, energy: whole === 0 ? 0 : Math.min(1, length / Math.sqrt(whole / fixedPoint)) };
}

/** Brings a vector to length 1, unless it is zero. **Shape** returns the square of the length that it had. */
export function toUnit(vector: Float64Array): number {
  let squares = 0;
  for (let d = 0; d < vector.length; d++) squares += vector[d]! * vector[d]!;
  if (squares === 0) return 0;
  const length = Math.sqrt(squares);
  for (let d = 0; d < vector.length; d++) vector[d]! /= length;
  return squares;
}

/** `sums += Σ factor · row`, four rows at a time. Every product and sum is a whole number below 2^53. */
function addRows(rows: readonly Int8Array[], factors: readonly number[], sums: Float64Array): void {
  let i = 0;
  for (; i + 3 < rows.length; i += 4) {
    const [a, b, c, d] = [rows[i]!, rows[i + 1]!, rows[i + 2]!, rows[i + 3]!];
    const [p, q, r, s] = [factors[i]!, factors[i + 1]!, factors[i + 2]!, factors[i + 3]!];
    for (let at = 0; at < sums.length; at++) sums[at]! += p * a[at]! + q * b[at]! + (r * c[at]! + s * d[at]!);
  }
  for (; i < rows.length; i++) {
    const row = rows[i]!;
    const factor = factors[i]!;
    for (let at = 0; at < sums.length; at++) sums[at]! += factor * row[at]!;
  }
}
