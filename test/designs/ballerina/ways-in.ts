import { openKnowledgeBase } from "ibid";
import { createInMemoryVectorStore } from "ibid/compat";
import { createHashingModel } from "ibid/models";
import type { SpanStart } from "ibid/operations";
import { equal, matches, putVectors, reading, refuses, version, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

export const waysIn = [
  prove("B5", "a text document is taken as Ballerina writes it", () =>
    withTexts({}, async (kb) => {
      const metadata = { fileName: "leave.md", mimeType: "text/markdown", department: "HR" };
      const { added } = await kb.ingest([
        { type: "text", content: "# Leave\n\nStaff have 30 days.", metadata },
        { type: "text", content: "Visitors park behind the house." },
      ]);
      equal(added, 2);
      const [hit] = await kb.search("days", { filter: { department: "HR" } });
      equal([hit?.source.uri, hit?.source.headings, hit?.text.includes("30 days")], ["leave.md", ["Leave"], true]);
      matches((await kb.search("visitors"))[0]?.source.uri, /^text:[0-9a-f]{32}$/u);
      equal((await kb.ingest({ type: "text", content: "Visitors park behind the house." })).unchanged, 1);
      await refuses("invalid-argument", () => kb.ingest({ type: "text", metadata } as never));
    }),
  ),
  prove("B20", "a filter alone finds every match, in the order of insertion on request; no filter, every chunk", () =>
    withTexts({}, async (kb) => {
      for (const uri of ["c", "a", "d", "b"])
        await kb.ingest({ uri, text: `Letter ${uri}.`, metadata: { even: uri === "b" || uri === "d" } });
      const found = async (options: Parameters<typeof kb.find>[0]): Promise<readonly string[]> =>
        (await kb.find(options)).map(({ chunk }) => chunk.uri);
      equal(await found({}), ["a", "b", "c", "d"]);
      equal(await found({ order: "inserted" }), ["c", "a", "d", "b"]);
      equal(await found({ filter: { even: true }, order: "inserted" }), ["d", "b"]);
      equal(await found({ filter: { even: true }, order: "inserted", topK: 1 }), ["d"]);
      equal(new Set((await kb.find()).map(({ score }) => score)), new Set([0]));
      equal(await found({ filter: { even: "no" } }), []);
      equal((await kb.as({ userId: "u" }).find({ scopes: ["user:u"] })).length, 0);
    }),
  ),
  prove("B20", "a count below 1 asks the store of that name for every entry", async () => {
    const entries = ["a", "b", "c", "d", "e"].map((id, i) => ({ id, vector: [i, 1], metadata: { odd: i % 2 === 1 } }));
    const store = createInMemoryVectorStore();
    await putVectors(store, entries);
    const filter = { op: "eq", key: "odd", value: true } as const;
    for (const topK of [-1, 0, "all"] as const) {
      equal(
        (await store.search(reading, { topK })).map(({ score }) => score),
        [0, 0, 0, 0, 0],
      );
      equal(
        (await store.search(reading, { topK, filter })).map(({ chunk }) => chunk.id),
        ["b", "d"],
      );
      equal((await store.search(reading, { topK, embedding: [1, 0], version })).length, 5);
      const own = createInMemoryVectorStore({ topK });
      await putVectors(own, entries);
      equal((await own.search(reading, { embedding: [1, 0], version })).length, 5);
    }
    equal((await store.search(reading, {})).length, 5);
    equal((await store.search(reading, { filter })).length, 2);
    equal((await store.search(reading, { embedding: [1, 0], version })).length, 3);
  }),
  prove("B25", "a store's own topK holds in a knowledge base over it, unless the caller chose", async () => {
    const open = (topK?: number) =>
      openKnowledgeBase({
        store: createInMemoryVectorStore(topK === undefined ? {} : { topK }),
        models: { embedding: createHashingModel() },
      });
    for (const [topK, expected] of [
      [undefined, 3],
      [2, 2],
    ] as const) {
      const kb = await open(topK);
      await kb.ingest(Array.from({ length: 6 }, (_, i) => ({ uri: `${i}`, text: `Bees hum ${i}.` })));
      equal((await kb.search("bees hum")).length, expected);
      equal((await kb.search("bees hum", { topK: 5 })).length, 5);
      await kb.close();
    }
  }),
  prove("B53", "spans of creating, embedding, ingesting and retrieving, with filter, limit and counts", async () => {
    const spans: (SpanStart & { end?: unknown })[] = [];
    const telemetry = {
      span(start: SpanStart) {
        const span: (typeof spans)[number] = { ...start };
        spans.push(span);
        return {
          within: <Result>(work: () => Result): Result => work(),
          end: (outcome: unknown) => void (span.end = outcome),
        };
      },
    };
    await withTexts(
      { a: "Bees hum." },
      async (kb) => kb.search("bees", { topK: 3, filter: { kind: { exists: false } }, minScore: 0.1 }),
      { operations: { telemetry }, models: { embedding: createHashingModel() } },
    );
    equal(
      spans.map(({ operation }) => operation),
      ["create", "ingest", "embeddings", "retrieval", "embeddings"],
    );
    const retrieval = spans.find(({ operation }) => operation === "retrieval");
    equal(retrieval, {
      operation: "retrieval",
      topK: 3,
      mode: "hybrid",
      query: "bees",
      filter: { kind: { exists: false } },
      minScore: 0.1,
      end: (retrieval as { end: unknown }).end,
    });
    equal(Object.keys((retrieval!.end as { facts: object }).facts), ["resultCount", "topScore"]);
    const ingest = spans.find(({ operation }) => operation === "ingest");
    equal((ingest!.end as { facts: { added: number } }).facts.added, 1);
  }),
];
