import { createMemoryStore, fromVectorStore } from "ibid/stores";
import { compileFilter, parseFilter } from "ibid/search";
import { createInMemoryVectorStore } from "ibid/compat";
import { createFixedEmbeddingModel } from "ibid/testing";
import { fixed } from "../fixed.ts";
import { type Chunk, type Filter, type FilterInput, type KnowledgeBase, type OpenOptions } from "ibid";
import { all, equal, holds, plain, putVectors, reading, refuses, uris, version, withTexts, writing } from "../kit.ts";
import { prove } from "../prove.ts";

/** Vectors on the unit circle, whose cosines with `east` are known. */
const circle = { east: [1, 0], near: [0.6, 0.8], north: [0, 1], west: [-1, 0], nowhere: [0, 0] };
const cosines = [
  ["east", 1],
  ["near", 0.6],
  ["north", 0],
  ["west", -1],
] as const;
const onCircle = (): OpenOptions => ({
  models: { embedding: fixed({ ...circle, "which way": circle.east }) },
});
const withCircle = <Result>(use: (kb: KnowledgeBase) => Promise<Result>): Promise<Result> =>
  withTexts(Object.fromEntries(cosines.map(([name]) => [name, name])), use, onCircle());
const dense = { mode: "dense", topK: "all" } as const;
const rounded = (score: number): number => Math.round(score * 1e6) / 1e6 + 0;

const years = {
  a: { text: "one", metadata: { topic: "storage", year: 2020 } },
  b: { text: "two", metadata: { topic: "storage", year: 2024, draft: true } },
  c: { text: "three", metadata: { topic: "languages", year: 2021, owner: null } },
  d: { text: "four", metadata: { topic: "birds" } },
};
const filtered = (filter: FilterInput): Promise<readonly string[]> =>
  withTexts(years, async (kb) => uris(await kb.search("one two three four", { filter, topK: "all" })).toSorted());

