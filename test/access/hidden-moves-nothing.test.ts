import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { makeFolder } from "../cli/run-ibid.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { CompleteParts } from "../../src/stores/segments/segment-store.ts";
import { compareWorlds } from "./compare-worlds.ts";
import { accessFaults, widenedCopies, widenedPatterns } from "./faults.ts";
import { fewer, runs, sample } from "../support/runs.ts";
import { withRumours } from "./rumour-leg.ts";
import { repeatingModel, type Subject, wordReranker } from "./subjects.ts";
import { anyWorld } from "./worlds.ts";
import { compose } from "../contracts/composed-retrievers.ts";

/** Together twelve worlds, and 240 in .ci/nightly; of the faults below, the hardest to see shows in every seventh. */
const subjects: readonly (Subject & { readonly runs: number })[] = [
  { name: "memory, the store's own model", store: "memory", sees: "own", runs: 2 },
  {
    name: "memory, words alone, by proximity",
    store: "memory",
    sees: "nothing",
    reranker: () => "proximity",
    runs: 1,
  },
  { name: "memory, a given model, reranked", store: "memory", sees: "given", reranker: wordReranker, runs: 1 },
  {
    name: "memory, words alone, a model that answers",
    store: "memory",
    sees: "nothing",
    chatModel: repeatingModel,
    runs: 1,
  },
  {
    name: "memory, the store's own model, retrievers around one another",
    store: "memory",
    sees: "own",
    retriever: compose(["dropDuplicates", "multiQuery", "diversify", "expandHits to neighbours"]).wrap,
    runs: 2,
  },
  {
    name: "SQLite, a given model, retrievers around one another",
    store: "SQLite",
    sees: "given",
    retriever: compose(["rewriteQuery", "hyde", "expandHits to sections", "compressHits"]).wrap,
    runs: 1,
  },
  { name: "SQLite, the store's own model", store: "SQLite", sees: "own", reranker: () => "proximity", runs: 1 },
  { name: "SQLite, a given model", store: "SQLite", sees: "given", reranker: wordReranker, runs: 1 },
  {
    name: "memory, with a leg that leaks, lags and ignores filters",
    store: "memory",
    sees: "given",
    compose: withRumours,
    runs: 2,
  },
];

describe("what a caller may not read moves nothing: hits, scores, order, counts, errors [T8 T25 T26 T27 L3 L11]", () => {
  it.each(subjects)("$name", { timeout: runs(120_000) }, async ({ runs: few, ...subject }) => {
    await fc.assert(
      fc.asyncProperty(anyWorld, async (world) => {
        const { given, expected } = await compareWorlds(subject, world);
        expect(given).toEqual(expected);
      }),
      { numRuns: runs(few) },
    );
  });
});

it("nor does the order of the counts of folders tell which kinds came first in hidden scopes [L3]", async () => {
  const countsAfter = async (hidden: readonly string[]): Promise<unknown> => {
    const kb = await openKnowledgeBase(await makeFolder({}));
    onTestFinished(() => kb.close());
    for (const uri of hidden) await kb.ingest([{ uri, text: "A heron." }], { scope: "team:other" });
    for (const uri of ["a.txt", "a.md", "a.csv"]) await kb.ingest([{ uri, text: "An ash." }]);
    return kb.folders({ scope: "deployment" });
  };
  const alone = await countsAfter([]);
  expect(alone).toMatchObject([{ ending: "csv" }, { ending: "md" }, { ending: "txt" }]);
  expect(await countsAfter(["b.md", "b.csv"])).toEqual(alone);
  expect(await countsAfter(["b.csv", "b.txt"])).toEqual(alone);
}, 30_000);

describe("a leg that shows something hidden is noticed [T26 L3]", () => {
  it.each(sample(Object.entries(accessFaults), 10))("%s", async (name, [noticedBy, sees, fault]) => {
    const notices = fc.asyncProperty(anyWorld, async (world) => {
      const { given, expected } = await compareWorlds(
        { name, store: "memory", sees },
        world,
        fault,
        undefined,
        noticedBy,
      );
      const differing = Object.keys(expected).filter((call) => !isDeepStrictEqual(given[call], expected[call]));
      return !differing.some((call) => call.split(" ")[1] === noticedBy);
    });
    const { failed, errorInstance } = await fc.check(notices, { seed: 20, numRuns: 60, endOnFailure: true });
    expect(failed, "no world noticed").toBe(true);
    // By what was given, not because something broke on the way.
    expect(String(errorInstance)).toContain("returning false");
  });

  it.each([
    ["a pattern that matches", widenedPatterns],
    ["copies that are looked for", widenedCopies],
  ])("but %s in every scope shows nothing hidden [L3]", async (_, fault) => {
    await fc.assert(
      fc.asyncProperty(anyWorld, async (world) => {
        const subject = { name: "", store: "memory", sees: "nothing" } as const;
        const { given, expected } = await compareWorlds(subject, world, fault, undefined, "search");
        expect(given).toEqual(expected);
      }),
      { numRuns: fewer(2, 10) },
    );
  });

  it("and a leg that is only taken apart and put together again is not [L3]", async () => {
    const taken = { raw: (raw: CompleteParts) => ({ ...raw }), view: (good: KnowledgeBase) => ({ ...good }) };
    await fc.assert(
      fc.asyncProperty(anyWorld, async (world) => {
        const { given, expected } = await compareWorlds({ name: "", store: "memory", sees: "own" }, world, taken);
        expect(given).toEqual(expected);
      }),
      { numRuns: fewer(1, 5) },
    );
  });
});
