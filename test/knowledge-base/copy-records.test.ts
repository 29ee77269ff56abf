import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { Engine, EngineEntry, EngineIndex } from "../../src/contracts/engine.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Store } from "../../src/contracts/store.ts";
import { openKnowledgeBase } from "../../src/knowledge-base/open/open-knowledge-base.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createSqliteEngine } from "../../src/stores/sqlite/sqlite-engine.ts";
import { knowledgeBaseOver } from "../support/knowledge-base-over.ts";
import { createReferenceEngine } from "../../src/testing/reference-engine.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-copy-records-"));
afterAll(() => rmSync(folder, { recursive: true }));

const schema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  description: z.string(),
  stars: z.number().optional(),
  city: z.string().nullable(),
});
type Hotel = z.input<typeof schema>;

function hotelsOf(kb: KnowledgeBase, vectors: object = { description: { metric: "euclidean" } }) {
  return kb.collection("hotels / ключ", {
    schema,
    key: "id",
    text: ["name", "description"],
    vectors: vectors as { description: { metric: "euclidean" } },
    filterable: ["stars", "city"],
    keptIn: "engine",
  });
}

const hotels: readonly Hotel[] = Array.from({ length: 150 }, (_, i) => ({
  id: `${i} 東`,
  name: i % 7 === 0 ? null : `Inn ${i % 20}`,
  description: `Rooms ${i} by the harbour "${i % 11}" \\ 🏯`,
  ...(i % 3 > 0 && { stars: (i % 5) - 1.5 }),
  city: i % 2 === 0 ? "Kiel" : null,
}));

const models = { embedding: createHashingModel({ dimensions: 48 }) };

/** A knowledge base over a store in memory, whose marks two of them can share. */
const openOver = (store: Store, engine: Engine): KnowledgeBase =>
  knowledgeBaseOver(store, models.embedding, [], [], engine);

async function filled(store: Store, engine: Engine, vectors?: object): Promise<KnowledgeBase> {
  const kb = openOver(store, engine);
  await hotelsOf(kb, vectors).upsert(hotels);
  await hotelsOf(kb.as({ userId: "ada" }), vectors).upsert(hotels.slice(0, 3), { scope: "user:ada" });
  return kb;
}

async function findAll(kb: KnowledgeBase): Promise<unknown> {
  const collection = hotelsOf(kb);
  const found = [];
  for (const filter of [undefined, { stars: { gte: 1 } }, { city: null }]) {
    const hits = await collection.search("the harbour 7", { vectorProperty: "description", topK: 20, filter });
    found.push(hits.map(({ key, scope, score, record }) => [key, scope, score.toFixed(6), record]));
  }
  const listed = [];
  for await (const record of collection.list()) listed.push(record);
  return [found, listed];
}

/** An engine whose indexes differ in some methods. */
function altered(engine: Engine, change: (index: EngineIndex) => Partial<EngineIndex>): Engine {
  return {
    ...engine,
    async open(spec, signal) {
      const index = await engine.open(spec, signal);
      return { ...index, ...change(index) };
    },
  };
}

const changedEntries =
  (change: (entry: EngineEntry) => EngineEntry | undefined) =>
  (index: EngineIndex): Partial<EngineIndex> => ({
    put: (entries) => index.put(entries.map(change).filter((entry) => entry !== undefined)),
  });

