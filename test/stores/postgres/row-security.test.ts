import { PGlite } from "@electric-sql/pglite";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { Store } from "../../../src/contracts/store.ts";
import type { PostgresClient } from "../../../src/stores/postgres/postgres-client.ts";
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import { grantScopes } from "../../../src/stores/postgres/row-security.ts";
import { collect, documentEntry, plainAnalyzer, read, system, write } from "../build.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
const roles: string[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  for (const role of roles) {
    await database.client.query(`DROP OWNED BY ${role}`);
    await database.client.query(`DROP ROLE ${role}`);
  }
  await database.close();
});

const password = "node-word";
let count = 0;

async function makeRole(rights = ""): Promise<string> {
  const role = `ibid_node_${Date.now().toString(36)}_${count++}`;
  await database.client.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}' ${rights}`);
  roles.push(role);
  return role;
}

/** A client that has logged in as the role. */
function as(role: string): PostgresClient {
  const { client } = database;
  if (client instanceof PGlite) {
    return {
      query: (text, values) =>
        client.transaction(async (turn) => {
          await turn.query(`SET LOCAL ROLE ${role}`);
          return turn.query(text, values);
        }),
    };
  }
  const address = new URL(process.env["IBID_TEST_POSTGRES"]!);
  address.username = role;
  address.password = password;
  const pool = new Pool({ connectionString: address.href, max: 2 });
  onTestFinished(() => pool.end());
  return pool;
}

async function open(base: string, options: Parameters<TestDatabase["open"]>[1] = {}): Promise<Store> {
  const store = await database.open(base, { analyzer: plainAnalyzer, ...options });
  onTestFinished(() => store.close());
  return store;
}

const uris = async (store: Store, ...scopes: Parameters<typeof read>): Promise<readonly string[]> =>
  (await collect(store.documents(read(...scopes)))).map(({ uri }) => uri);

async function fill(base: string, partitions?: number): Promise<Store> {
  const store = await open(base, { partitions });
  for (const scope of ["deployment", "team:a", "team:b"] as const)
    await store.replace(write(scope), documentEntry(`in-${scope.replace(":", "-")}`, ["quicksilver", "birch"]));
  return store;
}

const failureOf = async (work: Promise<unknown>): Promise<IbidError> => {
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(IbidError);
  return error as IbidError;
};

