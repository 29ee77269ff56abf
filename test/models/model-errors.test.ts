import { inspect } from "node:util";

import { APICallError, LoadAPIKeyError, UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { afterEach, describe, expect, it, vi } from "vitest";

import { fromAiSdkEmbeddingModel } from "../../src/models/ai-sdk/embedding-model.ts";
import { fromAiSdkLanguageModel } from "../../src/models/ai-sdk/language-model.ts";
import { quoteProvider } from "../../src/models/ai-sdk/quote-provider.ts";
import type { ChatModel } from "../../src/contracts/chat.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { type FaultReply, type OpenAiServer, startOpenAiServer } from "../support/openai-server.ts";
import { embeddingModelV2, languageModelV2 } from "./hand-written-models.ts";

const servers: OpenAiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const secret = "Why was Mallory dismissed in March?";

/** One fault, met by each of the three kinds of call. */
async function meet(
  fault: FaultReply,
): Promise<{ chat: IbidError; stream: IbidError; embed: IbidError; calls: number }> {
  const server = await startOpenAiServer({ chat: fault, embeddings: fault });
  servers.push(server);
  const provider = createOpenAICompatible({ name: "local", baseURL: server.url });
  const model = fromAiSdkLanguageModel(provider("m"));
  const embedder = fromAiSdkEmbeddingModel(provider.embeddingModel("m"));
  const chat = await errorOf(model.chat({ role: "user", content: secret }));
  const stream = await errorOf(drain(model));
  const embed = await errorOf(embedder.embed([secret], { purpose: "query" }));
  return { chat, stream, embed, calls: server.requests.length };
}

async function drain(model: ChatModel): Promise<void> {
  for await (const part of model.stream({ role: "user", content: secret })) void part;
}

async function errorOf(promise: Promise<unknown>): Promise<IbidError> {
  const error: unknown = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(IbidError.isInstance(error)).toBe(true);
  return error as IbidError;
}

const status = (code: number, rest: Partial<Extract<FaultReply, { fault: "status" }>> = {}): FaultReply => ({
  fault: "status",
  status: code,
  ...rest,
});

describe("what goes wrong at a provider, over HTTP", () => {
  it("429 is rate-limited, with the wait that the provider asks for, and is not tried again [W11 W13]", async () => {
    const { chat, stream, embed, calls } = await meet(status(429, { headers: { "retry-after": "7" } }));
    for (const error of [chat, stream, embed]) {
      expect(error).toMatchObject({
        code: "rate-limited",
        details: { status: 429, retryAfterMs: 7000, retryable: true },
      });
      expect(error.hint).toContain("Wait 7 s");
    }
    expect(calls).toBe(3);
  });

  it("reads a wait in milliseconds before one in seconds, and one to a date [W11]", async () => {
    const exact = await meet(status(429, { headers: { "retry-after": "9", "retry-after-ms": "1250" } }));
    expect(exact.chat.details["retryAfterMs"]).toBe(1250);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1, 12, 0, 0) });
    try {
      const dated = await meet(status(429, { headers: { "retry-after": "Tue, 01 Jan 2030 12:01:00 GMT" } }));
      expect(dated.embed.details["retryAfterMs"]).toBe(60_000);
      const past = await meet(status(429, { headers: { "retry-after": "Tue, 01 Jan 2030 11:59:00 GMT" } }));
      expect(past.embed.details["retryAfterMs"]).toBe(0);
    } finally {
      vi.useRealTimers();
    }
    for (const nonsense of ["soon", "-3"]) {
      const { chat } = await meet(status(429, { headers: { "retry-after": nonsense } }));
      expect(chat).toMatchObject({ code: "rate-limited" });
      expect(chat.details).not.toHaveProperty("retryAfterMs");
    }
  });

  it.each([408, 504])("%i is timeout [W11]", async (code) => {
    const { chat, stream, embed } = await meet(status(code));
    for (const error of [chat, stream, embed])
      expect(error).toMatchObject({ code: "timeout", details: { status: code } });
  });

  it("500 is the failure of whoever runs the other side, with its own words [W11 W13 B16]", async () => {
    const { chat, stream, embed, calls } = await meet(status(500, { message: "CUDA out of memory", code: "oom" }));
    for (const error of [chat, stream]) expect(error.code).toBe("model-failed");
    expect(embed.code).toBe("embedding-failed");
    expect(embed.message).toBe("local/m failed (500, oom): CUDA out of memory");
    expect(embed.details).toEqual({ provider: "local", model: "m", retryable: true, status: 500, providerCode: "oom" });
    expect((embed.cause as Error).message).toBe("CUDA out of memory");
    expect(calls).toBe(3);
  });

  it("400 is not worth trying again", async () => {
    const { chat, embed } = await meet(
      status(400, { message: "Unsupported parameter", type: "invalid_request_error" }),
    );
    expect(chat).toMatchObject({
      code: "model-failed",
      details: { retryable: false, providerCode: "invalid_request_error" },
    });
    expect(embed).toMatchObject({ code: "embedding-failed", details: { retryable: false } });
  });

  it("404 and too much text say what to change", async () => {
    const missing = await meet(status(404, { message: "model not found" }));
    expect(missing.chat.message).toBe("local/m is not known at its provider (404, server_error): model not found");
    const long = await meet(status(400, { code: "context_length_exceeded", message: "too long" }));
    expect(long.chat.hint).toContain("topK");
    expect(long.embed.hint).toContain("chunk size");
  });

  it.each<[string, FaultReply]>([
    ["not JSON", { fault: "malformed" }],
    ["empty", { fault: "empty" }],
    ["cut off", { fault: "truncated", content: "Half an ans" }],
  ])("an answer that is %s is invalid-response [W11 B16]", async (_, fault) => {
    const { chat, stream, embed } = await meet(fault);
    for (const error of [chat, stream, embed]) {
      expect(error.code).toBe("invalid-response");
      expect(inspect(error, { depth: 10 })).not.toContain("Half an ans");
    }
  });

  it("an error in the middle of a stream ends it, after what came before [W11]", async () => {
    const server = await startOpenAiServer({
      chat: { fault: "stream-error", content: "Half", message: "GPU fell off the bus", code: "gpu_lost" },
    });
    servers.push(server);
    const model = fromAiSdkLanguageModel(createOpenAICompatible({ name: "local", baseURL: server.url })("m"));
    const seen: string[] = [];
    const error = await errorOf(
      (async () => {
        for await (const part of model.stream({ role: "user", content: secret })) seen.push(part.type);
      })(),
    );
    expect(seen).toEqual(["text"]);
    expect(error).toMatchObject({ code: "model-failed", details: { providerCode: "gpu_lost" } });
    expect(error.message).toContain("GPU fell off the bus");
  });

  it("a connection that breaks off is a failure that may be tried again", async () => {
    const { chat, stream, embed } = await meet({ fault: "cut", content: "Half" });
    expect(chat.code).toBe("model-failed");
    expect(stream.code).toBe("model-failed");
    expect(embed.code).toBe("embedding-failed");
    for (const error of [chat, stream, embed]) {
      expect(error.message).toContain("broke off");
      expect(error.details["retryable"]).toBe(true);
      expect(error.details).not.toHaveProperty("status");
    }
  });

  it("an address where nobody listens is named", async () => {
    const server = await startOpenAiServer();
    await server.close();
    const provider = createOpenAICompatible({ name: "local", baseURL: server.url });
    const error = await errorOf(fromAiSdkLanguageModel(provider("m")).chat({ role: "user", content: secret }));
    expect(error).toMatchObject({ code: "model-failed", details: { retryable: true } });
    expect(error.message).toBe(`local/m cannot be reached at ${server.origin} (ECONNREFUSED).`);
  });
});

