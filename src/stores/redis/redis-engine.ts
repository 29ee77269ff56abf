import type { Engine, EngineCondition, EngineRecord } from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkDimensions, checkSettings } from "../engines/check-engine.ts";
import { createEngine, type MeasuredSpec, type OwnIndex, pageSize } from "../engines/create-engine.ts";
import { fromOne, fromSquare, type NamedMeasure } from "../engines/engine-scores.ts";
import { createNumberFields } from "../engines/number-fields.ts";
import { type ClientOptions, checkOneOf, clientOptions, passOver } from "../engines/optional-client.ts";
import { writeCondition } from "../engines/translate-filter.ts";
import { type Argument, connectRedis, readFound, readPairs, type Redis, type RedisClient } from "./redis-client.ts";

/**
 * Options of {@link createRedisEngine}.
 *
 * @experimental
 */
export interface RedisOptions extends ClientOptions {
  /** An address, such as `redis://127.0.0.1:6379`, or a connected client of the package `redis`, which stays open. */
  readonly server: string | RedisClient;
  /** `"hnsw"` is a graph; `"flat"` compares every entry and misses none. Default `"hnsw"`. */
  readonly index?: "hnsw" | "flat" | undefined;
  /** Attributes of Redis's vector field, such as `{ M: 32, EF_CONSTRUCTION: 400 }`. */
  readonly attributes?:
    | (Readonly<Record<string, string | number>> & {
        readonly M?: number;
        readonly EF_CONSTRUCTION?: number;
        readonly EF_RUNTIME?: number;
        readonly BLOCK_SIZE?: number;
        readonly INITIAL_CAP?: number;
      })
    | undefined;
  /** Attributes of each search, such as `{ EF_RUNTIME: 800 }` or `{ HYBRID_POLICY: "ADHOC_BF" }`. Default `{ EF_RUNTIME: 400 }` for a graph. */
  readonly query?: (Readonly<Record<string, string | number>> & { readonly EF_RUNTIME?: number }) | undefined;
}

/** **Source** "Vector search concepts" of redis.io: 1 minus the cosine or the product, and the squared Euclidean distance. */
const measures = {
  cosine: { name: "COSINE", score: fromOne },
  dot: { name: "IP", score: fromOne },
  euclidean: { name: "L2", score: fromSquare },
};

/** Neighbours that a search of a graph looks at. **Source** recall of .99 in `createEnginePack`, where Redis's own 10 gives less. */
const searchedNeighbours = 400;

/**
 * An engine over Redis 8, or Redis 7 with RediSearch 2.10: an index of hashes for each base and embedding version.
 *
 * **Errors** `invalid-argument` for options; `dependency-missing` without the package `redis`; others as those of an `Engine`.
 * **Source** "Redis query engine" of redis.io, read in November 2026.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createRedisEngine({ server: "redis://127.0.0.1:6379" }) });
 *
 * @experimental
 */
export function createRedisEngine(options: RedisOptions): Engine {
  checkGiven("createRedisEngine", "the options", options, "object");
  const own = { server: true, index: true, attributes: true, query: true } as const;
  checkOptions("createRedisEngine", options, { ...clientOptions, ...own });
  const { server, index: kind = "hnsw", timeoutMs = 30_000 } = options;
  checkOneOf("redis", "index", kind, ["hnsw", "flat"]);
  const attributes = checkSettings("redis", "attributes", options.attributes).flat();
  const usual = kind === "hnsw" ? { EF_RUNTIME: searchedNeighbours } : {};
  const query = checkSettings("redis", "query", options.query ?? usual).flat();
  const redis = connectRedis(server, timeoutMs);
  // An engine that calls itself exhaustive makes no graph.
  const kinds = kind === "flat" ? (["flat"] as const) : (["flat", "hnsw"] as const);
  return createEngine({
    name: "redis",
    native: redis.native,
    prefix: options.prefix,
    measures,
    capabilities: { exhaustive: kind === "flat", records: { kinds, words: true, mayLackWords: true } },
    async open(name, spec) {
      const made = kind === "flat" || spec.kind === "flat" ? "flat" : "hnsw";
      // Attributes are those of the engine's own kind.
      const isOwn = made === kind;
      const known = await makeIndex(redis, name, spec, made, isOwn ? attributes : []);
      return createIndex(redis, name, spec.measure, { query: isOwn ? query : [], timeoutMs, known });
    },
    async names(_, signal) {
      return [...((await redis.send("list indexes", ["FT._LIST"], signal)) as Iterable<unknown>)].map(String);
    },
    drop: (name, signal) =>
      redis
        .send("drop an index", ["FT.DROPINDEX", name, "DD"], signal)
        .catch(passOver(/unknown index|no such index/iu)),
    close: () => redis.close(),
  });
}

