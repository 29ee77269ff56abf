import { describe, expect, it } from "vitest";
import type { StandardSchema } from "../../../src/contracts/schema.ts";
import { openKnowledgeBase } from "../../../src/knowledge-base/open/open-knowledge-base.ts";
import { createHashingModel } from "../../../src/models/hashing/hashing-model.ts";
import { createPineconeEngine } from "../../../src/stores/pinecone/pinecone-engine.ts";
import { createQdrantEngine } from "../../../src/stores/qdrant/qdrant-engine.ts";
import { createRedisEngine } from "../../../src/stores/redis/redis-engine.ts";
import type { Engine } from "../../../src/contracts/engine.ts";
import { createReferenceEngine } from "../../../src/testing/reference-engine.ts";
import { serve } from "./stand-ins/serve.ts";

type Item = { readonly id: string; readonly text: string };

const schema: StandardSchema<Item, Item> = {
  "~standard": { version: 1, vendor: "ibid", validate: (value) => ({ value: value as Item }) },
};

async function openItems(engine: Engine, of: object = {}) {
  const kb = await openKnowledgeBase({ engine, models: { embedding: createHashingModel() } });
  return kb.collection("items", { schema, key: "id", text: ["text"], vectors: { text: of }, keptIn: "engine" });
}

describe("waiting for an engine", () => {
  it("goes on until the server takes requests [S1]", async () => {
    let starting = 3;
    const server = await serve(() =>
      starting-- > 0
        ? { status: 503, body: { status: "starting" } }
        : { status: 200, body: { result: { collections: [] } } },
    );
    const items = await openItems(createQdrantEngine({ url: server.url, attempts: 1 }));
    await items.waitUntilReady({ timeoutMs: 20_000 });
    expect(starting).toBe(-1);
    server.stop();
    await expect(items.waitUntilReady({ timeoutMs: 100 })).rejects.toMatchObject({ code: "timeout" });
  });

  it("ends at once where the server refuses the caller", async () => {
    const server = await serve(() => ({ status: 401, body: { error: "the key is wrong" } }));
    const pinecone = createPineconeEngine({ url: server.url, apiKey: "key" });
    for (const engine of [createQdrantEngine({ url: server.url }), pinecone]) {
      const items = await openItems(engine);
      await expect(items.ensure({ timeoutMs: 20_000 })).rejects.toMatchObject({
        code: "store-failed",
        details: { store: engine.name, status: 401 },
      });
    }
    server.stop();
  });

  it("names the engine and its last failure where the time is over, and copies wait no longer than that", async () => {
    const server = await serve(() => ({ status: 503, body: { status: "starting up" } }));
    const engine = createQdrantEngine({ url: server.url, attempts: 1 });
    const late = {
      code: "timeout",
      message: expect.stringMatching(/^Waiting until qdrant is ready ended: qdrant at .*starting up/u),
      details: { store: "qdrant", operation: "ready" },
    };
    const items = await openItems(engine);
    await expect(items.ensure({ timeoutMs: 2_000 })).rejects.toMatchObject(late);
    const kb = await openKnowledgeBase({
      engine: createReferenceEngine(),
      models: { embedding: createHashingModel() },
    });
    const copying = kb.copyRecords({ to: engine, signal: AbortSignal.timeout(2_000) });
    await expect(copying).rejects.toMatchObject(late);
    await kb.close();
    server.stop();
  });

  it("takes a lost connection of a client for one that comes", async () => {
    const lost = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:6379"), { code: "ECONNREFUSED" });
    // The client's own error, when it has given up a connection.
    const givenUp = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:6379"), { originalError: lost });
    const replies = [lost, givenUp, new Error("LOADING Redis is loading the dataset in memory"), []];
    const sendCommand = async (): Promise<unknown> => {
      const reply = replies.shift();
      if (reply instanceof Error) throw reply;
      return reply;
    };
    const items = await openItems(createRedisEngine({ server: { sendCommand } }));
    await items.waitUntilReady({ timeoutMs: 20_000 });
    expect(replies).toEqual([]);
    replies.push(new Error("NOPERM this user has no permissions"));
    await expect(items.waitUntilReady({ timeoutMs: 20_000 })).rejects.toThrow(/NOPERM/u);
  });

  it("names a metric or a kind of index that the engine lacks, before anything is written [S1]", async () => {
    const engine = createQdrantEngine({ url: "http://127.0.0.1:1", attempts: 1 });
    const metric = await openItems(engine, { metric: "hamming" });
    await expect(metric.ensure()).rejects.toMatchObject({ hint: "It has cosine, dot, euclidean, manhattan." });
    const kind = await openItems(engine, { index: "disk-ann" });
    await expect(kind.ensure()).rejects.toMatchObject({ hint: "It has flat, hnsw, dynamic." });
  });
});
