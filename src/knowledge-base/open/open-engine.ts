import type { Engine } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkNotRevoked } from "../../runtime/check-options.ts";
import { isWithinEdits } from "../../runtime/edit-distance.ts";
import { showValue } from "../../runtime/plan-options.ts";
import type { AzureSearchOptions } from "../../stores/azure-search/azure-search-engine.ts";
import type { ChromaOptions } from "../../stores/chroma/chroma-engine.ts";
import type { DuckDbOptions } from "../../stores/duckdb/duckdb-engine.ts";
import type { HnswOptions } from "../../stores/hnsw/hnsw-engine.ts";
import type { KustoOptions } from "../../stores/kusto/kusto-engine.ts";
import type { MilvusOptions } from "../../stores/milvus/milvus-engine.ts";
import type { MongoOptions } from "../../stores/mongodb/mongodb-engine.ts";
import type { OpenSearchOptions } from "../../stores/opensearch/opensearch-engine.ts";
import type { PgvectorOptions } from "../../stores/pgvector/pgvector-engine.ts";
import type { PineconeOptions } from "../../stores/pinecone/pinecone-engine.ts";
import type { QdrantOptions } from "../../stores/qdrant/qdrant-engine.ts";
import type { RedisOptions } from "../../stores/redis/redis-engine.ts";
import type { SnapshotOptions } from "../../stores/snapshot/snapshot-options.ts";
import type { SqliteEngineOptions } from "../../stores/sqlite/sqlite-engine.ts";
import type { WeaviateOptions } from "../../stores/weaviate/weaviate-engine.ts";

/** Options of each engine that has a name. */
interface EngineOptions {
  readonly "azure-search": AzureSearchOptions;
  readonly kusto: KustoOptions;
  readonly milvus: MilvusOptions;
  readonly mongodb: MongoOptions;
  readonly pinecone: PineconeOptions;
  readonly chroma: ChromaOptions;
  readonly duckdb: DuckDbOptions;
  readonly elasticsearch: OpenSearchOptions;
  readonly hnsw: HnswOptions;
  readonly opensearch: OpenSearchOptions;
  readonly pgvector: PgvectorOptions;
  readonly qdrant: QdrantOptions;
  readonly redis: RedisOptions;
  readonly sqlite: SqliteEngineOptions;
  readonly weaviate: WeaviateOptions;
}

/**
 * An engine by its name, with the options of its maker in `ibid/stores/…`.
 */
export type NamedEngine = {
  [Name in keyof EngineOptions]: { readonly name: Name } & EngineOptions[Name];
}[keyof EngineOptions];

/** Each loads its engine when it is chosen. */
const makers: { readonly [Name in keyof EngineOptions]: (options: EngineOptions[Name]) => Promise<Engine> } = {
  "azure-search": async (options) =>
    (await import("../../stores/azure-search/azure-search-engine.ts")).createAzureSearchEngine(options),
  kusto: async (options) => (await import("../../stores/kusto/kusto-engine.ts")).createKustoEngine(options),
  milvus: async (options) => (await import("../../stores/milvus/milvus-engine.ts")).createMilvusEngine(options),
  mongodb: async (options) => (await import("../../stores/mongodb/mongodb-engine.ts")).createMongoEngine(options),
  pinecone: async (options) => (await import("../../stores/pinecone/pinecone-engine.ts")).createPineconeEngine(options),
  chroma: async (options) => (await import("../../stores/chroma/chroma-engine.ts")).createChromaEngine(options),
  duckdb: async (options) => (await import("../../stores/duckdb/duckdb-engine.ts")).createDuckDbEngine(options),
  elasticsearch: async (options) =>
    (await import("../../stores/opensearch/opensearch-engine.ts")).createElasticsearchEngine(options),
  hnsw: async (options) => (await import("../../stores/hnsw/hnsw-engine.ts")).createHnswEngine(options),
  opensearch: async (options) =>
    (await import("../../stores/opensearch/opensearch-engine.ts")).createOpenSearchEngine(options),
  pgvector: async (options) => (await import("../../stores/pgvector/pgvector-engine.ts")).createPgvectorEngine(options),
  qdrant: async (options) => (await import("../../stores/qdrant/qdrant-engine.ts")).createQdrantEngine(options),
  sqlite: async (options) => (await import("../../stores/sqlite/sqlite-engine.ts")).createSqliteEngine(options),
  weaviate: async (options) => (await import("../../stores/weaviate/weaviate-engine.ts")).createWeaviateEngine(options),
  redis: async (options) => (await import("../../stores/redis/redis-engine.ts")).createRedisEngine(options),
};

