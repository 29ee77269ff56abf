import { createRetrieverNode } from "ibid/compat";
import { createHashingModel } from "ibid/models";
import { compileFilter, multiQuery, parseFilter } from "ibid/search";
import { createFixedEmbeddingModel, createScriptedChatModel } from "ibid/testing";
import { equal, uris, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

export const options = [
  prove("W10", "a range compares strings with strings; by the dialect it never matches them", () => {
    const range = { value: { gte: "a", lte: "z" } };
    const test = (dialect: object, metadata: object): boolean =>
      compileFilter(parseFilter(range, dialect))(metadata as never);
    equal(
      [test({}, { value: "high" }), test({ ranges: "numbers" }, { value: "high" }), test({}, { value: 5 })],
      [true, false, false],
    );
    const filter = parseFilter({
      and: [{ a: { in: ["x", 1, true, null] } }, { or: [{ b: { gte: 1, lt: 3 } }, { c: "y" }] }],
    });
    equal(parseFilter(JSON.parse(JSON.stringify(filter)) as never), filter);
    equal(compileFilter(filter)({ a: null, b: 2 }), true);
  }),
  prove("W23", "a perfect cosine passes a threshold meant for cosines, in hybrid mode too", () =>
    withTexts(
      { east: "east wind", north: "north wind wind wind" },
      async (kb) => {
        const node = async (scoreThreshold: number) =>
          (await createRetrieverNode(kb, { mode: "hybrid", scoreThreshold })({ query: "wind" })).retrievedDocs.map(
            ({ content }) => content,
          );
        equal(await node(0.99), ["east wind"]);
        equal((await node(0.1)).length, 1);
        equal((await node(0)).length, 2);
      },
      {
        models: {
          embedding: createFixedEmbeddingModel(
            {},
            { dimensions: 2, otherwise: (text) => (text.includes("north") ? [0, 1] : [1, 0]) },
          ),
        },
      },
    ),
  ),
  prove("W43", "the design's hash: FNV-1a of 64 bits for each dimension", async () => {
    const model = createHashingModel({ dimensions: 4, variant: "fnv" });
    const expected = [0, 1, 2, 3].map((index) => {
      let hash = 0xcbf29ce484222325n ^ BigInt(index);
      for (const byte of Buffer.from("hello")) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
      return Math.fround(Number(hash % 10_000n) / 10_000);
    });
    equal(Array.from((await model.embed(["hello"], { purpose: "query" })).embeddings[0] as Float32Array), expected);
    // FNV-1a of "hello", as published: 0xa430d84680aabd0b.
    equal(expected[0], Math.fround(Number(0xa430d84680aabd0bn % 10_000n) / 10_000));
    await withTexts(
      { a: "hello", b: "world" },
      async (kb) => equal(uris(await kb.search("hello", { mode: "lexical" })), ["a"]),
      { models: { embedding: model } },
    );
  }),
  prove("W54", "a variant that fails is named, and the others answer", () =>
    withTexts(
      { a: "Bees hum.", b: "Wasps sting." },
      async (kb) => {
        const hits = await kb.search("insects", { mode: "lexical", explain: true });
        equal(uris(hits), ["a"]);
        equal(hits[0]?.explain?.steps?.[0]?.failed, [{ query: 3, code: "internal" }]);
      },
      {
        search: {
          retriever: (base) =>
            multiQuery(
              {
                retrieve: async (scopes, query, search) => {
                  if (query.includes("wasps")) throw new Error("no wasps");
                  return base.retrieve(scopes, query, search);
                },
              },
              { model: createScriptedChatModel(() => "bees\nwasps") },
            ),
        },
      },
    ),
  ),
];
