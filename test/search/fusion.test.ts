import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { FusionName, FusionSettings, Hit } from "../../src/contracts/retriever.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { createFusion, type LegScale } from "../../src/search/fusions.ts";
import { createFakeEmbedder, createFakeStore, type FakeChunk, readAll } from "./fake-store.ts";

const shown = (hits: readonly Hit[]) => hits.map(({ chunkId, scope, score }) => [chunkId, scope, score]);

describe("formulas", () => {
  const lexical: LegScale = { weight: 1, scale: 5, half: 3, best: 12 };
  const dense: LegScale = { weight: 0.2, scale: 1, best: 0.8 };
  const part = (name: FusionName, leg: string, score: number, scale: LegScale, rank = 1) =>
    createFusion({ name }, true).part(leg, { score, rank }, scale);
  const settled = (settings: FusionSettings, leg: string, score: number, scale: LegScale, meaning = true) =>
    createFusion(settings, meaning).part(leg, { score, rank: 1 }, scale);

  it("best is half of each leg by its best score with a model, .95 words and .05 the store's own without one", () => {
    expect(part("best", "lexical", 3, lexical)).toBe(0.125);
    expect(part("best", "dense", 0.2, dense)).toBe(0.5 * (0.2 / 0.8));
    expect(part("best", "dense", 0.8, dense)).toBe(0.5);
    expect(part("best", "dense", -0.5, dense)).toBe(0);
    expect(part("best", "dense", -0.5, { ...dense, best: -0.5 })).toBe(0);
    expect(settled({ name: "best" }, "lexical", 12, lexical, false)).toBe(0.95);
    expect(settled({ name: "best" }, "latent", 0.4, dense, false)).toBe(0.05 * 0.5);
    expect(settled({ name: "best" }, "pattern", 0.8, dense, false)).toBe(0.5);
  });

  it("a weight of the caller takes the place of the fusion's, and half that of the leg's", () => {
    const weights = { lexical: 0.25 };
    expect(settled({ name: "best", weights }, "lexical", 6, lexical)).toBe(0.125);
    expect(settled({ name: "best", weights }, "dense", 0.8, dense)).toBe(0.5);
    expect(settled({ name: "absolute", weights }, "lexical", 5, lexical)).toBe(0.25);
    expect(settled({ name: "weighted", weights }, "lexical", 3, lexical)).toBe(0.125);
    expect(settled({ name: "rrf", weights }, "lexical", 3, lexical)).toBe(0.25 / 61);
    expect(settled({ name: "halves", half: 20 }, "lexical", 20, lexical)).toBe(0.25);
    expect(settled({ name: "halves", half: 20 }, "dense", 0.5, dense)).toBe(0.25);
  });

  it("absolute is BM25 over the length of the query's rarities, plus the cosine by its weight [T24 C10]", () => {
    expect(part("absolute", "lexical", 3, lexical)).toBe(0.6);
    expect(part("absolute", "dense", 0.5, dense)).toBe(0.1);
    expect(part("absolute", "dense", -0.5, dense)).toBe(0);
    expect(part("absolute", "lexical", 3, { ...lexical, scale: 0 })).toBe(0);
    expect(part("absolute", "latent", 0.5, { weight: 0.75, scale: 1, best: 1 })).toBe(0.375);
    expect(part("absolute", "pattern", 0.75, { weight: 1, scale: 1, best: 1 })).toBe(0.75);
  });

  it("weighted is 0.7 of the cosine and 0.3 of s / (s + 3) and of every other leg [T24 C10]", () => {
    expect(part("weighted", "dense", 0.5, dense)).toBe(0.35);
    expect(part("weighted", "dense", -1, dense)).toBe(-0.7);
    expect(part("weighted", "latent", 0.5, dense)).toBe(0.35);
    expect(part("weighted", "lexical", 3, lexical)).toBe(0.15);
    expect(part("weighted", "pattern", 0.75, { weight: 1, scale: 1, best: 1 })).toBe(0.3 * 0.75);
    expect(part("weighted", "a leg of one's own", 1, { weight: 9, scale: 9, best: 9 })).toBe(0.3);
  });

  it("halves is half of each leg, BM25 as s / (s + 3) [E56]", () => {
    expect(part("halves", "lexical", 9, lexical)).toBe(0.375);
    expect(part("halves", "dense", 0.5, dense)).toBe(0.25);
  });

  it("rrf is the sum of 1 / (60 + rank) [T23 C10]", () => {
    expect(part("rrf", "dense", 0.5, dense)).toBe(1 / 61);
    expect(part("rrf", "lexical", 3, lexical, 2)).toBe(1 / 62);
  });
});

