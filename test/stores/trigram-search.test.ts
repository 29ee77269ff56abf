import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { searchPattern } from "../support/search-legs.ts";
import { copyFileSync, chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { documentEntry, entry, plainAnalyzer, read, system, write } from "./build.ts";
import { fewer } from "../support/runs.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-trigrams-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

const segments = { sealAt: 3, settleAt: 1, mergeFactor: 3 };
const openFile = (path: string): Promise<Store> => openSqliteStore(path, { analyzer: plainAnalyzer, segments });
const stores: readonly { name: string; open: () => Promise<Store> }[] = [
  { name: "memory", open: async () => createMemoryStore({ analyzer: plainAnalyzer, segments }) },
  { name: "SQLite", open: () => openFile(join(folder, `${files++}.sqlite`)) },
];

const scopes: readonly Scope[] = ["deployment", "team:a"];
const words = ["ash", "Asher", "birch 12", "cedar-2024", "elm", "中国", "straße", "fir\n  cone"];
const sentence = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }).map((list) => list.join(" "));
const scope = fc.constantFrom(...scopes);
const id = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("replace" as const),
      scope,
      id,
      texts: fc.array(sentence, { maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("upsert" as const), scope, id, text: sentence }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), scope, id, purge: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore" as const), scope, id }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("search" as const) }) },
);
const patterns = [
  "ash",
  "ASHER",
  "birch \\d+",
  "2024",
  "ced(?:ar|ric)",
  "中国",
  "STRASSE|straße",
  "fir\\s+cone",
  "e.m",
  "elm elm",
  "[]",
];

/** What the store has, read back whole, and matched one text after the other. */
async function lookAtEvery(store: Store, pattern: string, ignoreCase: boolean): Promise<string[]> {
  const found: string[] = [];
  for await (const { scope: where, chunk } of store.chunks(read(...scopes), {})) {
    const places = [...chunk.urtext.matchAll(new RegExp(pattern, ignoreCase ? "gimu" : "gmu"))].filter(
      ([match]) => match !== "",
    );
    if (places.length > 0) found.push(`${where} ${chunk.id} ${places.map(({ index }) => chunk.start + index).join()}`);
  }
  return found.toSorted();
}

async function compare(store: Store): Promise<void> {
  for (const ignoreCase of [false, true]) {
    for (const pattern of patterns) {
      const matches = await searchPattern(store, read(...scopes), { pattern, ignoreCase, topK: "all" });
      const found = matches.map(
        ({ scope: where, chunk, matches: at }) => `${where} ${chunk.id} ${at.map(({ start }) => start).join()}`,
      );
      expect([pattern, ...found.toSorted()]).toEqual([pattern, ...(await lookAtEvery(store, pattern, ignoreCase))]);
    }
  }
}

describe.each(stores)("a pattern in $name", ({ open }) => {
  it("finds what looking at every chunk finds, whatever was written, deleted, restored and merged [E26 L4 L8 L11]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const store = await open();
        try {
          for (const each of steps) {
            if (each.do === "replace")
              await store.replace(
                write(each.scope),
                documentEntry(each.id, [...new Map(each.texts.map((text) => [text.split(" ")[0], text])).values()]),
              );
            else if (each.do === "upsert")
              await writeChunks(store, write(each.scope), [entry(`alone-${each.id}`, each.text)]);
            else if (each.do === "delete")
              await store.delete(write(each.scope), { documentIds: [each.id] }, { purge: each.purge });
            else if (each.do === "restore") await store.trash!.restore(write(each.scope), { documentIds: [each.id] });
            else if (each.do === "settle") await store.upkeep!.settle();
            else await compare(store);
          }
          await compare(store);
          await store.trash!.vacuum(system, { olderThanMs: 0 });
          await compare(store);
        } finally {
          await store.close();
        }
      }),
      { numRuns: fewer(8, 25) },
    );
  });
});

