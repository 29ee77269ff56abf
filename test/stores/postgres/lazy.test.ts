import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import type { Embedder } from "../../../src/contracts/embedding-model.ts";
import type { EmbeddingVersion } from "../../../src/contracts/embedding.ts";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { Scope } from "../../../src/contracts/scope.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { createRetriever } from "../../../src/search/create-retriever.ts";
import { openPostgresStore } from "../../../src/stores/open-postgres-store.ts";
import type { PostgresStoreOptions } from "../../../src/stores/postgres/postgres-store.ts";
import type { PostgresClient } from "../../../src/stores/postgres/postgres-client.ts";
import { createRandom } from "../../../src/testing/random.ts";
import { fewer } from "../../support/runs.ts";
import { collect, documentEntry, plainAnalyzer, read, system, write } from "../build.ts";
import { topicText, watchedModel } from "../topics.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { act, least, look, type Operation, operation } from "./histories.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

let worlds = 0;

/** So many words that their postings are in several parts. */
const wordOf = (i: number, at: number, j: number): string => `word${(i * 977 + at * 131 + j * 17) % 9000}x${j}`;

async function fillWithWords(node: Store): Promise<void> {
  for (let i = 0; i < 60; i++) {
    const paragraphs = Array.from(
      { length: 5 },
      (_, at) => `${topicText(i * 5 + at)} c${i} ${Array.from({ length: 60 }, (_, j) => wordOf(i, at, j)).join(" ")}`,
    );
    await node.replace(write("deployment"), documentEntry(`d${i}`, paragraphs));
  }
}

/** Runs a history on a node, and compares after each step that is marked: with a process that opens then, and with one that was there from the beginning. */
async function compare(
  history: readonly (readonly [looks: boolean, op: Operation])[],
  shareIndex: boolean,
): Promise<void> {
  const base = `lazy_${worlds++}`;
  const clock = { now: 1_700_000_000_000 };
  const options = {
    analyzer: plainAnalyzer,
    corpusModel: watchedModel(least),
    segments: { sealAt: 6, settleAt: 2 },
    now: () => clock.now,
  };
  const node = await database.open(base, { ...options, shareIndex });
  const stores: Store[] = [];
  const openLazy = async (): Promise<Store> => {
    const store = await database.open(base, { ...options, lazy: true, replicas: undefined });
    stores.push(store);
    return store;
  };
  try {
    const early = await openLazy();
    for (const [looks, op] of history) {
      clock.now++;
      await act(node, op);
      if (!looks) continue;
      const expected = await look(node);
      expect(await look(early)).toEqual(expected);
      expect(await look(await openLazy())).toEqual(expected);
    }
    expect(await look(early)).toEqual(await look(node));
  } finally {
    for (const store of [node, ...stores]) await store.close();
  }
}

it.each([true, false])(
  "a process without a copy finds what a copy finds, in order and with equal scores; the index is shared: %s",
  async (shareIndex) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), operation), { minLength: 8, maxLength: 30 }), (history) =>
        compare(history, shareIndex),
      ),
      { numRuns: fewer(2, 24), endOnFailure: true },
    );
  },
  600_000,
);

it("a process without a copy finds a scope that is made, with a first fit, after it looked", async () => {
  const made: Operation = {
    do: "replace",
    scope: "deployment",
    id: "e",
    from: 18,
    count: 12,
    embeds: true,
    year: 2023,
  };
  await compare(
    [
      [true, { do: "settle" }],
      [false, made],
      [true, { do: "settle" }],
    ],
    true,
  );
});

/** A client that counts its trips and what comes back. */
function watched(): { readonly client: PostgresClient; trips: number; bytes: number } {
  const state = {
    trips: 0,
    bytes: 0,
    client: {
      async query(text: string, values?: unknown[]) {
        state.trips++;
        const { rows } = await database.client.query(text, values);
        for (const value of rows.flatMap((row) => Object.values(row as object)))
          state.bytes += value instanceof Uint8Array ? value.length : value === null ? 0 : String(value).length;
        return { rows };
      },
    },
  };
  return state;
}

