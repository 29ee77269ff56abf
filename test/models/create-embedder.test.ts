import { describe, expect, it, vi } from "vitest";

import { createChunkFactory } from "../../src/chunkers/create-chunk.ts";
import type { MediaDocument } from "../../src/contracts/document.ts";
import type {
  EmbeddingCache,
  EmbeddingInput,
  EmbeddingModel,
  EmbedOptions,
  EmbedResult,
} from "../../src/contracts/embedding-model.ts";
import type { Embedding } from "../../src/contracts/embedding.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { createEmbedder, type EmbedderOptions } from "../../src/models/embedder/create-embedder.ts";
import { createEmbeddingCache } from "../../src/models/embedder/embedding-cache.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { createDocument } from "../chunkers/generated-document.ts";

const secret = new Uint8Array(32).fill(7);
const purpose = "document" as const;

const textOf = (input: EmbeddingInput): string =>
  typeof input === "string" ? input : "text" in input ? input.text : "media";
/** Two values that tell the text. */
const vectorOf = (text: string): number[] => [text.length, text.charCodeAt(0) || 0];

interface FakeModel extends EmbeddingModel {
  readonly batches: string[][];
}

function fakeModel(
  parts: Partial<EmbeddingModel> = {},
  answer: (texts: string[], options: EmbedOptions) => Promise<EmbedResult> | EmbedResult = (texts) => ({
    embeddings: texts.map(vectorOf),
  }),
): FakeModel {
  const batches: string[][] = [];
  return {
    provider: "fake",
    model: "two",
    kind: "dense",
    dimensions: 2,
    ...parts,
    batches,
    embed: async (inputs, options) => {
      const texts = inputs.map(textOf);
      batches.push(texts);
      return answer(texts, options);
    },
  };
}

const embedderOf = (model: EmbeddingModel, options: Partial<EmbedderOptions> = {}) =>
  createEmbedder(model, { secret, ...options });

async function refusal(work: Promise<unknown>): Promise<IbidError> {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!IbidError.isInstance(error)) throw new Error(`no IbidError but ${String(error)}`);
  return error;
}

/** A model whose answers are let go by hand. */
function heldModel() {
  const held: { texts: string[]; release: () => void; fail: (error: unknown) => void }[] = [];
  const model = fakeModel({}, (texts) => {
    const { promise, resolve, reject } = Promise.withResolvers<EmbedResult>();
    held.push({ texts, release: () => resolve({ embeddings: texts.map(vectorOf) }), fail: reject });
    return promise;
  });
  return { model, held };
}

/** Ends after every callback that is due now. */
const turn = async (): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setImmediate(resolve));
};

