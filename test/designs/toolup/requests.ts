import { openKnowledgeBase } from "ibid";
import { createPromptBuilder } from "ibid/answers";
import { createWholeChunker } from "ibid/chunkers";
import { createRetrievalPipeline, type MergeStrategy } from "ibid/compat";
import { createMemoryEventStore } from "ibid/operations";
import { boostHits, diversify } from "ibid/search";
import { createFixedEmbeddingModel } from "ibid/testing";
import { all, equal, holds, matches, refuses, uris, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

/** Vectors by the first word, and a reranker for the word "wasp". */
const byWord: Readonly<Record<string, readonly number[]>> = { east: [1, 0], near: [0.8, 0.6], north: [0, 1] };
const compass = () =>
  createFixedEmbeddingModel({}, { dimensions: 2, otherwise: (text) => byWord[text.split(" ")[0]!] ?? [1, 0] });
const forWasps = (seen: (readonly string[])[] = []) => ({
  name: "wasps",
  rerank: async (_: string, texts: readonly string[]) => {
    seen.push(texts);
    return texts.map((text) => (text.includes("wasp") ? 1 : 0));
  },
});
const ada = { userId: "ada", teamId: "a" };

export const requests = [
  prove("T21", "a pipeline indexes a chunk into a scope, and retrieves for a caller", async () => {
    const kb = await openKnowledgeBase({ models: { embedding: compass() } });
    const pipeline = createRetrievalPipeline(kb);
    await pipeline.index("team:a", { id: "1", text: "east bee", metadata: { kind: "x" }, origin: "note" });
    await pipeline.index("team:b", { id: "2", text: "east bee" });
    await pipeline.index("team:a", { id: "1", text: "east wasp", metadata: { kind: "y" }, origin: "note" });
    const request = { query: "east", requestedScopes: ["team:a", "team:b"] } as const;
    const found = await pipeline.retrieve(request, ada);
    equal(
      found.map(({ scope, score, chunk }) => [
        scope,
        score,
        chunk.id,
        chunk.text,
        chunk.metadata,
        chunk.origin,
        Array.from(chunk.vector as number[]),
      ]),
      [["team:a", 1, "1", "east wasp", { kind: "y" }, "note", [1, 0]]],
    );
    equal(await pipeline.retrieve(request, {}), []);
    equal((await all(kb.chunks({ stamps: true })))[0]?.chunk.metadata["_embedDim"], 2);
    await kb.close();
  }),
  prove("T23", "dense, sparse, a hybrid and a reranked one, as a request names them", () =>
    withTexts(
      { a: "near bee", b: "north bee bee", c: "east wasp" },
      async (kb) => {
        const pipeline = createRetrievalPipeline(kb);
        const found = async (mergeStrategy: MergeStrategy, minScore = 0) =>
          (
            await pipeline.retrieve(
              { query: "east bee", requestedScopes: ["deployment"], minScore, mergeStrategy },
              ada,
            )
          ).map(({ chunk, score }) => [chunk.text, Number(score.toFixed(6))] as const);
        const texts = async (strategy: MergeStrategy, minScore?: number) =>
          (await found(strategy, minScore)).map(([text]) => text);
        equal(await found("DenseOnly"), [
          ["east wasp", 1],
          ["near bee", 0.8],
          ["north bee bee", 0],
        ]);
        equal(await found("DenseOnly", 0.79), (await found("DenseOnly")).slice(0, 2));
        // Only the dense stage has the floor.
        equal((await texts("SparseOnly", 1)).length, 3);
        const [lexical, dense] = [new Map(await found("SparseOnly")), new Map(await found("DenseOnly"))];
        const hybrid = await found("DenseSparseHybrid");
        equal(hybrid.length, 3);
        holds(hybrid.every(([text, score]) => score > 0.7 * dense.get(text)! && lexical.has(text)));
        equal((await texts("DenseSparseRerank"))[0], "east wasp");
        await refuses("invalid-argument", () => found("alien" as never));
      },
      { models: { embedding: compass(), reranker: forWasps(), embedNames: false } },
    ),
  ),
  prove("T23", "scopes interleaved in one ranking, or one after another as they were requested", async () => {
    const kb = await openKnowledgeBase({ models: { embedding: compass() } });
    const pipeline = createRetrievalPipeline(kb);
    for (const [scope, id, text] of [
      ["user:ada", "u1", "north bee"],
      ["user:ada", "u2", "near bee"],
      ["team:a", "t1", "east bee"],
      ["deployment", "d1", "east bee bee"],
      ["team:b", "secret", "east bee"],
    ] as const)
      await pipeline.index(scope, { id, text });
    const request = {
      query: "east",
      minScore: 0,
      requestedScopes: ["user:ada", "team:b", "team:a", "deployment"],
    } as const;
    const ids = async (mergeStrategy: MergeStrategy, topK = 5) =>
      (await pipeline.retrieve({ ...request, mergeStrategy, topK }, ada)).map(
        ({ scope, chunk }) => `${scope} ${chunk.id}`,
      );
    equal((await ids("Interleaved")).length, 4);
    equal((await ids("Interleaved")).at(-1), "user:ada u1");
    equal(new Set((await ids("Interleaved", 2)).map((id) => id.split(" ")[0])), new Set(["deployment", "team:a"]));
    equal(await ids("Separate"), ["user:ada u2", "user:ada u1", "team:a t1", "deployment d1"]);
    equal(await ids("Separate", 3), ["user:ada u2", "user:ada u1", "team:a t1"]);
    await kb.close();
  }),
  prove(
    "T24",
    "the stages in their order: floor, merge, rerank of the pool, origins behind it, snippets last",
    async () => {
      const seen: (readonly string[])[] = [];
      const kb = await openKnowledgeBase({ models: { embedding: compass(), reranker: forWasps(seen) } });
      const pipeline = createRetrievalPipeline(kb, { snippetCharLimit: 32 });
      await pipeline.index("team:a", { id: "1", text: `east wasp ${"of many words ".repeat(9)}`, origin: "synthetic" });
      await pipeline.index("team:a", { id: "2", text: "near bee", origin: "note" });
      await pipeline.index("team:a", { id: "3", text: "north bee", origin: "note" });
      const request = {
        query: "east",
        requestedScopes: ["team:a"],
        mergeStrategy: "DenseSparseRerank",
        topK: 2,
      } as const;
      const ids = async (more: object) =>
        (await pipeline.retrieve({ ...request, ...more }, ada)).map(({ chunk }) => chunk.id);
      equal(await ids({}), ["1", "2"]);
      // The seed filters origins behind the cut to topK, so that fewer than topK are left; the later code filters before.
      equal(await ids({ originFilter: ["note"] }), ["2"]);
      holds(seen.at(-1)!.some((text) => text.includes("wasp")));
      equal(await ids({ originFilter: ["note"], mergeStrategy: "Interleaved", minScore: 0 }), ["2", "3"]);
      holds(!seen.at(-1)!.some((text) => text.includes("wasp")));
      const [first] = await pipeline.retrieve(request, ada);
      equal(first?.chunk.text, "east wasp of many words of many ");
      await kb.close();
    },
  ),
  prove(
    "T28",
    "a pool of four times the results, at least 32; a reranker sees a batch, the others follow",
    async () => {
      const seen: (readonly string[])[] = [];
      const texts = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`d${i}`, `east bee ${i}`]));
      for (const [topK, pool] of [
        [2, 32],
        [10, 40],
      ] as const)
        await withTexts(texts, async (kb) => equal((await kb.search("east bee", { topK })).length, topK), {
          models: { embedding: compass(), reranker: forWasps(seen) },
        }).then(() => equal(seen.at(-1)?.length, pool));
      await withTexts(
        { a: "east", b: "near", c: "north wasp" },
        async (kb) => {
          const hits = await kb.search("east", { mode: "dense", topK: 3 });
          equal([uris(hits), seen.at(-1)?.length], [["a", "b", "c"], 2]);
        },
        { models: { embedding: compass(), reranker: { ...forWasps(seen), maxBatchSize: 2 }, embedNames: false } },
      );
    },
  ),
  prove("T28", "boosts of .05 and .1; marginal relevance by words at .5; ties by scope and id", async () => {
    const texts = {
      a: { text: "east bee", metadata: { module: "x" } },
      b: { text: "east bee!", metadata: { module: "y" } },
      s: { text: "near east bee", metadata: { summary: true } },
    };
    const embedding = compass();
    const scores = (retriever: NonNullable<NonNullable<Parameters<typeof withTexts>[2]>["search"]>["retriever"]) =>
      withTexts(
        texts,
        async (kb) =>
          Object.fromEntries(
            (await kb.search("east", { mode: "dense" })).map(({ source, score }) => [source.uri, score.toFixed(3)]),
          ),
        { models: { embedding, embedNames: false }, ...(retriever && { search: { retriever } }) },
      );
    equal(await scores(undefined), { a: "1.000", b: "1.000", s: "0.800" });
    const boosted = await scores((base) =>
      boostHits(boostHits(base, { when: ({ metadata }) => metadata["module"] === "y", by: 0.05 }), {
        when: ({ metadata }) => metadata["summary"] === true,
        by: 0.1,
      }),
    );
    equal(boosted, { a: "1.000", b: "1.050", s: "0.900" });
    await withTexts(
      { one: "red bee", two: "red bee red", three: "blue fly" },
      async (kb) => {
        // By hand: .5 · 1 for the first; each word of the second is in the first, none of the third's.
        const hits = await kb.search("east", { mode: "dense", topK: 3, copies: "all" });
        equal(
          hits.map(({ source, score }) => [source.uri, Number(score.toFixed(3))]),
          [
            ["one", 0.5],
            ["three", 0.5],
            ["two", 0],
          ],
        );
      },
      {
        models: { embedding: createFixedEmbeddingModel({}, { dimensions: 1, otherwise: () => [1] }) },
        search: { retriever: (base) => diversify(base, { lambda: 0.5, by: "words" }) },
      },
    );
    const kb = await openKnowledgeBase({ models: { embedding: compass() } });
    const pipeline = createRetrievalPipeline(kb);
    for (const [scope, id] of [
      ["team:a", "2"],
      ["deployment", "9"],
      ["team:a", "1"],
    ] as const)
      await pipeline.index(scope, { id, text: "east" });
    const request = { query: "east", requestedScopes: ["team:a", "deployment"] } as const;
    equal(
      (await pipeline.retrieve(request, ada)).map(({ chunk }) => chunk.id),
      ["9", "1", "2"],
    );
    await kb.close();
  }),
  prove("T28", "a query that is too long is an event, and no model is asked", async () => {
    const events = createMemoryEventStore();
    const embedding = compass();
    await withTexts(
      { a: "east bee" },
      async (kb) => {
        const before = embedding.calls.length;
        await refuses("invalid-argument", () => kb.search("bee ".repeat(100_000)));
        equal(embedding.calls.length, before);
      },
      { models: { embedding }, operations: { events } },
    );
    const [event] = await all(events.read({ names: ["KnowledgeQueryTooLarge"] }));
    equal(event?.stream, "_platform.retrieval");
    holds(!JSON.stringify(event).includes("bee bee"));
  }),
  prove("T45", "five results, a floor of .3, dense alone, 1,500 characters; each within its bounds", async () => {
    const texts = Object.fromEntries(
      Array.from({ length: 7 }, (_, i) => [`d${i}`, `east ${"long words here ".repeat(120)} ${i}`]),
    );
    await withTexts(
      { ...texts, far: "north" },
      async (kb) => {
        const scopes = { query: "east", requestedScopes: ["deployment"] } as const;
        const pipeline = createRetrievalPipeline(kb);
        const found = await pipeline.retrieve(scopes, ada);
        equal([found.length, Math.max(...found.map(({ chunk }) => chunk.text.length))], [5, 1500]);
        const all8 = await pipeline.retrieve({ ...scopes, topK: 100 }, ada);
        equal(all8.filter(({ chunk }) => chunk.text === "north").length, 0);
        equal((await pipeline.retrieve({ ...scopes, topK: 100, minScore: 0 }, ada)).at(-1)?.chunk.text, "north");
        for (const more of [{ topK: 0 }, { topK: 101 }, { minScore: 1.1 }, { minScore: -1 }])
          await refuses("invalid-argument", () => pipeline.retrieve({ ...scopes, ...more }, ada));
        for (const snippetCharLimit of [31, 8193])
          await refuses("invalid-argument", () => createRetrievalPipeline(kb, { snippetCharLimit }));
        await refuses("invalid-argument", () => createPromptBuilder(kb, { snippetLimit: 8193 }));
        for (const lambda of [-0.1, 1.1])
          await refuses("invalid-argument", () => diversify({ retrieve: async () => [] }, { lambda }));
        const { hits } = await createPromptBuilder(kb).build("east");
        holds(hits.length === 5 && hits.every(({ text }) => text.length <= 1500));
      },
      { models: { embedding: compass(), embedNames: false }, chunker: createWholeChunker() },
    );
  }),
  prove("T46", "without a message nothing is searched; where nothing is found, the section says so", async () => {
    let searches = 0;
    await withTexts(
      { a: "Bees hum." },
      async (kb) => {
        const builder = createPromptBuilder(kb);
        equal((await builder.build([{ role: "system", content: "Be kind." }])).section, "");
        equal(searches, 0);
        const conversation = [
          { role: "user", content: "Do bees hum?" },
          { role: "assistant", content: "They do." },
          { role: "user", content: "quarterly zeppelins" },
        ] as const;
        matches(
          (await builder.build(conversation)).section,
          /## Retrieved context\n\nKnowledge-base search ran for this turn and returned no relevant matches\.$/u,
        );
        equal(searches, 1);
      },
      { operations: { tracer: { trace: () => void (searches += 1), miss() {} } } },
    );
  }),
];
