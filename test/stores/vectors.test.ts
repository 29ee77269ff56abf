import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { searchPattern, searchVectors, searchWords } from "../support/search-legs.ts";
import { openKnowledgeBase } from "ibid";
import { describe, expect, it } from "vitest";
import type { EmbeddingVersion } from "../../src/contracts/embedding.ts";
import { createInMemoryVectorStore } from "../../src/integrations/compat/vector-store.ts";
import { chunk, entry, read, three, two, write } from "./build.ts";
import { eachStore } from "./each-store.ts";

const into = write("deployment");
const from = read("deployment");

describe.each(eachStore)("vectors in $name", ({ open }) => {
  it("scores by the cosine, from 1 to -1, with rawScore the same [W8 T7 B19 E24]", async () => {
    const store = await open();
    await writeChunks(store, into, [
      entry("same", "x", [2, 0]),
      entry("half", "x", [1, Math.sqrt(3)]),
      entry("right", "x", [0, 5]),
      entry("against", "x", [-1, 0]),
      entry("zero", "x", [0, 0]),
    ]);
    const matches = await searchVectors(store, from, {
      embedding: [1, 0],
      version: { ...three, dimensions: 2 },
      topK: "all",
    });
    expect(matches.map(({ chunk: { id } }) => id)).toEqual(["same", "half", "right", "zero", "against"]);
    expect(matches.map(({ score }) => score)).toEqual([1, expect.closeTo(0.5, 7), 0, 0, -1]);
    expect(matches.every(({ score, rawScore }) => score === rawScore)).toBe(true);
  });

  it("a zero query is near nothing, and nothing is ever NaN [L5 W15]", async () => {
    const store = await open();
    await writeChunks(store, into, [entry("b", "x", [1, 0]), entry("a", "x", [0, 0])]);
    const matches = await searchVectors(store, from, { embedding: [0, 0], version: { ...three, dimensions: 2 } });
    expect(matches.map(({ chunk: { id }, score }) => [id, score])).toEqual([
      ["a", 0],
      ["b", 0],
    ]);
  });

  it("puts the nearest first by Euclidean distance, and hands out no distance as a score [B28 L5]", async () => {
    const store = await open();
    await writeChunks(store, into, [entry("far", "x", [6, 8]), entry("near", "x", [3, 4]), entry("here", "x", [0, 0])]);
    const query = { embedding: [0, 0], version: { ...three, dimensions: 2 }, metric: "euclidean" as const };
    const matches = await searchVectors(store, from, query);
    expect(matches.map(({ chunk: { id }, score, rawScore }) => [id, score, rawScore])).toEqual([
      ["here", 1, 0],
      ["near", 1 / 6, 5],
      ["far", 1 / 11, 10],
    ]);
    expect((await searchVectors(store, from, { ...query, minScore: 1 / 6 })).map(({ chunk: { id } }) => id)).toEqual([
      "here",
      "near",
    ]);
  });

  it("scores by the dot product, longer being better [B28]", async () => {
    const store = await open();
    await writeChunks(store, into, [
      entry("short", "x", [1, 1]),
      entry("long", "x", [4, 3]),
      entry("minus", "x", [-2, 0]),
    ]);
    const matches = await searchVectors(store, from, {
      embedding: [2, 1],
      version: { ...three, dimensions: 2 },
      metric: "dot",
    });
    expect(matches.map(({ chunk: { id }, score }) => [id, score])).toEqual([
      ["long", 11],
      ["short", 3],
      ["minus", -4],
    ]);
  });

  it("keeps and searches sparse vectors, and hybrid ones by the sum of both parts [B12]", async () => {
    const store = await open();
    const sparse: EmbeddingVersion = { provider: "test", model: "sparse", dimensions: 0, fingerprint: "" };
    const hybrid: EmbeddingVersion = { provider: "test", model: "hybrid", dimensions: 2, fingerprint: "" };
    const make = (id: string, indices: number[], values: number[], dense: number[]) => ({
      chunk: chunk(id, id),
      embeddings: [
        { version: sparse, embedding: { indices, values } },
        { version: hybrid, embedding: { dense, sparse: { indices, values } } },
      ],
    });
    await writeChunks(store, into, [
      make("a", [1, 7], [3, 4], [0, 1]),
      make("b", [7, 900_000], [4, 3], [1, 0]),
      make("c", [], [], [1, 0]),
    ]);
    const query = { indices: [7], values: [2] };
    const byDot = await searchVectors(store, from, { embedding: query, version: sparse, metric: "dot" });
    expect(byDot.map(({ chunk: { id }, score }) => [id, score])).toEqual([
      ["a", 8],
      ["b", 8],
      ["c", 0],
    ]);
    const byBoth = await searchVectors(store, from, {
      embedding: { dense: [1, 0], sparse: query },
      version: hybrid,
      includeEmbeddings: true,
    });
    expect(byBoth.map(({ chunk: { id }, score }) => [id, score])).toEqual([
      ["b", expect.closeTo(1.8, 12)],
      ["c", 1],
      ["a", expect.closeTo(0.8, 12)],
    ]);
    expect(byBoth[0]?.embedding).toEqual({
      dense: Float32Array.of(1, 0),
      sparse: { indices: Uint32Array.of(7, 900_000), values: Float32Array.of(4, 3) },
    });
    const distant = await searchVectors(store, from, {
      embedding: { indices: [1], values: [3] },
      version: sparse,
      metric: "euclidean",
      topK: 1,
    });
    expect(distant.map(({ chunk: { id }, rawScore }) => [id, rawScore])).toEqual([["c", 3]]);
  });

  it("compares only vectors of the version that is asked for, also while there are two [L6 T19]", async () => {
    const store = await open();
    const later: EmbeddingVersion = { ...two, fingerprint: "later" };
    await writeChunks(store, into, [
      { chunk: chunk("old", "x"), embeddings: [{ version: two, embedding: [1, 0] }] },
      { chunk: chunk("new", "x"), embeddings: [{ version: later, embedding: [1, 0] }] },
      {
        chunk: chunk("both", "x"),
        embeddings: [
          { version: two, embedding: [0, 1] },
          { version: later, embedding: [1, 0] },
        ],
      },
    ]);
    const found = async (version: EmbeddingVersion) =>
      (await searchVectors(store, from, { embedding: [1, 0], version })).map(({ chunk: { id }, score }) => [id, score]);
    expect(await found(two)).toEqual([
      ["old", 1],
      ["both", 0],
    ]);
    expect(await found(later)).toEqual([
      ["both", 1],
      ["new", 1],
    ]);
    expect(await found({ ...two, model: "unknown" })).toEqual([]);
    expect((await store.status(from)).embeddingVersions).toEqual([
      { ...two, chunks: 2 },
      { ...later, chunks: 2 },
    ]);
  });

  it("gives every match that a filter leaves, however far down it is [L4 W9 B29 E23]", async () => {
    const store = await open();
    const near = Array.from({ length: 30 }, (_, i) =>
      entry(`near-${i}`, "x", [1, 0], { metadata: { kind: "common" } }),
    );
    const far = Array.from({ length: 3 }, (_, i) => entry(`rare-${i}`, "x", [-1, i], { metadata: { kind: "rare" } }));
    await writeChunks(store, into, [...near, ...far]);
    const query = {
      embedding: [1, 0],
      version: { ...three, dimensions: 2 },
      filter: { op: "eq", key: "kind", value: "rare" },
    } as const;
    expect(await searchVectors(store, from, { ...query, topK: 2 })).toHaveLength(2);
    expect((await searchVectors(store, from, { ...query, topK: 10 })).map(({ chunk: { id } }) => id)).toEqual([
      "rare-2",
      "rare-1",
      "rare-0",
    ]);
  });

  it("restricts itself to origins and to named chunks before it ranks [L4 T9]", async () => {
    const store = await open();
    await writeChunks(store, into, [
      entry("note", "ash", [1, 0], { origin: "note" }),
      entry("own", "ash", [1, 1], { origin: "user-content" }),
      entry("made", "ash", [0, 1], { origin: "synthetic" }),
    ]);
    const version = { ...three, dimensions: 2 };
    const ids = (matches: readonly { chunk: { id: string } }[]) => matches.map(({ chunk: { id } }) => id);
    expect(
      ids(await searchVectors(store, from, { embedding: [1, 0], version, topK: 1, origins: ["synthetic"] })),
    ).toEqual(["made"]);
    expect(ids(await searchVectors(store, from, { embedding: [1, 0], version, origins: [] }))).toEqual([]);
    expect(
      ids(await searchVectors(store, from, { embedding: [1, 0], version, topK: 2, chunkIds: ["made", "own", "gone"] })),
    ).toEqual(["own", "made"]);
    expect(ids((await searchWords(store, from, { text: "ash", chunkIds: ["note"] })).matches)).toEqual(["note"]);
    expect(ids(await searchPattern(store, from, { pattern: "a.h", origins: ["note", "synthetic"] }))).toEqual([
      "made",
      "note",
    ]);
    const all = await searchWords(store, from, { text: "ash" });
    const one = await searchWords(store, from, { text: "ash", chunkIds: ["own"] });
    expect(one.matches[0]?.score).toBe(all.matches.find(({ chunk: { id } }) => id === "own")?.score);
  });

  it("hands out vectors only when asked, with a filter alone too [W15 B34]", async () => {
    const store = await open();
    await writeChunks(store, into, [entry("a", "x", [1, 2])]);
    expect((await searchVectors(store, from, {}))[0]).not.toHaveProperty("embedding");
    const [match] = await searchVectors(store, from, { includeEmbeddings: true });
    expect(match?.embedding).toEqual(Float32Array.of(1, 2));
  });
});

