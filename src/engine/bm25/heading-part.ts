import type { HeadingScore } from "../../contracts/leg.ts";
import type { Segment } from "../segments/segment.ts";
import type { WordIndex } from "./word-index.ts";

/** An innermost heading in one language: its distinct terms, in order; none without a heading. */
export interface Heading {
  readonly terms: readonly string[];
  /** Rarity of its terms, as it was asked for last. */
  weighed?: WeighedHeading | undefined;
}

interface WeighedHeading {
  /** Whose rarities these are. */
  readonly by: (term: string) => number;
  readonly rarities: Float64Array;
  readonly all: number;
}

/** The innermost heading of each chunk. */
export type ReadHeadings = (segment: Segment, ordinals: readonly number[]) => readonly Heading[];

/** The part that the innermost heading of a chunk gives. */
export interface HeadingScoring {
  /** The most that a word of the query can give, by word. A heading gives at most the sum over the words that it has. */
  readonly most: Float64Array;
  /** Says whose values are asked for next. */
  expect(headings: Iterable<Heading>): void;
  value(heading: Heading): number;
  explain(heading: Heading): HeadingScore | undefined;
}

/**
 * Scores innermost headings by `heading * M * (M / A)²`. `M` sums the rarity of the heading's terms that the query says, `A` that of all its terms. Rarity is
 * that of a term over chunks, which have it in any field.
 *
 * **Shape** the index's `idf` is one function as long as what it says does not change. **Source** our own: docs/decisions/0121.
 */
export function scoreHeadings(
  words: readonly { readonly terms: readonly string[] }[],
  weight: number,
  { idf, expectCounts }: Pick<WordIndex, "idf" | "expectCounts">,
): HeadingScoring {
  const asked = new Set(words.flatMap(({ terms }) => terms));
  const weigh = (heading: Heading): WeighedHeading => {
    if (heading.weighed?.by === idf) return heading.weighed;
    const rarities = Float64Array.from(heading.terms, idf);
    let all = 0;
    for (const rarity of rarities) all += rarity;
    return (heading.weighed = { by: idf, rarities, all });
  };
  const shareOf = (heading: Heading): { readonly said: number; readonly share: number } => {
    const { rarities, all } = weigh(heading);
    let said = 0;
    for (let i = 0; i < rarities.length; i++) if (asked.has(heading.terms[i]!)) said += rarities[i]!;
    return { said, share: said / all };
  };
  const isSaid = (heading: Heading): boolean => heading.terms.some((term) => asked.has(term));
  const value = (heading: Heading): number => {
    if (!isSaid(heading)) return 0;
    const { said, share } = shareOf(heading);
    return weight * (said * (share * share));
  };
  return {
    // A little more than the sum, whose order is another one.
    most: Float64Array.from(words, ({ terms }) => weight * 1.000001 * terms.reduce((sum, term) => sum + idf(term), 0)),
    expect(headings) {
      const terms = new Set<string>();
      for (const heading of headings)
        if (heading.weighed?.by !== idf && isSaid(heading)) for (const term of heading.terms) terms.add(term);
      expectCounts(terms);
    },
    value,
    explain(heading) {
      const terms = heading.terms.filter((term) => asked.has(term));
      return terms.length === 0 ? undefined : { terms, share: shareOf(heading).share, value: value(heading) };
    },
  };
}