describe("a pattern beside the query", () => {
  it("finds what the words do not, without a model too, and without a lexical index [E23 E26]", async () => {
    const chunks: readonly FakeChunk[] = [
      { id: "a", text: "ERR_7 and ERR_9", vector: [0, 1], start: 10 },
      { id: "b", text: "keys", vector: [0.5, 0] },
    ];
    const store = createFakeStore(chunks);
    const vectorsOnly = createFakeStore(chunks, { lacks: ["lexicalSearch"] });
    const { embedder } = createFakeEmbedder([1, 0]);
    const find = async (options: Parameters<typeof createRetriever>[0], more = {}) =>
      (await createRetriever(options).retrieve(readAll(), "keys", { pattern: "ERR_\\d", explain: true, ...more })).map(
        ({ chunkId, matches, explain, evidence }) => [
          chunkId,
          matches?.length,
          Object.keys(explain?.legs ?? {}).join(),
          evidence,
        ],
      );
    expect(await find({ store })).toEqual([
      ["b", undefined, "lexical", true],
      ["a", 2, "pattern", true],
    ]);
    expect(await find({ store, embedder })).toEqual([
      ["b", undefined, "lexical,dense", true],
      ["a", 2, "dense,pattern", true],
    ]);
    // The best by meaning and the best by pattern score alike, half each.
    expect(await find({ store: vectorsOnly, embedder })).toEqual([
      ["a", 2, "dense,pattern", true],
      ["b", undefined, "dense", true],
    ]);
    // What chance makes alike is left out; what the pattern matches is not left to chance.
    const form = createFakeEmbedder([1, 0], "form").embedder;
    expect((await find({ store, embedder: form })).map(([id]) => id)).toEqual(["b", "a"]);
    const noPatterns = createFakeStore(chunks, { lacks: ["regexSearch"] });
    await expect(find({ store: noPatterns, embedder })).rejects.toMatchObject({ code: "unsupported" });
  });

  it("shows in the snippet what it found, where the words found nothing [T45]", async () => {
    const text = `${"Filler about the tide. ".repeat(40)}ERR_1234 happened. ${"More of the tide. ".repeat(40)}`;
    const store = createFakeStore([{ id: "a", text }]);
    const [hit] = await createRetriever({ store }).retrieve(readAll(), "keys", { pattern: "ERR_\\d+" });
    expect(hit?.snippet).toContain("ERR_1234");
  });

  it("is one part of a reranked and a narrowed search like the others [T24 T26]", async () => {
    const store = createFakeStore([
      { id: "a", text: "ERR_1", metadata: { year: 1 } },
      { id: "b", text: "ERR_2", metadata: { year: 2 } },
      { id: "c", text: "ERR_3", scope: "team:a", metadata: { year: 2 } },
    ]);
    const retriever = createRetriever({ store });
    const hits = await retriever.retrieve(readAll(), "nothing", { pattern: "ERR_\\d", filter: { year: 2 } });
    expect(hits.map(({ chunkId }) => chunkId)).toEqual(["b"]);
  });

  it("asks its leg once, whatever the pools", async () => {
    const chunks = Array.from({ length: 300 }, (_, i) => ({ id: `c${i}`, text: "keys ERR", vector: [0.5, 0] }));
    const store = createFakeStore(chunks);
    await createRetriever({ store, embedder: createFakeEmbedder([1, 0]).embedder }).retrieve(readAll(), "keys", {
      topK: 1,
      pattern: "ERR",
    });
    expect(store.calls.filter(({ leg }) => leg === "regex")).toEqual([
      { leg: "regex", topK: "all", chunkIds: undefined },
    ]);
    expect(store.calls.filter(({ leg }) => leg === "dense").length).toBeGreaterThan(1);
  });
});

