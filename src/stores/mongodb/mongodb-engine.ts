import type { Engine, EngineCondition } from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkDimensions, engineFailed } from "../engines/check-engine.ts";
import { createEngine, type MeasuredSpec, type OwnIndex, pageSize } from "../engines/create-engine.ts";
import { asItIs, type NamedMeasure } from "../engines/engine-scores.ts";
import { type ClientOptions, checkOneOf, clientOptions, passOver } from "../engines/optional-client.ts";
import { writeCondition } from "../engines/translate-filter.ts";
import { type IndexWait, waitForIndex } from "../engines/wait-until.ts";
import { connectMongo, type Mongo, type MongoDatabase, onCollection, readAll } from "./mongodb-client.ts";

/**
 * Options of {@link createMongoEngine}.
 *
 * @experimental
 */
export interface MongoOptions extends ClientOptions {
  /** An address with a database, such as `mongodb+srv://host/vectors`, or a database of a client of the package `mongodb`, which stays open. */
  readonly database: string | MongoDatabase;
  /** `"hnsw"` is a graph; `"exact"` compares every entry and misses none. Default `"hnsw"`. */
  readonly search?: "hnsw" | "exact" | undefined;
  /** Fields of the search index's definition, such as `analyzer` or `numPartitions`. */
  readonly index?: Readonly<Record<string, unknown>> | undefined;
  /** Fields of the vector field's definition, such as `quantization` or `hnswOptions`. */
  readonly field?: Readonly<Record<string, unknown>> | undefined;
  /** Fields of `vectorSearch`, such as `numCandidates`. Default: 20 for each that is asked for, at least 400 and at most 10,000. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Longest wait until the search index has taken a write, or is built. **Units** milliseconds. Default 120,000. */
  readonly indexWithinMs?: number | undefined;
}

/** Name of the search index in each collection. */
const indexName = "ibid_search";

const fromHalf = (score: number): number => 2 * score - 1;

/** **Source** "MongoDB Vector Search score": half of 1 and the cosine or the product, and 1 divided by 1 and the distance. */
const measures = {
  cosine: { name: "cosine", score: fromHalf },
  dot: { name: "dotProduct", score: fromHalf },
  euclidean: { name: "euclidean", score: asItIs },
};

/** Candidates that one search takes, and looks at. **Source** "vectorSearch operator": `numCandidates` is 10,000 at most. */
const mostCandidates = 10_000;

/**
 * An engine over MongoDB Search, in Atlas or beside a server of one's own: a collection for each base and embedding version.
 *
 * **Shape** each collection has one search index, of vectors, tags, numbers and words, which follows it with a delay. A write or a delete ends when both agree.
 * Counts, lists and searches ask the index alone. The ranks of words and vector are joined.
 * **Errors** `invalid-argument` for options; `dependency-missing` without the package `mongodb`; `store-busy` where the index takes longer than `indexWithinMs`;
 * others as those of an `Engine`.
 * **Source** "vectorSearch operator", "vector type" and "Return stored source" of MongoDB Search, mongodb.com, read in November 2026.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createMongoEngine({ database: "mongodb+srv://host/vectors" }) });
 *
 * @experimental
 */
export function createMongoEngine(options: MongoOptions): Engine {
  checkGiven("createMongoEngine", "the options", options, "object");
  const own = { database: true, search: true, index: true, field: true, query: true, indexWithinMs: true } as const;
  checkOptions("createMongoEngine", options, { ...clientOptions, ...own });
  const { database, search = "hnsw", timeoutMs = 30_000, indexWithinMs = 120_000 } = options;
  checkOneOf("mongodb", "search", search, ["hnsw", "exact"]);
  const mongo = connectMongo(database, timeoutMs);
  const records = { kinds: [], words: true, mayLackWords: true };
  return createEngine({
    name: "mongodb",
    native: mongo.native,
    prefix: options.prefix,
    measures,
    query: { ...(search === "exact" && { exact: true }), ...options.query },
    capabilities: { exhaustive: search === "exact", candidates: mostCandidates, records },
    async open(name, spec, signal) {
      await makeSearchIndex(mongo, name, spec, { ...options, indexWithinMs }, signal);
      return createIndex(mongo, name, spec, indexWithinMs);
    },
    async names(beginning, signal) {
      const filter = { name: { $regex: `^${beginning}` } } as never;
      type Named = { name: string };
      const list = (db: MongoDatabase) => readAll<Named>(db.listCollections(filter, { nameOnly: true }));
      return (await mongo.run("list collections", list, signal)).map(({ name }) => name);
    },
    // A collection that is not there is dropped in silence since MongoDB 7.
    drop: (name, signal) => mongo.run("drop a collection", (db) => db.collection(name).drop(), signal),
    close: () => mongo.close(),
  });
}

