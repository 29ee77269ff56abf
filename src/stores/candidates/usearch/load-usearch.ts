import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { IbidError } from "../../../contracts/errors.ts";

/** A graph in native memory, as far as we use one. Keys are unsigned; distances ascend, and by the inner product are one less it. */
export interface NativeIndex {
  add(keys: BigUint64Array, vectors: Int8Array, threads: number): void;
  remove(key: bigint): unknown;
  search(
    vector: Int8Array,
    k: number,
    threads: number,
  ): { readonly keys: BigUint64Array; readonly distances: Float32Array };
  size(): number;
  save(path: string): void;
  load(path: string): void;
}

/**
 * Bytes for the library. Its JavaScript makes 32-bit numbers of every array whose `constructor` is not `Float32Array`, and its native code then
 * rounds those in a way of its own; so these say that they are such an array, and the native code, which looks at what they are, takes them as bytes.
 *
 * **Shape** not to be sliced: that would make an array of what they say they are.
 */
export function createCodes(length: number): Int8Array {
  return Object.defineProperty(new Int8Array(length), "constructor", { value: Float32Array });
}

/** How a graph is built. **Source** the names are those of the package. */
export interface NativeSettings {
  readonly dimensions: number;
  readonly metric: "ip";
  readonly quantization: "i8";
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
  if (!takesBytes(found)) throw new TypeError("It does not take bytes as they are.");
  return { Index: found };
}

/** Whether a product of bytes comes back as what it is, also by another version than the one that was tried. */
function takesBytes(Index: UsearchLibrary["Index"]): boolean {
  const index = new Index({
    dimensions: 2,
    metric: "ip",
    quantization: "i8",
    connectivity: 16,
    expansion_add: 128,
    expansion_search: 64,
  });
  const codes = createCodes(2);
  codes.set([100, -50]);
  index.add(BigUint64Array.of(0n), codes, 1);
  return index.search(codes, 1, 1).distances[0] === 1 - 12_500;
}

function missing(what: string, cause?: unknown): IbidError {
  return new IbidError("dependency-missing", `The package usearch, which the HNSW index needs, ${what}.`, {
    hint: "npm install usearch@2.26.2",
    details: { package: "usearch" },
    cause,
  });
}
