import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../../../src/stores/postgres/postgres-store.ts";
import { collect, documentEntry, plainAnalyzer, read, write } from "../build.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

const [direct, pooled] = [process.env["IBID_TEST_POSTGRES"], process.env["IBID_TEST_POOLER"]];

// A pooler that shares connections needs a server: npm run test:engines.
describe.skipIf(!direct || !pooled)("a pooler that gives each statement another connection", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  async function open(node: string, options: PostgresStoreOptions = {}): Promise<Store> {
    const place = { schema: database.schemaOf("pooled"), replicas: database.replicasOf(node) };
    const store = await openPostgresStore(pooled!, { analyzer: plainAnalyzer, ...place, ...options });
    onTestFinished(() => store.close());
    return store;
  }
  const uris = async (store: Store): Promise<readonly string[]> =>
    (await collect(store.documents(read("deployment")))).map(({ uri }) => uri);

  it("takes every read and write of many nodes", async () => {
    const nodes = await Promise.all(["a", "b", "c", "d"].map((node) => open(node)));
    const names = Array.from({ length: 40 }, (_, i) => `d${String(i).padStart(2, "0")}`);
    await Promise.all(
      names.map((name, i) => nodes[i % 4]!.replace(write("deployment"), documentEntry(name, ["ash", "birch"]))),
    );
    for (const node of nodes) expect(await uris(node)).toEqual(names.map((name) => `${name}.txt`));
  });

  it("is refused for listening, and stands beside the address of the server", async () => {
    const deaf: unknown = await open("deaf", { follow: "listen" }).catch((error: unknown) => error);
    expect(IbidError.isInstance(deaf, "unsupported")).toBe(true);
    const reader = await open("e", { follow: "listen", listenAt: direct, pollMs: 3_600_000, atMostMs: 60_000 });
    await (await open("f")).replace(write("deployment"), documentEntry("heard", ["cedar"]));
    await expect.poll(() => uris(reader), { timeout: 5_000 }).toContain("heard.txt");
  });
});
