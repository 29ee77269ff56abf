import type { LanguageModelV3StreamPart, LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { convertArrayToReadableStream, MockLanguageModelV3, MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";

import { fromAiSdkLanguageModel } from "../../src/models/ai-sdk/language-model.ts";
import type { ChatModel, ChatStreamPart } from "../../src/contracts/chat.ts";
import { languageModelV2 } from "./hand-written-models.ts";

const question = { role: "user", content: "Question?" } as const;

const content: LanguageModelV4Content[] = [
  { type: "reasoning", text: "Let me think." },
  { type: "text", text: "The answer" },
  { type: "source", sourceType: "url", id: "s", url: "https://example.com" },
  { type: "text", text: " is 42." },
  { type: "tool-call", toolCallId: "1", toolName: "look", input: '{"at":"sky"}' },
  { type: "tool-call", toolCallId: "2", toolName: "search", input: "{}", providerExecuted: true },
  { type: "tool-call", toolCallId: "3", toolName: "now", input: "" },
];

const streamed: LanguageModelV4StreamPart[] = [
  { type: "stream-start", warnings: [] },
  { type: "response-metadata", id: "r" },
  { type: "reasoning-start", id: "t" },
  { type: "reasoning-delta", id: "t", delta: "Let me think." },
  { type: "reasoning-end", id: "t" },
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: "The answer" },
  { type: "text-delta", id: "0", delta: "" },
  { type: "text-end", id: "0" },
  { type: "ping" },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: " is 42." },
  { type: "text-end", id: "1" },
  { type: "tool-input-start", id: "1", toolName: "look" },
  { type: "tool-input-delta", id: "1", delta: '{"at":' },
  { type: "tool-input-end", id: "1" },
  { type: "tool-call", toolCallId: "1", toolName: "look", input: '{"at":"sky"}' },
  { type: "tool-call", toolCallId: "2", toolName: "search", input: "{}", providerExecuted: true },
  { type: "tool-call", toolCallId: "3", toolName: "now", input: "" },
];
const streamedBefore4 = streamed.filter((part) => part.type !== "ping");

const flatUsage = { inputTokens: 11, outputTokens: 5, totalTokens: 16 };
const usage = {
  inputTokens: { total: 11, noCache: 11, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 4, reasoning: 1 },
};
const unified = { unified: "tool-calls", raw: "tool_calls" } as const;

const models: readonly [string, ChatModel][] = [
  [
    "v2",
    fromAiSdkLanguageModel(
      languageModelV2({
        content: content as never,
        finishReason: "tool-calls",
        usage: flatUsage,
        parts: [...(streamedBefore4 as never[]), { type: "finish", usage: flatUsage, finishReason: "tool-calls" }],
      }),
    ),
  ],
  [
    "v3",
    fromAiSdkLanguageModel(
      new MockLanguageModelV3({
        doGenerate: { content: content as never, finishReason: unified, usage, warnings: [] },
        doStream: {
          stream: convertArrayToReadableStream<LanguageModelV3StreamPart>([
            ...(streamedBefore4 as LanguageModelV3StreamPart[]),
            { type: "finish", usage, finishReason: unified },
          ]),
        },
      }),
    ),
  ],
  [
    "v4",
    fromAiSdkLanguageModel(
      new MockLanguageModelV4({
        doGenerate: { content, finishReason: unified, usage, warnings: [] },
        doStream: {
          stream: convertArrayToReadableStream([...streamed, { type: "finish", usage, finishReason: unified }]),
        },
      }),
    ),
  ],
];

const expected = {
  message: {
    role: "assistant",
    content: "The answer is 42.",
    toolCalls: [
      { id: "1", name: "look", arguments: { at: "sky" } },
      { id: "3", name: "now", arguments: {} },
    ],
  },
  usage: { inputTokens: 11, outputTokens: 5 },
  finishReason: "tool-calls",
};

