import { afterEach, describe, expect, it, vi } from "vitest";

import { ollamaAddress } from "../../src/models/hosted/provider-settings.ts";
import { resolveChatModel, resolveEmbeddingModel } from "../../src/models/hosted/resolve-model.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { type OpenAiScript, type OpenAiServer, startOpenAiServer, vectorOf } from "../support/openai-server.ts";
import { embeddingModelV2, languageModelV2 } from "./hand-written-models.ts";

const servers: OpenAiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(script: OpenAiScript = {}): Promise<OpenAiServer> {
  const server = await startOpenAiServer(script);
  servers.push(server);
  return server;
}

const question = { role: "user", content: "Question?" } as const;

describe("resolveChatModel", () => {
  it("openai: another server at OPENAI_BASE_URL is asked by Chat Completions, with the key, nothing to be stored [B41]", async () => {
    const { url, requests } = await serve({ chat: "Answer.", apiKey: "secret" });
    const model = await resolveChatModel("openai/gpt-test", {
      env: { OPENAI_API_KEY: "secret", OPENAI_BASE_URL: `${url}/` },
    });
    expect([model.provider, model.model]).toEqual(["openai", "gpt-test"]);
    expect((await model.chat(question)).message.content).toBe("Answer.");
    expect(requests[0]).toMatchObject({ path: "/v1/chat/completions", body: { model: "gpt-test", store: false } });
  });

  it("openai: OpenAI itself is asked by the way that its package prefers", async () => {
    const asked: unknown[] = [];
    const createOpenAI = (settings: object): object => ({
      languageModel: (id: string) => (
        asked.push(["languageModel", id, settings]),
        languageModelV2({ provider: "openai.responses" })
      ),
      chat: (id: string) => (asked.push(["chat", id, settings]), languageModelV2({ provider: "openai.chat" })),
    });
    const load = async (): Promise<unknown> => ({ createOpenAI });
    const env = { OPENAI_API_KEY: "k" };
    await resolveChatModel("openai/a", { env, load });
    await resolveChatModel("openai/b", { env: { ...env, OPENAI_BASE_URL: "https://eu.api.openai.com/v1" }, load });
    await resolveChatModel("openai/c", {
      env: { ...env, OPENAI_BASE_URL: "https://api.openai.com.example.org/v1" },
      load,
    });
    expect(asked).toEqual([
      ["languageModel", "a", { apiKey: "k", baseURL: "https://api.openai.com/v1" }],
      ["languageModel", "b", { apiKey: "k", baseURL: "https://eu.api.openai.com/v1" }],
      ["chat", "c", { apiKey: "k", baseURL: "https://api.openai.com.example.org/v1" }],
    ]);
  });

  it("anthropic: speaks to ANTHROPIC_BASE_URL, with or without its version", async () => {
    const { url, origin, requests } = await serve();
    for (const address of [url, origin]) {
      const model = await resolveChatModel("anthropic/claude-test", {
        env: { ANTHROPIC_API_KEY: "secret", ANTHROPIC_BASE_URL: address },
      });
      expect([model.provider, model.model]).toEqual(["anthropic", "claude-test"]);
      await expect(model.chat(question)).rejects.toMatchObject({ code: "model-failed" });
    }
    expect(requests.map(({ path, headers }) => [path, headers["x-api-key"]])).toEqual([
      ["/v1/messages", "secret"],
      ["/v1/messages", "secret"],
    ]);
  });

  it("google: makes a model with the key", async () => {
    const model = await resolveChatModel("google/gemini-test", { env: { GOOGLE_GENERATIVE_AI_API_KEY: "k" } });
    expect([model.provider, model.model]).toEqual(["google", "gemini-test"]);
  });

  it("ollama: no key, its own address, colons and slashes in names, usage in streams too [B41]", async () => {
    const { origin, requests } = await serve({
      chat: { content: "Answer.", usage: { inputTokens: 3, outputTokens: 1 } },
    });
    const model = await resolveChatModel("ollama/library/qwen3:8b", { env: { OLLAMA_HOST: origin } });
    expect([model.provider, model.model]).toEqual(["ollama", "library/qwen3:8b"]);
    let last: unknown;
    for await (const part of model.stream(question)) last = part;
    expect(last).toMatchObject({
      result: { message: { content: "Answer." }, usage: { inputTokens: 3, outputTokens: 1 } },
    });
    expect(requests[0]).toMatchObject({ path: "/v1/chat/completions", body: { model: "library/qwen3:8b" } });
    expect(requests[0]?.headers["authorization"]).toBeUndefined();
  });

  it("ollama: when nobody listens, says to start it; when a model is missing, how to get it", async () => {
    const server = await serve({ chat: { fault: "status", status: 404, message: "model 'nope' not found" } });
    const env = { OLLAMA_HOST: server.origin };
    const model = await resolveChatModel("ollama/nope", { env });
    await expect(model.chat(question)).rejects.toMatchObject({
      code: "model-failed",
      hint: expect.stringContaining("ollama pull nope") as string,
    });
    await server.close();
    await expect(model.chat(question)).rejects.toMatchObject({
      code: "model-failed",
      message: expect.stringContaining(server.origin) as string,
      hint: expect.stringContaining("Start Ollama") as string,
    });
    const embedder = await resolveEmbeddingModel("ollama/nope", { env });
    await expect(embedder.embed(["a"], { purpose: "query" })).rejects.toMatchObject({
      code: "embedding-failed",
      hint: expect.stringContaining("Start Ollama") as string,
    });
  });

  it("openai-compatible: any server, with a key when there is one [B41]", async () => {
    const { url, requests } = await serve({ chat: "Answer." });
    const env = { OPENAI_COMPATIBLE_BASE_URL: url };
    const model = await resolveChatModel("openai-compatible/meta/llama", { env });
    expect([model.provider, model.model]).toEqual(["openai-compatible", "meta/llama"]);
    expect((await model.chat(question)).message.content).toBe("Answer.");
    const withKey = await resolveChatModel("openai-compatible/meta/llama", {
      env: { ...env, OPENAI_COMPATIBLE_API_KEY: "key" },
    });
    await withKey.chat(question);
    expect(requests.map(({ headers }) => headers["authorization"])).toEqual([undefined, "Bearer key"]);
  });

  it("reads the process's own environment when no other is given", async () => {
    const { url } = await serve({ chat: "Answer." });
    vi.stubEnv("OPENAI_COMPATIBLE_BASE_URL", url);
    expect((await (await resolveChatModel("openai-compatible/m")).chat(question)).message.content).toBe("Answer.");
  });

  it("does not read the process's environment behind the back of one that is given", async () => {
    const { url, requests } = await serve();
    vi.stubEnv("OPENAI_BASE_URL", url);
    vi.stubEnv("OPENAI_API_KEY", "theirs");
    await expect(resolveChatModel("openai/m", { env: {} })).rejects.toMatchObject({ code: "configuration-missing" });
    const seen: unknown[] = [];
    const load = async (): Promise<unknown> => ({
      createOpenAI: (settings: object) => (seen.push(settings), { languageModel: () => languageModelV2({}) }),
    });
    await resolveChatModel("openai/m", { env: { OPENAI_API_KEY: "ours" }, load });
    expect(seen).toEqual([{ apiKey: "ours", baseURL: "https://api.openai.com/v1" }]);
    expect(requests).toEqual([]);
  });
});

