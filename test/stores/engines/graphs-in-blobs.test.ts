import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";
import { createMemoryBlobStore, type Engine, type EngineIndexSpec } from "ibid/stores";
import { createHnswEngine, type HnswOptions } from "ibid/stores/hnsw";
import { afterEach, describe, expect, it } from "vitest";
import { collect } from "../../../src/testing/assert.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Stands for the package: every vector is compared, by the product, and a file holds them as JSON. */
class Index {
  readonly rows = new Map<string, readonly number[]>();
  add(key: bigint, vector: Float32Array): void {
    this.rows.set(String(key), [...vector]);
  }
  remove(key: bigint): void {
    this.rows.delete(String(key));
  }
  search(vector: Float32Array, k: number): { keys: BigUint64Array; distances: Float32Array } {
    const best = Array.from(
      this.rows,
      ([key, row]) => [BigInt(key), 1 - row.reduce((sum, x, i) => sum + x * vector[i]!, 0)] as const,
    )
      .toSorted(([, a], [, b]) => a - b)
      .slice(0, k);
    return {
      keys: BigUint64Array.from(best, ([key]) => key),
      distances: Float32Array.from(best, ([, distance]) => distance),
    };
  }
  size(): number {
    return this.rows.size;
  }
  save(path: string): void {
    writeFileSync(path, JSON.stringify([...this.rows]));
  }
  load(path: string): void {
    for (const [key, row] of JSON.parse(readFileSync(path, "utf8")) as [string, number[]][]) this.rows.set(key, row);
  }
}
const library: NonNullable<HnswOptions["library"]> = { Index };

const spec: EngineIndexSpec = {
  name: "a",
  version: { provider: "own", model: "given", dimensions: 2, fingerprint: "" },
  dimensions: 2,
  metric: "cosine",
};
const entry = (key: string, vector: readonly number[]) => ({
  key,
  ref: key,
  tags: ["t"],
  numbers: {},
  vector: Float32Array.from(vector),
});
const nearest = async (engine: Engine): Promise<readonly string[]> =>
  (await (await engine.open(spec)).nearest({ vector: Float32Array.of(1, 0), limit: 5 })).map(({ ref }) => ref);

describe("graphs in a blob store", () => {
  it("are opened as they were when the engine was closed, and dropped [T17]", async () => {
    const blobs = createMemoryBlobStore();
    const create = (): Engine => createHnswEngine({ library, blobs, prefix: "g/" });
    const first = create();
    await (await first.open(spec)).put([entry("east", [1, 0]), entry("north", [0, 1])]);
    await first.close?.();
    expect((await collect(blobs.list())).map(({ key }) => key)).toEqual(["g/a.json", "g/a.usearch"]);
    const second = create();
    expect([await second.indexes(""), await nearest(second)]).toEqual([["a"], ["east", "north"]]);
    await (await second.open(spec)).delete(["east"]);
    await second.close?.();
    const third = create();
    expect(await nearest(third)).toEqual(["north"]);
    await third.drop("a");
    expect(await collect(blobs.list())).toEqual([]);
    expect(await nearest(third)).toEqual([]);
  });

  it("are made again where nodes and entries are of different times, though of one size [T17]", async () => {
    const blobs = createMemoryBlobStore();
    const save = async (...vector: readonly number[]): Promise<void> => {
      const engine = createHnswEngine({ library, blobs });
      const index = await engine.open(spec);
      await index.delete(["east"]);
      await index.put([entry("east", vector)]);
      await engine.close?.();
    };
    await save(1, 0);
    const old = (await blobs.get("graphs/a.usearch"))!.bytes;
    await save(0, 1);
    await blobs.put("graphs/a.usearch", old);
    expect(await nearest(createHnswEngine({ library, blobs }))).toEqual([]);
  });

  it("have one place [T17]", () => {
    const blobs = createMemoryBlobStore();
    for (const options of [{ path: "x", blobs }, { prefix: "x/" }])
      expect(() => createHnswEngine({ library, ...options })).toThrow(
        expect.objectContaining({ code: "invalid-argument" }),
      );
  });

  it("lie in a folder as before [T17]", async () => {
    const path = mkdtempSync(join(tmpdir(), "ibid-graphs-"));
    folders.push(path);
    const first = createHnswEngine({ library, path });
    await (await first.open(spec)).put([entry("east", [1, 0])]);
    await first.close?.();
    expect(readdirSync(path)).toEqual(["a.json", "a.usearch"]);
    const second = createHnswEngine({ library, path });
    expect([await second.indexes(""), await nearest(second)]).toEqual([["a"], ["east"]]);
    await second.drop("a");
    expect(readdirSync(path)).toEqual([]);
  });

  it("lie beside the snapshots of a knowledge base that names the engine [T17]", async () => {
    const blobs = createMemoryBlobStore();
    const open = (prefix?: string) =>
      openKnowledgeBase({
        snapshots: { blobs, ...(prefix !== undefined && { prefix }) },
        models: { embedding: createHashingModel({ dimensions: 16 }) },
        engine: { name: "hnsw", library },
      });
    for (const prefix of [undefined, "birds/"]) {
      const kb = await open(prefix);
      await kb.ingest({ uri: "a", text: "The heron waits." }, { settle: true });
      await kb.close();
      const kept = () => collect(blobs.list({ prefix: `${prefix ?? "ibid/"}graphs/` }));
      expect(await kept()).toHaveLength(2);
      const again = await open(prefix);
      expect((await again.search("heron", { mode: "dense" })).map(({ source: { uri } }) => uri)).toEqual(["a"]);
      await again.delete("a", { purge: true });
      await again.close();
      expect(await kept()).toEqual([]);
    }
  });
});