describe("keys", () => {
  it.each([401, 403])("%i names the variable of the key when it is known, and not the key", async (code) => {
    const server = await startOpenAiServer({
      chat: status(code, { message: "Incorrect API key: sk-12345", code: "invalid_api_key" }),
    });
    servers.push(server);
    const model = fromAiSdkLanguageModel(createOpenAI({ baseURL: server.url, apiKey: "sk-12345" }).chat("m"));
    const error = await errorOf(model.chat({ role: "user", content: secret }));
    expect(error).toMatchObject({ code: "model-failed", details: { status: code, retryable: false } });
    expect(error.hint).toBe("Set OPENAI_API_KEY to a valid API key that may use this model.");
    expect(inspect(error, { depth: 10 })).not.toContain("sk-12345");
    const { chat } = await meet(status(code));
    expect(chat.hint).toBe("Check the API key of the model.");
  });

  it("Google's way of refusing a key is understood", async () => {
    const body = {
      error: {
        code: 400,
        message: "API key not valid.",
        status: "INVALID_ARGUMENT",
        details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
      },
    };
    const google = createGoogle({ apiKey: "k", fetch: async () => Response.json(body, { status: 400 }) });
    const error = await errorOf(fromAiSdkLanguageModel(google("gemini-test")).chat({ role: "user", content: secret }));
    expect(error).toMatchObject({ code: "model-failed", details: { status: 400 } });
    expect(error.hint).toContain("GOOGLE_GENERATIVE_AI_API_KEY");
  });

  it("a key that was never given is configuration-missing, and names its variable", async () => {
    vi.stubEnv("OPENAI_API_KEY", undefined);
    const error = await errorOf(
      fromAiSdkEmbeddingModel(createOpenAI().embeddingModel("m")).embed(["a"], { purpose: "query" }),
    );
    expect(error).toMatchObject({ code: "configuration-missing", hint: "Set OPENAI_API_KEY to your API key." });
    const own = languageModelV2({ error: new LoadAPIKeyError({ message: "no key" }) });
    expect(await errorOf(fromAiSdkLanguageModel(own).chat({ role: "user", content: secret }))).toMatchObject({
      code: "configuration-missing",
    });
  });
});

