import { describe, expect, it } from "vitest";

import { addUsage, withPrice } from "../../src/models/price-usage.ts";
import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";

const prices = { "scripted/model": { input: 2, output: 8 }, "fake/embed": { input: 0.5 } };

/** Counts a token for each character. */
const embeddingModel = (tokens = true): EmbeddingModel => ({
  provider: "fake",
  model: "embed",
  kind: "dense",
  dimensions: 1,
  embed: async (inputs) => ({
    embeddings: inputs.map(() => [1]),
    ...(tokens && {
      tokens: inputs.reduce<number>(
        (sum, input) => sum + (typeof input === "string" ? input : (input as { text: string }).text).length,
        0,
      ),
    }),
  }),
});

describe("what tokens cost", () => {
  it("is said where the model has a price, and nowhere else", async () => {
    const model = { ...createScriptedChatModel(["12345678"]), provider: "scripted", model: "model" };
    const { usage } = await withPrice(model, prices).chat({ role: "user", content: "?" });
    expect(usage).toEqual({ inputTokens: 0, outputTokens: 2, cost: (2 * 8) / 1_000_000 });
    expect(withPrice(model, { "scripted/other": { input: 1 } })).toBe(model);
    expect(withPrice(model, undefined)).toBe(model);
  });

  it("adds up, and what one call does not know the sum does not know", () => {
    expect(
      addUsage({ inputTokens: 1, outputTokens: 2, cost: 0.5 }, { inputTokens: 3, outputTokens: 4, cost: 0.25 }),
    ).toEqual({
      inputTokens: 4,
      outputTokens: 6,
      cost: 0.75,
    });
    expect(addUsage({ inputTokens: 1, cost: 1 }, { inputTokens: 2, outputTokens: 3 })).toEqual({ inputTokens: 3 });
  });

  it("stands in the summary of an ingestion and in an answer", async () => {
    const chat = { ...createScriptedChatModel(["Keys rotate [1]."]), provider: "scripted", model: "model" };
    const kb = await openKnowledgeBase({ models: { embedding: embeddingModel(), chat: chat, prices } });
    const first = await kb.ingest({ uri: "a.txt", text: "Keys rotate." });
    expect(first.usage).toEqual({ inputTokens: 18, cost: 9 / 1_000_000 });
    // Nothing was sent, so nothing was used.
    expect(await kb.ingest({ uri: "a.txt", text: "Keys rotate." })).not.toHaveProperty("usage");
    const answer = await kb.ask("Do keys rotate?");
    expect(answer.usage).toEqual({ inputTokens: 15, outputTokens: 4, cost: (15 * 0.5 + 4 * 8) / 1_000_000 });
    await kb.close();
  });

  it("is not told to a caller, who could learn from it what others have written [L3]", async () => {
    const kb = await openKnowledgeBase({ models: { embedding: embeddingModel(), prices } });
    expect(await kb.as({ userId: "ada" }).ingest({ uri: "a.txt", text: "Keys rotate." })).not.toHaveProperty("usage");
    await kb.close();
  });

  it("is not guessed where the provider does not count", async () => {
    const kb = await openKnowledgeBase({ models: { embedding: embeddingModel(false), prices } });
    const summary = await kb.ingest({ uri: "a.txt", text: "Keys rotate." });
    expect([summary.embedded, "usage" in summary]).toEqual([1, false]);
    await kb.close();
  });

  it.each([
    { "gpt-5": { input: 1 } },
    { "openai/gpt": { input: -1 } },
    { "openai/gpt": { input: 1, output: Number.NaN } },
  ])("%j is no price", async (wrong) => {
    await expect(openKnowledgeBase({ models: { prices: wrong } })).rejects.toThrow(/no valid price/u);
  });
});
