import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { MockEmbeddingModelV3, MockEmbeddingModelV4, MockLanguageModelV3, MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";

import {
  type AiSdkEmbeddingModel,
  type AiSdkLanguageModel,
  isAiSdkEmbeddingModel,
  isAiSdkLanguageModel,
} from "../../src/models/ai-sdk/ai-sdk-model.ts";
import { fromAiSdkEmbeddingModel } from "../../src/models/ai-sdk/embedding-model.ts";
import { fromAiSdkLanguageModel } from "../../src/models/ai-sdk/language-model.ts";
import { embeddingModelV2, languageModelV2 } from "./hand-written-models.ts";

const compatible = createOpenAICompatible({ name: "somewhere", baseURL: "http://127.0.0.1:1/v1" });

const languageModels: readonly [string, AiSdkLanguageModel][] = [
  ["@ai-sdk/openai, responses", createOpenAI({ apiKey: "k" })("gpt-test")],
  ["@ai-sdk/openai, chat", createOpenAI({ apiKey: "k" }).chat("gpt-test")],
  ["@ai-sdk/anthropic", createAnthropic({ apiKey: "k" })("claude-test")],
  ["@ai-sdk/google", createGoogle({ apiKey: "k" })("gemini-test")],
  ["@ai-sdk/openai-compatible", compatible("any")],
  ["mock v4", new MockLanguageModelV4()],
  ["mock v3", new MockLanguageModelV3()],
  ["hand-written v2", languageModelV2({})],
];

const embeddingModels: readonly [string, AiSdkEmbeddingModel][] = [
  ["@ai-sdk/openai", createOpenAI({ apiKey: "k" }).embeddingModel("embed-test")],
  ["@ai-sdk/google", createGoogle({ apiKey: "k" }).embeddingModel("embed-test")],
  ["@ai-sdk/openai-compatible", compatible.embeddingModel("any")],
  ["mock v4", new MockEmbeddingModelV4()],
  ["mock v3", new MockEmbeddingModelV3()],
  ["hand-written v2", embeddingModelV2({})],
];

describe("isAiSdkLanguageModel and isAiSdkEmbeddingModel", () => {
  it.each(languageModels)("know the language model of %s, whose type is accepted as it is [B41]", (_, model) => {
    expect(isAiSdkLanguageModel(model)).toBe(true);
    expect(isAiSdkEmbeddingModel(model)).toBe(false);
  });

  it.each(embeddingModels)("know the embedding model of %s, whose type is accepted as it is [T36]", (_, model) => {
    expect(isAiSdkEmbeddingModel(model)).toBe(true);
    expect(isAiSdkLanguageModel(model)).toBe(false);
  });

  it("know a model that is a function with properties", () => {
    const model = Object.assign(() => {}, languageModelV2({}));
    expect(isAiSdkLanguageModel(model)).toBe(true);
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a name", "openai/gpt-test"],
    ["a v1 model", { ...languageModelV2({}), specificationVersion: "v1" }],
    ["a later version", { ...languageModelV2({}), specificationVersion: "v5" }],
    ["a model without a stream", { ...languageModelV2({}), doStream: undefined }],
    ["a model without an id", { ...languageModelV2({}), modelId: undefined }],
    ["our own model", { provider: "ibid", model: "hashing", embed: () => {} }],
  ])("refuse %s", (_, value) => {
    expect(isAiSdkLanguageModel(value)).toBe(false);
    expect(isAiSdkEmbeddingModel(value)).toBe(false);
  });
});

describe("what is no such model", () => {
  const asLanguage = (value: unknown): unknown => fromAiSdkLanguageModel(value as AiSdkLanguageModel);
  const asEmbedding = (value: unknown): unknown => fromAiSdkEmbeddingModel(value as AiSdkEmbeddingModel);

  it("is refused when it is a v1 model, with the way out [B41 T36]", () => {
    const v1 = { specificationVersion: "v1", provider: "openai", modelId: "gpt", doGenerate() {}, doStream() {} };
    expect(() => asLanguage(v1)).toThrow(
      expect.objectContaining({ code: "invalid-argument", hint: expect.stringContaining("Update") as string }),
    );
    expect(() => asEmbedding({ ...v1, doEmbed() {} })).toThrow(/specification v2, v3 or v4, got v1/u);
  });

  it("is refused when it is a name, with the function that takes names", () => {
    expect(() => asLanguage("openai/gpt")).toThrow(
      expect.objectContaining({
        code: "invalid-argument",
        hint: expect.stringContaining("resolveChatModel") as string,
      }),
    );
    expect(() => asEmbedding("openai/e")).toThrow(
      expect.objectContaining({
        code: "invalid-argument",
        hint: expect.stringContaining("resolveEmbeddingModel") as string,
      }),
    );
  });

  it("is refused when it is the other kind", () => {
    expect(() => asLanguage(embeddingModelV2({}))).toThrow(/another kind/u);
    expect(() => asEmbedding(languageModelV2({}))).toThrow(/another kind/u);
  });

  it("is refused when it is anything else", () => {
    for (const value of [undefined, null, 3, {}, []]) {
      expect(() => asLanguage(value)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
      expect(() => asEmbedding(value)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    }
  });

  it("is refused with an option that nobody reads", () => {
    expect(() => fromAiSdkLanguageModel(languageModelV2({}), { temprature: 1 } as object)).toThrow(
      /no option "temprature"/u,
    );
    expect(() => fromAiSdkEmbeddingModel(embeddingModelV2({}), { prefixes: { doc: "x" } } as object)).toThrow(
      /prefixes has no option "doc"/u,
    );
    for (const dimensions of [0, -1, 1.5, Number.NaN]) {
      expect(() => fromAiSdkEmbeddingModel(embeddingModelV2({}), { dimensions })).toThrow(/dimensions/u);
    }
  });
});
