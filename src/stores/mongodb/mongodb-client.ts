import { IbidError } from "../../contracts/errors.ts";
import { createOptionalClient, type OptionalClient } from "../engines/optional-client.ts";

/**
 * A cursor of the package `mongodb`, as far as it is used here.
 *
 * @experimental
 */
export interface MongoCursor {
  toArray(): Promise<unknown[]>;
}

/**
 * A collection of the package `mongodb`, as far as it is used here.
 *
 * @experimental
 */
export interface MongoCollection {
  bulkWrite(operations: never[], options: { ordered: boolean }): Promise<unknown>;
  deleteMany(filter: never): Promise<unknown>;
  find(filter: never, options: never): MongoCursor;
  aggregate(pipeline: never[]): MongoCursor;
  createSearchIndex(description: never): Promise<unknown>;
  listSearchIndexes(name: string): MongoCursor;
  drop(): Promise<unknown>;
}

/**
 * A database of the package `mongodb`: `client.db("vectors")`.
 *
 * @experimental
 */
export interface MongoDatabase {
  collection(name: string): MongoCollection;
  createCollection(name: string): Promise<unknown>;
  listCollections(filter: never, options: { nameOnly: true }): MongoCursor;
}

/** A database that answers, with errors that name store and operation. */
export type Mongo = OptionalClient<MongoDatabase>;

interface OwnClient {
  connect(): Promise<unknown>;
  db(): MongoDatabase;
  close(): Promise<void>;
}

type MongoLibrary = { readonly MongoClient: new (url: string, options: object) => OwnClient };

/** The database that an address names, which is connected when it is first asked, or one that stays open. */
export function connectMongo(database: string | MongoDatabase, timeoutMs: number): Mongo {
  let own: OwnClient | undefined;
  return createOptionalClient<MongoDatabase, MongoDatabase, MongoLibrary>({
    engine: "mongodb",
    asked: ["createMongoEngine", "database"],
    given: database,
    example: "mongodb+srv://host/vectors",
    readHost,
    library: ["mongodb", "MongoClient"],
    async open({ MongoClient }, address) {
      own = new MongoClient(address, { serverSelectionTimeoutMS: timeoutMs, socketTimeoutMS: timeoutMs });
      // A client whose first connection fails never connects again; the next call makes another.
      await own.connect();
      return own.db();
    },
    end: () => own?.close(),
    signs: {
      isBusy: ({ status }) => status !== undefined && passing.has(status),
      isDenied: ({ reason }) => /auth/iu.test(reason),
      lacks: [
        /SearchNotEnabled|search index|\$search|vectorSearch/iu,
        "Use Atlas, or MongoDB 8.2 or later with its search process mongot.",
      ],
    },
  });
}

/** Codes of failures that pass. **Source** "Retryable reads and writes" in MongoDB's specifications. */
const passing = new Set([6, 7, 89, 91, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436]);

/** Hosts and database of an address, without user and password. */
function readHost(address: string): string {
  const [, hosts, database] =
    /^mongodb(?:\+srv)?:\/\/(?:[^@/?#]*@)?([^@/?#]+)\/([^@/?#]+)(?:\?[^@#]*)?$/u.exec(address) ?? [];
  if (hosts !== undefined && database !== undefined) return `${hosts}/${database}`;
  throw new IbidError("invalid-argument", "The address of mongodb cannot be read, or names no database.", {
    hint: "Write mongodb+srv://host/database, or mongodb://host:port/database; encode @, / and : in a password.",
  });
}

/** The documents of a cursor. */
export async function readAll<Row>(cursor: MongoCursor): Promise<readonly Row[]> {
  return (await cursor.toArray()) as Row[];
}

/** Runs work on one collection. */
export function onCollection(mongo: Mongo, name: string) {
  return <Result>(
    operation: string,
    work: (collection: MongoCollection) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => mongo.run(operation, (db) => work(db.collection(name)), signal);
}
