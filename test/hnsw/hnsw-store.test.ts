import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";

import { systemAuthority } from "../../src/access/gate.ts";
import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { type HnswOptions, withHnsw } from "../../src/stores/candidates/usearch/hnsw-store.ts";
import {
  loadUsearch,
  type NativeIndex,
  type UsearchLibrary,
} from "../../src/stores/candidates/usearch/load-usearch.ts";
import type { KnowledgeStore } from "../../src/contracts/knowledge-store.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";
import type { VectorMatch, VectorQuery } from "../../src/contracts/vector-store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createRandom } from "../../src/testing/random.ts";
import { deployment, entryOf, from, into, north, south, versionOf } from "../../src/testing/store-fixtures.ts";
import { openLibrary } from "./plain-usearch.ts";

const root = mkdtempSync(join(tmpdir(), "ibid-hnsw-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

const dimensions = 16;
const version = versionOf(dimensions);
const library = await openLibrary();

/** What was asked of the library since the last look. */
let asked = { searches: 0, added: 0, loaded: 0 };
beforeEach(() => {
  asked = { searches: 0, added: 0, loaded: 0 };
});

/** The library, watched. */
const watched: UsearchLibrary = {
  Index: class implements NativeIndex {
    readonly #inner: NativeIndex;
    constructor(settings: ConstructorParameters<UsearchLibrary["Index"]>[0]) {
      this.#inner = new library.Index(settings);
    }
    add(keys: BigUint64Array, vectors: Int8Array, threads: number): void {
      asked.added += keys.length;
      this.#inner.add(keys, vectors, threads);
    }
    remove(key: bigint): unknown {
      return this.#inner.remove(key);
    }
    search(vector: Int8Array, k: number, threads: number): ReturnType<NativeIndex["search"]> {
      asked.searches++;
      return this.#inner.search(vector, k, threads);
    }
    size(): number {
      return this.#inner.size();
    }
    save(path: string): void {
      this.#inner.save(path);
    }
    load(path: string): void {
      asked.loaded++;
      this.#inner.load(path);
    }
  },
};

const random = createRandom(11);
const gaussian = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
const centres = Array.from({ length: 40 }, () => Float32Array.from({ length: dimensions }, gaussian));
const draw = (): Float32Array => centres[Math.floor(random.next() * 40)]!.map((value) => value + 0.5 * gaussian());

const idOf = (i: number): string => `v${String(i).padStart(5, "0")}`;

/** Vectors around forty centres; one in a thousand is rare. */
async function fill(store: KnowledgeStore, rows: number, scope: Scope = deployment): Promise<void> {
  const entries = Array.from({ length: rows }, (_, i) =>
    entryOf(idOf(i), draw(), { metadata: { half: i % 2, rare: i % 1000 === 7 } }, version),
  );
  for (let at = 0; at < rows; at += 500) await store.upsert(into(scope), entries.slice(at, at + 500));
}

const open = (store: KnowledgeStore, options: HnswOptions = {}): Promise<KnowledgeStore> =>
  withHnsw(store, { startAt: 1, usearch: watched, threads: 1, ...options });

const near = (
  store: KnowledgeStore,
  embedding: Float32Array,
  query: Partial<VectorQuery> = {},
  proof: AuthorizedScopes = from(deployment),
): Promise<readonly VectorMatch[]> => store.search(proof, { embedding, version, topK: 10, ...query });

const idsOf = (matches: readonly VectorMatch[]): string[] => matches.map(({ chunk }) => chunk.id);

/** Has the graph made and waits for it. */
async function warm(store: KnowledgeStore, scope: Scope = deployment): Promise<void> {
  await near(store, draw(), {}, from(scope));
  await store.settle();
  asked = { searches: 0, added: 0, loaded: 0 };
}

async function byGraph(store: KnowledgeStore, query = draw(), more: Partial<VectorQuery> = {}): Promise<string[]> {
  const before = asked.searches;
  const found = idsOf(await near(store, query, more));
  expect(asked.searches, "asked the graph").toBe(before + 1);
  return found;
}

describe("what a graph finds [T17 W51 L4]", () => {
  it("is what the scan finds, at the scan's scores, nineteen times in twenty and more", async () => {
    const inner = createMemoryStore();
    const store = await open(inner);
    await fill(inner, 3000);
    await warm(store);
    let common = 0;
    for (let i = 0; i < 50; i++) {
      const query = draw();
      const exact = new Map((await near(inner, query)).map(({ chunk, score }) => [chunk.id, score]));
      const found = await near(store, query);
      expect(found).toHaveLength(10);
      for (const { chunk, score } of found) {
        if (!exact.has(chunk.id)) continue;
        common++;
        expect(score).toBe(exact.get(chunk.id));
      }
    }
    expect(asked.searches).toBe(50);
    expect(common / 500).toBeGreaterThanOrEqual(0.95);
    expect(store.capabilities.exact).toBe(false);
  });

  it("looks up no more of the graph's candidates than rounding may have moved", async () => {
    const inner = createMemoryStore();
    const lookedUp: number[] = [];
    const counting: KnowledgeStore = {
      ...inner,
      search: (scopes, query) => {
        if (query.chunkIds !== undefined) lookedUp.push(query.chunkIds.length);
        return inner.search(scopes, query);
      },
    };
    const store = await open(counting);
    await fill(inner, 3000);
    await warm(store);
    for (let i = 0; i < 50; i++) await near(store, draw());
    expect(lookedUp).toHaveLength(50);
    expect(lookedUp.reduce((sum, each) => sum + each, 0) / 50).toBeLessThan(24);
    expect(Math.min(...lookedUp)).toBeGreaterThanOrEqual(10);
  });

  it("finds vectors with larger coordinates than any before them, which their codes cut", async () => {
    const wide = versionOf(64);
    const inner = createMemoryStore();
    const store = await open(inner);
    const spread = Array.from({ length: 300 }, (_, i) =>
      entryOf(idOf(i), Float32Array.from({ length: 64 }, gaussian), {}, wide),
    );
    const peak = (at: number): Float32Array => new Float32Array(64).fill(1, at, at + 1);
    const search = (from_: KnowledgeStore, embedding: Float32Array, more: Partial<VectorQuery> = {}) =>
      from_.search(from(deployment), { embedding, version: wide, topK: 3, ...more });
    await store.upsert(into(deployment), spread);
    await search(store, peak(0));
    await store.settle();
    await store.upsert(into(deployment), [entryOf("peak-0", peak(0), {}, wide), entryOf("peak-1", peak(1), {}, wide)]);
    const before = asked.searches;
    for (const at of [0, 1]) {
      expect(await search(store, peak(at))).toEqual(await search(inner, peak(at)));
      // Nothing else is so near, and the graph, which cannot know better than its codes, does not say so too early.
      expect(await search(store, peak(at), { minScore: 0.9 })).toMatchObject([
        { chunk: { id: `peak-${at}` }, score: 1 },
      ]);
    }
    expect(asked.searches).toBe(before + 4);
  });

  it("does not rely on where the graph says that a vector is", async () => {
    /** The vector that came last answers as the one whose place it took: nearest to everything. */
    class Stale extends watched.Index {
      #last = 0n;
      override add(keys: BigUint64Array, vectors: Int8Array, threads: number): void {
        this.#last = keys.at(-1)!;
        super.add(keys, vectors, threads);
      }
      override search(vector: Int8Array, k: number, threads: number): ReturnType<NativeIndex["search"]> {
        const { keys, distances } = super.search(vector, k - 1, threads);
        if (keys.includes(this.#last)) return { keys, distances };
        return { keys: BigUint64Array.from([this.#last, ...keys]), distances: Float32Array.from([0, ...distances]) };
      }
    }
    const inner = createMemoryStore();
    const store = await open(inner, { usearch: { Index: Stale } });
    await fill(inner, 300);
    await warm(store);
    const query = draw();
    const away = query.map((value) => -value);
    await store.upsert(into(deployment), [entryOf("away", away, {}, version)]);
    expect(await byGraph(store, query)).toEqual(idsOf(await near(inner, query)));
  });

  it("a filter that one in a thousand passes starves nothing, and the graph is not asked for it twice", async () => {
    const inner = createMemoryStore();
    const store = await open(inner);
    await fill(inner, 3000);
    await warm(store);
    const filter = { op: "eq", key: "rare", value: true } as const;
    const query = draw();
    const wanted = idsOf(await near(inner, query, { filter }));
    expect(wanted).toHaveLength(3);
    expect(await byGraph(store, query, { filter })).toEqual(wanted);
    expect(idsOf(await near(store, query, { filter }))).toEqual(wanted);
    expect(asked.searches).toBe(1);
    // One that half of them pass is the graph's.
    const half = { op: "eq", key: "half", value: 1 } as const;
    expect((await near(store, query, { filter: half })).map(({ chunk }) => chunk.metadata["half"])).toEqual(
      Array.from({ length: 10 }, () => 1),
    );
    expect(asked.searches).toBe(2);
  });

  it("a floor on the score is no starving, but the floor holds", async () => {
    const inner = createMemoryStore();
    const store = await open(inner);
    await fill(inner, 2000);
    await warm(store);
    const query = draw();
    const all = await near(inner, query, { topK: 10 });
    const minScore = all[3]!.score;
    expect(await byGraph(store, query, { minScore })).toEqual(idsOf(all.slice(0, 4)));
    expect(await byGraph(store, query, { minScore: 1.5 })).toEqual([]);
  });

  it("is asked by dot product only when all vectors are of one length", async () => {
    const inner = createMemoryStore();
    const store = await open(inner);
    await inner.upsert(
      into(deployment),
      Array.from({ length: 20 }, (_, i) => entryOf(idOf(i), [Math.cos(i / 9), Math.sin(i / 9)], {}, versionOf(2))),
    );
    const dot = (topK: number): Promise<readonly VectorMatch[]> =>
      store.search(from(deployment), { embedding: [2, 0], version: versionOf(2), metric: "dot", topK });
    await dot(1);
    await store.settle();
    expect(idsOf(await dot(2))).toEqual([idOf(0), idOf(1)]);
    expect(asked.searches).toBe(1);
    await store.upsert(into(deployment), [entryOf("long", [3, 3], {}, versionOf(2))]);
    expect(idsOf(await dot(2))).toEqual(["long", idOf(0)]);
    expect(asked.searches).toBe(1);
  });

  it("small scopes are scanned, large ones asked, and what both find comes in one order", async () => {
    const inner = createMemoryStore();
    const store = await open(inner, { startAt: 100 });
    await fill(inner, 600, north);
    await fill(inner, 60, south);
    const query = draw();
    const proof = from(north, south);
    const wanted = await near(inner, query, { topK: 40 }, proof);
    await near(store, query, {}, proof);
    await store.settle();
    expect(asked.added).toBe(600);
    const found = await near(store, query, { topK: 40 }, proof);
    expect(asked.searches).toBe(1);
    expect(new Set(wanted.map(({ scope }) => scope)).size).toBe(2);
    const common = found.filter((match) =>
      wanted.some((w) => w.chunk.id === match.chunk.id && w.scope === match.scope),
    );
    expect(common.length).toBeGreaterThanOrEqual(38);
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a));
  });
});

describe("writes [T17 L6 L7 L8]", () => {
  it("are in the graph when they are acknowledged, and deletes out of sight", async () => {
    const store = await open(createMemoryStore());
    await fill(store, 300);
    await warm(store);
    const query = draw();
    await store.upsert(into(deployment), [entryOf("fresh", query, {}, version)]);
    expect(asked.added).toBe(1);
    expect((await byGraph(store, query))[0]).toBe("fresh");
    await store.delete(into(deployment), { ids: ["fresh"] });
    expect(await byGraph(store, query)).not.toContain("fresh");
    await store.restore(into(deployment), { ids: ["fresh"] });
    expect((await byGraph(store, query))[0]).toBe("fresh");
    await store.upsert(into(deployment), [
      entryOf(
        "fresh",
        query.map((value) => -value),
        {},
        version,
      ),
    ]);
    expect(await byGraph(store, query)).not.toContain("fresh");
  });

  it("that come while the graph is being made are not lost", async () => {
    const inner = createMemoryStore();
    const store = await open(inner);
    await fill(inner, 1500);
    const [query, other] = [draw(), draw()];
    await near(store, query);
    await store.upsert(into(deployment), [
      entryOf("fresh", query, {}, version),
      entryOf(idOf(1400), other, {}, version),
    ]);
    await store.settle();
    await near(store, query);
    await store.settle();
    asked.searches = 0;
    expect((await byGraph(store, query))[0]).toBe("fresh");
    expect((await byGraph(store, other))[0]).toBe(idOf(1400));
  });

  it("when a quarter of it has gone, the graph is made anew", async () => {
    const inner = createMemoryStore();
    const store = await open(inner);
    await fill(inner, 400);
    await warm(store);
    await store.delete(into(deployment), { ids: Array.from({ length: 120 }, (_, i) => idOf(i)) });
    const query = draw();
    expect(idsOf(await near(store, query))).toEqual(idsOf(await near(inner, query)));
    expect(asked.searches).toBe(0);
    await store.settle();
    expect(asked.added).toBe(280);
    await byGraph(store, query);
  });

  it("by others are noticed before the graph is asked again", async () => {
    const inner = createMemoryStore();
    const store = await open(inner);
    await fill(inner, 300);
    await warm(store);
    const query = draw();
    await inner.upsert(into(deployment), [entryOf("foreign", query, {}, version)]);
    expect(idsOf(await near(store, query))[0]).toBe("foreign");
    expect(asked.searches).toBe(0);
    await store.settle();
    // Brought up to date, not made anew.
    expect(asked.added).toBe(1);
    expect((await byGraph(store, query))[0]).toBe("foreign");
  });
});

describe("files [T17 L8]", () => {
  async function prepare(): Promise<{ readonly file: string; readonly folder: string }> {
    const file = join(root, `store-${count++}.sqlite`);
    const folder = `${file}.hnsw`;
    const store = await open(await openSqliteStore(file), { folder });
    await fill(store, 600);
    await warm(store);
    await store.close();
    asked = { searches: 0, added: 0, loaded: 0 };
    return { file, folder };
  }
  const graphIn = (folder: string, ending: string): string =>
    join(folder, readdirSync(folder).find((name) => name.endsWith(ending)) ?? "none");

  it("a warm restart reads the graph and asks it at once", async () => {
    const { file, folder } = await prepare();
    expect(readdirSync(folder)).toHaveLength(2);
    const store = await open(await openSqliteStore(file), { folder });
    await byGraph(store);
    expect(asked).toMatchObject({ added: 0, loaded: 1 });
    await store.close();
  });

  it.each([
    ["the graph is torn", ".usearch", (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ["a byte of the graph is another", ".usearch", (bytes: Buffer) => bytes.fill(bytes[99]! ^ 1, 99, 100)],
    ["the manifest is torn", ".json", (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
  ])("when %s, it is made again", async (_, ending, damage) => {
    const { file, folder } = await prepare();
    const path = graphIn(folder, ending);
    writeFileSync(path, damage(readFileSync(path)));
    const inner = await openSqliteStore(file);
    const store = await open(inner, { folder });
    const query = draw();
    expect(idsOf(await near(store, query))).toEqual(idsOf(await near(inner, query)));
    await store.settle();
    expect(asked).toMatchObject({ searches: 0, added: 600, loaded: 0 });
    await byGraph(store, query);
    expect(readdirSync(folder)).toHaveLength(2);
    await store.close();
  });

  it("a graph that fell behind is brought up to date first", async () => {
    const { file, folder } = await prepare();
    const query = draw();
    const other = await openSqliteStore(file);
    await other.upsert(into(deployment), [entryOf("later", query, {}, version)]);
    await other.delete(into(deployment), { ids: [idOf(3)] });
    await other.close();
    const store = await open(await openSqliteStore(file), { folder });
    expect(idsOf(await near(store, query))[0]).toBe("later");
    expect(asked).toMatchObject({ searches: 0, loaded: 1 });
    await store.settle();
    expect(asked.added).toBe(1);
    expect((await byGraph(store, query))[0]).toBe("later");
    await store.close();
  });

  it("one that was built in another way, or for another knowledge base, is not read", async () => {
    const { file, folder } = await prepare();
    const store = await open(await openSqliteStore(file), { folder, connectivity: 8 });
    await near(store, draw());
    await store.close();
    const stranger = await open(createMemoryStore(), { folder });
    await fill(stranger, 600);
    await near(stranger, draw());
    await stranger.close();
    expect(asked.loaded).toBe(0);
  });

  it("are gone when a purge, a vacuum or the deletion of a scope returns", async () => {
    for (const remove of [
      (store: KnowledgeStore) => store.delete(into(deployment), { ids: [idOf(5)] }, { purge: true }),
      (store: KnowledgeStore) => store.delete(into(deployment), { scope: true }),
      async (store: KnowledgeStore) => {
        await store.delete(into(deployment), { ids: [idOf(5)] });
        return store.vacuum(systemAuthority(), { olderThanMs: 0 });
      },
    ]) {
      const { file, folder } = await prepare();
      const store = await open(await openSqliteStore(file), { folder });
      await byGraph(store);
      expect(await remove(store)).toBeGreaterThan(0);
      expect(readdirSync(folder)).toEqual([]);
      await store.close();
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it("what another process purged does not come back with a save", async () => {
    const { file, folder } = await prepare();
    const store = await open(await openSqliteStore(file), { folder });
    await store.upsert(into(deployment), [entryOf("mine", draw(), {}, version)]);
    await byGraph(store).catch(() => {});
    await store.upsert(into(deployment), [entryOf("mine too", draw(), {}, version)]);
    const other = await open(await openSqliteStore(file), { folder });
    await near(other, draw());
    await other.delete(into(deployment), { ids: [idOf(5)] }, { purge: true });
    await other.close();
    expect(readdirSync(folder)).toEqual([]);
    await store.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("what is wrong is said [W30]", () => {
  it("a missing package, with the command that installs it", async () => {
    const empty = mkdtempSync(join(root, "empty-"));
    await expect(loadUsearch(empty)).rejects.toMatchObject({
      code: "dependency-missing",
      hint: expect.stringContaining("npm install usearch") as unknown,
    });
  });

  it("a package that does not take bytes as they are", async () => {
    const folder = mkdtempSync(join(root, "other-"));
    const home = join(folder, "node_modules", "usearch");
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "package.json"), JSON.stringify({ name: "usearch", main: "index.cjs" }));
    writeFileSync(
      join(home, "index.cjs"),
      "exports.Index = class { add() {} search() { return { keys: [0n], distances: [0.5] }; } };",
    );
    await expect(loadUsearch(folder)).rejects.toMatchObject({ code: "dependency-missing" });
  });

  it("options that cannot be, and stores that do not say when they change", async () => {
    await expect(open(createMemoryStore(), { startAt: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(open(createMemoryStore(), { threads: -1 })).rejects.toMatchObject({ code: "invalid-argument" });
    const unknown = { ef: 3 } as HnswOptions;
    await expect(open(createMemoryStore(), unknown)).rejects.toMatchObject({ code: "invalid-argument" });
    const mute = Object.fromEntries(Object.entries(createMemoryStore()).filter(([name]) => name !== "revisions"));
    await expect(open(mute as unknown as KnowledgeStore)).rejects.toMatchObject({ code: "unsupported" });
  });
});
