import { simpleLowerCase } from "./patterns/simple-lower-case.ts";
import { segmentWords } from "./words.ts";

/**
 * A text as the set of its runs of `size` words, so that texts can be held against one another.
 *
 * **Shape** words in small letters, punctuation and white space left out; of scripts without spaces, characters. A text of fewer words is one run of them all; one
 * without words has none.
 * **Cost** linear. **Source** Broder, Glassman, Manasse and Zweig, Syntactic Clustering of the Web (1997).
 */
export function shinglesOf(text: string, size: number): ReadonlySet<string> {
  const words: string[] = [];
  for (const word of segmentWords(text)) {
    const folded = simpleLowerCase(word.text);
    if (word.kind === "run") for (const character of folded) words.push(character);
    else words.push(folded);
  }
  const shingles = new Set<string>();
  if (words.length > 0 && words.length < size) shingles.add(words.join(" "));
  for (let at = 0; at + size <= words.length; at++) shingles.add(words.slice(at, at + size).join(" "));
  return shingles;
}

/**
 * Jaccard similarity of two sets: the size of the intersection over the size of the union.
 *
 * **Shape** from 0 to 1; two empty sets share nothing. **Source** Jaccard (1901), as resemblance in Broder et al. (1997).
 */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size > b.size) return jaccard(b, a);
  let shared = 0;
  for (const each of a) if (b.has(each)) shared++;
  const together = a.size + b.size - shared;
  return together === 0 ? 0 : shared / together;
}
