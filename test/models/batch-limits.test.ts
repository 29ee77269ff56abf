import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { createBatchLimits, estimateTokens } from "../../src/models/embedder/batch-limits.ts";
import { createEmbedder, type EmbedderOptions } from "../../src/models/embedder/create-embedder.ts";

const secret = new Uint8Array(32).fill(7);
const purpose = "document" as const;

/** A model that takes so many texts and so many characters at once, and counts a token for each character. */
function modelThatTakes(
  texts: number,
  characters: number,
  refuse = tooLarge,
): EmbeddingModel & { readonly batches: string[][] } {
  const batches: string[][] = [];
  return {
    provider: "fake",
    model: "small",
    kind: "dense",
    dimensions: 1,
    batches,
    async embed(inputs) {
      const given = inputs.map(String);
      batches.push(given);
      const length = given.join("").length;
      if (given.length > texts || length > characters) throw refuse();
      return { embeddings: given.map((text) => [text.length]), tokens: length };
    },
  };
}

const tooLarge = (): IbidError =>
  new IbidError("embedding-failed", "fake/small was sent more text than it takes.", { details: { tooLarge: true } });
const embedderOf = (model: EmbeddingModel, options: Partial<EmbedderOptions> = {}) =>
  createEmbedder(model, { secret, concurrency: 1, ...options });
const distinct = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index).padStart(length, "x"));

describe("batches by tokens", () => {
  it("estimates a third of the bytes in UTF-8, which is never less than a quarter of the characters", () => {
    expect(["", "abc", "größe", "灯台", "👍"].map(estimateTokens)).toEqual([0, 1, 3, 2, 2]);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const bytes = new TextEncoder().encode(text.toWellFormed()).length;
        expect(estimateTokens(text.toWellFormed())).toBe(Math.ceil(bytes / 3));
      }),
    );
  });

  it("are bounded by tokens and by count, keep the order, and leave nothing out [W6]", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(50), { maxLength: 60 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 100 }),
        (sizes, count, most) => {
          const limits = createBatchLimits(count, most);
          const items = sizes.map((tokens, index) => ({ tokens, index }));
          const batches: (readonly (typeof items)[number][])[] = [];
          for (let from = 0; from < items.length; from += batches.at(-1)?.length ?? 1)
            batches.push(limits.take(items, from));
          expect(batches.flat()).toEqual(items);
          for (const batch of batches) {
            expect(batch.length).toBeLessThanOrEqual(count);
            const tokens = batch.reduce((sum, item) => sum + item.tokens, 0);
            expect(batch.length === 1 || tokens <= most).toBe(true);
          }
        },
      ),
    );
  });

  it("a text that is too long by itself travels alone", async () => {
    const model = modelThatTakes(100, 1_000);
    await embedderOf(model, { maxBatchTokens: 10 }).embed(["aaa", "b".repeat(300), "ccc", "ddd"], { purpose });
    expect(model.batches.map((batch) => batch.map((text) => text.length))).toEqual([[3], [300], [3, 3]]);
  });

  it("goes again in halves when a request was too large, and is not made as large again [W11 W13]", async () => {
    const model = modelThatTakes(3, 1_000);
    const embedder = embedderOf(model, { batchSize: 8 });
    const texts = distinct(16, 4);
    const { embeddings, sent, tokens } = await embedder.embed(texts, { purpose });
    expect(embeddings).toEqual(texts.map((text) => [text.length]));
    expect([sent, tokens]).toEqual([16, 64]);
    // 8 is refused, and so are both its halves; from then on there are two at a time.
    expect(model.batches.map(({ length }) => length)).toEqual([8, 4, 2, 2, 4, 2, 2, 2, 2, 2, 2]);
    await embedder.embed(distinct(4, 5), { purpose });
    expect(model.batches.slice(-2).map(({ length }) => length)).toEqual([2, 2]);
  });

  it("finds the one text that no batch is small enough for, and does not blame the others for it [W11]", async () => {
    const model = modelThatTakes(100, 50);
    const embedder = embedderOf(model, { batchSize: 8 });
    const failed = embedder.embed([...distinct(3, 4), "x".repeat(60), ...distinct(7, 5).slice(3)], { purpose });
    await expect(failed).rejects.toMatchObject({ code: "embedding-failed", details: { tooLarge: true } });
    const before = model.batches.length;
    await embedder.embed(distinct(8, 6), { purpose });
    expect(model.batches.slice(before).map(({ length }) => length)).toEqual([8]);
  });

  it("does not halve what was refused for another reason [W13]", async () => {
    const model = modelThatTakes(1, 1_000, () => new IbidError("rate-limited", "Not now."));
    await expect(embedderOf(model).embed(["a", "b"], { purpose })).rejects.toMatchObject({ code: "rate-limited" });
    expect(model.batches).toHaveLength(1);
  });

  it("says no tokens where a part of them was not counted", async () => {
    let calls = 0;
    const model: EmbeddingModel = {
      ...modelThatTakes(100, 1_000),
      embed: async (inputs) => ({ embeddings: inputs.map(() => [1]), ...(calls++ === 0 ? { tokens: 3 } : {}) }),
    };
    const result = await embedderOf(model, { batchSize: 1 }).embed(["a", "b"], { purpose });
    expect(result).not.toHaveProperty("tokens");
  });
});

describe("requests at one time", () => {
  it("are bounded for all calls together, first come, first served [W6]", async () => {
    let under = 0;
    let most = 0;
    const order: string[] = [];
    const model: EmbeddingModel = {
      ...modelThatTakes(1, 10),
      maxBatchSize: 1,
      async embed(inputs) {
        order.push(inputs[0] as string);
        most = Math.max(most, ++under);
        await new Promise((resolve) => void setTimeout(resolve, 1));
        under--;
        return { embeddings: inputs.map(() => [1]) };
      },
    };
    const embedder = embedderOf(model, { concurrency: 2 });
    const texts = distinct(9, 2);
    await Promise.all([0, 3, 6].map((from) => embedder.embed(texts.slice(from, from + 3), { purpose })));
    expect(most).toBe(2);
    expect(order.toSorted()).toEqual(texts);
  });

  it("a failed request gives its turn to the next, and whoever stops waiting leaves at once", async () => {
    const gate = Promise.withResolvers<void>();
    let calls = 0;
    const model: EmbeddingModel = {
      ...modelThatTakes(9, 99),
      async embed(inputs) {
        if (calls++ === 0) {
          await gate.promise;
          throw new IbidError("timeout", "Too slow.");
        }
        return { embeddings: inputs.map(() => [1]) };
      },
    };
    const embedder = embedderOf(model, { concurrency: 1 });
    const first = embedder.embed(["a"], { purpose });
    await new Promise((resolve) => setTimeout(resolve, 0));
    await new Promise((resolve) => setImmediate(resolve));
    const stop = new AbortController();
    const second = embedder.embed(["b"], { purpose, signal: stop.signal });
    const third = embedder.embed(["c"], { purpose });
    stop.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    gate.resolve();
    await expect(first).rejects.toMatchObject({ code: "timeout" });
    expect((await third).sent).toBe(1);
  });
});