describe("batches", () => {
  it("sends texts in batches of the smaller limit and gives embeddings in order [W6 B14]", async () => {
    const model = fakeModel({ maxBatchSize: 3 }, async (texts) => {
      await new Promise((resolve) => setTimeout(resolve, texts[0] === "a" ? 20 : 0));
      return { embeddings: texts.map(vectorOf) };
    });
    const texts = ["a", "bb", "ccc", "dddd", "e", "ff", "ggg"];
    const result = await embedderOf(model, { batchSize: 5 }).embed(texts, { purpose });
    expect(model.batches).toEqual([["a", "bb", "ccc"], ["dddd", "e", "ff"], ["ggg"]]);
    expect(result.embeddings).toEqual(texts.map(vectorOf));
    expect(result.sent).toBe(7);
    expect(result.version).toEqual({ provider: "fake", model: "two", dimensions: 2, fingerprint: "named/1" });
  });

  it("keeps only so many requests under way at once", async () => {
    let running = 0;
    let most = 0;
    const model = fakeModel({ maxBatchSize: 1 }, async (texts) => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
      return { embeddings: texts.map(vectorOf) };
    });
    await embedderOf(model, { concurrency: 3 }).embed(
      Array.from({ length: 12 }, (_, index) => `t${index}`),
      { purpose },
    );
    expect(most).toBe(3);
    expect(model.batches).toHaveLength(12);
  });

  it("sends equal texts of one call once, a chunk's with its names, and hands out separate vectors [T38 B27]", async () => {
    const model = fakeModel({}, (texts) => ({ embeddings: texts.map((text) => Float32Array.from(vectorOf(text))) }));
    const chunk = createChunkFactory(createDocument("same"))(0, 4);
    const { embeddings, sent } = await embedderOf(model).embed(["same", chunk, "other", "same"], { purpose });
    expect(model.batches).toEqual([["same", "A\nsame", "other"]]);
    expect(sent).toBe(3);
    expect(embeddings.map((embedding) => (embedding as Float32Array)[0])).toEqual([4, 6, 5, 4]);
    expect(new Set(embeddings).size).toBe(4);
  });

  it("hands the model the chunk with its names before its text, and the purpose and signal of the call [B13]", async () => {
    const seen = vi.fn<EmbeddingModel["embed"]>(async () => ({ embeddings: [[1, 2]] }));
    const chunk = createChunkFactory(createDocument("text"))(0, 4);
    const { signal } = new AbortController();
    await embedderOf({ ...fakeModel(), embed: seen }).embed([chunk], { purpose: "query", signal });
    expect(seen).toHaveBeenCalledExactlyOnceWith([{ ...chunk, text: "A\ntext" }], { purpose: "query", signal });
  });

  it("lets the model say what it thinks of media, which are neither cached nor merged [B16]", async () => {
    const image: MediaDocument = { type: "image", content: new Uint8Array(1), metadata: {} };
    expect((await refusal(embedderOf(createHashingModel()).embed([image], { purpose }))).code).toBe(
      "unsupported-input",
    );
    const model = fakeModel();
    const { embeddings } = await embedderOf(model, { cache: createEmbeddingCache() }).embed([image, image], {
      purpose,
    });
    expect(model.batches).toEqual([["media", "media"]]);
    expect(embeddings).toHaveLength(2);
  });
});