async function collect(parts: AsyncIterable<ChatStreamPart>): Promise<ChatStreamPart[]> {
  const all: ChatStreamPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

describe.each(models)("a language model of specification %s", (_, model) => {
  it("gives text, calls, usage and reason; reasoning, sources and the provider's own calls stay out [B41]", async () => {
    expect(await model.chat(question)).toEqual(expected);
  });

  it("streams the same, without empty pieces [B41]", async () => {
    expect(await collect(model.stream(question))).toEqual([
      { type: "text", delta: "The answer" },
      { type: "text", delta: " is 42." },
      { type: "finish", result: expected },
    ]);
  });
});

describe("what models of any version are called with", () => {
  it("is the prompt that v2, v3 and v4 have in common [B38 B40 B42]", async () => {
    const model = languageModelV2({});
    const { signal } = new AbortController();
    await fromAiSdkLanguageModel(model).chat(
      [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi.", name: "Ada" },
        { role: "assistant", content: "Hello.", toolCalls: [{ id: "1", name: "look", arguments: [1] }] },
        { role: "function", name: "look", content: "seen" },
      ],
      {
        tools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }],
        stop: ["END"],
        temperature: 0.5,
        maxOutputTokens: 3,
        signal,
      },
    );
    expect(model.calls).toEqual([
      {
        prompt: [
          { role: "system", content: "Be brief." },
          { role: "user", content: [{ type: "text", text: "Ada: Hi." }] },
          {
            role: "assistant",
            content: [
              { type: "text", text: "Hello." },
              { type: "tool-call", toolCallId: "1", toolName: "look", input: [1] },
            ],
          },
          {
            role: "tool",
            content: [
              { type: "tool-result", toolCallId: "1", toolName: "look", output: { type: "text", value: "seen" } },
            ],
          },
        ],
        tools: [{ type: "function", name: "look", description: "Looks.", inputSchema: { type: "object" } }],
        stopSequences: ["END"],
        temperature: 0.5,
        maxOutputTokens: 3,
        abortSignal: signal,
      },
    ]);
  });
});

describe("answers of tools", () => {
  const call = (id: string): { id: string; name: string; arguments: null } => ({ id, name: "look", arguments: null });
  const asked = { role: "assistant", content: null, toolCalls: [call("1"), call("2")] } as const;
  const seen = { role: "function", name: "look", content: "seen" } as const;

  it("that follow one another share a message, each for a call of its own [B42]", async () => {
    const model = languageModelV2({});
    await fromAiSdkLanguageModel(model).chat([question, asked, seen, seen]);
    const output = { type: "text", value: "seen" };
    expect(model.calls[0]?.prompt.slice(2)).toEqual([
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "1", toolName: "look", output },
          { type: "tool-result", toolCallId: "2", toolName: "look", output },
        ],
      },
    ]);
  });

  it("to a call that is answered already, or that nobody made, are refused [B42]", async () => {
    const model = fromAiSdkLanguageModel(languageModelV2({}));
    for (const messages of [
      [question, asked, seen, seen, seen],
      [question, asked, { ...seen, id: "3" }],
      [question, seen, asked],
    ]) {
      await expect(model.chat(messages)).rejects.toMatchObject({ code: "invalid-argument" });
    }
  });
});

describe("reasons to stop and usage", () => {
  it.each(["stop", "length", "content-filter", "error", "other"] as const)(
    "%s stays what it is",
    async (finishReason) => {
      const v2 = fromAiSdkLanguageModel(languageModelV2({ finishReason }));
      const v4 = fromAiSdkLanguageModel(
        new MockLanguageModelV4({
          doGenerate: { content: [], finishReason: { unified: finishReason, raw: "x" }, usage, warnings: [] },
        }),
      );
      expect((await v2.chat(question)).finishReason).toBe(finishReason);
      expect((await v4.chat(question)).finishReason).toBe(finishReason);
    },
  );

  it("an unknown reason is other, and tokens that nobody counted are left out", async () => {
    const model = fromAiSdkLanguageModel(languageModelV2({ finishReason: "unknown" }));
    expect(await model.chat(question)).toEqual({
      message: { role: "assistant", content: null },
      finishReason: "other",
    });
    const half = fromAiSdkLanguageModel(
      languageModelV2({ usage: { inputTokens: 3, outputTokens: undefined, totalTokens: undefined } }),
    );
    expect((await half.chat(question)).usage).toEqual({ inputTokens: 3 });
  });
});

