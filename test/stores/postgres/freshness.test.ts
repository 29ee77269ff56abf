import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { Hit } from "../../../src/contracts/retriever.ts";
import type { Receipt } from "../../../src/contracts/leg.ts";
import type { Scope } from "../../../src/contracts/scope.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { latentSemanticModel } from "../../../src/engine/latent/latent-semantic-model.ts";
import { createRetriever } from "../../../src/search/create-retriever.ts";
import type { PostgresClient } from "../../../src/stores/postgres/postgres-client.ts";
import { chunksOfNext, type Page, pageSize, pageText, readPage } from "../../../src/stores/postgres/read-page.ts";
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
const anHour = 3_600_000;

async function open(base: string, options: Parameters<TestDatabase["open"]>[1] = {}): Promise<Store> {
  const store = await database.open(base, { analyzer: plainAnalyzer, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A client that counts its trips, and fails while it is cut off. */
function watched(): { readonly client: PostgresClient; trips: number; isCut: boolean } {
  const state = {
    trips: 0,
    isCut: false,
    client: {
      query(text: string, values?: unknown[]) {
        state.trips++;
        if (state.isCut) throw new Error("connect ETIMEDOUT");
        return database.client.query(text, values);
      },
    },
  };
  return state;
}

const failureOf = async (work: Promise<unknown>): Promise<IbidError> => {
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(IbidError);
  return error as IbidError;
};

describe("a call", () => {
  it("chooses the age of the state that it is answered from", async () => {
    const [writer, watch] = [await open("age"), watched()];
    const reader = await open("age", { node: "b", client: watch.client });
    const { receipt } = await writer.replace(write("deployment"), documentEntry("a", ["ash"]));
    watch.trips = 0;
    const stampAt = async (options: object): Promise<unknown> =>
      (await reader.session(everything, options)).moment.stamps.get("deployment")?.stamp;
    expect([await stampAt({ atMostMs: anHour }), watch.trips]).toEqual([undefined, 0]);
    expect(await stampAt({ atMostMs: anHour, after: [receipt] })).toBe(1);
    // The copy has the receipt's commit now: nothing is asked.
    watch.trips = 0;
    expect([await stampAt({ atMostMs: anHour, after: [receipt] }), watch.trips]).toEqual([1, 0]);
    expect([await stampAt({}), watch.trips]).toEqual([1, 1]);
  });

  it("sees a scope that the copy lacks, where an operator's search of every scope asks for it", async () => {
    for (const [name, ask] of [
      ["asked_after", (receipt: Receipt) => ({ after: receipt })],
      ["asked_latest", () => ({ consistency: "latest" as const })],
      ["asked_age", () => ({ atMostMs: 0 })],
    ] as const) {
      const writer = await open(name);
      const reader = await openKnowledgeBase({ store: await open(name, { node: "b", atMostMs: anHour }) });
      const { receipt } = await writer.replace(write("team:a"), documentEntry("a", ["ash"]));
      const find = async (options: object): Promise<number> =>
        (await reader.search("ash", { mode: "lexical", ...options })).length;
      expect([await find({}), await find(ask(receipt)), await find({})]).toEqual([0, 1, 1]);
    }
  });

  it("asks once, also an operator's search of every scope, and one that finds too little", async () => {
    const [writer, watch] = [await open("once"), watched()];
    const store = await open("once", { node: "b", client: watch.client });
    const causes: string[] = [];
    const tracer = { trace: () => {}, miss: (...miss: readonly unknown[]) => void causes.push(String(miss.at(-1))) };
    const reader = await openKnowledgeBase({ store, operations: { tracer } });
    await writer.replace(write("team:a"), documentEntry("a", ["ash"]));
    const tripsOf = async (question: string, options: object = {}): Promise<number> => {
      watch.trips = 0;
      await reader.search(question, { mode: "lexical", ...options });
      return watch.trips;
    };
    expect(await tripsOf("ash", { consistency: "latest" })).toBe(2);
    for (const question of ["ash", "nowhere"]) {
      expect(await tripsOf(question)).toBe(1);
      expect(await tripsOf(question, { consistency: "latest" })).toBe(1);
      expect(await tripsOf(question, { atMostMs: anHour })).toBe(0);
    }
    expect(causes.slice(-3)).toEqual(["no-match", "no-match", "no-match"]);
    const both = { consistency: "latest", atMostMs: 5 } as const;
    await expect(reader.search("ash", both)).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("asks once for every verb of an operator that lists the scopes first", async () => {
    const [corpusModel, watch] = [latentSemanticModel, watched()];
    const writer = await open("verbs", { corpusModel });
    const store = await open("verbs", { node: "b", client: watch.client, corpusModel });
    const reader = await openKnowledgeBase({ store });
    await writer.replace(write("team:a"), documentEntry("a", ["ash"]));
    for (const team of ["c", "d"] as const)
      await writer.replace(write(`team:${team}`), documentEntry(`of ${team}`, ["elm"]));
    const [{ chunkId }] = (await reader.search("ash", { mode: "lexical" })) as [Hit];
    const verbs: Readonly<Record<string, () => Promise<unknown>>> = {
      list: () => collect(reader.list()),
      newest: () => collect(reader.list({ sort: "newest", limit: 1 })),
      "by id": () => collect(reader.list({ documentId: "a" })),
      "by id, of a user": () => collect(reader.as({ teamId: "a" }).list({ documentId: "a" })),
      "the next page": () =>
        collect(reader.list({ sort: "newest", limit: 1, after: { uri: "a.txt", scope: "team:a" } })),
      folders: () => reader.folders(),
      find: () => reader.find({ topK: 5 }),
      document: () => reader.document("a.txt"),
      "a slice": () => reader.document("a.txt", { start: 1, end: 2 }),
      outline: () => reader.outline("a.txt"),
      section: () => reader.section("a.txt", "0"),
      expand: () => reader.expand(chunkId, { neighbours: 1 }),
      "section of a team": () => reader.as({ teamId: "a" }).section("a.txt", "0"),
      verify: () => reader.verify("An ash [1].\n\n[1]: a.txt"),
      "verify of a team": () => reader.as({ teamId: "a" }).verify("An ash [1].\n\n[1]: a.txt"),
    };
    for (const [name, verb] of Object.entries(verbs)) {
      watch.trips = 0;
      await verb();
      expect([name, watch.trips]).toEqual([name, 1]);
    }
    // Each call sees commits that came before it.
    await writer.replace(write("team:b"), documentEntry("b", ["ash"]));
    expect((await collect(reader.list())).map(({ uri }) => uri)).toEqual(["a.txt", "b.txt", "of c.txt", "of d.txt"]);
    expect(await collect(reader.list({ documentId: "b" }))).toHaveLength(1);
    await writer.replace(write("team:b"), documentEntry("c", ["ash"]));
    expect((await reader.find({ topK: 9 })).length).toBe(5);
    await writer.replace(write("team:b"), documentEntry("c", ["birch"]));
    expect((await reader.section("c.txt", "0"))?.text).toBe("birch");
    await writer.replace(write("team:b"), documentEntry("c", ["cedar"]));
    expect((await reader.document("c.txt"))?.text).toBe("cedar");
  });

  it("asks about the scopes that it reads, and leaves what others have for the next question", async () => {
    const [writer, watch] = [await open("alone"), watched()];
    const reader = await open("alone", { node: "b", client: watch.client });
    const stampOf = async (
      scope: Scope,
      options: object = {},
    ): Promise<readonly [number | undefined, trips: number]> => {
      watch.trips = 0;
      const { moment } = await reader.session(read(scope), options);
      return [moment.stamps.get(scope)?.stamp, watch.trips];
    };
    await writer.replace(write("team:a"), documentEntry("a", ["ash"]));
    expect(await stampOf("deployment")).toEqual([undefined, 1]);
    expect(await stampOf("deployment", { atMostMs: anHour })).toEqual([undefined, 0]);
    // The question about the one says nothing of the other.
    await writer.replace(write("deployment"), documentEntry("b", ["birch"]));
    expect(await stampOf("deployment")).toEqual([1, 2]);
    expect(await stampOf("team:a")).toEqual([1, 1]);
    await writer.replace(write("team:a"), documentEntry("c", ["cedar"]));
    const real = Date.now;
    let later = 5_000;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => real() + later);
    onTestFinished(() => clock.mockRestore());
    expect(await stampOf("deployment")).toEqual([1, 1]);
    expect(await stampOf("team:a", { atMostMs: 4_000 })).toEqual([2, 2]);
    // After a while all are asked about: purged words leave the copy though nobody reads their scope.
    await writer.replace(write("team:a"), documentEntry("d", ["dogwood"]));
    later = 45_000;
    expect(await stampOf("deployment")).toEqual([1, 2]);
    expect(await stampOf("team:a", { atMostMs: 25_000 })).toEqual([3, 0]);
  });

  it("asks for the latest by name, whatever age the store was opened with", async () => {
    const [writer, watch] = [await open("latest"), watched()];
    const reader = await open("latest", { node: "b", client: watch.client, atMostMs: anHour });
    await writer.replace(write("deployment"), documentEntry("a", ["ash"]));
    watch.trips = 0;
    const find = async (options: object): Promise<number> =>
      (await createRetriever({ store: reader }).retrieve(everything, "ash", { mode: "lexical", ...options })).length;
    expect(watch.trips).toBe(0);
    expect(await find({ consistency: "latest" })).toBe(1);
    expect(watch.trips).toBeGreaterThan(0);
    const session = (options: object): Promise<unknown> => reader.session(everything, options);
    await session({ consistency: "latest", atMostMs: 0 });
    for (const wrong of [{ consistency: "latest", atMostMs: 5 }, { consistency: "newest" }])
      expect((await failureOf(session(wrong))).code).toBe("invalid-argument");
  });

  it("gets no answer once the lease has run out, however old a state it allows", async () => {
    const watch = watched();
    const reader = await open("lease", { client: watch.client, atMostMs: anHour, leaseMs: 40, busyTimeoutMs: 50 });
    expect(await uris(reader)).toEqual([]);
    watch.isCut = true;
    await new Promise((resolve) => setTimeout(resolve, 60));
    const error = await failureOf(uris(reader));
    expect([error.code, error.message]).toEqual(["store-failed", expect.stringContaining("ETIMEDOUT")]);
    watch.isCut = false;
    expect(await uris(reader)).toEqual([]);
  });

  it.each([anHour, -anHour])("asks too often, never too seldom, when the clock is wrong by %i ms", async (wrong) => {
    const watch = watched();
    const reader = await open(`clock${Math.sign(wrong) + 1}`, { client: watch.client, atMostMs: anHour, leaseMs: 40 });
    const real = Date.now;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => real() + wrong);
    onTestFinished(() => clock.mockRestore());
    watch.trips = 0;
    await new Promise((resolve) => setTimeout(resolve, 60));
    await uris(reader);
    expect(watch.trips).toBe(1);
  });
});

/** Waits until the reader sees a document in the copy alone. **Units** milliseconds. */
async function seenAfter(reader: Store, uri: string): Promise<number> {
  const from = performance.now();
  while (!(await uris(reader)).includes(uri)) {
    if (performance.now() - from > 5_000) throw new Error(`${uri} was not seen.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return performance.now() - from;
}

describe("a node that follows", () => {
  const lazy = { atMostMs: anHour, leaseMs: anHour };

  it("sees what others write though nobody asks for it", async () => {
    const [writer, reader] = [
      await open("polled"),
      await open("polled", { ...lazy, node: "b", follow: "poll", pollMs: 20 }),
    ];
    await writer.replace(write("deployment"), documentEntry("a", ["ash"]));
    expect(await seenAfter(reader, "a.txt")).toBeLessThan(5_000);
  });

  it("hears of a commit long before it would ask", async () => {
    const reader = await open("heard", { ...lazy, node: "b", follow: "listen", pollMs: anHour });
    const writer = await open("heard");
    for (const id of ["a", "b"]) {
      await writer.replace(write("deployment"), documentEntry(id, ["ash"]));
      expect(await seenAfter(reader, `${id}.txt`)).toBeLessThan(5_000);
    }
  });

  it("fetches at a notice, without asking first whether there is something", async () => {
    let tell: ((payload: string) => void) | undefined;
    const asked: string[] = [];
    const client: PostgresClient = {
      query(text, values) {
        asked.push(text.trim());
        if (text.includes("pg_notify")) tell?.(values![1] as string);
        return database.client.query(text, values);
      },
      listen: async (_, heard) => {
        tell = heard;
        return async () => {};
      },
    };
    const reader = await open("told", { ...lazy, node: "b", follow: "listen", pollMs: anHour, client });
    const writer = await open("told");
    await writer.replace(write("deployment"), documentEntry("a", ["ash"]));
    asked.length = 0;
    tell!("another node");
    expect(await seenAfter(reader, "a.txt")).toBeLessThan(5_000);
    expect(asked[0]).toMatch(/^WITH have/u);
  });

  it("polls where a notice is dropped", async () => {
    let isDeaf = false;
    const client: PostgresClient = {
      query: (text, values) => database.client.query(text, values),
      // A listener that drops what comes after the test.
      listen: async (_, heard) => {
        const { client } = database;
        const sent = client.query.bind(client);
        const spy = vi.spyOn(client, "query").mockImplementation(async (text: string, values?: unknown[]) => {
          if (text.includes("pg_notify") && !isDeaf) heard(values![1] as string);
          return sent(text, values);
        });
        return async () => spy.mockRestore();
      },
    };
    const reader = await open("dropped", { ...lazy, node: "b", follow: "listen", pollMs: 50, client });
    const writer = await open("dropped");
    isDeaf = true;
    await writer.replace(write("deployment"), documentEntry("a", ["ash"]));
    expect(await seenAfter(reader, "a.txt")).toBeLessThan(5_000);
  });

  it("refuses a connection that never hears, as a pooler's", async () => {
    const client: PostgresClient = {
      query: (text, values) => database.client.query(text, values),
      listen: async () => async () => {},
    };
    const error = await failureOf(database.open("deaf", { client, follow: "listen" }));
    expect([error.code, error.hint]).toEqual(["unsupported", expect.stringContaining("listenAt")]);
    const none: PostgresClient = { query: (text, values) => client.query(text, values) };
    expect((await failureOf(database.open("deaf", { client: none, follow: "listen" }))).code).toBe("invalid-argument");
  });

  it("has a lease that others can see, and gives it up when it is closed", async () => {
    const store = await database.open("leased", { follow: "poll" });
    const leases = async (): Promise<number> =>
      (await database.client.query(`SELECT 1 FROM ${database.schemaOf("leased")}.nodes WHERE lease_until > now()`)).rows
        .length;
    expect(await leases()).toBe(1);
    await store.close();
    expect(await leases()).toBe(0);
  });
});

describe("a node with some scopes", () => {
  it("copies and answers for these alone", async () => {
    const writer = await open("placed");
    for (const [scope, word] of [
      ["deployment", "ash"],
      ["team:a", "birch"],
      ["team:b", "quicksilver"],
    ] as const)
      await writer.replace(write(scope), documentEntry("d", [`${word} tree`]));
    const reader = await open("placed", { node: "some", scopes: ["team:a", "user:*"] });
    expect(await uris(reader)).toEqual(["d.txt", "d.txt"]);
    expect(await reader.scopes(system)).toEqual(["deployment", "team:a"]);
    await reader.replace(write("user:ada"), documentEntry("own", ["cedar"]));
    for (const refused of [
      collect(reader.documents(read("team:b"))),
      reader.session(read("deployment", "team:b")),
      reader.replace(write("team:b"), documentEntry("x", ["ash"])),
    ])
      expect([(await failureOf(refused)).code]).toEqual(["unsupported"]);
    const folder = database.replicasOf("some");
    const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString("latin1"))
      .join("");
    expect([bytes.includes("birch"), bytes.includes("quicksilver")]).toEqual([true, false]);
    expect((await collect(writer.documents(read("user:ada")))).map(({ uri }) => uri)).toEqual(["own.txt"]);
  });

  it.each([["team:"], ["north"], [7]])("refuses %j as a placement", async (scope) => {
    const error = await failureOf(database.open("nowhere", { scopes: [scope as string] }));
    expect(error.code).toBe("invalid-argument");
  });
});

it("a page stops at a number of scopes and of chunks, and the next ones bring the rest", async () => {
  const writer = await open("pages");
  const users = Array.from({ length: 7 }, (_, i) => `user:p${i}` as const);
  for (const [i, user] of users.entries())
    for (let number = 0; number <= i; number++)
      await writer.replace(write(user), documentEntry(`d${number}`, ["ash", "birch", "cedar"]));
  const text = pageText(database.schemaOf("pages"));
  const have = new Map<number, number>();
  const chunks = new Map<number, number>();
  for (let more = true, pages = 1; more; pages++) {
    expect(pages).toBeLessThan(30);
    const known = Array.from(have, ([scope, stamp]) => ({ scope, stamp }));
    const { rows } = await database.client.query(text, [JSON.stringify(known), 5, 64, `["*"]`, 8]);
    const page = readPage(rows as never);
    const found = page.rows.filter(({ kind }) => kind === "c");
    // Six chunks of one scope at most, because a commit stays whole, and a scope only where fewer than eight came before it.
    expect(found.length).toBeLessThanOrEqual(7 + 6);
    for (const { scope } of found) chunks.set(scope, (chunks.get(scope) ?? 0) + 1);
    for (const { scope, upto } of page.scopes) have.set(scope, upto);
    more = page.more;
    expect(page.scopes.length > 0 || !more).toBe(true);
  }
  expect([...chunks.values()].sort((a, b) => a - b)).toEqual(users.map((_, i) => 3 * (i + 1)));
  const late = await open("pages", { node: "late" });
  expect((await collect(late.documents(read(...users)))).length).toBe(28);
});

it("a first copy takes as long as it takes, while each page comes in time; a later call says how far it is behind", async () => {
  const users = Array.from({ length: 150 }, (_, i) => `user:u${i}` as const);
  const writer = await open("first_copy");
  const fill = async (words: string): Promise<void> => {
    for (const user of users) await writer.replace(write(user), documentEntry(`of ${user}`, [words]));
  };
  await fill("ash");
  // A page brings 64 scopes, so the copy has three.
  const client: PostgresClient = {
    async query(text, values) {
      if (text.includes("WITH have")) await new Promise((resolve) => setTimeout(resolve, 60));
      return database.client.query(text, values);
    },
  };
  const reader = await open("first_copy", { node: "b", client, busyTimeoutMs: 100 });
  expect((await collect(reader.documents(read(...users)))).length).toBe(users.length);
  await fill("birch");
  const late = await failureOf(collect(reader.documents(read(...users))));
  expect([late.code, Number(late.details["commits"]) > 0]).toEqual(["store-busy", true]);
});

it("a copy asks for the next page before it applies one, and for no page twice", async () => {
  const users = Array.from({ length: 150 }, (_, i) => `user:a${i}` as const);
  const writer = await open("ahead");
  for (const user of users) await writer.replace(write(user), documentEntry(`of ${user}`, ["ash"]));
  const held: number[] = [];
  const client: PostgresClient = {
    async query(text, values) {
      if (text.includes("WITH have")) held.push(documentsIn(database.replicasOf("ahead")));
      return database.client.query(text, values);
    },
  };
  const reader = await open("ahead", { node: "ahead", client });
  // A page brings 64 scopes.
  expect(held).toEqual([0, 0, 64]);
  expect((await collect(reader.documents(read(...users)))).length).toBe(users.length);
});

it("a copy that is far behind gets larger pages, by the bytes of the last one, and segments that are never merged", async () => {
  const pageOf = (chunks: number, bytes: number): Page => ({
    scopes: [],
    rows: Array.from({ length: chunks }, () => ({ kind: "c", x: new Uint8Array(bytes), y: null })) as never,
    more: true,
  });
  const { chunks, most, bytes } = pageSize;
  for (const [size, next] of [
    [0, most],
    [Math.floor(bytes / most), most],
    [Math.floor(bytes / 6000), 6000],
    [1_000_000, chunks],
  ] as const)
    expect(Math.abs(chunksOfNext(pageOf(10, size)) - next)).toBeLessThan(10);
  expect(chunksOfNext(pageOf(0, 0))).toBe(chunks);
  const segments = { sealAt: 4, settleAt: 2, mergeFactor: 2, maxMerged: 16 };
  const writer = await open("large", { segments });
  const paragraphs = ["ash", "birch", "cedar", "dogwood"];
  for (let i = 0; i < 10; i++) await writer.replace(write("deployment"), documentEntry(`d${i}`, paragraphs));
  const reader = await open("large", { node: "large", segments });
  const sizes = () => numbersIn(database.replicasOf("large"), "SELECT size FROM segments ORDER BY key");
  expect(sizes()).toEqual([16, 16, 8]);
  await reader.upkeep!.settle();
  expect(sizes()).toEqual([16, 16, 8]);
  expect((await collect(reader.chunks(everything))).length).toBe(40);
});

const documentsIn = (folder: string): number => numbersIn(folder, "SELECT count(*) AS count FROM documents")[0]!;

/** The first column of a query over the copy in a folder. */
function numbersIn(folder: string, sql: string): readonly number[] {
  const path = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(".sqlite"))!;
  const file = new DatabaseSync(join(folder, path), { readOnly: true });
  try {
    return file
      .prepare(sql)
      .all()
      .map((row) => Number(Object.values(row)[0]));
  } finally {
    file.close();
  }
}
