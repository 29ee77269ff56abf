import type { Embedding, Metric } from "./embedding.ts";
import type { Engine, VectorIndex } from "./engine.ts";
import type { EmbeddingModel } from "./embedding-model.ts";
import type { SchemaInput, SchemaOutput, StandardSchema } from "./schema.ts";
import type { JsonValue } from "./metadata.ts";
import type { Hit } from "./retriever.ts";
import type { Scope } from "./scope.ts";

/** Names that a type says outright, not as one of any. */
type NamesOf<Output> = keyof {
  [Name in keyof Output as string extends Name ? never : Name extends string ? Name : never]: 1;
};

/** Names of the fields of a record whose values are all of one kind. Where a type names no field, any may be meant. */
type FieldsOf<Output, Kind> = [NamesOf<Output>] extends [never]
  ? keyof Output & string
  : { [Name in NamesOf<Output> & keyof Output]-?: Output[Name] extends Kind ? Name : never }[NamesOf<Output> &
      keyof Output] &
      string;

/** Values that a filter can compare. */
type Comparable = string | number | boolean;

/** A field that tells records apart: a string or a number that is always there. */
export type KeyField<Output> = FieldsOf<Output, string | number>;

/** A field of words; it may be absent. */
export type TextField<Output> = FieldsOf<Output, string | null | undefined>;

/** A field that filters can name: a string, a number, a boolean, a list of those, or nothing. */
export type FilterableField<Output> = FieldsOf<Output, Comparable | readonly Comparable[] | null | undefined>;

/** Conditions on one field, as its type allows them; all must hold. `Filter` defines each. */
export type FieldFilter<Value> = [NonNullable<Value>] extends [readonly (infer Element)[]]
  ? { readonly hasElement?: Element; readonly exists?: boolean }
  : Value | FieldConditionsOf<NonNullable<Value>, Extract<Value, null>>;

type FieldConditionsOf<Value, Nothing> = {
  readonly eq?: Value | Nothing;
  readonly ne?: Value | Nothing;
  readonly in?: readonly (Value | Nothing)[];
  readonly nin?: readonly (Value | Nothing)[];
  readonly exists?: boolean;
} & ([Value] extends [string | number] ? Ordered<Value> : unknown) &
  ([Value] extends [string] ? Spelt : unknown);

interface Ordered<Value> {
  readonly gt?: Value;
  readonly gte?: Value;
  readonly lt?: Value;
  readonly lte?: Value;
}

interface Spelt {
  readonly contains?: string;
  readonly startsWith?: string;
  readonly endsWith?: string;
  /** A regular expression. */
  readonly like?: string;
  readonly ignoreCase?: boolean;
}

/**
 * A filter over the fields of a collection that were declared filterable: a wrong name, or a value of another type, does not compile.
 *
 * **Shape** all fields must hold; `and`, `or` and `not` combine. It becomes the one filter language (`Filter`), with the one meaning.
 *
 * @experimental
 */
export type CollectionFilter<Output, Filterable extends keyof Output> = {
  readonly [Name in Filterable]?: FieldFilter<Exclude<Output[Name], undefined>>;
} & {
  readonly and?: readonly CollectionFilter<Output, Filterable>[];
  readonly or?: readonly CollectionFilter<Output, Filterable>[];
  readonly not?: CollectionFilter<Output, Filterable>;
};

/**
 * How a text field is embedded by itself.
 *
 * @experimental
 */
export interface VectorSettings {
  /** Default: the collection's, else the knowledge base's. */
  readonly embeddingModel?: EmbeddingModel | undefined;
  /** Metric of searches by this field's vectors. Default: the knowledge base's, else the cosine. */
  readonly metric?: Metric | undefined;
  /**
   * Kind of the index. `"flat"` compares every vector; `"dynamic"` leaves the choice to the store. Others are those of the engine that keeps the records.
   * Default `"dynamic"`.
   */
  readonly index?: VectorIndex | undefined;
}

/**
 * Order of records by one of their fields.
 *
 * @experimental
 */
export interface RecordOrder<Field extends string> {
  readonly field: Field;
  /** Default `"asc"`. */
  readonly direction?: "asc" | "desc";
}

/**
 * Schema of a collection's records, and the roles of their fields.
 *
 * **Source** Semantic Kernel's record definitions; an embedding model is chosen by property, then collection, then store.
 *
 * @experimental
 */
export interface CollectionDefinition<
  Schema extends StandardSchema,
  Key extends string = string,
  Text extends string = string,
  Filterable extends string = string,
  Vector extends string = string,