describe("a role with some scopes", () => {
  it("holds, reads and writes these, and new ones of its beginning", async () => {
    const all = await fill("lock");
    const role = await makeRole();
    const schema = database.schemaOf("lock");
    await grantScopes(database.client, { role, scopes: ["team:a", "user:*"], schema });
    const node = await open("lock", { node: "own", client: as(role) });
    expect(await node.scopes(system)).toEqual(["deployment", "team:a"]);
    expect(await uris(node, "deployment", "team:a")).toEqual(["in-deployment.txt", "in-team-a.txt"]);
    await node.replace(write("team:a"), documentEntry("more", ["ash"]));
    await node.replace(write("user:ada"), documentEntry("own", ["cedar"]));
    expect(await uris(all, "team:a", "team:b", "user:ada")).toEqual([
      "in-team-a.txt",
      "in-team-b.txt",
      "more.txt",
      "own.txt",
    ]);
    expect((await failureOf(node.session(read("team:b")))).code).toBe("unsupported");
    await all.delete(write("team:b"), { scope: true });
    await all.delete(write("team:a"), { documentIds: ["more"] }, { purge: true });
    expect(await uris(node, "team:a")).toEqual(["in-team-a.txt"]);
  });

  it.each([false, true])(
    "reads shared indexes of these alone, without a copy; the tables came later: %s",
    async (late) => {
      const base = `lazy_${late}`;
      await fill(base);
      const role = await makeRole();
      const schema = database.schemaOf(base);
      if (late) await database.client.query(`DROP TABLE ${schema}.indexes, ${schema}.index_files`);
      const grant = () => grantScopes(database.client, { role, scopes: ["team:a"], schema });
      if (!late) await grant();
      const sharer = await open(base, { node: "sharer", shareIndex: true });
      await sharer.upkeep!.settle();
      if (late) await grant();
      const { rows } = await database.client.query(`SELECT DISTINCT scope FROM ${schema}.index_files`);
      expect(rows).toHaveLength(3);
      const client = as(role);
      for (const table of ["indexes", "index_files"]) {
        const { rows: own } = await client.query(`SELECT DISTINCT scope FROM ${schema}.${table}`);
        expect([table, own.length]).toEqual([table, 2]);
      }
      const lazy = await openPostgresStore(client, { schema, analyzer: plainAnalyzer, lazy: true });
      onTestFinished(() => lazy.close());
      expect(await lazy.scopes(system)).toEqual(["deployment", "team:a"]);
      expect(await uris(lazy, "deployment", "team:a")).toEqual(["in-deployment.txt", "in-team-a.txt"]);
      expect((await failureOf(lazy.session(read("team:b")))).code).toBe("unsupported");
    },
  );

  it.each([
    ["lied", undefined],
    ["lied_in_parts", 3],
  ] as const)(
    "gets no row of another one, by SQL of its own and with the program's own check removed: %s",
    async (base, partitions) => {
      const all = await fill(base, partitions);
      const role = await makeRole();
      const schema = database.schemaOf(base);
      await grantScopes(database.client, { role, scopes: ["team:a"], schema });
      const client = as(role);
      const { rows } = await client.query(`SELECT name FROM ${schema}.scopes ORDER BY key`);
      expect(rows).toEqual([{ name: "" }, { name: "deployment" }, { name: "team:a" }]);
      const { rows: texts } = await client.query(`SELECT id FROM ${schema}.documents ORDER BY id`);
      expect(texts).toEqual([{ id: "in-deployment" }, { id: "in-team-a" }]);
      for (const table of ["chunks", "settings", "changes"]) {
        const { rows: foreign } = await database.client.query(
          `SELECT DISTINCT scope FROM ${schema}.${table} WHERE scope = (SELECT key FROM ${schema}.scopes WHERE name = 'team:b')`,
        );
        const { scope } = foreign[0] as { scope: unknown };
        expect([
          table,
          (await client.query(`SELECT 1 FROM ${schema}.${table} WHERE scope = $1`, [scope])).rows,
        ]).toEqual([table, []]);
        await expect(client.query(`UPDATE ${schema}.${table} SET scope = $1`, [scope])).rejects.toThrow(
          /row-level security/u,
        );
      }
      for (let i = 0; i < (partitions ?? 0); i++)
        await expect(client.query(`SELECT 1 FROM ${schema}.chunks_${i}`)).rejects.toThrow(/permission denied/u);
      // A node that believes that it may hold everything.
      const lied: PostgresClient = {
        query: async (text, values) =>
          text.includes("row_security_active") ? { rows: [{ guarded: false }] } : client.query(text, values),
      };
      const node = await open(base, { node: "liar", client: lied });
      expect(await node.scopes(system)).toEqual(["deployment", "team:a"]);
      expect(await uris(node, "deployment", "team:a", "team:b")).toEqual(["in-deployment.txt", "in-team-a.txt"]);
      const error = await failureOf(node.replace(write("team:c"), documentEntry("x", ["ash"])));
      expect([error.code, error.message]).toEqual(["store-failed", expect.stringContaining("row-level security")]);
      const taken = await failureOf(node.replace(write("team:b"), documentEntry("x", ["ash"])));
      expect(taken.code).toMatch(/^store-/u);
      expect(await uris(all, "team:b")).toEqual(["in-team-b.txt"]);
    },
  );

  it("may hold fewer of them, and no others", async () => {
    await fill("fewer");
    const role = await makeRole();
    await grantScopes(database.client, { role, scopes: ["team:*"], schema: database.schemaOf("fewer") });
    const node = await open("fewer", { node: "fewer", client: as(role), scopes: ["team:b"] });
    expect(await node.scopes(system)).toEqual(["deployment", "team:b"]);
    const error = await failureOf(open("fewer", { client: as(role), scopes: ["user:ada"] }));
    expect([error.code, error.message]).toEqual(["access-denied", expect.stringContaining("user:ada")]);
  });
});

