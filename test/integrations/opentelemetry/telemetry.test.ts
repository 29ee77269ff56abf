import { describe, expect, it } from "vitest";

import { loadOpenTelemetryApi } from "../../../src/integrations/opentelemetry/load-api.ts";
import { createOpenTelemetry } from "../../../src/integrations/opentelemetry/open-telemetry.ts";
import { createHashingModel } from "../../../src/models/hashing/hashing-model.ts";
import { openKnowledgeBase as openInMemory } from "../../../src/knowledge-base/open-in-memory.ts";
import { createTelemetryPack } from "../../packs/telemetry-pack.ts";
import { runPack } from "../../contracts/run-pack.ts";
import { sdkFolder, watchApi } from "./plain-api.ts";

const shelf = [
  { uri: "a.txt", text: "The heron waits by the river for a fish." },
  { uri: "b.txt", text: "An otter swims in the river all day." },
];
const reranker = {
  name: "longest-first",
  rerank: async (_: string, texts: readonly string[]) => texts.map((text) => text.length),
};
const model = createHashingModel({ dimensions: 64 });

async function open(options: { readonly recordQueries?: boolean; readonly dataSource?: string } = {}) {
  const watched = await watchApi();
  const telemetry = await createOpenTelemetry({ api: watched.api, ...options });
  const kb = await openInMemory({ models: { embedding: model, reranker }, operations: { telemetry } });
  return { ...watched, kb };
}

describe("OpenTelemetry", () => {
  runPack(createTelemetryPack({ create: async () => createOpenTelemetry({ api: (await watchApi()).api }) }));
});

describe(`spans, told to ${sdkFolder === undefined ? "a plain listener" : "the SDK"}`, () => {
  it("are of ingesting, embedding, retrieving and reranking, by the GenAI conventions [B53 T54]", async () => {
    const { kb, spans } = await open({ dataSource: "shelf" });
    await kb.ingest(shelf);
    await kb.search("heron river", { topK: 3 });
    await kb.close();
    const named = Object.groupBy(spans(), ({ name }) => name);
    expect(Object.keys(named).toSorted()).toEqual([
      `embeddings ${model.model}`,
      "ibid.create",
      "ibid.ingest",
      "rerank longest-first",
      "retrieval shelf",
    ]);
    expect(named["retrieval shelf"]).toEqual([
      {
        name: "retrieval shelf",
        kind: 2,
        attributes: {
          "gen_ai.operation.name": "retrieval",
          "gen_ai.data_source.id": "shelf",
          "gen_ai.request.top_k": 3,
          "gen_ai.retrieval.top_k": 3,
          "ibid.retrieval.mode": "hybrid",
          "ibid.retrieval.filtered": false,
          "ibid.retrieval.result_count": 2,
          "ibid.retrieval.top_score": expect.any(Number),
        },
        failed: false,
        parent: undefined,
      },
    ]);
    expect(named[`embeddings ${model.model}`]?.at(-1)).toMatchObject({
      kind: 2,
      attributes: {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": model.provider,
        "gen_ai.request.model": model.model,
        "gen_ai.embeddings.dimension.count": 64,
        "ibid.embeddings.purpose": "query",
        "ibid.embeddings.inputs": 1,
        "ibid.embeddings.sent": 1,
      },
      failed: false,
      parent: "retrieval shelf",
    });
    expect(named["rerank longest-first"]?.[0]).toMatchObject({
      kind: 2,
      attributes: {
        "gen_ai.operation.name": "rerank",
        "gen_ai.request.model": "longest-first",
        "ibid.rerank.candidates": 2,
      },
    });
    expect(named["ibid.ingest"]).toEqual([
      {
        name: "ibid.ingest",
        kind: 0,
        attributes: expect.objectContaining({
          "ibid.scope": "deployment",
          "ibid.ingest.added": 2,
          "ibid.ingest.chunks": 2,
        }),
        failed: false,
        parent: undefined,
      },
    ]);
  });

  it.runIf(sdkFolder !== undefined)("know the span around them across awaits [B53]", async () => {
    const { kb, spans } = await open();
    await kb.ingest(shelf);
    await Promise.all([kb.search("heron"), kb.search("otter")]);
    const parents = Object.groupBy(spans(), ({ name }) => name);
    expect(parents["rerank longest-first"]?.map(({ parent }) => parent)).toEqual(["retrieval", "retrieval"]);
    expect(new Set(parents[`embeddings ${model.model}`]?.map(({ parent }) => parent))).toEqual(
      new Set(["ibid.ingest", "retrieval"]),
    );
    await kb.close();
  });

  it("hold a query only where that was asked for [L10]", async () => {
    const quiet = await open();
    await quiet.kb.search("heron secret");
    expect(JSON.stringify(quiet.spans())).not.toContain("secret");
    const open_ = await open({ recordQueries: true });
    await open_.kb.search("heron secret");
    expect(open_.spans().at(-1)?.attributes["gen_ai.retrieval.query.text"]).toBe("heron secret");
  });

  it("of work that failed say its code, and never its words [B53 L10]", async () => {
    const { kb, spans, measures } = await open();
    await kb.ingest(shelf);
    await expect(kb.search("(secret", { mode: "regex" })).rejects.toThrow("pattern");
    const failed = spans().at(-1);
    expect(failed).toMatchObject({
      name: "retrieval",
      failed: true,
      attributes: { "error.type": "invalid-regex", "ibid.retrieval.mode": "regex" },
    });
    expect(JSON.stringify(spans())).not.toContain("secret");
    expect(await measures()).toContainEqual({
      name: "gen_ai.client.operation.duration",
      value: 1,
      attributes: { "gen_ai.operation.name": "retrieval", "error.type": "invalid-regex" },
    });
  });
});