describe("the trigrams of a file", () => {
  const parts = (path: string): unknown => {
    const database = new DatabaseSync(path, { readOnly: true });
    const rows = database
      .prepare(
        "SELECT count(DISTINCT segment) AS segments, (SELECT count(*) FROM segments) AS everything FROM files WHERE name = 'trigrams'",
      )
      .get();
    database.close();
    return { ...rows };
  };
  const fill = async (store: Store, from: number, to: number): Promise<void> => {
    for (let i = from; i < to; i++)
      await store.replace(write("deployment"), documentEntry(`d${i}`, [`ash tree ${i}`, `birch ${i}`]));
    await store.upkeep!.settle();
  };
  const ask = async (store: Store, pattern: string): Promise<number> =>
    (await searchPattern(store, read("deployment"), { pattern, topK: "all" })).length;

  it("are made by the first search for a pattern that says something, and kept [L8]", async () => {
    const path = join(folder, "kept.sqlite");
    const store = await openFile(path);
    await fill(store, 0, 10);
    expect(await ask(store, ".")).toBe(20);
    await store.upkeep!.settle();
    expect(parts(path)).toMatchObject({ segments: 0 });
    expect(await ask(store, "ash tree")).toBe(10);
    await store.close();
    const { segments: some, everything } = parts(path) as { segments: number; everything: number };
    expect(some).toBe(everything);
    expect(some).toBeGreaterThan(0);
  });

  it("outlive a merge when all that was merged had them, and are made for the others", async () => {
    const path = join(folder, "merged.sqlite");
    const store = await openFile(path);
    await fill(store, 0, 6);
    await ask(store, "ash tree");
    await fill(store, 6, 30);
    expect(await ask(store, "ash tree 2\\d")).toBe(10);
    await store.upkeep!.settle();
    // Deleting most of it makes the segments hollow, so that they are rewritten.
    await store.delete(
      write("deployment"),
      { documentIds: Array.from({ length: 24 }, (_, i) => `d${i}`) },
      { purge: true },
    );
    const { segments: some, everything } = parts(path) as { segments: number; everything: number };
    expect(some).toBe(everything);
    expect(await ask(store, "birch 2\\d")).toBe(6);
    expect(await ask(store, "ash tree 1\\d")).toBe(0);
    await store.close();
  });

  it("are done without where nothing may be written", async () => {
    const path = join(folder, "before.sqlite");
    const store = await openFile(path);
    await fill(store, 0, 10);
    await store.close();
    const copy = join(mkdtempSync(join(folder, "read-only-")), "copy.sqlite");
    copyFileSync(path, copy);
    chmodSync(copy, 0o444);
    chmodSync(join(copy, ".."), 0o555);
    try {
      const reading = await openFile(copy);
      expect(await ask(reading, "ash tree")).toBe(10);
      expect(await ask(reading, "birch 1\\b")).toBe(1);
      await reading.upkeep!.settle();
      await reading.close();
    } finally {
      chmodSync(join(copy, ".."), 0o755);
    }
  });

  it("of two processes are one: who comes second finds them there", async () => {
    const path = join(folder, "shared.sqlite");
    const one = await openFile(path);
    await fill(one, 0, 10);
    const two = await openFile(path);
    expect(await Promise.all([ask(one, "ash tree"), ask(two, "ash tree"), ask(two, "birch")])).toEqual([10, 10, 10]);
    await two.upkeep!.settle();
    await one.close();
    expect(await ask(two, "birch")).toBe(10);
    await two.close();
  });
});

describe.each(stores)("a long search by a pattern ($name)", ({ open }) => {
  const into = write("deployment");
  const large = (id: string) =>
    documentEntry(
      id,
      Array.from({ length: 400 }, (_, i) => `${id}${i} ${"ash elm fir birch ".repeat(60)} end${i}`),
    );
  const count = async (store: Store): Promise<number> =>
    (await searchPattern(store, read("deployment"), { pattern: "fir birch\\s+end[0-9]+$", topK: "all" })).length;

  it("lets others have their turn, and tells one moment of a store that is written to [L7]", async () => {
    const store = await open();
    for (const id of ["a", "b"]) await store.replace(into, large(id));
    let [turns, isOver] = [0, false];
    const tick = (): void => void setImmediate(() => (isOver ? undefined : (turns++, tick())));
    tick();
    const found = count(store);
    await store.delete(into, { documentIds: ["a"] }, { purge: true });
    await store.replace(into, large("c"));
    await store.replace(into, documentEntry("d", ["fir birch end7"]));
    const number = await found;
    isOver = true;
    expect([800, 400, 801]).toContain(number);
    expect(turns).toBeGreaterThan(3);
    expect(await count(store)).toBe(801);
    await store.close();
  });
});