describe("choice", () => {
  const store = createFakeStore([{ id: "a", text: "keys", vector: [1, 0] }]);
  const fusionOf = async (similarity: "form" | "meaning", options = {}) => {
    const retriever = createRetriever({ store, embedder: createFakeEmbedder([1, 0], similarity).embedder });
    return (await retriever.retrieve(readAll(), "keys", { explain: true, ...options }))[0]?.explain?.fusion;
  };

  it("is best with every model, and weighs the words more for models that see form [C10]", async () => {
    expect(await fusionOf("form")).toBe("best");
    expect(await fusionOf("meaning")).toBe("best");
    expect(await fusionOf("meaning", { fusion: "rrf" })).toBe("rrf");
    const partsOf = async (similarity: "form" | "meaning", options = {}) => {
      const retriever = createRetriever({ store, embedder: createFakeEmbedder([1, 0], similarity).embedder });
      const [hit] = await retriever.retrieve(readAll(), "keys", { explain: true, ...options });
      return hit?.explain?.parts.map(({ name, value }) => `${name} ${value}`);
    };
    expect(await partsOf("form")).toEqual(["lexical 0.95", "dense 0.4"]);
    expect(await partsOf("meaning")).toEqual(["lexical 0.5", "dense 0.5"]);
    const weights = { lexical: 2, dense: 1 };
    expect(await partsOf("meaning", { weights })).toEqual(["lexical 2", "dense 1"]);
    expect(await partsOf("meaning", { fusion: { name: "best", weights } })).toEqual(["lexical 2", "dense 1"]);
  });

  it("refuses unknown names, wrong weights, legs that are not there, and half beside another fusion", async () => {
    const { embedder, asked } = createFakeEmbedder([1, 0]);
    const retriever = createRetriever({ store, embedder });
    const refused: readonly [options: object, sentence: RegExp][] = [
      [{ fusion: "magic" }, /fusion is "magic"; it must be one of best, absolute/u],
      [{ fusion: { name: "magic" } }, /fusion is an object/u],
      [{ fusion: { name: "best", weight: 1 } }, /fusion is an object/u],
      [{ fusion: { name: "halves", half: 0 } }, /fusion is an object/u],
      [{ fusion: { name: "best", half: 20 } }, /The fusion best takes no half/u],
      [{ weights: { lexical: -1 } }, /weights is an object; it must be a number from 0 for each leg/u],
      [{ weights: { lexical: 0, dense: 0 } }, /weights is an object/u],
      [{ weights: { lexical: Number.NaN } }, /weights is an object/u],
      [{ weights: {} }, /weights is an object/u],
      [{ fusion: { name: "best", weights: { lexical: 1 } }, weights: { lexical: 1 } }, /given twice/u],
      [{ minFusedScore: 0.5 }, /no meaning under the fusion best/u],
      [{ fusion: "best", minFusedScore: 0 }, /no meaning under the fusion best/u],
    ];
    for (const [options, message] of refused) {
      const error = await retriever.retrieve(readAll(), "keys", options).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "invalid-argument", message: expect.stringMatching(message) });
    }
    expect(asked).toEqual([]);
    await expect(retriever.retrieve(readAll(), "keys", { weights: { lexical: 1, words: 1 } })).rejects.toMatchObject({
      code: "invalid-argument",
      message: 'There is no leg "words" to weigh.',
    });
  });
});