async function open(base: string, options: PostgresStoreOptions & { readonly client?: PostgresClient } = {}) {
  const { client = database.client, ...others } = options;
  const replicas = others.lazy === true ? undefined : database.replicasOf("a");
  const store = await openPostgresStore(client, { schema: database.schemaOf(base), replicas, ...others });
  onTestFinished(() => store.close());
  return store;
}

const failureOf = async (work: Promise<unknown>): Promise<readonly [code: string, message: string]> => {
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(IbidError);
  return [(error as IbidError).code, (error as IbidError).message];
};

/** Chapters of two subjects under headings that share words with questions. */
async function fill(store: Store, scope: Scope = "deployment", count = 40): Promise<void> {
  for (let i = 0; i < count; i++) {
    const paragraphs = Array.from({ length: 5 }, (_, at) => `${at}p ${topicText(i * 5 + at)} c${i}`);
    const document = { title: `Chapter ${i} ${topicText(i)}`, metadata: { year: 2000 + (i % 9) } };
    const entry = documentEntry(`d${i}`, paragraphs, { document, headings: [`Part ${i % 7}`, topicText(i % 11)] });
    await store.replace(write(scope), entry);
    if (i % 13 === 0) await store.upkeep!.settle();
  }
  await store.upkeep!.settle();
}

