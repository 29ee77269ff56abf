import fc from "fast-check";
import { compareWorlds } from "../access/compare-worlds.ts";
import type { Fault, Subject } from "../access/subjects.ts";
import { wordReranker } from "../access/subjects.ts";
import { anyHistory, compareSettled, compareUnsettled } from "../access/histories.ts";
import { anyWorld } from "../access/worlds.ts";
import { createLies } from "../access/lying-engine.ts";
import { type Compared, scaled, type Tally, tallyCases } from "./tally.ts";

const subjects: readonly Subject[] = [
  { name: "memory, the store's own model", store: "memory", sees: "own" },
  { name: "memory, words alone", store: "memory", sees: "nothing", reranker: () => "proximity" },
  { name: "memory, a given model", store: "memory", sees: "given", reranker: wordReranker },
  { name: "SQLite, the store's own model", store: "SQLite", sees: "own" },
];

/** Everybody's documents beside those of one caller alone. `fault` breaks the first world's gate, to see that it is noticed. */
export async function attackWorlds(seed: number, size: number, fault: Fault = {}): Promise<readonly Tally[]> {
  const worlds = fc.sample(anyWorld, { seed, numRuns: scaled(120, size) });
  const compare = (world: (typeof worlds)[number], index: number): Promise<Compared> =>
    compareWorlds(subjects[index % subjects.length]!, world, fault);
  return [await tallyCases("Documents of others show in nothing", worlds, compare)];
}

/** The same over engines that leak, repeat, make up and lie. Their candidates change nothing that a caller sees. */
export async function attackByEngines(seed: number, size: number): Promise<readonly Tally[]> {
  const worlds = fc.sample(anyWorld, { seed: seed + 1, numRuns: scaled(20, size) });
  const { compose, proposals } = createLies();
  const over: readonly Subject[] = [
    { name: "memory, a given model over an engine", store: "memory", sees: "given", compose },
    { name: "memory, the store's own model over an engine", store: "memory", sees: "own", compose },
  ];
  const tally = await tallyCases("An engine that leaks and lies shows nothing of others", worlds, (world, index) =>
    compareWorlds(over[index % over.length]!, world),
  );
  // An attack that reaches no engine is none.
  return [proposals() > 0 ? tally : { ...tally, breaches: ["no engine was asked"] }];
}

export async function attackHistories(seed: number, size: number): Promise<readonly Tally[]> {
  const histories = fc.sample(anyHistory, { seed, numRuns: scaled(60, size) });
  return [
    await tallyCases("Departed documents show in nothing, once settled", histories, (history, index) =>
      compareSettled({ store: index % 4 === 3 ? "SQLite" : "memory" }, history),
    ),
    await tallyCases("Departed documents do not show by their words, before", histories, compareUnsettled),
  ];
}
