import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Scope } from "../../../src/contracts/scope.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { fewer } from "../../support/runs.ts";
import { plainAnalyzer } from "../build.ts";
import { watchedModel } from "../topics.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { act, least, look, type Operation, operation } from "./histories.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

let worlds = 0;

/** Runs one history on a SQLite store and, each step on any node, on a base with that many nodes. */
async function compare(
  history: readonly (readonly [node: number, op: Operation])[],
  nodes: number,
  segments = { sealAt: 6, settleAt: 2 },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-same-"));
  const base = `world_${worlds++}`;
  const clock = { now: 1_700_000_000_000 };
  const options = {
    analyzer: plainAnalyzer,
    corpusModel: watchedModel(least),
    segments,
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

it.each([1, 2, 4, 8])(
  "a base with %i nodes finds what a SQLite store finds, in order and with equal scores",
  async (nodes) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(7), operation), { minLength: 8, maxLength: 30 }), (history) =>
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

it("a node that comes late to a large scope has segments that a thread makes", async () => {
  const write = (id: string, from: number, embeds: boolean) =>
    ({ do: "replace", scope: "deployment", id, from, count: 400, embeds, year: 2020 }) as const;
  const history = [
    [0, write("b", 0, true)],
    [0, write("a", 9, false)],
    [0, write("c", 21, true)],
    [0, { do: "settle" }],
    [0, { do: "delete", scope: "deployment", id: "a", purge: false }],
  ] as const;
  await compare(history, 1, { sealAt: 1150, settleAt: 16 });
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
