import { type LatentTerm, type TermCounts, unseenWeight } from "./latent-basis.ts";
import { localWeight } from "./term-weight.ts";

/** A text in a model's dimensions. */
export interface LatentVector {
  /** **Shape** scaled so that the largest coordinate is 127 or -127; all zero when the model knows none of the terms. Compare by cosine. */
  readonly vector: Int8Array;
  /** The length of the text's vector within the model's dimensions over its whole length, from 0 (nothing that the model knows) to 1 (all of it). */
  readonly energy: number;
}

/** Products are rounded to whole multiples of 2^-32, whose sums are exact in a double whatever their order. */
const fixedPoint = 4_294_967_296;
const largest = 127;

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
  find: (term: string) => LatentTerm | undefined,
): LatentVector {
  const sums = new Float64Array(dimensions);
  let whole = 0;
  for (let i = 0; i < terms.length; i++) {
    const known = find(terms[i]!);
    const weight = localWeight(counts[i]!) * (known?.weight ?? unseenWeight);
    whole += Math.round(weight * weight * fixedPoint);
    if (known === undefined) continue;
    const { row, scale } = known;
    const factor = Math.round(weight * scale * fixedPoint);
    for (let d = 0; d < dimensions; d++) sums[d]! += factor * row[d]!;
  }
  let most = 0;
  let squares = 0;
  for (const sum of sums) {
    most = Math.max(most, Math.abs(sum));
    squares += (sum / fixedPoint) * (sum / fixedPoint);
  }
  if (most === 0) return { vector: new Int8Array(dimensions), energy: 0 };
  return {
    vector: Int8Array.from(sums, (sum) => Math.round((sum / most) * largest)),
    energy: Math.min(1, Math.sqrt(squares / (whole / fixedPoint))),
  };
}
