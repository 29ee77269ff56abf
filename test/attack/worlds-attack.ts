import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { compareWorlds } from "../access/compare-worlds.ts";
import type { Fault, Subject } from "../access/subjects.ts";
import { wordReranker } from "../access/subjects.ts";
import { anyHistory, compareSettled, compareUnsettled } from "../access/histories.ts";
import { anyWorld } from "../access/worlds.ts";
import { scaled, type Tally } from "./tally.ts";

const subjects: readonly Subject[] = [
  { name: "memory, the store's own model", store: "memory", sees: "own" },
  { name: "memory, words alone", store: "memory", sees: "nothing", reranker: () => "proximity" },
  { name: "memory, a given model", store: "memory", sees: "given", reranker: wordReranker },
  { name: "SQLite, the store's own model", store: "SQLite", sees: "own" },
];

interface Compared {
  readonly given: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** Counts every call of every case, and names those that tell something. */
async function tally<Case>(
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

/** Everybody's documents beside those of one caller alone. `fault` breaks the first world's gate, to see that it is noticed. */
export async function attackWorlds(seed: number, size: number, fault: Fault = {}): Promise<readonly Tally[]> {
  const worlds = fc.sample(anyWorld, { seed, numRuns: scaled(120, size) });
  const compare = (world: (typeof worlds)[number], index: number): Promise<Compared> =>
    compareWorlds(subjects[index % subjects.length]!, world, fault);
  return [await tally("Documents of others show in nothing", worlds, compare)];
}

export async function attackHistories(seed: number, size: number): Promise<readonly Tally[]> {
  const histories = fc.sample(anyHistory, { seed, numRuns: scaled(60, size) });
  return [
    await tally("Departed documents show in nothing, once settled", histories, (history, index) =>
      compareSettled({ store: index % 4 === 3 ? "SQLite" : "memory" }, history),
    ),
    await tally("Departed documents do not show by their words, before", histories, compareUnsettled),
  ];
}
