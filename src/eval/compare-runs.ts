import { IbidError } from "../contracts/errors.ts";
import { checkGiven, checkOptions, readingGiven } from "../runtime/check-options.ts";
import type { Evaluation } from "./score-run.ts";

/**
 * How a metric differs from a baseline, and how likely chance alone would differ as much.
 *
 * @experimental
 */
export interface Comparison {
  /** Means over the queries that both have. */
  readonly mean: number;
  readonly baseline: number;
  /** `mean - baseline`. */
  readonly difference: number;
  /** Significance of the paired randomisation test, two-sided; 1 when no query differs. */
  readonly p: number;
  /** How many queries both have. */
  readonly queries: number;
}

/**
 * How the randomisation test draws.
 *
 * @experimental
 */
export interface CompareOptions {
  /** How many random assignments, where all of them are too many. Default 10,000. */
  readonly draws?: number | undefined;
  /** Where the random numbers start. Default 1: the same evaluations always give the same p. */
  readonly seed?: number | undefined;
}

/** Up to 2^16 assignments are all looked at. */
const mostExact = 16;

/**
 * Compares an evaluation with a baseline, query by query, by Fisher's paired randomisation test. If the two systems were equal, each query's
 * difference could as well have had the other sign. Then p is the share of all assignments of signs whose mean differs from 0 at least as much as the
 * observed one.
 *
 * **Shape** each metric that both have, over the queries that both have. Up to 16 queries that differ, every assignment counts and p is
 * exact. Beyond that, `draws` random ones count, and the observed one with them, so that p is never 0.
 * **Errors** `invalid-argument` for `draws` or a `seed` that is no whole number, or when no query is shared.
 * **Source** Fisher 1935; Smucker, Allan and Carterette, CIKM 2007; counting the observed one: Phipson and Smyth 2010.
 *
 * @experimental
 */
export function compareRuns(
  current: Evaluation,
  baseline: Pick<Evaluation, "queries">,
  options: CompareOptions = {},
): Readonly<Record<string, Comparison>> {
  checkGiven("compareRuns", "current", current, "object");
  checkGiven("compareRuns", "baseline", baseline, "object");
  checkOptions("compareRuns", options, { draws: true, seed: true });
  const { draws = 10_000, seed = 1 } = options;
  if (!Number.isSafeInteger(draws) || draws < 1 || !Number.isSafeInteger(seed)) {
    throw new IbidError("invalid-argument", `draws is ${draws} and seed is ${seed}.`, {
      hint: "Both are whole numbers, draws from 1.",
    });
  }
  return readingGiven("compareRuns", "current or baseline", "an evaluation", () =>
    compareAll(current, baseline, draws, seed),
  );
}

function compareAll(
  current: Evaluation,
  baseline: Pick<Evaluation, "queries">,
  draws: number,
  seed: number,
): Readonly<Record<string, Comparison>> {
  // In order of id, so that p does not depend on the order in which queries were asked.
  const shared = [...current.queries.keys()].filter((id) => baseline.queries.has(id)).toSorted();
  if (shared.length === 0) {
    throw new IbidError("invalid-argument", "The baseline has no query in common with what is compared to it.", {
      hint: "Compare with a baseline of the same queries.",
    });
  }
  const comparisons = Object.keys(current.metrics).flatMap((name) => {
    const pairs = shared.flatMap((id) => {
      const [now, before] = [current.queries.get(id)?.[name], baseline.queries.get(id)?.[name]];
      return now === undefined || before === undefined ? [] : [{ now, before }];
    });
    if (pairs.length === 0) return [];
    const mean = pairs.reduce((sum, { now }) => sum + now, 0) / pairs.length;
    const before = pairs.reduce((sum, pair) => sum + pair.before, 0) / pairs.length;
    const differences = pairs.map((pair) => pair.now - pair.before);
    const p = testDifferences(differences, draws, seed);
    return [[name, { mean, baseline: before, difference: mean - before, p, queries: pairs.length }] as const];
  });
  return Object.fromEntries(comparisons);
}

function testDifferences(all: readonly number[], draws: number, seed: number): number {
  // Those that do not differ have no sign to change.
  const differences = all.filter((difference) => difference !== 0);
  const size = differences.reduce((sum, difference) => sum + Math.abs(difference), 0);
  // A difference by rounding alone counts as equal to the observed one.
  const seen = Math.abs(differences.reduce((sum, difference) => sum + difference, 0)) - 1e-12 * size;
  const isExact = differences.length <= mostExact;
  const rounds = isExact ? 1 << differences.length : draws;
  const random = createRandomBits(seed);
  let asMuch = 0;
  for (let round = 0; round < rounds; round++) {
    let sum = 0;
    let signs = round;
    for (let i = 0; i < differences.length; i++) {
      if (!isExact && (i & 31) === 0) signs = random();
      sum += (signs >>> (i & 31)) & 1 ? -differences[i]! : differences[i]!;
    }
    if (Math.abs(sum) >= seen) asMuch++;
  }
  return isExact ? asMuch / rounds : (asMuch + 1) / (rounds + 1);
}

/** 32 random bits at a time, the same on every machine. **Source** SplitMix32: Weyl sequence, MurmurHash3's finaliser. */
function createRandomBits(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return bits ^ (bits >>> 16);
  };
}
