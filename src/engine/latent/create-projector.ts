import type { NumberedTerms, TermSpace } from "../../contracts/corpus-model.ts";
import { createPlainTermSums, createSimdTermSums, grown, type TermSums } from "../kernels/term-sums.ts";
import { formDimensions, joinUnits } from "./embed-terms.ts";
import { hashGrams } from "./hash-forms.ts";
import { unseenWeight } from "./latent-basis.ts";
import { fixedPoint } from "./project-latent.ts";
import { localWeight } from "./term-weight.ts";

/** Texts from which on a memory of its own is worth its making. */
const manyTexts = 64;

/**
 * The vectors of `embedTerms` for many documents of one space. They share most of their words: each is looked up once, and its n-grams are hashed once.
 *
 * **Shape** the same vectors to the last bit. **Cost** some 300 bytes a term, for as long as the function is kept.
 */
export function createProjector(
  space: TermSpace,
  textOf: (number: number) => string,
): (text: NumberedTerms) => Int8Array {
  const { dimensions } = space;
  let met = 0;
  let texts = 0;
  let weights = new Float64Array(0);
  /** 0 for a term that the space does not know. */
  let scales = new Float64Array(0);
  let sums: TermSums = createPlainTermSums(dimensions, 2 * formDimensions);

  function meet(): void {
    const term = textOf(met);
    const known = space.find(term);
    weights = grown(weights, met + 1);
    scales = grown(scales, met + 1);
    weights[met] = known?.weight ?? unseenWeight;
    scales[met] = known?.scale ?? 0;
    sums.add(known?.row, hashGrams(term, formDimensions));
    met++;
  }

  /** The factors of the rows of the text under way, and the whole weights of its terms. */
  let factors = new Float64Array(0);
  let whole = new Float64Array(0);

  return ({ numbers, counts }) => {
    if (++texts === manyTexts) {
      sums = createSimdTermSums(dimensions, 2 * formDimensions) ?? sums;
      // Its terms are met again.
      met = 0;
    }
    const { length } = numbers;
    factors = grown(factors, length);
    whole = grown(whole, length);
    for (let i = 0; i < length; i++) {
      const number = numbers[i]!;
      while (met <= number) meet();
      const weight = localWeight(counts[i]!) * weights[number]!;
      whole[i] = Math.round(weight * fixedPoint);
      factors[i] = Math.round(weight * scales[number]! * fixedPoint);
    }
    sums.sum(numbers, factors, whole, length);
    return joinUnits(sums.direction(), sums.hashed());
  };
}
