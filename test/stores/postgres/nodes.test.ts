import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Scope } from "../../../src/contracts/scope.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { fewer } from "../../support/runs.ts";
import { searchLatent, searchVectors, searchWords } from "../../support/search-legs.ts";
import { collect, documentEntry, plainAnalyzer, read, system, three, two, write } from "../build.ts";
import { topicText, watchedModel } from "../topics.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const scopes: readonly Scope[] = ["deployment", "team:a", "user:b"];
const least = 12;
const ids = ["a", "b", "c", "d", "e", "f"];

const scope = fc.constantFrom<Scope[]>("deployment", "deployment", "team:a", "user:b");
const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("replace" as const),
      scope,
      id: fc.constantFrom(...ids),
      from: fc.nat(40),
      count: fc.integer({ min: 0, max: 9 }),
      embeds: fc.boolean(),
      year: fc.integer({ min: 2020, max: 2023 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("delete" as const),
      scope,
      id: fc.constantFrom(...ids),
      purge: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore" as const), scope, id: fc.constantFrom(...ids) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wipe" as const), scope }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("vacuum" as const), age: fc.integer({ min: 0, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("another model" as const), scope }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Op> ? Op : never;

/** **Shape** the store's answer, without what is random: lives of scopes. */
async function act(store: Store, op: Operation): Promise<unknown> {
  switch (op.do) {
    case "replace": {
      const paragraphs = Array.from({ length: op.count }, (_, i) => `${i}word ${topicText(op.from + i)}`);
      const { receipt, ...result } = await store.replace(
        write(op.scope),
        documentEntry(op.id, paragraphs, {
          document: { title: topicText(op.from), metadata: { year: op.year } },
          ...(op.embeds && { embed: (text: string) => [text.length % 7, op.from % 5, 1 / 3] }),
        }),
      );
      return [result, receipt.stamp];
    }
    case "delete": {
      const { chunks, receipt } = await store.delete(write(op.scope), { documentIds: [op.id] }, { purge: op.purge });
      return [chunks, receipt.stamp];
    }
    case "restore":
      return store.trash!.restore(write(op.scope), { documentIds: [op.id] });
    case "wipe":
      return (await store.delete(write(op.scope), { scope: true })).chunks;
    case "vacuum":
      return store.trash!.vacuum(system, { olderThanMs: op.age });
    case "another model": {
      const lacking = await collect(store.versions!.lacking(write(op.scope), two));
      const vectors = lacking.map(({ id, text }) => ({ chunkId: id, text, embedding: [text.length % 3, 1] }));
      const added = await store.versions!.addVectors(write(op.scope), two, vectors);
      return [added, await store.versions!.changeVersion(write(op.scope), two)];
    }
    case "settle":
      return store.upkeep!.settle();
  }
}

/** Everything that a reader can see. */
async function look(store: Store): Promise<unknown> {
  const everywhere = read(...scopes);
  const found: unknown[] = [];
  for (const text of ["sailor harbour", "yeast 3word", "comet violin comet"]) {
    const lexical = await searchWords(store, everywhere, { text, topK: "all" });
    const { matches, ...facts } = await searchLatent(store, everywhere, { text, topK: "all" });
    found.push(lexical, facts, matches);
  }
  for (const version of [three, two]) {
    const embedding = version.dimensions === 3 ? [3, 2, 1] : [1, 2];
    found.push(await searchVectors(store, everywhere, { embedding, version, topK: "all" }));
  }
  const filter = { op: "gte", key: "year", value: 2022 } as const;
  found.push(await searchVectors(store, everywhere, { embedding: [1, 1, 1], version: three, filter, topK: 4 }));
  const documents = await collect(store.documents(everywhere));
  return {
    found,
    documents,
    texts: await Promise.all(documents.map(({ id, scope: one }) => store.document(read(one), id))),
    chunks: await collect(store.chunks(everywhere, { includeEmbeddings: true })),
    deleted: await collect(store.trash!.deleted(everywhere)),
    versions: await store.versions!.versions(everywhere),
    status: await store.status(everywhere),
    scopes: await store.scopes(system),
  };
}

let worlds = 0;

/** Runs one history on a SQLite store and, each step on any node, on a base with that many nodes. */
async function compare(history: readonly (readonly [node: number, op: Operation])[], nodes: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-same-"));
  const base = `world_${worlds++}`;
  const clock = { now: 1_700_000_000_000 };
  const options = {
    analyzer: plainAnalyzer,
    corpusModel: watchedModel(least),
    segments: { sealAt: 6, settleAt: 2 },
    now: () => clock.now,
  };
  const sqlite = await openSqliteStore(join(folder, "ibid.sqlite"), options);
  const stores: Store[] = [];
  // Two nodes share tables in three partitions.
  const partitions = nodes === 2 ? 3 : undefined;
  for (let node = 0; node < nodes; node++)
    stores.push(await database.open(base, { ...options, partitions, node: `n${node}` }));
  try {
    for (const [node, op] of history) {
      clock.now++;
      const store = stores[node % nodes]!;
      expect(await act(store, op)).toEqual(await act(sqlite, op));
    }
    const expected = await look(sqlite);
    // A node that comes late finds the same.
    stores.push(await database.open(base, { ...options, node: "late" }));
    for (const store of stores) expect(await look(store)).toEqual(expected);
  } finally {
    for (const store of [sqlite, ...stores]) await store.close();
    rmSync(folder, { recursive: true });
  }
}

it.each([1, 2, 4])(
  "a base with %i nodes finds what a SQLite store finds, in order and with equal scores",
  async (nodes) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(3), operation), { minLength: 8, maxLength: 30 }), (history) =>
        compare(history, nodes),
      ),
      { numRuns: fewer(1, 12), endOnFailure: true },
    );
  },
  600_000,
);