describe("errors of models that are not a server", () => {
  const chatWith = (error: Error, signal?: AbortSignal): Promise<IbidError> =>
    errorOf(
      fromAiSdkLanguageModel(languageModelV2({ error })).chat(
        { role: "user", content: secret },
        signal === undefined ? {} : { signal },
      ),
    );

  it("an error of ours passes as it is", async () => {
    const ours = new IbidError("unsupported-input", "No.");
    expect(await chatWith(ours)).toBe(ours);
  });

  it.each([
    ["TimeoutError", "timeout"],
    ["AbortError", "aborted"],
  ])("a %s without our signal is %s [W11]", async (name, code) => {
    expect(await chatWith(new DOMException("ended", name))).toMatchObject({ code });
  });

  it("whatever is thrown after our signal fired is aborted, with the signal's reason as its cause", async () => {
    const controller = new AbortController();
    const model = languageModelV2({});
    model.doGenerate = async () => {
      controller.abort(new Error("the user left"));
      throw new TypeError("fetch failed");
    };
    const error = await errorOf(
      fromAiSdkLanguageModel(model).chat({ role: "user", content: secret }, { signal: controller.signal }),
    );
    expect(error).toMatchObject({ code: "aborted", cause: { message: "the user left" } });
  });

  it.each(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"])("%s is timeout [W11]", async (code) => {
    const cause = Object.assign(new Error("too slow"), { code });
    expect(await chatWith(new TypeError("fetch failed", { cause }))).toMatchObject({
      code: "timeout",
      cause: { code },
    });
  });

  it("the last attempt of a model that retries by itself decides [W11]", async () => {
    const lastError = new APICallError({
      message: "slow down",
      url: "http://x/v1",
      requestBodyValues: {},
      statusCode: 429,
      responseHeaders: { "Retry-After": "2" },
    });
    const error = Object.assign(new Error("Failed after 3 attempts."), { name: "AI_RetryError", lastError });
    expect(await chatWith(error)).toMatchObject({ code: "rate-limited", details: { retryAfterMs: 2000 } });
  });

  it("what a model does not support is unsupported-input", async () => {
    const error = new UnsupportedFunctionalityError({ functionality: "tools" });
    expect(await chatWith(error)).toMatchObject({ code: "unsupported-input" });
  });

  it.each([undefined, null, "overloaded", 7, {}])("even %j becomes an error of ours", async (thrown) => {
    const model = languageModelV2({});
    model.doGenerate = async () => {
      // eslint-disable-next-line typescript/only-throw-error
      throw thrown;
    };
    const error = await errorOf(fromAiSdkLanguageModel(model).chat({ role: "user", content: secret }));
    expect(error.code).toBe("model-failed");
  });

  it("a ring of causes ends", async () => {
    const ring = new Error("first");
    ring.cause = new Error("second", { cause: ring });
    expect(await chatWith(ring)).toMatchObject({ code: "model-failed" });
  });

  it("a mistake in a model's own code keeps its name and stack", async () => {
    const error = await chatWith(new TypeError("x is not a function"));
    expect(error.message).toBe("hand/written-v2 failed: x is not a function");
    expect((error.cause as Error).name).toBe("TypeError");
    expect((error.cause as Error).stack).toMatch(/^TypeError: x is not a function\n\s+at /u);
  });
});

