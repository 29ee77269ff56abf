import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { Engine, EngineCondition } from "../../../src/contracts/engine.ts";
import { openKnowledgeBase } from "../../../src/knowledge-base/open/open-knowledge-base.ts";
import { createAzureSearchEngine } from "../../../src/stores/azure-search/azure-search-engine.ts";
import { createEngineStore } from "../../../src/stores/engines/engine-store.ts";
import { createKustoEngine } from "../../../src/stores/kusto/kusto-engine.ts";
import { createMemoryStore } from "../../../src/stores/memory/memory-store.ts";
import { createMongoEngine } from "../../../src/stores/mongodb/mongodb-engine.ts";
import { createPineconeEngine } from "../../../src/stores/pinecone/pinecone-engine.ts";
import { createEnginePack } from "../../../src/testing/engine-pack.ts";
import { createFixedEmbeddingModel } from "../../../src/testing/fixed-embedding-model.ts";
import { runPack } from "../../contracts/run-pack.ts";
import { runsAll } from "../../support/runs.ts";
import { startAzureSearch } from "./stand-ins/azure-search.ts";
import { framesOf, startKusto } from "./stand-ins/kusto.ts";
import { toDatabase } from "./stand-ins/mongo-database.ts";
import { createMongoCommands } from "./stand-ins/mongodb.ts";
import { startPinecone } from "./stand-ins/pinecone.ts";

const late = { lateMs: 20 };
const visible = { visibleAfterMs: 100, attempts: 2 };
const azure = await startAzureSearch(late);
const kusto = await startKusto(late);
const pinecone = await startPinecone({ ...late, readyAfterMs: 30 });
const mongo = createMongoCommands({ ...late, buildMs: 20 });
afterAll(() => {
  for (const server of [azure, kusto, pinecone]) server.stop();
});

const engines: Readonly<Record<string, (more?: object) => Engine>> = {
  "azure-search": (more) => createAzureSearchEngine({ url: azure.url, apiKey: "admin", ...visible, ...more }),
  kusto: (more) => createKustoEngine({ url: kusto.url, database: "db", token: () => "token", ...visible, ...more }),
  mongodb: (more) => createMongoEngine({ database: toDatabase(mongo), ...more }),
  pinecone: (more) => createPineconeEngine({ url: pinecone.url, apiKey: "key", ...visible, ...more }),
};

describe.each(Object.entries(engines))("the engine over a stand-in for %s [S1 S2]", (name, create) => {
  const pack = createEnginePack({
    name,
    create: async () => create(),
    createStore: (engine) => (engine === undefined ? createMemoryStore() : createEngineStore(engine)),
    openKnowledgeBase: (engine) => openKnowledgeBase({ engine }),
    chunks: 200,
  });
  // The first four cases look at the engine by itself.
  runPack(runsAll ? pack : pack.slice(0, 5));
});

const version = { provider: "p", model: "m", dimensions: 2, fingerprint: "" };
const spec = { name: "b1_v1", version, dimensions: 2, metric: "cosine" } as const;
const entry = {
  key: "00000000-0000-4000-8000-000000000001",
  ref: "deployment/c1",
  vector: Float32Array.of(1, 0),
  tags: ["0a"],
  numbers: {},
};

const servers = { "azure-search": azure, kusto, pinecone } as const;

describe.each(["azure-search", "kusto", "pinecone"] as const)("a hosted engine: %s", (name) => {
  it("tries again when it is throttled, as long as it was asked to wait", async () => {
    const index = await engines[name]!().open(spec);
    servers[name].refuse({ status: name === "azure-search" ? 503 : 429, headers: { "retry-after": "0" } });
    await index.put([entry]);
    servers[name].refuse({ status: 429, body: { error: { code: "TooManyRequests", message: "Slow down" } } }, 2);
    await expect(index.count("0a")).rejects.toMatchObject({ code: "store-busy", details: { store: name } });
  });

  it("names store, operation and cause, and repeats no key", async () => {
    const secret = { apiKey: "hunter2", token: "hunter2" };
    const { apiKey, token } = secret;
    const engine = engines[name]!(name === "kusto" ? { token } : { apiKey });
    const error: unknown = await engine.open(spec).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "store-failed", details: { store: name } });
    expect((error as { hint: string }).hint).toMatch(/key or the password/u);
    expect(JSON.stringify([error, String(error)])).not.toContain("hunter2");
  });
});

