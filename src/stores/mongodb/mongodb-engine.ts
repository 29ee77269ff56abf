import type {
  Engine,
  EngineCandidate,
  EngineCondition,
  EngineEntry,
  EngineIndex,
  EngineIndexSpec,
  EngineMetric,
  EngineRequest,
} from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import { createEngine } from "../engines/create-engine.ts";
import { fuseRanks, pageOf } from "../engines/engine-scores.ts";
import type { NumberFields } from "../engines/number-fields.ts";
import { checkOneOf, checkServer } from "../engines/optional-client.ts";
import { writeCondition } from "../engines/translate-filter.ts";
import { waitUntil } from "../engines/wait-until.ts";
import {
  connectMongo,
  isDuplicate,
  type Mongo,
  type MongoCollection,
  type MongoDatabase,
  onCollection,
  readAll,
} from "./mongodb-client.ts";
import { indexName, indexLate, makeSearchIndex, type SearchIndexOptions } from "./search-index.ts";
import { makeWordsIndex, type WordsIndex } from "./words-index.ts";

/**
 * Options of {@link createMongoEngine}.
 *
 * @experimental
 */
export interface MongoOptions extends SearchIndexOptions {
  /** An address with a database, such as `mongodb+srv://host/vectors`, or a database of a client of the package `mongodb`, which stays open. */
  readonly database: string | MongoDatabase;
  /** Beginning of the names of collections. Default `"ibid"`. */
  readonly prefix?: string | undefined;
  /** `"hnsw"` is a graph; `"exact"` compares every entry and misses none. Default `"hnsw"`. */
  readonly search?: "hnsw" | "exact" | undefined;
  /** Fields of `$vectorSearch`, such as `numCandidates`. Default: 20 for each that is asked for, at least 400 and at most 10,000. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** **Units** milliseconds for one command. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

const pageSize = 1_000;

/** Candidates that one search takes, and looks at. **Source** "Run vector search queries": `numCandidates` is 10,000 at most. */
const mostCandidates = 10_000;

/** How long a delete is taken into account. **Units** milliseconds. */
const deletedWithinMs = 10_000;

/**
 * An engine over Atlas Vector Search, or MongoDB with its search process: a collection for each base and embedding version, with a search index.
 *
 * **Shape** the search index follows the collection with a delay. A write ends when the index gives its entries, and they are counted from then on.
 * A collection of records has an index of words beside it, and the ranks of both are joined.
 * Each key of a number becomes a field of the index, which is then built again beside the one that is searched.
 * **Errors** `invalid-argument` for options; `dependency-missing` without the package `mongodb`; `store-busy` where the index takes longer than `indexWithinMs`;
 * others as those of an `Engine`.
 * **Source** "MongoDB Vector Search" of mongodb.com, read in November 2026.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createMongoEngine({ database: "mongodb+srv://host/vectors" }) });
 *
 * @experimental
 */
export function createMongoEngine(options: MongoOptions): Engine {
  checkGiven("createMongoEngine", "the options", options, "object");
  checkOptions("createMongoEngine", options, {
    database: true,
    prefix: true,
    search: true,
    field: true,
    query: true,
    timeoutMs: true,
    indexWithinMs: true,
  });
  const { database, search = "hnsw", timeoutMs = 30_000 } = options;
  checkServer("createMongoEngine", "database", database, "mongodb+srv://host/vectors");
  checkOneOf("mongodb", "search", search, ["hnsw", "exact"]);
  const mongo = connectMongo(database, timeoutMs);
  return createEngine({
    name: "mongodb",
    native: typeof database === "string" ? mongo : database,
    prefix: options.prefix,
    capabilities: { exhaustive: search === "exact", candidates: mostCandidates, records: { kinds: [], words: true } },
    async open(name, spec, signal) {
      const numbers = await makeSearchIndex(mongo, name, spec, options, signal);
      const { indexWithinMs = 120_000 } = options;
      const words = spec.records === true ? await makeWordsIndex(mongo, name, spec, indexWithinMs, signal) : undefined;
      return createIndex(mongo, name, spec, { numbers, words }, options);
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

function createIndex(
  mongo: Mongo,
  name: string,
  { dimensions, metric, name: short, records = false }: EngineIndexSpec,
  { numbers, words: wordsIndex }: { readonly numbers: NumberFields; readonly words: WordsIndex | undefined },
  { search = "hnsw", query, indexWithinMs = 120_000 }: MongoOptions,
): EngineIndex {
  const on = onCollection(mongo, name);
  /** Deletes of this process that the search index may not have followed. */
  const deletes: { readonly at: number; readonly keys: number }[] = [];

  function vectorSearch<Row extends Readonly<Record<string, unknown>>>(
    operation: string,
    stage: object,
    project: object,
    signal?: AbortSignal,
  ): Promise<readonly Row[]> {
    const pipeline = [{ $vectorSearch: { index: indexName, path: "vector", ...stage } }, { $project: project }];
    return on(operation, (one) => readAll<Row>(one.aggregate(pipeline as never[])), signal);
  }

  /**
   * Waits until the search index gives entries that were written, and marks them: they are counted and listed from then on. A process that died in between leaves
   * some without a mark, and the next count or list goes on with them.
   */
  async function settleWrites(filter: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<void> {
    const operation = "look for a write";
    const queryVector = Array.from({ length: dimensions }, () => 1);
    const unmarked = { ...filter, listed: { $ne: true } };
    const page = { projection: { revision: 1 }, limit: pageSize };
    type Row = { revision: string };
    const revisionsOf = (rows: readonly Row[]): string[] => rows.map(({ revision }) => revision);
    const among = (rows: readonly Row[]): object => ({ revision: { $in: revisionsOf(rows) } });
    const settle = async (): Promise<true | undefined> => {
      for (;;) {
        const rows = await find<Row>(operation, unmarked, page, signal);
        if (rows.length === 0) return true;
        const stage = { queryVector, exact: true, limit: rows.length, filter: among(rows) };
        const near = await vectorSearch<Row>(operation, stage, { revision: 1 }, signal);
        const shown = near.length === 0 ? undefined : await wordsIndex?.shows(revisionsOf(near), signal);
        const found = shown === undefined ? near : near.filter(({ revision }) => shown.has(revision));
        if (found.length === 0) return undefined;
        const mark = { $set: { listed: true } };
        await on("write", (one) => one.updateMany(among(found) as never, mark as never), signal);
      }
    };
    await waitUntil({ what: `mongodb: ${operation}`, withinMs: indexWithinMs, signal }, settle, () =>
      indexLate(short, `has not taken a write after ${indexWithinMs / 1000} s`, "store-busy"),
    );
  }

  function find<Row extends Readonly<Record<string, unknown>>>(
    operation: string,
    filter: object,
    page: object,
    signal?: AbortSignal,
  ): Promise<readonly Row[]> {
    return on(operation, (one) => readAll<Row>(one.find(filter as never, page as never)), signal);
  }

  async function nearVector(request: EngineRequest): Promise<readonly EngineCandidate[]> {
    const { vector, condition, limit, options, signal } = request;
    await numbers.learnFor(condition, signal);
    const filter = writeFilter(condition, numbers);
    // The search index names deleted documents for a while, and the database leaves them out: fewer come than are there.
    while (deletes[0] !== undefined && deletes[0].at < platformNow() - deletedWithinMs) deletes.shift();
    const gone = deletes.reduce((sum, each) => sum + each.keys, 0);
    let before = -1;
    for (let asked = Math.min(mostCandidates, limit + gone); ; asked = Math.min(mostCandidates, asked * 2)) {
      const stage = {
        ...(search === "exact"
          ? { exact: true }
          : { numCandidates: Math.min(mostCandidates, Math.max(400, 20 * asked)) }),
        ...query,
        ...(options as object | undefined),
        queryVector: [...vector],
        limit: asked,
        ...(filter !== undefined && { filter }),
      };
      const project = { _id: 0, ref: 1, score: { $meta: "vectorSearchScore" } };
      const rows = await vectorSearch<{ ref: string; score: number }>("search", stage, project, signal);
      if (rows.length >= limit || rows.length === before || asked >= mostCandidates)
        return rows.slice(0, limit).map(({ ref, score }) => ({ ref, score: scores[metric](score) }));
      before = rows.length;
    }
  }

  const listed = (tag: string): Readonly<Record<string, unknown>> => ({ tags: tag, listed: true });

  return {
    async put(entries, signal) {
      if (entries.length === 0) return;
      await numbers.addFor(entries, signal);
      const documents = entries.map(toDocument);
      const replace = documents.map((replacement) => ({
        replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
      }));
      const insert = (one: MongoCollection) =>
        one.insertMany(documents as never[], { ordered: false }).catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
        });
      await on("write", records ? (one) => one.bulkWrite(replace as never[], { ordered: false }) : insert, signal);
      await settleWrites({ _id: { $in: entries.map(({ key }) => key) } }, signal);
    },
    async delete(keys, signal) {
      deletes.push({ at: platformNow(), keys: keys.length });
      await on("delete", (one) => one.deleteMany({ _id: { $in: keys } } as never), signal);
    },
    async count(tag, signal) {
      await settleWrites({ tags: tag }, signal);
      return on("count", (one) => one.countDocuments(listed(tag) as never), signal);
    },
    async list(tag, from, signal) {
      if (from === undefined) await settleWrites({ tags: tag }, signal);
      const filter = { ...listed(tag), ...(from !== undefined && { _id: { $gt: from } }) };
      const page = { projection: { _id: 1 }, sort: { _id: 1 }, limit: pageSize };
      const keys = (await find<{ _id: string }>("list", filter, page, signal)).map(({ _id }) => _id);
      return pageOf(keys, pageSize);
    },
    async read(keys, signal) {
      type Row = { _id: string; ref: string; json?: string | null };
      const page = { projection: { ref: 1, json: 1 } };
      const rows = await find<Row>("read", { _id: { $in: keys } }, page, signal);
      return rows.flatMap(({ _id, ref, json }) => (typeof json === "string" ? [{ key: _id, ref, json }] : []));
    },
    async readVectors(keys, signal) {
      type Row = { _id: string; vector: readonly number[] };
      const rows = await find<Row>("read vectors", { _id: { $in: keys } }, { projection: { vector: 1 } }, signal);
      return rows.map(({ _id, vector }) => ({ key: _id, vector: Float32Array.from(vector) }));
    },
    async nearest(request) {
      const { words, condition, limit, signal } = request;
      if (words === undefined || wordsIndex === undefined) return nearVector(request);
      const [near, said] = await Promise.all([nearVector(request), wordsIndex.rank(words, condition, limit, signal)]);
      return fuseRanks([near.map(({ ref }) => ref), said], limit);
    },
  };
}

/** An entry that is written again has another revision: the search index may still give the former one, which was deleted or replaced. */
const toDocument = ({ key, ref, tags, numbers, vector, record }: EngineEntry) => ({
  _id: key,
  revision: `${key} ${crypto.randomUUID()}`,
  ...(record && { json: record.json ?? null, fields: record.fields, text: record.text }),
  ref,
  tags,
  numbers,
  vector: [...vector],
});

/** **Source** "MongoDB Vector Search score": half of 1 and the cosine or the product, and 1 divided by 1 and the distance. */
const scores: Readonly<Record<EngineMetric, (score: number) => number>> = {
  cosine: (score) => 2 * score - 1,
  dot: (score) => 2 * score - 1,
  euclidean: (score) => score,
};

function writeFilter(condition: EngineCondition | undefined, numbers: NumberFields): object | undefined {
  const nothing = (): object => ({ tags: { $eq: "none" } });
  return writeCondition<object>(condition, {
    has: (tag) => ({ tags: { $eq: tag } }),
    lacks: (tag) => ({ tags: { $ne: tag } }),
    // No entry has a number that the index does not know.
    number: (key, is, value) => (numbers.has(key) ? { [`numbers.${key}`]: { [`$${is}`]: value } } : nothing()),
    and: (parts) => ({ $and: parts }),
    or: (parts) => ({ $or: parts }),
    nothing,
  });
}
