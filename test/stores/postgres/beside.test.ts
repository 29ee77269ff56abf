import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresBlobStore } from "../../../src/stores/postgres/postgres-blobs.ts";
import { overClient, type Postgres } from "../../../src/stores/postgres/postgres-client.ts";
import { createPostgresEventStore } from "../../../src/stores/postgres/postgres-events.ts";
import { createBlobStorePack } from "../../../src/testing/blob-store-pack.ts";
import { runPack } from "../../contracts/run-pack.ts";
import { createEventStorePack } from "../../packs/event-store-pack.ts";
import { plainAnalyzer } from "../build.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
let schema = "";
let count = 0;
beforeAll(async () => {
  database = await openTestDatabase();
  schema = database.schemaOf("beside");
  await (await database.open("beside", { analyzer: plainAnalyzer })).close();
});
afterAll(() => database.close());
const connect = async (): Promise<Postgres> => overClient(database.client);

describe("files in Postgres", () => {
  runPack(
    createBlobStorePack({
      create: (maxBytes) => createPostgresBlobStore(connect, schema, `area ${count++}`, { maxBytes }),
    }),
  );

  it("are found by their version where the answer to a write is lost", async () => {
    let losses = 1;
    const { client } = database;
    const losing = overClient({
      async query(text, values) {
        const answer = await client.query(text, values);
        if (text.startsWith("INSERT") && losses-- > 0) throw new Error("read ECONNRESET");
        return answer;
      },
    });
    const files = createPostgresBlobStore(async () => losing, schema, "lost");
    const put = await files.put("a", new Uint8Array([1]), { ifNoneMatch: "*" });
    expect([put.status, (await files.get("a"))?.etag, losses < 1]).toEqual(["written", put.etag, true]);
    expect(await files.put("a", new Uint8Array([2]), { ifNoneMatch: "*" })).toEqual({ status: "conflict" });
  });
});

describe("events in Postgres", () => {
  runPack(
    createEventStorePack({
      async create(options) {
        await database.client.query(`DELETE FROM ${schema}.events`);
        return createPostgresEventStore(connect, schema, options);
      },
    }),
  );
});
