import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Store } from "../../../src/contracts/store.ts";
import { documentEntry, collect, plainAnalyzer, read, write } from "../build.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const scope = read("deployment");
const idsIn = async (store: Store): Promise<readonly string[]> =>
  (await collect(store.documents(scope))).map(({ uri }) => uri);

async function open(base: string, node = "a"): Promise<Store> {
  const store = await database.open(base, { node, analyzer: plainAnalyzer });
  onTestFinished(() => store.close());
  return store;
}

const tables = ["scopes", "documents", "chunks", "settings", "fits", "changes"];

/** Keeps the rows as they are. **Shape** puts them back, as a backup does. */
async function backUp(schema: string): Promise<() => Promise<void>> {
  for (const table of tables)
    await database.client.query(`CREATE TABLE ${schema}.kept_${table} AS SELECT * FROM ${schema}.${table}`);
  return async () => {
    for (const table of tables) {
      await database.client.query(`DELETE FROM ${schema}.${table}`);
      await database.client.query(`INSERT INTO ${schema}.${table} SELECT * FROM ${schema}.kept_${table}`);
    }
  };
}

describe("a copy of another past [L4]", () => {
  it("answers nothing once a backup was restored, and is made anew at the next opening", async () => {
    const store = await open("restored");
    await store.replace(write("deployment"), documentEntry("a", ["ash"]));
    const restore = await backUp(database.schemaOf("restored"));
    await store.replace(write("deployment"), documentEntry("b", ["birch"]));
    expect(await idsIn(store)).toHaveLength(2);
    await restore();
    const failure = { code: "store-failed", message: expect.stringContaining("lacks commits that this copy has") };
    await expect(idsIn(store)).rejects.toMatchObject(failure);
    await expect(store.replace(write("deployment"), documentEntry("c", ["cedar"]))).rejects.toMatchObject(failure);
    await store.close();
    const again = await open("restored");
    expect(await idsIn(again)).toHaveLength(1);
    await again.replace(write("deployment"), documentEntry("d", ["dogwood"]));
    expect(await idsIn(again)).toEqual(await idsIn(await open("restored", "b")));
  });

  it("neither reads nor writes where another base has taken the place of its own", async () => {
    const store = await open("replaced");
    await store.replace(write("deployment"), documentEntry("a", ["ash"]));
    await database.client.query(`DROP SCHEMA ${database.schemaOf("replaced")} CASCADE`);
    const other = await open("replaced");
    await other.replace(write("deployment"), documentEntry("b", ["birch"]));
    const failure = { code: "store-failed", message: expect.stringContaining("another base") };
    await expect(store.replace(write("deployment"), documentEntry("c", ["cedar"]))).rejects.toMatchObject(failure);
    await expect(idsIn(store)).rejects.toMatchObject(failure);
    expect(await idsIn(other)).toHaveLength(1);
  });
});