describe("resolveEmbeddingModel", () => {
  it.each([
    ["openai/embed-test", (url: string): object => ({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: url })],
    ["ollama/embed-test", (url: string): object => ({ OLLAMA_HOST: url })],
    ["openai-compatible/embed-test", (url: string): object => ({ OPENAI_COMPATIBLE_BASE_URL: url })],
  ])("%s embeds, with prefixes and dimensions [T36 W14]", async (name, environment) => {
    const { url, requests } = await serve();
    const env = environment(url) as Record<string, string>;
    const model = await resolveEmbeddingModel(name, { env, dimensions: 4, prefixes: { query: "q: " } });
    expect(`${model.provider}/${model.model}`).toBe(name);
    expect(model.dimensions).toBe(4);
    expect((await model.embed(["a"], { purpose: "query" })).embeddings).toEqual([vectorOf("q: a", 4)]);
    expect(requests[0]?.path).toBe("/v1/embeddings");
  });

  it("google makes a model; anthropic has none and says who has", async () => {
    const model = await resolveEmbeddingModel("google/embed-test", { env: { GOOGLE_GENERATIVE_AI_API_KEY: "k" } });
    expect([model.provider, model.model]).toEqual(["google", "embed-test"]);
    await expect(resolveEmbeddingModel("anthropic/x", { env: { ANTHROPIC_API_KEY: "k" } })).rejects.toMatchObject({
      code: "invalid-argument",
      hint: "Providers that have: openai, google, ollama, openai-compatible, cohere.",
    });
  });

  it("takes packages of older specifications, whose provider has textEmbeddingModel", async () => {
    const createGoogleGenerativeAI = (): object => ({
      textEmbeddingModel: () => embeddingModelV2({ provider: "google.embedding" }),
    });
    const model = await resolveEmbeddingModel("google/m", {
      env: { GOOGLE_GENERATIVE_AI_API_KEY: "k" },
      load: async () => ({ default: { createGoogleGenerativeAI } }),
    });
    expect((await model.embed(["ab"], { purpose: "query" })).embeddings).toEqual([[2, 97]]);
  });
});

