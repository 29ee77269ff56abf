import { loadPackage } from "../../runtime/packages.ts";

/** An index of the package `usearch`. */
export interface UsearchIndex {
  add(key: bigint, vector: Float32Array): void;
  remove(key: bigint): unknown;
  search(
    vector: Float32Array,
    k: number,
    threads: number,
  ): { readonly keys: BigUint64Array; readonly distances: Float32Array };
  size(): number;
  save(path: string): void;
  load(path: string): void;
}

/**
 * The part of the package `usearch` that is used here.
 *
 * @experimental
 */
export interface UsearchLibrary {
  readonly Index: new (config: Readonly<Record<string, unknown>>) => UsearchIndex;
}

/** **Errors** `dependency-missing`. */
export const loadUsearch = (): UsearchLibrary =>
  loadPackage<UsearchLibrary>("usearch", "makes HNSW graphs", ({ Index }) => typeof Index === "function");