describe("floors", () => {
  const chunks: readonly FakeChunk[] = [
    { id: "a", text: "other", vector: [0.5, 0] },
    { id: "b", text: "keys keys", vector: [0.25, 0] },
    { id: "c", text: "another", vector: [0.25, 0] },
  ];
  const retriever = createRetriever({ store: createFakeStore(chunks), embedder: createFakeEmbedder([1, 0]).embedder });

  it("minScore is inclusive and gates the dense leg alone [C8 C9 L5 T24]", async () => {
    const at = async (minScore: number) =>
      (await retriever.retrieve(readAll(), "keys", { minScore, explain: true })).map(({ chunkId, explain }) => [
        chunkId,
        explain?.legs.dense?.score,
      ]);
    expect(await at(0.25)).toEqual([
      ["b", 0.25],
      ["a", 0.5],
      ["c", 0.25],
    ]);
    expect(await at(0.3)).toEqual([
      ["a", 0.5],
      ["b", undefined],
    ]);
  });

  it("minFusedScore is inclusive and gates the fused score [C8 C9 L5]", async () => {
    const fusion = "weighted";
    const hits = await retriever.retrieve(readAll(), "keys", { fusion, minFusedScore: 0.35 });
    expect(hits.map(({ chunkId, score }) => [chunkId, score])).toEqual([["a", 0.35]]);
    expect(await retriever.retrieve(readAll(), "keys", { fusion, minFusedScore: 0.351 })).toEqual([]);
    expect(await retriever.retrieve(readAll(), "keys", { mode: "dense", minFusedScore: 0.5 })).toHaveLength(1);
  });

  it("a chunk that shares nothing with the query is no hit of absolute [L5]", async () => {
    const absolute = await retriever.retrieve(readAll(), "???", { fusion: "absolute", minScore: 0.6 });
    expect(absolute).toEqual([]);
  });
});

describe("ties", () => {
  it("break by uri, then scope [T28 L5 L11]", async () => {
    const chunks: readonly FakeChunk[] = ["team:b", "deployment", "team:a"].flatMap((scope) =>
      ["y", "x"].map((id) => ({ id, text: "same", vector: [1, 0], scope: scope as "deployment" })),
    );
    const scopes = readAll("deployment", "team:a", "team:b");
    const retriever = createRetriever({
      store: createFakeStore(chunks),
      embedder: createFakeEmbedder([1, 0]).embedder,
    });
    for (const mode of ["hybrid", "dense", "lexical", "regex"] as const) {
      const hits = await retriever.retrieve(scopes, "same", { mode, topK: "all", copies: "all" });
      expect(hits.map(({ chunkId, scope }) => `${chunkId} ${scope}`)).toEqual([
        "x deployment",
        "x team:a",
        "x team:b",
        "y deployment",
        "y team:a",
        "y team:b",
      ]);
    }
  });
});

const words = ["key", "rotate", "backup", "night", "plan", "team"];
const corpora = fc.array(
  fc.record({
    text: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((list) => list.join(" ")),
    vector: fc.option(
      fc.tuple(fc.integer({ min: -10, max: 10 }), fc.integer({ min: -10, max: 10 })).map(([x, y]) => [x / 10, y / 10]),
      { nil: undefined },
    ),
    scope: fc.constantFrom("deployment" as const, "team:a" as const),
  }),
  { minLength: 1, maxLength: 90 },
);
const asChunks = (
  corpus: readonly { text: string; vector: number[] | undefined; scope: "deployment" | "team:a" }[],
): FakeChunk[] =>
  // Ids repeat across scopes, as they may.
  corpus.map(({ text, vector, scope }, index) => ({
    id: `c${Math.floor(index / 2)}-${scope === "deployment" ? index % 2 : 0}`,
    text,
    scope,
    ...(vector && { vector }),
  }));
const distinct = (chunks: FakeChunk[]): FakeChunk[] => [
  ...new Map(chunks.map((chunk) => [`${chunk.scope} ${chunk.id}`, chunk])).values(),
];

