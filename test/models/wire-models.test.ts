import { afterEach, describe, expect, it } from "vitest";

import { createHostedChatModel, createHostedEmbeddingModel } from "../../src/models/hosted/hosted-models.ts";
import { resolveChatModel, resolveEmbeddingModel } from "../../src/models/hosted/resolve-model.ts";
import { prompt } from "../../src/answers/prompts/prompt.ts";
import type { ChatModel, ChatStreamPart, ChatTool } from "../../src/contracts/chat.ts";
import { createAudioDocument, createImageDocument } from "../../src/readers/media-document.ts";
import { createEmbedder } from "../../src/models/embedder/create-embedder.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import {
  type ChatReply,
  type FaultReply,
  type OpenAiScript,
  type OpenAiServer,
  startOpenAiServer,
  vectorOf,
} from "../support/openai-server.ts";

const servers: (OpenAiServer | ModelServer)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(script: OpenAiScript = {}): Promise<OpenAiServer> {
  const server = await startOpenAiServer(script);
  servers.push(server);
  return server;
}

const question = { role: "user", content: "Question?" } as const;
const weather: ChatTool = { name: "weather", description: "Tells the weather.", parameters: { type: "object" } };
const local = (url: string): Promise<ChatModel> => resolveChatModel(`openai-compatible/m@${url}`, { env: {} });

async function partsOf(model: ChatModel): Promise<readonly ChatStreamPart[]> {
  const parts: ChatStreamPart[] = [];
  for await (const part of model.stream(question)) parts.push(part);
  return parts;
}

