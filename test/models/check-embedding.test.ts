import { describe, expect, it } from "vitest";

import { createChunkFactory } from "../../src/chunkers/create-chunk.ts";
import type { Embedding, EmbeddingVersion } from "../../src/contracts/embedding.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import { checkEmbedding, takeGivenEmbedding } from "../../src/models/embedder/check-embedding.ts";
import { createDocument } from "../chunkers/generated-document.ts";

const version: EmbeddingVersion = { provider: "p", model: "m", dimensions: 3, fingerprint: "" };

const errorOf = (embedding: unknown, dimensions = 3): IbidError | undefined => {
  try {
    checkEmbedding(embedding as Embedding, { dimensions }, "chunk 7");
    return undefined;
  } catch (error) {
    if (IbidError.isInstance(error)) return error;
    throw error;
  }
};

describe("checkEmbedding", () => {
  it("passes sound embeddings of the three kinds [B12]", () => {
    expect(errorOf([1, 0, -0.5])).toBeUndefined();
    expect(errorOf(new Float32Array(3))).toBeUndefined();
    expect(errorOf({ indices: [0, 2], values: [1, 2] })).toBeUndefined();
    expect(errorOf({ indices: new Uint32Array(), values: new Float32Array() })).toBeUndefined();
    expect(errorOf({ dense: [1, 2, 3], sparse: { indices: [70_000], values: [1] } })).toBeUndefined();
    expect(errorOf({ indices: [1_000_000], values: [1] }, 0)).toBeUndefined();
  });

  it("says which dimensions it wants and got [W11 T37]", () => {
    const error = errorOf([1, 2, 3, 4]);
    expect([error?.code, error?.message]).toEqual(["dimension-mismatch", "dimension mismatch: expected 3, got 4"]);
    expect(error?.details).toEqual({ expected: 3, got: 4, where: "chunk 7" });
    expect(errorOf({ dense: [1], sparse: { indices: [], values: [] } })?.code).toBe("dimension-mismatch");
  });

  it("refuses what no search could live with [W11]", () => {
    const broken: unknown[] = [
      [1, NaN, 0],
      [1, Infinity, 0],
      [1, "2", 0],
      [1, undefined, 0],
      new Float32Array([1, NaN, 0]),
      null,
      undefined,
      "123",
      {},
      { dense: [1, 2, 3] },
      { dense: [1, 2, 3], sparse: null },
      { dense: [1, 2, 3], sparse: { indices: [1, 1], values: [1, 1] } },
      { indices: [2, 1], values: [1, 1] },
      { indices: [1, 1], values: [1, 1] },
      { indices: [-1], values: [1] },
      { indices: [0.5], values: [1] },
      { indices: [3], values: [1] },
      { indices: [0, 1], values: [1] },
      { indices: [0], values: [NaN] },
      { indices: "0", values: [1] },
      { indices: [0] },
    ];
    for (const embedding of broken)
      expect([embedding, errorOf(embedding)?.code]).toEqual([embedding, "invalid-response"]);
    expect(errorOf([], 0)?.code).toBe("invalid-response");
  });
});

describe("takeGivenEmbedding", () => {
  const chunk = createChunkFactory(createDocument("text"))(0, 4);

  it("takes a vector that came with a chunk as it is, in a copy, and nothing where none came [W5 B27]", () => {
    const embedding = new Float32Array([1, 2, 3]);
    const taken = takeGivenEmbedding({ ...chunk, embedding }, version);
    expect(taken).toEqual(embedding);
    expect(taken).not.toBe(embedding);
    expect(takeGivenEmbedding(chunk, version)).toBeUndefined();
  });

  it("checks it [W5]", () => {
    expect(() => takeGivenEmbedding({ ...chunk, embedding: [1, 2] }, version)).toThrow(
      "dimension mismatch: expected 3, got 2",
    );
    expect(() => takeGivenEmbedding({ ...chunk, embedding: [1, 2, NaN] }, version)).toThrow(chunk.id);
  });
});
