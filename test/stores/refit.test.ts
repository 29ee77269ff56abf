import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { searchLatent, searchVectors } from "../support/search-legs.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CorpusModel } from "../../src/contracts/corpus-model.ts";
import type { EmbeddingVersion } from "../../src/contracts/embedding.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { WordQuery, LatentFinds } from "../support/search-legs.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { sampleForFit } from "../../src/engine/latent/sample-for-fit.ts";
import { collect, documentEntry, entry, read, system, three, write } from "./build.ts";
import { eachStore } from "./each-store.ts";
import { topicEntries, watchedModel } from "./topics.ts";
import { fewer } from "../support/runs.ts";

const from = read("deployment");
const into = write("deployment");

function find(store: Store, query: WordQuery, ...scopes: Scope[]): Promise<LatentFinds> {
  return searchLatent(store, scopes.length === 0 ? from : read(...scopes), { topK: "all", ...query });
}

const scoresOf = ({ matches }: LatentFinds): unknown =>
  matches.map(({ chunk, scope, score }) => [scope, chunk.id, score]);

/** Versions of the store's own, with the chunks that have a vector of each. */
async function ownVersions(store: Store, ...scopes: Scope[]): Promise<(EmbeddingVersion & { chunks: number })[]> {
  const { embeddingVersions } = await store.status(scopes.length === 0 ? from : read(...scopes));
  return embeddingVersions.filter(({ provider, model }) => provider === "ibid" && model === "latent-semantic");
}

/** Every chunk has one vector, of the space that is searched. */
async function expectWhole(store: Store, chunks: number, ...scopes: Scope[]): Promise<void> {
  const { version, matches } = await find(store, { text: "anchor" }, ...scopes);
  expect(await ownVersions(store, ...scopes)).toEqual([{ ...version, chunks }]);
  expect(matches).toHaveLength(chunks);
}

describe.each(eachStore)("when the $name store fits its model", ({ open }) => {
  it("not below the threshold; at it; then when it would be made of more chunks, and not in between [L11]", async () => {
    const model = watchedModel(40);
    const corpusOf = (live: number): number => Math.floor(live / 40) * 40;
    // Spread, the count of fits would be copied.
    const store = await open({ corpusModel: Object.assign(Object.create(model) as typeof model, { corpusOf }) });
    await writeChunks(store, into, topicEntries(0, 39));
    await store.upkeep!.settle();
    expect(model.fits).toBe(0);
    expect(await find(store, { text: "anchor" })).toMatchObject({ fitted: false });
    await writeChunks(store, into, topicEntries(39, 40));
    await store.upkeep!.settle();
    expect(model.fits).toBe(1);
    const first = await find(store, { text: "anchor" });
    expect(first).toMatchObject({ fitted: true });
    await store.upkeep!.settle();
    await writeChunks(store, into, topicEntries(40, 79));
    await store.upkeep!.settle();
    expect(model.fits).toBe(1);
    expect((await find(store, { text: "anchor" })).version).toEqual(first.version);
    await expectWhole(store, 79);
    await writeChunks(store, into, topicEntries(79, 80));
    await store.upkeep!.settle();
    expect(model.fits).toBe(2);
    expect((await find(store, { text: "anchor" })).version.fingerprint).not.toBe(first.version.fingerprint);
    await expectWhole(store, 80);
  });

  it("counts live chunks of the deployment alone, and folds other scopes in [L3]", async () => {
    const model = watchedModel(20);
    const store = await open({ corpusModel: model });
    await writeChunks(store, write("team:north"), topicEntries(0, 40));
    await writeChunks(store, into, topicEntries(0, 24));
    await store.delete(into, { ids: topicEntries(0, 5).map(({ chunk }) => chunk.id) });
    await store.upkeep!.settle();
    expect(model.fits).toBe(0);
    await store.trash!.restore(into, { ids: ["c0000"] });
    await store.upkeep!.settle();
    expect(model.fits).toBe(1);
    await expectWhole(store, 40, "team:north");
    await expectWhole(store, 20);
    await store.trash!.restore(into, { ids: ["c0001"] });
    await expectWhole(store, 21);
  });

  it("in what order and what segments chunks came does not matter [L11]", async () => {
    // Of two languages, and more than the sample takes.
    const entries = topicEntries(0, 32).map(({ chunk, embeddings }, i) => ({
      chunk: { ...chunk, language: i % 5 === 0 ? "de" : "en" },
      embeddings,
    }));
    const corpusModel: CorpusModel = { ...watchedModel(32), sample: (chunks) => sampleForFit(chunks, 20) };
    const outcome = async (order: readonly number[], batch: number, sealAt: number) => {
      const store = await open({ corpusModel, segments: { sealAt, settleAt: 5 } });
      for (let at = 0; at < order.length; at += batch) {
        await writeChunks(
          store,
          into,
          order.slice(at, at + batch).map((i) => entries[i]!),
        );
      }
      await store.upkeep!.settle();
      const { version, energy, weight, matches } = await find(store, { text: "sailor harbour yeast" });
      return { version, energy, weight, scores: matches.map(({ chunk, score }) => [chunk.id, score]) };
    };
    const inOrder = entries.map((_, i) => i);
    const expected = await outcome(inOrder, 32, 1024);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(inOrder, { minLength: 32 }),
        fc.constantFrom(1, 3, 7, 32),
        fc.constantFrom(2, 9, 1024),
        async (order, batch, sealAt) => {
          expect(await outcome(order, batch, sealAt)).toEqual(expected);
        },
      ),
      { numRuns: fewer(2, 8) },
    );
  });
});

