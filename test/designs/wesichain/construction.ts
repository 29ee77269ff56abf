import { openKnowledgeBase } from "ibid";
import { createGate, operator } from "ibid/access";
import { createRetrieverNode } from "ibid/compat";
import { createHashingModel, createHostedEmbeddingModel } from "ibid/models";
import { createMemoryStore, fromVectorStore } from "ibid/stores";
import { createSeparatorChunker } from "ibid/chunkers";
import { all, equal, holds, matches, plain, refuses, withTexts } from "../kit.ts";
import { embeddings, withEndpoint } from "../endpoint.ts";
import { prove } from "../prove.ts";

const failing = (operation: "add" | "query") => {
  const fail = (): never => {
    throw new Error("disk on fire");
  };
  const vectors = { add: () => undefined, query: () => [], delete: () => undefined, [operation]: fail };
  return openKnowledgeBase({
    store: fromVectorStore(vectors, { name: "Pinebox" }),
    models: { embedding: createHashingModel({ dimensions: 8 }) },
  });
};

export const construction = [
  prove(
    "W12",
    "a wrong dimension with both numbers; a store's own failure with its name, operation and cause",
    async () => {
      await withTexts({}, async (kb) => {
        await kb.ingest({ uri: "a", chunks: [{ text: "A.", embedding: [1, 0] }] });
        const wrong = await refuses("dimension-mismatch", () => kb.searchVector([1, 0, 0]));
        equal(wrong.message, "dimension mismatch: expected 2, got 3");
        equal([wrong.details["expected"], wrong.details["got"]], [2, 3]);
        const again = await refuses("dimension-mismatch", () =>
          kb.ingest({ uri: "b", chunks: [{ text: "B.", embedding: [1, 0, 0] }] }),
        );
        equal(again.message, "dimension mismatch: expected 2, got 3");
        const id = await refuses("invalid-id", () => kb.ingest({ uri: "c", chunks: [{ text: "C.", id: " " }] }));
        matches(id.message, /^invalid document id: chunk 0/u);
      });
    },
  ),
  prove("W30", "errors of a foreign store reach the caller as store-failed", async () => {
    const writing = await failing("add");
    const added = await refuses("store-failed", () => writing.ingest({ uri: "a", text: "Bees hum." }));
    equal(added.details, { store: "Pinebox", operation: "add" });
    equal((added.cause as Error).message, "disk on fire");
    matches(added.message, /^Pinebox failed to add entries: disk on fire$/u);
    await writing.close();
    const reading = await failing("query");
    await reading.ingest({ uri: "a", text: "Bees hum." });
    const asked = await refuses("store-failed", () => reading.search("hum", { mode: "dense" }));
    equal(asked.details, { store: "Pinebox", operation: "query" });
    await reading.close();
  }),
  prove("W14", "retries, a timeout and the dimensions are given when a model is made", async () => {
    let calls = 0;
    await withEndpoint(
      (asked) =>
        ++calls < 3 ? { status: 503, body: { error: { message: "busy" } } } : embeddings(asked, () => [1, 0, 0]),
      async (serviceUrl) => {
        const service = { serviceUrl, accessToken: "t" };
        const once = createHostedEmbeddingModel({ ...service, dimensions: 3 });
        equal(once.dimensions, 3);
        await refuses("embedding-failed", () => once.embed(["a"], { purpose: "query" }));
        equal(calls, 1);
        const patient = createHostedEmbeddingModel({ ...service, dimensions: 3, maxRetries: 2 });
        equal((await patient.embed(["a"], { purpose: "query" })).embeddings.length, 1);
        equal(calls, 3);
        const kb = await openKnowledgeBase({
          models: { embedding: createHostedEmbeddingModel({ ...service, dimensions: 2 }) },
        });
        const [result] = await all(kb.ingest({ uri: "a", text: "Bees." }));
        equal(result?.error?.code, "dimension-mismatch");
        await kb.close();
        await refuses("invalid-argument", () => createHostedEmbeddingModel({ ...service, maxRetries: -1 }));
      },
    );
    await withEndpoint(
      () => undefined,
      async (serviceUrl) => {
        const model = createHostedEmbeddingModel({ serviceUrl, accessToken: "t", timeoutMs: 50 });
        await refuses("timeout", () => model.embed(["a"], { purpose: "query" }));
      },
    );
  }),
  prove("W16", "ids are generated on request, and required by default", () =>
    withTexts({}, async (kb) => {
      await refuses("invalid-id", async () => {
        const { failures } = await kb.ingest({ uri: " ", text: "Bees hum." });
        throw failures[0]?.error ?? new Error("It was taken.");
      });
      await refuses("invalid-id", () => kb.ingest({ uri: "a", chunks: [{ text: "One.", id: "" }] }));
      const texts = [
        { uri: "", text: "Bees hum." },
        { uri: "", text: "Wasps sting." },
      ];
      equal((await kb.ingest(texts, { ids: "generate" })).added, 2);
      equal((await kb.ingest(texts, { ids: "generate" })).unchanged, 2);
      await kb.ingest({ uri: "c", chunks: [{ text: "Ants march.", id: "" }] }, { ids: "generate" });
      const [ant] = await kb.search("ants");
      matches(ant?.chunkId, /^[0-9a-f]{32}$/u);
    }),
  ),
  prove("W26", "a node owns its store, its model, its count and its threshold", async () => {
    const store = createMemoryStore();
    const embeddingModel = createHashingModel({ dimensions: 64 });
    const kb = await openKnowledgeBase({ store, models: { embedding: embeddingModel } });
    await kb.ingest([
      { uri: "bees", text: "Bees hum in the garden." },
      { uri: "tax", text: "Tax returns are due in May." },
    ]);
    const scopes = createGate().read(operator, ["deployment"]);
    const node = createRetrieverNode({ store, embeddingModel, scopes }, { topK: 1, scoreThreshold: 0.2 });
    const { retrievedDocs } = await node({ query: "bees hum in the garden" });
    equal(
      retrievedDocs.map(({ content }) => content),
      ["Bees hum in the garden."],
    );
    equal((await node({ query: "entirely different" })).retrievedDocs, []);
    await refuses("node-failed", () => node({ query: "" }));
    await kb.close();
  }),
  prove("W18", "recursive splitting is lossless: the pieces joined are the text", () => {
    const split = (text: string, maxSize: number): readonly string[] =>
      Array.from(
        createSeparatorChunker({ maxSize, overlap: 0, lossless: true }).chunk(plain("a", text)),
        (chunk) => chunk.text,
      );
    equal(split("aa aa\n\nbb bb\n\ncc cc", 8), ["aa aa\n\n", "bb bb\n\n", "cc cc"]);
    for (const text of [
      "  lead and trail  \n",
      "a".repeat(50),
      "x\n\n\n\n\n\n\n\n\n\n\n\ny z",
      " \n ",
      "Grüße, 世界! 👩‍👩‍👧 done",
    ])
      for (const size of [3, 8, 20]) {
        const pieces = split(text, size);
        equal(pieces.join(""), text);
        if (!text.includes("👩")) holds(pieces.every((piece) => piece.length <= size));
      }
  }),
];
