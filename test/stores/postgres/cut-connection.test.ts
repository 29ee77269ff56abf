import { connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { openPostgresStore } from "../../../src/stores/open-postgres-store.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

const address = process.env["IBID_TEST_POSTGRES"];

/** When a connection is cut: once the whole statement has been sent, once the server has answered it, or once the answer has arrived. */
type Moment = "sent" | "answered" | "arrived";

/** A server before the database. It cuts the connection of the first write after `arm`, and takes none for a while. */
async function startCutter(to: URL, moment: Moment, awayMs: number) {
  let isArmed = false;
  let awayUntil = 0;
  let cuts = 0;
  const server = createServer((client) => {
    client.on("error", () => {});
    if (Date.now() < awayUntil) return void client.destroy();
    const database = connect(Number(to.port), to.hostname);
    database.on("error", () => {});
    let isWriting = false;
    const cut = (): void => {
      [isArmed, isWriting] = [false, false];
      awayUntil = Date.now() + awayMs;
      cuts++;
      // Bytes on their way are delivered.
      for (const socket of [client, database] satisfies Socket[])
        socket.end(() => setTimeout(() => socket.destroy(), 20));
    };
    client.on("data", (bytes) => {
      isWriting ||= isArmed && bytes.includes("put_documents");
      database.write(bytes);
      // A message "Sync" ends what a client sends of one statement.
      if (isWriting && moment === "sent" && bytes.subarray(-5).equals(Buffer.from([0x53, 0, 0, 0, 4]))) cut();
    });
    database.on("data", (bytes) => {
      const isAnswer = isWriting && bytes.includes("SELECT 1\0");
      if (!isAnswer || moment !== "answered") client.write(bytes);
      if (isAnswer) cut();
    });
    client.on("close", () => database.destroy());
    database.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = new URL(to);
  url.port = String((server.address() as { port: number }).port);
  return {
    address: url.href,
    get cuts() {
      return cuts;
    },
    arm: () => void (isArmed = true),
  };
}

// The bytes of a connection need a server: npm run test:engines.
describe.skipIf(!address)("a connection that is cut at a commit", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it.each(["sent", "answered", "arrived"] as const)("fails no ingestion, and stores it once: %s", async (moment) => {
    const schema = database.schemaOf(`wire_${moment}`);
    const cutter = await startCutter(new URL(address!), moment, 600);
    const place = { schema, replicas: database.replicasOf("a") };
    const kb = await openKnowledgeBase({ store: await openPostgresStore(cutter.address, place) });
    onTestFinished(() => kb.close());
    for (let i = 0; i < 3; i++) {
      const text = `Keys of vault ${i} are rotated every ninety days.`;
      cutter.arm();
      await expect(kb.ingest({ uri: `${i}.txt`, text })).resolves.toMatchObject({ added: 1 });
      expect(cutter.cuts).toBe(i + 1);
      // The others come when the server is there again.
      await new Promise((resolve) => setTimeout(resolve, 650));
    }
    const other = await openKnowledgeBase({
      store: await openPostgresStore(address!, { ...place, replicas: database.replicasOf("b") }),
    });
    onTestFinished(() => other.close());
    expect((await other.status()).documents).toBe(3);
    const { rows } = await database.client.query(
      `SELECT count(*)::int AS commits FROM ${schema}.changes WHERE scope > 0`,
    );
    expect(rows).toEqual([{ commits: 3 }]);
    expect(await other.search("rotated keys")).toEqual(await kb.search("rotated keys"));
  });
});