describe("answers that cannot be used are invalid-response [W11]", () => {
  const invalid = { code: "invalid-response" };

  it("a stream that ends without a finish", async () => {
    const model = fromAiSdkLanguageModel(languageModelV2({ parts: [{ type: "text-delta", id: "0", delta: "Half" }] }));
    await expect(collect(model.stream(question))).rejects.toMatchObject(invalid);
  });

  it("an answer that the provider calls interrupted", async () => {
    const finishReason = { unified: "interrupted", raw: undefined } as const;
    const model = fromAiSdkLanguageModel(
      new MockLanguageModelV4({
        doGenerate: { content: [{ type: "text", text: "Half" }], finishReason, usage, warnings: [] },
        doStream: { stream: convertArrayToReadableStream([{ type: "finish", finishReason, usage }]) },
      }),
    );
    await expect(model.chat(question)).rejects.toMatchObject(invalid);
    await expect(collect(model.stream(question))).rejects.toMatchObject(invalid);
  });

  it("arguments of a call that are not JSON, without repeating them", async () => {
    const call = { type: "tool-call", toolCallId: "1", toolName: "look", input: '{"at": "a secret pl' } as const;
    const model = fromAiSdkLanguageModel(languageModelV2({ content: [call] }));
    const error: unknown = await model.chat(question).catch((caught: unknown) => caught);
    expect(error).toMatchObject(invalid);
    expect(String(error)).not.toContain("secret");
  });

  it.each([undefined, null, "text", { content: "text" }])("a result without content: %j", async (result) => {
    const model = fromAiSdkLanguageModel(new MockLanguageModelV4({ doGenerate: (async () => result) as never }));
    await expect(model.chat(question)).rejects.toMatchObject(invalid);
  });

  it.each([undefined, {}, { stream: [] }])("a result without a stream: %j", async (result) => {
    const model = fromAiSdkLanguageModel(new MockLanguageModelV4({ doStream: (async () => result) as never }));
    await expect(collect(model.stream(question))).rejects.toMatchObject(invalid);
  });
});

describe("a model that does not look at its signal", () => {
  it("is not called when the signal has fired, and no longer listened to when it fires", async () => {
    const model = languageModelV2({
      parts: [
        { type: "text-delta", id: "0", delta: "one" },
        { type: "text-delta", id: "0", delta: "two" },
        { type: "text-delta", id: "0", delta: "three" },
        { type: "text-delta", id: "0", delta: "four" },
      ],
    });
    const signal = AbortSignal.abort();
    await expect(fromAiSdkLanguageModel(model).chat(question, { signal })).rejects.toMatchObject({ code: "aborted" });
    expect(model.calls).toEqual([]);

    const controller = new AbortController();
    const texts: string[] = [];
    const reading = (async () => {
      for await (const part of fromAiSdkLanguageModel(model).stream(question, { signal: controller.signal })) {
        if (part.type === "text") texts.push(part.delta);
        controller.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: "aborted" });
    expect(texts).toEqual(["one"]);
    expect(model.cancelled).toBe(true);
  });
});

describe("a stream of any source", () => {
  it("is cancelled when its reader leaves, and after an error in it [B41]", async () => {
    const left = languageModelV2({
      parts: [
        { type: "text-delta", id: "0", delta: "one" },
        { type: "text-delta", id: "0", delta: "two" },
      ],
    });
    for await (const _ of fromAiSdkLanguageModel(left).stream(question)) break;
    expect(left.cancelled).toBe(true);

    const failing = languageModelV2({
      parts: [
        { type: "error", error: new Error("overloaded") },
        { type: "text-delta", id: "0", delta: "never read" },
      ],
    });
    await expect(collect(fromAiSdkLanguageModel(failing).stream(question))).rejects.toMatchObject({
      code: "model-failed",
    });
    expect(failing.cancelled).toBe(true);
  });
});
