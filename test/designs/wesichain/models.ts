import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type IbidErrorCode, openKnowledgeBase } from "ibid";
import { createHostedEmbeddingModel, type EmbeddingModel, resolveEmbeddingModel } from "ibid/models";
import { type Chunker, createSectionChunker } from "ibid/chunkers";
import { createRetrieverNode } from "ibid/compat";
import { createEmbeddingModelPack } from "ibid/testing";
import { type Asked, embeddings, type Told, withEndpoint } from "../endpoint.ts";
import { fixed } from "../fixed.ts";
import { equal, holds, matches, refuses, uris, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

/** A text as how many letters it has of each of eight kinds. */
const letters = (text: string): readonly number[] =>
  Array.from({ length: 8 }, (_, i) => 1 + Array.from(text).filter((letter) => letter.codePointAt(0)! % 8 === i).length);
const openAi = async (url: string): Promise<EmbeddingModel> =>
  createHostedEmbeddingModel({ serviceUrl: `${url}/v1`, accessToken: "k", model: "text-embedding-3-small" });
const ollama = (url: string): Promise<EmbeddingModel> =>
  resolveEmbeddingModel("ollama/nomic-embed-text", { env: { OLLAMA_HOST: url } });
const providers = { openai: openAi, ollama };

/** The error of an embedding whose provider answers so. */
const failing = (code: IbidErrorCode, answer: (asked: Asked) => Told | undefined) =>
  withEndpoint(answer, async (url) => {
    const model = await openAi(url);
    let calls = 0;
    const counted: EmbeddingModel = { ...model, embed: (...call) => (calls++, model.embed(...call)) };
    const kb = await openKnowledgeBase({ models: { embedding: counted } });
    const { failures } = await kb.ingest([{ uri: "a", text: "One text." }]);
    await kb.close();
    equal([failures.map(({ error }) => error.code), calls], [[code], 1]);
    return failures[0]!.error;
  });

const storage = {
  "vectors.txt": "A vector store keeps embeddings.",
  "queues.txt": "A bounded queue refuses work.",
};

export const models = [
  prove("W2", "a failing model is asked once: nothing is tried again", async () => {
    const good = fixed({ "One.": [1, 0], "Two.": [0, 1] });
    let failed = 0;
    const embedding: EmbeddingModel = {
      ...good,
      async embed(inputs, options) {
        if (options.purpose === "document" && good.calls.length === 0) return good.embed(inputs, options);
        failed++;
        throw new Error("down");
      },
    };
    const kb = await openKnowledgeBase({ models: { embedding } });
    equal((await kb.ingest([{ uri: "a", text: "One." }])).added, 1);
    equal((await kb.ingest([{ uri: "b", text: "Two." }])).failed, 1);
    equal(failed, 1);
    await refuses("embedding-failed", () => kb.search("One.", { mode: "dense" }));
    equal(failed, 2);
    await kb.close();
  }),
  prove("W3", "a provider over HTTP, a store, a node of a graph, and how long indexing and querying took", () =>
    withEndpoint(
      (asked) => embeddings(asked, letters),
      async (url) =>
        withTexts(
          storage,
          async (kb) => {
            const node = createRetrieverNode(kb, { mode: "dense", topK: 1 });
            equal((await node({ query: storage["queues.txt"] })).retrievedDocs[0]?.content, storage["queues.txt"]);
            const { flush, embedding, retrieval } = await kb.health();
            equal([flush.count, retrieval.count], [2, 1]);
            for (const { mean, max } of [flush, embedding, retrieval]) holds(mean > 0 && max >= mean);
          },
          { models: { embedding: await openAi(url) } },
        ),
    ),
  ),
  prove("W6", "the texts of a document go to the model in one batch, a query alone", async () => {
    const embedding = fixed({ one: [1, 0], two: [0, 1], three: [1, 1] });
    const kb = await openKnowledgeBase({ models: { embedding } });
    await kb.ingest({ uri: "a", chunks: [{ text: "one" }, { text: "two" }, { text: "three" }] });
    equal(
      embedding.calls.map(({ inputs, purpose }) => [inputs.length, purpose]),
      [[3, "document"]],
    );
    await kb.search("one", { mode: "dense" });
    equal(
      embedding.calls.slice(1).map(({ inputs, purpose }) => [inputs, purpose]),
      [[["one"], "query"]],
    );
    equal(
      (await kb.status()).embeddingVersions.map(({ dimensions, chunks }) => [dimensions, chunks]),
      [[2, 3]],
    );
    await kb.close();
  }),
  prove("W6", "fifty short documents of one list go to the model in a few requests", async () => {
    const documents = Array.from({ length: 50 }, (_, i) => ({ uri: `${i}.md`, text: `Text number ${i}.` }));
    // The model answers when the last document is cut, so that those after the first have to wait.
    const isCut = Promise.withResolvers<void>();
    let cut = 0;
    const inner = createSectionChunker();
    const chunker: Chunker = {
      fingerprint: `${inner.fingerprint}, counted`,
      chunk(...given) {
        if (++cut === documents.length) isCut.resolve();
        return inner.chunk(...given);
      },
    };
    const model = fixed(Object.fromEntries(documents.map(({ text }, i) => [text, [1, i]])));
    const embedding: EmbeddingModel = {
      ...model,
      embed: async (...call) => (await isCut.promise, model.embed(...call)),
    };
    const kb = await openKnowledgeBase({ models: { embedding }, chunker });
    equal((await kb.ingest(documents)).added, 50);
    equal(
      model.calls.reduce((sum, { inputs }) => sum + inputs.length, 0),
      50,
    );
    holds(model.calls.length <= 10, `${model.calls.length} requests`);
    equal(uris(await kb.search("Text number 7.", { mode: "dense", topK: 1 })), ["7.md"]);
    await kb.close();
  }),
  prove("W11", "rate limited, with how long to wait", async () => {
    const error = await failing("rate-limited", () => ({
      status: 429,
      headers: { "retry-after": "7" },
      body: { error: { message: "Slow down." } },
    }));
    equal(error.details["retryAfterMs"], 7000);
  }),
  prove("W11", "no answer in time", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const serviceUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const model = createHostedEmbeddingModel({ serviceUrl, accessToken: "k", timeoutMs: 20 });
    await refuses("timeout", () => model.embed(["a"], { purpose: "query" }));
    silent.closeAllConnections();
    silent.close();
  }),
  prove("W11", "an answer that is none, and a provider that fails", async () => {
    await failing("invalid-response", () => ({ body: "no JSON" }));
    await failing("invalid-response", () => ({ body: { object: "list", data: [] } }));
    const error = await failing("embedding-failed", () => ({
      status: 500,
      body: { error: { message: "The disk is full." } },
    }));
    matches(error.message, /500/u);
    holds(error.cause instanceof Error);
  }),
  prove("W13", "the first failure is told at once, and keeps its cause", async () => {
    const cause = new Error("no route");
    const embedding: EmbeddingModel = {
      provider: "own",
      model: "down",
      kind: "dense",
      dimensions: 2,
      embed: async () => {
        throw cause;
      },
    };
    const kb = await openKnowledgeBase({ models: { embedding } });
    const [failure] = (await kb.ingest([{ uri: "a", text: "One." }])).failures;
    equal([failure?.error.code, failure?.error.cause], ["embedding-failed", cause]);
    equal((await kb.status()).documents, 0);
    await kb.close();
  }),
  ...Object.entries(providers).flatMap(([name, resolve]) => [
    prove("W41", `${name} keeps the contract of embedding models against an HTTP server`, () =>
      withEndpoint(
        (asked) => embeddings(asked, letters),
        async (url) => {
          const cases = createEmbeddingModelPack({ create: () => resolve(url), tolerance: 1e-6 });
          holds(cases.length > 3);
          for (const { run } of cases) await run();
        },
      ),
    ),
    prove("W44", `indexing and querying with ${name}`, () =>
      withEndpoint(
        (asked) => embeddings(asked, letters),
        async (url) =>
          withTexts(
            storage,
            async (kb) => {
              const hits = await kb.search(storage["vectors.txt"], { mode: "dense" });
              equal(uris(hits), ["vectors.txt", "queues.txt"]);
              holds(hits[0]!.score > hits[1]!.score);
            },
            { models: { embedding: await resolve(url) } },
          ),
      ),
    ),
  ]),
];
