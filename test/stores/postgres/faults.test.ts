import { openKnowledgeBase } from "../../../src/index.node.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import type { PostgresClient } from "../../../src/stores/postgres/postgres-client.ts";
import { collect, documentEntry, plainAnalyzer, read, system, write } from "../build.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const everything = read("deployment", "team:a");
const uris = async (store: Store): Promise<readonly string[]> =>
  (await collect(store.documents(everything))).map(({ uri }) => uri);

async function open(base: string, options: Parameters<TestDatabase["open"]>[1] = {}): Promise<Store> {
  const store = await database.open(base, { analyzer: plainAnalyzer, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A client that loses the connection at chosen statements: before the server has them, or after it has done them. */
function losing(at: (text: string) => "before" | "after" | undefined): PostgresClient {
  return {
    async query(text, values) {
      const when = at(text);
      if (when === "before") throw new Error("read ECONNRESET");
      const answer = await database.client.query(text, values);
      if (when === "after") throw new Error("read ECONNRESET");
      return answer;
    },
  };
}

const isWrite = (text: string): boolean => text.includes("put_documents");

describe("a connection that is lost", () => {
  it.each(["before", "after"] as const)("%s a write was done loses nothing and does nothing twice", async (when) => {
    let losses = 1;
    const client = losing((text) => (isWrite(text) && losses-- > 0 ? when : undefined));
    const base = `lost_${when}`;
    const one = await open(base, { client });
    const { receipt, added } = await one.replace(write("deployment"), documentEntry("a", ["ash birch", "cedar"]));
    expect([added, receipt.stamp, losses < 1]).toEqual([2, 1, true]);
    const other = await open(base, { node: "b" });
    expect(await uris(other)).toEqual(["a.txt"]);
    const { stamps } = await other.moment(everything);
    expect(stamps.get("deployment")).toEqual({ stamp: 1, life: receipt.life });
    expect(await uris(one)).toEqual(["a.txt"]);
  });

  it("is replaced under a read, twice at most; a connection that cannot be made fails at once", async () => {
    let [losses, sent, reason] = [0, 0, "read ECONNRESET"];
    const client: PostgresClient = {
      async query(text, values) {
        sent++;
        if (losses-- > 0) throw new Error(reason);
        return database.client.query(text, values);
      },
    };
    const store = await open("reads", { client });
    await store.replace(write("deployment"), documentEntry("a", ["ash"]));
    for (const message of ["read ECONNRESET", "write EPIPE", "Connection terminated unexpectedly"]) {
      [losses, reason] = [2, message];
      expect(await uris(store)).toEqual(["a.txt"]);
    }
    for (const [message, tries] of [
      ["read ECONNRESET", 3],
      ["connect ECONNREFUSED", 1],
      ["Connection terminated due to connection timeout", 1],
    ] as const) {
      [losses, sent, reason] = [1_000, 0, message];
      await expect(uris(store)).rejects.toMatchObject({ code: "store-failed" });
      expect([message, sent]).toEqual([message, tries]);
    }
    losses = 0;
  });

  it("leaves a write that is not done without a trace, and says so", async () => {
    let isDown = false;
    const client = losing(() => (isDown ? "before" : undefined));
    const store = await open("down", { client, busyTimeoutMs: 100 });
    await store.replace(write("deployment"), documentEntry("a", ["ash"]));
    isDown = true;
    const error: unknown = await store
      .replace(write("deployment"), documentEntry("b", ["birch"]))
      .catch((e: unknown) => e);
    expect(IbidError.isInstance(error, "store-failed")).toBe(true);
    expect((error as IbidError).message).toContain("ECONNRESET");
    isDown = false;
    expect(await uris(store)).toEqual(["a.txt"]);
    await store.replace(write("deployment"), documentEntry("b", ["birch"]));
    expect(await uris(await open("down", { node: "b" }))).toEqual(["a.txt", "b.txt"]);
  });
});

it.each(["sent", "done", "acknowledged", "found"] as const)(
  "an ingestion is done where the connection ends right after its commit is %s, and stays away for a while",
  async (moment) => {
    let away = 0;
    let cuts = 1;
    const client: PostgresClient = {
      async query(text, values) {
        if (away-- > 0) throw new Error("connect ECONNREFUSED 127.0.0.1:5432");
        const isCut = isWrite(text) && cuts-- > 0;
        if (isCut && moment !== "found") away = 4;
        if (isCut && moment === "sent") throw new Error("read ECONNRESET");
        const answer = await database.client.query(text, values);
        // The look for one's own commit is answered, and nothing after it.
        if (moment === "found" && text.includes("WHERE writer")) away = 4;
        if (isCut && moment !== "acknowledged") throw new Error("read ECONNRESET");
        return answer;
      },
    };
    const { openPostgresStore: openLikeKb } = await import("../../../src/stores/open-postgres-store.ts");
    const place = { schema: database.schemaOf(`cut_${moment}`), replicas: database.replicasOf("a") };
    const kb = await openKnowledgeBase({ store: await openLikeKb(client, place) });
    onTestFinished(() => kb.close());
    await expect(kb.ingest({ uri: "a.txt", text: "Keys are rotated every ninety days." })).resolves.toBeDefined();
    expect(cuts).toBeLessThan(1);
    away = 0;
    // A state that may be old is of the write at least.
    expect((await kb.search("rotated keys")).map(({ source }) => source.uri)).toEqual(["a.txt"]);
    const other = await openKnowledgeBase({
      store: await openLikeKb(database.client, { ...place, replicas: database.replicasOf("b") }),
    });
    onTestFinished(() => other.close());
    expect((await other.status()).documents).toBe(1);
    expect((await other.search("rotated keys")).map(({ source }) => source.uri)).toEqual(["a.txt"]);
  },
);

it.each([
  ["two nodes", "b"],
  ["one node that share a copy", "a"],
])("writers of %s to one scope do not lose each other's documents", async (_, node) => {
  const base = `race_${node}`;
  const nodes = [await open(base, { node: "a" }), await open(base, { node })];
  const names = Array.from({ length: 12 }, (_, i) => `d${String(i).padStart(2, "0")}`);
  const stamps = await Promise.all(
    names.map(async (name, i) => {
      const entry = documentEntry(name, [`word${i} ash`, "birch"]);
      return (await nodes[i % 2]!.replace(write("team:a"), entry)).receipt.stamp;
    }),
  );
  // Each write has a state of its own, and none is left out.
  expect(stamps.toSorted((x, y) => x - y)).toEqual(names.map((_, i) => i + 1));
  for (const node of nodes) expect(await uris(node)).toEqual(names.map((name) => `${name}.txt`));
});

it("a write is one trip, and of a node that is behind the one that it finds itself refused by", async () => {
  const sent: string[] = [];
  const client: PostgresClient = {
    query(text, values) {
      sent.push(isWrite(text) ? "write" : "ask");
      return database.client.query(text, values);
    },
  };
  const writer = await open("one_trip", { node: "a", client });
  const other = await open("one_trip", { node: "b" });
  await writer.replace(write("deployment"), documentEntry("a", ["ash"]));
  sent.length = 0;
  await writer.replace(write("deployment"), documentEntry("b", ["birch"]));
  expect(sent).toEqual(["write"]);
  await other.replace(write("deployment"), documentEntry("c", ["cedar"]));
  sent.length = 0;
  const { receipt, added, kept } = await writer.replace(write("deployment"), documentEntry("c", ["cedar", "elm"]));
  expect([receipt.stamp, added, kept, sent.filter((one) => one === "write").length]).toEqual([4, 1, 1, 2]);
  // A refusal is of the newest state too: what is to be kept came from elsewhere.
  await other.replace(write("deployment"), documentEntry("d", ["fir"]));
  const keeping = { ...documentEntry("d", ["fir", "gorse"]), keeps: ["d-fir"] };
  expect(await writer.replace(write("deployment"), keeping)).toMatchObject({ added: 1, kept: 1 });
  expect(await uris(other)).toEqual(["a.txt", "b.txt", "c.txt", "d.txt"]);
});

it("a node reads what another one has written, at once or when it must", async () => {
  const writer = await open("old", { node: "a" });
  const reader = await open("old", { node: "b", atMostMs: 3_600_000 });
  expect(await uris(reader)).toEqual([]);
  const { receipt } = await writer.replace(write("deployment"), documentEntry("a", ["ash"]));
  expect(await uris(reader)).toEqual([]);
  const { moment } = await reader.session(everything, { after: [receipt] });
  expect(moment.stamps.get("deployment")?.stamp).toBe(1);
  expect(await uris(reader)).toEqual(["a.txt"]);
});

describe("a database that cannot be used", () => {
  const failure = async (opening: Promise<Store>): Promise<IbidError> => {
    const error: unknown = await opening.then(
      (store) => store.close(),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(IbidError);
    return error as IbidError;
  };

  it("is named without user and password", async () => {
    const error = await failure(openPostgresStore("postgres://ada:secret-word@127.0.0.1:1/kb"));
    expect(error.code).toBe("store-failed");
    expect(error.message).toContain("127.0.0.1:1/kb");
    expect(JSON.stringify([error.message, error.hint, error.details, String(error.cause)])).not.toMatch(
      /secret-word|ada/u,
    );
  });

  it.each([
    "postgres://ada:pass@word@host:port/kb",
    "postgres://ada:p@hunter2/x@127.0.0.1:1/kb",
    "postgres://ada:1?hunter2@127.0.0.1:1/kb",
    "postgres://ada:1#hunter2@127.0.0.1:1/kb",
    "mysql://ada:hunter2@127.0.0.1:1/kb",
  ])("has an address that can be read: %s", async (address) => {
    const error = await failure(openPostgresStore(address));
    expect(error.code).toBe("invalid-argument");
    expect(JSON.stringify([error, String(error), error.hint])).not.toMatch(/pass@|hunter2/u);
  });

  it("says what to do where a table of the base has gone", async () => {
    const schema = database.schemaOf("gone");
    const writer = await database.open("gone");
    await writer.replace(write("deployment"), documentEntry("a", ["ash"]));
    await writer.close();
    await database.client.query(`ALTER TABLE ${schema}.chunks RENAME TO chunks_away`);
    const error = await failure(database.open("gone", { node: "late" }));
    expect([error.code, error.hint]).toEqual(["store-failed", expect.stringContaining("restore it from a backup")]);
  });

  it("names the scope whose name is too long as the likely cause, and writes nothing", async () => {
    const store = await open("long_name");
    const long = Array.from({ length: 4_000 }, (_, i) => ((i * i * 7919) % 36).toString(36) + ((i * 31) % 97)).join("");
    await expect(store.replace(write(`team:${long}`), documentEntry("a", ["ash"]))).rejects.toMatchObject({
      code: "store-failed",
      hint: expect.stringContaining("2,600 bytes or less"),
    });
    await store.replace(write("team:a"), documentEntry("b", ["birch"]));
    expect(await uris(store)).toEqual(["b.txt"]);
  });

  it.each(["Ibid", "a-b", "x".repeat(64), "pg_own", ""])('does not have "%s" as a schema', async (schema) => {
    expect((await failure(openPostgresStore(database.client, { schema }))).code).toBe("invalid-argument");
  });

  it.each([
    ["shcema", "schema"],
    ["Schema", "schema"],
    ["partition", "partitions"],
  ])("has no parameter %s in its address, which would open another base", async (given, meant) => {
    const error = await failure(openPostgresStore(`postgres://ada:hunter2@127.0.0.1:1/kb?sslmode=disable&${given}=x`));
    expect([error.code, error.hint]).toEqual(["invalid-argument", expect.stringContaining(`"${meant}"`)]);
  });

  it.each(["schema=a&schema=b", "partitions=2&partitions=2", "sslmode=disable&sslmode=require"])(
    "has no parameter twice in its address: %s",
    async (parameters) => {
      const error = await failure(openPostgresStore(`postgres://ada:hunter2@127.0.0.1:1/kb?${parameters}`));
      expect([error.code, error.message]).toEqual(["invalid-argument", expect.stringContaining("more than once")]);
      expect(error.message).not.toContain("hunter2");
    },
  );

  it("says what to do where the server has no SSL", async () => {
    const client: PostgresClient = {
      query: () => Promise.reject(new Error("The server does not support SSL connections")),
    };
    expect((await failure(openPostgresStore(client))).hint).toContain("Leave sslmode out");
  });

  it.each([
    ["undefined", undefined],
    ["a list", [[], []]],
    ["rows that are no list", { rows: { 0: 1 } }],
  ])("is not behind a client whose query gives %s", async (_, answer) => {
    const error = await failure(openPostgresStore({ query: async () => answer as never }));
    expect([error.code, error.hint]).toEqual(["invalid-argument", expect.stringContaining("resolves to { rows }")]);
  });

  it.each([1, 1_025, 2.5, "many", "64; DROP TABLE x"])("does not have %j partitions", async (partitions) => {
    const error = await failure(openPostgresStore(database.client, { partitions: partitions as number }));
    expect([error.code, error.message]).toEqual(["invalid-argument", expect.stringContaining("partitions")]);
  });

  it("has other partitions than it was made with", async () => {
    const partitionsOf = async (base: string): Promise<unknown> => {
      const text = `SELECT count(*)::int AS count FROM pg_inherits WHERE inhparent = '${database.schemaOf(base)}.chunks'::regclass`;
      return ((await database.client.query(text)).rows[0] as { count: unknown }).count;
    };
    for (const [base, made] of [
      ["plain", undefined],
      ["parted", 4],
    ] as const) {
      const store = await open(base, { partitions: made });
      await store.replace(write("user:b"), documentEntry("a", ["ash"]));
      expect((await collect(store.documents(read("user:b")))).length).toBe(1);
      expect(await partitionsOf(base)).toBe(made ?? 0);
      const error = await failure(database.open(base, { analyzer: plainAnalyzer, partitions: 8 }));
      expect([error.code, error.message]).toEqual(["invalid-argument", expect.stringContaining(`${made ?? 0} part`)]);
      await (await database.open(base, { analyzer: plainAnalyzer, node: "b" })).close();
    }
  });

  it("has no base yet, and none is to be made", async () => {
    expect((await failure(database.open("none", { create: false }))).code).toBe("not-found");
  });

  it.each(["settings (theme text)", "documents (scope int, name text)", "chunks (number int)", "events (day date)"])(
    "has tables of another program, which stay as they are: %s",
    async (table) => {
      await database.client.query("CREATE SCHEMA foreign_tables");
      onTestFinished(async () => void (await database.client.query("DROP SCHEMA foreign_tables CASCADE")));
      await database.client.query(`CREATE TABLE foreign_tables.${table}`);
      const error = await failure(openPostgresStore(database.client, { schema: "foreign_tables" }));
      expect([error.code, error.message]).toEqual(["store-corrupt", expect.stringContaining("foreign_tables")]);
      const { rows } = await database.client.query("SELECT * FROM pg_tables WHERE schemaname = 'foreign_tables'");
      expect(rows.length).toBe(1);
    },
  );

  it("was written by a later version, or with another analyzer", async () => {
    await (await database.open("later", { analyzer: plainAnalyzer })).close();
    const other = await failure(database.open("later", { analyzer: { ...plainAnalyzer, fingerprint: "test/other" } }));
    expect([other.code, other.message]).toEqual(["store-failed", expect.stringContaining("another analyzer")]);
    await database.client.query(`UPDATE ${database.schemaOf("later")}.settings SET value = '99' WHERE name = 'format'`);
    expect((await failure(database.open("later", { analyzer: plainAnalyzer }))).code).toBe("store-corrupt");
  });
});

it("a vacuum forgets which writer made an old commit, but for the last one of a scope", async () => {
  const store = await open("pruned");
  for (const id of ["a", "b", "c"]) await store.replace(write("deployment"), documentEntry(id, ["ash"]));
  const changes = `${database.schemaOf("pruned")}.changes`;
  const left = async (): Promise<readonly number[]> => {
    await store.trash!.vacuum(system, { olderThanMs: 0 });
    const { rows } = await database.client.query(`SELECT stamp FROM ${changes} WHERE scope <> 0 ORDER BY stamp`);
    return (rows as { stamp: unknown }[]).map(({ stamp }) => Number(stamp));
  };
  await database.client.query(`UPDATE ${changes} SET at = now() - interval '31 days' WHERE stamp = 1 AND scope <> 0`);
  expect(await left()).toEqual([2, 3]);
  await database.client.query(`UPDATE ${changes} SET at = now() - interval '31 days' WHERE scope <> 0`);
  expect(await left()).toEqual([3]);
  expect(await uris(store)).toEqual(["a.txt", "b.txt", "c.txt"]);
});

it("writes that come at once, each to a scope of its own that is new, are numbered in a few trips", async () => {
  let trips = 0;
  const client: PostgresClient = {
    query(text, values) {
      if (++trips > 40) throw new Error("more trips than two for each group of writes");
      return database.client.query(text, values);
    },
  };
  const store = await open("newcomers", { client });
  const users = Array.from({ length: 70 }, (_, i) => `user:u${i}` as const);
  trips = 0;
  await Promise.all(users.map((user) => store.replace(write(user), documentEntry(`of ${user}`, ["ash"]))));
  expect((await collect(store.documents(read(...users)))).length).toBe(users.length);
});

it("a search asks once, also an operator's of every scope, and one that finds too little", async () => {
  let trips = 0;
  const client: PostgresClient = {
    query(text, values) {
      trips++;
      return database.client.query(text, values);
    },
  };
  const { openPostgresStore: openLikeKb } = await import("../../../src/stores/open-postgres-store.ts");
  const place = { schema: database.schemaOf("trips"), replicas: database.replicasOf("a") };
  const kb = await openKnowledgeBase({ store: await openLikeKb(client, place) });
  const texts = [
    "Keys are rotated every ninety days.",
    "Rotated keys are kept for a year.",
    "The heron waits.",
    "Otters swim.",
  ];
  for (const [i, text] of texts.entries()) await kb.ingest({ uri: `${i}.txt`, text });
  /** The least of a few, since settling asks in the background. */
  const count = async (search: () => Promise<unknown>): Promise<number> => {
    const counts: number[] = [];
    for (let i = 0; i < 5; i++) {
      trips = 0;
      await search();
      counts.push(trips);
    }
    return Math.min(...counts);
  };
  const ada = kb.as({ userId: "ada" });
  await ada.search("keys");
  for (const view of [ada, kb])
    for (const question of ["rotated keys", "otters", "nowhere"])
      expect(await count(() => view.search(question))).toBe(1);
  await kb.close();
});

it("two knowledge bases over one client are one, with the store's own model", async () => {
  const { openPostgresStore: open } = await import("../../../src/stores/open-postgres-store.ts");
  const schema = database.schemaOf("kb");
  const [one, other] = await Promise.all(
    ["a", "b"].map(async (node) =>
      openKnowledgeBase({ store: await open(database.client, { schema, replicas: database.replicasOf(node) }) }),
    ),
  );
  await one!.ingest({ uri: "a.txt", text: "Keys are rotated every ninety days." });
  const found = await Promise.all([one!, other!].map((kb) => kb.search("rotating keys")));
  expect(found[1]).toEqual(found[0]);
  expect(found[0]!.map(({ source }) => source.uri)).toEqual(["a.txt"]);
  const { embeddingVersions } = await other!.status();
  expect(embeddingVersions.map(({ model }) => model)).toEqual(["latent-semantic"]);
  await Promise.all([one!.close(), other!.close()]);
});
