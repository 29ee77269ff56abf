import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { MediaDocument } from "../../src/contracts/document.ts";
import type { EmbeddingInput, EmbeddingModel, EmbedOptions, EmbedResult } from "../../src/contracts/embedding-model.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { createEmbedder, type EmbedderOptions } from "../../src/models/embedder/create-embedder.ts";

const purpose = "document" as const;
const embedderOf = (model: EmbeddingModel, options: Partial<EmbedderOptions> = {}) =>
  createEmbedder(model, { secret: new Uint8Array(32).fill(7), ...options });

const textOf = (input: EmbeddingInput): string =>
  typeof input === "string" ? input : "text" in input ? input.text : "media";
const vectorOf = (text: string): number[] => [text.length, text.charCodeAt(0)];
const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `text ${i}`);

interface Held {
  readonly texts: readonly string[];
  readonly options: EmbedOptions;
  answer(tokens?: number): void;
  fail(error: unknown): void;
}

/** A model whose requests are answered by hand. */
function heldModel(parts: Partial<EmbeddingModel> = {}) {
  const held: Held[] = [];
  const model: EmbeddingModel = {
    provider: "fake",
    model: "held",
    kind: "dense",
    dimensions: 2,
    ...parts,
    embed: (inputs, options) => {
      const texts = inputs.map(textOf);
      const { promise, resolve, reject } = Promise.withResolvers<EmbedResult>();
      const answer = (tokens?: number): void =>
        resolve({ embeddings: texts.map(vectorOf), ...(tokens !== undefined && { tokens }) });
      held.push({ texts, options, answer, fail: reject });
      return promise;
    },
  };
  return { model, held, texts: () => held.map(({ texts }) => texts) };
}

/** Ends after every callback that is due now. */
const turn = async (): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setImmediate(resolve));
};

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "no error",
    (error: unknown) => (IbidError.isInstance(error) ? error.code : String(error)),
  );

describe("texts of several calls", () => {
  it("of one turn of the event loop go in one request, each call getting its own vectors [W6]", async () => {
    const { model, held, texts } = heldModel();
    const embedder = embedderOf(model);
    const calls = numbered(50).map((text) => embedder.embed([text], { purpose }));
    await turn();
    expect(texts()).toEqual([numbered(50)]);
    held[0]!.answer();
    const results = await Promise.all(calls);
    expect(results.map(({ embeddings, sent }) => [embeddings, sent])).toEqual(
      numbered(50).map((text) => [[vectorOf(text)], 1]),
    );
  });

  it("go together when they waited for a request that was allowed [W6]", async () => {
    const { model, held, texts } = heldModel();
    const embedder = embedderOf(model, { concurrency: 2 });
    const calls: Promise<unknown>[] = [];
    for (const text of numbered(9)) {
      calls.push(embedder.embed([text], { purpose }));
      await turn();
    }
    expect(texts()).toEqual([["text 0"], ["text 1"]]);
    held[1]!.answer();
    await turn();
    expect(texts().slice(2)).toEqual([numbered(9).slice(2)]);
    held[0]!.answer();
    held[2]!.answer();
    await Promise.all(calls);
  });

  it("go together up to the number and the tokens of one request; one that does not fit lets shorter ones pass", async () => {
    const { model, held, texts } = heldModel({ maxBatchSize: 3 });
    const embedder = embedderOf(model, { concurrency: 1, maxBatchTokens: 20 });
    const all = ["a", "b".repeat(60), "c".repeat(30), "d", "e", "f"];
    const calls = all.map((text) => embedder.embed([text], { purpose }));
    for (let at = 0; at < 3; at++) {
      await turn();
      held[at]!.answer();
    }
    await Promise.all(calls);
    expect(texts()).toEqual([["a", "c".repeat(30), "d"], ["b".repeat(60)], ["e", "f"]]);
  });

  it("of a query begin at once, and never go with those of documents", async () => {
    const { model, held, texts } = heldModel();
    const embedder = embedderOf(model, { concurrency: 1 });
    const first = embedder.embed(["first"], { purpose: "query" });
    await Promise.resolve().then(() => Promise.resolve());
    await new Promise((resolve) => process.nextTick(resolve));
    expect(texts()).toEqual([["first"]]);
    const calls = [
      embedder.embed(["d1"], { purpose }),
      embedder.embed(["q1"], { purpose: "query" }),
      embedder.embed(["d2"], { purpose }),
      embedder.embed(["q2"], { purpose: "query" }),
    ];
    for (let at = 0; at < 3; at++) {
      await turn();
      held[at]!.answer();
    }
    await Promise.all([first, ...calls]);
    expect(held.map(({ texts: sent, options }) => [options.purpose, ...sent])).toEqual([
      ["query", "first"],
      ["document", "d1", "d2"],
      ["query", "q1", "q2"],
    ]);
  });

  it("do not go with media", async () => {
    const { model, held, texts } = heldModel();
    const image: MediaDocument = { type: "image", content: new Uint8Array(1), metadata: {} };
    const embedder = embedderOf(model, { concurrency: 1 });
    const calls = [["a"], [image], ["b"]].map((inputs) => embedder.embed(inputs, { purpose }));
    for (let at = 0; at < 2; at++) {
      await turn();
      held[at]!.answer();
    }
    await Promise.all(calls);
    expect(texts()).toEqual([["a", "b"], ["media"]]);
  });
});