describe("trips", () => {
  it.each(["lexical", "hybrid"] as const)(
    "%s: five for the first question with the opening, then one, two after a write elsewhere, three for new words",
    async (mode) => {
      const [base, watch] = [`trips_${mode}`, watched()];
      const node = await open(base, { shareIndex: true });
      await fill(node);
      const tripsOf = async (work: () => Promise<unknown>): Promise<number> => {
        watch.trips = 0;
        await work();
        return watch.trips;
      };
      let lazy!: Store;
      const ask = (store: Store, query: string) =>
        createRetriever({ store }).retrieve(read("deployment"), query, { mode });
      const opening = await tripsOf(async () => (lazy = await open(base, { lazy: true, client: watch.client })));
      const question = topicText(3);
      expect(opening + (await tripsOf(() => ask(lazy, question)))).toBeLessThanOrEqual(5);
      expect(await tripsOf(() => ask(lazy, question))).toBe(1);
      for (const other of [topicText(17), `Part 3 ${topicText(29)}`, topicText(44)])
        expect(await tripsOf(() => ask(lazy, other))).toBeLessThanOrEqual(3);
      await node.replace(write("deployment"), documentEntry("new", [`anew ${question}`, question]));
      expect(await tripsOf(() => ask(lazy, question))).toBeLessThanOrEqual(2);
      // Where hits have gone, others come up whose rows were not read.
      await node.replace(write("deployment"), documentEntry("d3", [`${question} again`]));
      expect(await tripsOf(() => ask(lazy, question))).toBeLessThanOrEqual(3);
      expect(await ask(lazy, question)).toEqual(await ask(node, question));
    },
    120_000,
  );

  it("for new words are as many where a chunk outside of the index has one of them", async () => {
    const watch = watched();
    const node = await open("late_word", { shareIndex: true });
    await fill(node);
    await node.replace(write("deployment"), documentEntry("late", [`quagga ${topicText(3)}`]));
    const lazy = await open("late_word", { lazy: true, client: watch.client });
    const ask = (store: Store, query: string) =>
      createRetriever({ store }).retrieve(read("deployment"), query, { mode: "lexical" });
    await ask(lazy, topicText(17));
    watch.trips = 0;
    await ask(lazy, "c9");
    const inside = watch.trips;
    const found = await ask(lazy, "quagga c7");
    expect(watch.trips - inside).toBeLessThanOrEqual(inside);
    expect(JSON.stringify(found)).toContain("quagga");
    expect(found).toEqual(await ask(node, "quagga c7"));
  });

  it.each(["lexical", "hybrid"] as const)(
    "%s: for new words right after the first write elsewhere are three",
    async (mode) => {
      let trips = 0;
      const client: PostgresClient = {
        async query(text, values) {
          trips++;
          // Answers take their time, and the search goes on meanwhile.
          if (text.includes("last_commit AS last")) await new Promise((resolve) => setTimeout(resolve, 30));
          return database.client.query(text, values);
        },
      };
      const base = `first_write_${mode}`;
      const node = await open(base, { shareIndex: true });
      await fillWithWords(node);
      await node.upkeep!.settle();
      const lazy = await open(base, { lazy: true, client });
      const ask = (store: Store, query: string) =>
        createRetriever({ store }).retrieve(read("deployment"), query, { mode });
      for (const known of [17, 3]) await ask(lazy, topicText(known));
      for (const [i, words] of ["c9", wordOf(20, 0, 0)].entries()) {
        await node.replace(write("deployment"), documentEntry(`late${i}`, [`late ${topicText(23)}`]));
        trips = 0;
        const found = await ask(lazy, words);
        expect(trips).toBe(3);
        expect(found).toEqual(await ask(node, words));
        // A question that brings nothing, so that the next write is a first one again.
        await ask(lazy, topicText(17));
      }
    },
    120_000,
  );

  it("in a fusion by score are three at most, and its hits those of a copy, where chunks outside of the pools count", async () => {
    const version: EmbeddingVersion = { provider: "test", model: "any", dimensions: 384, fingerprint: "" };
    const random = createRandom(5);
    const draw = () => Float32Array.from({ length: version.dimensions }, () => random.next() - 0.5);
    const node = await open("together", { shareIndex: true });
    for (let i = 0; i < 120; i++)
      await node.replace(
        write("deployment"),
        // Many chunks score alike by a word, so that those which no pool holds count by their vectors.
        documentEntry(
          `d${i}`,
          Array.from({ length: 5 }, (_, at) => `${at}p word${(i * 5 + at) % 9} c${i}`),
          { version, embed: draw },
        ),
      );
    await node.upkeep!.settle();
    const watch = watched();
    const trips: number[] = [];
    for (let i = 0; i < 6; i++) {
      const lazy = await open("together", { lazy: true, client: watch.client });
      for (let j = 0; j < 3; j++) {
        const [query, embedding] = [`word${i + j}`, draw()];
        const embedder = {
          model: { ...version, similarity: "meaning" },
          version,
          cacheHitRate: 0,
          embed: async () => ({ version, embeddings: [embedding], sent: 0 }),
        };
        const ask = (store: Store) =>
          createRetriever({ store, embedder: embedder as unknown as Embedder }).retrieve(read("deployment"), query, {
            mode: "hybrid",
            topK: 12,
          });
        watch.trips = 0;
        const found = await ask(lazy);
        // The first question of a process opens the store, too.
        if (j > 0) trips.push(watch.trips);
        expect(found).toEqual(await ask(node));
      }
    }
    expect(Math.max(...trips)).toBeLessThanOrEqual(3);
  }, 120_000);

  it("are no more where questions of others follow: a read waits for its own alone", async () => {
    /** Questions whose answers are held back, and what lets each arrive. */
    const held: (() => void)[] = [];
    let isHolding = false;
    const client: PostgresClient = {
      async query(text, values) {
        const answer = await database.client.query(text, values);
        if (isHolding && text.includes("last_commit AS last")) await new Promise<void>((arrive) => held.push(arrive));
        return answer;
      },
    };
    const node = await open("following", { shareIndex: true });
    await fillWithWords(node);
    await node.upkeep!.settle();
    const lazy = await open("following", { lazy: true, client });
    const ask = (store: Store, query: string) =>
      createRetriever({ store }).retrieve(read("deployment"), query, { mode: "lexical" });
    const known = topicText(3);
    for (let i = 0; i < 2; i++) await ask(lazy, known);
    const words = wordOf(20, 0, 0);
    isHolding = true;
    const found = ask(lazy, words);
    await vi.waitFor(() => expect(held).toHaveLength(1));
    const other = ask(lazy, known);
    // Both computed as far as they can.
    await new Promise((resolve) => setTimeout(resolve, 50));
    held[0]!();
    await vi.waitFor(() => expect(held).toHaveLength(2));
    const late = new Promise((resolve) => setTimeout(resolve, 5_000, "late"));
    expect(await Promise.race([found, late])).toEqual(await ask(node, words));
    isHolding = false;
    held[1]!();
    expect(await other).toEqual(await ask(node, known));
  });

  it("asks for news where there are any, and at once while more come", async () => {
    const statements: string[] = [];
    const client: PostgresClient = {
      query(text, values) {
        statements.push(/^\s*WITH asked/u.test(text) ? "news" : /last_commit AS last/u.test(text) ? "commits" : "rows");
        return database.client.query(text, values);
      },
    };
    const node = await open("moving", { shareIndex: true });
    await fill(node, "deployment", 12);
    await fill(node, "team:a", 3);
    const lazy = await open("moving", { lazy: true, client });
    const ask = async (): Promise<readonly string[]> => {
      statements.length = 0;
      await createRetriever({ store: lazy }).retrieve(read("deployment"), topicText(3), { mode: "lexical" });
      return [...statements];
    };
    const put = (scope: Scope, id: string) => node.replace(write(scope), documentEntry(id, [topicText(3)]));
    await ask();
    expect(await ask()).toEqual(["commits"]);
    await put("team:a", "elsewhere");
    expect(await ask()).toEqual(["commits"]);
    await put("deployment", "first");
    expect((await ask()).slice(0, 2)).toEqual(["commits", "news"]);
    await put("deployment", "second");
    expect((await ask())[0]).toBe("news");
    expect(await ask()).toEqual(["news"]);
    expect(await ask()).toEqual(["commits"]);
  }, 120_000);

  it("an operator's search of every scope asks once", async () => {
    const watch = watched();
    const node = await open("operator", { shareIndex: true });
    await fill(node, "deployment", 6);
    const store = await open("operator", { lazy: true, client: watch.client });
    const kb = await openKnowledgeBase({ store });
    onTestFinished(() => kb.close());
    const find = () => kb.search(topicText(3), { mode: "lexical", topK: 50 });
    await find();
    watch.trips = 0;
    await find();
    expect(watch.trips).toBe(1);
    await node.replace(write("team:a"), documentEntry("new", [`anew ${topicText(3)}`]));
    expect((await find()).map(({ scope }) => scope)).toContain("team:a");
  }, 120_000);

  it("a state that may be old costs none", async () => {
    const watch = watched();
    const node = await open("old", { shareIndex: true });
    await fill(node, "deployment", 3);
    const lazy = await open("old", { lazy: true, client: watch.client });
    const ask = (options: object) =>
      createRetriever({ store: lazy }).retrieve(read("deployment"), topicText(1), { topK: 50, ...options });
    const before = await ask({});
    const { receipt } = await node.replace(write("deployment"), documentEntry("d9", [topicText(1)]));
    watch.trips = 0;
    expect(await ask({ atMostMs: 3_600_000 })).toEqual(before);
    expect(watch.trips).toBe(0);
    expect((await ask({ atMostMs: 3_600_000, after: receipt })).length).toBeGreaterThan(before.length);
  });

  it("bytes of words do not grow with texts and vectors", async () => {
    const watch = watched();
    const node = await open("bytes", { shareIndex: true });
    await fill(node, "deployment", 100);
    const lazy = await open("bytes", { lazy: true, client: watch.client });
    const chunks = (await lazy.status(read("deployment"))).chunks;
    expect(chunks).toBe(500);
    // Everything that every search reads: rows, lengths, places, names, headings.
    expect(watch.bytes / chunks).toBeLessThan(30);
  }, 120_000);
});

