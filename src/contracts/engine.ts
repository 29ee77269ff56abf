import type { EmbeddingVersion } from "./embedding.ts";
import type { JsonValue } from "./metadata.ts";

/**
 * Metrics that an index of an engine is made for.
 *
 * @experimental
 */
export type EngineMetric = "cosine" | "dot" | "euclidean";

/**
 * The index to open: one for each knowledge base and embedding version, so that vectors of two models never meet.
 *
 * @experimental
 */
export interface EngineIndexSpec {
  /** Lower-case letters, digits and `_`, at most 40 characters. An engine may put a prefix before it. */
  readonly name: string;
  readonly version: EmbeddingVersion;
  readonly dimensions: number;
  readonly metric: EngineMetric;
}

/**
 * One vector on its way into an engine. An entry never changes: other contents have another key.
 *
 * @experimental
 */
export interface EngineEntry {
  /** 128 bits as a UUID. */
  readonly key: string;
  /** Names the chunk. An engine keeps it as it is and gives it back. ASCII without blanks. */
  readonly ref: string;
  readonly vector: Float32Array;
  /** Hashes of 16 hexadecimal digits: scope, document, and everything that filters ask for. */
  readonly tags: readonly string[];
  /** Numbers of the metadata, by `n` and a hash of the key. */
  readonly numbers: Readonly<Record<string, number>>;
}

/**
 * A filter as an engine gets it. Negations were resolved before, so five forms are all.
 *
 * **Shape** `has` and `lacks`: a tag of the entry. `number`: the entry has the number, and it compares so. `and` of nothing is true, `or` of nothing false.
 *
 * @experimental
 */
export type EngineCondition =
  | { readonly op: "has" | "lacks"; readonly tag: string }
  | { readonly op: "number"; readonly key: string; readonly is: "gt" | "gte" | "lt" | "lte"; readonly value: number }
  | { readonly op: "and" | "or"; readonly of: readonly EngineCondition[] };

/**
 * Entries to propose.
 *
 * @experimental
 */
export interface EngineRequest {
  readonly vector: Float32Array;
  /** The entries that may be proposed. An engine that cannot evaluate it proposes more, never fewer. */
  readonly condition?: EngineCondition | undefined;
  readonly limit: number;
  /** `storeOptions` of the search, as the caller gave them. */
  readonly options?: JsonValue | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * An entry that an engine proposes. Its score orders candidates and is never shown.
 *
 * @experimental
 */
export interface EngineCandidate {
  readonly ref: string;
  /** Cosine or product, or `1 / (1 + distance)`. Higher is better. */
  readonly score: number;
}

/**
 * A page of keys.
 *
 * @experimental
 */
export interface EnginePage {
  readonly keys: readonly string[];
  /** Where the next page begins; `undefined` after the last. */
  readonly next?: string | undefined;
}

/**
 * One index of an engine.
 *
 * **Errors** `store-failed`, `store-busy`, `timeout`, each with the engine's name and the operation.
 * @experimental
 */
export interface EngineIndex {
  /** Writes entries. An entry that is there stays as it is. At most `capabilities.batch` at a time. */
  put(entries: readonly EngineEntry[], signal?: AbortSignal): Promise<void>;
  /** Removes entries for good. Unknown keys are passed over. At most `capabilities.batch` at a time. */
  delete(keys: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Entries with the tag. */
  count(tag: string, signal?: AbortSignal): Promise<number>;
  /** Keys of entries with the tag, each once as long as nothing is written. */
  list(tag: string, from: string | undefined, signal?: AbortSignal): Promise<EnginePage>;
  /** The nearest entries that meet the condition, nearest first. */
  nearest(request: EngineRequest): Promise<readonly EngineCandidate[]>;
}

/**
 * Promises of an engine. `createEnginePack` of `ibid/testing` tries each.
 *
 * @experimental
 */
export interface EngineCapabilities {
  /** `nearest` misses no entry: a scan, and no graph. */
  readonly exhaustive: boolean;
  /** Forms of {@link EngineCondition} that `nearest` evaluates. Others are checked on candidates. */
  readonly conditions: readonly EngineCondition["op"][];
  readonly metrics: readonly EngineMetric[];
  /** Longest usual wait until a write is listed and proposed. 0: with the write. */
  readonly visibleAfterMs: number;
  /** Most candidates of one request. */
  readonly candidates: number;
  /** Most entries of one write, and keys of one delete. */
  readonly batch: number;
}

/**
 * A vector engine that proposes chunks. ibid checks each proposal against its own store and scores it itself.
 *
 * **Shape** an engine that lags, loses, repeats, leaks or ignores a condition lowers recall. Nothing is seen that may not be.
 *
 * @experimental
 */
export interface Engine {
  /** Names the engine in messages and for `store.native`. */
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  /** Opens an index, and makes it where it is not there. **Errors** `dimension-mismatch`, `store-failed`, `dependency-missing`. */
  open(spec: EngineIndexSpec, signal?: AbortSignal): Promise<EngineIndex>;
  /** Names of the indexes, as in {@link EngineIndexSpec.name}, that begin with a text. */
  indexes(beginning: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Removes an index with everything in it. An unknown name is passed over. */
  drop(name: string, signal?: AbortSignal): Promise<void>;
  /** The engine's own client. Nothing that is done with it is checked. */
  readonly native: unknown;
  close?(): Promise<void>;
}
