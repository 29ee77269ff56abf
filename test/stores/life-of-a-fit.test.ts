import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CorpusModel } from "../../src/contracts/corpus-model.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import type { Store } from "../../src/contracts/store.ts";
import { corpusOf } from "../../src/engine/latent/latent-semantic-model.ts";
import { createRandom } from "../../src/testing/random.ts";
import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { fewer } from "../support/runs.ts";
import { type LatentFinds, searchLatent } from "../support/search-legs.ts";
import { entry, read, system, write } from "./build.ts";
import { eachStore } from "./each-store.ts";
import { topicEntries, topics, topicText, watchedModel } from "./topics.ts";

const deployment = write("deployment");
const board = write("team:board");
const least = 24;

/** Fits in steps of a quarter above 32 chunks, as the default one does in tenths above 20,000. */
function inSteps(live: number): number {
  let corpus = 32;
  if (live <= corpus) return live;
  for (let next = corpus; next <= live; next = Math.floor(next * 1.25)) corpus = next;
  return corpus;
}

const models: readonly (readonly [string, (live: number) => number])[] = [
  ["all chunks", (live) => live],
  ["steps of a quarter", inSteps],
];

const modelOf = (corpus: CorpusModel["corpusOf"]): CorpusModel => ({ ...watchedModel(least), corpusOf: corpus });

async function look(store: Store, ...scopes: Scope[]): Promise<unknown> {
  const from = read(...(scopes.length === 0 ? (["deployment"] as const) : scopes));
  const found: unknown[] = [];
  for (const text of ["sailor harbour", "yeast zanzibar", "zanzibar copper", "comet comet violin"]) {
    const { matches, ...facts } = await searchLatent(store, from, { text, topK: "all" });
    found.push([facts, matches.map(({ chunk, scope, score }) => [scope, chunk.id, score])]);
  }
  const { embeddingVersions, fit, chunks } = await store.status(from);
  return { found, embeddingVersions, fit, chunks };
}

/** One step of a history. Chunks are documents of one; those from {@link firstHidden} on are hidden in the end. */
type Step = readonly [what: "write" | "edit" | "delete" | "restore" | "purge" | "move" | "settle", chunk: number];

const firstHidden = 60;
const isHidden = (chunk: number): boolean => chunk >= firstHidden;
const idOf = (chunk: number): string => `c${String(chunk).padStart(4, "0")}`;

/** Words of a hidden chunk: some of their own, some of everybody's. */
const secretText = (chunk: number, secret: string): string => `${secret} copper ${topicText(chunk)}`;

async function act(store: Store, [what, chunk]: Step, secret: string): Promise<void> {
  const text = isHidden(chunk) ? secretText(chunk, secret) : topicText(chunk);
  const documentIds = [`of ${idOf(chunk)}`];
  if (what === "write") await writeChunks(store, deployment, [entry(idOf(chunk), text)]);
  else if (what === "edit") await writeChunks(store, deployment, [entry(idOf(chunk), `${text} tide`)]);
  else if (what === "restore") await store.trash!.restore(deployment, { documentIds });
  else if (what === "settle") await store.upkeep!.settle();
  else {
    await store.delete(deployment, { documentIds }, { purge: what === "purge" });
    if (what === "move") await writeChunks(store, board, [entry(idOf(chunk), text)]);
  }
}

const anyStep = fc.tuple(
  fc.constantFrom("write", "write", "edit", "delete", "restore", "purge", "move", "settle"),
  fc.integer({ min: 0, max: firstHidden + 11 }),
) as fc.Arbitrary<Step>;

interface History {
  readonly start: readonly Step[];
  readonly steps: readonly Step[];
  readonly ends: readonly Step[];
}