describe("discretion: no error repeats what was sent", () => {
  const everything = (error: IbidError): string =>
    `${inspect(error, { depth: 20, showHidden: true })} ${JSON.stringify(error)}`;

  it.each<[string, FaultReply]>([
    ["whole in its message", status(400, { message: `Cannot process input: ${secret}` })],
    ["in part", status(400, { message: "Rejected near 'Mallory dismissed'" })],
    ["one quoted word", status(400, { message: 'Blocked term "Mallory"' })],
    ["in other letters", status(500, { message: "WHY WAS MALLORY DISMISSED" })],
    ["as its code", status(400, { message: "no", code: "Mallory" })],
    ["in a stream", { fault: "stream-error", content: "x", message: `failed on ${secret}`, code: "Mallory" }],
    ["nowhere, but the request rides along", status(500, { message: "oops" })],
    ["in an answer that is no JSON", { fault: "malformed" }],
  ])("when the server says it %s [L10]", async (_, fault) => {
    const { chat, stream, embed } = await meet(fault);
    for (const error of [chat, stream, embed]) expect(everything(error)).not.toMatch(/mallory/iu);
  });

  it("when a model throws it with the whole request, deep in its causes [L10]", async () => {
    const api = new APICallError({
      message: secret,
      url: "http://x/v1",
      requestBodyValues: { input: [secret] },
      statusCode: 500,
      responseBody: secret,
    });
    const thrown = new Error("outer", { cause: new AggregateError([api], secret) });
    const error = await errorOf(
      fromAiSdkEmbeddingModel(embeddingModelV2({ error: thrown })).embed([secret], { purpose: "document" }),
    );
    expect(error.code).toBe("embedding-failed");
    expect(everything(error)).not.toMatch(/mallory/iu);
  });

  it("a short text sent whole is not repeated either, and unrelated words pass [L10]", () => {
    expect(quoteProvider("no entry for layoffs here", ["layoffs"])).toBeUndefined();
    expect(quoteProvider("The  model\nis overloaded", ["layoffs"])).toBe("The model is overloaded");
    expect(quoteProvider("The model is overloaded", ["", "  "])).toBe("The model is overloaded");
    expect(quoteProvider("\u001B[2JThe\u0007 model\u202E is \uD800overloaded\u009B", ["layoffs"])).toBe(
      "[2JThe model is overloaded",
    );
    expect(quoteProvider(" ", ["a"])).toBeUndefined();
    expect(quoteProvider("x".repeat(999), ["layoffs"])).toHaveLength(300);
    expect(quoteProvider("overloaded", ["y".repeat(1_000_001)])).toBeUndefined();
  });
});