describe.each(Object.entries(engines))("an index of %s", (name, create) => {
  it("is refused for vectors of other dimensions, or kept apart from it", async () => {
    await create().open(spec);
    const wide = create()
      .open({ ...spec, dimensions: 3 })
      .then(
        (index) => index.count("0a"),
        ({ code }: { code: string }) => code,
      );
    // Pinecone has an index for each number of dimensions.
    expect(await wide).toBe(name === "pinecone" ? 0 : "dimension-mismatch");
  });

  it.each(["cosine", "dot", "euclidean"] as const)("orders by the %s [S1]", async (metric) => {
    const engine = create();
    const index = await engine.open({ ...spec, name: `b1_${metric}`, metric });
    const vectors = [Float32Array.of(1, 0), Float32Array.of(0, 1), Float32Array.of(0.6, 0.8)];
    await index.put(vectors.map((vector, i) => ({ ...entry, key: entry.key.slice(0, -1) + i, ref: `r/${i}`, vector })));
    while ((await index.nearest({ vector: vectors[0]!, limit: 3 })).length < 3);
    const found = await index.nearest({ vector: vectors[0]!, limit: 3 });
    expect(found.map(({ ref }) => ref)).toEqual(["r/0", "r/2", "r/1"]);
    // The vectors lie at 0, √0.8 and √2 of the first.
    // Azure AI Search does not say how it makes the score of a product.
    const dot = name === "azure-search" ? found[1]!.score : 0.6;
    const exact = { cosine: 0.6, dot, euclidean: 1 / (1 + Math.sqrt(0.8)) }[metric];
    expect(found[1]!.score).toBeCloseTo(exact, 5);
  });

  it("refuses unknown options", () => {
    expect(() => create({ colection: 1 })).toThrow(/colection/u);
    expect(() => create({ prefix: "Ibid-" })).toThrow(/prefix/u);
  });
});

describe.each(Object.entries(engines))("a collection in %s", (name, create) => {
  it("gives records as they were written, and forgets the former one [S1 S2]", async () => {
    const engine = create();
    const index = await engine.open({ ...spec, name: "r_items", records: true });
    const json = JSON.stringify({ id: "7", name: "naïve 東京 🏯 ' \" \\ \n" });
    const record = { json, text: "lantern", fields: { id: "7" } };
    await index.put([
      { ...entry, numbers: { n0c: 1 }, record },
      {
        ...entry,
        key: entry.key.replace(/1$/u, "2"),
        tags: ["0b"],
        record: { text: "of a further vector", fields: {} },
      },
    ]);
    await expect.poll(() => index.read!([entry.key])).toEqual([{ key: entry.key, ref: entry.ref, json }]);
    await index.put([{ ...entry, tags: ["0d"], record: { ...record, json: "{}" } }]);
    const all = [entry.key, entry.key.replace(/1$/u, "2"), entry.key.replace(/1$/u, "3")];
    await expect.poll(() => index.read!(all)).toEqual([{ key: entry.key, ref: entry.ref, json: "{}" }]);
    // Filters see the record that is there, and not the one before it.
    const byNumber = { op: "number", key: "n0c", is: "gt", value: 0 } as const;
    await expect.poll(() => index.nearest({ vector: entry.vector, condition: byNumber, limit: 3 })).toEqual([]);
    const byTag = { op: "has", tag: "0d" } as const;
    expect(await index.nearest({ vector: entry.vector, condition: byTag, limit: 3 })).toHaveLength(1);
    expect(engine.capabilities.records?.words).toBe(["azure-search", "mongodb"].includes(name));
  });
});

describe.each(Object.entries(engines))("records of %s that were just written", (_, create) => {
  it("are read, listed and deleted at once, also those that take the place of others [S1 S2]", async () => {
    const embedding = createFixedEmbeddingModel({}, { dimensions: 2, otherwise: () => [0.6, 0.8] });
    const kb = await openKnowledgeBase({ engine: create(), models: { embedding } });
    const schema = z.object({ id: z.string(), text: z.string() });
    const items = kb.collection("just written", { schema, key: "id", text: ["text"], keptIn: "engine" });
    for (const text of ["first", "second"]) {
      await items.upsert([
        { id: "a", text },
        { id: "b", text },
      ]);
      expect(await items.get(["a", "b"])).toEqual(["a", "b"].map((id) => ({ id, text })));
    }
    expect((await items.upsert({ id: "a", text: "second" })).unchanged).toBe(1);
    expect(await items.delete(["a", "b"])).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 3 * late.lateMs));
    expect(await items.get(["a", "b"])).toEqual([]);
    await kb.close();
  });
});

