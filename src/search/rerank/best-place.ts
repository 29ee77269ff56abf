/** The terms that stand for each word of a query, and the weight of each word. */
export interface WeightedWords {
  /** From a term to the number of its word. */
  readonly words: ReadonlyMap<string, number>;
  readonly weights: readonly number[];
}

/** So many words after a word was read, some 36 % of it is left in mind: each word that follows leaves 15/16 of it. */
export const fadeLength = 16;
const kept = 1 - 1 / fadeLength;
/** Powers of what is kept, until next to nothing is; multiplied, for `Math.pow` differs between engines. */
const fading = new Float64Array(512);
fading[0] = 1;
for (let i = 1; i < fading.length; i++) fading[i] = fading[i - 1]! * kept;

/**
 * The highest sum of weights at any place of a text. Each word of the query brings its weight back to the full; every word after it takes a sixteenth
 * of it away.
 *
 * **Shape** from 0 to the sum of the weights. One word alone gives its weight, however often it stands there; two words `d` apart give the second's and
 * `(15/16)^d` of the first's. In either order, when their weights are equal.
 * **Cost** linear in the text, however many words the query has.
 * **Source** the best position of a positional language model (Lv and Zhai, Positional Language Models for Information Retrieval, SIGIR 2009). Our kernel
 * looks back only and falls by a ratio, so that one pass with one running sum finds it.
 */
export function weighBestPlace(terms: Iterable<string>, { words, weights }: WeightedWords): number {
  const lastRead = new Int32Array(weights.length).fill(-1);
  let at = 0;
  let before = 0;
  let inMind = 0;
  let best = 0;
  for (const term of terms) {
    const word = words.get(term);
    if (word !== undefined) {
      const weight = weights[word]!;
      const since = lastRead[word]!;
      const left = since < 0 ? 0 : weight * keptAfter(at - since);
      inMind = inMind * keptAfter(at - before) + (weight - left);
      lastRead[word] = at;
      before = at;
      if (inMind > best) best = inMind;
    }
    at += 1;
  }
  return best;
}

function keptAfter(distance: number): number {
  return distance < fading.length ? fading[distance]! : 0;
}
