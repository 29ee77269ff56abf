import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { MockEmbeddingModelV3, MockEmbeddingModelV4 } from "ai/test";
import { afterEach, describe, expect, it } from "vitest";

import { fromAiSdkEmbeddingModel } from "../../src/models/ai-sdk/embedding-model.ts";
import type { AiSdkEmbeddingOptions } from "../../src/models/ai-sdk/embedding-model.ts";
import type { EmbeddingInput, EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import { type OpenAiScript, type OpenAiServer, startOpenAiServer, vectorOf } from "../support/openai-server.ts";
import { embeddingModelV2 } from "./hand-written-models.ts";

let server: OpenAiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(
  script: OpenAiScript,
  options?: AiSdkEmbeddingOptions,
): Promise<{ server: OpenAiServer; model: EmbeddingModel }> {
  server = await startOpenAiServer(script);
  const provider = createOpenAICompatible({ name: "local", baseURL: server.url });
  return { server, model: fromAiSdkEmbeddingModel(provider.embeddingModel("embed-test"), options) };
}

const asDocument = { purpose: "document" } as const;
const asQuery = { purpose: "query" } as const;
const chunk = { type: "text-chunk", id: "1", text: "title\nkeys rotate", urtext: "keys rotate" } as EmbeddingInput;

describe("an embedding model of the AI SDK, over HTTP", () => {
  it("says who it is: provider, model, and no dimensions until it is told [T36 W6]", async () => {
    const { model } = await serve({});
    expect(model).toMatchObject({
      provider: "local",
      model: "embed-test",
      kind: "dense",
      dimensions: undefined,
      fingerprint: "",
      maxBatchSize: 2048,
    });
  });

  it("embeds strings and chunks in one call, in order, with the tokens counted [B13 B14 T36 W6]", async () => {
    const { server, model } = await serve({ embeddings: 8 });
    const result = await model.embed(["alpha beta", chunk, "gamma"], asDocument);
    expect(result).toEqual({
      embeddings: [vectorOf("alpha beta", 8), vectorOf("title\nkeys rotate", 8), vectorOf("gamma", 8)],
      tokens: 6,
    });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.body["input"]).toEqual(["alpha beta", "title\nkeys rotate", "gamma"]);
  });

  it("embeds nothing without asking anybody", async () => {
    const { server, model } = await serve({});
    expect(await model.embed([], asDocument)).toEqual({ embeddings: [] });
    expect(server.requests).toEqual([]);
  });

  it("refuses documents that are not text before anything is sent [B16]", async () => {
    const { server, model } = await serve({});
    for (const type of ["image", "audio", "file", "binary"] as const) {
      const media = { type, content: new Uint8Array([1]), metadata: {} };
      await expect(model.embed(["text", media], asDocument)).rejects.toMatchObject({
        code: "unsupported-input",
        message: expect.stringContaining("only texts and text chunks are supported") as string,
      });
    }
    expect(server.requests).toEqual([]);
  });

  it("writes its prefixes before documents and queries [T36]", async () => {
    const { server, model } = await serve({}, { prefixes: { query: "query: ", document: "passage: " } });
    await model.embed(["a", chunk], asDocument);
    await model.embed(["a"], asQuery);
    expect(server.requests.map((request) => request.body["input"])).toEqual([
      ["passage: a", "passage: title\nkeys rotate"],
      ["query: a"],
    ]);
  });

  it("asks a v4 model for the dimensions that it was given [W14]", async () => {
    const { server, model } = await serve({}, { dimensions: 4 });
    expect(model.dimensions).toBe(4);
    const { embeddings } = await model.embed(["a"], asDocument);
    expect(embeddings).toEqual([vectorOf("a", 4)]);
    expect(server.requests[0]?.body["dimensions"]).toBe(4);
  });

  it.each([
    ["fewer", [[1, 0]]],
    ["more", [[1], [2], [3]]],
    ["no", []],
  ])("refuses an answer with %s embeddings than texts [B16 W11 W14]", async (_, embeddings) => {
    const { model } = await serve({ embeddings });
    await expect(model.embed(["a", "b"], asDocument)).rejects.toMatchObject({
      code: "invalid-response",
      details: { expected: 2, got: embeddings.length },
    });
  });

  it("works through @ai-sdk/openai too, with its options by purpose [T36 W14]", async () => {
    server = await startOpenAiServer({ embeddings: 3 });
    const model = fromAiSdkEmbeddingModel(
      createOpenAI({ baseURL: server.url, apiKey: "k" }).embeddingModel("embed-test"),
      {
        queryOptions: { openai: { user: "asker" } },
        documentOptions: { openai: { user: "writer" } },
      },
    );
    expect(model.provider).toBe("openai");
    await model.embed(["a"], asDocument);
    await model.embed(["a"], asQuery);
    expect(server.requests.map((request) => request.body["user"])).toEqual(["writer", "asker"]);
  });

  it("splits by bytes where the package says how many a call may carry", async () => {
    server = await startOpenAiServer({ embeddings: 2 });
    const model = fromAiSdkEmbeddingModel(
      createOpenAI({ baseURL: server.url, apiKey: "k" }).embeddingModel("embed-test"),
    );
    // OpenAI's package says 300,000 bytes; each of these has 120,000 in UTF-8 and 40,000 in UTF-16.
    const texts = ["あ", "い", "う", "え"].map((letter) => letter.repeat(40_000));
    const { embeddings } = await model.embed(texts, asDocument);
    expect(embeddings).toEqual(texts.map((text) => vectorOf(text, 2)));
    expect(server.requests.map((request) => (request.body["input"] as string[]).length)).toEqual([2, 2]);
  });

  it("ends a call when its signal fires, and sends nothing when it fired before", async () => {
    const { server, model } = await serve({ embeddings: { fault: "silence" } });
    const controller = new AbortController();
    const calling = model.embed(["a"], { ...asDocument, signal: controller.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort();
    await expect(calling).rejects.toMatchObject({ code: "aborted" });
    await expect(model.embed(["a"], { ...asDocument, signal: controller.signal })).rejects.toMatchObject({
      code: "aborted",
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe("an embedding model of each specification", () => {
  const embeddings = (values: readonly string[]): number[][] =>
    values.map((value) => [value.length, value.codePointAt(0) ?? 0]);
  const v3 = new MockEmbeddingModelV3({
    maxEmbeddingsPerCall: 2,
    doEmbed: async ({ values }) => ({ embeddings: embeddings(values), usage: { tokens: values.length }, warnings: [] }),
  });
  const v4 = new MockEmbeddingModelV4({
    maxEmbeddingsPerCall: 2,
    doEmbed: async ({ values }) => ({ embeddings: embeddings(values), usage: { tokens: values.length }, warnings: [] }),
  });
  const v2 = embeddingModelV2({ maxEmbeddingsPerCall: 2, usage: { tokens: 2 } });

  it.each([
    ["v2", v2, (): unknown[] => v2.calls],
    ["v3", v3, (): unknown[] => v3.doEmbedCalls],
    ["v4", v4, (): unknown[] => v4.doEmbedCalls],
  ])("%s: batches of at most its size, joined in order [B14 W6]", async (_, aiModel, calls) => {
    const model = fromAiSdkEmbeddingModel(aiModel);
    expect(model.maxBatchSize).toBe(2);
    const { signal } = new AbortController();
    const result = await model.embed(["a", "bb", "ccc"], { ...asDocument, signal });
    expect(result.embeddings).toEqual([
      [1, 97],
      [2, 98],
      [3, 99],
    ]);
    expect(calls()).toEqual([
      { values: ["a", "bb"], abortSignal: signal },
      { values: ["ccc"], abortSignal: signal },
    ]);
  });

  it("v2: a limit that comes by a promise is kept too", async () => {
    const aiModel = embeddingModelV2({ maxEmbeddingsPerCall: Promise.resolve(1) });
    const model = fromAiSdkEmbeddingModel(aiModel);
    expect(model.maxBatchSize).toBeUndefined();
    expect((await model.embed(["a", "b"], asDocument)).embeddings).toHaveLength(2);
    expect(aiModel.calls.map((call) => call.values)).toEqual([["a"], ["b"]]);
  });

  it.each([undefined, Number.POSITIVE_INFINITY, Promise.resolve(undefined)])(
    "v2: no limit is no limit (%s)",
    async (limit) => {
      const aiModel = embeddingModelV2({ maxEmbeddingsPerCall: limit });
      await fromAiSdkEmbeddingModel(aiModel).embed(["a", "b", "c"], asDocument);
      expect(aiModel.calls).toHaveLength(1);
    },
  );

  it("v2 and v3: dimensions are known, not asked for; v4: asked for [W14]", async () => {
    const before = embeddingModelV2({});
    const model = fromAiSdkEmbeddingModel(before, { dimensions: 2 });
    expect(model.dimensions).toBe(2);
    await model.embed(["a"], asDocument);
    expect(before.calls[0]).toEqual({ values: ["a"] });
    const after = new MockEmbeddingModelV4({ doEmbed: { embeddings: [[1, 2]], warnings: [] } });
    await fromAiSdkEmbeddingModel(after, { dimensions: 2 }).embed(["a"], asDocument);
    expect(after.doEmbedCalls[0]).toEqual({ values: ["a"], dimensions: 2 });
  });

  it("tokens that one of the calls did not count are not made up", async () => {
    const model = fromAiSdkEmbeddingModel(embeddingModelV2({ maxEmbeddingsPerCall: 1 }));
    expect(await model.embed(["a", "b"], asDocument)).not.toHaveProperty("tokens");
  });
});

describe("the version of an AI SDK embedding model", () => {
  const fingerprint = (options?: AiSdkEmbeddingOptions): string | undefined =>
    fromAiSdkEmbeddingModel(embeddingModelV2({}), options).fingerprint;

  it("is plain without prefixes and options, empty ones included [T36 L6]", () => {
    expect(fingerprint()).toBe("");
    expect(fingerprint({ prefixes: {}, documentOptions: {} })).toBe("");
    expect(fingerprint({ dimensions: 3 })).toBe("");
  });

  it("changes with every prefix and option, and not with their order [L6]", () => {
    const all = [
      fingerprint(),
      fingerprint({ prefixes: { query: "q: " } }),
      fingerprint({ prefixes: { document: "q: " } }),
      fingerprint({ queryOptions: { google: { taskType: "A" } } }),
      fingerprint({ documentOptions: { google: { taskType: "A" } } }),
      fingerprint({ documentOptions: { google: { taskType: "B" } } }),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(fingerprint({ documentOptions: { a: { x: 1, y: [{ p: 1, q: 2 }] }, b: {} } })).toBe(
      fingerprint({ documentOptions: { b: {}, a: { y: [{ q: 2, p: 1 }], x: 1 } } }),
    );
  });

  it("names the provider without the kind of endpoint", () => {
    const providerOf = (provider: string): string => fromAiSdkEmbeddingModel(embeddingModelV2({ provider })).provider;
    expect(providerOf("openai.embedding")).toBe("openai");
    expect(providerOf("google.generative-ai")).toBe("google");
    expect(providerOf("mistral.embedding")).toBe("mistral");
    expect(providerOf("google.vertex.embedding")).toBe("google.vertex");
    expect(providerOf("my.provider")).toBe("my.provider");
  });
});