> {
  /** Schema of Zod, Valibot, ArkType or any other library with Standard Schema. */
  readonly schema: Schema;
  /** The field that tells records apart. */
  readonly key: Key;
  /** The fields that are searched, in the order in which they are read. */
  readonly text: readonly Text[];
  /** Text fields with vectors of their own, so that a search can be put to one of them. Default: the text fields have theirs together. */
  readonly vectors?: { readonly [Name in Vector]: VectorSettings } | undefined;
  /** The fields that filters can name. Default: none. */
  readonly filterable?: readonly Filterable[] | undefined;
  /** Embeds this collection's records, beside the knowledge base's own model. Default: that one alone. */
  readonly embeddingModel?: EmbeddingModel | undefined;
  /**
   * Where records are kept. `"documents"`: each is a document of the knowledge base. `"engine"`: each is a row of the knowledge base's engine, which other
   * programs read too. Searches outside of the collection do not find such a record, and deleting is final. Default `"documents"`.
   */
  readonly keptIn?: "documents" | "engine" | undefined;
  /**
   * Whether a search must name its field where there are several, and vectors that a model made are not handed out. Default false: a search
   * covers every text field. **Source** Semantic Kernel's rules.
   */
  readonly strict?: boolean | undefined;
}

/**
 * In which scope a record is meant.
 *
 * @experimental
 */
export interface CollectionAddress {
  /** Scope of the record, when several hold the key. */
  readonly scope?: Scope | undefined;
}

/**
 * Restricts a listing of records.
 *
 * @experimental
 */
export interface CollectionListOptions<Filter, Field extends string = string> extends CollectionAddress {
  readonly filter?: Filter | undefined;
  /** Order by fields, the first one first; a missing value comes last. Default: by key. **Cost** reads all records that match before the first. */
  readonly orderBy?: RecordOrder<Field> | readonly RecordOrder<Field>[] | undefined;
  /** Records passed over before the first. Default 0. */
  readonly skip?: number | undefined;
  /** Most records. Default `"all"`. */
  readonly topK?: number | "all" | undefined;
}

/**
 * Restricts a listing of keys.
 *
 * @experimental
 */
export interface CollectionKeysOptions extends CollectionAddress {
  /** Only keys with this prefix. **Cost** keys before and after are not read. */
  readonly keyPrefix?: string | undefined;
  /** Instead of those that are there, those that were deleted and can be restored, in the scopes that the caller may write. Default false. */
  readonly deleted?: boolean | undefined;
}

/**
 * A key that is there, as text, and where.
 *
 * @experimental
 */
export interface CollectionKey {
  readonly key: string;
  readonly scope: Scope;
}

/**
 * Where records are written, and what stops it.
 *
 * @experimental
 */
