import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { IbidError } from "../../contracts/errors.ts";

/** A graph in native memory, as far as we use one. Keys are unsigned; distances ascend, and by the inner product are one less it. */
export interface NativeIndex {
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
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

/** How a graph is built. **Source** the names are those of the package. */
export interface NativeSettings {
  readonly dimensions: number;
  readonly metric: "ip";
  readonly quantization: "bf16" | "f32";
  readonly connectivity: number;
  readonly expansion_add: number;
  readonly expansion_search: number;
}

/** What we use of the package `usearch`. */
export interface UsearchLibrary {
  readonly Index: new (settings: NativeSettings) => NativeIndex;
}

/**
 * Loads the optional package `usearch`: as Node finds it from where ibid is installed, else from the project in `folder`.
 *
 * **Errors** `dependency-missing` when it is nowhere, or there and cannot be loaded on this machine.
 */
export async function loadUsearch(folder: string = process.cwd()): Promise<UsearchLibrary> {
  const path = [import.meta.url, join(folder, "package.json")].map(resolveFrom).find((found) => found !== undefined);
  if (path === undefined) throw missing("is not installed");
  try {
    return libraryOf(await import(/* @vite-ignore */ pathToFileURL(path).href));
  } catch (error) {
    throw missing("is installed but cannot be loaded", error);
  }
}

function resolveFrom(place: string): string | undefined {
  try {
    return createRequire(place).resolve("usearch");
  } catch {
    return undefined;
  }
}

function libraryOf(loaded: unknown): UsearchLibrary {
  const { Index, default: standard } = loaded as Partial<UsearchLibrary> & { readonly default?: UsearchLibrary };
  const found = Index ?? standard?.Index;
  if (typeof found !== "function") throw new TypeError("It exports no Index.");
  return { Index: found };
}

function missing(what: string, cause?: unknown): IbidError {
  return new IbidError("dependency-missing", `The package usearch, which the HNSW index needs, ${what}.`, {
    mend: "npm install usearch@2.26.2",
    details: { package: "usearch" },
    cause,
  });
}
