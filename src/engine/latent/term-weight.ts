import { naturalLogarithm } from "../kernels/natural-logarithm.ts";

/** Counts below this are looked up. */
const tableSize = 256;
const table = Float64Array.from({ length: tableSize }, (_, count) => logarithmOfCount(count));

/**
 * How much the occurrences of a term in one text count together: `log2(1 + count)`.
 *
 * **Source** the local weight of log-entropy: Dumais, Improving the Retrieval of Information from External Sources (1991).
 */
export function localWeight(count: number): number {
  return count < tableSize ? table[count]! : logarithmOfCount(count);
}

function logarithmOfCount(count: number): number {
  return naturalLogarithm(1 + count) / Math.LN2;
}

/**
 * Weight of a term from its counts in all texts. A term of one text weighs 1, a term that all texts have equally often
 * 0.
 *
 * **Shape** `1 - H / ln n`, with H the entropy of the term's distribution over `n` texts; 1 for a single text.
 * **Source** the global weight of log-entropy: Dumais (1991).
 */
export function entropyWeight(counts: Iterable<number>, texts: number): number {
  if (texts < 2) return 1;
  let sum = 0;
  let logarithms = 0;
  for (const count of counts) {
    sum += count;
    logarithms += count * naturalLogarithm(count);
  }
  const entropy = naturalLogarithm(sum) - logarithms / sum;
  return Math.max(0, Math.min(1, 1 - entropy / naturalLogarithm(texts)));
}
