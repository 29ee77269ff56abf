import { afterAll, describe, expect, it } from "vitest";
import type { Engine } from "../../../src/contracts/engine.ts";
import type { StandardSchema } from "../../../src/contracts/schema.ts";
import { openKnowledgeBase } from "../../../src/knowledge-base/open/open-knowledge-base.ts";
import { createHashingModel } from "../../../src/models/hashing/hashing-model.ts";
import { createEngineTags } from "../../../src/stores/engines/engine-tags.ts";
import { createOpenSearchEngine } from "../../../src/stores/opensearch/opensearch-engine.ts";
import { createQdrantEngine } from "../../../src/stores/qdrant/qdrant-engine.ts";
import { sparseQuestion, sparseText } from "../../../src/stores/qdrant/sparse-words.ts";
import { createReferenceEngine } from "../../../src/testing/reference-engine.ts";
import { serve } from "./stand-ins/serve.ts";

/** The fact that this version adds to entries which it writes with their words. */
const worded = createEngineTags(new TextEncoder().encode("ibid/records")).equal("_words", "deployment");

/** An engine whose entries are those of an earlier version until it is brought up to date. */
function createEarlierEngine(): Engine & { update(): void } {
  const engine = createReferenceEngine();
  let isEarlier = true;
  return {
    ...engine,
    capabilities: { ...engine.capabilities, records: { kinds: ["flat"], words: true, mayLackWords: true } },
    update: () => void (isEarlier = false),
    async open(spec) {
      const index = await engine.open(spec);
      return {
        ...index,
        async put(entries) {
          const former = entries.map((entry) => ({ ...entry, tags: entry.tags.filter((tag) => tag !== worded) }));
          await index.put(isEarlier ? former : entries);
        },
      };
    },
  };
}

type Item = { readonly id: string; readonly text: string };

const schema: StandardSchema<Item, Item> = {
  "~standard": { version: 1, vendor: "ibid", validate: (value) => ({ value: value as Item }) },
};

/** An index that an earlier version made. */
const server = await serve(({ method, url: { pathname } }) => {
  const properties = { vector: { type: "knn_vector", dimension: 2 } };
  if (method === "GET") return { status: 200, body: { ibid_b1_v1: { mappings: { properties } } } };
  return pathname.endsWith("/_search")
    ? { status: 200, body: { hits: { hits: [{ _score: 1.5, _source: { ref: "r/1" } }] } } }
    : { status: 200, body: {} };
});
afterAll(() => server.stop());