describe.each(eachStore)("while the $name store fits its model", ({ open }) => {
  it("searches answer from the old space until it changes over [L7 L11]", async () => {
    const asked: Promise<LatentFinds>[] = [];
    const model = watchedModel(30, () => asked.push(find(store, { text: "sailor harbour" })));
    const store = await open({ corpusModel: model });
    await writeChunks(store, into, topicEntries(0, 40));
    const before = await find(store, { text: "sailor harbour" });
    await store.upkeep!.settle();
    const unfitted = (await Promise.all(asked)).filter(({ fitted }) => !fitted);
    // The last ones may come after the change-over.
    expect(unfitted.length).toBeGreaterThan(0);
    for (const result of unfitted) expect(result).toEqual(before);
    expect(await find(store, { text: "sailor harbour" })).toMatchObject({ fitted: true });
  });

  it("what is written, changed, deleted, restored and purged meanwhile ends in the new space, whole [L8]", async () => {
    const steps: (() => Promise<unknown>)[] = [
      () => writeChunks(store, into, topicEntries(40, 47)),
      () => writeChunks(store, into, [entry("c0001", "flour gravity gravity"), entry("c0020", "tempo")]),
      () => store.delete(into, { ids: ["c0002", "c0003", "c0041"] }),
      () => writeChunks(store, write("user:ada"), [entry("own", "anchor keel")]),
      () => store.trash!.restore(into, { ids: ["c0003"] }),
      () => store.delete(into, { ids: ["c0004", "c0005"] }, { purge: true }),
      () => writeChunks(store, into, topicEntries(47, 49)),
    ];
    // One after the other, because a store may do calls that nobody waited for in any order.
    let done: Promise<unknown> = Promise.resolve();
    const model = watchedModel(30, () => {
      const step = steps.shift();
      if (step !== undefined) done = done.then(step);
    });
    const store = await open({ corpusModel: model });
    await writeChunks(store, into, topicEntries(0, 40));
    await store.upkeep!.settle();
    for (const step of steps.splice(0)) done = done.then(step);
    await done;
    expect(model.fits).toBe(1);
    await store.upkeep!.settle();
    await expectWhole(store, 40 + 7 + 2 - 2 - 2);
    await expectWhole(store, 1, "user:ada");
    await store.trash!.restore(into, { ids: ["c0002", "c0041"] });
    await expectWhole(store, 47);
    // As if its text had always been that.
    await writeChunks(store, into, [entry("z", "flour gravity gravity")]);
    const { matches } = await find(store, { text: "flour gravity", chunkIds: ["c0001", "z"] });
    expect(matches.map(({ chunk }) => chunk.id)).toEqual(["c0001", "z"]);
    expect(matches[0]?.score).toBe(matches[1]?.score);
  });

  it("a stop leaves what was there, and the next one fits", async () => {
    const model = watchedModel(30);
    const store = await open({ corpusModel: model });
    await writeChunks(store, into, topicEntries(0, 40));
    const look = async () => [
      await find(store, { text: "sailor harbour" }),
      await store.status(from),
      await collect(store.chunks(from, { includeEmbeddings: true })),
    ];
    const before = await look();
    const shares: number[] = [];
    for (const stopAt of [0, 1, 2, 3]) {
      const controller = new AbortController();
      const settling = store.upkeep!.settle({
        signal: controller.signal,
        onProgress: (share) => {
          shares.push(share);
          if (shares.length > stopAt) controller.abort();
        },
      });
      await expect(settling).rejects.toMatchObject({ code: "aborted" });
      expect(await look()).toEqual(before);
      shares.length = 0;
    }
    await store.upkeep!.settle({ onProgress: (share) => shares.push(share) });
    expect(shares.length).toBeGreaterThan(0);
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    await expectWhole(store, 40);
    expect(await find(store, { text: "anchor" })).toMatchObject({ fitted: true });
  });

  it("a stop while chunks move leaves what was there, and the next one finishes", async () => {
    const controller = new AbortController();
    const model = watchedModel(30);
    let moved = 0;
    const store = await open({
      corpusModel: {
        ...model,
        projector(space, textOf) {
          const project = model.projector(space, textOf);
          return (terms) => {
            if (space.dimensions > 0 && ++moved === 10) controller.abort();
            return project(terms);
          };
        },
      },
    });
    for (let i = 0; i < 40; i++) await writeChunks(store, into, topicEntries(i, i + 1));
    const look = async () => [
      await find(store, { text: "sailor harbour" }),
      await store.status(from),
      await collect(store.chunks(from, { includeEmbeddings: true })),
    ];
    const before = await look();
    await expect(store.upkeep!.settle({ signal: controller.signal })).rejects.toMatchObject({ code: "aborted" });
    expect(moved).toBeGreaterThanOrEqual(10);
    expect(await look()).toEqual(before);
    await store.upkeep!.settle();
    await expectWhole(store, 40);
    expect(await find(store, { text: "anchor" })).toMatchObject({ fitted: true });
  });

  it("a fit that fails leaves what was there", async () => {
    const model = watchedModel(30);
    let fails = true;
    const store = await open({
      corpusModel: {
        ...model,
        async *fit(chunks) {
          yield 0;
          if (fails) throw new Error("no memory");
          return yield* model.fit(chunks);
        },
      },
    });
    await writeChunks(store, into, topicEntries(0, 40));
    const before = await find(store, { text: "sailor" });
    await expect(store.upkeep!.settle()).rejects.toThrow("no memory");
    expect(await find(store, { text: "sailor" })).toEqual(before);
    fails = false;
    await store.upkeep!.settle();
    await expectWhole(store, 40);
  });

  it("two at once come to one space", async () => {
    const store = await open({ corpusModel: watchedModel(30) });
    await writeChunks(store, into, topicEntries(0, 40));
    await Promise.all([store.upkeep!.settle(), store.upkeep!.settle(), store.upkeep!.settle()]);
    await expectWhole(store, 40);
    expect(await find(store, { text: "anchor" })).toMatchObject({ fitted: true });
  });

  it("the outcome is that of a store to which the same was done without a fit under way [L11]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          // A fit leaves out words that were taken away while it ran, and a later one would have kept them: changes and purges have tests of their own.
          fc.tuple(fc.constantFrom("write", "delete", "restore"), fc.integer({ min: 0, max: 59 })),
          { maxLength: 12 },
        ),
        async (plan) => {
          const act = async (store: Store, [what, i]: readonly [string, number]) => {
            const [made] = topicEntries(i, i + 1);
            const ids = [made!.chunk.id];
            if (what === "write") await writeChunks(store, into, [made!]);
            else if (what === "restore") await store.trash!.restore(into, { ids });
            else await store.delete(into, { ids });
          };
          const pending = [...plan];
          let last: Promise<void> = Promise.resolve();
          const store = await open({
            corpusModel: watchedModel(20, () => {
              const step = pending.shift();
              if (step !== undefined) last = last.then(() => act(store, step));
            }),
          });
          await writeChunks(store, into, topicEntries(0, 24));
          await store.upkeep!.settle();
          for (const step of pending.splice(0)) last = last.then(() => act(store, step));
          await last;
          await store.upkeep!.settle();

          const plain = await open({ corpusModel: watchedModel(20) });
          await writeChunks(plain, into, topicEntries(0, 24));
          await plain.upkeep!.settle();
          for (const step of plan) await act(plain, step);
          await plain.upkeep!.settle();
          for (const text of ["sailor harbour", "yeast", "comet comet violin"]) {
            expect(scoresOf(await find(store, { text }))).toEqual(scoresOf(await find(plain, { text })));
          }
          expect(await ownVersions(store)).toEqual(await ownVersions(plain));
        },
      ),
      { numRuns: fewer(2, 10) },
    );
  });
});

