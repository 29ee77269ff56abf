import { isDeepStrictEqual } from "node:util";

/** How often a promise was tried, and what broke it. */
export interface Tally {
  readonly promise: string;
  /** A unit of attempts, for people: `comparisons`. */
  readonly unit: string;
  readonly attempts: number;
  readonly breaches: readonly string[];
  /** The reason why nothing was tried. */
  readonly skipped?: string;
}

/** The number of attempts of a size, at least one. */
export const scaled = (full: number, size: number): number => Math.max(1, Math.round(full * size));

/** Results of each call, beside those of a world without the hidden documents. */
export interface Compared {
  readonly given: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** Counts every call of every case, and names those that tell something. */
export async function tallyCases<Case>(
  promise: string,
  cases: readonly Case[],
  compare: (one: Case, index: number) => Promise<Compared>,
): Promise<Tally> {
  let attempts = 0;
  const breaches: string[] = [];
  for (const [index, one] of cases.entries()) {
    const { given, expected } = await compare(one, index);
    for (const call of new Set([...Object.keys(given), ...Object.keys(expected)])) {
      attempts++;
      if (!isDeepStrictEqual(given[call], expected[call])) breaches.push(`case ${index}: ${call}`);
    }
  }
  return { promise, unit: "comparisons", attempts, breaches };
}
