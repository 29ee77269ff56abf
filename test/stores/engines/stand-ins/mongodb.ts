import { type AddressInfo, createServer, type Socket } from "node:net";
import { checkWordsDefinition, searchWords, type WordsDefinition } from "./mongo-search.ts";
import { createRows, measures, type Rows } from "./serve.ts";

type Document = Record<string, unknown>;

/** The part of the package `bson` that is used here. */
export interface Bson {
  serialize(document: object): Uint8Array;
  deserialize(bytes: Uint8Array): Document;
  readonly Long: { fromNumber(value: number): unknown };
}

/** Answers of a database to commands, by name: `{ find: "collection", filter }`. A failure has `ok: 0`. */
export type MongoCommands = (command: Document) => Document;

/**
 * The commands of MongoDB with vector search: a stand-in for tests.
 *
 * Shapes: "Database Commands" and "MongoDB Vector Search" of mongodb.com, read on 24 November 2026. The search index follows its collection after a time, and a
 * changed definition is searched when it is built. Every vector is compared. An unknown command, stage or operator is an error.
 *
 * @param toLong makes the 64 bits of a cursor.
 */
export function createMongoCommands({
  lateMs = 0,
  buildMs = 0,
  toLong = (value: number): unknown => value,
} = {}): MongoCommands {
  const collections = new Map<string, Collection>();
  const cursors = new Map<number, { readonly name: string; readonly rest: Document[] }>();
  /** Search indexes of each collection, by their names. */
  const searches = new Map<string, Map<string, Search>>();
  const indexesOf = (name: string): Map<string, Search> =>
    searches.get(name) ?? searches.set(name, new Map()).get(name)!;
  const follow = (name: string, work: (rows: Rows<Document>) => void): void => {
    for (const { rows } of indexesOf(name).values()) work(rows);
  };
  let nextCursor = 1;

  return (command) => {
    try {
      return { ok: 1, ...answer(command) };
    } catch (error) {
      const { code = 8000, message } = error as Error & { code?: number };
      return { ok: 0, errmsg: message, code, codeName: code === 8000 ? "AtlasError" : "Error" };
    }
  };

  function answer(command: Document): Document {
    const [verb = "", given] = Object.entries(command)[0] ?? [];
    const name = String(given);
    switch (verb) {
      case "hello":
      case "isMaster":
      case "ismaster":
        return {
          isWritablePrimary: true,
          ismaster: true,
          maxBsonObjectSize: 16_777_216,
          maxMessageSizeBytes: 48_000_000,
          maxWriteBatchSize: 100_000,
          minWireVersion: 0,
          maxWireVersion: 27,
        };
      case "ping":
      case "endSessions":
      case "killCursors":
        return {};
      case "create":
        if (collections.has(name)) throw fail(`Collection already exists. NS: test.${name}`, 48);
        collections.set(name, new Map());
        return {};
      case "createIndexes":
        return { numIndexesAfter: 2 };
      case "drop":
        collections.delete(name);
        searches.delete(name);
        return {};
      case "listCollections": {
        const names = [...collections.keys()].map((each) => ({ name: each, type: "collection" }));
        return firstBatch("$cmd.listCollections", names.filter(filterOf(command["filter"] as Document)), command);
      }
      case "insert":
        return insert(name, command["documents"] as Document[]);
      case "update": {
        let n = 0;
        for (const { q, u, upsert } of command["updates"] as { q: Document; u: Document; upsert?: boolean }[]) {
          if (u["$set"] === undefined) {
            if (upsert !== true || q["_id"] !== u["_id"])
              throw fail("The stand-in replaces whole documents by their _id.");
            documentsMap(name).set(String(u["_id"]), u);
            follow(name, (rows) => rows.put(String(u["_id"]), structuredClone(u)));
            n++;
            continue;
          }
          for (const document of documentsOf(name).filter(filterOf(q))) {
            Object.assign(document, u["$set"]);
            n++;
          }
        }
        return { n, nModified: n };
      }
      case "delete": {
        let n = 0;
        for (const { q } of command["deletes"] as { q: Document }[]) {
          for (const { _id } of documentsOf(name).filter(filterOf(q))) {
            collections.get(name)!.delete(String(_id));
            follow(name, (rows) => rows.delete(String(_id)));
            n++;
          }
        }
        return { n };
      }
      case "find": {
        const { filter = {}, sort, limit = 0 } = command as { filter?: Document; sort?: Document; limit?: number };
        const found = documentsOf(name).filter(filterOf(filter));
        if (sort !== undefined) found.sort((a, b) => (String(a["_id"]) < String(b["_id"]) ? -1 : 1));
        return firstBatch(name, limit > 0 ? found.slice(0, limit) : found, command);
      }
      case "aggregate":
        return firstBatch(name, aggregate(name, command["pipeline"] as Document[]), command);
      case "getMore": {
        const cursor = cursors.get(Number(given));
        if (cursor === undefined) throw fail(`cursor id ${name} not found`, 43);
        cursors.delete(Number(given));
        const { id, batch } = nextBatch(cursor.name, cursor.rest, 1_000);
        return { cursor: { id, ns: `test.${cursor.name}`, nextBatch: batch } };
      }
      case "createSearchIndexes": {
        const [index] = command["indexes"] as [
          { name: string; type: string; definition: Definition & WordsDefinition },
        ];
        if (indexesOf(name).has(index.name)) throw fail("Index already defined with that name. Duplicate Index", 68);
        const definition =
          index.type === "search" ? checkWordsDefinition(index.definition) : checkDefinition(index.definition);
        const search = createSearch(index.type, definition);
        indexesOf(name).set(index.name, search);
        for (const document of documentsOf(name)) search.rows.put(String(document["_id"]), document);
        return { indexesCreated: [{ id: "1", name: index.name }] };
      }
      case "updateSearchIndex": {
        const search = indexesOf(name).get(String(command["name"]));
        if (search === undefined) throw fail("Search index not found", 27);
        settleBuild(search);
        search.staged = { definition: checkDefinition(command["definition"] as Definition), at: Date.now() + buildMs };
        return {};
      }
      default:
        throw fail(`no such command: '${verb}'`, 59);
    }
  }

  function createSearch(type: string, definition: Search["active"] & object): Search {
    return {
      type,
      rows: createRows<Document>(lateMs),
      active: undefined,
      staged: { definition, at: Date.now() + buildMs },
    };
  }

  function settleBuild(search: Search): void {
    if (search.staged !== undefined && Date.now() >= search.staged.at) {
      search.active = search.staged.definition;
      search.staged = undefined;
    }
  }

  function documentsMap(name: string): Collection {
    const collection = collections.get(name) ?? new Map<string, Document>();
    collections.set(name, collection);
    return collection;
  }

  function documentsOf(name: string): Document[] {
    return [...(collections.get(name)?.values() ?? [])];
  }

  function insert(name: string, documents: readonly Document[]): Document {
    const collection = documentsMap(name);
    const writeErrors: Document[] = [];
    for (const [index, document] of documents.entries()) {
      const id = String(document["_id"]);
      if (collection.has(id)) {
        const errmsg = `E11000 duplicate key error collection: test.${name} index: _id_ dup key: { _id: "${id}" }`;
        writeErrors.push({ index, code: 11_000, keyPattern: { _id: 1 }, keyValue: { _id: id }, errmsg });
        continue;
      }
      collection.set(id, document);
      follow(name, (rows) => rows.put(id, document));
    }
    return { n: documents.length - writeErrors.length, ...(writeErrors.length > 0 && { writeErrors }) };
  }

  function aggregate(name: string, pipeline: readonly Document[]): Document[] {
    let rows = documentsOf(name);
    for (const [at, stage] of pipeline.entries()) {
      const [[operator, given]] = Object.entries(stage) as [[string, Document]];
      if (["$vectorSearch", "$search", "$listSearchIndexes"].includes(operator) && at > 0)
        throw fail(`${operator} is only valid as the first stage in a pipeline`, 40_602);
      if (operator === "$listSearchIndexes") rows = describeSearch(name, String(given["name"]));
      else if (operator === "$vectorSearch") rows = vectorSearch(name, given as unknown as VectorSearch);
      else if (operator === "$search") rows = wordSearch(name, given);
      else if (operator === "$limit") rows = rows.slice(0, Number(given));
      else if (operator === "$match") rows = rows.filter(filterOf(given));
      else if (operator === "$group") rows = rows.length === 0 ? [] : [{ _id: 1, n: rows.length }];
      else if (operator === "$project") rows = rows.map((row) => project(row, given));
      else throw fail(`Unrecognized pipeline stage name: '${operator}'`, 40_324);
    }
    return rows;
  }

  function describeSearch(name: string, index: string): Document[] {
    const search = indexesOf(name).get(index);
    if (search === undefined) return [];
    settleBuild(search);
    const latestDefinition = search.staged?.definition ?? search.active;
    const status = search.staged === undefined ? "READY" : "BUILDING";
    const queryable = search.active !== undefined;
    return [{ id: "1", name: index, type: search.type, status, queryable, latestVersion: 0, latestDefinition }];
  }

  function vectorSearch(name: string, given: VectorSearch): Document[] {
    const search = indexesOf(name).get(given.index);
    if (search === undefined) return [];
    settleBuild(search);
    if (search.active === undefined) throw fail("Cannot query the search index while it is in the INITIAL_SYNC state");
    if (!("fields" in search.active)) throw fail("The index is not of the type vectorSearch");
    const field = search.active.fields.find(({ type }) => type === "vector")!;
    const { queryVector, limit, numCandidates, exact, filter } = given;
    if (queryVector.length !== field.numDimensions) throw fail("The query vector has other dimensions.");
    if (exact === true ? numCandidates !== undefined : !(numCandidates! >= limit && numCandidates! <= 10_000))
      throw fail('"numCandidates" is from "limit" to 10000, and left out where "exact" is true');
    const paths = new Set(search.active.fields.flatMap(({ type, path }) => (type === "filter" ? [path] : [])));
    const admitted = search.rows.all().filter(filter === undefined ? () => true : filterOf(filter, paths));
    const scored = admitted.map(({ _id, vector }) => ({
      id: String(_id),
      score: scoreOf(field.similarity!, queryVector, vector as number[]),
    }));
    scored.sort((a, b) => b.score - a.score);
    // The search process names documents, and the database reads them.
    return scored.slice(0, limit).flatMap(({ id, score }) => {
      const document = collections.get(name)?.get(id);
      return document === undefined ? [] : [{ ...document, $score: score }];
    });
  }

  function wordSearch(name: string, { index, compound, ...unknown }: Document): Document[] {
    if (Object.keys(unknown).length > 0) throw fail(`unrecognized field "${Object.keys(unknown)[0]!}"`);
    const search = indexesOf(name).get(String(index));
    if (search === undefined) return [];
    settleBuild(search);
    if (search.active === undefined) throw fail("Cannot query the search index while it is in the INITIAL_SYNC state");
    if (!("mappings" in search.active)) throw fail("The index is not of the type search");
    return searchWords(search.active, compound as Document, search.rows.all()).flatMap(
      ({ document: { _id }, score }) => {
        const document = collections.get(name)?.get(String(_id));
        return document === undefined ? [] : [{ ...document, $score: score }];
      },
    );
  }

  function nextBatch(name: string, all: Document[], size: number): { id: unknown; batch: Document[] } {
    const batch = all.slice(0, size).map(({ $score: _score, ...document }) => document);
    if (all.length <= size) return { id: toLong(0), batch };
    cursors.set(nextCursor, { name, rest: all.slice(size) });
    return { id: toLong(nextCursor++), batch };
  }

  function firstBatch(name: string, all: Document[], command: Document): Document {
    const { batchSize } = { ...command, ...(command["cursor"] as Document | undefined) } as { batchSize?: number };
    const { id, batch } = nextBatch(name, all, batchSize ?? 101);
    return { cursor: { id, ns: `test.${name}`, firstBatch: batch } };
  }
}