/** Enough to fit on, hidden ones among it; then anything; then every hidden chunk leaves. */
const anyHistory: fc.Arbitrary<History> = fc
  .tuple(
    fc.integer({ min: least, max: 50 }),
    fc.array(anyStep, { minLength: 4, maxLength: 24 }),
    fc.array(fc.constantFrom("delete" as const, "purge" as const, "move" as const), { minLength: 12, maxLength: 12 }),
  )
  .map(([many, steps, ends]) => {
    const start: Step[] = Array.from({ length: many }, (_, i) => ["write", i]);
    for (let i = 0; i < 6; i++) start.splice(i * 4, 0, ["write", firstHidden + i]);
    return {
      start: [...start, ["settle", 0]],
      steps,
      ends: ends.map((how, i): Step => [how, firstHidden + i]),
    };
  });

async function live(store: Store, history: readonly Step[], secret = "zanzibar"): Promise<void> {
  for (const step of history) await act(store, step, secret);
}

const withoutHidden = (steps: readonly Step[]): readonly Step[] =>
  steps.filter(([what, chunk]) => what === "settle" || !isHidden(chunk));

describe.each(eachStore)("a fit of the $name store", ({ name, open }) => {
  /** The engine is one: its histories run in memory, and a few over each directory. */
  const histories = (few: number, all: number): number => (name === "memory" ? fewer(few, all) : fewer(1, all / 4));
  it.each(models)(
    "of %s equals that of a store which never held what left its readers, to the bit [L3 L8 L11]",
    async (_, corpus) => {
      await fc.assert(
        fc.asyncProperty(anyHistory, async ({ start, steps, ends }) => {
          const store = await open({ corpusModel: modelOf(corpus) });
          await live(store, [...start, ...steps, ...ends]);
          const never = await open({ corpusModel: modelOf(corpus) });
          await live(never, withoutHidden([...start, ...steps]));
          for (const each of [store, never]) await each.upkeep!.settle();
          expect(await look(store)).toEqual(await look(never));
        }),
        { numRuns: histories(2, 40) },
      );
    },
  );

  it("does not tell, before it is settled, which document has left [L3]", async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async ({ start, steps, ends }) => {
        const seen: unknown[] = [];
        for (const secret of ["zanzibar", "unicorn unicorn harbour"]) {
          const store = await open({ corpusModel: modelOf((count) => count) });
          await live(store, start, secret);
          const hide = ends.slice(0, 6);
          await live(store, [...hide, ...withoutHidden(steps).filter(([what]) => what !== "settle")], secret);
          seen.push(await look(store));
        }
        expect(seen[0]).toEqual(seen[1]);
      }),
      { numRuns: histories(1, 20) },
    );
  });

  it("is one of the chunks that are there, in whatever order they came and were settled [L11]", async () => {
    const entries = topicEntries(0, 60);
    const outcome = async (order: readonly number[], batch: number): Promise<unknown> => {
      const store = await open({ corpusModel: modelOf((count) => count) });
      for (let at = 0; at < order.length; at += batch) {
        await writeChunks(
          store,
          deployment,
          order.slice(at, at + batch).map((i) => entries[i]!),
        );
        await store.upkeep!.settle();
      }
      return look(store);
    };
    const inOrder = entries.map((__, i) => i);
    const expected = await outcome(inOrder, 60);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(inOrder, { minLength: 60 }),
        fc.constantFrom(7, 13, 30),
        async (order, batch) => {
          expect(await outcome(order, batch)).toEqual(expected);
        },
      ),
      { numRuns: histories(1, 20) },
    );
  });

  it.each([
    ["deleted", {}],
    ["purged", { purge: true }],
  ])("is set aside when a document of it is %s, and made anew when the store settles [L3 L8]", async (_, how) => {
    const store = await open({ corpusModel: modelOf((count) => count) });
    await writeChunks(store, deployment, [...topicEntries(0, 40), entry("x", "zanzibar copper harbour")]);
    await writeChunks(store, board, [entry("own", "sailor harbour")]);
    await store.upkeep!.settle();
    await store.delete(deployment, { documentIds: ["of x"] }, how);
    const { matches, fitted } = await searchLatent(store, read("deployment"), { text: "zanzibar", topK: "all" });
    expect([fitted, matches]).toEqual([false, []]);
    expect((await store.status(read("deployment"))).fit).toMatchObject({ isDue: true, isSetAside: true });
    await store.upkeep!.settle();
    const never = await open({ corpusModel: modelOf((count) => count) });
    await writeChunks(never, deployment, topicEntries(0, 40));
    await writeChunks(never, board, [entry("own", "sailor harbour")]);
    await never.upkeep!.settle();
    expect(await look(store)).toEqual(await look(never));
    expect(await look(store, "team:board")).toEqual(await look(never, "team:board"));
  });

  it("stays in use when a document that came after it leaves, or one of it comes back [L7]", async () => {
    const model = watchedModel(least);
    const store = await open({ corpusModel: { ...model, corpusOf: inSteps } });
    await writeChunks(store, deployment, topicEntries(0, 33));
    await store.upkeep!.settle();
    await writeChunks(store, deployment, topicEntries(33, 36));
    await store.upkeep!.settle();
    const before = await look(store);
    await store.delete(deployment, { ids: ["c0034"] });
    expect((await store.status(read("deployment"))).fit).toMatchObject({
      isDue: false,
      isSetAside: false,
      foldedIn: 3,
    });
    await store.trash!.restore(deployment, { ids: ["c0034"] });
    expect(await look(store)).toEqual(before);
    await store.delete(deployment, { ids: ["c0001"] });
    expect((await store.status(read("deployment"))).fit).toMatchObject({ isSetAside: true });
    await store.trash!.restore(deployment, { ids: ["c0001"] });
    expect(await look(store)).toEqual(before);
    await store.upkeep!.settle();
    expect(await look(store)).toEqual(before);
    expect(model.fits).toBe(1);
  });

  it("goes when too few chunks are left, and the store is as before the first one [L8 L11]", async () => {
    const store = await open({ corpusModel: modelOf((count) => count) });
    await writeChunks(store, deployment, topicEntries(0, least));
    await store.upkeep!.settle();
    await store.delete(deployment, { ids: ["c0003"] }, { purge: true });
    await store.upkeep!.settle();
    const never = await open({ corpusModel: modelOf((count) => count) });
    await writeChunks(
      never,
      deployment,
      topicEntries(0, least).filter(({ chunk }) => chunk.id !== "c0003"),
    );
    await never.upkeep!.settle();
    expect(await look(store)).toEqual(await look(never));
    const { fitted, matches } = await searchLatent(store, read("deployment"), { text: "sailor", topK: "all" });
    expect([fitted, matches.length]).toEqual([false, least - 1]);
  });

  it("is described by the status to those who read what it is fitted on", async () => {
    const store = await open({ corpusModel: { ...watchedModel(least), corpusOf: inSteps } });
    const fit = async (...scopes: Scope[]) => (await store.status(read(...scopes))).fit;
    await writeChunks(store, board, topicEntries(0, 1));
    expect(await fit("deployment")).toBeUndefined();
    await writeChunks(store, deployment, topicEntries(0, 1));
    expect(await fit("deployment")).toEqual({ madeOf: 0, foldedIn: 0, refitAt: 24, isDue: false, isSetAside: false });
    await writeChunks(store, deployment, topicEntries(0, 30));
    await writeChunks(store, board, topicEntries(0, 9));
    expect(await fit("deployment")).toMatchObject({ madeOf: 0, refitAt: 31, isDue: true });
    await store.upkeep!.settle();
    expect(await fit("deployment", "team:board")).toEqual({
      madeOf: 30,
      foldedIn: 0,
      refitAt: 31,
      isDue: false,
      isSetAside: false,
    });
    await writeChunks(store, deployment, topicEntries(30, 44));
    await store.upkeep!.settle();
    expect(await fit("deployment")).toMatchObject({ madeOf: 40, foldedIn: 4, refitAt: 50, isDue: false });
    expect(await fit("team:board")).toBeUndefined();
    expect((await store.upkeep!.examine(system)).findings).toEqual([]);
  });
});

