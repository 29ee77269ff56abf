import type { Engine, EngineCondition, EngineIndex, EngineIndexSpec, EngineMetric } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkDimensions } from "../engines/check-engine.ts";
import { createEngine } from "../engines/create-engine.ts";
import { fromSquare, fuseRanks, plainWords } from "../engines/engine-scores.ts";
import { createNumberFields, type NumberFields } from "../engines/number-fields.ts";
import { checkOneOf, checkServer, passOver } from "../engines/optional-client.ts";
import { writeCondition } from "../engines/translate-filter.ts";
import { connectRedis, readFound, readPairs, type Redis, type RedisClient } from "./redis-client.ts";

/**
 * Options of {@link createRedisEngine}.
 *
 * @experimental
 */
export interface RedisOptions {
  /** An address, such as `redis://127.0.0.1:6379`, or a connected client of the package `redis`, which stays open. */
  readonly server: string | RedisClient;
  /** Beginning of the names of indexes and keys. Default `"ibid"`. */
  readonly prefix?: string | undefined;
  /** `"hnsw"` is a graph; `"flat"` compares every entry and misses none. Default `"hnsw"`. */
  readonly index?: "hnsw" | "flat" | undefined;
  /** Attributes of Redis's vector field, such as `{ M: 32, EF_CONSTRUCTION: 400 }`. */
  readonly attributes?: Readonly<Record<string, string | number>> | undefined;
  /** Attributes of each search, such as `{ EF_RUNTIME: 800 }` or `{ HYBRID_POLICY: "ADHOC_BF" }`. Default `{ EF_RUNTIME: 400 }` for a graph. */
  readonly query?: Readonly<Record<string, string | number>> | undefined;
  /** **Units** milliseconds for one command. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

const metrics = { cosine: "COSINE", dot: "IP", euclidean: "L2" } as const satisfies Record<EngineMetric, string>;

/** Neighbours that a search of a graph looks at. **Source** recall of .99 in `createEnginePack`, where Redis's own 10 gives less. */
const searchedNeighbours = 400;

const pageSize = 1_000;

/** Numbers of the metadata, by their keys, that one index can hold: Redis allows 1,024 fields. */
const mostNumbers = 1_000;

/**
 * An engine over Redis 8, or Redis 7 with RediSearch 2.10: an index of hashes for each base and embedding version.
 *
 * **Errors** `invalid-argument` for options; `dependency-missing` without the package `redis`; `unsupported` for metadata with more than 1,000 keys of numbers;
 * others as those of an `Engine`.
 * **Source** "Redis query engine" of redis.io, read in November 2026.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createRedisEngine({ server: "redis://127.0.0.1:6379" }) });
 *
 * @experimental
 */
export function createRedisEngine(options: RedisOptions): Engine {
  checkGiven("createRedisEngine", "the options", options, "object");
  checkOptions("createRedisEngine", options, {
    server: true,
    prefix: true,
    index: true,
    attributes: true,
    query: true,
    timeoutMs: true,
  });
  const { server, index: kind = "hnsw", timeoutMs = 30_000 } = options;
  checkServer("createRedisEngine", "server", server, "redis://127.0.0.1:6379");
  checkOneOf("redis", "index", kind, ["hnsw", "flat"]);
  const attributes = checkAttributes(options.attributes);
  const query = checkAttributes(options.query ?? (kind === "hnsw" ? { EF_RUNTIME: searchedNeighbours } : {}));
  const redis = connectRedis(server, timeoutMs);
  // An engine that calls itself exhaustive makes no graph.
  const kinds = kind === "flat" ? (["flat"] as const) : (["flat", "hnsw"] as const);
  return createEngine({
    name: "redis",
    native: typeof server === "string" ? redis : server,
    prefix: options.prefix,
    capabilities: { exhaustive: kind === "flat", records: { kinds, words: true, mayLackWords: true } },
    async open(name, spec) {
      const made = kind === "flat" || spec.kind === "flat" ? "flat" : "hnsw";
      // Attributes are those of the engine's own kind.
      const isOwn = made === kind;
      const numbers = await makeIndex(redis, name, spec, made, isOwn ? attributes : []);
      return createIndex(redis, name, spec.metric, { query: isOwn ? query : [], timeoutMs, numbers });
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

function checkAttributes(given: Readonly<Record<string, unknown>> = {}): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (/^[A-Z_]+$/u.test(name) && /^[\w.]+$/u.test(String(value))) return [name, String(value)];
    throw new IbidError("invalid-argument", `redis: the attribute ${name} is ${JSON.stringify(value)}.`, {
      hint: "Give names and values of Redis's own, such as EF_RUNTIME: 400.",
    });
  });
}

/** Makes the index where it is not there. **Shape** the keys of numbers that it knows. */
async function makeIndex(
  redis: Redis,
  name: string,
  spec: EngineIndexSpec,
  kind: "hnsw" | "flat",
  attributes: readonly string[],
): Promise<readonly string[]> {
  const vector = ["TYPE", "FLOAT32", "DIM", spec.dimensions, "DISTANCE_METRIC", metrics[spec.metric], ...attributes];
  const text = spec.records === true ? " text TEXT" : "";
  const schema = `key TAG SORTABLE tags TAG SEPARATOR ,${text} vector VECTOR ${kind.toUpperCase()} ${vector.length}`;
  const hashes = `ON HASH PREFIX 1 ${name}: STOPWORDS 0 SCHEMA ${schema}`;
  const made = ["FT.CREATE", name, ...hashes.split(" "), ...vector];
  await redis.send("make an index", made).catch(passOver(/already exists/iu));
  const { dimensions, numbers, isWorded } = await readIndex(redis, name);
  checkDimensions("redis", spec, dimensions);
  // An index of an earlier version has no field for words.
  if (spec.records === true && !isWorded) {
    const added = ["FT.ALTER", name, "SCHEMA", "ADD", "text", "TEXT"];
    await redis.send("index the words", added).catch(passOver(/duplicate/iu));
  }
  return numbers;
}

interface IndexFields {
  readonly dimensions: number;
  readonly numbers: readonly string[];
  readonly isWorded: boolean;
}

async function readIndex(redis: Redis, name: string): Promise<IndexFields> {
  const { attributes } = readPairs(await redis.send("read an index", ["FT.INFO", name]));
  const fields = (attributes as readonly unknown[]).map(readPairs);
  const numbers = fields.flatMap(({ identifier, type }) => (type === "NUMERIC" ? [String(identifier)] : []));
  const dimensions = Number(fields.find(({ type }) => type === "VECTOR")?.["dim"]);
  return { dimensions, numbers, isWorded: fields.some(({ type }) => type === "TEXT") };
}

function createIndex(
  redis: Redis,
  name: string,
  metric: EngineMetric,
  { query, timeoutMs, ...known }: { query: readonly string[]; timeoutMs: number; numbers: readonly string[] },
): EngineIndex {
  const look = async (): Promise<readonly string[]> => (await readIndex(redis, name)).numbers;
  // Redis finds numbers in fields of the schema alone, so that each new key of a number becomes one.
  const numbers = createNumberFields(known.numbers, look, async (keys, signal) => {
    if (keys.length + (await look()).length > mostNumbers) {
      throw new IbidError("unsupported", `redis: the metadata has numbers under more than ${mostNumbers} keys.`, {
        hint: "Keep numbers under fewer keys, or choose another engine.",
        details: { store: "redis", limit: mostNumbers },
      });
    }
    for (const key of keys) {
      const added = ["FT.ALTER", name, "SCHEMA", "ADD", key, "NUMERIC"];
      await redis.send("index a number", added, signal).catch(passOver(/duplicate/iu));
    }
  });

  async function search(operation: string, args: readonly (string | number | Buffer)[], signal?: AbortSignal) {
    // Without a time of its own a search gives those that it has after half a second.
    const more = ["TIMEOUT", timeoutMs, "DIALECT", 2];
    return readFound(await redis.send(operation, ["FT.SEARCH", name, ...args, ...more], signal));
  }

  return {
    async put(entries, signal) {
      await numbers.addFor(entries, signal);
      const writes = entries.map((entry) => {
        const { key, ref, tags, vector } = entry;
        const values = Object.entries(entry.numbers).flat();
        const fields = ["key", key, "ref", ref, "tags", tags.join(","), "vector", toBytes(vector), ...values];
        if (entry.record === undefined) return redis.send("write", ["HSET", `${name}:${key}`, ...fields], signal);
        const { json, text } = entry.record;
        const all = [...fields, "text", text, ...(json === undefined ? [] : ["json", json])];
        return redis.send("write", ["EVAL", replaceHash, 1, `${name}:${key}`, ...all], signal);
      });
      await Promise.all(writes);
    },
    async delete(keys, signal) {
      if (keys.length > 0) await redis.send("delete", ["DEL", ...keys.map((key) => `${name}:${key}`)], signal);
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
      return (await Promise.all(read)).flatMap((values, i) => {
        const [ref, json] = values as readonly unknown[];
        return typeof ref === "string" && typeof json === "string" ? [{ key: keys[i]!, ref, json }] : [];
      });
    },
    async readVectors(keys, signal) {
      const read = keys.map((key) => redis.bytes("read vectors", ["HGET", `${name}:${key}`, "vector"], signal));
      return (await Promise.all(read)).flatMap((bytes, i) =>
        // A copy begins where 32-bit numbers may begin.
        bytes === undefined ? [] : [{ key: keys[i]!, vector: new Float32Array(Uint8Array.from(bytes).buffer) }],
      );
    },
    async nearest({ vector, condition, limit, words, options, signal }) {
      await numbers.learnFor(condition, signal);
      const params: (string | number | Buffer)[] = ["vector", toBytes(vector)];
      const filter = writeFilter(condition, params, numbers) ?? "*";
      const more = options === undefined ? query : checkAttributes(options as Readonly<Record<string, unknown>>);
      const nearest = `(${filter})=>[KNN ${limit} @vector $vector ${more.join(" ")} AS distance]`;
      const shape = ["RETURN", 2, "ref", "distance", "SORTBY", "distance", "ASC", "LIMIT", 0, limit];
      const { documents } = await search("search", [nearest, "PARAMS", params.length, ...params, ...shape], signal);
      const refOf = ({ fields }: (typeof documents)[number]): string =>
        typeof fields["ref"] === "string" ? fields["ref"] : "";
      const asked = plainWords(words);
      if (asked.length === 0)
        return documents.map((one) => ({ ref: refOf(one), score: scores[metric](Number(one.fields["distance"])) }));
      const saying = `${filter === "*" ? "" : `${filter} `}@text:(${asked.join("|")})`;
      const ranked = ["PARAMS", params.length, ...params, "RETURN", 1, "ref", "LIMIT", 0, limit];
      const said = await search("search words", [saying, ...ranked], signal);
      return fuseRanks([documents.map(refOf), said.documents.map(refOf)], limit);
    },
  };
}

/** A record takes the place of the hash that was there, with none of its fields. */
const replaceHash = "redis.call('DEL', KEYS[1]) return redis.call('HSET', KEYS[1], unpack(ARGV))";

/** **Source** "Vector search concepts" of redis.io: 1 minus the cosine or the product, and the squared Euclidean distance. */
const scores: Readonly<Record<EngineMetric, (distance: number) => number>> = {
  cosine: (distance) => 1 - distance,
  dot: (distance) => 1 - distance,
  euclidean: fromSquare,
};

const toBytes = (vector: Float32Array): Buffer => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

const has = (tag: string): string => `@tags:{${tag}}`;

/** A filter in the second dialect, whose numbers are parameters. */
function writeFilter(
  condition: EngineCondition | undefined,
  params: (string | number | Buffer)[],
  numbers: NumberFields,
): string | undefined {
  const nothing = (): string => has("none");
  return writeCondition<string>(condition, {
    has,
    lacks: (tag) => `-${has(tag)}`,
    number(key, is, value) {
      // No entry has the number.
      if (!numbers.has(key)) return nothing();
      const name = `n${params.length}`;
      params.push(name, value);
      if (is === "gt" || is === "gte") return `@${key}:[${is === "gt" ? "(" : ""}$${name} inf]`;
      return `@${key}:[-inf ${is === "lt" ? "(" : ""}$${name}]`;
    },
    and: (parts) => `(${parts.join(" ")})`,
    or: (parts) => `(${parts.join(" | ")})`,
    nothing,
  });
}