describe("the store under Ballerina's name", () => {
  const version = { ...three, dimensions: 2 };

  it("finds three, by cosine [B25]", async () => {
    const store = createInMemoryVectorStore();
    await writeChunks(
      store,
      into,
      ["a", "b", "c", "d"].map((id) => entry(id, "x", [1, 1])),
    );
    expect((await store.search(from, { embedding: [1, 1], version })).map(({ chunk: { id } }) => id)).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  it("takes a count below 1 for all, where it is made and where it is asked [B20]", async () => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    for (const topK of [0, -1, "all"] as const) {
      const [usual, open] = [createInMemoryVectorStore(), createInMemoryVectorStore({ topK })];
      for (const store of [usual, open]) {
        await writeChunks(
          store,
          into,
          ids.map((id) => entry(id, id, [1, 1])),
        );
      }
      expect(await usual.search(from, { embedding: [1, 1], version, topK })).toHaveLength(6);
      expect(await open.search(from, { embedding: [1, 1], version })).toHaveLength(6);
      expect(await open.search(from, { embedding: [1, 1], version, topK: 2 })).toHaveLength(2);
      const kb = await openKnowledgeBase({ store: open });
      expect(await kb.searchVector([1, 1])).toHaveLength(6);
      await kb.close();
    }
    for (const topK of [1.5, Number.NaN, "three"] as const) {
      expect(() => createInMemoryVectorStore({ topK: topK as never })).toThrow(/topK is /u);
      const search = createInMemoryVectorStore().search(from, { topK: topK as never });
      await expect(search).rejects.toMatchObject({ code: "invalid-argument" });
    }
  });

  it("refuses what is not dense, the whole batch before anything is stored, and in a query too [B26]", async () => {
    const store = createInMemoryVectorStore();
    const sparse = { indices: [1], values: [1] };
    const message = "InMemoryVectorStore supports dense vectors exclusively";
    const bad = { chunk: chunk("bad", "x", { documentId: "d" }), embeddings: [{ version, embedding: sparse }] };
    await expect(
      writeChunks(store, into, [entry("good", "x", [1, 1], { documentId: "d" }), bad]),
    ).rejects.toMatchObject({
      code: "unsupported",
      message,
    });
    expect(await store.search(from, {})).toEqual([]);
    await expect(store.search(from, { embedding: sparse, version })).rejects.toMatchObject({
      code: "unsupported",
      message,
    });
  });
});
