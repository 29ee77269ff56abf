import { sha256 } from "../../runtime/hash.ts";
import { plainWords } from "../engines/join-words.ts";

/** A sparse vector as Qdrant takes it. */
export interface SparseWords {
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

/** Weights of BM25, and the length of a usual text in words. **Source** Qdrant's own `Bm25`: 1.2, 0.75 and 256. */
const [saturation, lengthShare, usualLength] = [1.2, 0.75, 256];

/** Words of a text with the part of BM25 that a text has by itself. Qdrant multiplies by the rarity of each word. */
export function sparseText(text: string): SparseWords {
  const words = plainWords(text.toLowerCase());
  const norm = saturation * (1 - lengthShare + (lengthShare * words.length) / usualLength);
  return toSparse(words, (count) => (count * (saturation + 1)) / (count + norm));
}

/** Words of a question, each once. */
export const sparseQuestion = (text: string): SparseWords => toSparse(plainWords(text.toLowerCase()), () => 1);

/** A word is named by 32 bits of its hash. */
function toSparse(words: readonly string[], weigh: (count: number) => number): SparseWords {
  const counts = new Map<number, number>();
  for (const word of words) {
    const index = Number.parseInt(sha256(word).slice(0, 8), 16);
    counts.set(index, (counts.get(index) ?? 0) + 1);
  }
  return { indices: [...counts.keys()], values: [...counts.values()].map(weigh) };
}