interface IndexState {
  readonly status: string;
  readonly queryable: boolean;
  readonly latestDefinition: {
    readonly mappings: { readonly fields: { readonly vector?: { numDimensions?: number } } };
  };
}

/** Makes the search index of a collection where it is not there, and waits until it can be searched. */
async function makeSearchIndex(
  mongo: Mongo,
  name: string,
  spec: MeasuredSpec<NamedMeasure>,
  { index, field, indexWithinMs }: MongoOptions & { readonly indexWithinMs: number },
  signal?: AbortSignal,
): Promise<void> {
  const on = onCollection(mongo, name);
  const operation = "build the search index";
  const look = async (): Promise<IndexState | undefined> =>
    (await on("read the search index", (one) => readAll<IndexState>(one.listSearchIndexes(indexName)), signal))[0];
  if ((await look()) === undefined) {
    const made = mongo.run("create a collection", (db) => db.createCollection(name), signal);
    await made.catch(passOver(/already exists/iu));
    const vector = { ...field, type: "vector", numDimensions: spec.dimensions, similarity: spec.measure.name };
    const names = { _id: { type: "token" }, revision: { type: "token" }, tags: { type: "token" } };
    const numbers = { type: "document", dynamic: true };
    const words = spec.records === true && { text: { type: "string" } };
    const mappings = { dynamic: false, fields: { ...names, numbers, vector, ...words } };
    const definition = { ...index, mappings, storedSource: { include: ["ref", "revision"] } };
    const description = { name: indexName, type: "search", definition };
    const defined = on("create the search index", (one) => one.createSearchIndex(description as never), signal);
    await defined.catch(passOver(/already defined|already exists|duplicate/iu));
  }
  const ready = async (): Promise<IndexState | undefined> => {
    const state = await look();
    if (state?.status === "FAILED")
      throw engineFailed("mongodb", operation, new Error(`the search index of ${spec.name} cannot be built`));
    return state?.status === "READY" && state.queryable ? state : undefined;
  };
  const wait = { ...settling(spec.name, operation, "is not built", indexWithinMs, signal), pauseMs: 2_000 };
  const state = await waitForIndex(wait, ready);
  checkDimensions("mongodb", spec, state.latestDefinition.mappings.fields.vector?.numDimensions ?? spec.dimensions);
}

/** A wait for the search index of a collection. */
function settling(name: string, operation: string, state: string, withinMs: number, signal?: AbortSignal): IndexWait {
  const hint = "Look at the search index, or allow more time with indexWithinMs; settling goes on with it.";
  return { engine: "mongodb", operation, state: `the search index of ${name} ${state}`, hint, withinMs, signal };
}