export const store = [
  prove("W7", "a store adds, searches with a filter and deletes, by calls that overlap", async () => {
    const kept = createInMemoryVectorStore();
    await Promise.all(
      Object.entries(circle).map(([id, vector], i) =>
        putVectors(kept, [{ id, vector, metadata: { even: i % 2 === 0 } }]),
      ),
    );
    const query = { embedding: circle.east, version, topK: 2 };
    const [plainly, even] = await Promise.all([
      kept.search(reading, query),
      kept.search(reading, { ...query, filter: { op: "eq", key: "even", value: true } }),
      kept.delete(writing, { ids: ["near"] }),
    ]);
    equal(plainly[0]?.chunk.id, "east");
    equal(
      even.map(({ chunk }) => chunk.id),
      ["east", "north"],
    );
    equal(
      (await kept.search(reading, query)).map(({ chunk }) => chunk.id),
      ["east", "north"],
    );
  }),
  prove("W8", "scores are cosines from 1 to -1, higher is better", () =>
    withCircle(async (kb) => {
      const hits = await kb.search("which way", dense);
      equal(
        hits.map(({ source, score }) => [source.uri, rounded(score)]),
        cosines,
      );
    }),
  ),
  prove("W9", "a filtered search may find fewer than topK, and never what the filter refuses", () =>
    withTexts(
      years,
      async (kb) => {
        const hits = await kb.search("one", { mode: "dense", topK: 4, filter: { year: { gte: 2021 } } });
        equal(uris(hits).toSorted(), ["b", "c"]);
      },
      {
        models: { embedding: createFixedEmbeddingModel({}, { dimensions: 2, otherwise: (text) => [text.length, 1] }) },
      },
    ),
  ),
  prove("W31", "documents and chunks, with their vectors, survive JSON and are found as before", async () => {
    const embedding = fixed(circle);
    const document = plain("a", "east", { topic: "storage", deep: [1, { two: null }] });
    const kept = await withTexts(
      {},
      async (kb) => {
        equal((await kb.ingest(JSON.parse(JSON.stringify(document)) as typeof document)).failures, []);
        const view = await kb.document("a");
        equal([view?.text, view?.metadata], [document.text, document.metadata]);
        return (await all(kb.chunks()))[0]!.chunk;
      },
      { models: { embedding } },
    );
    const chunk: Chunk = { ...kept, embedding: circle.near };
    const revived = JSON.parse(JSON.stringify(chunk)) as Chunk;
    equal(revived, chunk);
    await withTexts(
      {},
      async (kb) => {
        equal((await kb.ingest([revived])).embedded, 0);
        const [hit] = await kb.search("north", dense);
        equal([hit?.chunkId, hit?.text, rounded(hit?.score ?? 0)], [kept.id, "east", 0.8]);
      },
      { models: { embedding } },
    );
  }),
  prove("W32", "filters survive JSON in form and in meaning", () => {
    const filter: Filter = parseFilter({
      and: [
        { topic: { in: ["storage", null, 3, true] } },
        { or: [{ year: { gte: 2020, lt: 2025 } }, { not: { draft: true } }] },
      ],
    });
    const revived = JSON.parse(JSON.stringify(filter)) as Filter;
    equal(revived, filter);
    equal(parseFilter(revived), filter);
    for (const { metadata } of Object.values(years))
      equal(compileFilter(revived)(metadata), compileFilter(filter)(metadata));
    equal(
      Object.values(years).map(({ metadata }) => compileFilter(revived)(metadata)),
      [true, true, false, false],
    );
  }),
  prove("W34", "fixed vectors rank by cosine, whatever their length", () =>
    withTexts(
      { long: "long", short: "short", aside: "aside" },
      async (kb) => {
        const hits = await kb.search("query", dense);
        equal(
          hits.map(({ source, score }) => [source.uri, rounded(score)]),
          [
            ["long", 0.96],
            ["short", 0.8],
            ["aside", -0.6],
          ],
        );
      },
      { models: { embedding: fixed({ long: [80, 60], short: [0, 0.1], aside: [-1, 0], query: [0.6, 0.8] }) } },
    ),
  ),
  prove("W35", "equality, sets, ranges, all and any", async () => {
    equal(await filtered({ topic: "storage" }), ["a", "b"]);
    equal(await filtered({ topic: { in: ["birds", "languages"] } }), ["c", "d"]);
    equal(await filtered({ owner: null }), ["c"]);
    equal(await filtered({ draft: true }), ["b"]);
    equal(await filtered({ year: { gte: 2020, lte: 2021 } }), ["a", "c"]);
    equal(await filtered({ year: { gte: 2021 } }), ["b", "c"]);
    equal(await filtered({ year: { lte: 2021 } }), ["a", "c"]);
    equal(await filtered({ and: [{ topic: "storage" }, { year: { gte: 2021 } }] }), ["b"]);
    equal(await filtered({ or: [{ topic: "birds" }, { year: 2020 }] }), ["a", "d"]);
    equal(await filtered({ and: [] }), ["a", "b", "c", "d"]);
    equal(await filtered({ or: [] }), []);
    equal(await filtered({ year: { gte: 0, lte: 9999 } }), ["a", "b", "c"]);
  }),
  prove("W36", "a vector of other dimensions is refused when it is added and when it is searched by", async () => {
    const kept = createMemoryStore();
    await putVectors(kept, [{ id: "east", vector: circle.east }]);
    const added = await refuses("dimension-mismatch", async () => {
      const chunks = await all(kept.chunks(reading));
      await kept.replace(writing, {
        document: plain("b", "b"),
        chunks: [{ chunk: { ...chunks[0]!.chunk, id: "b" }, embeddings: [{ version, embedding: [1, 2, 3] }] }],
        contentHash: "b",
        metadataHash: "",
        fingerprint: "",
        bytes: 1,
        folder: null,
      });
    });
    equal([added.details["expected"], added.details["got"]], [2, 3]);
    equal((await kept.status(reading)).chunks, 1);
    const searched = await refuses("dimension-mismatch", () =>
      createInMemoryVectorStore().search(reading, { embedding: [1, 2, 3], version }),
    );
    equal([searched.details["expected"], searched.details["got"]], [2, 3]);
    await withCircle(async (kb) => {
      await refuses("dimension-mismatch", () => kb.ingest({ chunks: [{ text: "x", embedding: [1, 0, 0] }] }));
    });
  }),
  prove("W37", "blank ids are refused, and name what is wrong", async () => {
    const kept = createMemoryStore();
    for (const id of ["", " \n"]) {
      const { message } = await refuses("invalid-id", () =>
        putVectors(
          kept,
          [{ id: "x", vector: circle.east }].map((one) => ({ ...one, id })),
        ),
      );
      holds(message.length > 0);
      await refuses("invalid-id", () => withTexts({}, async (kb) => kb.ingest({ chunks: [{ text: "x", id }] })));
    }
    equal((await kept.status(reading)).chunks, 0);
  }),
  prove("W38", "deleting twice, and deleting what never was, is no error", async () => {
    const kept = createMemoryStore();
    await putVectors(kept, [{ id: "east", vector: circle.east }]);
    equal((await kept.delete(writing, { ids: ["east"] })).chunks, 1);
    equal((await kept.delete(writing, { ids: ["east", "never"] })).chunks, 0);
    await withCircle(async (kb) => {
      equal((await kb.delete("east")).length, 1);
      equal(await kb.delete("east"), []);
      equal(uris(await kb.search("which way", dense)), ["near", "north", "west"]);
    });
  }),
  prove("W39", "what is found carries no embedding", () =>
    withCircle(async (kb) => {
      for (const hit of await kb.search("which way", dense)) holds(!("embedding" in hit));
      for (const { chunk, ...rest } of await all(kb.chunks()))
        holds(!("embedding" in chunk) && !("embeddings" in rest));
    }),
  ),
  prove("W53", "unless it is asked for", () =>
    withCircle(async (kb) => {
      const hits = await kb.search("which way", { ...dense, includeEmbeddings: true });
      equal(
        hits.map(({ embedding }) => Array.from(embedding as Float32Array).map(rounded)),
        cosines.map(([name]) => circle[name]),
      );
    }),
  ),
  prove("W40", "a threshold admits the score that it names", () =>
    withCircle(async (kb) => {
      const [, near] = await kb.search("which way", dense);
      const at = (minScore: number) => kb.search("which way", { ...dense, minScore });
      equal(uris(await at(near!.score)), ["east", "near"]);
      equal(uris(await at(near!.score + 1e-9)), ["east"]);
      equal(uris(await at(0)), ["east", "near", "north"]);
    }),
  ),
  prove("W40", "in a store of one's own, too", async () => {
    const scores = new Map([
      ["near", 0.5],
      ["far", 0.25],
    ]);
    const added: { readonly id: string; readonly text: string }[] = [];
    const own = fromVectorStore({
      add: (entries) => void added.push(...entries.map(({ id, chunk }) => ({ id, text: chunk.content }))),
      query: ({ topK }) =>
        added
          .map(({ id, text }) => ({ id, similarityScore: scores.get(text)! }))
          .toSorted((a, b) => b.similarityScore - a.similarityScore)
          .slice(0, topK),
      delete: () => {},
    });
    await withTexts(
      { near: "near", far: "far" },
      async (kb) => {
        equal(uris(await kb.search("anything", { ...dense, minScore: 0.25 })), ["near", "far"]);
        equal(uris(await kb.search("anything", { ...dense, minScore: 0.26 })), ["near"]);
      },
      { store: own, models: { embedding: createFixedEmbeddingModel({}, { dimensions: 2, otherwise: () => [1, 0] }) } },
    );
  }),
];