describe("a role", () => {
  it("answers nothing more from its copy once a grant is taken from it", async () => {
    await fill("taken");
    const [schema, role] = [database.schemaOf("taken"), await makeRole()];
    await grantScopes(database.client, { role, scopes: ["team:a"], schema });
    const node = await open("taken", { node: "taken", client: as(role) });
    const inTeam = async (): Promise<number> => (await collect(node.documents(read("team:a")))).length;
    expect(await inTeam()).toBeGreaterThan(0);
    await grantScopes(database.client, { role, scopes: [], schema });
    const failure = await failureOf(inTeam());
    expect([failure.code, failure.message]).toEqual(["store-failed", expect.stringContaining("granted fewer scopes")]);
  });

  it("without a grant, or without rights, gets a clear error", async () => {
    await fill("shut");
    const [role, other] = [await makeRole(), await makeRole()];
    const schema = database.schemaOf("shut");
    const bare = await failureOf(open("shut", { client: as(role) }));
    expect([bare.code, bare.hint]).toEqual(["store-failed", expect.stringContaining("GRANT")]);
    await grantScopes(database.client, { role: other, scopes: [], schema });
    await database.client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    await database.client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    const hidden = await failureOf(open("shut", { client: as(role) }));
    expect([hidden.code, hidden.hint]).toEqual(["access-denied", expect.stringContaining("grantScopes")]);
  });

  it("cannot upgrade a base of an earlier version, and says who can", async () => {
    await fill("upgraded");
    const role = await makeRole();
    const schema = database.schemaOf("upgraded");
    await grantScopes(database.client, { schema, role, scopes: ["team:a"] });
    await database.client.query(`ALTER TABLE ${schema}.scopes DROP COLUMN last_commit`);
    const own = { node: "upgrading", analyzer: plainAnalyzer };
    const refused = await failureOf(database.open("upgraded", { ...own, client: as(role) }));
    expect([refused.code, refused.hint]).toEqual(["store-failed", expect.stringContaining("owns the tables")]);
    await open("upgraded", { node: "owner" });
    const store = await open("upgraded", { ...own, client: as(role) });
    await store.replace(write("team:a"), documentEntry("later", ["ash"]));
    expect(await uris(store, "team:a")).toEqual(["in-team-a.txt", "later.txt"]);
  });

  it("makes its base in a schema that an administrator has made, without the right to make schemas", async () => {
    const role = await makeRole();
    const schema = database.schemaOf("given_schema");
    await database.client.query(`CREATE SCHEMA ${schema}`);
    await database.client.query(`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`);
    const store = await open("given_schema", { client: as(role) });
    await store.replace(write("deployment"), documentEntry("a", ["ash"]));
    expect(await uris(store, "deployment")).toEqual(["a.txt"]);
  });

  it("is granted nothing by a call that names no scopes, or what is none", async () => {
    await fill("unnamed");
    const [schema, role] = [database.schemaOf("unnamed"), await makeRole()];
    for (const scopes of [undefined, null, "team:a", ["nonsense"], ["team:a", 7], ["*:a"]]) {
      const granting = grantScopes(database.client, { schema, role, scopes } as never);
      expect(await failureOf(granting)).toMatchObject({ code: "invalid-argument" });
    }
    const grants = "SELECT to_regclass($1) IS NOT NULL AS made";
    expect((await database.client.query(grants, [`${schema}.grants`])).rows).toEqual([{ made: false }]);
  });

  it("that the lock does not bind is refused", async () => {
    await fill("free");
    const [schema, role] = [database.schemaOf("free"), await makeRole("BYPASSRLS")];
    const refuse = async (options: object): Promise<unknown> =>
      (await failureOf(grantScopes(database.client, { schema, role, scopes: [], ...options }))).code;
    expect(await refuse({})).toBe("invalid-argument");
    expect(await refuse({ role: "ibid_nobody_there" })).toBe("not-found");
    expect(await refuse({ role: "x; DROP TABLE chunks" })).toBe("invalid-argument");
    expect(await refuse({ schema: "nothing_here" })).toBe("not-found");
  });
});
