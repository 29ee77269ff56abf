import type { NumberedTerms, TermRow, TermSpace } from "../../contracts/corpus-model.ts";
import { createPlainTermSums, createSimdTermSums, type TermSums } from "../kernels/term-sums.ts";
import { formDimensions, joinUnits } from "./embed-terms.ts";
import { hashGrams } from "./hash-forms.ts";
import { unseenWeight } from "./latent-basis.ts";
import { localWeight } from "./term-weight.ts";

/** A term that the space does not know counts by its form alone. */
const unknown = { weight: unseenWeight, scale: 0, row: undefined };

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
  find = (number: number): TermRow | undefined => space.find(textOf(number)),
): (text: NumberedTerms) => Int8Array {
  const { dimensions } = space;
  let met = 0;
  let texts = 0;
  let sums: TermSums = createPlainTermSums(dimensions, 2 * formDimensions);

  function meet(): void {
    const { weight, scale, row } = find(met) ?? unknown;
    sums.add({ weight, scale, row, grams: hashGrams(textOf(met++), formDimensions) });
  }

  return ({ numbers, counts }) => {
    if (++texts === manyTexts) {
      sums = createSimdTermSums(dimensions, 2 * formDimensions) ?? sums;
      // Its terms are met again.
      met = 0;
    }
    for (let i = 0; i < numbers.length; i++) while (met <= numbers[i]!) meet();
    sums.sum(numbers, counts, localWeight);
    return joinUnits(sums.direction(), sums.hashed());
  };
}