describe("a server that speaks OpenAI's API, by name", () => {
  it("is sent every kind of message, with tools and settings [B38 B40 B41 B42]", async () => {
    const { url, requests } = await serve({
      chat: { content: "Rain.", usage: { inputTokens: 9, outputTokens: 2 } },
    });
    const model = await local(url);
    const result = await model.chat(
      [
        { role: "system", content: prompt`Be ${"brief"}.` },
        { role: "user", content: "Weather?", name: "Ada" },
        {
          role: "assistant",
          content: "Let me see.",
          toolCalls: [{ id: "c1", name: "weather", arguments: { in: "Kiel" } }],
        },
        { role: "function", name: "weather", id: "c1", content: "rain" },
      ],
      { tools: [weather], stop: ["END"], temperature: 0, maxOutputTokens: 50 },
    );
    expect(result).toEqual({
      message: { role: "assistant", content: "Rain." },
      finishReason: "stop",
      usage: { inputTokens: 9, outputTokens: 2 },
    });
    expect(requests[0]?.body).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Ada: Weather?" },
        {
          role: "assistant",
          content: "Let me see.",
          tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"in":"Kiel"}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "rain" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "weather", description: "Tells the weather.", parameters: { type: "object" } },
        },
      ],
      stop: ["END"],
      temperature: 0,
      max_tokens: 50,
    });
  });

  it("is sent pictures and recordings whole, between the texts around them [B9 B43]", async () => {
    const { url, requests } = await serve();
    const image = createImageDocument(new Uint8Array([1, 2, 3]), { mediaType: "image/png" });
    const address = createImageDocument("https://a.example/p.png");
    const audio = createAudioDocument(new Uint8Array([4]), { mediaType: "audio/wav" });
    const pdf = { type: "file", content: new Uint8Array([5]), mediaType: "application/pdf", metadata: {} } as const;
    await (
      await local(url)
    ).chat({ role: "user", content: prompt`See ${[image, address]} and hear ${audio}, read ${pdf}.` });
    expect(requests[0]?.body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "See " },
          { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
          { type: "image_url", image_url: { url: "https://a.example/p.png" } },
          { type: "text", text: " and hear " },
          { type: "input_audio", input_audio: { data: "BA==", format: "wav" } },
          { type: "text", text: ", read " },
          { type: "file", file: { filename: "document", file_data: "data:application/pdf;base64,BQ==" } },
          { type: "text", text: "." },
        ],
      },
    ]);
  });

  it("refuses a recording that it could not send [B43]", async () => {
    const { url, requests } = await serve();
    const model = await local(url);
    for (const audio of [createAudioDocument("https://a.example/a.wav"), createAudioDocument(new Uint8Array([1]))])
      await expect(model.chat({ role: "user", content: prompt`${audio}` })).rejects.toMatchObject({
        code: "unsupported-input",
      });
    expect(requests).toEqual([]);
  });

  it("streams text and calls of tools, then says how it ended [B41]", async () => {
    const { url } = await serve({
      chat: {
        content: "Let me see.",
        toolCalls: [{ id: "c1", name: "weather", arguments: '{"in":"Kiel"}' }],
        usage: { inputTokens: 1, outputTokens: 3 },
      },
    });
    const parts = await partsOf(await local(url));
    expect(parts.flatMap((part) => (part.type === "text" ? [part.delta] : [])).join("")).toBe("Let me see.");
    expect(parts.at(-1)).toEqual({
      type: "finish",
      result: {
        message: {
          role: "assistant",
          content: "Let me see.",
          toolCalls: [{ id: "c1", name: "weather", arguments: { in: "Kiel" } }],
        },
        finishReason: "tool-calls",
        usage: { inputTokens: 1, outputTokens: 3 },
      },
    });
  });

  it("is cut off where the reader leaves [B41]", async () => {
    const { url, requests } = await serve({ chat: { fault: "silence", content: "One " } });
    for await (const part of (await local(url)).stream(question)) {
      expect(part).toEqual({ type: "text", delta: "One " });
      break;
    }
    expect(await requests[0]?.ended).toBe("left");
  });

  it("reads events however they are cut and ended [B41]", async () => {
    const server = await startModelServer(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = (data: object): string => `data: ${JSON.stringify(data)}\r\n\r\n`;
      const text = `: a comment\r\n\r\nevent: message\r\n${event({ choices: [{ delta: { content: "Größe 👍" } }] })}${event(
        {
          choices: [{ delta: {}, finish_reason: "length" }],
        },
      )}data:[DONE]\r\n\r\n`;
      for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]));
      response.end();
    });
    servers.push(server);
    expect(await partsOf(await local(server.url))).toEqual([
      { type: "text", delta: "Größe 👍" },
      {
        type: "finish",
        result: { message: { role: "assistant", content: "Größe 👍" }, finishReason: "length" },
      },
    ]);
  });

  it("gives vectors back in the order of the texts, whatever the order of the answer [B14 W14]", async () => {
    const server = await startModelServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          data: [
            { index: 1, embedding: [0, 1] },
            { index: 0, embedding: [1, 0] },
          ],
          usage: { prompt_tokens: 2 },
        }),
      );
    });
    servers.push(server);
    const model = await resolveEmbeddingModel(`openai-compatible:m@${server.url}`, { env: {} });
    expect(await model.embed(["a", "b"], { purpose: "document" })).toEqual({
      embeddings: [
        [1, 0],
        [0, 1],
      ],
      tokens: 2,
    });
  });

  it("gives up when nothing comes, and follows no redirect with a token [W11 B15]", async () => {
    const silent = await serve({ chat: { fault: "silence" }, embeddings: { fault: "silence" } });
    const place = { serviceUrl: silent.url, accessToken: "t", timeoutMs: 50 };
    await expect(createHostedChatModel(place).chat(question)).rejects.toMatchObject({ code: "timeout" });
    await expect(partsOf(createHostedChatModel(place))).rejects.toMatchObject({ code: "timeout" });
    await expect(createHostedEmbeddingModel(place).embed(["a"], { purpose: "query" })).rejects.toMatchObject({
      code: "timeout",
    });

    const other = await serve();
    const redirecting = await startModelServer((_, response) => {
      response.writeHead(307, { location: `${other.url}/chat/completions` }).end();
    });
    servers.push(redirecting);
    const model = createHostedChatModel({ serviceUrl: redirecting.url, accessToken: "t" });
    await expect(model.chat(question)).rejects.toMatchObject({ code: "model-failed" });
    expect(other.requests).toEqual([]);
  });
});

describe("an answer that never ends, a byte at a time", () => {
  it.each([
    ["its body", 200, ["timeout"]],
    ["the body of a refusal", 400, ["embedding-failed", "model-failed"]],
  ] as const)("is left: %s", async (_, status, codes) => {
    let left = 0;
    const server = await startModelServer((_request, response) => {
      response.writeHead(status, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 10);
      response.on("close", () => {
        clearInterval(drip);
        left++;
      });
    });
    servers.push(server);
    const place = { serviceUrl: server.url, accessToken: "t", timeoutMs: 200 };
    const code = expect.toBeOneOf([...codes]) as string;
    await expect(createHostedEmbeddingModel(place).embed(["a"], { purpose: "query" })).rejects.toMatchObject({ code });
    await expect(createHostedChatModel(place).chat(question)).rejects.toMatchObject({ code });
    await expect.poll(() => left).toBe(2);
  });
});