/** nDCG@10 of passages that say a topic in other words than the question, among passages of mixed words. */
async function ndcgOf(
  store: Store,
  queries: readonly { readonly text: string; readonly relevant: ReadonlySet<string> }[],
) {
  let sum = 0;
  for (const { text, relevant } of queries) {
    const { matches }: LatentFinds = await searchLatent(store, read("deployment"), { text, topK: 10 });
    let [gain, ideal] = [0, 0];
    for (let rank = 0; rank < 10; rank++) {
      const discount = 1 / Math.log2(rank + 2);
      if (relevant.has(matches[rank]?.chunk.id ?? "")) gain += discount;
      if (rank < relevant.size) ideal += discount;
    }
    sum += gain / ideal / queries.length;
  }
  return sum;
}

/** Passages of two words of a topic and two of anything, and questions of one word each; the relevant ones are of its topic and have not the word. */
function makeCorpus() {
  const random = createRandom(11);
  const all = topics.flat();
  const passages = Array.from({ length: 220 }, (_, i) => {
    const own = topics[i % topics.length]!;
    const words = [random.pick(own), random.pick(own), random.pick(own), random.pick(all), random.pick(all)];
    return { id: idOf(i), topic: i % topics.length, text: words.join(" "), words };
  });
  const queries = all.map((word, i) => {
    const topic = Math.floor(i / 10);
    const relevant = passages.filter((each) => each.topic === topic);
    return { text: word, relevant: new Set(relevant.map(({ id }) => id)) };
  });
  return { passages, queries };
}

