import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { afterEach, describe, expect, it } from "vitest";

import { fromAiSdkLanguageModel } from "../../src/models/ai-sdk/language-model.ts";
import { toPrompt } from "../../src/models/ai-sdk/to-prompt.ts";
import { prompt } from "../../src/answers/prompts/prompt.ts";
import type { ChatMessage, ChatModel, ChatStreamPart } from "../../src/contracts/chat.ts";
import type { MediaDocument } from "../../src/contracts/document.ts";
import { type OpenAiScript, type OpenAiServer, promptOf, startOpenAiServer } from "../support/openai-server.ts";

let server: OpenAiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(script: OpenAiScript): Promise<{ server: OpenAiServer; model: ChatModel }> {
  server = await startOpenAiServer(script);
  const provider = createOpenAICompatible({ name: "local", baseURL: server.url, includeUsage: true });
  return { server, model: fromAiSdkLanguageModel(provider("test-model")) };
}

async function collect(parts: AsyncIterable<ChatStreamPart>): Promise<ChatStreamPart[]> {
  const all: ChatStreamPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

const weather = {
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

describe("a language model of the AI SDK, over HTTP", () => {
  it("answers one message, with usage and a reason to stop [B41 B42]", async () => {
    const { server, model } = await serve({ chat: { content: "Paris.", usage: { inputTokens: 7, outputTokens: 2 } } });
    expect([model.provider, model.model]).toEqual(["local", "test-model"]);
    expect(await model.chat({ role: "user", content: "Capital of France?" })).toEqual({
      message: { role: "assistant", content: "Paris." },
      usage: { inputTokens: 7, outputTokens: 2 },
      finishReason: "stop",
    });
    expect(server.requests[0]?.body["messages"]).toEqual([{ role: "user", content: "Capital of France?" }]);
  });

  it("streams the same answer in pieces and finishes once, last [B41]", async () => {
    const { model } = await serve({ chat: { content: "one two three", usage: { inputTokens: 4, outputTokens: 3 } } });
    const parts = await collect(model.stream({ role: "user", content: "Count." }));
    expect(parts.slice(0, -1)).toEqual([
      { type: "text", delta: "one " },
      { type: "text", delta: "two " },
      { type: "text", delta: "three" },
    ]);
    expect(parts.at(-1)).toEqual({
      type: "finish",
      result: {
        message: { role: "assistant", content: "one two three" },
        usage: { inputTokens: 4, outputTokens: 3 },
        finishReason: "stop",
      },
    });
  });

  it("sends system, named user, assistant with calls and answers of tools as one conversation [B38 B40 B42]", async () => {
    const { server, model } = await serve({});
    const messages: ChatMessage[] = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Weather in Bern and Rome?", name: "Ada\n Lovelace" },
      {
        role: "assistant",
        content: null,
        toolCalls: [
          { id: "call-1", name: "weather", arguments: { city: "Bern" } },
          { id: "call-2", name: "weather", arguments: { city: "Rome" } },
        ],
      },
      { role: "function", name: "weather", id: "call-2", content: "sun" },
      { role: "function", name: "weather", content: null },
      { role: "assistant", content: "Bern unknown, Rome sun." },
      { role: "assistant", content: null },
      { role: "user", content: "Thanks.", name: "  " },
    ];
    await model.chat(messages);
    const call = (id: string, city: string): object => ({
      id,
      type: "function",
      function: { name: "weather", arguments: JSON.stringify({ city }) },
    });
    expect(server.requests[0]?.body["messages"]).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Ada Lovelace: Weather in Bern and Rome?" },
      expect.objectContaining({
        role: "assistant",
        tool_calls: [call("call-1", "Bern"), call("call-2", "Rome")],
      }) as object,
      { role: "tool", tool_call_id: "call-2", content: "sun" },
      // No id was given: it answers the oldest open call of its name.
      { role: "tool", tool_call_id: "call-1", content: "" },
      { role: "assistant", content: "Bern unknown, Rome sun." },
      { role: "user", content: "Thanks." },
    ]);
  });

  it("renders a prompt's documents as text, in user and system messages [B40 B43]", async () => {
    const { server, model } = await serve({});
    const note = { type: "text-chunk", text: "Keys rotate weekly.", metadata: {} } as never;
    await model.chat([
      { role: "system", content: prompt`Facts: ${note}` },
      { role: "user", content: prompt`  Context: ${[note, note]} and ${{ n: 3 }}.  ` },
    ]);
    const [request] = server.requests;
    expect(request?.body["messages"]).toEqual([
      { role: "system", content: "Facts: Keys rotate weekly." },
      { role: "user", content: 'Context: Keys rotate weekly.\n\nKeys rotate weekly. and {"n":3}.' },
    ]);
  });

  it("carries a picture whole, its text in parts around it [B9 B43 T58]", async () => {
    const { server, model } = await serve({});
    const picture: MediaDocument = {
      type: "image",
      content: new Uint8Array([1, 2, 3]),
      mediaType: "image/png",
      metadata: {},
    };
    const address: MediaDocument = {
      type: "image",
      content: new URL("https://a.example/p.png"),
      mediaType: "image/png",
      metadata: {},
    };
    await model.chat({ role: "user", name: "Ada", content: prompt`Look: ${[picture, address]}!` });
    expect(server.requests[0]?.body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Ada: Look: " },
          { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
          { type: "image_url", image_url: { url: "https://a.example/p.png" } },
          { type: "text", text: "!" },
        ],
      },
    ]);
  });

  it.each(["v2", "v3", "v4"] as const)(
    "hands on recordings and files in the form of specification %s [B9 B43]",
    (version) => {
      const bytes = new Uint8Array([1]);
      const url = new URL("https://a.example/f.pdf");
      const audio: MediaDocument = { type: "audio", content: bytes, metadata: {} };
      const file: MediaDocument = { type: "file", content: url, mediaType: "application/pdf", metadata: {} };
      const named: MediaDocument = { type: "file", content: { fileId: "file-1" }, metadata: {} };
      const [message] = toPrompt(
        { role: "user", name: "Ada", content: prompt`${[audio, file, named]}` },
        { specificationVersion: version, provider: "openai.chat" },
      );
      const tagged = [
        { type: "data", data: bytes },
        { type: "url", url },
        { type: "reference", reference: { openai: "file-1" } },
      ];
      const data = version === "v4" ? tagged : [bytes, url, "file-1"];
      expect(message).toEqual({
        role: "user",
        content: [
          { type: "text", text: "Ada:" },
          { type: "file", mediaType: "audio/*", data: data[0] },
          { type: "file", mediaType: "application/pdf", data: data[1] },
          { type: "file", mediaType: "application/octet-stream", data: data[2] },
        ],
      });
    },
  );

  it("refuses what no model takes before anything is sent: binary documents, pictures in a system message [B43]", async () => {
    const { server, model } = await serve({});
    const binary: MediaDocument = { type: "binary", content: new Uint8Array([1]), metadata: {} };
    const picture: MediaDocument = { ...binary, type: "image" };
    const messages: ChatMessage[] = [
      { role: "user", content: prompt`Look: ${binary}` },
      { role: "user", content: prompt`Look: ${[binary]}` },
      { role: "system", content: prompt`Look: ${picture}` },
    ];
    for (const message of messages) {
      await expect(model.chat([message])).rejects.toMatchObject({ code: "unsupported-input" });
      await expect(collect(model.stream([message]))).rejects.toMatchObject({ code: "unsupported-input" });
    }
    expect(server.requests).toEqual([]);
  });

  it("says what a provider does not take [B43]", async () => {
    const { model } = await serve({});
    const file: MediaDocument = {
      type: "file",
      content: new Uint8Array([1]),
      mediaType: "application/x-unknown",
      metadata: {},
    };
    await expect(model.chat({ role: "user", content: prompt`Read ${file}` })).rejects.toMatchObject({
      code: "unsupported-input",
    });
  });

  it("hands on tools, stop sequences, temperature and the longest answer [B41]", async () => {
    const { server, model } = await serve({});
    await model.chat(
      { role: "user", content: "Hi." },
      { tools: [weather], stop: ["END"], temperature: 0, maxOutputTokens: 9 },
    );
    expect(server.requests[0]?.body).toMatchObject({
      model: "test-model",
      stop: ["END"],
      temperature: 0,
      max_tokens: 9,
      tools: [{ type: "function", function: weather }],
    });
    await model.chat({ role: "user", content: "Hi." }, { tools: [], stop: [] });
    expect(Object.keys(server.requests[1]?.body ?? {}).sort()).toEqual(["messages", "model"]);
  });

  it("reads tool calls, whole and streamed, with their arguments parsed [B41]", async () => {
    const { model } = await serve({
      chat: {
        content: null,
        toolCalls: [
          { id: "a", name: "weather", arguments: '{"city":"Bern"}' },
          { id: "b", name: "now", arguments: "{}" },
        ],
      },
    });
    const expected = {
      role: "assistant",
      content: null,
      toolCalls: [
        { id: "a", name: "weather", arguments: { city: "Bern" } },
        { id: "b", name: "now", arguments: {} },
      ],
    };
    const whole = await model.chat({ role: "user", content: "Weather?" }, { tools: [weather] });
    expect(whole.message).toEqual(expected);
    expect(whole.finishReason).toBe("tool-calls");
    const parts = await collect(model.stream({ role: "user", content: "Weather?" }, { tools: [weather] }));
    expect(parts).toHaveLength(1);
    expect(parts[0]).toMatchObject({ type: "finish", result: { message: expected, finishReason: "tool-calls" } });
  });

  it("gives null for a model that says nothing, which is an answer and no error", async () => {
    const { model } = await serve({ chat: { content: "", usage: null } });
    expect((await model.chat({ role: "user", content: "Hi." })).message).toEqual({ role: "assistant", content: null });
    const parts = await collect(model.stream({ role: "user", content: "Hi." }));
    expect(parts.map((part) => part.type)).toEqual(["finish"]);
  });

  it("says that an answer was cut at its longest", async () => {
    const { model } = await serve({ chat: { content: "and so", finishReason: "length" } });
    expect((await model.chat({ role: "user", content: "Go on." })).finishReason).toBe("length");
  });

  it("ends a call when its signal fires, at the server too", async () => {
    const { server, model } = await serve({ chat: { fault: "silence" } });
    const controller = new AbortController();
    const calling = model.chat({ role: "user", content: "Hi." }, { signal: controller.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort();
    await expect(calling).rejects.toMatchObject({ code: "aborted" });
    expect(await server.requests[0]?.ended).toBe("left");
  });

  it("ends a stream when its signal fires in the middle", async () => {
    const { server, model } = await serve({ chat: { fault: "silence", content: "Half" } });
    const controller = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const part of model.stream({ role: "user", content: "Hi." }, { signal: controller.signal })) {
        seen.push(part.type);
        controller.abort(new Error("enough"));
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: "aborted" });
    expect(seen).toEqual(["text"]);
    expect(await server.requests[0]?.ended).toBe("left");
  });

  it("tells the server when a reader leaves a stream early", async () => {
    const { server, model } = await serve({ chat: { fault: "silence", content: "Half" } });
    for await (const part of model.stream({ role: "user", content: "Hi." })) {
      expect(part).toEqual({ type: "text", delta: "Half" });
      break;
    }
    expect(await server.requests[0]?.ended).toBe("left");
  });

  it("sends nothing when the signal has fired before", async () => {
    const { server, model } = await serve({});
    const signal = AbortSignal.abort();
    await expect(model.chat({ role: "user", content: "Hi." }, { signal })).rejects.toMatchObject({ code: "aborted" });
    await expect(collect(model.stream({ role: "user", content: "Hi." }, { signal }))).rejects.toMatchObject({
      code: "aborted",
    });
    expect(server.requests).toEqual([]);
  });

  it("refuses what cannot be sent before it is", async () => {
    const { server, model } = await serve({});
    const invalid = { code: "invalid-argument" };
    await expect(model.chat([])).rejects.toMatchObject(invalid);
    await expect(model.chat([{ role: "assistant", content: null }])).rejects.toMatchObject(invalid);
    await expect(model.chat([{ role: "tool", content: "x" } as never])).rejects.toMatchObject(invalid);
    await expect(model.chat([{ role: "function", name: "weather", content: "sun" }])).rejects.toMatchObject(invalid);
    const user = { role: "user", content: "Hi." } as const;
    await expect(model.chat(user, { temperature: Number.NaN })).rejects.toMatchObject(invalid);
    await expect(model.chat(user, { maxOutputTokens: 0 })).rejects.toMatchObject(invalid);
    await expect(model.chat(user, { topP: 1 } as object)).rejects.toThrow(/no option "topP"/u);
    expect(server.requests).toEqual([]);
  });
});

