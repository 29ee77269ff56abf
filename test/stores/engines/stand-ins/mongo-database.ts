import type { MongoCursor, MongoDatabase } from "../../../../src/stores/mongodb/mongodb-client.ts";
import type { MongoCommands } from "./mongodb.ts";

/** Commands as a database of the package `mongodb`, without its driver. `npm run test:engines` takes the driver. */
export function toDatabase(commands: MongoCommands): MongoDatabase {
  const run = async (command: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const answer = commands(structuredClone(command));
    const failures = answer["writeErrors"] as { code: number; errmsg: string }[] | undefined;
    if (answer["ok"] === 1 && failures === undefined) return answer;
    const [first] = failures ?? [answer as { code: number; errmsg: string }];
    throw Object.assign(new Error(first!.errmsg), { code: first!.code, writeErrors: failures });
  };
  const cursorOf = (command: Record<string, unknown>): MongoCursor => ({
    async toArray() {
      const { cursor } = (await run({ ...command, batchSize: 100_000 })) as { cursor: { firstBatch: unknown[] } };
      return cursor.firstBatch;
    },
  });
  return {
    createCollection: (name) => run({ create: name }),
    listCollections: (filter) => cursorOf({ listCollections: 1, filter }),
    collection: (name) => ({
      insertMany: (documents) => run({ insert: name, documents }),
      bulkWrite: (operations) =>
        run({
          update: name,
          updates: (operations as { replaceOne: { filter: object; replacement: object; upsert: boolean } }[]).map(
            ({ replaceOne: { filter: q, replacement: u, upsert } }) => ({ q, u, upsert, multi: false }),
          ),
        }),
      updateMany: (q, u) => run({ update: name, updates: [{ q, u, multi: true }] }),
      deleteMany: (q) => run({ delete: name, deletes: [{ q, limit: 0 }] }),
      async countDocuments(filter) {
        const rows = await cursorOf({ find: name, filter }).toArray();
        return rows.length;
      },
      find: (filter, options) => cursorOf({ find: name, filter, ...(options as object) }),
      aggregate: (pipeline) => cursorOf({ aggregate: name, pipeline }),
      createIndex: (key) => run({ createIndexes: name, indexes: [{ key }] }),
      createSearchIndex: (index) => run({ createSearchIndexes: name, indexes: [index] }),
      updateSearchIndex: (index, definition) => run({ updateSearchIndex: name, name: index, definition }),
      listSearchIndexes: (index) => cursorOf({ aggregate: name, pipeline: [{ $listSearchIndexes: { name: index } }] }),
      drop: () => run({ drop: name }),
    }),
  };
}
