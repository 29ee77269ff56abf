import type { Engine } from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkDimensions } from "../engines/check-engine.ts";
import { createEngine, type MeasuredSpec, type OwnIndex, pageSize } from "../engines/create-engine.ts";
import { asItIs, fromSquare, type NamedMeasure } from "../engines/engine-scores.ts";
import { findOrMake } from "../engines/find-or-make.ts";
import { fusionConstant } from "../engines/join-words.ts";
import { type ClientOptions, clientOptions, passOver } from "../engines/optional-client.ts";
import { writeExpression } from "../engines/translate-filter.ts";
import { connectMilvus, type Milvus, type MilvusClient } from "./milvus-client.ts";

/**
 * Options of {@link createMilvusEngine}.
 *
 * @experimental
 */
export interface MilvusOptions extends ClientOptions {
  /** An address, such as `http://127.0.0.1:19530`, or a client of the package `@zilliz/milvus2-sdk-node`, which stays open. */
  readonly server: string | MilvusClient;
  /** Key of Zilliz Cloud, or `user:password`. */
  readonly token?: string | undefined;
  /** Default: Milvus's own, `"default"`. */
  readonly database?: string | undefined;
  /** Fields of Milvus's request to create a collection, such as `shards_num`, `num_partitions` or `properties`. */
  readonly collection?:
    | (Readonly<Record<string, unknown>> & {
        readonly shards_num?: number;
        readonly num_partitions?: number;
        readonly consistency_level?: string;
        readonly properties?: Readonly<Record<string, string | number | boolean>>;
      })
    | undefined;
  /** Index of the vectors, such as `{ index_type: "DISKANN" }` or `{ params: { M: 32 } }`. Default: HNSW with `M` 16 and `efConstruction` 200. */
  readonly index?:
    | (Readonly<Record<string, unknown>> & {
        readonly index_type?: string;
        readonly params?: Readonly<Record<string, string | number | boolean>>;
      })
    | undefined;
  /** Parameters of each search, such as `{ ef: 800 }` or `{ search_list: 400 }`. Default `ef` 400 and `nprobe` 64. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** **Source** "Metric types" of milvus.io: the cosine, the product, and the squared Euclidean distance. Its others are for vectors of bits, sets and words. */
const measures = {
  cosine: { name: "COSINE", score: asItIs },
  dot: { name: "IP", score: asItIs },
  euclidean: { name: "L2", score: fromSquare },
};

/** Indexes for the kinds that a collection can name. */
const kinds: Readonly<Record<string, object>> = {
  flat: { index_type: "FLAT", params: {} },
  hnsw: { index_type: "HNSW", params: { M: 16, efConstruction: 200 } },
  "ivf-flat": { index_type: "IVF_FLAT", params: { nlist: 128 } },
};

/** Neighbours and clusters that a search looks at. **Source** recall of .99 in `createEnginePack`. */
const [searchedNeighbours, searchedClusters] = [400, 64];

/** Code of a collection that is not there. **Source** "Error codes" of milvus.io. */
const notFound = 100;

/** Bytes of a text, tags of an entry. **Source** "Milvus limits": the most that a field takes. */
const [mostBytes, mostTags] = [65_535, 4_096];

/**
 * An engine over Milvus 2.5 or later, or Zilliz Cloud: a collection for each base and embedding version.
 *
 * **Shape** reads are consistent: a write is found when it ends. Words go by Milvus's own BM25, and its reciprocal rank fusion joins them with the vector.
 * **Errors** `invalid-argument` for options; `dependency-missing` without the package `@zilliz/milvus2-sdk-node`; others as those of an `Engine`.
 * **Source** Milvus 2.6, documentation of milvus.io, read in November 2026.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createMilvusEngine({ server: "http://127.0.0.1:19530" }) });
 *
 * @experimental
 */
export function createMilvusEngine(options: MilvusOptions): Engine {
  checkGiven("createMilvusEngine", "the options", options, "object");
  const own = { server: true, token: true, database: true, collection: true, index: true, query: true } as const;
  checkOptions("createMilvusEngine", options, { ...clientOptions, ...own });
  const { server, token, database, timeoutMs = 30_000 } = options;
  const milvus = connectMilvus(server, { token, database, timeoutMs });
  return createEngine({
    name: "milvus",
    native: milvus.native,
    prefix: options.prefix,
    measures,
    query: { nprobe: searchedClusters, ...options.query },
    capabilities: { records: { kinds: ["flat", "hnsw", "ivf-flat"], words: true } },
    async open(name, spec, signal) {
      await makeCollection(milvus, name, spec, options, signal);
      return createIndex(milvus, name, spec);
    },
    async names(_, signal) {
      type Found = { data: { name: string }[] };
      const { data } = await milvus.ask<Found>("list collections", "showCollections", {}, signal);
      return data.map(({ name }) => name);
    },
    drop: (name, signal) =>
      milvus.ask("drop a collection", "dropCollection", { collection_name: name }, signal).catch(passOver(notFound)),
    close: () => milvus.close(),
  });
}

async function makeCollection(
  milvus: Milvus,
  name: string,
  spec: MeasuredSpec<NamedMeasure>,
  { collection, index }: MilvusOptions,
  signal?: AbortSignal,
): Promise<void> {
  const at = { collection_name: name };
  type Found = { schema: { fields: { name: string; dim?: string }[] } };
  const look = () => milvus.ask<Found>("read a collection", "describeCollection", at, signal).catch(passOver(notFound));
  const found = await findOrMake("milvus", "create a collection", look, async () => {
    const text = { data_type: "VarChar", max_length: mostBytes };
    const isOfRecords = spec.records === true;
    const records = [
      { ...text, name: "record" },
      { name: "fields", data_type: "JSON" },
      { ...text, name: "text", enable_analyzer: true },
      { name: "words", data_type: "SparseFloatVector" },
    ];
    const words = {
      name: "words",
      type: "BM25",
      input_field_names: ["text"],
      output_field_names: ["words"],
      params: {},
    };
    const wordIndex = { field_name: "words", index_type: "SPARSE_INVERTED_INDEX", metric_type: "BM25" };
    const vector = { field_name: "vector", ...kinds[spec.kind ?? ""], metric_type: spec.measure.name };
    const body = {
      ...collection,
      ...at,
      consistency_level: "Strong",
      fields: [
        { ...text, name: "key", is_primary_key: true, max_length: 36 },
        { ...text, name: "ref" },
        { name: "tags", data_type: "Array", element_type: "VarChar", max_length: 16, max_capacity: mostTags },
        { name: "numbers", data_type: "JSON" },
        { name: "vector", data_type: "FloatVector", dim: spec.dimensions },
        ...(isOfRecords ? records : []),
      ],
      ...(isOfRecords && { functions: [words] }),
      index_params: [
        spec.kind === undefined || spec.kind === "dynamic" ? { ...vector, ...kinds["hnsw"], ...index } : vector,
        ...(isOfRecords ? [wordIndex] : []),
      ],
    };
    await milvus.ask("create a collection", "createCollection", body, signal);
  });
  const dimensions = Number(found.schema.fields.find((field) => field.name === "vector")?.dim ?? spec.dimensions);
  checkDimensions("milvus", spec, dimensions);
  await milvus.ask("load a collection", "loadCollectionSync", at, signal);
}

function createIndex(milvus: Milvus, name: string, { measure, records = false }: MeasuredSpec<NamedMeasure>): OwnIndex {
  const at = { collection_name: name, consistency_level: "Strong" };
  async function ask<Row>(operation: string, body: object, signal?: AbortSignal): Promise<readonly Row[]> {
    return (await milvus.ask<{ data: readonly Row[] }>(operation, "query", { ...at, ...body }, signal)).data;
  }

  return {
    score: measure.score,
    async put(entries, signal) {
      const data = entries.map(({ key, ref, tags, numbers, vector, record }) => ({
        key,
        ref,
        tags,
        numbers,
        vector: [...vector],
        // A text of Milvus has no halves of characters; the record keeps them as escapes.
        ...(records && {
          record: record?.json ?? "",
          fields: record?.fields ?? {},
          text: record?.text.toWellFormed() ?? "",
        }),
      }));
      await milvus.ask("write", "upsert", { ...at, data }, signal);
    },
    async delete(keys, signal) {
      await milvus.ask("delete", "delete", { ...at, filter: keysIn(keys) }, signal);
    },
    async count(tag, signal) {
      const body = { filter: has(tag), output_fields: ["count(*)"] };
      const [row] = await ask<{ "count(*)": string }>("count", body, signal);
      return Number(row?.["count(*)"] ?? 0);
    },
    async list(tag, from, signal) {
      const filter = from === undefined ? has(tag) : `${has(tag)} and key > "${from}"`;
      // A page has the first keys; they come in any order.
      const rows = await ask<{ key: string }>("list", { filter, output_fields: ["key"], limit: pageSize }, signal);
      return rows.map(({ key }) => key).sort();
    },
    async read(keys, signal) {
      const body = { filter: keysIn(keys), output_fields: ["key", "ref", "record"], limit: keys.length };
      const rows = await ask<{ key: string; ref: string; record?: string }>("read", body, signal);
      return rows.map(({ record, ...row }) => ({ ...row, json: record }));
    },
    async readVectors(keys, signal) {
      const body = { filter: keysIn(keys), output_fields: ["key", "vector"], limit: keys.length };
      return ask<{ key: string; vector: readonly number[] }>("read vectors", body, signal);
    },
    async nearest({ vector, condition, limit, words, options, signal }) {
      const expr = writeExpression(condition, has, compares, has("none"));
      const params = { ef: Math.max(limit, searchedNeighbours), ...options };
      const filter = expr !== undefined && { expr };
      const both = {
        data: [
          { anns_field: "vector", data: [...vector], params, ...filter },
          { anns_field: "words", data: words, params: { metric_type: "BM25" }, ...filter },
        ],
        rerank: { strategy: "rrf", params: { k: fusionConstant } },
      };
      const one = { anns_field: "vector", data: [[...vector]], params, ...filter };
      const body = { ...at, ...(words === undefined ? one : both), limit, output_fields: ["ref"] };
      type Found = { results: { score: number; ref: string }[] };
      return (await milvus.ask<Found>("search", "search", body, signal)).results;
    },
  };
}

const has = (tag: string): string => `array_contains(tags, "${tag}")`;

const keysIn = (keys: readonly string[]): string => `key in ${JSON.stringify(keys)}`;

const compares = (key: string, sign: string, value: number): string => `numbers["${key}"] ${sign} ${value}`;