export interface CollectionWriteOptions {
  /** Default: as `ingest`: `"deployment"`; for a caller with an access context, their team, else themselves. */
  readonly scope?: Scope | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * How records are deleted.
 *
 * @experimental
 */
export interface CollectionDeleteOptions extends CollectionAddress {
  /** Result for a missing key. Default `"ignore"`. */
  readonly onMissing?: "ignore" | "error" | undefined;
  /** Gone at once and for good, instead of restorable until vacuumed. Default false. */
  readonly purge?: boolean | undefined;
}

/**
 * How a collection is searched; everything has a default. **Source** Semantic Kernel's search options.
 *
 * @experimental
 */
export interface CollectionSearchOptions<Filter, Vector extends string> {
  /** Records, default 5. `"all"` for every match; a number below 1 is an error. */
  readonly topK?: number | "all" | undefined;
  /** Records passed over before the first, for pages. Default 0. */
  readonly skip?: number | undefined;
  readonly filter?: Filter | undefined;
  /** Only by this field's vectors (and words, of a hybrid search). Default: every text field; a record ranks by its best. */
  readonly vectorProperty?: Vector | undefined;
  /** Words of a hybrid or text search in place of the query. Default: the query's own. */
  readonly keywords?: readonly string[] | undefined;
  /** Options that one store alone knows; its legs receive them as they are. */
  readonly storeOptions?: JsonValue | undefined;
  /** Inclusive threshold for the vectors' scores. Default: none. */
  readonly minScore?: number | undefined;
  /** Default false. */
  readonly includeEmbeddings?: boolean | undefined;
  /** Narrows the search to these scopes; what the caller may not read is dropped. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * How a collection is searched by a vector; everything has a default.
 *
 * @experimental
 */
export interface CollectionVectorOptions<Filter, Vector extends string> extends Omit<
  CollectionSearchOptions<Filter, Vector>,
  "keywords" | "storeOptions"
> {
  /** Default: the field's, else the knowledge base's, else the cosine. */
  readonly metric?: Metric | undefined;
}

/**
 * A record that was found.
 *
 * @experimental
 */
export interface CollectionHit<Output, Key> {
  /** From 1; with `skip`, from there on. */
  readonly rank: number;
  readonly score: number;
  readonly key: Key;
  readonly record: Output;
  readonly scope: Scope;
  /** The stretch of the record's text that was found best: where it stands, its snippet, and its embedding where that was asked for. */
  readonly hit: Hit;
}

/**
 * Outcome of a write of records.
 *
 * @experimental
 */
export interface CollectionWriteResult<Key> {
  /** In the order given. */
  readonly keys: readonly Key[];
  readonly added: number;
  readonly updated: number;
  /** The same record as before: nothing was written. */
  readonly unchanged: number;
  /** Texts really sent to an embedding model; for a caller with an access context, those that needed a vector. */
  readonly embedded: number;
}

/**
 * A collection that is there, and where.
 *
 * @experimental
 */
export interface CollectionSummary {
  readonly name: string;
  readonly scope: Scope;
}

/**
 * How long a store or an engine is waited for that takes no requests yet.
 *
 * @experimental
 */
export interface ReadyOptions {
  /** **Units** milliseconds. Default 60,000 for `ensure` and `waitUntilReady`, which a start waits for; 10,000 for a write. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Records of one schema, stored and searched in a knowledge base.
 *
 * **Shape** a record is a document of the knowledge base (`uriOf`). Its text fields are the document's text, so a search finds and cites them like any other.
 * Its filterable fields are the metadata. Scopes, deletes, purges, vacuums and re-embedding treat it like every document.
 * The schema's output is stored as JSON and parsed by the schema again on every read. Reads and searches cover every scope that the caller may read.
 * **Errors** `invalid-argument` for records that the schema refuses, naming key and field; `unreadable` for a stored record that the schema now refuses.
 * Also `ambiguous` for a key in several scopes; `access-denied`; `configuration-missing` for a collection written under another definition (`rebuild`).
 * **Source** Semantic Kernel: any schema, collection and records apart, its vector store collections.
 *
 * @experimental
 */
export interface RecordCollection<
  Input,
  Output,
  Key extends keyof Output = keyof Output,
  Filterable extends keyof Output = keyof Output,
  Vector extends string = string,
> {
  readonly name: string;
  /** The uri of a record's document. */
  uriOf(key: Output[Key]): string;
  /** Resolves when the store can be written. **Errors** `timeout` when that takes too long, `aborted`. */
  waitUntilReady(options?: ReadyOptions): Promise<void>;
  /** Whether it is there, in any scope that the caller may read: made by `ensure`, or by writing to it. */
  exists(address?: CollectionAddress): Promise<boolean>;
  /** Waits until the store is ready and makes the collection; where it is, nothing happens. */
  ensure(options?: CollectionWriteOptions & ReadyOptions): Promise<void>;
  /** Deletes every record and the collection itself, in the given scope or all that the caller may write. **Shape** how many records went. */
  drop(options?: CollectionAddress & { readonly purge?: boolean | undefined }): Promise<number>;
  /** `undefined` for what is not there or may not be read. */
  get(key: Output[Key], options?: CollectionAddress): Promise<Output | undefined>;
  /** Several keys: the records that exist, in the order of the keys. */
  get(keys: readonly Output[Key][], options?: CollectionAddress): Promise<readonly Output[]>;
  /** In which scopes that the caller may read a record of this key is, sorted. */
  scopesOf(key: Output[Key]): Promise<readonly Scope[]>;
  /** Keys alone, by key as text, then scope; no record is read. */
  keys(options?: CollectionKeysOptions): AsyncIterable<CollectionKey>;
  /** By key as text, then scope; paged, so that writers are never held up. */
  list(
    options?: CollectionListOptions<CollectionFilter<Output, Filterable>, keyof Output & string>,
  ): AsyncIterable<Output>;
  /**
   * Writes records; one with the same key is replaced. All are checked and embedded before the first is written, so that of a batch with something wrong in it
   * nothing is stored. The same record again writes and embeds nothing. Makes the collection where it is not there yet.
   */
  upsert(
    records: Input | readonly Input[],
    options?: CollectionWriteOptions & ReadyOptions,
  ): Promise<CollectionWriteResult<Output[Key]>>;
  /** **Shape** how many went. **Errors** `not-found` with `onMissing: "error"`, before anything is deleted. */
  delete(keys: Output[Key] | readonly Output[Key][], options?: CollectionDeleteOptions): Promise<number>;
  /** The records whose vectors are nearest, best first. In a collection that is not there, none. */
  search(
    query: string,
    options?: CollectionSearchOptions<CollectionFilter<Output, Filterable>, Vector>,
  ): Promise<readonly CollectionHit<Output, Output[Key]>[]>;
  /**
   * The records whose vectors are nearest to a vector of the model that serves the field, best first. **Errors** `dimension-mismatch`;
   * `configuration-missing` where no embedding model serves it.
   */
  vectorSearch(
    vector: Embedding,
    options?: CollectionVectorOptions<CollectionFilter<Output, Filterable>, Vector>,
  ): Promise<readonly CollectionHit<Output, Output[Key]>[]>;
  /** The same by vectors and words together. */
  hybridSearch(
    query: string,
    options?: CollectionSearchOptions<CollectionFilter<Output, Filterable>, Vector>,
  ): Promise<readonly CollectionHit<Output, Output[Key]>[]>;
  /** The same by words alone; `minScore` says nothing here. */
  textSearch(
    query: string,
    options?: CollectionSearchOptions<CollectionFilter<Output, Filterable>, Vector>,
  ): Promise<readonly CollectionHit<Output, Output[Key]>[]>;
  /** The records in whose text a regular expression matches, most matches first; `minScore` and `keywords` say nothing here. **Errors** `invalid-regex`. */
  regexSearch(
    pattern: string,
    options?: CollectionSearchOptions<CollectionFilter<Output, Filterable>, Vector>,
  ): Promise<readonly CollectionHit<Output, Output[Key]>[]>;
  /**
   * Writes every record of a scope again under the current definition: after a field became filterable, the collection's own model changed, or `keptIn` did.
   * A rebuild that was stopped starts again; until it ends, the collection refuses searches.
   */
  rebuild(options?: CollectionWriteOptions & ReadyOptions): Promise<CollectionWriteResult<Output[Key]>>;
}

/**
 * How records go to another engine.
 *
 * @experimental
 */
export interface CopyRecordsOptions {
  /** Engine that gets the records. It stays open. */
  readonly to: Engine;
  readonly signal?: AbortSignal | undefined;
  /** After each group of records. **Units** records. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

/**
 * Outcome of a copy of records.
 *
 * @experimental
 */
export interface RecordsCopied {
  readonly collections: number;
  readonly records: number;
  /** Records that the engine had already, with the same contents and vectors. */
  readonly unchanged: number;
  /** Records that are the same to the character, with the same vectors, in both engines; searches that found records as near in both. */
  readonly verified: { readonly records: number; readonly searches: number };
}

/**
 * The verbs of a knowledge base about collections.
 *
 * @experimental
 */
export interface Collections {
  /**
   * Records of one schema; asks and writes nothing yet. **Errors** `invalid-argument` for a blank name and for a definition that contradicts itself.
   * **Source** Semantic Kernel.
   */
  collection<
    Schema extends StandardSchema,
    Key extends KeyField<SchemaOutput<Schema>>,
    Text extends TextField<SchemaOutput<Schema>>,
    Filterable extends FilterableField<SchemaOutput<Schema>> = never,
    Vector extends Text = never,
  >(
    name: string,
    definition: CollectionDefinition<Schema, Key, Text, Filterable, Vector>,
  ): RecordCollection<SchemaInput<Schema>, SchemaOutput<Schema>, Key, Filterable, Vector>;
  /** Collections that the caller may read, by name, then scope. */
  collections(): Promise<readonly CollectionSummary[]>;
  /**
   * Copies the records of every collection that the engine keeps to another engine, with their vectors: nothing is embedded again. For the operator alone.
   *
   * **Shape** the source stays as it is, and the knowledge base goes on with it. Opened with the other engine, it finds the same records there. A copy that was
   * interrupted goes on when it is called again.
   * **Errors** `unsupported` for an engine that lacks a metric or a kind of index, or gives no vectors back, before anything is written. `configuration-missing` without
   * an engine, and for a collection that an earlier version marked (`ensure`). `store-failed` for a copy that differs, with the record. `access-denied`.
   * **Cost** reads the source twice and the target once; writes records that are new.
   */
  copyRecords(options: CopyRecordsOptions): Promise<RecordsCopied>;
}
