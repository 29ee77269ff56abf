import type { MongoCursor, MongoDatabase } from "../../../../src/stores/mongodb/mongodb-client.ts";
import type { MongoCommands } from "./mongodb.ts";

/** Commands as a database of the package `mongodb`, without its driver. `npm run test:engines` takes the driver. */
export function toDatabase(commands: MongoCommands): MongoDatabase {
  const run = async (command: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const answer = commands(structuredClone(command));
    if (answer["ok"] === 1) return answer;
    throw Object.assign(new Error(String(answer["errmsg"])), { code: answer["code"] });
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
      bulkWrite: (operations) =>
        run({
          update: name,
          updates: (operations as { replaceOne: { filter: object; replacement: object; upsert: boolean } }[]).map(
            ({ replaceOne: { filter: q, replacement: u, upsert } }) => ({ q, u, upsert, multi: false }),
          ),
        }),
      deleteMany: (q) => run({ delete: name, deletes: [{ q, limit: 0 }] }),
      find: (filter, options) => cursorOf({ find: name, filter, ...(options as object) }),
      aggregate: (pipeline) => cursorOf({ aggregate: name, pipeline }),
      createSearchIndex: (index) => run({ createSearchIndexes: name, indexes: [index] }),
      listSearchIndexes: (index) => cursorOf({ aggregate: name, pipeline: [{ $listSearchIndexes: { name: index } }] }),
      drop: () => run({ drop: name }),
    }),
  };
}
