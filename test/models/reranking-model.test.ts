import { MockRerankingModelV3, MockRerankingModelV4 } from "ai/test";
import { afterEach, describe, expect, it } from "vitest";

import { isAiSdkRerankingModel } from "../../src/models/ai-sdk/ai-sdk-model.ts";
import { fromAiSdkRerankingModel } from "../../src/models/ai-sdk/reranking-model.ts";
import { resolveReranker } from "../../src/models/hosted/resolve-model.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { type ModelServer, sendJson, startModelServer } from "../support/model-server.ts";
import { embeddingModelV2, languageModelV2 } from "./hand-written-models.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A server that scores a text by its length, best first. */
async function serve(answer?: Parameters<typeof startModelServer>[0]): Promise<ModelServer> {
  const server = await startModelServer(
    answer ??
      ((request, response) => {
        const documents = request.body["documents"] as readonly string[];
        const results = documents.map((text, index) => ({ index, relevance_score: text.length / 10 }));
        sendJson(response, 200, { results: results.toSorted((a, b) => b.relevance_score - a.relevance_score) });
      }),
  );
  servers.push(server);
  return server;
}

const ranking = (scores: readonly (readonly [number, number])[]) => ({
  ranking: scores.map(([index, relevanceScore]) => ({ index, relevanceScore })),
});

describe("a reranking model of the AI SDK", () => {
  const makers = { v3: MockRerankingModelV3, v4: MockRerankingModelV4 };
  it.each(Object.entries(makers))(
    "of specification %s gives scores in the order of the texts [T28 B33]",
    async (_, Mock) => {
      const calls: unknown[] = [];
      const model = new Mock({
        provider: "hand.reranking",
        modelId: "r",
        doRerank: async (call: unknown) => {
          calls.push(call);
          return ranking([
            [2, 0.9],
            [0, 0.5],
            [1, -3],
          ]);
        },
      });
      expect(isAiSdkRerankingModel(model)).toBe(true);
      const reranker = fromAiSdkRerankingModel(model, { maxBatchSize: 3, providerOptions: { hand: { a: 1 } } });
      expect([reranker.name, reranker.maxBatchSize]).toEqual(["hand/r", 3]);
      expect(await reranker.rerank("q", ["a", "b", "c"])).toEqual([0.5, -3, 0.9]);
      expect(calls).toEqual([
        {
          query: "q",
          documents: { type: "text", values: ["a", "b", "c"] },
          topN: 3,
          providerOptions: { hand: { a: 1 } },
        },
      ]);
      expect(await reranker.rerank("q", [])).toEqual([]);
    },
  );

  it.each([
    ["a text without a score", ranking([[0, 1]])],
    [
      "a text twice",
      ranking([
        [0, 1],
        [0, 2],
      ]),
    ],
    [
      "a text that was not sent",
      ranking([
        [0, 1],
        [2, 2],
      ]),
    ],
    [
      "no number",
      ranking([
        [0, 1],
        [1, Number.NaN],
      ]),
    ],
    ["no ranking", {}],
    ["nothing", undefined],
  ])("that answers with %s is invalid-response [W11]", async (_, answer) => {
    const reranker = fromAiSdkRerankingModel({
      specificationVersion: "v4",
      provider: "p",
      modelId: "m",
      doRerank: async () => answer,
    });
    await expect(reranker.rerank("q", ["a", "b"])).rejects.toMatchObject({ code: "invalid-response" });
  });

  it("is not taken for another kind, nor another kind for it", () => {
    for (const other of [embeddingModelV2({}), languageModelV2({}), "cohere/rerank", undefined])
      expect(() => fromAiSdkRerankingModel(other as never)).toThrow(/Expected an AI SDK reranking model/u);
    expect(() => fromAiSdkRerankingModel(new MockRerankingModelV4(), { maxBatchSize: 0 })).toThrow(/maxBatchSize/u);
  });

  it("reranks a knowledge base's hits as it is", async () => {
    const model = new MockRerankingModelV4({
      provider: "hand",
      modelId: "r",
      doRerank: async ({ documents }) =>
        ranking(documents.values.map((text, index) => [index, JSON.stringify(text).includes("tea") ? 1 : 0])),
    });
    const kb = await openKnowledgeBase({ models: { reranker: model } });
    await kb.ingest([
      { uri: "keys.txt", text: "keys keys keys" },
      { uri: "tea.txt", text: "keys and tea" },
    ]);
    expect((await kb.search("keys")).map(({ source, score }) => [source.uri, score])).toEqual([
      ["tea.txt", 1],
      ["keys.txt", 0],
    ]);
    await kb.close();
  });
});