// Decisions 0200 and 0254.
describe("words of records in an engine [S1 S2]", () => {
  it("refuses a hybrid search of records without words, and rebuild() writes them again", async () => {
    const engine = createEarlierEngine();
    const kb = await openKnowledgeBase({ engine, models: { embedding: createHashingModel() } });
    const items = kb.collection("items", { schema, key: "id", text: ["text"], keptIn: "engine" });
    await items.upsert([
      { id: "a", text: "the lantern of the harbour" },
      { id: "b", text: "a bridge" },
    ]);
    await expect(items.hybridSearch("lantern")).rejects.toMatchObject({
      code: "unsupported",
      hint: expect.stringContaining("rebuild()"),
      details: { records: 2 },
    });
    // A search without words goes on.
    expect(await items.search("lantern", { topK: 1 })).toHaveLength(1);
    engine.update();
    await items.rebuild();
    const [best] = await items.hybridSearch("lantern", { topK: 1 });
    expect(best!.record.id).toBe("a");
    await kb.close();
  });

  it("adds the field for words to an index of OpenSearch that lacks it, and adds both scores", async () => {
    const version = { provider: "p", model: "m", dimensions: 2, fingerprint: "" };
    const engine = createOpenSearchEngine({ url: server.url, attempts: 1 });
    const index = await engine.open({ name: "b1_v1", version, dimensions: 2, metric: "cosine", records: true });
    expect(server.requests.at(-1)).toMatchObject({
      method: "PUT",
      url: { pathname: "/ibid_b1_v1/_mapping" },
      body: { properties: { text: { type: "text" } } },
    });
    const condition = { op: "has", tag: "0a" } as const;
    const found = await index.nearest({ vector: Float32Array.of(1, 0), condition, words: "lantern", limit: 3 });
    expect(found).toEqual([{ ref: "r/1", score: 1.5 }]);
    const filter = { term: { tags: "0a" } };
    const should = [{ knn: { vector: { vector: [1, 0], k: 400, filter } } }, { match: { text: "lantern" } }];
    const bool = { should, minimum_should_match: 1, filter: [filter] };
    expect(server.requests.at(-1)!.body).toEqual({ query: { bool }, size: 3, _source: ["ref"] });
  });

  it("compares a number in OpenSearch as soon as the index knows it, which fails on one that is not mapped", async () => {
    const properties: Record<string, object> = { vector: { type: "knn_vector", dimension: 2 }, text: { type: "text" } };
    const search = { status: 200, body: { hits: { hits: [] } } };
    const mapped = await serve(({ method }) =>
      method === "GET" ? { status: 200, body: { ibid_b1_v1: { mappings: { properties } } } } : search,
    );
    try {
      const version = { provider: "p", model: "m", dimensions: 2, fingerprint: "" };
      const engine = createOpenSearchEngine({ url: mapped.url, attempts: 1 });
      const index = await engine.open({ name: "b1_v1", version, dimensions: 2, metric: "cosine" });
      const condition = { op: "number", key: "n0a", is: "gt", value: 1 } as const;
      const filterOf = async () => {
        await index.nearest({ vector: Float32Array.of(1, 0), condition, limit: 3 });
        return (mapped.requests.at(-1)!.body as { query: { knn: { vector: { filter: object } } } }).query.knn.vector
          .filter;
      };
      expect(await filterOf()).toEqual({ match_none: {} });
      // Another process writes an entry with the number.
      properties["numbers"] = { properties: { n0a: { type: "double" } } };
      expect(await filterOf()).toEqual({ range: { "numbers.n0a": { gt: 1 } } });
      const requests = mapped.requests.length;
      await filterOf();
      expect(mapped.requests).toHaveLength(requests + 1);
    } finally {
      mapped.stop();
    }
  });

  it("weighs a word of a text as BM25 does, and a word of a question once", () => {
    // Four words, one of them twice: 1.2 × (0.25 + 0.75 × 4 ÷ 256) stands beside the count.
    const norm = 1.2 * (0.25 + (0.75 * 4) / 256);
    const { indices, values } = sparseText("Lantern, lantern of Kiel!");
    expect(values).toEqual([(2 * 2.2) / (2 + norm), 2.2 / (1 + norm), 2.2 / (1 + norm)]);
    expect(sparseQuestion("LANTERN lantern")).toEqual({ indices: [indices[0]], values: [1] });
    expect(sparseText("?!")).toEqual({ indices: [], values: [] });
  });

  it("joins words and vector in Qdrant, and refuses a collection that was made without words", async () => {
    let sparse: object | undefined = { words: { modifier: "idf" } };
    const qdrant = await serve(({ method }) => {
      const params = { vectors: { size: 2 }, ...(sparse && { sparse_vectors: sparse }) };
      const points = [{ score: 0.5, payload: { ref: "r/1" } }];
      return { status: 200, body: { result: method === "GET" ? { config: { params } } : { points } } };
    });
    try {
      const version = { provider: "p", model: "m", dimensions: 2, fingerprint: "" };
      const spec = { name: "b1_v1", version, dimensions: 2, metric: "euclidean", records: true } as const;
      const engine = createQdrantEngine({ url: qdrant.url, attempts: 1, query: { params: { hnsw_ef: 99 } } });
      const asks = { vector: Float32Array.of(1, 0), condition: { op: "has", tag: "0a" }, words: "lantern" } as const;
      const found = await (await engine.open(spec)).nearest({ ...asks, limit: 3 });
      // The fusion's score is no distance.
      expect(found).toEqual([{ ref: "r/1", score: 0.5 }]);
      const filter = { must: [{ key: "tags", match: { value: "0a" } }] };
      const words = { query: sparseQuestion("lantern"), using: "words", limit: 3, filter };
      expect(qdrant.requests.at(-1)!.body).toEqual({
        prefetch: [{ params: { hnsw_ef: 99 }, query: [1, 0], limit: 3, filter }, words],
        query: { fusion: "rrf" },
        limit: 3,
        with_payload: ["ref"],
      });
      sparse = undefined;
      const earlier = await engine.open(spec);
      await expect(earlier.nearest({ ...asks, limit: 3 })).rejects.toMatchObject({
        code: "unsupported",
        hint: expect.stringContaining("drop()"),
      });
    } finally {
      qdrant.stop();
    }
  });
});
