import { openKnowledgeBase } from "ibid";
import { describe, expect, it } from "vitest";

import type { Reranker } from "../../src/contracts/retriever.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { createFakeEmbedder, createFakeStore, readAll } from "./fake-store.ts";

const store = createFakeStore(
  Array.from({ length: 50 }, (_, index) => ({
    id: `c${String(index).padStart(2, "0")}`,
    text: `keys ${index}`,
    vector: [1 - index / 100, 0],
  })),
);
const { embedder } = createFakeEmbedder([1, 0]);

/** Prefers what came last. */
function backwards(extra: Partial<Reranker> = {}): Reranker & { readonly seen: (readonly string[])[] } {
  const seen: (readonly string[])[] = [];
  return {
    name: "backwards",
    seen,
    rerank: async (_, texts) => {
      seen.push(texts);
      return texts.map((_, index) => index);
    },
    ...extra,
  };
}

describe("reranking", () => {
  it("reads a pool of max(4 topK, 32) and orders it anew [T28 B33]", async () => {
    const reranker = backwards();
    const hits = await createRetriever({ store, embedder, reranker }).retrieve(readAll(), "keys", {
      mode: "dense",
      topK: 3,
      explain: true,
    });
    expect(reranker.seen[0]).toHaveLength(32);
    expect(reranker.seen[0]?.[0]).toBe("context\nkeys 0");
    expect(hits.map(({ chunkId, score }) => [chunkId, score])).toEqual([
      ["c31", 31],
      ["c30", 30],
      ["c29", 29],
    ]);
    expect(hits[0]?.explain?.rerank).toEqual({ reranker: "backwards", before: { score: 0.69, rank: 32 } });
    await createRetriever({ store, embedder, reranker }).retrieve(readAll(), "keys", { mode: "dense", topK: 10 });
    expect(reranker.seen[1]).toHaveLength(40);
  });

  it("appends what maxBatchSize left unseen, never above what was seen [T28 L5]", async () => {
    const reranker = backwards({ maxBatchSize: 2 });
    const hits = await createRetriever({ store, embedder, reranker }).retrieve(readAll(), "keys", {
      mode: "dense",
      topK: 4,
    });
    expect(hits.map(({ chunkId, score }) => [chunkId, score])).toEqual([
      ["c01", 1],
      ["c00", 0],
      ["c02", 0],
      ["c03", 0],
    ]);
  });

  it("can be switched off for a search [T23]", async () => {
    const reranker = backwards();
    const [hit] = await createRetriever({ store, embedder, reranker }).retrieve(readAll(), "keys", {
      mode: "dense",
      rerank: false,
    });
    expect([hit?.chunkId, reranker.seen]).toEqual(["c00", []]);
  });

  it("refuses what is no list of scores [B44]", async () => {
    for (const answer of [undefined, { scores: [1] }, "1"]) {
      const kb = await openKnowledgeBase({
        models: { reranker: { name: "odd", rerank: async () => answer as never } },
      });
      await kb.ingest({ uri: "a", text: "The heron waits." });
      await expect(kb.search("heron")).rejects.toMatchObject({ code: "invalid-response" });
      await kb.close();
    }
  });

  it("refuses scores that are missing or no numbers, and says whose fault a failure is [B33 B44]", async () => {
    const search = (rerank: Reranker["rerank"]) =>
      createRetriever({ store, embedder, reranker: { name: "bad", rerank } }).retrieve(readAll(), "keys");
    await expect(search(async () => [1])).rejects.toMatchObject({ code: "invalid-response" });
    await expect(search(async (_, texts) => texts.map(() => Number.NaN))).rejects.toMatchObject({
      code: "invalid-response",
    });
    await expect(search(async () => Promise.reject(new Error("down")))).rejects.toMatchObject({ code: "model-failed" });
    expect(() => createRetriever({ store, reranker: backwards({ maxBatchSize: 0 }) })).toThrow("takes 0 texts");
  });
});
