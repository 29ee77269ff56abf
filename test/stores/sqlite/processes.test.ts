import { writeChunks } from "../../../src/testing/store-fixtures.ts";
import { searchPattern, searchVectors, searchWords } from "../../support/search-legs.ts";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { collect, entry, plainAnalyzer, read, system, three, write } from "../build.ts";
import { makeCorpus } from "./corpus.ts";
import { runsAll } from "../../support/runs.ts";

const from = read("deployment");
const into = write("deployment");
const documents = runsAll ? 300 : 120;

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-sqlite-"));
  path = join(folder, "ibid.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (options: object = {}) => openSqliteStore(path, { analyzer: plainAnalyzer, now: () => 0, ...options });

/** Starts a process that ingests, and kills it once that many documents are acknowledged. */
async function ingestUntil(killAfter: number): Promise<string[]> {
  const child = fork(join(import.meta.dirname, "ingest-child.ts"), [path, String(documents)], { execArgv: [] });
  const safe: string[] = [];
  child.on("message", (message: string) => {
    if (message !== "ready") safe.push(message);
    if (safe.length === killAfter) child.kill("SIGKILL");
  });
  const code = await new Promise<number | null>((resolve) => child.on("exit", resolve));
  if (killAfter === Infinity && code !== 0) throw new Error(`The process that ingests failed with ${code}.`);
  return safe;
}

/** Everything that anybody can see of a store. */
async function stateOf(store: Store): Promise<unknown> {
  return {
    status: await store.status(from),
    scopes: await store.scopes(system),
    documents: await collect(store.documents(from)),
    chunks: await collect(store.chunks(from, { includeEmbeddings: true })),
    lexical: await searchWords(store, from, { text: "ash fir number7 number123", topK: "all" }),
    dense: await searchVectors(store, from, { embedding: [20, 3, 1], version: three, topK: 50 }),
    regex: await searchPattern(store, from, { pattern: "number1\\d\\b", topK: "all" }),
  };
}

describe("two processes that begin with one file in the same moment", () => {
  it("both have it [L8]", async () => {
    const children = [0, 1].map(() => fork(join(import.meta.dirname, "begin-child.ts"), [], { execArgv: [] }));
    const answers = (): Promise<unknown> =>
      Promise.all(children.map(async (child: ChildProcess) => ((await once(child, "message")) as [string])[0]));
    await answers();
    for (let n = 0; n < (runsAll ? 300 : 40); n++) {
      const answered = answers();
      for (const child of children) child.send({ path: join(folder, `${n}.sqlite`), at: Date.now() + 5 });
      expect(await answered).toEqual(["open", "open"]);
    }
    for (const child of children) child.kill();
  });
});

describe("a process that is killed while it writes", () => {
  it("leaves every acknowledged document whole, and a second run makes the state of an undisturbed one [L6 L8]", async () => {
    for (const killAfter of [3, 90]) {
      const safe = await ingestUntil(killAfter);
      expect(safe.length).toBeGreaterThanOrEqual(killAfter);
      const store = await open();
      const listed = await collect(store.documents(from));
      expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(safe));
      expect(listed.every(({ chunks }) => chunks === 4)).toBe(true);
      expect((await searchVectors(store, from, { embedding: [1, 1, 1], version: three, topK: "all" })).length).toBe(
        listed.length * 4,
      );
      await store.close();
    }
    await ingestUntil(Infinity);
    const disturbed = await open();
    const undisturbed = await openSqliteStore(join(folder, "undisturbed.sqlite"), {
      analyzer: plainAnalyzer,
      now: () => 0,
    });
    for (const made of makeCorpus(documents)) await undisturbed.replace(into, made);
    expect(await stateOf(disturbed)).toEqual(await stateOf(undisturbed));
    await disturbed.close();
    await undisturbed.close();
  });

  it("can be read from all the while, each time as of one moment [L7 L8]", async () => {
    const store = await open();
    const ingesting = ingestUntil(Infinity);
    const progress = { done: false };
    void ingesting.finally(() => (progress.done = true));
    const seen: number[] = [];
    while (!progress.done) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const { matches } = await searchWords(store, from, { text: "p0 p1 p2 p3", topK: "all" });
      const dense = await searchVectors(store, from, { embedding: [1, 1, 1], version: three, topK: "all" });
      // Whole documents, and never fewer than before.
      expect(matches.length % 4).toBe(0);
      expect(dense.length % 4).toBe(0);
      expect(dense.length).toBeGreaterThanOrEqual(matches.length);
      seen.push(matches.length);
    }
    await ingesting;
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect((await store.status(from)).documents).toBe(documents);
    await store.close();
  });
});

describe("two connections to one file", () => {
  it("see each other's writes at once: added, changed, hidden, restored, sealed, purged, wiped [L7 L8 B31]", async () => {
    const one = await open({ segments: { sealAt: 4 } });
    const other = await open({ segments: { sealAt: 4 } });
    const ids = async (store: Store) =>
      (await searchWords(store, from, { text: "ash", topK: "all" })).matches.map(({ chunk: { id } }) => id).sort();
    const both = async (expected: string[]) => {
      expect(await ids(one)).toEqual(expected);
      expect(await ids(other)).toEqual(expected);
    };
    await writeChunks(one, into, [entry("a", "ash"), entry("b", "ash")]);
    await both(["a", "b"]);
    await writeChunks(other, into, [entry("c", "ash"), entry("a", "elm")]);
    await both(["b", "c"]);
    await one.delete(into, { ids: ["b"] });
    await both(["c"]);
    await other.trash!.restore(into, { ids: ["b"] });
    await both(["b", "c"]);
    await writeChunks(
      one,
      into,
      ["d", "e", "f"].map((id) => entry(id, "ash")),
    );
    await both(["b", "c", "d", "e", "f"]);
    await other.delete(into, { ids: ["d"] });
    await both(["b", "c", "e", "f"]);
    await other.delete(into, { ids: ["b"] }, { purge: true });
    await one.upkeep!.settle();
    await both(["c", "e", "f"]);
    await one.delete(into, { scope: true });
    await both([]);
    await writeChunks(other, into, [entry("z", "ash")]);
    await both(["z"]);
    await one.close();
    await other.close();
  });

  it("take turns when both write, and lose nothing [L8 B31]", async () => {
    const [one, other] = [await open({ segments: { sealAt: 8 } }), await open({ segments: { sealAt: 8 } })];
    await Promise.all(
      [one, other].flatMap((store, s) =>
        Array.from({ length: 25 }, (_, i) => writeChunks(store, into, [entry(`${s}-${i}`, "ash")])),
      ),
    );
    expect((await searchWords(one, from, { text: "ash", topK: "all" })).matches).toHaveLength(50);
    expect(await stateOf(one)).toEqual(await stateOf(other));
    await one.close();
    await other.close();
  });

  it("may be opened while they are made", async () => {
    const stores = await Promise.all([open(), open(), open()]);
    await Promise.all(stores.map((store, i) => writeChunks(store, into, [entry(`${i}`, "ash")])));
    for (const store of stores) {
      expect((await store.status(from)).chunks).toBe(3);
      expect(store.secret).toEqual(stores[0].secret);
      await store.close();
    }
  });

  it("the secret is the knowledge base's own, and stays [L10]", async () => {
    const one = await open();
    const other = await open();
    expect(other.secret).toEqual(one.secret);
    await one.close();
    await other.close();
    const elsewhere = await openSqliteStore(join(folder, "other.sqlite"), { analyzer: plainAnalyzer });
    expect(elsewhere.secret).not.toEqual(one.secret);
    await elsewhere.close();
  });
});
