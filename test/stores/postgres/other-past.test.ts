import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Store } from "../../../src/contracts/store.ts";
import type { PostgresStoreOptions } from "../../../src/stores/postgres/postgres-store.ts";
import { documentEntry, collect, plainAnalyzer, read, write } from "../build.ts";
import { topicText, watchedModel } from "../topics.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const scope = read("deployment");
const idsIn = async (store: Store): Promise<readonly string[]> =>
  (await collect(store.documents(scope))).map(({ uri }) => uri);

async function open(base: string, node = "a", options: PostgresStoreOptions = {}): Promise<Store> {
  const store = await database.open(base, { node, analyzer: plainAnalyzer, ...options });
  onTestFinished(() => store.close());
  return store;
}

const lazily: PostgresStoreOptions = { lazy: true, replicas: undefined };

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

it.each(["documents", "chunks", "settings", "changes", "fits"])(
  "a base that has lost its table %s is named by the next read, with a copy and without",
  async (table) => {
    const base = `lost_${table}`;
    const store = await open(base);
    await store.replace(write("deployment"), documentEntry("a", ["ash"]));
    const lazy = await open(base, "a", lazily);
    for (const reader of [store, lazy]) expect(await idsIn(reader)).toHaveLength(1);
    await database.client.query(`DROP TABLE ${database.schemaOf(base)}.${table} CASCADE`);
    for (const reader of [store, lazy])
      await expect(idsIn(reader)).rejects.toMatchObject({
        code: "store-failed",
        message: expect.stringContaining(`${table}" does not exist`),
        hint: expect.stringContaining("restore it from a backup"),
      });
  },
);

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

  it.each([
    ["as often as it had been", 1],
    ["more often", 3],
  ])("answers nothing once a backup was restored and written to %s", async (_, commits) => {
    const base = `rewritten${commits}`;
    const [store, still] = [await open(base), await open(base, "b")];
    await store.replace(write("deployment"), documentEntry("a", ["ash"]));
    const restore = await backUp(database.schemaOf(base));
    await store.replace(write("deployment"), documentEntry("b", ["birch"]));
    expect(await idsIn(still)).toEqual(await idsIn(store));
    await restore();
    const other = await open(base, "c");
    for (let i = 0; i < commits; i++) await other.replace(write("deployment"), documentEntry(`c${i}`, [`cedar ${i}`]));
    const failure = { code: "store-failed", message: expect.stringContaining("lacks commits that this copy has") };
    await expect(idsIn(store)).rejects.toMatchObject(failure);
    await expect(still.replace(write("deployment"), documentEntry("d", ["dogwood"]))).rejects.toMatchObject(failure);
    await store.close();
    const again = await open(base);
    expect(await idsIn(again)).toEqual(await idsIn(other));
    await again.replace(write("deployment"), documentEntry("e", ["elder"]));
    expect(await idsIn(other)).toContain("e.txt");
  });

  it("writes nothing over a scope of another past that it has not asked about", async () => {
    const store = await open("unasked");
    await store.replace(write("deployment"), documentEntry("a", ["ash"]));
    const restore = await backUp(database.schemaOf("unasked"));
    await store.replace(write("deployment"), documentEntry("b", ["birch"]));
    await restore();
    const other = await open("unasked", "b");
    await other.replace(write("deployment"), documentEntry("c", ["cedar"]));
    // `replace` proves its state by the statement alone.
    await expect(store.replace(write("deployment"), documentEntry("d", ["dogwood"]))).rejects.toMatchObject({
      code: "store-failed",
    });
    expect(await idsIn(other)).toEqual(["a.txt", "c.txt"]);
  });

  it("is not seen in a base of an earlier version, whose commits have no names in its scopes", async () => {
    const schema = database.schemaOf("earlier");
    const before = await open("earlier");
    await before.replace(write("deployment"), documentEntry("a", ["ash"]));
    await before.close();
    const copies = database.replicasOf("a");
    const files = readdirSync(copies, { recursive: true, encoding: "utf8" });
    for (const name of files.filter((each) => each.endsWith(".sqlite"))) {
      const copy = new DatabaseSync(join(copies, name));
      copy.exec('ALTER TABLE replica DROP COLUMN "commit"');
      copy.close();
    }
    for (const table of ["scopes", "indexes"])
      await database.client.query(`ALTER TABLE ${schema}.${table} DROP COLUMN last_commit`);
    const store = await open("earlier");
    await store.replace(write("deployment"), documentEntry("b", ["birch"]));
    expect(await idsIn(store)).toEqual(["a.txt", "b.txt"]);
    // A node of that version writes stamps, and names its commit in the table of changes alone.
    await database.client.query(`UPDATE ${schema}.scopes SET stamp = stamp + 1 WHERE name = 'deployment'`);
    await database.client.query(
      `INSERT INTO ${schema}.changes (scope, stamp, writer) SELECT key, stamp, gen_random_uuid() FROM ${schema}.scopes WHERE name = 'deployment'`,
    );
    expect(await idsIn(store)).toEqual(["a.txt", "b.txt"]);
    // The base was last written by it too.
    await database.client.query(`UPDATE ${schema}.scopes SET last_commit = NULL WHERE key = 0`);
    await idsIn(store);
    const trips = vi.spyOn(database.client, "query");
    expect(await idsIn(store)).toEqual(["a.txt", "b.txt"]);
    expect(trips).toHaveBeenCalledTimes(1);
    trips.mockRestore();
    await store.replace(write("deployment"), documentEntry("c", ["cedar"]));
    expect(await idsIn(await open("earlier", "c"))).toEqual(["a.txt", "b.txt", "c.txt"]);
  });

  it("is left by a process without a copy, which reads the base as it is", async () => {
    const schema = database.schemaOf("lazy");
    const store = await open("lazy", "a", { shareIndex: true });
    await store.replace(write("deployment"), documentEntry("a", ["ash"]));
    const restore = await backUp(schema);
    await store.replace(write("deployment"), documentEntry("b", ["birch"]));
    await store.upkeep!.settle();
    const lazy = await open("lazy", "a", lazily);
    expect(await idsIn(lazy)).toEqual(["a.txt", "b.txt"]);
    // The shared index stays, and is of the past that was lost.
    await restore();
    const other = await open("lazy", "b", { shareIndex: true });
    await other.replace(write("deployment"), documentEntry("c", ["cedar"]));
    expect(await idsIn(lazy)).toEqual(["a.txt", "c.txt"]);
    expect(await idsIn(await open("lazy", "a", lazily))).toEqual(["a.txt", "c.txt"]);
    await other.upkeep!.settle();
    const { rows } = await database.client.query(
      `SELECT split_part(i.last_commit, ' ', 1) = left(w.writer::text, 13) AS same FROM ${schema}.indexes i JOIN ${schema}.changes w ON w.scope = i.scope AND w.stamp = i.stamp`,
    );
    expect(rows).toEqual([{ same: true }]);
    expect(await idsIn(await open("lazy", "a", lazily))).toEqual(["a.txt", "c.txt"]);
  });

  it("is left by a shared index too, where the base alone was written to before it was restored", async () => {
    const schema = database.schemaOf("refitted");
    const fitted = { shareIndex: true, corpusModel: watchedModel(4) };
    const store = await open("refitted", "a", { corpusModel: watchedModel(4) });
    for (let i = 0; i < 8; i++) await store.replace(write("deployment"), documentEntry(`d${i}`, [topicText(i)]));
    const restore = await backUp(schema);
    const last = async (): Promise<unknown> => {
      const { rows } = await database.client.query(
        `SELECT left(w.writer::text, 13) AS base, split_part(i.last_commit, ' ', 2) AS shared, i.base::int AS stamp
         FROM ${schema}.indexes i JOIN ${schema}.scopes s ON s.key = 0 JOIN ${schema}.changes w ON w.scope = 0 AND w.stamp = s.stamp`,
      );
      return rows;
    };
    // The fit is a commit of the base, and of no scope.
    const sharer = await open("refitted", "b", fitted);
    await sharer.upkeep!.settle();
    const [before] = (await last()) as readonly { readonly base: string; readonly shared: string }[];
    expect(before).toMatchObject({ shared: before!.base });
    await restore();
    const other = await open("refitted", "c", fitted);
    await other.upkeep!.settle();
    const [after] = (await last()) as readonly { readonly base: string; readonly shared: string }[];
    expect(after).toMatchObject({ shared: after!.base });
    expect(after).not.toEqual(before);
  });

  it("neither reads nor writes where another base has taken the place of its own", async () => {
    const store = await open("replaced");
    const { receipt } = await store.replace(write("deployment"), documentEntry("a", ["ash"]));
    const lazy = await open("replaced", "a", lazily);
    expect(await idsIn(lazy)).toHaveLength(1);
    await database.client.query(`DROP SCHEMA ${database.schemaOf("replaced")} CASCADE`);
    const other = await open("replaced");
    await other.replace(write("deployment"), documentEntry("b", ["birch"]));
    const failure = { code: "store-failed", message: expect.stringContaining("another base") };
    await expect(store.replace(write("deployment"), documentEntry("c", ["cedar"]))).rejects.toMatchObject(failure);
    await expect(idsIn(store)).rejects.toMatchObject(failure);
    await expect(idsIn(lazy)).rejects.toMatchObject(failure);
    expect(await idsIn(other)).toHaveLength(1);
    // A reader of the new base, with a copy or without, does not take a receipt of the old one for reached.
    const refusal = { code: "invalid-argument", message: expect.stringContaining("is of another knowledge base") };
    for (const reader of [other, await open("replaced", "a", lazily)]) {
      await expect(reader.session(scope, { after: [receipt] })).rejects.toMatchObject(refusal);
      const own = await reader.moment(scope);
      const after = [{ scope: "deployment" as const, ...own.stamps.get("deployment")! }];
      expect((await reader.session(scope, { after })).moment.stamps).toEqual(own.stamps);
      // Receipts of earlier versions do not name their base.
      expect(await reader.session(scope, { after: [{ ...receipt, life: receipt.life.slice(8) }] })).toBeDefined();
    }
  });
});