describe("what is missing is said, with the hint", () => {
  it.each([
    ["openai", "OPENAI_API_KEY"],
    ["anthropic", "ANTHROPIC_API_KEY"],
    ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ])("%s without %s, or with an empty one", async (provider, variable) => {
    for (const env of [{}, { [variable]: " " }]) {
      await expect(resolveChatModel(`${provider}/m`, { env })).rejects.toMatchObject({
        code: "configuration-missing",
        hint: `Set ${variable} to your API key.`,
        details: { variable },
      });
    }
  });

  it("openai-compatible without an address", async () => {
    await expect(resolveEmbeddingModel("openai-compatible/m", { env: {} })).rejects.toMatchObject({
      code: "configuration-missing",
      hint: expect.stringContaining("OPENAI_COMPATIBLE_BASE_URL") as string,
    });
  });

  it.each([
    ["openai/m", "@ai-sdk/openai"],
    ["anthropic/m", "@ai-sdk/anthropic"],
    ["google/m", "@ai-sdk/google"],
  ])("%s asks for its package and nothing else", async (name, expected) => {
    const asked: string[] = [];
    const load = async (packageName: string): Promise<unknown> => {
      asked.push(packageName);
      throw new IbidError("dependency-missing", "not there");
    };
    const env = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GOOGLE_GENERATIVE_AI_API_KEY: "k" };
    await expect(resolveChatModel(name, { env, load })).rejects.toMatchObject({ code: "dependency-missing" });
    expect(asked).toEqual([expected]);
  });

  it.each(["ollama/m", "openai-compatible/m@http://127.0.0.1:1"])("%s asks for no package at all", async (name) => {
    const load = async (packageName: string): Promise<never> => Promise.reject(new Error(packageName));
    const made = await resolveChatModel(name, { env: {}, load });
    expect(made.model).toBe("m");
    expect((await resolveEmbeddingModel(name, { env: {}, load })).model).toBe("m");
  });

  it("a package that offers none of it", async () => {
    for (const loaded of [{}, { createAnthropic: () => ({}) }]) {
      const options = { env: { ANTHROPIC_API_KEY: "k" }, load: async () => loaded };
      await expect(resolveChatModel("anthropic/m", options)).rejects.toMatchObject({
        code: "dependency-missing",
        hint: "npm install @ai-sdk/anthropic@latest",
      });
    }
  });

  it("a package so old that its models are of specification v1", async () => {
    const createAnthropic = (): object => ({
      languageModel: () => ({ ...languageModelV2({}), specificationVersion: "v1" }),
    });
    await expect(
      resolveChatModel("anthropic/m", { env: { ANTHROPIC_API_KEY: "k" }, load: async () => ({ createAnthropic }) }),
    ).rejects.toMatchObject({
      code: "invalid-argument",
      hint: expect.stringContaining("Update the provider's package") as string,
    });
  });

  it.each(["mistral/large", "OpenAI/gpt", "toString/x", "__proto__/x"])(
    "the provider of %s is not known",
    async (name) => {
      for (const resolve of [resolveChatModel, resolveEmbeddingModel]) {
        await expect(resolve(name, { env: {} })).rejects.toMatchObject({
          code: "invalid-argument",
          hint: expect.stringContaining("openai, anthropic, google, ollama, openai-compatible") as string,
        });
      }
    },
  );

  it.each(["", "gpt", "/gpt", "ollama/"])("%j is no provider/model", async (name) => {
    await expect(resolveChatModel(name, { env: {} })).rejects.toThrow(/named provider\/model/u);
  });

  it.each([
    ["openai/m", { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "localhost:80" }],
    ["openai-compatible/m", { OPENAI_COMPATIBLE_BASE_URL: "file:///etc" }],
    ["ollama/m", { OLLAMA_HOST: "ftp://x" }],
    ["ollama/m", { OLLAMA_HOST: "a b" }],
  ])("%s at %j has no address", async (name, env) => {
    await expect(resolveChatModel(name, { env })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("is not an http or https address") as string,
    });
  });

  it("an option that nobody reads", async () => {
    await expect(resolveChatModel("ollama/m", { enviroment: {} } as object)).rejects.toThrow(/no option/u);
    await expect(resolveEmbeddingModel("ollama/m", { dimension: 3 } as object)).rejects.toThrow(/no option/u);
  });
});

describe("OLLAMA_HOST", () => {
  it.each([
    [undefined, "http://127.0.0.1:11434/v1"],
    ["localhost", "http://localhost:11434/v1"],
    ["192.168.1.5:8000", "http://192.168.1.5:8000/v1"],
    ["0.0.0.0", "http://127.0.0.1:11434/v1"],
    ["0.0.0.0:80", "http://127.0.0.1/v1"],
    [":11435", "http://127.0.0.1:11435/v1"],
    ["[::1]:11435", "http://[::1]:11435/v1"],
    ["[::]", "http://[::1]:11434/v1"],
    ["http://box", "http://box/v1"],
    ["https://ollama.example.com", "https://ollama.example.com/v1"],
    ["http://box:11434/", "http://box:11434/v1"],
    ["http://box:11434/v1/", "http://box:11434/v1"],
    ["box/ollama", "http://box:11434/ollama/v1"],
  ])("%s is %s", (host, address) => {
    expect(ollamaAddress(host)).toBe(address);
  });
});