/**
 * Options in which an engine that is named in the place of the store stands in that of the engine: the location keeps the rest.
 *
 * **Errors** `invalid-argument` for an engine beside it, and for a name that no engine has.
 */
export function placeNamedStore<Options extends { readonly store?: unknown; readonly engine?: unknown }>(
  options: Options,
): Omit<Options, "store"> & { readonly store?: Exclude<Options["store"], NamedEngine> } {
  const { store, ...rest } = options;
  checkNotRevoked("openKnowledgeBase", "store", store);
  if (!isNamedEngine(store)) {
    checkStoreName(store);
    return options as never;
  }
  if (options.engine === undefined) return { ...rest, engine: store };
  throw new IbidError("invalid-argument", `engine is given beside store: { name: ${JSON.stringify(store.name)} }.`, {
    hint: "Name one engine, as engine or as store.",
  });
}

/** Whether a value names an engine. A store, or a copy of one, has methods. */
function isNamedEngine(value: unknown): value is NamedEngine {
  if (typeof value !== "object" || value === null || "replace" in value || "close" in value) return false;
  const { name } = value as { readonly name?: unknown };
  return typeof name === "string" && Object.hasOwn(makers, name);
}

/**
 * Makes an engine of its name and options; an engine stays as it is. A graph without a place of its own is kept where the snapshots are.
 *
 * **Errors** `invalid-argument` for an unknown name or option.
 */
export async function openEngine(given: Engine | NamedEngine, snapshots?: SnapshotOptions): Promise<Engine> {
  if ("open" in given && typeof given.open === "function") return given;
  const { name, ...options } = given as NamedEngine;
  const isHomeless = name === "hnsw" && !("path" in options) && !("blobs" in options);
  const home = isHomeless && snapshots !== undefined ? graphsOf(snapshots) : {};
  if (Object.hasOwn(makers, name)) return makers[name]({ ...home, ...options } as never);
  throw new IbidError("invalid-argument", `There is no engine "${name}".`, {
    hint: `${meant(name)}Known engines: ${Object.keys(makers).join(", ")}. Or give an engine of your own.`,
  });
}

/** **Errors** `invalid-argument` for a store that is a name, as JSON and variables write it, and so could keep nothing. */
function checkStoreName(store: unknown): void {
  const isPlain = typeof store === "object" && store !== null && Object.getPrototypeOf(store) === Object.prototype;
  const name = isPlain ? (store as { readonly name?: unknown }).name : store;
  if (typeof name !== "string" || (isPlain && Object.values(store).some((part) => typeof part === "function"))) return;
  throw new IbidError("invalid-argument", `store is ${showValue(name)}, a name and no Store.`, {
    hint: `${meant(name)}Name an engine with its options, such as { name: "qdrant", url }: ${Object.keys(makers).join(", ")}. Give a folder or a database as the location.`,
  });
}

/** The engine whose name comes close. */
function meant(name: string): string {
  const near = Object.keys(makers).find((known) => known !== name && isWithinEdits(known, name.toLowerCase(), 2));
  return near === undefined ? "" : `Did you mean "${near}"? `;
}

/** Beside the parts of the snapshot, under its prefix. */
const graphsOf = ({ blobs, prefix = "ibid/" }: SnapshotOptions): HnswOptions => ({ blobs, prefix: `${prefix}graphs/` });