describe("what one service alone does", () => {
  it("Azure AI Search fuses words and vector, and reads no sign as syntax", async () => {
    const index = await engines["azure-search"]!().open({ ...spec, name: "r_words", records: true });
    const far = { ...entry, key: entry.key.replace(/1$/u, "2"), ref: "r/2", vector: Float32Array.of(0, 1) };
    await index.put([
      { ...entry, record: { json: "{}", text: "harbour", fields: {} } },
      { ...far, record: { json: "{}", text: "lantern inn", fields: {} } },
    ]);
    const search = () => index.nearest({ vector: entry.vector, words: '-"lantern" (inn)*', limit: 2 });
    await expect.poll(async () => (await search()).map(({ ref }) => ref)).toEqual(["r/2", entry.ref]);
    expect(JSON.stringify(azure.requests.at(-1)!.body)).toContain('"search":"  lantern   inn  "');
  });

  it("MongoDB joins the ranks of words and vector, within the condition", async () => {
    const slow = createMongoCommands({ lateMs: 30, buildMs: 30 });
    const index = await createMongoEngine({ database: toDatabase(slow) }).open({ ...spec, name: "r_w", records: true });
    const texts = ["harbour", "lantern inn", "lantern of the old inn", "lantern"];
    await index.put(
      texts.map((text, i) => ({
        ...entry,
        key: entry.key.slice(0, -1) + i,
        ref: `r/${i}`,
        vector: Float32Array.of(1, -i),
        tags: [i === 3 ? "0b" : "0a"],
        numbers: { n0a: i },
        record: { json: "{}", text, fields: {} },
      })),
    );
    const search = async (words: string, condition: EngineCondition) =>
      (await index.nearest({ vector: entry.vector, words, condition, limit: 4 })).map(({ ref }) => ref);
    const not = { op: "lacks", tag: "0b" } as const;
    // The first of the words is the second of the vector, and the first of the vector has no word.
    expect(await search('"lantern" -(inn)* {"$ne": 1}', not)).toEqual(["r/1", "r/2", "r/0"]);
    expect(
      await search("lantern", { op: "and", of: [not, { op: "number", key: "n0a", is: "gte", value: 2 }] }),
    ).toEqual(["r/2"]);
    expect(await search("lantern", { op: "or", of: [{ op: "has", tag: "0b" }] })).toEqual(["r/3"]);
    expect(await search("?!", { op: "or", of: [] })).toEqual([]);
  });

  it("a write of Azure AI Search that fails in part is an error with the part's reason", async () => {
    const index = await engines["azure-search"]!().open(spec);
    const narrow = { ...entry, vector: Float32Array.of(1) };
    await expect(index.put([entry, narrow])).rejects.toThrow(/write documents failed in part: The vector has 1/u);
    azure.refuse({ status: 207, body: { value: [{ key: "k", status: false, statusCode: 503 }] } });
    await expect(index.put([entry])).rejects.toMatchObject({ code: "store-busy" });
  });

  it("fields of Azure AI Search go through to index and query", async () => {
    const more = { algorithm: "exhaustiveKnn", index: { semantic: {} }, query: { exhaustive: true } };
    const index = await engines["azure-search"]!(more).open({ ...spec, name: "b1_more" });
    await index.nearest({ vector: entry.vector, limit: 1, options: { oversampling: 4 } });
    const bodies = azure.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies.some((body) => body?.includes('"semantic":{}') && body.includes("exhaustiveKnnParameters"))).toBe(
      true,
    );
    expect(bodies.at(-1)).toContain('"exhaustive":true,"oversampling":4');
  });

  it("a query of Kusto that fails in the middle of its answer is an error", async () => {
    const index = await engines["kusto"]!().open(spec);
    kusto.refuse({ status: 200, body: framesOf([{ Count: 1 }], "Query result set has exceeded the limit.") });
    await expect(index.count("0a")).rejects.toThrow(/count failed: Query result set has exceeded the limit\./u);
  });

  it("Kusto gives one candidate for an entry that was appended twice", async () => {
    const index = await engines["kusto"]!({ ingestion: "inline", encoding: "Vector16" }).open({
      ...spec,
      name: "b1_two",
    });
    await index.put([entry]);
    await index.put([entry]);
    await expect.poll(() => index.nearest({ vector: entry.vector, limit: 5 })).toHaveLength(1);
    expect(await index.count("0a")).toBe(1);
    // Both rows are seen by now: a delete takes those that it sees.
    await new Promise((resolve) => setTimeout(resolve, 3 * late.lateMs));
    await index.delete([entry.key]);
    await expect.poll(() => index.count("0a")).toBe(0);
  });

  it("a token of Kusto is asked for before each request", async () => {
    let asked = 0;
    const engine = engines["kusto"]!({ token: () => (asked++, "token") });
    await engine.indexes("b1");
    await engine.indexes("b1");
    expect(asked).toBe(2);
    const failing = engines["kusto"]!({ token: () => Promise.reject(new Error("no identity")) });
    await expect(failing.indexes("b1")).rejects.toThrow(/kusto: get a token failed: no identity/u);
  });

  it("MongoDB counts and lists what its search index gives, also an entry whose writer died", async () => {
    const slow = createMongoCommands({ lateMs: 60 });
    const index = await createMongoEngine({ database: toDatabase(slow) }).open(spec);
    const { key, ...rest } = entry;
    const u = { _id: key, revision: key, ...rest, vector: [1, 0] };
    slow({ update: "ibid_b1_v1", updates: [{ q: { _id: key }, u, upsert: true }] });
    expect(await index.count("0a")).toBe(0);
    await expect.poll(() => index.count("0a")).toBe(1);
    expect(await index.list("0a", undefined)).toEqual({ keys: [key], next: undefined });
    expect((await index.nearest({ vector: entry.vector, limit: 1 })).map(({ ref }) => ref)).toEqual([entry.ref]);
  });

  it("a delete of MongoDB ends when its search index names none of the entries", async () => {
    const slow = createMongoCommands({ lateMs: 60 });
    const index = await createMongoEngine({ database: toDatabase(slow) }).open(spec);
    const many = Array.from({ length: 40 }, (_, i) => ({
      ...entry,
      key: `00000000-0000-4000-8000-0000000001${String(i).padStart(2, "0")}`,
      ref: `r/${i}`,
      vector: Float32Array.of(1, i / 100),
    }));
    await index.put(many);
    await index.delete(many.slice(0, 30).map(({ key }) => key));
    expect(await index.count("0a")).toBe(10);
    const found = await index.nearest({ vector: entry.vector, limit: 5 });
    expect(found.map(({ ref }) => ref)).toEqual(["r/30", "r/31", "r/32", "r/33", "r/34"]);
  });

  it("MongoDB waits for an entry that comes again, while its search index still gives the former one", async () => {
    const slow = createMongoCommands({ lateMs: 80 });
    const index = await createMongoEngine({ database: toDatabase(slow) }).open({ ...spec, records: true });
    const put = (text: string) => index.put([{ ...entry, record: { json: "{}", text, fields: {} } }]);
    const search = (words: string) => index.nearest({ vector: entry.vector, words, limit: 1 });
    await put("harbour");
    await put("lantern");
    expect((await search("lantern"))[0]!.score).toBeCloseTo(2 / 61, 10);
    expect((await search("harbour"))[0]!.score).toBeCloseTo(1 / 61, 10);
    // Two writers of one entry both end, though the index never shows the revision of one of them.
    await Promise.all([put("bridge"), put("bridge")]);
    expect((await search("bridge"))[0]!.score).toBeCloseTo(2 / 61, 10);
  });

  it("MongoDB finds numbers under keys that its index was not made with", async () => {
    const index = await engines["mongodb"]!({ index: { numPartitions: 2 } }).open({ ...spec, name: "b1_numbers" });
    const condition = { op: "number", key: "n0b", is: "gt", value: 1 } as const;
    expect(await index.nearest({ vector: entry.vector, condition, limit: 1 })).toEqual([]);
    await index.put([{ ...entry, numbers: { n0b: 2 } }]);
    const found = await index.nearest({ vector: entry.vector, condition, limit: 1 });
    expect(found.map(({ ref }) => ref)).toEqual([entry.ref]);
  });

  it("a search index of MongoDB that takes no write is an error that names the operation", async () => {
    const stopped = createMongoCommands({ lateMs: 1e9 });
    const index = await createMongoEngine({ database: toDatabase(stopped), indexWithinMs: 50 }).open(spec);
    await expect(index.put([entry])).rejects.toMatchObject({
      code: "store-busy",
      message: expect.stringContaining("b1_v1 has not taken a write after 0.05 s"),
      details: { store: "mongodb", operation: "write" },
    });
  });

  it("an index of MongoDB that is never built is an error that says so", async () => {
    const never = createMongoCommands({ buildMs: 1e9 });
    const engine = createMongoEngine({ database: toDatabase(never), indexWithinMs: 50 });
    await expect(engine.open(spec)).rejects.toThrow(/search index of b1_v1 is not built after 0.05 s/u);
    expect(() => createMongoEngine({ database: "mongodb://ada:hunter2@host" })).toThrow(/names no database/u);
    const away = createMongoEngine({ database: "mongodb://ada:hunter2@host/db" }).indexes("b");
    await expect(away).rejects.toMatchObject({ code: "dependency-missing", details: { package: "mongodb" } });
  });
});
