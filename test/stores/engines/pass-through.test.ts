import type { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { createChromaEngine } from "../../../src/stores/chroma/chroma-engine.ts";
import { createKustoEngine } from "../../../src/stores/kusto/kusto-engine.ts";
import { createPgvectorEngine } from "../../../src/stores/pgvector/pgvector-engine.ts";
import { createQdrantEngine } from "../../../src/stores/qdrant/qdrant-engine.ts";
import { createSqliteEngine } from "../../../src/stores/sqlite/sqlite-engine.ts";
import { startKusto } from "./stand-ins/kusto.ts";
import { type Request, serve, type StandIn } from "./stand-ins/serve.ts";

const version = { provider: "p", model: "m", dimensions: 2, fingerprint: "" };
const spec = { name: "b1_v1", version, dimensions: 2, metric: "cosine" } as const;
const vector = Float32Array.of(1, 0);

async function started(server: Promise<StandIn>): Promise<StandIn> {
  const running = await server;
  onTestFinished(() => running.stop());
  return running;
}

const bodyOf = (server: StandIn, has: (request: Request) => boolean): string =>
  JSON.stringify(server.requests.findLast((one) => one.body !== undefined && has(one))?.body);

describe("options of an engine reach it as they are [S1 S2]", () => {
  it("Qdrant's of a collection and of a search", async () => {
    let isMade = false;
    const config = { params: { vectors: { size: 2 } } };
    const server = await started(
      serve(({ method, url }) => {
        if (method === "PUT") isMade = true;
        if (method === "GET" && !isMade) return { status: 404, body: {} };
        return { status: 200, body: { result: url.pathname.endsWith("/query") ? { points: [] } : { config } } };
      }),
    );
    const { url } = server;
    const engine = createQdrantEngine({
      url,
      collection: { on_disk_payload: true },
      query: { params: { exact: true } },
    });
    const index = await engine.open(spec);
    await index.nearest({ vector, limit: 1, options: { score_threshold: 0.5 } });
    expect(bodyOf(server, ({ url: at }) => at.pathname === "/collections/ibid_b1_v1")).toContain(
      '"on_disk_payload":true',
    );
    const asked = bodyOf(server, ({ url: at }) => at.pathname.endsWith("/query"));
    expect(asked).toContain('"params":{"exact":true},"score_threshold":0.5');
  });

  it("Chroma's of a graph and of a search", async () => {
    const server = await started(serve(() => ({ status: 200, body: { id: "c1", distances: [[]], metadatas: [[]] } })));
    const index = await createChromaEngine({ url: server.url, hnsw: { resize_factor: 1.5 } }).open(spec);
    await index.nearest({ vector, limit: 1, options: { where_document: { $contains: "x" } } });
    expect(bodyOf(server, ({ url }) => url.pathname.endsWith("/collections"))).toContain('"resize_factor":1.5');
    expect(bodyOf(server, ({ url }) => url.pathname.endsWith("/query"))).toContain(
      '"where_document":{"$contains":"x"}',
    );
  });

  it("properties of Kusto's requests, and those of a search beside them", async () => {
    const server = await started(startKusto());
    const properties = { Options: { servertimeout: "00:01:00" } };
    const index = await createKustoEngine({ url: server.url, database: "db", token: "token", properties }).open(spec);
    await index.nearest({ vector, limit: 1, options: { Application: "mine" } });
    const { body } = server.requests.at(-1)! as { body: { properties: unknown } };
    expect(body.properties).toEqual({ ...properties, Application: "mine" });
  });

  it("pgvector's of an index and of a search, and nothing that is more than a value", async () => {
    const sent: { readonly text: string; readonly values: readonly unknown[] }[] = [];
    const database = {
      query: async (text: string, values: unknown[] = []) => {
        sent.push({ text, values });
        return { rows: text.includes("extversion") ? [{ v: "0.8.5" }] : [] };
      },
    };
    const engine = createPgvectorEngine({ database, build: { m: 48 }, hnsw: { scan_mem_multiplier: 2 } });
    const index = await engine.open(spec);
    const all = sent.map(({ text }) => text).join("\n");
    expect(all).toContain("WITH (m = '48', ef_construction = '128')");
    expect(all).toContain("SET hnsw.scan_mem_multiplier = '2'");
    await index.nearest({ vector, limit: 1, options: { ef_search: 900 } });
    expect(sent.at(-1)!.values[2]).toBe('{"ef_search":900}');
    const attack = index.nearest({ vector, limit: 1, options: { "ef_search'); DROP TABLE x; --": 1 } });
    await expect(attack).rejects.toMatchObject({ code: "invalid-argument" });
    const wrong = () => createPgvectorEngine({ database, build: { m: "1) ; --" } });
    expect(wrong).toThrow("pgvector: build.m is");
  });

  it("an engine that has no options of a search refuses them", async () => {
    const engine = createSqliteEngine({ pragmas: { cache_size: -4321 } });
    const index = await engine.open(spec);
    const { database } = engine.native as { database: () => DatabaseSync };
    expect(Object.values(database().prepare("PRAGMA cache_size").get()!)).toEqual([-4321]);
    const asked = index.nearest({ vector, limit: 1, options: { ef: 9 } });
    await expect(asked).rejects.toMatchObject({ code: "invalid-argument", details: { store: "sqlite" } });
    await engine.close?.();
  });
});