describe("other providers' packages, over HTTP", () => {
  it("@ai-sdk/openai answers and streams through Chat Completions", async () => {
    server = await startOpenAiServer({ chat: (request) => `You said: ${promptOf(request)}`, apiKey: "secret" });
    const model = fromAiSdkLanguageModel(createOpenAI({ baseURL: server.url, apiKey: "secret" }).chat("gpt-test"));
    expect(model.provider).toBe("openai");
    expect((await model.chat({ role: "user", content: "hello" })).message.content).toBe("You said: hello");
    const parts = await collect(model.stream({ role: "user", content: "hello" }));
    expect(parts.at(-1)).toMatchObject({ result: { message: { content: "You said: hello" }, finishReason: "stop" } });
  });

  it("@ai-sdk/openai answers and streams through Responses, with the provider's own options", async () => {
    server = await startOpenAiServer({ chat: { content: "one two", usage: { inputTokens: 5, outputTokens: 2 } } });
    const model = fromAiSdkLanguageModel(createOpenAI({ baseURL: server.url, apiKey: "k" })("gpt-test"), {
      providerOptions: { openai: { store: false } },
    });
    expect(model.provider).toBe("openai");
    const result = {
      message: { role: "assistant", content: "one two" },
      usage: { inputTokens: 5, outputTokens: 2 },
      finishReason: "stop",
    };
    expect(await model.chat({ role: "user", content: "Count." })).toEqual(result);
    expect(await collect(model.stream({ role: "user", content: "Count." }))).toEqual([
      { type: "text", delta: "one " },
      { type: "text", delta: "two" },
      { type: "finish", result },
    ]);
    expect(server.requests.map(({ path, body }) => [path, body["store"]])).toEqual([
      ["/v1/responses", false],
      ["/v1/responses", false],
    ]);
  });

  it("@ai-sdk/anthropic gets a conversation that Anthropic accepts", async () => {
    // Its API is another one: the server says 404, and what was sent can be looked at.
    server = await startOpenAiServer({});
    const model = fromAiSdkLanguageModel(createAnthropic({ baseURL: server.url, apiKey: "k" })("claude-test"));
    expect(model.provider).toBe("anthropic");
    await expect(
      model.chat([
        { role: "system", content: "Be brief." },
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: "Let me look.",
          toolCalls: [{ id: "a", name: "weather", arguments: { city: "Bern" } }],
        },
        { role: "function", name: "weather", id: "a", content: "sun" },
      ]),
    ).rejects.toMatchObject({ code: "model-failed", details: { status: 404 } });
    expect(server.requests[0]?.path).toBe("/v1/messages");
    expect(server.requests[0]?.body).toMatchObject({
      system: [{ type: "text", text: "Be brief." }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Weather?" }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "a", name: "weather", input: { city: "Bern" } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "sun" }] },
      ],
    });
  });
});
