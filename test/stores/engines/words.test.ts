import { afterAll, describe, expect, it } from "vitest";
import type { Engine } from "../../../src/contracts/engine.ts";
import type { StandardSchema } from "../../../src/contracts/schema.ts";
import { openKnowledgeBase } from "../../../src/knowledge-base/open/open-knowledge-base.ts";
import { createHashingModel } from "../../../src/models/hashing/hashing-model.ts";
import { createEngineTags } from "../../../src/stores/engines/engine-tags.ts";
import { createOpenSearchEngine } from "../../../src/stores/opensearch/opensearch-engine.ts";
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
});