describe("records that are copied from one engine to another", () => {
  it("are found over both alike, in every scope, and are passed over the second time", async () => {
    const store = createMemoryStore();
    const from = createSqliteEngine({ file: join(folder, "alike.sqlite") });
    const to = createReferenceEngine();
    const kb = await filled(store, from);
    const said: number[][] = [];
    const copied = await kb.copyRecords({ to, onProgress: (...progress) => said.push(progress) });
    expect(copied).toEqual({
      collections: 1,
      records: 153,
      unchanged: 0,
      verified: { records: 153, searches: expect.any(Number) as number },
    });
    expect(copied.verified.searches).toBeGreaterThan(20);
    expect(said.at(-1)).toEqual([153, 153]);
    const other = openOver(store, to);
    expect(await findAll(other)).toEqual(await findAll(kb));
    expect(await hotelsOf(other.as({ userId: "bob" })).get("1 東", { scope: "user:ada" })).toBeUndefined();
    expect(await kb.copyRecords({ to })).toMatchObject({ records: 153, unchanged: 153 });
    // A record that changed, and one that is new, alone are written.
    await hotelsOf(kb).upsert([
      { ...hotels[4]!, city: "Chur" },
      { ...hotels[5]!, id: "new" },
    ]);
    expect(await kb.copyRecords({ to })).toMatchObject({ records: 154, unchanged: 152 });
    expect(await hotelsOf(other).get("4 東", { scope: "deployment" })).toMatchObject({ city: "Chur" });
  });

  it.each<[string, string, (engine: Engine) => Engine]>([
    [
      "a record that is lost",
      'record "9 東" of hotels / ключ in deployment differs',
      (engine) =>
        altered(
          engine,
          changedEntries((entry) => (entry.ref.includes("%229%20%E6%9D%B1") ? undefined : entry)),
        ),
    ],
    [
      "a vector that is turned",
      "differs",
      (engine) =>
        altered(
          engine,
          changedEntries((entry) => ({
            ...entry,
            vector: entry.vector.map((value, i) => (i === 3 ? value + 0.1 : value)),
          })),
        ),
    ],
    [
      "a text that is cut",
      "differs",
      (engine) =>
        altered(
          engine,
          changedEntries((entry) => ({
            ...entry,
            record: { ...entry.record!, json: entry.record!.json?.slice(0, -1) },
          })),
        ),
    ],
    [
      "a scope that is lost",
      "stands beside another number of entries",
      (engine) => altered(engine, (index) => ({ count: async (tag) => (await index.count(tag)) - 1 })),
    ],
    ["a search that loses", "is not found alike", (engine) => altered(engine, () => ({ nearest: async () => [] }))],
  ])("are named where the copy has %s", async (_, said, engineOf) => {
    const store = createMemoryStore();
    const from = createSqliteEngine();
    const kb = await filled(store, from);
    await expect(kb.copyRecords({ to: engineOf(createReferenceEngine()) })).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringContaining(said) as string,
    });
  });

  it("are named where the copy has one too many", async () => {
    const store = createMemoryStore();
    const [from, to] = [createSqliteEngine(), createReferenceEngine()];
    const kb = await filled(store, from);
    await kb.copyRecords({ to });
    const other = openOver(store, to);
    await hotelsOf(other).upsert({ ...hotels[1]!, id: "too many" });
    const refused = { code: "store-failed", message: expect.stringContaining('record "too many"') as string };
    await expect(kb.copyRecords({ to })).rejects.toMatchObject(refused);
  });

  it.each<[string, string, object | undefined, (engine: Engine) => Engine]>([
    [
      "an engine that gives no vectors back",
      "gives no vectors back",
      undefined,
      (engine) => altered(engine, () => ({ readVectors: undefined }) as never),
    ],
    [
      "a kind that it lacks",
      'has no index of the kind "flat"',
      { description: { index: "flat" } },
      (engine) => ({
        ...engine,
        capabilities: { ...engine.capabilities, records: { kinds: ["hnsw"], words: false } },
      }),
    ],
    [
      "a metric that it lacks",
      'has no metric "euclidean"',
      undefined,
      (engine) => ({
        ...engine,
        capabilities: { ...engine.capabilities, metrics: ["cosine"] },
      }),
    ],
    [
      "an engine that keeps no records",
      "keeps no records",
      undefined,
      (engine) => ({
        ...engine,
        capabilities: { ...engine.capabilities, records: undefined },
      }),
    ],
  ])("are refused before a write for %s", async (_, said, vectors, engineOf) => {
    const store = createMemoryStore();
    const from = createSqliteEngine();
    const kb = await filled(store, from, vectors);
    const target = createReferenceEngine();
    const to = engineOf(target);
    await expect(kb.copyRecords({ to })).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringContaining(said) as string,
    });
    for (const index of await target.indexes("")) {
      const { entries } = (target.native as Map<string, { entries: Map<string, unknown> }>).get(index)!;
      expect(entries.size).toBe(0);
    }
  });

  it("of an earlier version name the collection, and ensure() completes its mark", async () => {
    const store = createMemoryStore();
    const [from, to] = [createSqliteEngine(), createReferenceEngine()];
    const kb = await filled(store, from);
    const older: Store = {
      ...store,
      async document(scopes, id, ...more) {
        const found = await store.document(scopes, id, ...more);
        if (found === undefined) return found;
        const { _fields: _, ...metadata } = found.document.metadata;
        return { ...found, document: { ...found.document, metadata } };
      },
    };
    await expect(openOver(older, from).copyRecords({ to })).rejects.toMatchObject({
      code: "configuration-missing",
      hint: expect.stringContaining('ensure({ scope: "deployment" })') as string,
    });
    await hotelsOf(kb).ensure();
    expect(await kb.copyRecords({ to })).toMatchObject({ records: 153 });
  });

  it("go on after a kill, in the processes of the command line", { timeout: 240_000 }, async () => {
    const [kb, file] = [join(folder, "kb"), join(folder, "from.sqlite")];
    const source = await openKnowledgeBase(kb, { engine: createSqliteEngine({ file }), models });
    await hotelsOf(source).upsert(hotels);
    await source.close();
    const target = join(folder, "to.sqlite");
    writeFileSync(join(folder, "from.json"), JSON.stringify({ name: "sqlite", file }));
    writeFileSync(join(folder, "to.json"), JSON.stringify({ name: "sqlite", file: target }));

    // Two indexes and two groups are four writes; the second and the third process continue.
    const child = join(import.meta.dirname, "copy-records-child.ts");
    for (const before of ["2", "3"])
      expect(await run([child, kb, file, target, before])).toMatchObject({ signal: "SIGKILL" });
    const command = ["--kb", kb, "migrate", "--from-engine", "from.json", "--to-engine", "to.json", "--json"];
    const ibid = join(import.meta.dirname, "..", "..", "src", "cli", "bin.ts");
    const { code, stdout, stderr } = await run([ibid, ...command]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("error") as string]);
    const { records } = JSON.parse(stdout) as { records: { unchanged: number } };
    expect(records).toMatchObject({ from: "sqlite", to: "sqlite", collections: 1, records: 150 });
    expect([records.unchanged > 0, records.unchanged < 150]).toEqual([true, true]);
    const [one, other] = await Promise.all(
      [file, target].map(async (each) => {
        const opened = await openKnowledgeBase(kb, { engine: createSqliteEngine({ file: each }), models });
        const found = await findAll(opened);
        await opened.close();
        return found;
      }),
    );
    expect(other).toEqual(one);
  });
});

function run(
  args: readonly string[],
): Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
    child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}
