import type { EmbeddingVersion, ScoringMetric } from "./embedding.ts";
import type { JsonValue } from "./metadata.ts";

/**
 * Kinds of an index of vectors.
 *
 * **Source** Semantic Kernel's `IndexKind`.
 *
 * @experimental
 */
export type VectorIndex = "flat" | "dynamic" | "hnsw" | "ivf-flat" | "quantized-flat" | "disk-ann";

/**
 * Metrics that an index of an engine is made for. `capabilities.metrics` lists those that the engine has.
 *
 * @experimental
 */
export type EngineMetric = ScoringMetric;

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
  /** Kind of the index, one of `capabilities.records.kinds`. Default: the engine's usual one. */
  readonly kind?: VectorIndex | undefined;
  /** Whether entries carry records, so that columns and an index of words for them are needed. Default false. */
  readonly records?: boolean | undefined;
}

/**
 * The record of an entry, for an engine that keeps a collection itself.
 *
 * @experimental
 */
export interface EngineRecord {
  /** The record as JSON, kept and given back to the character. Absent on the entries of a record's further vectors. */
  readonly json?: string | undefined;
  /** The text that the vector was made of, for an engine that searches words. */
  readonly text: string;
  /** Fields that filters can name, for an engine that keeps any JSON: other programs read them there. ibid asks for tags and numbers alone. */
  readonly fields: Readonly<Record<string, JsonValue>>;
}

/**
 * One vector on its way into an engine. An entry without a record never changes: other contents have another key.
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
  /** In indexes that were opened with `records`. */
  readonly record?: EngineRecord | undefined;
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
  /** Words of a hybrid search, for an engine whose `capabilities.records.words` is true. Its own fusion makes the score. */
  readonly words?: string | undefined;
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
  /** Writes entries, in place of those with the same keys. At most `capabilities.batch` at a time. */
  put(entries: readonly EngineEntry[], signal?: AbortSignal): Promise<void>;
  /** Removes entries for good. Unknown keys are passed over. At most `capabilities.batch` at a time. */
  delete(keys: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Entries with the tag. */
  count(tag: string, signal?: AbortSignal): Promise<number>;
  /** Keys of entries with the tag, each once as long as nothing is written. */
  list(tag: string, from: string | undefined, signal?: AbortSignal): Promise<EnginePage>;
  /** The nearest entries that meet the condition, nearest first. */
  nearest(request: EngineRequest): Promise<readonly EngineCandidate[]>;
  /** Entries by their keys, in any order, unknown ones left out. At most `capabilities.batch` at a time. Needed where records are kept. */
  read?(keys: readonly string[], signal?: AbortSignal): Promise<readonly EngineRow[]>;
  /**
   * Vectors of entries by their keys, in any order, unknown ones left out. At most `capabilities.batch` at a time. Needed where records are copied to another
   * engine, or from one.
   */
  readVectors?(keys: readonly string[], signal?: AbortSignal): Promise<readonly EngineVector[]>;
}

/**
 * An entry with a record, as an engine gives it back.
 *
 * @experimental
 */
export interface EngineRow {
  readonly key: string;
  readonly ref: string;
  readonly json: string;
}

/**
 * The vector of an entry, as an engine gives it back. An index of the cosine may have changed its length.
 *
 * @experimental
 */
export interface EngineVector {
  readonly key: string;
  readonly vector: Float32Array;
}

/**
 * Abilities of an engine that keeps records itself.
 *
 * @experimental
 */
export interface EngineRecordCapabilities {
  /** Kinds of indexes that {@link EngineIndexSpec.kind} may name. `"dynamic"` is always there. */
  readonly kinds: readonly VectorIndex[];
  /** `nearest` takes words beside the vector. */
  readonly words: boolean;
  /** Records that an earlier version wrote may stand there without their words: each scope is looked through before its first search with words. Default false. */
  readonly mayLackWords?: boolean | undefined;
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
  /** Most entries of one write, and keys of one delete or read. */
  readonly batch: number;
  /** Default: the engine keeps no records. */
  readonly records?: EngineRecordCapabilities | undefined;
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
  /** Whether it can be written; asked again until it is. `onFailure` receives the reason why not, where there is one. Default: at once. */
  ready?(signal?: AbortSignal, onFailure?: (reason: unknown) => void): Promise<boolean>;
  /** The engine's own client. Nothing that is done with it is checked. */
  readonly native: unknown;
  close?(): Promise<void>;
}
