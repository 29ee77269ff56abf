import type { HeadingScore } from "../../contracts/leg.ts";
import type { Segment } from "../segments/segment.ts";

/** The distinct terms of the innermost heading of each chunk, in the chunk's language and in order; none without a heading. */
export type ReadHeadings = (segment: Segment, ordinals: readonly number[]) => readonly (readonly string[])[];

/** The part that the innermost heading of a chunk gives. */
export interface HeadingScoring {
  /** The most that a word of the query can give, by word. A heading gives at most the sum over the words that it has. */
  readonly most: Float64Array;
  score(heading: readonly string[]): HeadingScore | undefined;
}

/**
 * Scores innermost headings by `heading * M * (M / A)²`. `M` sums the rarity of the heading's terms that the query says, `A` that of all its terms. Rarity is
 * that of a term over chunks, which have it in any field.
 *
 * **Source** our own: docs/decisions/0121.
 */
export function scoreHeadings(
  words: readonly { readonly terms: readonly string[] }[],
  weight: number,
  idf: (term: string) => number,
): HeadingScoring {
  const asked = new Set(words.flatMap(({ terms }) => terms));
  return {
    // A little more than the sum, whose order is another one.
    most: Float64Array.from(words, ({ terms }) => weight * 1.000001 * terms.reduce((sum, term) => sum + idf(term), 0)),
    score(heading) {
      const found = heading.filter((term) => asked.has(term));
      if (found.length === 0) return undefined;
      let [said, all] = [0, 0];
      for (const term of heading) {
        const rarity = idf(term);
        all += rarity;
        if (asked.has(term)) said += rarity;
      }
      const share = said / all;
      return { terms: found, share, value: weight * (said * (share * share)) };
    },
  };
}