describe.each(eachStore)("a chunk of the $name store whose names change", ({ open }) => {
  it("keeps the vectors that it came with, and gets one of the store's own anew [L6]", async () => {
    const embed = (text: string): number[] => [text.length, 1, 2];
    for (const segments of [
      { sealAt: 1, settleAt: 1 },
      { sealAt: 64, settleAt: 64 },
    ]) {
      const store = await open({ corpusModel: watchedModel(30), segments });
      await store.replace(into, documentEntry("d", ["anchor keel"], { embed, document: { title: "Bread" } }));
      await store.replace(into, documentEntry("d", ["anchor keel"], { document: { title: "Sonata" } }));
      await store.replace(into, documentEntry("e", ["anchor keel"], { document: { title: "Sonata" } }));
      const { matches } = await find(store, { text: "sonata anchor" });
      expect(matches.map(({ chunk }) => chunk.id)).toEqual(["d-anchor", "e-anchor"]);
      expect(matches[0]?.score).toBe(matches[1]?.score);
      await expectWhole(store, 2);
      const kept = await searchVectors(store, from, { embedding: [11, 1, 2], version: three, topK: "all" });
      expect(kept.map(({ chunk }) => chunk.id)).toEqual(["d-anchor"]);
    }
  });
});

describe.each(eachStore)("what the $name store's space knows", ({ open }) => {
  it("loses a word with its last chunk, whoever else has it [L3 L8]", async () => {
    const knows = async (store: Store) => (await find(store, { text: "unicornword" })).energy;
    const run = async (elsewhere: string) => {
      const store = await open({ corpusModel: watchedModel(30) });
      await writeChunks(store, into, topicEntries(0, 40));
      await writeChunks(store, into, [entry("u1", "unicornword anchor"), entry("u2", "unicornword keel sailor")]);
      await writeChunks(store, into, [entry("u3", "unicornword sailor")]);
      await writeChunks(store, write("user:ada"), [entry("own", elsewhere)]);
      await store.upkeep!.settle();
      expect(await knows(store)).toBeGreaterThan(0);
      await store.delete(into, { ids: ["u1"] }, { purge: true });
      await store.upkeep!.settle();
      expect(await knows(store)).toBeGreaterThan(0);
      await store.delete(into, { ids: ["u2", "u3"] });
      expect(await knows(store)).toBe(0);
      await store.upkeep!.settle();
      expect(await knows(store)).toBe(0);
      await store.trash!.vacuum(system, { olderThanMs: 0 });
      expect(await knows(store)).toBe(0);
      await expectWhole(store, 40);
      return find(store, { text: "unicornword anchor" });
    };
    expect(await run("unicornword")).toEqual(await run("tide"));
  });

  it("is nothing once all that it was fitted on is gone, and other scopes are found as before any fit [L3 L8]", async () => {
    for (const wipe of ["scope", "chunks"]) {
      const store = await open({ corpusModel: watchedModel(30) });
      const own = write("user:ada");
      await writeChunks(store, own, [entry("own", "anchor rigging"), entry("other", "flour")]);
      await writeChunks(store, own, [entry("third", "yeast")]);
      const before = await find(store, { text: "anchr riging" }, "user:ada");
      await writeChunks(store, into, topicEntries(0, 40));
      await store.upkeep!.settle();
      expect(await find(store, { text: "anchor" }, "user:ada")).toMatchObject({ fitted: true });
      if (wipe === "scope") await store.delete(into, { scope: true });
      else await store.delete(into, { ids: topicEntries(0, 40).map(({ chunk }) => chunk.id) }, { purge: true });
      expect(await find(store, { text: "anchr riging" }, "user:ada")).toEqual(before);
      await expectWhole(store, 3, "user:ada");
      await writeChunks(store, into, topicEntries(0, 30));
      await store.upkeep!.settle();
      expect(await find(store, { text: "anchor" }, "user:ada")).toMatchObject({ fitted: true });
      await expectWhole(store, 3, "user:ada");
    }
  });

  it("a word purged while chunks move to the space does not come back, nor is the fit lost [L8]", async () => {
    let purging: Promise<unknown> | undefined;
    const model = watchedModel(30);
    const store = await open({
      corpusModel: {
        ...model,
        projector(space, textOf) {
          const project = model.projector(space, textOf);
          return (terms) => {
            if (space.dimensions > 0) purging ??= store.delete(into, { ids: ["u1", "u2"] }, { purge: true });
            return project(terms);
          };
        },
      },
    });
    await writeChunks(store, into, topicEntries(0, 40));
    await writeChunks(store, into, [entry("u1", "unicornword anchor"), entry("u2", "unicornword keel sailor")]);
    for (let i = 40; i < 48; i++) await writeChunks(store, into, topicEntries(i, i + 1));
    await store.upkeep!.settle();
    expect(purging).toBeDefined();
    await purging;
    expect((await find(store, { text: "unicornword" })).energy).toBe(0);
    await store.upkeep!.settle();
    expect(await find(store, { text: "unicornword" })).toMatchObject({ fitted: true, energy: 0 });
    await expectWhole(store, 48);
  });

  it("a word purged while it is fitted does not come back [L8]", async () => {
    let purging: Promise<unknown> | undefined;
    const model = watchedModel(30, () => {
      purging ??= store.delete(into, { ids: ["u1", "u2"] }, { purge: true });
    });
    const store = await open({ corpusModel: model });
    await writeChunks(store, into, topicEntries(0, 40));
    await writeChunks(store, into, [entry("u1", "unicornword anchor"), entry("u2", "unicornword keel sailor")]);
    await store.upkeep!.settle();
    await purging;
    await store.upkeep!.settle();
    expect(await find(store, { text: "unicornword" })).toMatchObject({ fitted: true, energy: 0 });
    await expectWhole(store, 40);
  });
});
