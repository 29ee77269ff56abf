import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { createWindowChunker } from "ibid/chunkers";
import { createInMemoryVectorStore, createRetrieverNode, splitText } from "ibid/compat";
import { createHashingModel, type Embedding, type EmbeddingModel } from "ibid/models";
import { compileFilter, multiQuery, parseFilter, type TaggedFilter } from "ibid/search";
import { createScriptedChatModel } from "ibid/testing";
import { fixed } from "../fixed.ts";
import { bytes, equal, holds, plain, putVectors, reading, refuses, uris, version, withTexts, writing } from "../kit.ts";
import { prove } from "../prove.ts";

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;

/** The code of the failure of one document whose model answers so. */
async function failing(embeddings: readonly Embedding[]): Promise<string | undefined> {
  const embedding: EmbeddingModel = {
    provider: "own",
    model: "odd",
    kind: "dense",
    dimensions: 2,
    embed: async () => ({ embeddings }),
  };
  const kb = await openKnowledgeBase({ models: { embedding } });
  const { failures } = await kb.ingest([{ uri: "a", text: "One." }]);
  equal((await kb.status()).documents, 1 - failures.length);
  await kb.close();
  return failures[0]?.error.code;
}

export const parts = [
  prove("W10", "numbers compare with numbers, strings with strings; a range open on either side", () => {
    const range = (filter: object, year: string | number): boolean =>
      compileFilter(parseFilter(JSON.parse(JSON.stringify(filter)) as never))({ year });
    equal(
      [
        range({ year: { gte: 2020, lte: 2024 } }, 2024),
        range({ year: { gte: 2020 } }, 2019),
        range({ year: { lte: 2020 } }, 2019),
      ],
      [true, false, true],
    );
    equal([range({ year: { gte: 2020 } }, "2024"), range({ year: { gte: "2020" } }, 2024)], [false, false]);
  }),
  prove("W10", "the design's own serialised form is a filter, for a search too", () =>
    withTexts(
      {
        old: { text: "Bees hum.", metadata: { year: 2020, kind: "bee" } },
        young: { text: "Bees buzz.", metadata: { year: 2026, kind: "bee" } },
        none: { text: "Bees rest.", metadata: { kind: "wasp", year: 2026 } },
      },
      async (kb) => {
        const found = async (filter: TaggedFilter) =>
          uris(await kb.search("bees", { filter: JSON.parse(JSON.stringify(filter)) as TaggedFilter })).toSorted();
        const young: TaggedFilter = { Range: { key: "year", min: 2021 } };
        equal(await found({ All: [{ Eq: ["kind", "bee"] }, young] }), ["young"]);
        equal(await found({ Any: [{ In: ["kind", ["wasp"]] }, { Range: { key: "year", max: 2020 } }] }), [
          "none",
          "old",
        ]);
        equal(await found({ All: [] }), ["none", "old", "young"]);
        equal(await found({ Any: [] }), []);
        equal(parseFilter({ Range: { key: "year", min: 1, max: null } }), parseFilter({ year: { gte: 1 } }));
        equal(compileFilter(parseFilter({ Eq: ["gone", null] }))({}), compileFilter(parseFilter({ gone: null }))({}));
        await refuses("invalid-filter", () => parseFilter({ Eq: [1, "x"] } as never));
        await refuses("invalid-filter", () => parseFilter({ Range: { key: "year", least: 1 } }));
      },
    ),
  ),
  prove("W14", "as many vectors as texts, of the dimension that was said, and of numbers", async () => {
    equal(
      [
        await failing([]),
        await failing([
          [1, 0],
          [0, 1],
        ]),
      ],
      ["invalid-response", "invalid-response"],
    );
    equal(await failing([[1, 0, 0]]), "dimension-mismatch");
    equal(await failing([[Number.NaN, 0]]), "invalid-response");
    equal(await failing([[1, 0]]), undefined);
  }),
  prove(
    "W15",
    "an empty store answers any query; the same id overwrites; a zero vector scores 0; vectors are stripped",
    async () => {
      const store = createInMemoryVectorStore();
      equal(await store.search(reading, { embedding: [1, 2, 3], version: { ...version, dimensions: 3 } }), []);
      await putVectors(store, [
        { id: "a", vector: [1, 0] },
        { id: "zero", vector: [0, 0] },
      ]);
      await putVectors(store, [{ id: "a", vector: [0, 1] }]);
      const found = await store.search(reading, { embedding: [0, 2], version, topK: "all" });
      equal(
        found.map(({ chunk, score, embedding }) => [chunk.id, rounded(score), embedding, chunk.embedding]),
        [
          ["a", 1, undefined, undefined],
          ["zero", 0, undefined, undefined],
        ],
      );
      await store.delete(writing, { ids: ["a"] });
      await store.delete(writing, { ids: ["a"] });
      equal(
        (await store.search(reading, { embedding: [0, 2], version })).map(({ chunk }) => chunk.id),
        ["zero"],
      );
    },
  ),
  prove("W16", "blank ids are refused before anything is embedded, and nothing of the batch is kept", async () => {
    const embedding = fixed({ good: [1, 0], bad: [0, 1] });
    await withTexts(
      {},
      async (kb) => {
        for (const id of ["", " "])
          await refuses("invalid-id", () =>
            kb.ingest({
              chunks: [
                { text: "good", id: "1" },
                { text: "bad", id },
              ],
            }),
          );
        equal([embedding.calls.length, (await kb.status()).chunks], [0, 0]);
        await kb.ingest({ chunks: [{ text: "good", id: "1" }] });
        equal(
          (await kb.search("good", { mode: "dense" })).map(({ chunkId }) => chunkId),
          ["1"],
        );
      },
      { models: { embedding } },
    );
  }),
  prove(
    "W18",
    "windows over code points: size and overlap, an overlap too large is one less, a size of 0 is none",
    () => {
      equal(splitText("abcdefghij", 4, 1), ["abcd", "defg", "ghij"]);
      equal(splitText("😀😁😂🤣😃", 2, 1), ["😀😁", "😁😂", "😂🤣", "🤣😃"]);
      equal(splitText("abcd", 2, 9), splitText("abcd", 2, 1));
      equal(splitText("abcd", 0, 0), []);
      const chunks = [...createWindowChunker({ size: 4, overlap: 1 }).chunk(plain("a", "abcdefghij"))];
      equal(
        chunks.map(({ urtext, start }) => [urtext, start]),
        [
          ["abcd", 0],
          ["defg", 3],
          ["ghij", 6],
        ],
      );
    },
  ),
  prove("W23", "a threshold holds here, after the search, and admits the score that it names", () =>
    withTexts(
      { east: "east", near: "near" },
      async (kb) => {
        const at = async (scoreThreshold: number) =>
          (await createRetrieverNode(kb, { mode: "dense", scoreThreshold })({ query: "which way" })).retrievedDocs.map(
            ({ content }) => content,
          );
        const near = (await kb.search("which way", { mode: "dense" }))[1]!.score;
        equal([await at(near), await at(near + 1e-9), await at(2)], [["east", "near"], ["east"], []]);
      },
      { models: { embedding: fixed({ east: [1, 0], near: [0.6, 0.8], "which way": [1, 0] }) } },
    ),
  ),
  prove("W26", "the node owns how many, and from which score on", () =>
    withTexts(
      { east: "east", near: "near", north: "north" },
      async (kb) => {
        const found = async (options: object) =>
          (await createRetrieverNode(kb, { mode: "dense", ...options })({ query: "which way" })).retrievedDocs.map(
            ({ content }) => content,
          );
        equal(
          [await found({}), await found({ topK: 2 }), await found({ topK: 2, scoreThreshold: 0.9 })],
          [["east", "near", "north"], ["east", "near"], ["east"]],
        );
        await refuses("invalid-argument", () => createRetrieverNode(kb, { limit: 3 } as object));
      },
      { models: { embedding: fixed({ east: [1, 0], near: [0.6, 0.8], north: [0, 1], "which way": [1, 0] }) } },
    ),
  ),
  prove("W30", "a store whose file is none of its own is told as such", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-broken-"));
    const kb = await openKnowledgeBase(folder);
    await kb.ingest({ uri: "a", text: "One." });
    await kb.close();
    const garbage = bytes("This is no database, however long it is. ".repeat(999));
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) writeFileSync(join(entry.parentPath, entry.name), garbage);
    const error = await refuses("store-corrupt", () => openKnowledgeBase(folder));
    holds(error.message.length > 0 && error.hint !== undefined);
    rmSync(folder, { recursive: true });
  }),
  prove("W43", "indexing and querying without a key: the same every time", async () => {
    const texts = {
      "rust.txt": "Every value has one owner.",
      "vectors.txt": "A vector store finds embeddings by cosine similarity.",
    };
    const run = (): Promise<unknown> =>
      withTexts(
        texts,
        async (kb) =>
          (await kb.search("cosine similarity of embeddings", { mode: "dense" })).map(({ source, score }) => [
            source.uri,
            score,
          ]),
        { models: { embedding: createHashingModel() } },
      );
    const [first, second] = [(await run()) as readonly (readonly [string, number])[], await run()];
    equal(first, second);
    equal(first[0]?.[0], "vectors.txt");
  }),
  prove(
    "W54",
    "several queries of a model fused by rank; a reranker by the words' nearness; loaders of HTML and Markdown",
    async () => {
      const model = createScriptedChatModel(["locks\nbolts\nlatches"]);
      await withTexts(
        {
          keys: "Keys of brass.",
          locks: "Locks of iron.",
          bolts: "Bolts of steel.",
          latches: "Latches of tin.",
          other: "Soup.",
        },
        async (kb) => {
          equal(uris(await kb.search("keys", { topK: "all" })).toSorted(), ["bolts", "keys", "latches", "locks"]);
          equal(model.calls.length, 1);
        },
        { search: { retriever: (base) => multiQuery(base, { model }) } },
      );
      const apart = `Signing is hard. ${"Other words stand here. ".repeat(12)} The key is lost.`;
      await withTexts(
        { apart, near: `${"Other words stand here. ".repeat(12)} A signing key is signed.` },
        async (kb) => equal(uris(await kb.search("signing key"))[0], "near"),
        { models: { reranker: "proximity" } },
      );
      await withTexts({}, async (kb) => {
        await kb.ingest([
          { uri: "a.html", bytes: bytes("<h1>Heron</h1><p>It waits.</p>") },
          { uri: "b.md", bytes: bytes("# Otter\n\nIt swims.") },
        ]);
        equal(
          [(await kb.search("waits"))[0]?.source.headings, (await kb.search("swims"))[0]?.source.headings],
          [["Heron"], ["Otter"]],
        );
      });
    },
  ),
];