describe("names of models", () => {
  it.each([
    ["ollama:nomic-embed-text", "ollama", "nomic-embed-text"],
    ["ollama/qwen3:8b", "ollama", "qwen3:8b"],
    ["ollama:hf.co/bartowski/x:Q4", "ollama", "hf.co/bartowski/x:Q4"],
    ["ollama/model@sha256:abc", "ollama", "model@sha256:abc"],
    ["openai-compatible/meta/llama@http://127.0.0.1:1/v1", "openai-compatible", "meta/llama"],
  ])("%s", async (name, provider, model) => {
    expect(await resolveChatModel(name, { env: {} })).toMatchObject({ provider, model });
    expect(await resolveEmbeddingModel(name, { env: {} })).toMatchObject({ provider, model });
  });

  it("may hold an address, which counts before the variable", async () => {
    const { url, origin, requests } = await serve();
    const env = { OLLAMA_HOST: "http://127.0.0.1:1", OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:1" };
    await (await resolveChatModel(`ollama/m@${origin}`, { env })).chat(question);
    await (await resolveChatModel(`openai-compatible/m@${url}/`, { env })).chat(question);
    expect(requests.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/chat/completions"]);
  });

  it("hold no secrets, and no address where the provider has its own", async () => {
    await expect(
      resolveChatModel("openai-compatible/m@http://ada:secret@127.0.0.1/v1", { env: {} }),
    ).rejects.toMatchObject({
      code: "invalid-argument",
      message: "OPENAI_COMPATIBLE_BASE_URL contains a user name or a password.",
    });
    await expect(
      resolveChatModel("google/m@http://127.0.0.1", { env: { GOOGLE_GENERATIVE_AI_API_KEY: "k" } }),
    ).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

describe("a hosted service that knows nothing but a token", () => {
  const chunk = { type: "text-chunk", id: "1", text: "alpha beta" } as never;
  const image = createImageDocument("https://a.example/p.png");
  const forQuery = { purpose: "query" } as const;

  it("embeds and chats with an address and a token, and nothing else [B15]", async () => {
    const { url, requests } = await serve({ apiKey: "token", chat: "Answer.", embeddings: 4 });
    const service = { serviceUrl: `${url}/`, accessToken: " token " };
    const embedding = createHostedEmbeddingModel(service);
    const chat = createHostedChatModel(service);
    expect(await embedding.embed([chunk], forQuery)).toEqual({ embeddings: [vectorOf("alpha beta", 4)], tokens: 2 });
    expect((await chat.chat(question)).message.content).toBe("Answer.");
    expect(requests.map(({ path, headers, body }) => [path, headers["authorization"], body["model"]])).toEqual([
      ["/v1/embeddings", "Bearer token", undefined],
      ["/v1/chat/completions", "Bearer token", undefined],
    ]);
    // Two services are never taken for one another.
    const { host } = new URL(url);
    expect([embedding, chat].map(({ provider, model }) => [provider, model])).toEqual([
      ["hosted", host],
      ["hosted", host],
    ]);
  });

  it("is asked for a model by name where it has several [B15]", async () => {
    const { url, requests } = await serve();
    const model = createHostedChatModel({ serviceUrl: url, accessToken: "t", model: "large" });
    await model.chat(question);
    expect([model.model, requests[0]?.body["model"]]).toEqual(["large", "large"]);
  });

  it("fails when it is made, without a token or an address [B15 B11]", () => {
    for (const make of [createHostedChatModel, createHostedEmbeddingModel]) {
      expect(() => make({ serviceUrl: "https://a.example", accessToken: " " })).toThrow(
        expect.objectContaining({ code: "configuration-missing" }),
      );
      expect(() => make({ serviceUrl: "a.example", accessToken: "t" })).toThrow(/Must be a valid URL/u);
      expect(() => make({ serviceUrl: "https://a.example", accessToken: "t", timeoutMs: 0 })).toThrow(/timeoutMs/u);
      expect(() => make({ serviceUrl: "https://a.example", accessToken: "t", key: "k" } as never)).toThrow(
        /no option/u,
      );
    }
  });

  it("says what went wrong in Ballerina's words [B16]", async () => {
    const { url } = await serve({
      embeddings: (_, before) => (before === 0 ? [] : { fault: "status", status: 500, message: "Oops" }),
    });
    const model = createHostedEmbeddingModel({ serviceUrl: url, accessToken: "t" });
    await expect(model.embed([image], forQuery)).rejects.toMatchObject({
      code: "unsupported-input",
      message: "Unsupported chunk type. only 'ai:TextChunk|ai:TextDocument' is supported",
    });
    await expect(model.embed([chunk, image], forQuery)).rejects.toMatchObject({
      code: "unsupported-input",
      message: "Unsupported chunk type. Expected elements of type 'ai:TextChunk|ai:TextDocument'.",
    });
    await expect(model.embed([chunk], forQuery)).rejects.toMatchObject({
      code: "invalid-response",
      message: expect.stringMatching(/^No embeddings generated for the provided chunk/u) as string,
    });
    await expect(model.embed([chunk], forQuery)).rejects.toMatchObject({
      code: "embedding-failed",
      message: expect.stringMatching(
        /^Error generating embedding for provided chunk: .*\(500, server_error\): Oops/u,
      ) as string,
      cause: expect.objectContaining({ message: "Oops" }) as Error,
      details: { status: 500 },
    });
  });
});

describe("every way to be wrong, of every server that speaks OpenAI's API [W11 W14 W41]", () => {
  const makers = {
    ollama: async (server: OpenAiServer) => ({
      chat: await resolveChatModel("ollama/m", { env: { OLLAMA_HOST: server.origin } }),
      embedding: await resolveEmbeddingModel("ollama/m", { env: { OLLAMA_HOST: server.origin } }),
    }),
    "openai-compatible": async (server: OpenAiServer) => ({
      chat: await local(server.url),
      embedding: await resolveEmbeddingModel(`openai-compatible/m@${server.url}`, { env: {} }),
    }),
    openai: async (server: OpenAiServer) => {
      const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url };
      return {
        chat: await resolveChatModel("openai/m", { env }),
        embedding: await resolveEmbeddingModel("openai/m", { env }),
      };
    },
    hosted: async (server: OpenAiServer) => {
      const service = { serviceUrl: server.url, accessToken: "t" };
      return { chat: createHostedChatModel(service), embedding: createHostedEmbeddingModel(service) };
    },
  };
  const kinds = Object.entries(makers);
  const faults: readonly (readonly [string, FaultReply, string, string])[] = [
    ["rate-limited", { fault: "status", status: 429, headers: { "retry-after": "2" } }, "rate-limited", "rate-limited"],
    ["overloaded", { fault: "status", status: 503 }, "model-failed", "embedding-failed"],
    ["timed out at its gateway", { fault: "status", status: 504 }, "timeout", "timeout"],
    ["without a right to the key", { fault: "status", status: 401 }, "model-failed", "embedding-failed"],
    ["malformed", { fault: "malformed" }, "invalid-response", "invalid-response"],
    ["empty", { fault: "empty" }, "invalid-response", "invalid-response"],
    ["truncated", { fault: "truncated", content: "Half" }, "invalid-response", "invalid-response"],
    ["cut", { fault: "cut" }, "model-failed", "embedding-failed"],
  ];
  const cases = kinds.flatMap(([kind, make]) => faults.map((fault) => [kind, fault[0], make, fault] as const));

  it.each(cases)("%s, %s [W11 W41]", async (_kind, _fault, make, [, fault, chatCode, embedCode]) => {
    const server = await serve({ chat: fault, embeddings: fault });
    const { chat, embedding } = await make(server);
    await expect(chat.chat(question)).rejects.toMatchObject({ code: chatCode });
    await expect(partsOf(chat)).rejects.toMatchObject({ code: chatCode });
    await expect(embedding.embed(["a", "b"], { purpose: "document" })).rejects.toMatchObject({ code: embedCode });
  });

  it.each(kinds)("%s, with a wrong count, wrong dimensions, or no numbers [W11 W14 W41]", async (_kind, make) => {
    const wrong: readonly (readonly [(readonly number[])[], string])[] = [
      [[[1, 2]], "invalid-response"],
      [[[1, 2], [3]], "dimension-mismatch"],
      [
        [
          [1, 2],
          [null as never, 3],
        ],
        "invalid-response",
      ],
      [
        [
          [1, 2],
          ["x" as never, 3],
        ],
        "invalid-response",
      ],
    ];
    for (const [vectors, code] of wrong) {
      const { embedding } = await make(await serve({ embeddings: vectors }));
      const embedder = createEmbedder(embedding, { secret: new Uint8Array(32) });
      await expect(embedder.embed(["a", "b"], { purpose: "document" })).rejects.toMatchObject({ code });
    }
  });

  it.each(kinds)("%s, while somebody stops waiting", async (_kind, make) => {
    const server = await serve({ chat: { fault: "silence" }, embeddings: { fault: "silence" } });
    const { chat, embedding } = await make(server);
    const stop = new AbortController();
    const calls = [
      chat.chat(question, { signal: stop.signal }),
      embedding.embed(["a"], { purpose: "query", signal: stop.signal }),
    ].map((call) => expect(call).rejects.toMatchObject({ code: "aborted" }));
    while (server.requests.length < 2) await new Promise((resolve) => void setTimeout(resolve, 5));
    stop.abort();
    await Promise.all(calls);
    for (const { ended } of server.requests) expect(await ended).toBe("left");
  });

  it.each(kinds)("%s, in the middle of a stream", async (_kind, make) => {
    const broken: readonly (readonly [ChatReply, string])[] = [
      [{ fault: "stream-error", content: "Half", message: "Out of memory", code: "oom" }, "model-failed"],
      [{ fault: "truncated", content: "Half" }, "invalid-response"],
      [{ fault: "malformed" }, "invalid-response"],
      [{ fault: "cut", content: "Half" }, "model-failed"],
    ];
    for (const [chat, code] of broken) {
      const made = await make(await serve({ chat }));
      await expect(partsOf(made.chat)).rejects.toMatchObject({ code });
    }
  });
});
