import { openKnowledgeBase } from "ibid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";

let kb: KnowledgeBase;
beforeAll(async () => {
  kb = await openKnowledgeBase({ models: { embedding: null } });
  await kb.ingest([
    { uri: "a", text: "East.", embedding: [1, 0], embeddingVersion: "compass" },
    { uri: "b", text: "North.", embedding: [0, 1], embeddingVersion: "compass" },
  ]);
});
afterAll(() => kb.close());

describe("a vector of another length than the stored ones [E27]", () => {
  it("is an error with both lengths", async () => {
    const refused = expect.objectContaining({ code: "dimension-mismatch", details: { expected: 2, got: 3 } }) as Error;
    await expect(kb.searchVector([1, 0, 0])).rejects.toEqual(refused);
    await expect(kb.searchVector([1, 0, 0], { version: "compass", onMismatch: "error" })).rejects.toEqual(refused);
  });

  it("scores 0 with each of them, where that is asked for", async () => {
    const zero = { onMismatch: "zero", version: "compass" } as const;
    const found = await kb.searchVector([1, 0, 0], zero);
    expect(found.map(({ chunk, score, rawScore }) => [chunk.uri, score, rawScore])).toEqual([
      ["a", 0, 0],
      ["b", 0, 0],
    ]);
    expect(await kb.searchVector([1, 0, 0], { ...zero, topK: 1 })).toHaveLength(1);
    expect(await kb.searchVector([1, 0, 0], { ...zero, minScore: 0.1 })).toEqual([]);
    expect((await kb.searchVector([1, 0, 0], { ...zero, under: "b" })).map(({ chunk }) => chunk.uri)).toEqual(["b"]);
    expect((await kb.searchVector([1, 0], zero))[0]).toMatchObject({ score: 1, chunk: { uri: "a" } });
  });
});