/** Makes the index where it is not there. **Shape** the keys of numbers that it knows. */
async function makeIndex(
  redis: Redis,
  name: string,
  spec: MeasuredSpec<NamedMeasure>,
  kind: "hnsw" | "flat",
  attributes: readonly string[],
): Promise<readonly string[]> {
  const vector = ["TYPE", "FLOAT32", "DIM", spec.dimensions, "DISTANCE_METRIC", spec.measure.name, ...attributes];
  const schema = `key TAG SORTABLE tags TAG SEPARATOR , vector VECTOR ${kind.toUpperCase()} ${vector.length}`;
  const hashes = `ON HASH PREFIX 1 ${name}: STOPWORDS 0 SCHEMA ${schema}`;
  const made = ["FT.CREATE", name, ...hashes.split(" "), ...vector];
  await redis.send("make an index", made).catch(passOver(/already exists/iu));
  if (spec.records === true) await addField(redis, name, "text", "TEXT");
  const fields = await readFields(redis, name);
  checkDimensions("redis", spec, Number(fields.find(({ type }) => type === "VECTOR")?.["dim"]));
  return numbersOf(fields);
}

/** A field that another process has just added is as wanted. */
async function addField(redis: Redis, name: string, key: string, type: "TEXT" | "NUMERIC", signal?: AbortSignal) {
  const added = ["FT.ALTER", name, "SCHEMA", "ADD", key, type];
  await redis.send(`index the field ${key}`, added, signal).catch(passOver(/duplicate/iu));
}

type Field = Readonly<Record<string, unknown>>;

async function readFields(redis: Redis, name: string, signal?: AbortSignal): Promise<readonly Field[]> {
  const { attributes } = readPairs(await redis.send("read an index", ["FT.INFO", name], signal));
  return (attributes as readonly unknown[]).map(readPairs);
}

const numbersOf = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap(({ identifier, type }) => (type === "NUMERIC" ? [String(identifier)] : []));