describe("the order of ingestion", () => {
  const [memory] = eachStore;
  const { passages, queries } = makeCorpus();
  const orders = {
    "by topic": passages.toSorted((a, b) => a.topic - b.topic || (a.id < b.id ? -1 : 1)),
    "by topic, backwards": passages.toSorted((a, b) => b.topic - a.topic || (a.id < b.id ? 1 : -1)),
    mixed: passages,
  };
  const measure = async (corpus: CorpusModel["corpusOf"], order: typeof passages): Promise<number> => {
    const store = await memory!.open({ corpusModel: modelOf(corpus), segments: { sealAt: 64, settleAt: 16 } });
    for (let at = 0; at < order.length; at += 44) {
      await writeChunks(
        store,
        deployment,
        order.slice(at, at + 44).map(({ id, text }) => entry(id, text)),
      );
      await store.upkeep!.settle();
    }
    return ndcgOf(store, queries);
  };
  const spread = async (corpus: CorpusModel["corpusOf"]): Promise<number> => {
    const values: number[] = [];
    for (const order of Object.values(orders)) values.push(await measure(corpus, order));
    return Math.max(...values) - Math.min(...values);
  };

  it("moves nDCG@10 by .005 at most once the store has settled [L11]", async () => {
    expect(await spread(corpusOf)).toBeLessThanOrEqual(0.005);
  });

  it("would move it by more if a fit waited until the corpus has doubled", async () => {
    const doubled = (live: number): number => {
      let corpus = 44;
      while (2 * corpus <= live) corpus *= 2;
      return corpus;
    };
    expect(await spread(doubled)).toBeGreaterThan(0.005);
  });
});

describe("the number of chunks that a fit is made of", () => {
  it("is all of them up to the size of a sample, then grows in steps of a tenth", () => {
    expect([0, 1, 256, 20_000].map(corpusOf)).toEqual([0, 1, 256, 20_000]);
    expect([20_001, 21_999, 22_000, 24_199, 24_200].map(corpusOf)).toEqual([20_000, 20_000, 22_000, 22_000, 24_200]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), fc.nat(1_000_000), (live, more) => {
        expect(corpusOf(live)).toBeLessThanOrEqual(live);
        expect(corpusOf(live) * 1.1 + 1).toBeGreaterThanOrEqual(live);
        expect(corpusOf(live + more)).toBeGreaterThanOrEqual(corpusOf(live));
      }),
    );
  });
});
