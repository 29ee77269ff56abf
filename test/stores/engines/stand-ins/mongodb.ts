import { type AddressInfo, createServer, type Socket } from "node:net";
import { checkDefinition, type SearchDefinition, searchDocuments } from "./mongo-search.ts";
import { createRows, type Rows } from "./serve.ts";

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
 * The commands of MongoDB with its search: a stand-in for tests.
 *
 * Shapes: "Database Commands" and "MongoDB Search" of mongodb.com, read on 28 November 2026. The search index follows its collection after a time, and is searched
 * when it is built. Every vector is compared. An unknown command, stage or operator is an error.
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
      case "drop":
        collections.delete(name);
        searches.delete(name);
        return {};
      case "listCollections": {
        const names = [...collections.keys()].map((each) => ({ name: each, type: "collection" }));
        return firstBatch("$cmd.listCollections", names.filter(filterOf(command["filter"] as Document)), command);
      }
      case "update": {
        const updates = command["updates"] as { q: Document; u: Document; upsert?: boolean }[];
        for (const { q, u, upsert } of updates) {
          if (upsert !== true || q["_id"] !== u["_id"])
            throw fail("The stand-in replaces whole documents by their _id.");
          documentsMap(name).set(String(u["_id"]), u);
          follow(name, (rows) => rows.put(String(u["_id"]), structuredClone(u)));
        }
        return { n: updates.length, nModified: updates.length };
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
        const [index] = command["indexes"] as [{ name: string; type: string; definition: SearchDefinition }];
        if (indexesOf(name).has(index.name)) throw fail("Index already defined with that name. Duplicate Index", 68);
        if (index.type !== "search") throw fail("The stand-in makes indexes of the type search.");
        const rows = createRows<Document>(lateMs);
        const definition = checkDefinition(index.definition);
        indexesOf(name).set(index.name, { rows, definition, builtAt: Date.now() + buildMs });
        for (const document of documentsOf(name)) rows.put(String(document["_id"]), structuredClone(document));
        return { indexesCreated: [{ id: "1", name: index.name }] };
      }
      default:
        throw fail(`no such command: '${verb}'`, 59);
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

  function aggregate(name: string, pipeline: readonly Document[]): Document[] {
    let rows: Document[] = [];
    for (const [at, stage] of pipeline.entries()) {
      const [[operator, given]] = Object.entries(stage) as [[string, Document]];
      const isFirst = ["$search", "$searchMeta", "$listSearchIndexes"].includes(operator);
      if (isFirst !== (at === 0)) throw fail(`${operator} is not valid at the place ${at} of a pipeline`, 40_602);
      if (operator === "$listSearchIndexes") rows = describeSearch(name, String(given["name"]));
      else if (operator === "$search") rows = search(name, given);
      else if (operator === "$searchMeta") rows = [countSearch(name, given)];
      else if (operator === "$limit") rows = rows.slice(0, Number(given));
      else if (operator === "$project") rows = rows.map((row) => project(row, given));
      else throw fail(`Unrecognized pipeline stage name: '${operator}'`, 40_324);
    }
    return rows;
  }

  function describeSearch(name: string, index: string): Document[] {
    const found = indexesOf(name).get(index);
    if (found === undefined) return [];
    const isBuilt = Date.now() >= found.builtAt;
    const state = { status: isBuilt ? "READY" : "BUILDING", queryable: isBuilt };
    return [{ id: "1", name: index, type: "search", ...state, latestVersion: 0, latestDefinition: found.definition }];
  }

  /** An index that is not there gives nothing, and no error. */
  function find(name: string, index: unknown, operator: Document): ReturnType<typeof searchDocuments> {
    const found = indexesOf(name).get(String(index));
    if (found === undefined) return [];
    if (Date.now() < found.builtAt) throw fail("Cannot query the search index while it is in the INITIAL_SYNC state");
    return searchDocuments(found.definition, operator, found.rows.all());
  }

  function search(name: string, { index, sort, returnStoredSource, ...operator }: Document): Document[] {
    if (returnStoredSource !== true) throw fail("The stand-in gives stored source alone.");
    if (sort !== undefined && operator["vectorSearch"] !== undefined)
      throw fail('"sort" cannot be used with the operator vectorSearch');
    const found = [...find(name, index, operator)];
    if (sort !== undefined) found.sort((a, b) => (String(a.document["_id"]) < String(b.document["_id"]) ? -1 : 1));
    const stored = ["_id", ...(indexesOf(name).get(String(index))?.definition.storedSource.include ?? [])];
    return found.map(({ document, score }) => ({
      ...Object.fromEntries(stored.map((each) => [each, document[each]])),
      $score: score,
    }));
  }

  function countSearch(name: string, { index, count, ...operator }: Document): Document {
    if ((count as { type?: string }).type !== "total") throw fail("The stand-in counts all.");
    return { count: { total: find(name, index, operator).length } };
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

interface Search {
  readonly rows: Rows<Document>;
  readonly definition: SearchDefinition;
  readonly builtAt: number;
}

const fail = (message: string, code?: number): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

function project(row: Document, shape: Document): Document {
  const names = Object.entries({ _id: 1, ...shape }).filter(([, is]) => is !== 0);
  return Object.fromEntries(
    names.map(([name, is]) => [name, typeof is === "object" ? row["$score"] : row[name]] as const),
  );
}

/** A filter of queries. */
function filterOf(filter: Document): (document: Document) => boolean {
  const tests = Object.entries(filter).map(([name, given]): ((document: Document) => boolean) => {
    const conditions = typeof given === "object" && given !== null ? (given as Document) : { $eq: given };
    return (document) =>
      Object.entries(conditions).every(([operator, wanted]) => meets(document[name], operator, wanted));
  });
  return (document) => tests.every((test) => test(document));
}

function meets(value: unknown, operator: string, wanted: unknown): boolean {
  if (operator === "$eq") return value === wanted;
  if (operator === "$in") return (wanted as readonly unknown[]).includes(value);
  if (operator === "$regex") return new RegExp(String(wanted), "u").test(String(value));
  throw fail(`unknown operator: ${operator}`, 2);
}
