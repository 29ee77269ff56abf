import { describe, expect, it } from "vitest";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { openKnowledgeBase as openInMemory } from "../../src/knowledge-base/open-in-memory.ts";
import { createFixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";

/** A reranker and a model that say how much they were asked. */
async function openCounting(): Promise<{ kb: KnowledgeBase; reranked: number[]; embedded: () => number }> {
  const reranked: number[] = [];
  const embeddingModel = createFixedEmbeddingModel({}, { dimensions: 1, otherwise: () => [1] });
  const kb = await openInMemory({
    models: {
      embedding: embeddingModel,
      reranker: { name: "counting", rerank: async (_, texts) => (reranked.push(texts.length), texts.map(() => 0)) },
    },
  });
  return { kb, reranked, embedded: () => embeddingModel.calls.length };
}

describe("how much a search asks for, and in which order it gives what is equally good", () => {
  it("reranks max(4 topK, 32) candidates, whatever there is beyond them [T28]", async () => {
    const { kb, reranked } = await openCounting();
    await kb.ingest(Array.from({ length: 150 }, (_, i) => ({ uri: `${i}.txt`, text: `The heron number ${i} waits.` })));
    for (const topK of [1, 5, 8, 9, 30]) await kb.search("heron", { topK });
    expect(reranked).toEqual([32, 32, 32, 36, 120]);
    await kb.close();
  });

  it("breaks ties by uri, start, scope and id, in every mode, in whatever order it was written [T28 L5 L11]", async () => {
    const { kb } = await openCounting();
    const scopes: readonly Scope[] = ["user:ada", "team:south", "deployment", "team:north"];
    for (const scope of scopes)
      await kb.ingest(
        ["c", "a", "b"].map((uri) => ({ uri, title: "same", text: "The heron waits." })),
        { scope },
      );
    for (const mode of ["hybrid", "dense", "lexical", "regex"] as const) {
      const hits = await kb.search("heron", { mode, topK: "all", copies: "all" });
      expect(hits).toHaveLength(12);
      expect(new Set(hits.map(({ score }) => score)).size).toBe(1);
      const keys = hits.map(({ scope, source }) => `${source.uri} ${scope}`);
      expect(keys).toEqual(keys.toSorted());
    }
    await kb.close();
  });

  it("refuses a query of more than 8,192 characters before any model is asked [T28 L10]", async () => {
    const { kb, embedded, reranked } = await openCounting();
    await kb.ingest({ uri: "a.txt", text: "The heron waits." });
    const before = embedded();
    const long = "x".repeat(8193);
    for (const asked of [kb.search(long), kb.search(long, { mode: "dense" }), kb.ask(long)])
      await expect(asked).rejects.toMatchObject({ code: "invalid-argument", details: { length: 8193, limit: 8192 } });
    expect([embedded(), reranked]).toEqual([before, []]);
    await kb.search("x".repeat(8192));
    expect(embedded()).toBe(before + 1);
    await kb.close();
  });
});