function createIndex(
  mongo: Mongo,
  name: string,
  { measure, name: short }: MeasuredSpec<NamedMeasure>,
  indexWithinMs: number,
): OwnIndex {
  type Row = { readonly _id: string; readonly ref: string; readonly revision: string; readonly score: number };
  const on = onCollection(mongo, name);

  /** Entries as the search index has them, without a look into the collection. */
  function ask(operation: string, stage: object, limit: number, signal?: AbortSignal): Promise<readonly Row[]> {
    const score = { $meta: "searchScore" };
    const stages = [
      { $search: { index: indexName, returnStoredSource: true, ...stage } },
      { $limit: limit },
      { $project: { ref: 1, revision: 1, score } },
    ];
    return on(operation, (one) => readAll<Row>(one.aggregate(stages as never[])), signal);
  }

  function find<Found>(operation: string, keys: readonly string[], fields: object, signal?: AbortSignal) {
    const filter = { _id: { $in: keys } } as never;
    return on(operation, (one) => readAll<Found>(one.find(filter, { projection: fields } as never)), signal);
  }

  /** Waits until the search index has under some keys just what the collection has. An entry that is written again has another revision. */
  async function settle(operation: string, keys: readonly string[], signal?: AbortSignal): Promise<void> {
    const given = { in: { path: "_id", value: keys } };
    const look = async (): Promise<true | undefined> => {
      const kept = await find<Row>(operation, keys, { revision: 1 }, signal);
      const shown = new Set((await ask(operation, given, keys.length, signal)).map(({ revision }) => revision));
      return shown.size === kept.length && kept.every(({ revision }) => shown.has(revision)) ? true : undefined;
    };
    await waitForIndex(settling(short, operation, "has not taken a write", indexWithinMs, signal), look);
  }

  return {
    score: measure.score,
    async put(entries, signal) {
      const writes = entries.map(({ key, ref, tags, numbers, vector, record }) => {
        const kept = record && { ...record, json: record.json ?? null };
        const revision = `${key} ${crypto.randomUUID()}`;
        const replacement = { _id: key, revision, ref, tags, numbers, vector: [...vector], ...kept };
        return { replaceOne: { filter: { _id: key }, replacement, upsert: true } };
      });
      await on("write", (one) => one.bulkWrite(writes as never[], { ordered: false }), signal);
      const keys = entries.map(({ key }) => key);
      await settle("write", keys, signal);
    },
    async delete(keys, signal) {
      await on("delete", (one) => one.deleteMany({ _id: { $in: keys } } as never), signal);
      await settle("delete", keys, signal);
    },
    async count(tag, signal) {
      const stages = [{ $searchMeta: { index: indexName, ...has(tag), count: { type: "total" } } }];
      // A client of one's own may read 64 bits as a bigint.
      type Found = { count: { total: number | bigint } };
      const [found] = await on("count", (one) => readAll<Found>(one.aggregate(stages as never[])), signal);
      return Number(found?.count.total ?? 0);
    },
    async list(tag, from, signal) {
      const after = from === undefined ? [] : [{ range: { path: "_id", gt: from } }];
      const stage = { compound: { filter: [has(tag), ...after] }, sort: { _id: 1 } };
      return (await ask("list", stage, pageSize, signal)).map(({ _id }) => _id);
    },
    async read(keys, signal) {
      type Kept = { _id: string; ref: string; json?: string | null };
      const rows = await find<Kept>("read", keys, { ref: 1, json: 1 }, signal);
      return rows.map(({ _id, ...row }) => ({ ...row, key: _id }));
    },
    async readVectors(keys, signal) {
      type Kept = { _id: string; vector: readonly number[] };
      const rows = await find<Kept>("read vectors", keys, { vector: 1 }, signal);
      return rows.map(({ _id, vector }) => ({ key: _id, vector }));
    },
    async nearest({ vector, condition, limit, options, signal }) {
      const filter = writeFilter(condition);
      const numCandidates = Math.min(mostCandidates, Math.max(400, 20 * limit));
      const width = options["exact"] !== true && { numCandidates };
      const chosen = { ...width, ...options, ...(filter && { filter }) };
      const vectorSearch = { ...chosen, path: "vector", queryVector: [...vector], limit };
      return ask("search", { vectorSearch }, limit, signal);
    },
    async said(words, { condition, limit, signal }) {
      const filter = writeFilter(condition);
      const text = { query: words.join(" "), path: "text" };
      const compound = { must: [{ text }], ...(filter && { filter: [filter] }) };
      return (await ask("search words", { compound }, limit, signal)).map(({ ref }) => ref);
    },
  };
}

const has = (tag: string): object => ({ equals: { path: "tags", value: tag } });

/** A filter as one operator of MongoDB Search. **Source** "compound", "equals" and "range". */
function writeFilter(condition: EngineCondition | undefined): object | undefined {
  return writeCondition<object>(condition, {
    has,
    // A clause that only excludes has nothing to exclude from.
    lacks: (tag) => ({ compound: { filter: [{ exists: { path: "tags" } }], mustNot: [has(tag)] } }),
    number: (key, is, value) => ({ range: { path: `numbers.${key}`, [is]: value } }),
    and: (filter) => ({ compound: { filter } }),
    or: (should) => ({ compound: { should, minimumShouldMatch: 1 } }),
    nothing: () => has("none"),
  });
}