describe("a shared index", () => {
  it("is replaced under a process that reads it", async () => {
    const node = await open("replaced", { shareIndex: true });
    await fill(node, "deployment", 20);
    const lazy = await open("replaced", { lazy: true });
    const ask = (store: Store, query: string) => createRetriever({ store }).retrieve(read("deployment"), query);
    expect(await ask(lazy, topicText(2))).toEqual(await ask(node, topicText(2)));
    for (let i = 0; i < 20; i++)
      await node.replace(
        write("deployment"),
        documentEntry(`d${i}`, [topicText(i + 50), topicText(i + 7), topicText(i)]),
      );
    await node.upkeep!.settle();
    for (const i of [4, 9, 30, 55]) expect(await ask(lazy, topicText(i))).toEqual(await ask(node, topicText(i)));
  }, 120_000);

  it("has rows of vectors that lie across two blocks of the process that shares them", async () => {
    const version: EmbeddingVersion = { provider: "test", model: "wide", dimensions: 384, fingerprint: "" };
    const vector = (seed: number): Float32Array =>
      Float32Array.from({ length: version.dimensions }, (_, i) => Math.sin((seed + 1) * (i + 1)));
    const node = await open("blocks", { shareIndex: true });
    const paragraphs = Array.from({ length: 60 }, (_, i) => `${i}`);
    const embed = (text: string): Float32Array => vector(Number(text));
    await node.replace(write("deployment"), documentEntry("d", paragraphs, { version, embed }));
    await node.upkeep!.settle();
    const nearest = async (store: Store, seed: number) => {
      const { legs, scopes } = await store.session(read("deployment"));
      const dense = legs.find(({ name }) => name === "dense")!;
      const embeddings = [{ version, embedding: vector(seed), scopes }];
      return dense.search({ question: "", text: "", syntax: "literal", embeddings }, 60);
    };
    const lazy = await open("blocks", { lazy: true });
    for (const seed of [0, 21, 22, 59]) {
      const found = await nearest(node, seed);
      expect(found.matches).toHaveLength(60);
      expect(await nearest(lazy, seed)).toEqual(found);
    }
  }, 120_000);

  it("goes with a purge, and no word of the purge is in its files", async () => {
    const node = await open("purged", { shareIndex: true });
    await fill(node, "deployment", 12);
    await node.replace(write("deployment"), documentEntry("secret", [`xylograph ${topicText(1)}`]));
    await fill(node, "deployment", 12);
    const lazy = await open("purged", { lazy: true });
    const find = () => createRetriever({ store: lazy }).retrieve(read("deployment"), "xylograph", { mode: "lexical" });
    const schema = database.schemaOf("purged");
    const traces = async (): Promise<number> => {
      const { rows } = await database.client.query(
        `SELECT count(*)::int AS n FROM ${schema}.index_files WHERE position('xylograph'::bytea IN bytes) > 0`,
      );
      return (rows[0] as { n: number }).n;
    };
    await node.upkeep!.settle();
    await fill(node, "deployment", 30);
    expect([(await find()).length, await traces()]).toEqual([1, 1]);
    await node.delete(write("deployment"), { documentIds: ["secret"] }, { purge: true });
    expect([(await find()).length, await traces()]).toEqual([0, 0]);
    await node.upkeep!.settle();
    expect([(await find()).length, await traces()]).toEqual([0, 0]);
    const { rows } = await database.client.query(`SELECT stamp FROM ${schema}.indexes`);
    expect(rows).toHaveLength(1);
  }, 120_000);

  it.each([false, true])(
    "holds no word of a purge that comes in the middle of a share, at any of its statements; the sharer dies there: %s",
    async (dies) => {
      const base = `amid_${dies}`;
      const schema = database.schemaOf(base);
      const state = { statements: 0, at: -1, purge: async (): Promise<unknown> => undefined, isDead: false };
      const client: PostgresClient = {
        async query(text, values) {
          if (state.isDead) throw new Error("connect ECONNREFUSED");
          if (/indexes|index_files/u.test(text) && state.statements++ === state.at) {
            await state.purge();
            if (!dies) return database.client.query(text, values);
            // Its last statement was on the way.
            const answer = await database.client.query(text, values);
            state.isDead = true;
            return answer;
          }
          return database.client.query(text, values);
        },
      };
      const other = await open(base, { replicas: database.replicasOf("other") });
      await fill(other, "deployment", 12);
      let statements = 0;
      for (let at = 0, reached = true; reached; at++) {
        const id = `secret${at}`;
        await other.replace(write("deployment"), documentEntry(id, [`xylograph ${topicText(at)}`]));
        // No index is there: the purge of the round before took it.
        const sharer = await open(base, { replicas: database.replicasOf("sharer"), shareIndex: true, client });
        const purge = (): Promise<unknown> => other.delete(write("deployment"), { documentIds: [id] }, { purge: true });
        Object.assign(state, { statements: 0, at, purge, isDead: false });
        await sharer.upkeep!.settle().catch(() => {});
        state.isDead = false;
        reached = state.statements > at;
        if (!reached) await purge();
        statements = at;
        const { rows } = await database.client.query(
          `SELECT (SELECT count(*) FROM ${schema}.index_files WHERE position('xylograph'::bytea IN bytes) > 0)::int AS files,
           (SELECT count(*) FROM ${schema}.indexes i JOIN ${schema}.settings o ON o.scope = i.scope AND o.name = 'lives of ' || i.scope AND o.changed > i.stamp)::int AS indexes`,
        );
        expect([at, rows[0]]).toEqual([at, { files: 0, indexes: 0 }]);
        await database.client.query(`DELETE FROM ${schema}.indexes`);
        await database.client.query(`DELETE FROM ${schema}.index_files`);
      }
      expect(statements).toBeGreaterThan(4);
    },
    240_000,
  );

  it("shows nothing of a document once its purge has ended, to searches that run meanwhile", async () => {
    const node = await open("searched", { shareIndex: true });
    await fill(node, "deployment", 12);
    const lazy = await open("searched", { lazy: true });
    for (let round = 0; round < fewer(4, 30); round++) {
      const id = `secret${round}`;
      await node.replace(write("deployment"), documentEntry(id, [`xylograph ${topicText(round)}`, topicText(round)]));
      if (round % 2 === 0) await fill(node, "deployment", 12);
      let isPurged = false;
      const found: (readonly [afterPurge: boolean, hits: number])[] = [];
      const search = async (): Promise<void> => {
        while (found.filter(([after]) => after).length < 3) {
          const after = isPurged;
          const query = round % 3 === 0 ? `xylograph ${topicText(round)}` : "xylograph";
          const hits = await createRetriever({ store: lazy }).retrieve(read("deployment"), query, { topK: 50 });
          found.push([after, hits.filter(({ documentId }) => documentId === id).length]);
        }
      };
      const searching = [search(), search()];
      await node.delete(write("deployment"), { documentIds: [id] }, { purge: true });
      isPurged = true;
      await Promise.all(searching);
      expect(found.filter(([after, hits]) => after && hits > 0)).toEqual([]);
    }
  }, 240_000);

  it("is missed by name where too many chunks are outside of it, and is named where a file is lost", async () => {
    const node = await open("outside", { shareIndex: true });
    await fill(node, "deployment", 20);
    const schema = database.schemaOf("outside");
    const lazy = await open("outside", { lazy: true });
    await database.client.query(`DELETE FROM ${schema}.index_files WHERE name = 'postings'`);
    const ask = (store: Store) =>
      createRetriever({ store }).retrieve(read("deployment"), topicText(2), { mode: "lexical" });
    expect(await failureOf(ask(lazy))).toEqual(["store-corrupt", expect.stringContaining("lacks a file")]);
    // The next settling shares it again, as the hint of the error says.
    await node.upkeep!.settle();
    expect(await ask(lazy)).toEqual(await ask(node));
    await database.client.query(
      `INSERT INTO ${schema}.chunks (scope, key, changed, written, gone) SELECT s.key, 1000000 + n, s.stamp + 1, s.stamp + 1, false
       FROM ${schema}.scopes s, generate_series(1, 20000) n WHERE s.name = 'deployment'`,
    );
    await database.client.query(`UPDATE ${schema}.scopes SET stamp = stamp + 1 WHERE name = 'deployment'`);
    expect(await failureOf(ask(await open("outside", { lazy: true })))).toEqual([
      "store-busy",
      expect.stringContaining("has a shared index that is too old"),
    ]);
    await database.client.query(`DELETE FROM ${schema}.indexes`);
    expect(await failureOf(ask(await open("outside", { lazy: true })))).toEqual([
      "store-busy",
      expect.stringContaining("has no shared index"),
    ]);
  }, 120_000);

  it.each([
    ["tables", (schema: string) => `DROP TABLE ${schema}.indexes, ${schema}.index_files`],
    ["columns", (schema: string) => `ALTER TABLE ${schema}.scopes DROP COLUMN last_commit`],
  ])("has %s that an ordinary opening makes where an earlier version made the base", async (what, lose) => {
    const base = `earlier_${what}`;
    const node = await open(base);
    await node.replace(write("deployment"), documentEntry("a", ["ash tree"]));
    await database.client.query(lose(database.schemaOf(base)));
    const lazy = await open(base, { lazy: true });
    expect(await failureOf(collect(lazy.documents(read("deployment"))))).toEqual([
      "unsupported",
      expect.stringContaining("made by an earlier version"),
    ]);
    await open(base);
    expect(await collect(lazy.documents(read("deployment")))).toHaveLength(1);
  });
});

