import { openKnowledgeBase } from "ibid";
import { createInMemoryVectorStore } from "ibid/compat";
import { createFixedEmbeddingModel } from "ibid/testing";
import { compileFilter, parseFilter } from "ibid/search";
import { createMemoryStore } from "ibid/stores";
import { all, equal, holds, putVectors, reading, refuses, uris, version, withTexts, writing } from "../kit.ts";
import { prove } from "../prove.ts";

const idsOf = (found: readonly { readonly chunk: { readonly id: string } }[]): readonly string[] =>
  found.map(({ chunk }) => chunk.id);
const corners = [
  { id: "near", vector: [1, 0], metadata: { side: "right" } },
  { id: "far", vector: [0, 1], metadata: { side: "up" } },
  { id: "between", vector: [1, 1], metadata: { side: "right" } },
] as const;

export const stores = [
  prove("B17", "a store adds, queries by vector and deletes", async () => {
    const store = createInMemoryVectorStore();
    await putVectors(store, corners);
    equal(idsOf(await store.search(reading, { embedding: [1, 0], version, topK: 2 })), ["near", "between"]);
    equal((await store.delete(writing, { ids: ["near", "far"] })).chunks, 2);
    equal(idsOf(await store.search(reading, { embedding: [1, 0], version })), ["between"]);
  }),
  prove("B18", "the same id replaces", async () => {
    const store = createInMemoryVectorStore();
    await putVectors(store, corners);
    await putVectors(store, [{ id: "near", vector: [0, 1] }]);
    equal(idsOf(await store.search(reading, { embedding: [1, 0], version, topK: "all" })).length, 3);
    equal(idsOf(await store.search(reading, { embedding: [1, 0], version, topK: 1 })), ["between"]);
  }),
  prove("B18", "a chunk without an id gets one", () =>
    withTexts(
      { a: { text: undefined as never, chunks: [{ text: "Bees hum." }, { text: "Bees hum." }] } },
      async (kb) => {
        const ids = (await all(kb.chunks())).map(({ chunk }) => chunk.id);
        equal(new Set(ids).size, 2);
      },
    ),
  ),
  prove("B19", "matches are ranked and scored", async () => {
    const store = createInMemoryVectorStore();
    await putVectors(store, corners);
    const found = await store.search(reading, { embedding: [1, 0], version });
    equal(
      found.map(({ score }) => Number(score.toFixed(4))),
      [1, Number(Math.SQRT1_2.toFixed(4)), 0],
    );
  }),
  prove("B21", "filters nest in groups", () => {
    const test = compileFilter(parseFilter({ and: [{ or: [{ a: 1 }, { a: 2 }] }, { not: { b: "x" } }] }));
    equal([test({ a: 1 }), test({ a: 2, b: "x" }), test({ a: 3 })], [true, false, false]);
  }),
  prove("B26", "a batch with a vector that is not dense is refused before anything is stored", async () => {
    const store = createInMemoryVectorStore();
    const wrong = { indices: [0], values: [1] };
    await refuses("unsupported", () => putVectors(store, [{ id: "sparse", vector: wrong }]));
    equal((await store.status(reading)).chunks, 0);
    await refuses("unsupported", () => store.search(reading, { embedding: wrong, version }));
  }),
  prove("B28", "cosine, dot product and Euclidean distance: the nearest first in each", async () => {
    const words = [
      { id: "puppy", vector: [0.9, 0.1] },
      { id: "fast", vector: [-0.2, 1.2] },
      { id: "dogs", vector: [2, 0.1] },
    ];
    for (const [metric, first, last] of [
      ["cosine", "dogs", "fast"],
      ["dot", "dogs", "fast"],
      ["euclidean", "puppy", "fast"],
    ] as const) {
      const store = createInMemoryVectorStore({ similarityMetric: metric });
      await putVectors(store, words);
      const found = idsOf(await store.search(reading, { embedding: [1, 0], version, metric }));
      equal([found[0], found.at(-1)], [first, last]);
    }
  }),
  prove("B29", "the store in memory heeds filters", async () => {
    const store = createInMemoryVectorStore();
    await putVectors(store, corners);
    equal(
      idsOf(
        await store.search(reading, { embedding: [0, 1], version, filter: { op: "eq", key: "side", value: "right" } }),
      ),
      ["between", "near"],
    );
  }),
  prove("B31", "concurrent calls are safe", async () => {
    const kb = await openKnowledgeBase();
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => kb.ingest([{ uri: `doc ${i % 10}`, text: `Bee number ${i} hums.` }])),
    );
    equal((await kb.status()).documents, 10);
    equal(
      (await Promise.all(Array.from({ length: 20 }, () => kb.search("bee", { topK: "all" })))).map(
        (hits) => hits.length,
      ),
      Array.from({ length: 20 }, () => 10),
    );
    await kb.close();
  }),
  prove("B47", "a knowledge base is made of a store, a model and a retriever", async () => {
    const model = createFixedEmbeddingModel({}, { dimensions: 2, otherwise: (text) => [text.length, 1] });
    const store = createMemoryStore();
    let asked = 0;
    await withTexts(
      { a: "Bees hum." },
      async (kb) => {
        equal(uris(await kb.search("bees")), ["a"]);
        equal((await store.status(reading)).documents, 1);
        holds(model.calls.length > 1 && asked === 1);
        // It hands out its retriever: a query and a filter are all that the other end knows.
        const retriever = kb.retriever();
        equal(uris(await retriever.retrieve("bees", { filter: { kind: { exists: false } } })), ["a"]);
        equal([await retriever.retrieve("bees", { filter: { kind: "none" } }), asked], [[], 3]);
      },
      {
        store,
        models: { embedding: model },
        search: {
          retriever: (base) => ({
            retrieve: (...call) => {
              asked += 1;
              return base.retrieve(...call);
            },
          }),
        },
      },
    );
  }),
];