function createIndex(
  redis: Redis,
  name: string,
  measure: NamedMeasure,
  { query, timeoutMs, known }: { query: readonly string[]; timeoutMs: number; known: readonly string[] },
): OwnIndex {
  const look = async (signal?: AbortSignal) => numbersOf(await readFields(redis, name, signal));
  // Redis finds numbers in fields of the schema alone, so that each new key of a number becomes one.
  const numbers = createNumberFields(known, look, async (keys, signal) => {
    for (const key of keys) await addField(redis, name, key, "NUMERIC", signal);
  });

  async function search(operation: string, args: readonly Argument[], signal?: AbortSignal) {
    // Without a time of its own a search gives those that it has after half a second.
    const more = ["TIMEOUT", timeoutMs, "DIALECT", 2];
    return readFound(await redis.send(operation, ["FT.SEARCH", name, ...args, ...more], signal));
  }

  return {
    score: measure.score,
    numbers,
    async put(entries, signal) {
      const writes = entries.map(({ key, ref, tags, vector, numbers: values, record }) => {
        const hash = { key, ref, tags: tags.join(","), vector: toBytes(vector), ...values, ...fieldsOf(record) };
        const command = ["EVAL", replaceHash, 1, `${name}:${key}`, ...Object.entries(hash).flat()];
        return redis.send("write", command, signal);
      });
      await Promise.all(writes);
    },
    async delete(keys, signal) {
      await redis.send("delete", ["DEL", ...keys.map((key) => `${name}:${key}`)], signal);
    },
    count: async (tag, signal) => (await search("count", [has(tag), "LIMIT", 0, 0], signal)).total,
    async list(tag, from, signal) {
      const offset = Number(from ?? 0);
      const page = [has(tag), "NOCONTENT", "SORTBY", "key", "ASC", "LIMIT", offset, pageSize];
      const { documents } = await search("list", page, signal);
      const keys = documents.map(({ id }) => id.slice(name.length + 1));
      return { keys, next: keys.length < pageSize ? undefined : String(offset + pageSize) };
    },
    async read(keys, signal) {
      const read = keys.map((key) => redis.send("read", ["HMGET", `${name}:${key}`, "ref", "json"], signal));
      const found = (await Promise.all(read)) as readonly (readonly [string, string | null])[];
      return found.map(([ref, json], i) => ({ key: keys[i]!, ref, json }));
    },
    async readVectors(keys, signal) {
      const read = keys.map((key) => redis.bytes("read vectors", ["HGET", `${name}:${key}`, "vector"], signal));
      return (await Promise.all(read)).flatMap((bytes, i) =>
        // A copy begins where 32-bit numbers may begin.
        bytes === undefined ? [] : [{ key: keys[i]!, vector: new Float32Array(Uint8Array.from(bytes).buffer) }],
      );
    },
    async nearest({ vector, condition, limit, options, signal }) {
      const params: Argument[] = ["vector", toBytes(vector)];
      const filter = writeFilter(condition, params);
      const own = checkSettings("redis", "storeOptions", options).flat();
      const more = own.length === 0 ? query : own;
      const nearest = `(${filter ?? "*"})=>[KNN ${limit} @vector $vector ${more.join(" ")} AS distance]`;
      const shape = ["RETURN", 2, "ref", "distance", "SORTBY", "distance", "ASC", "LIMIT", 0, limit];
      const { documents } = await search("search", [nearest, "PARAMS", params.length, ...params, ...shape], signal);
      return documents.map((one) => ({ ref: refOf(one), score: Number(one.fields["distance"]) }));
    },
    async said(words, { condition, limit, signal }) {
      const params: Argument[] = ["n", 0];
      const filter = writeFilter(condition, params);
      const saying = [...(filter === undefined ? [] : [filter]), `@text:(${words.join("|")})`].join(" ");
      const ranked = ["PARAMS", params.length, ...params, "RETURN", 1, "ref", "LIMIT", 0, limit];
      return (await search("search words", [saying, ...ranked], signal)).documents.map(refOf);
    },
  };
}

const refOf = ({ fields }: { readonly fields: Field }): string =>
  typeof fields["ref"] === "string" ? fields["ref"] : "";

const fieldsOf = (record: EngineRecord | undefined): object | undefined =>
  record && { text: record.text, ...(record.json !== undefined && { json: record.json }) };

/** A record takes the place of the hash that was there, with none of its fields. */
const replaceHash = "redis.call('DEL', KEYS[1]) return redis.call('HSET', KEYS[1], unpack(ARGV))";

const toBytes = (vector: Float32Array): Buffer => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

const has = (tag: string): string => `@tags:{${tag}}`;

/** A filter in the second dialect, whose numbers are parameters. */
function writeFilter(condition: EngineCondition | undefined, params: Argument[]): string | undefined {
  return writeCondition<string>(condition, {
    has,
    lacks: (tag) => `-${has(tag)}`,
    number(key, is, value) {
      const name = `n${params.length}`;
      params.push(name, value);
      if (is === "gt" || is === "gte") return `@${key}:[${is === "gt" ? "(" : ""}$${name} inf]`;
      return `@${key}:[-inf ${is === "lt" ? "(" : ""}$${name}]`;
    },
    and: (parts) => `(${parts.join(" ")})`,
    or: (parts) => `(${parts.join(" | ")})`,
    nothing: () => has("none"),
  });
}