describe("metrics", () => {
  it("are of latency, outcomes, the queue and the cache [T42 T54]", async () => {
    const { api, measures } = await watchApi();
    const telemetry = await createOpenTelemetry({ api });
    const kb = await openInMemory({ models: { embedding: model }, operations: { telemetry } });
    await kb.search("heron");
    await kb.ingest(shelf);
    await kb.search("heron river otter");
    await kb.search("heron river otter");
    await kb.search("heron", { topK: 1, mode: "lexical" });
    await kb.search("heron zebra quagga wombat numbat dugong", { topK: 1, mode: "lexical" });
    telemetry.event?.({ name: "KnowledgeQueued", at: 0, scopes: [], data: { depth: 5, rejected: 2 } });
    await kb.close();

    const seen = await measures();
    const of = (name: string) =>
      seen.filter((each) => each.name === name).map(({ value, attributes }) => [value, attributes]);
    expect(of("ibid.retrieval.count")).toEqual([
      [1, { "ibid.retrieval.outcome": "empty" }],
      [3, { "ibid.retrieval.outcome": "hit" }],
      [1, { "ibid.retrieval.outcome": "miss" }],
    ]);
    expect(of("ibid.queue.depth")).toEqual([[5, {}]]);
    expect(of("ibid.queue.rejected")).toEqual([[2, {}]]);
    expect(of("ibid.chunks")).toEqual([[2, { "ibid.outcome": "indexed" }]]);
    expect(of("ibid.store.flush.duration")).toEqual([[2, {}]]);
    // Where nothing is, nothing was embedded. Two texts and a query were sent; the second time round the cache had the query.
    expect(of("ibid.embeddings.cache.hit_rate")).toEqual([[0.25, {}]]);
    const embeddings = {
      "gen_ai.operation.name": "embeddings",
      "gen_ai.provider.name": model.provider,
      "gen_ai.request.model": model.model,
    };
    expect(of("gen_ai.client.operation.duration")).toEqual([
      [4, embeddings],
      [5, { "gen_ai.operation.name": "retrieval" }],
    ]);
  });
});

it("without the package, it is said what to install [B53]", async () => {
  await expect(loadOpenTelemetryApi("/nowhere")).rejects.toMatchObject({
    code: "dependency-missing",
    hint: expect.stringContaining("npm install @opentelemetry/api") as unknown,
  });
});