describe("the cache", () => {
  it("alone is given hashes: without one, no text is hashed, and one that is under way is sent once", async () => {
    const texts = ["one", "two", "three"];
    const hashed = async (options: Partial<EmbedderOptions>): Promise<number> => {
      const model = fakeModel();
      const encode = vi.spyOn(TextEncoder.prototype, "encode");
      try {
        const embedder = embedderOf(model, options);
        await Promise.all([embedder.embed(texts, { purpose }), embedder.embed(texts, { purpose })]);
        expect(model.batches).toEqual([texts]);
        return encode.mock.calls.length;
      } finally {
        encode.mockRestore();
      }
    };
    expect(await hashed({})).toBe(0);
    expect(await hashed({ cache: createEmbeddingCache() })).toBe(6);
  });

  it("is asked first, and only what it does not have is sent, stitched in order [T38]", async () => {
    const model = fakeModel();
    const embedder = embedderOf(model, { cache: createEmbeddingCache() });
    expect(embedder.cacheHitRate).toBe(0);
    await embedder.embed(["b", "d"], { purpose });
    const result = await embedder.embed(["a", "b", "cc", "d"], { purpose });
    expect(model.batches).toEqual([
      ["b", "d"],
      ["a", "cc"],
    ]);
    expect(result.embeddings).toEqual(["a", "b", "cc", "d"].map(vectorOf));
    expect(result.sent).toBe(2);
    expect(embedder.cacheHitRate).toBe(2 / 6);
  });

  it("never sees a text, only keyed hashes of it [T38 L10]", async () => {
    const keys: string[] = [];
    const cache: EmbeddingCache = { get: (key) => void keys.push(key), set: (key) => void keys.push(key), hitRate: 0 };
    await embedderOf(fakeModel(), { cache }).embed(["who is ill?"], { purpose: "query" });
    await embedderOf(fakeModel(), { cache, secret: new Uint8Array([1]) }).embed(["who is ill?"], { purpose: "query" });
    await embedderOf(fakeModel(), { cache }).embed(["who is ill?"], { purpose: "document" });
    await embedderOf(fakeModel({ model: "other" }), { cache }).embed(["who is ill?"], { purpose: "query" });
    await embedderOf(fakeModel({ fingerprint: "prefix" }), { cache }).embed(["who is ill?"], { purpose: "query" });
    expect(keys.every((key) => /^[0-9a-f]{64}$/.test(key))).toBe(true);
    expect(new Set(keys).size).toBe(5);
    expect(keys[0]).toBe(keys[1]);
  });

  it("uses the same keys before and after the dimensions are known [T38]", async () => {
    const cache = createEmbeddingCache();
    const model = fakeModel({ dimensions: undefined });
    const embedder = embedderOf(model, { cache });
    await embedder.embed(["a"], { purpose });
    expect((await embedder.embed(["a"], { purpose })).sent).toBe(0);
    const fresh = embedderOf(fakeModel({ dimensions: undefined }), { cache });
    const { sent, version } = await fresh.embed(["a"], { purpose });
    expect([sent, version.dimensions]).toEqual([0, 2]);
  });

  it("does not matter when it fails or holds something unsound", async () => {
    const failing: EmbeddingCache = {
      get: () => Promise.reject(new Error("down")),
      set: () => {
        throw new Error("down");
      },
      hitRate: 0,
    };
    expect((await embedderOf(fakeModel(), { cache: failing }).embed(["a"], { purpose })).embeddings).toEqual([
      vectorOf("a"),
    ]);
    for (const kept of [[1, 2, 3], [NaN, 1], { indices: [1], values: [1] }, null]) {
      const poisoned: EmbeddingCache = { get: () => kept as Embedding, set: () => undefined, hitRate: 1 };
      const { embeddings, sent } = await embedderOf(fakeModel(), { cache: poisoned }).embed(["a"], { purpose });
      expect([embeddings, sent]).toEqual([[vectorOf("a")], 1]);
    }
  });

  it("gets nothing of a batch that is not sound throughout [W11]", async () => {
    const cache = createEmbeddingCache();
    const embedder = embedderOf(
      fakeModel({}, () => ({
        embeddings: [
          [1, 2],
          [1, NaN],
        ],
      })),
      { cache },
    );
    expect((await refusal(embedder.embed(["a", "b"], { purpose }))).code).toBe("invalid-response");
    const after = fakeModel();
    expect((await embedderOf(after, { cache }).embed(["a"], { purpose })).sent).toBe(1);
  });
});

describe("calls at the same time", () => {
  it("send what they have in common once [T38]", async () => {
    const { model, held } = heldModel();
    const embedder = embedderOf(model, { cache: createEmbeddingCache() });
    const first = embedder.embed(["a", "b"], { purpose });
    const second = embedder.embed(["b", "cc"], { purpose });
    const third = embedder.embed(["b"], { purpose: "query" });
    await turn();
    expect(held.map(({ texts }) => texts)).toEqual([["a", "b", "cc"], ["b"]]);
    for (const { release } of held) release();
    expect((await first).sent).toBe(2);
    expect(await second).toMatchObject({ sent: 1, embeddings: [vectorOf("b"), vectorOf("cc")] });
    expect((await third).sent).toBe(1);
  });

  it("fail together when the request fails, and can be tried again", async () => {
    const { model, held } = heldModel();
    const embedder = embedderOf(model);
    const calls = [embedder.embed(["a"], { purpose }), embedder.embed(["a"], { purpose })];
    await turn();
    expect(held).toHaveLength(1);
    held[0]?.fail(new Error("boom"));
    for (const call of calls) expect((await refusal(call)).code).toBe("embedding-failed");
    const again = embedder.embed(["a"], { purpose });
    await turn();
    held[1]?.release();
    expect((await again).embeddings).toEqual([vectorOf("a")]);
  });

  it("do not suffer when another call is aborted", async () => {
    const { model, held } = heldModel();
    const embedder = embedderOf(model);
    const controller = new AbortController();
    const stopped = embedder.embed(["a"], { purpose, signal: controller.signal });
    const other = embedder.embed(["a"], { purpose });
    await turn();
    controller.abort();
    expect((await refusal(stopped)).code).toBe("aborted");
    await turn();
    expect(held).toHaveLength(2);
    held[1]?.release();
    expect(await other).toMatchObject({ sent: 1, embeddings: [vectorOf("a")] });
  });

  it("stop waiting for another's request when their own signal fires", async () => {
    const { model, held } = heldModel();
    const embedder = embedderOf(model);
    const controller = new AbortController();
    const first = embedder.embed(["a"], { purpose });
    const waiting = embedder.embed(["a"], { purpose, signal: controller.signal });
    await turn();
    controller.abort();
    expect((await refusal(waiting)).code).toBe("aborted");
    held[0]?.release();
    expect((await first).sent).toBe(1);
  });
});