/**
 * Those commands behind a loopback server that speaks MongoDB's wire protocol, for the package `mongodb`.
 *
 * Shapes: "MongoDB Wire Protocol" of mongodb.com, read on 24 November 2026.
 */
export async function startMongo(
  bson: Bson,
  options: { lateMs?: number; buildMs?: number } = {},
): Promise<{ url: string; stop(): void }> {
  const answer = createMongoCommands({ ...options, toLong: (value) => bson.Long.fromNumber(value) });
  const sockets = new Set<Socket>();

  const server = createServer((socket) => {
    sockets.add(socket);
    let pending = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (piece) => {
      pending = Buffer.concat([pending, piece]);
      while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
        const size = pending.readInt32LE(0);
        answerMessage(socket, pending.subarray(0, size));
        pending = pending.subarray(size);
      }
    });
  });

  function answerMessage(socket: Socket, message: Buffer): void {
    const isQuery = message.readInt32LE(12) === 2004;
    const reply = bson.serialize(answer(isQuery ? readQuery(message) : readMessage(message)));
    const head = Buffer.alloc(isQuery ? 36 : 21);
    head.writeInt32LE(head.length + reply.length, 0);
    head.writeInt32LE(message.readInt32LE(4), 8);
    head.writeInt32LE(isQuery ? 1 : 2013, 12);
    if (isQuery) head.writeInt32LE(1, 32);
    socket.write(Buffer.concat([head, reply]));
  }

  function readQuery(message: Buffer): Document {
    return bson.deserialize(message.subarray(message.indexOf(0, 20) + 9));
  }

  /** A body, and perhaps lists of documents that belong to it. */
  function readMessage(message: Buffer): Document {
    let body: Document = {};
    for (let at = 20; at < message.length;) {
      const kind = message[at]!;
      const size = message.readInt32LE(at + 1);
      if (kind === 0) body = { ...body, ...bson.deserialize(message.subarray(at + 1, at + 1 + size)) };
      else {
        const end = message.indexOf(0, at + 5);
        const documents: Document[] = [];
        for (let from = end + 1; from < at + 1 + size; from += message.readInt32LE(from))
          documents.push(bson.deserialize(message.subarray(from, from + message.readInt32LE(from))));
        body = { ...body, [message.toString("utf8", at + 5, end)]: documents };
      }
      at += 1 + size;
    }
    return body;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/test`,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

type Collection = Map<string, Document>;

interface Definition {
  readonly fields: readonly {
    readonly type: string;
    readonly path: string;
    readonly numDimensions?: number;
    readonly similarity?: string;
  }[];
}

interface Search {
  readonly type: string;
  readonly rows: Rows<Document>;
  active: Definition | WordsDefinition | undefined;
  staged: { readonly definition: Definition | WordsDefinition; readonly at: number } | undefined;
}

interface VectorSearch {
  readonly index: string;
  readonly queryVector: readonly number[];
  readonly limit: number;
  readonly numCandidates?: number;
  readonly exact?: boolean;
  readonly filter?: Document;
}

const fail = (message: string, code?: number): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

function checkDefinition(definition: Definition): Definition {
  const vectors = definition.fields.filter(({ type }) => type === "vector");
  const isKnown = definition.fields.every(({ type }) => type === "vector" || type === "filter");
  if (vectors.length !== 1 || !isKnown) throw fail("The definition needs a vector, and has filters beside it.");
  if (!["cosine", "dotProduct", "euclidean"].includes(vectors[0]!.similarity!)) throw fail("similarity is unknown");
  return definition;
}

function scoreOf(similarity: string, a: readonly number[], b: readonly number[]): number {
  if (similarity === "euclidean") return 1 / (1 + Math.sqrt(measures.squared(a, b)));
  return (1 + (similarity === "cosine" ? measures.cosine(a, b) : measures.dot(a, b))) / 2;
}

function project(row: Document, shape: Document): Document {
  const names = Object.entries(shape).filter(([, is]) => is !== 0);
  return Object.fromEntries(
    names.map(([name, is]) => [name, typeof is === "object" ? row["$score"] : row[name]] as const),
  );
}

/** A filter of queries. With `paths`, one of `$vectorSearch`, which names indexed paths alone. */
function filterOf(filter: Document, paths?: ReadonlySet<string>): (document: Document) => boolean {
  const tests = Object.entries(filter).map(([name, given]): ((document: Document) => boolean) => {
    if (name === "$and" || name === "$or") {
      const parts = (given as Document[]).map((part) => filterOf(part, paths));
      return (document) => parts[name === "$and" ? "every" : "some"]((part) => part(document));
    }
    if (paths?.has(name) === false) throw fail(`Path '${name}' needs to be indexed as filter`);
    const conditions = typeof given === "object" && given !== null ? (given as Document) : { $eq: given };
    return (document) => {
      const value = name.split(".").reduce<unknown>((at, key) => (at as Document | undefined)?.[key], document);
      const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
      return Object.entries(conditions).every(([operator, wanted]) => meets(elements, operator, wanted));
    };
  });
  return (document) => tests.every((test) => test(document));
}

function meets(elements: readonly unknown[], operator: string, wanted: unknown): boolean {
  const compares = (is: (each: number) => boolean): boolean =>
    elements.some((each) => typeof each === typeof wanted && is(each as number));
  const limit = wanted as number;
  switch (operator) {
    case "$eq":
      return elements.includes(wanted);
    case "$ne":
      return !elements.includes(wanted);
    case "$in":
      return elements.some((each) => (wanted as unknown[]).includes(each));
    case "$exists":
      return elements.some((each) => each !== undefined) === wanted;
    case "$regex":
      return elements.some((each) => new RegExp(String(wanted), "u").test(String(each)));
    case "$gt":
      return compares((each) => each > limit);
    case "$gte":
      return compares((each) => each >= limit);
    case "$lt":
      return compares((each) => each < limit);
    case "$lte":
      return compares((each) => each <= limit);
    default:
      throw fail(`unknown operator: ${operator}`, 2);
  }
}