describe("a process without a copy", () => {
  it("writes nothing, searches for no pattern, and settles nothing", async () => {
    const node = await open("reads");
    await node.replace(write("deployment"), documentEntry("a", ["ash tree"]));
    const lazy = await open("reads", { lazy: true });
    expect(await failureOf(lazy.replace(write("deployment"), documentEntry("b", ["oak"])))).toEqual([
      "unsupported",
      expect.stringContaining("writes nothing"),
    ]);
    expect((await failureOf(lazy.trash!.vacuum(system, { olderThanMs: 0 })))[0]).toBe("unsupported");
    const pattern = createRetriever({ store: lazy }).retrieve(read("deployment"), "/a.h/", { mode: "regex" });
    expect(await failureOf(pattern)).toEqual(["unsupported", expect.stringContaining("no patterns")]);
    expect(lazy.capabilities).toMatchObject({ upkeep: false, history: false });
  });

  it("takes no option of a copy, and no engine", async () => {
    for (const option of [{ replicas: "/tmp/x" }, { follow: "poll" }, { shareIndex: true }] as const) {
      const opening = openPostgresStore(database.client, { lazy: true, ...option });
      expect(await failureOf(opening)).toEqual(["invalid-argument", expect.stringContaining("is for a copy")]);
    }
    expect((await failureOf(openPostgresStore(database.client, { lazy: true, schema: "nowhere" })))[0]).toBe(
      "not-found",
    );
  });

  it("answers each caller as a copy does: filters, folders, other scopes", async () => {
    const node = await open("callers", { shareIndex: true });
    for (const scope of ["deployment", "team:a", "user:b"] as const) await fill(node, scope, 15);
    const lazy = await open("callers", { lazy: true });
    const [whole, without] = await Promise.all([node, lazy].map((store) => openKnowledgeBase({ store })));
    onTestFinished(async () => {
      await whole!.close();
      await without!.close();
    });
    const options = [
      {},
      { topK: 30 },
      { filter: { op: "gte", key: "year", value: 2004 } },
      { under: ["d1"] },
      { mode: "lexical", copies: "all" },
      { mode: "dense" },
    ] as const;
    for (const caller of [{ userId: "b", teamId: "a" }, { userId: "c" }]) {
      for (const given of options) {
        for (const question of [topicText(4), `${topicText(9)} Part 2`, "nowhere"]) {
          const [expected, found] = await Promise.all(
            [whole!, without!].map((kb) => kb.as(caller).search(question, given)),
          );
          const facts = (hits: typeof expected) => hits!.map(({ score, ...hit }) => [JSON.stringify(hit), score]);
          expect(facts(found)).toEqual(facts(expected));
        }
      }
    }
  }, 120_000);
});