describe("what a model may answer", () => {
  it("as many embeddings as inputs, or none is taken [B16 T38 W11]", async () => {
    const none = await refusal(embedderOf(fakeModel({}, () => ({ embeddings: [] }))).embed(["a"], { purpose }));
    expect([none.code, none.message]).toEqual([
      "invalid-response",
      expect.stringContaining("No embeddings generated for the provided chunk"),
    ]);
    const few = await refusal(
      embedderOf(fakeModel({}, () => ({ embeddings: [[1, 2]] }))).embed(["a", "b"], { purpose }),
    );
    expect([few.code, few.message]).toEqual([
      "invalid-response",
      expect.stringContaining("Mismatch between number of chunks and embeddings generated"),
    ]);
    expect(few.details).toEqual({ expected: 2, got: 1 });
    const garbage = embedderOf(fakeModel({}, () => undefined as never)).embed(["a"], { purpose });
    expect((await refusal(garbage)).code).toBe("invalid-response");
  });

  it("vectors of the dimensions it states, or has shown [W11 T37]", async () => {
    const error = await refusal(
      embedderOf(fakeModel({ dimensions: 3 }, () => ({ embeddings: [[1, 2, 3, 4]] }))).embed(["a"], { purpose }),
    );
    expect([error.code, error.message]).toEqual(["dimension-mismatch", "dimension mismatch: expected 3, got 4"]);
    expect(error.details).toMatchObject({ expected: 3, got: 4 });

    let length = 4;
    const learning = embedderOf(
      fakeModel({ dimensions: undefined }, (texts) => ({ embeddings: texts.map(() => Array<number>(length).fill(1)) })),
    );
    expect(learning.version).toBeUndefined();
    expect((await learning.embed(["a"], { purpose })).version.dimensions).toBe(4);
    expect(learning.version?.dimensions).toBe(4);
    length = 5;
    expect((await refusal(learning.embed(["b"], { purpose }))).message).toBe("dimension mismatch: expected 4, got 5");
    expect(learning.version?.dimensions).toBe(4);
  });

  it("nothing to learn from an answer that is not sound", async () => {
    let answer: EmbedResult = {
      embeddings: [
        [1, 2, 3],
        [1, 2],
      ],
    };
    const embedder = embedderOf(fakeModel({ dimensions: undefined }, () => answer));
    expect((await refusal(embedder.embed(["a", "b"], { purpose }))).code).toBe("dimension-mismatch");
    expect(embedder.version).toBeUndefined();
    answer = { embeddings: [[1, 2]] };
    expect((await embedder.embed(["a"], { purpose })).version.dimensions).toBe(2);
  });

  it("the kind that it declares, in any of the three [B12]", async () => {
    const sparse = { indices: [3, 9], values: [0.5, 1] };
    const kinds: [EmbeddingModel["kind"], Embedding, number][] = [
      ["sparse", sparse, 0],
      ["hybrid", { dense: [1, 2, 3], sparse }, 3],
      ["dense", [1, 2], 2],
    ];
    for (const [kind, embedding, dimensions] of kinds) {
      const embedder = embedderOf(
        fakeModel({ kind, dimensions: undefined }, () => ({ embeddings: [embedding] })),
        { cache: createEmbeddingCache() },
      );
      for (const sent of [1, 0]) {
        const result = await embedder.embed(["a"], { purpose });
        expect(result).toMatchObject({ embeddings: [embedding], sent, version: { dimensions } });
        expect(result.embeddings[0]).not.toBe(embedding);
      }
    }
    const wrong = embedderOf(fakeModel({ kind: "sparse" }, () => ({ embeddings: [[1, 2]] })));
    expect((await refusal(wrong.embed(["a"], { purpose }))).code).toBe("invalid-response");
  });

  it("an exception, which is wrapped with its cause, or an error of ours, which is not [B16 W11]", async () => {
    const cause = new Error("socket hang up");
    const failed = await refusal(
      embedderOf(
        fakeModel({}, () => {
          throw cause;
        }),
      ).embed(["secret text"], { purpose }),
    );
    expect(failed.code).toBe("embedding-failed");
    expect(failed.message).toContain("Error generating embedding for provided chunk");
    expect(failed.cause).toBe(cause);
    expect(JSON.stringify([failed.message, failed.details, failed.hint])).not.toContain("secret text");
    for (const code of ["rate-limited", "timeout", "unsupported-input"] as const) {
      const own = new IbidError(code, "slow down", { details: { retryAfterMs: 3 } });
      const thrown = embedderOf(fakeModel({}, () => Promise.reject(own))).embed(["a"], { purpose });
      expect(await refusal(thrown)).toBe(own);
    }
  });

  it("and is not asked again by the core when it fails [W13]", async () => {
    const model = fakeModel({ maxBatchSize: 1 }, () => Promise.reject(new Error("no")));
    await refusal(embedderOf(model, { concurrency: 1 }).embed(["a", "b", "c"], { purpose }));
    expect(model.batches).toEqual([["a"]]);
  });
});