it("chunks that wait for a fit, and those that came after it, are where the SQLite store has them", async () => {
  const write = (id: string, from: number) =>
    ({ do: "replace", scope: "deployment", id, from, count: 8, embeds: false, year: 2020 }) as const;
  const settle = { do: "settle" } as const;
  const gone = { do: "delete", scope: "deployment", id: "a", purge: false } as const;
  const back = { do: "restore", scope: "deployment", id: "a" } as const;
  // The second and third wait for the first fit; the fourth comes into its space; the fifth while it is set aside.
  const waiting = [
    [0, write("a", 0)],
    [0, write("b", 8)],
    [1, write("c", 16)],
  ] as const;
  await compare(waiting, 2);
  const fitted = [...waiting, [1, settle], [0, write("d", 24)], [1, gone], [0, write("e", 32)], [1, back]] as const;
  await compare(fitted, 2);
  await compare([...fitted, [0, gone], [1, settle], [0, { ...gone, purge: true }], [1, write("f", 3)]], 2);
}, 600_000);

it("a node that comes late has vectors of a version that the scope had lost before, and has again", async () => {
  const write = (from: number) =>
    ({ do: "replace", scope: "team:a", id: "a", from, count: 3, embeds: true, year: 2020 }) as const;
  const other = { do: "another model", scope: "team:a" } as const;
  const vacuum = { do: "vacuum", age: 1 } as const;
  const lost = [
    [0, write(3)],
    [1, other],
    [1, { do: "settle" }],
    [1, vacuum],
  ] as const;
  await compare([...lost, [0, write(5)]], 2);
  await compare([...lost, [0, write(5)], [1, other], [0, { do: "settle" }], [0, vacuum], [1, write(7)]], 2);
}, 600_000);

it("a copy takes a scope that went and came again, whichever key it has now", async () => {
  const write = (scope: Scope, id: string) =>
    ({ do: "replace", scope, id, from: 3, count: 3, embeds: false, year: 2020 }) as const;
  // Each node numbers its scopes from a stock: the first node's numbers are the lower ones.
  const stocks = [
    [0, write("user:b", "a")],
    [1, write("deployment", "a")],
    [2, write("deployment", "b")],
  ] as const;
  await compare([...stocks, [1, { do: "wipe", scope: "deployment" }], [0, write("deployment", "c")]], 3);
}, 600_000);

it("a purge that a node finishes late leaves words in the fit that have gone meanwhile", async () => {
  const write = (scope: Scope, id: string, from: number, count: number) =>
    ({ do: "replace", scope, id, from, count, embeds: false, year: 2020 }) as const;
  const history = [
    [0, write("deployment", "a", 3, 9)],
    [0, write("deployment", "c", 9, 3)],
    [0, write("user:b", "c", 14, 9)],
    [2, { do: "wipe", scope: "user:b" }],
    [1, { do: "settle" }],
    [0, write("deployment", "a", 28, 2)],
  ] as const;
  await compare(history, 4);
}, 600_000);

it("a copy that comes after a vacuum places chunks of other scopes as those before it do", async () => {
  const write = (scope: Scope, id: string, from: number, count: number) =>
    ({ do: "replace", scope, id, from, count, embeds: false, year: 2020 }) as const;
  const history = [
    [0, write("deployment", "e", 34, 8)],
    [0, write("deployment", "f", 20, 5)],
    [0, write("user:b", "c", 30, 6)],
    [0, { do: "settle" }],
    [0, write("deployment", "f", 40, 5)],
    [0, { do: "vacuum", age: 0 }],
    // One that is not sealed yet has such a word too.
    [0, write("user:b", "d", 30, 2)],
    [1, write("deployment", "e", 50, 3)],
    [1, { do: "vacuum", age: 0 }],
  ] as const;
  for (const length of [6, 9]) await compare(history.slice(0, length), 2);
}, 600_000);