describe("a reranker by name", () => {
  it("is any server with POST /rerank, with a key when there is one [W41]", async () => {
    const { url, requests } = await serve();
    const reranker = await resolveReranker(`openai-compatible/bge-reranker@${url}/v1`, {
      env: { OPENAI_COMPATIBLE_API_KEY: "k" },
    });
    expect(reranker.name).toBe("openai-compatible/bge-reranker");
    expect(await reranker.rerank("q", ["four", "a", "seventh"])).toEqual([0.4, 0.1, 0.7]);
    expect(requests).toMatchObject([
      {
        path: "/v1/rerank",
        headers: { authorization: "Bearer k" },
        body: { model: "bge-reranker", query: "q", documents: ["four", "a", "seventh"] },
      },
    ]);
  });

  it.each([
    [
      "rate-limited",
      "rate-limited",
      (response) => sendJson(response, 429, { error: "slow down" }, { "retry-after": "3" }),
    ],
    ["broken", "model-failed", (response) => sendJson(response, 500, {})],
    ["malformed", "invalid-response", (response) => void response.writeHead(200).end("<html>")],
    ["of another form", "invalid-response", (response) => sendJson(response, 200, { data: [] })],
    [
      "one short",
      "invalid-response",
      (response) => sendJson(response, 200, { results: [{ index: 0, relevance_score: 1 }] }),
    ],
    ["cut off", "model-failed", (response) => response.destroy()],
  ] as const satisfies readonly (readonly [
    string,
    string,
    (response: Parameters<Parameters<typeof startModelServer>[0]>[1]) => void,
  ])[])("that is %s is %s, without a word of what it was sent [W11 W41 L10]", async (_, code, answer) => {
    const { url } = await serve((_request, response) => void answer(response));
    const reranker = await resolveReranker(`openai-compatible/m@${url}`, { env: {} });
    const failed: unknown = await reranker
      .rerank("Why was Mallory dismissed?", ["In March.", "In May."])
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ code, details: { provider: "openai-compatible", model: "m" } });
    expect(String(failed)).not.toContain("Mallory");
  });

  it("stops when it is told to", async () => {
    const { url, requests } = await serve(() => {});
    const reranker = await resolveReranker(`openai-compatible/m@${url}`, { env: {} });
    const stop = new AbortController();
    const call = reranker.rerank("q", ["a"], { signal: stop.signal });
    while (requests.length === 0) await new Promise((resolve) => void setTimeout(resolve, 5));
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "aborted" });
  });

  it("cohere is asked by its package, and others say who reranks", async () => {
    const asked: unknown[] = [];
    const model = new MockRerankingModelV4({ provider: "cohere.reranking", modelId: "rerank-x" });
    const load = async (name: string): Promise<unknown> => (
      asked.push(name),
      { createCohere: (settings: object) => ({ rerankingModel: (id: string) => (asked.push(id, settings), model) }) }
    );
    expect((await resolveReranker("cohere/rerank-x", { env: { COHERE_API_KEY: "k" }, load })).name).toBe(
      "cohere/rerank-x",
    );
    expect(asked).toEqual(["@ai-sdk/cohere", "rerank-x", { apiKey: "k" }]);
    await expect(resolveReranker("ollama/x", { env: {} })).rejects.toMatchObject({
      code: "invalid-argument",
      hint: "Providers that have: openai-compatible, cohere.",
    });
  });
});
