import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../../src/knowledge-base/open/open-knowledge-base.ts";
import { createHashingModel } from "../../../src/models/hashing/hashing-model.ts";
import { IbidError } from "../../../src/contracts/errors.ts";
import { findPackage } from "../../../src/runtime/packages.ts";
import { createDuckDbEngine } from "../../../src/stores/duckdb/duckdb-engine.ts";
import { createHnswEngine } from "../../../src/stores/hnsw/hnsw-engine.ts";
import { createQdrantEngine } from "../../../src/stores/qdrant/qdrant-engine.ts";
import { createFaultProxy } from "../../../src/testing/fault-proxy.ts";

import { createReferenceEngine } from "../../../src/testing/reference-engine.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ibid-engine-"));
  folders.push(folder);
  return folder;
}

const embedding = createHashingModel();
const texts = Array.from({ length: 12 }, (_, i) => ({ uri: `d${i}`, text: `Lanterns of the harbour number ${i}.` }));

describe("an engine under a knowledge base", () => {
  it("gives the hits of the folder alone, also after it was opened again [S2 S10 W52 E31 E40]", async () => {
    const engine = createReferenceEngine();
    const [beside, alone] = [newFolder(), newFolder()];
    const plain = await openKnowledgeBase(join(alone, "kb"), { models: { embedding } });
    let kb = await openKnowledgeBase(join(beside, "kb"), { models: { embedding }, engine });
    for (const one of [plain, kb]) await one.ingest(texts, { settle: true });
    const question = "lanterns of the harbour 7";
    const shape = async (one: typeof kb): Promise<unknown> =>
      (await one.search(question)).map(({ source, score }) => [source.uri, score]);
    const expected = await shape(plain);
    expect(await shape(kb)).toEqual(expected);
    await kb.close();
    kb = await openKnowledgeBase(join(beside, "kb"), { models: { embedding }, engine });
    expect(await shape(kb)).toEqual(expected);
    expect(await kb.native("the reference engine")).toBe(engine.native);
    await expect(kb.native("qdrant")).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(kb.as({ userId: "ada" }).native("the reference engine")).rejects.toMatchObject({
      code: "access-denied",
    });
    await kb.close();
    await plain.close();
  });

  it("finds everything again after a process died between two calls [L8]", async () => {
    const inner = createReferenceEngine();
    const folder = join(newFolder(), "kb");
    for (let call = 2; call < 8; call++) {
      // The proxy stands for the process: from this call on nothing of it reaches the engine.
      const engine = createFaultProxy(inner, { killBefore: call });
      const dying = await openKnowledgeBase(folder, { models: { embedding }, engine });
      await dying.ingest([{ uri: `k${call}`, text: `A beacon of night ${call}.` }]).catch(() => {});
      await dying.close();
      const kb = await openKnowledgeBase(folder, { models: { embedding }, engine: inner });
      const found = await kb.search(`beacon of night ${call}`);
      expect(found[0]?.source.uri).toBe(`k${call}`);
      await kb.close();
    }
  });

  const missing = (name: string): boolean =>
    findPackage(name, [import.meta.url, join(process.cwd(), "package.json")]) === undefined;

  it.runIf(missing("usearch") && missing("@duckdb/node-api"))(
    "is refused at once when its package is missing, by name and as a function",
    async () => {
      const refusal = { code: "dependency-missing" };
      for (const make of [() => createDuckDbEngine(), () => createHnswEngine()])
        expect(make).toThrow(expect.objectContaining(refusal));
      for (const engine of [{ name: "duckdb" }, { name: "hnsw" }] as const) {
        const opening = openKnowledgeBase(join(newFolder(), "kb"), { models: { embedding }, engine });
        await expect(opening).rejects.toMatchObject(refusal);
      }
    },
  );

  it("is looked at by the doctor: one that fails, and one whose entries are not those of the store", async () => {
    const engine = createFaultProxy(createReferenceEngine());
    const folder = join(newFolder(), "kb");
    const open = (): ReturnType<typeof openKnowledgeBase> =>
      openKnowledgeBase(folder, { models: { embedding }, engine });
    engine.faults = { failing: 1 };
    const away = await open();
    await away.ingest(texts);
    const failed = { kind: "engine-failed", fixed: false, message: expect.stringMatching(/the connection broke/u) };
    expect(await away.doctor()).toMatchObject({ healthy: false, findings: [failed] });
    expect(await away.doctor({ fix: true })).toMatchObject({ healthy: false, findings: [failed] });
    await away.close();

    engine.faults = {};
    const kb = await open();
    const differs = { kind: "engine-differs", count: texts.length };
    expect(await kb.doctor()).toMatchObject({ healthy: false, findings: [{ ...differs, fixed: false }] });
    expect(await kb.doctor({ fix: true })).toMatchObject({ healthy: true, findings: [{ ...differs, fixed: true }] });
    expect(await kb.doctor()).toMatchObject({ healthy: true, findings: [] });
    await kb.close();
  });

  it("ends an ingestion that waits for it, when its package is missing; the documents are kept", async () => {
    const inner = createReferenceEngine();
    const open = async () => {
      throw new IbidError("dependency-missing", "The package is not installed.", { hint: "Install it." });
    };
    const kb = await openKnowledgeBase(join(newFolder(), "kb"), {
      models: { embedding },
      engine: { ...inner, open },
    });
    await expect(kb.ingest(texts, { settle: true })).rejects.toMatchObject({ code: "dependency-missing" });
    expect((await kb.status()).documents).toBe(12);
    expect(await kb.search("lanterns 7")).not.toEqual([]);
    await kb.close();
  });

  it("refuses unknown names and options, and an engine beside a store", async () => {
    const open = (engine: unknown) => openKnowledgeBase({ engine: engine as never });
    await expect(open({ name: "quadrant" })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(open({ name: "qdrant", url: "http://localhost:1", colection: 1 })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    await expect(open({ name: "qdrant", url: "localhost" })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(open("qdrant")).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it.each([{ name: "redis" }, { name: "mongodb" }, { name: "milvus", server: "" }, { name: "pgvector", database: 5 }])(
    "says what an address looks like, where none is given: $name",
    async (engine) => {
      const opening = openKnowledgeBase({ engine: engine as never });
      await expect(opening).rejects.toMatchObject({ code: "invalid-argument", hint: expect.stringMatching(/:\/\//u) });
    },
  );

  it.each([
    { name: "qdrant", url: "http://ada:p@hunter2/x@127.0.0.1:1" },
    { name: "chroma", url: "http://ada:1#hunter2@127.0.0.1:1" },
    { name: "weaviate", url: "http://ada:1?hunter2@127.0.0.1:1" },
    { name: "redis", server: "redis://ada:p@hunter2/x@127.0.0.1:1" },
    { name: "milvus", server: "http://ada:p@hunter2/x@127.0.0.1:1" },
    { name: "mongodb", database: "mongodb://ada:p@hunter2/x@127.0.0.1:1/vectors" },
    { name: "pgvector", database: "postgres://ada:p@hunter2/x@127.0.0.1:1/vectors" },
    { name: "pgvector", database: "mysql://ada:hunter2@127.0.0.1:1/vectors" },
  ])("refuses an address whose password is not encoded, and repeats no part of it: $name", async (engine) => {
    const error: unknown = await openKnowledgeBase({ engine: engine as never }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "invalid-argument" });
    expect(JSON.stringify([error, String(error)])).not.toContain("hunter2");
  });

  it("names store and operation, and repeats no key", async () => {
    const server = createServer((_, response) => response.writeHead(401).end("bad key")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const engine = createQdrantEngine({ url: `http://user:hunter2@127.0.0.1:${port}`, apiKey: "s3cret" });
    const error: unknown = await engine.indexes("b").catch((reason: unknown) => reason);
    server.close();
    expect(error).toMatchObject({ code: "store-failed", details: { store: "qdrant", operation: "list collections" } });
    expect(JSON.stringify([error, String(error)])).not.toMatch(/hunter2|s3cret/u);
  });
});
