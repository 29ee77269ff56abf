import type { TermCounts, TermRow } from "../../contracts/corpus-model.ts";
import { mixHash } from "../../text/mix-hash.ts";
import { unseenWeight } from "./latent-basis.ts";
import { fixedPoint, toUnit } from "./project-latent.ts";
import { localWeight } from "./term-weight.ts";

/** **Source** FNV-1a, 32 bits. */
const offset = 0x811c9dc5 | 0;
const prime = 0x01000193;
/** Stand before and behind a term, as in fastText. */
const termStart = 0x3c;
const termEnd = 0x3e;
const shortestGram = 3;
const longestGram = 5;

/**
 * Direction of the spelling of a text's terms: their n-grams, hashed, each term with its weight in the model.
 *
 * It relates terms that are neither equal nor in similar contexts: the parts of a compound, another inflection, a misspelling, an unseen name.
 *
 * **Shape** n-grams of 3 to 5 UTF-16 code units, boundaries included, signed; length 1, or all zero for no terms. The order of the terms does not matter.
 * **Cost** linear in the letters. **Source** feature hashing: Weinberger et al., ICML 2009; n-grams within words: Bojanowski et al., TACL 2017.
 */
export function hashForms(
  { terms, counts }: TermCounts,
  dimensions: number,
  find: (term: string, at: number) => Pick<TermRow, "weight"> | undefined,
): Float64Array {
  const hashed = new Float64Array(2 * dimensions);
  for (let i = 0; i < terms.length; i++) {
    const term = terms[i]!;
    const weight = Math.round(localWeight(counts[i]!) * (find(term, i)?.weight ?? unseenWeight) * fixedPoint);
    for (const dimension of hashGrams(term, dimensions)) hashed[dimension]! += weight;
  }
  const sums = differences(hashed);
  toUnit(sums);
  return sums;
}

/** The sums of what was added, without those of what was taken away, which are the second half. */
export function differences(hashed: Float64Array, sums = new Float64Array(hashed.length / 2)): Float64Array {
  const dimensions = hashed.length / 2;
  for (let d = 0; d < dimensions; d++) sums[d] = hashed[d]! - hashed[dimensions + d]!;
  return sums;
}

/** N-grams of one term, at most, on their way into an array of their own. */
let found = new Uint32Array(64);

/**
 * The n-grams of a term, each as the dimension that it is added to.
 *
 * **Shape** below `dimensions`; more by `dimensions` where the gram is taken away. Signs are random, so a branch on them costs more than the sums. A view,
 * which the next call writes over.
 */
export function hashGrams(term: string, dimensions: number): Uint32Array {
  const { length } = term;
  const most = (longestGram - shortestGram + 1) * (length + 2);
  if (found.length < most) found = new Uint32Array(2 * most);
  let count = 0;
  for (let from = -1; from <= length - shortestGram + 1; from++) {
    let gram = offset;
    const to = Math.min(length + 1, from + longestGram);
    for (let at = from; at < to; at++) {
      const unit = at < 0 ? termStart : at >= length ? termEnd : term.charCodeAt(at);
      gram = Math.imul(gram ^ unit, prime);
      if (at - from < shortestGram - 1) continue;
      const hash = mixHash(gram);
      // The high bits choose the dimension, the lowest the sign; the product is exact in a double.
      const dimension = Math.floor((hash * dimensions) / 4_294_967_296);
      found[count++] = dimension + (hash & 1) * dimensions;
    }
  }
  return found.subarray(0, count);
}