describe("exactness", () => {
  it("the first hits are those of fusing both legs whole, however small the pools [C10 T28 L11]", async () => {
    await fc.assert(
      fc.asyncProperty(
        corpora,
        fc.constantFrom("best" as const, "absolute" as const, "weighted" as const),
        fc.integer({ min: 1, max: 12 }),
        fc.option(fc.constantFrom(0, 0.3), { nil: undefined }),
        fc.option(fc.constantFrom("key", "t", "e.", "rotate|night"), { nil: undefined }),
        async (corpus, fusion, topK, minScore, pattern) => {
          const store = createFakeStore(distinct(asChunks(corpus)));
          const retriever = createRetriever({ store, embedder: createFakeEmbedder([1, 0]).embedder });
          const options = {
            fusion,
            explain: true,
            ...(minScore !== undefined && { minScore }),
            ...(pattern !== undefined && { pattern }),
          };
          const scopes = readAll("deployment", "team:a");
          const all = await retriever.retrieve(scopes, "rotate key tonight", { ...options, topK: "all" });
          const some = await retriever.retrieve(scopes, "rotate key tonight", { ...options, topK });
          expect(shown(some)).toEqual(shown(all.slice(0, topK)));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("asks each leg for what the other found, and grows pools that are too small to be sure [C10 T28]", async () => {
    // The best of the fusion stands at place 60 of both legs: neither first pool of 32 holds it.
    const chunks: FakeChunk[] = [];
    for (let index = 0; index < 60; index += 1) {
      chunks.push({ id: `d${index}`, text: "nothing", vector: [0.9, 0] });
      chunks.push({ id: `l${index}`, text: "keys keys keys keys", vector: [-1, 0] });
    }
    chunks.push({ id: "both", text: "keys keys keys", vector: [0.89, 0] });
    const store = createFakeStore(chunks);
    const hits = await createRetriever({ store, embedder: createFakeEmbedder([1, 0]).embedder }).retrieve(
      readAll(),
      "keys",
      { topK: 1 },
    );
    expect(hits[0]?.chunkId).toBe("both");
    expect(store.calls.filter(({ chunkIds }) => !chunkIds).map(({ leg, topK }) => `${leg} ${String(topK)}`)).toEqual([
      "lexical 32",
      "dense 32",
      "lexical 128",
      "dense 128",
    ]);
  });

  it("parts add up to the score, terms to the lexical leg's, in their order [L5 L11 B33]", async () => {
    await fc.assert(
      fc.asyncProperty(
        corpora,
        fc.constantFrom("hybrid" as const, "dense" as const, "lexical" as const, "regex" as const),
        fc.constantFrom("best" as const, "absolute" as const, "weighted" as const, "halves" as const, "rrf" as const),
        async (corpus, mode, fusion) => {
          const store = createFakeStore(distinct(asChunks(corpus)));
          const retriever = createRetriever({ store, embedder: createFakeEmbedder([0.6, 0.8]).embedder });
          const query = mode === "regex" ? "key" : "rotate the key";
          const hits = await retriever.retrieve(readAll("deployment", "team:a"), query, {
            mode,
            fusion,
            topK: 20,
            explain: true,
          });
          for (const [index, hit] of hits.entries()) {
            const explain = hit.explain;
            expect(explain?.parts.reduce((sum, { value }) => sum + value, 0)).toBe(hit.score);
            expect(explain?.terms.reduce((sum, { score }) => sum + score, 0)).toBe(explain?.legs.lexical?.score ?? 0);
            expect(hit.rank).toBe(index + 1);
            expect(Number.isFinite(hit.score)).toBe(true);
            expect(hit.score).toBeLessThanOrEqual(hits[index - 1]?.score ?? Number.POSITIVE_INFINITY);
          }
        },
      ),
      { numRuns: 120 },
    );
  });

  it("a negative cosine counts less than no vector at all, and still comes out exact [L5 C7]", async () => {
    const store = createFakeStore([
      { id: "a", text: "keys", vector: [-1, 0] },
      { id: "b", text: "keys" },
      { id: "c", text: "keys", vector: [1, 0] },
    ]);
    const retriever = createRetriever({ store, embedder: createFakeEmbedder([1, 0]).embedder });
    const find = async (fusion: FusionName) =>
      (await retriever.retrieve(readAll(), "keys", { fusion, copies: "all" })).map(({ chunkId, score }) => [
        chunkId,
        score,
      ]);
    expect((await find("weighted")).map(([id]) => id)).toEqual(["c", "b", "a"]);
    // Divided by the leg's best, it counts nothing.
    expect(await find("best")).toEqual([
      ["c", 1],
      ["a", 0.5],
      ["b", 0.5],
    ]);
  });
});