describe("signals and arguments", () => {
  it("stop before sending, and while a model that pays no heed is working", async () => {
    const model = fakeModel({}, () => new Promise<never>(() => undefined));
    const embedder = embedderOf(model);
    expect((await refusal(embedder.embed(["a"], { purpose, signal: AbortSignal.abort() }))).code).toBe("aborted");
    expect(model.batches).toEqual([]);
    const controller = new AbortController();
    const running = embedder.embed(["a"], { purpose, signal: controller.signal });
    await turn();
    controller.abort(new Error("enough"));
    const error = await refusal(running);
    expect([error.code, (error.cause as Error).message]).toEqual(["aborted", "enough"]);
    expect((await refusal(embedder.embed(["b"], { purpose, signal: AbortSignal.timeout(1) }))).code).toBe("timeout");
  });

  it("nothing to embed is fine where the version is known, and refused where it is not", async () => {
    expect(await embedderOf(fakeModel()).embed([], { purpose })).toMatchObject({ embeddings: [], sent: 0 });
    expect((await refusal(embedderOf(fakeModel({ dimensions: undefined })).embed([], { purpose }))).code).toBe(
      "invalid-argument",
    );
  });

  it("options that nobody reads, or that cannot be, are refused", async () => {
    expect(() => embedderOf(fakeModel(), { batchSize: 0 })).toThrow(IbidError);
    expect(() => embedderOf(fakeModel(), { concurrency: 0 })).toThrow(IbidError);
    expect(() => createEmbedder(fakeModel(), { secret: new Uint8Array() })).toThrow(IbidError);
    expect(() => embedderOf(fakeModel(), { batch: 3 } as never)).toThrow(IbidError);
    const unknown = embedderOf(fakeModel()).embed(["a"], { purpose, retries: 3 } as never);
    expect((await refusal(unknown)).code).toBe("invalid-argument");
  });
});
