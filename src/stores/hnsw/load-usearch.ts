import { join } from "node:path";
import { IbidError } from "../../contracts/errors.ts";
import { findPackage, loadModule } from "../../runtime/packages.ts";

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
export function loadUsearch(): UsearchLibrary {
  const path = findPackage("usearch", [import.meta.url, join(process.cwd(), "package.json")]);
  if (path !== undefined) {
    const loaded = loadModule(path) as Partial<UsearchLibrary> & { readonly default?: UsearchLibrary };
    const library = loaded.default ?? (loaded as UsearchLibrary);
    if (typeof library.Index === "function") return library;
  }
  throw new IbidError("dependency-missing", "The package usearch, which makes HNSW graphs, is not installed.", {
    hint: "npm install usearch",
    details: { package: "usearch" },
  });
}
