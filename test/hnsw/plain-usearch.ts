import { readFileSync, writeFileSync } from "node:fs";
import {
  loadUsearch,
  type NativeIndex,
  type UsearchLibrary,
} from "../../src/stores/candidates/usearch/load-usearch.ts";

/** As much of the package as we use, in the plainest way: a list that is looked through. What it finds is exact. */
class PlainIndex implements NativeIndex {
  #rows = new Map<bigint, number[]>();

  add(keys: BigUint64Array, vectors: Int8Array): void {
    const dimensions = vectors.length / keys.length;
    const codes = [...vectors];
    keys.forEach((key, i) => {
      if (this.#rows.has(key)) throw new Error("Duplicate keys not allowed");
      this.#rows.set(key, codes.slice(i * dimensions, (i + 1) * dimensions));
    });
  }
  remove(key: bigint): boolean {
    return this.#rows.delete(key);
  }
  search(vector: Int8Array, k: number): { keys: BigUint64Array; distances: Float32Array } {
    const best = [...this.#rows]
      .map(([key, row]) => ({ key, distance: 1 - row.reduce((sum, value, i) => sum + value * vector[i]!, 0) }))
      .toSorted((a, b) => a.distance - b.distance)
      .slice(0, k);
    return {
      keys: BigUint64Array.from(best, ({ key }) => key),
      distances: Float32Array.from(best, ({ distance }) => distance),
    };
  }
  size(): number {
    return this.#rows.size;
  }
  save(path: string): void {
    writeFileSync(path, JSON.stringify([...this.#rows].map(([key, row]) => [String(key), row])));
  }
  load(path: string): void {
    const rows = JSON.parse(readFileSync(path, "utf8")) as [string, number[]][];
    this.#rows = new Map(rows.map(([key, row]) => [BigInt(key), row]));
  }
}

/** The native package from the folder that `IBID_USEARCH` names (`npm run test:hnsw`), else the plain one. */
export async function openLibrary(): Promise<UsearchLibrary> {
  const folder = process.env["IBID_USEARCH"];
  return folder === undefined ? { Index: PlainIndex } : loadUsearch(folder);
}
