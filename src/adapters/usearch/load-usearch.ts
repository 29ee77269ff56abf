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
  // Not a literal, so that no bundler and no compiler insists on a package that few installations have.
  const name = "usearch";
  try {
    return libraryOf(await import(/* @vite-ignore */ name));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "ERR_MODULE_NOT_FOUND")
      throw missing("cannot be loaded", error);
  }
  let path: string;
  try {
    path = createRequire(join(folder, "package.json")).resolve(name);
  } catch (error) {
    throw missing("is not installed", error);
  }
  try {
    return libraryOf(await import(/* @vite-ignore */ pathToFileURL(path).href));
  } catch (error) {
    throw missing("is installed but cannot be loaded", error);
  }
}

function libraryOf(loaded: unknown): UsearchLibrary {
  const { Index, default: standard } = loaded as Partial<UsearchLibrary> & { readonly default?: UsearchLibrary };
  const found = Index ?? standard?.Index;
  if (typeof found !== "function") throw new TypeError("It exports no Index.");
  return { Index: found };
}

function missing(what: string, cause: unknown): IbidError {
  return new IbidError("dependency-missing", `The package usearch, which the HNSW index needs, ${what}.`, {
    mend: "npm install usearch@2.26.2",
    details: { package: "usearch" },
    cause,
  });
}