describe("a joined request", () => {
  it("is shared out by the tokens, so that the sum is what the provider counted", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, maxLength: 40 }), { minLength: 2, maxLength: 12 }),
        fc.nat(10_000),
        async (words, tokens) => {
          const { model, held } = heldModel();
          const embedder = embedderOf(model);
          const calls = words.map((word, i) => embedder.embed([`${i} ${word}`], { purpose }));
          await turn();
          held[0]!.answer(tokens);
          const shares = (await Promise.all(calls)).map((result) => result.tokens ?? Number.NaN);
          expect(shares.reduce((sum, share) => sum + share, 0)).toBe(tokens);
          expect(shares.every((share) => share >= 0)).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("goes on when one of its calls is aborted, and stops when the last is", async () => {
    const { model, held } = heldModel();
    const embedder = embedderOf(model);
    const controllers = ["a", "b"].map(() => new AbortController());
    const calls = controllers.map(({ signal }, i) => embedder.embed([`text ${i}`], { purpose, signal }));
    const codes = calls.map(codeOf);
    await turn();
    const { options } = held[0]!;
    controllers[0]!.abort();
    expect(await codes[0]).toBe("aborted");
    expect(options.signal?.aborted).toBe(false);
    controllers[1]!.abort(new DOMException("late", "TimeoutError"));
    expect(await codes[1]).toBe("timeout");
    expect(options.signal?.aborted).toBe(true);
    // The request is over for the embedder too: another one may begin.
    const next = embedder.embed(["next"], { purpose });
    await turn();
    held[1]!.answer();
    expect((await next).sent).toBe(1);
  });

  it("has no text of a call that was aborted while it waited", async () => {
    const { model, held, texts } = heldModel();
    const embedder = embedderOf(model, { concurrency: 1 });
    const first = embedder.embed(["first"], { purpose });
    await turn();
    const controller = new AbortController();
    const stopped = codeOf(embedder.embed(["stopped"], { purpose, signal: controller.signal }));
    const other = embedder.embed(["other"], { purpose });
    await turn();
    controller.abort();
    expect(await stopped).toBe("aborted");
    held[0]!.answer();
    await turn();
    held[1]!.answer();
    await Promise.all([first, other]);
    expect(texts()).toEqual([["first"], ["other"]]);
  });

  it("whose signals are not all there is never aborted", async () => {
    const { model, held } = heldModel();
    const embedder = embedderOf(model);
    const controller = new AbortController();
    const stopped = codeOf(embedder.embed(["a"], { purpose, signal: controller.signal }));
    const other = embedder.embed(["b"], { purpose });
    await turn();
    controller.abort();
    expect(await stopped).toBe("aborted");
    expect(held[0]!.options.signal).toBeUndefined();
    held[0]!.answer();
    expect((await other).embeddings).toEqual([vectorOf("b")]);
  });

  it("that fails is sent again call by call, so that a bad text fails its own call only [W15]", async () => {
    const sent: string[][] = [];
    const model: EmbeddingModel = {
      ...heldModel().model,
      embed: async (inputs) => {
        const texts = inputs.map(textOf);
        sent.push(texts);
        if (texts.includes("text 3")) throw new Error("no such word");
        return { embeddings: texts.map(vectorOf) };
      },
    };
    const embedder = embedderOf(model);
    const calls = numbered(6).map((text) => embedder.embed([text], { purpose }));
    expect(await Promise.all(calls.map(codeOf))).toEqual(
      numbered(6).map((text) => (text === "text 3" ? "embedding-failed" : "no error")),
    );
    expect(sent).toEqual([numbered(6), ...numbered(6).map((text) => [text])]);
    expect((await calls[4]!).embeddings).toEqual([vectorOf("text 4")]);
  });

  it("that no text can have failed is not sent again: every call has its error [W13]", async () => {
    for (const error of [
      new IbidError("rate-limited", "slow down"),
      new IbidError("timeout", "too slow"),
      new IbidError("configuration-missing", "no key"),
      new IbidError("embedding-failed", "the key is refused", { details: { status: 401 } }),
    ]) {
      const { model, held } = heldModel();
      const embedder = embedderOf(model);
      const codes = ["a", "b", "c"].map((text) => codeOf(embedder.embed([text], { purpose })));
      await turn();
      held[0]!.fail(error);
      expect(await Promise.all(codes)).toEqual([error.code, error.code, error.code]);
      expect(held).toHaveLength(1);
    }
  });

  it("that is too large teaches how much goes together", async () => {
    const sent: number[] = [];
    const model: EmbeddingModel = {
      ...heldModel().model,
      embed: async (inputs) => {
        sent.push(inputs.length);
        if (inputs.length > 3) throw new IbidError("embedding-failed", "too much", { details: { tooLarge: true } });
        return { embeddings: inputs.map((input) => vectorOf(textOf(input))) };
      },
    };
    const embedder = embedderOf(model);
    const all = (words: readonly string[]) => Promise.all(words.map((text) => embedder.embed([text], { purpose })));
    await all(numbered(6));
    expect(sent).toEqual([6, 1, 1, 1, 1, 1, 1]);
    await all(["a", "b", "c", "d", "e", "f"].map((letter) => `text ${letter}`));
    expect(sent.slice(7)).toEqual([3, 3]);
  });

  it("keeps the order and the number of requests, however calls, sizes and failures fall", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            texts: fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }),
            purpose: fc.constantFrom("document" as const, "query" as const),
            isBad: fc.boolean(),
            wait: fc.boolean(),
            aborts: fc.boolean(),
          }),
          { minLength: 1, maxLength: 20 },
        ),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 6 }),
        async (calls, concurrency, batchSize) => {
          let running = 0;
          let most = 0;
          const model: EmbeddingModel = {
            ...heldModel().model,
            embed: async (inputs, { signal }) => {
              most = Math.max(most, ++running);
              await new Promise<void>((resolve) => {
                setImmediate(resolve);
                signal?.addEventListener("abort", () => resolve());
              });
              running--;
              expect(inputs.length).toBeLessThanOrEqual(batchSize);
              const texts = inputs.map(textOf);
              if (texts.some((text) => text.startsWith("bad"))) throw new Error("bad");
              return { embeddings: texts.map(vectorOf), tokens: texts.length };
            },
          };
          const embedder = embedderOf(model, { concurrency, batchSize });
          const done = [];
          for (const [i, { texts, isBad, wait, aborts, purpose: of }] of calls.entries()) {
            const words = texts.map((n) => `${isBad ? `bad ${i}` : "good"} ${"x".repeat(n)}`);
            const controller = new AbortController();
            done.push(
              embedder.embed(words, { purpose: of, signal: controller.signal }).then(
                ({ embeddings }) => expect([isBad, embeddings]).toEqual([false, words.map(vectorOf)]),
                (error: unknown) => expect([isBad || aborts, String(error)]).toEqual([true, expect.any(String)]),
              ),
            );
            if (wait) await new Promise((resolve) => setImmediate(resolve));
            if (aborts) controller.abort();
          }
          await Promise.all(done);
          expect(most).toBeLessThanOrEqual(concurrency);
          expect((await embedder.embed(["after"], { purpose })).embeddings).toEqual([vectorOf("after")]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
