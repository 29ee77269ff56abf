import { writeChunks } from "../../../src/testing/store-fixtures.ts";
import { searchLatent, searchVectors } from "../../support/search-legs.ts";
import { fork } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { isInFiles } from "../../support/on-disk.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import type { Analyzer } from "../../../src/contracts/analyzer.ts";
import type { CorpusModel } from "../../../src/contracts/corpus-model.ts";
import type { Store } from "../../../src/contracts/store.ts";
import type { LatentFinds } from "../../support/search-legs.ts";
import { collect, entry, plainAnalyzer, read, three, write } from "../build.ts";
import { topicEntries, watchedModel } from "../topics.ts";

const from = read("deployment");
const into = write("deployment");

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-sqlite-"));
  path = join(folder, "ibid.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true }));

const segments = { sealAt: 8, settleAt: 4 };
const openPlain = (options: object = {}) => openSqliteStore(path, { analyzer: plainAnalyzer, segments, ...options });
const open = (options: object = {}) => openPlain({ corpusModel: watchedModel(30), ...options });

async function find(store: Store, text: string): Promise<LatentFinds> {
  return searchLatent(store, from, { text, topK: "all" });
}

const scoresOf = ({ matches }: LatentFinds): unknown => matches.map(({ chunk, score }) => [chunk.id, score]);

/** Every chunk has one vector, of the space that is searched. */
async function expectWhole(store: Store, chunks: number): Promise<void> {
  const { version, matches } = await find(store, "anchor");
  const { embeddingVersions } = await store.status(from);
  expect(embeddingVersions.filter(({ provider }) => provider === "ibid")).toEqual([{ ...version, chunks }]);
  expect(matches).toHaveLength(chunks);
}

const isOnDisk = (text: string): boolean => isInFiles(folder, text);

/** What a statement finds in the file, behind the store's back: also while another process opens it, which takes the lock for a moment. */
function query(sql: string): unknown {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

describe("a fitted space in a file", () => {
  it("is the same after a restart, and to another process [L8 L11]", async () => {
    const store = await open();
    await writeChunks(store, into, topicEntries(0, 40));
    await store.upkeep!.settle();
    const before = await find(store, "sailor yeast");
    const other = await open();
    expect(await find(other, "sailor yeast")).toEqual(before);
    await other.close();
    await store.close();
    const again = await open();
    expect(await find(again, "sailor yeast")).toEqual(before);
    await again.upkeep!.settle();
    expect(await find(again, "sailor yeast")).toEqual(before);
    await again.close();
  });

  it("scores alike in a copy of the file, which needs no fit of its own [L8 L11]", async () => {
    const store = await open();
    await writeChunks(store, into, topicEntries(0, 40));
    await store.upkeep!.settle();
    await store.delete(into, { documentIds: ["of c0007"] });
    await store.upkeep!.settle();
    const before = await find(store, "sailor yeast");
    await store.close();
    path = join(folder, "copy.sqlite");
    copyFileSync(join(folder, "ibid.sqlite"), path);
    const model = watchedModel(30);
    const copy = await open({ corpusModel: model });
    expect(await find(copy, "sailor yeast")).toEqual(before);
    await copy.upkeep!.settle();
    expect(await find(copy, "sailor yeast")).toEqual(before);
    expect(model.fits).toBe(0);
    await copy.close();
  });

  it("is made anew once where an earlier version made it, which kept no list of its members [L8]", async () => {
    const store = await open();
    await writeChunks(store, into, topicEntries(0, 40));
    await store.upkeep!.settle();
    await store.close();
    query("DELETE FROM settings WHERE name LIKE 'members of %' RETURNING 1");
    const model = watchedModel(30);
    const again = await open({ corpusModel: model });
    for (let i = 0; i < 2; i++) await again.upkeep!.settle();
    expect(model.fits).toBe(1);
    await expectWhole(again, 40);
    await again.close();
    expect(query("SELECT count(*) AS n FROM settings WHERE name LIKE 'members of %'")).toEqual([{ n: 1 }]);
  });

  it("is seen by whoever has the file open when somebody else fits, or wipes it [L8]", async () => {
    const [one, other] = [await open(), await open()];
    await writeChunks(one, into, topicEntries(0, 40));
    expect(await find(other, "sailor")).toMatchObject({ fitted: false });
    await one.upkeep!.settle();
    expect(await find(other, "sailor")).toEqual(await find(one, "sailor"));
    await writeChunks(other, into, topicEntries(40, 44));
    await expectWhole(one, 44);
    await writeChunks(other, into, topicEntries(44, 90));
    await other.upkeep!.settle();
    expect(await find(one, "sailor")).toEqual(await find(other, "sailor"));
    await expectWhole(one, 90);
    await one.delete(into, { scope: true });
    expect(await find(other, "sailor")).toMatchObject({ fitted: false, matches: [] });
    await one.close();
    await other.close();
  });

  it("is not replaced by a fit that another process began before and ends later [L8]", async () => {
    const held = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const slow: CorpusModel = {
      ...watchedModel(30),
      async *fit(chunks) {
        began.resolve();
        await held.promise;
        return yield* watchedModel(30).fit(chunks);
      },
    };
    const [one, other] = [await open({ corpusModel: slow }), await open()];
    await writeChunks(other, into, topicEntries(0, 40));
    const late = one.upkeep!.settle();
    await began.promise;
    await writeChunks(other, into, topicEntries(40, 90));
    await other.upkeep!.settle();
    const newest = await find(other, "sailor yeast");
    held.resolve();
    await late;
    for (const store of [one, other]) {
      expect(await find(store, "sailor yeast")).toEqual(newest);
      expect((await store.status(from)).fit).toMatchObject({ madeOf: 90, isDue: false });
      await store.close();
    }
  });

  it("has no byte of what was purged or wiped [L8 T15]", async () => {
    const secret = [entry("u1", "unicornword anchor"), entry("u2", "unicornword keel")];
    for (const last of ["in a segment", "in the tail"]) {
      const store = await open();
      if (last === "in a segment") await writeChunks(store, into, [...secret, ...topicEntries(0, 40)]);
      else for (const batch of [topicEntries(0, 40), secret]) await writeChunks(store, into, batch);
      await store.upkeep!.settle();
      const parts = "SELECT count(*) AS n FROM fit_parts WHERE instr(data, CAST('unicornword' AS BLOB)) > 0";
      expect(query(parts)).toEqual([{ n: 1 }]);
      await store.delete(into, { documentIds: ["of u1", "of u2"] }, { purge: true });
      expect(isOnDisk("unicornword")).toBe(false);
      expect(isOnDisk("harbour")).toBe(true);
      await store.delete(into, { scope: true });
      expect(isOnDisk("harbour")).toBe(false);
      expect(query("SELECT count(*) AS n FROM fits")).toEqual([{ n: 0 }]);
      await store.close();
    }
  });

  it("that lacks a part says so", async () => {
    const store = await open();
    await writeChunks(store, into, topicEntries(0, 40));
    await store.upkeep!.settle();
    await store.close();
    query("DELETE FROM fit_parts RETURNING 1");
    const again = await open();
    await expect(find(again, "anchor")).rejects.toMatchObject({ code: "store-corrupt" });
    await again.close();
  });
});

describe("a knowledge base that was made without a model", () => {
  it("gets its vectors when it is settled with one, whatever else its chunks have [L6 L8]", async () => {
    const plain = await openPlain();
    await expect(find(plain, "anchor")).rejects.toMatchObject({ code: "unsupported" });
    await writeChunks(plain, into, topicEntries(0, 16));
    await writeChunks(
      plain,
      into,
      ["g1", "g2", "g3"].map((id) => entry(id, "anchor keel", [1, 2, 3])),
    );
    await plain.upkeep!.settle();
    await writeChunks(plain, into, [entry("tail", "anchor")]);
    await plain.close();
    const store = await open();
    expect((await find(store, "anchor")).matches).toEqual([]);
    await store.upkeep!.settle();
    await expectWhole(store, 20);
    await writeChunks(store, into, topicEntries(16, 40));
    await store.upkeep!.settle();
    await expectWhole(store, 44);
    expect(await find(store, "anchor")).toMatchObject({ fitted: true });
    expect(await searchVectors(store, from, { embedding: [1, 2, 3], version: three, topK: "all" })).toHaveLength(3);
    await store.close();

    // And what is written without one meanwhile, a part of a segment beside chunks that have theirs.
    const without = await openPlain();
    await writeChunks(without, into, topicEntries(40, 47));
    await without.delete(into, { ids: ["c0000", "g1", "tail"] }, { purge: true });
    await without.upkeep!.settle();
    expect(await collect(without.chunks(from, { includeEmbeddings: true }))).toHaveLength(48);
    await without.close();
    const last = await open();
    await last.upkeep!.settle();
    await expectWhole(last, 48);
    await last.close();
  });

  it("no chunk is left out because others of its segment had vectors and are gone", async () => {
    const quiet = { segments: { sealAt: 1024, settleAt: 4 } };
    const store = await open(quiet);
    await writeChunks(store, into, topicEntries(0, 3));
    await store.close();
    const plain = await openPlain(quiet);
    await writeChunks(plain, into, topicEntries(3, 6));
    await plain.upkeep!.settle();
    await plain.close();
    // One segment of six, of which three have vectors; those go, the other three stay.
    const again = await open(quiet);
    await writeChunks(again, into, [
      entry("c0000", "changed words"),
      entry("c0001", "changed too"),
      entry("c0002", "and this"),
    ]);
    await again.upkeep!.settle();
    await expectWhole(again, 6);
    await again.close();
  });
});

describe("another analyzer", () => {
  const letters: Analyzer = {
    fingerprint: "test/pairs",
    analyze: (text) => plainAnalyzer.analyze(text).flatMap((word) => word.match(/../gu) ?? []),
  };

  it("has nothing of the old terms' space; settling makes one of the new [L11]", async () => {
    const store = await open();
    await writeChunks(store, into, [
      ...topicEntries(0, 40),
      entry("u1", "unicornword"),
      entry("u2", "unicornword keel"),
    ]);
    await store.upkeep!.settle();
    await writeChunks(store, into, topicEntries(40, 42));
    await store.close();
    const changed = await open({ analyzer: letters });
    expect(await find(changed, "anchor")).toMatchObject({ fitted: false, matches: [] });
    expect(query("SELECT count(*) AS n FROM fits")).toEqual([{ n: 0 }]);
    await changed.upkeep!.settle();
    await expectWhole(changed, 44);
    const scores = scoresOf(await find(changed, "anchor"));
    await changed.close();

    // As if it had always been that one.
    path = join(folder, "fresh.sqlite");
    const fresh = await open({ analyzer: letters });
    await writeChunks(fresh, into, [
      ...topicEntries(0, 40),
      entry("u1", "unicornword"),
      entry("u2", "unicornword keel"),
    ]);
    await writeChunks(fresh, into, topicEntries(40, 42));
    await fresh.upkeep!.settle();
    expect(scoresOf(await find(fresh, "anchor"))).toEqual(scores);
    await fresh.close();
  });
});

describe("another analyzer, before anything is fitted", () => {
  const reversed: Analyzer = {
    fingerprint: "test/reversed",
    analyze: (text) => plainAnalyzer.analyze(text).map((word) => word.split("").reverse().join("")),
  };

  it("has no vector of how the old terms are written [L11]", async () => {
    // A segment of eight, and two in the tail.
    const batches = [topicEntries(0, 8), topicEntries(8, 10)];
    const quiet = { segments: { sealAt: 8, settleAt: 4 } };
    const store = await open(quiet);
    for (const batch of batches) await writeChunks(store, into, batch);
    await store.close();
    const changed = await open({ ...quiet, analyzer: reversed });
    expect((await find(changed, "anchor")).matches).toEqual([]);
    await changed.upkeep!.settle();
    await expectWhole(changed, 10);
    const scores = scoresOf(await find(changed, "anchor"));
    await changed.close();

    path = join(folder, "fresh.sqlite");
    const fresh = await open({ ...quiet, analyzer: reversed });
    for (const batch of batches) await writeChunks(fresh, into, batch);
    expect(scoresOf(await find(fresh, "anchor"))).toEqual(scores);
    await fresh.close();
  });
});

describe("a file of an earlier version", () => {
  it("gets a model of its own [L8]", async () => {
    writeFileSync(path, gunzipSync(readFileSync(new URL("../../fixtures/format-6/topics.sqlite.gz", import.meta.url))));
    const database = new DatabaseSync(path);
    database.exec(`ALTER TABLE pending ADD COLUMN length INTEGER NOT NULL DEFAULT 2;
      UPDATE settings SET value = 'names and text/' || value WHERE name = 'analyzer';
      DROP INDEX chunks_by_text; ALTER TABLE chunks DROP COLUMN text_key; DELETE FROM settings WHERE name = 'chunks have text keys';
      DROP TABLE fits; DROP TABLE fit_parts; DROP TABLE marks; PRAGMA user_version = 1;`);
    database.close();
    const store = await open();
    await store.upkeep!.settle();
    await expectWhole(store, 40);
    expect(await find(store, "anchor")).toMatchObject({ fitted: true });
    await store.close();
  });
});

describe("a process that is killed while it fits", () => {
  it("loses nothing, and the next settling finishes [L8]", async () => {
    const made = await open();
    // So many segments that their moving takes a while.
    for (let at = 0; at < 200; at += 8) await writeChunks(made, into, topicEntries(at, at + 8));
    const before = await find(made, "sailor harbour");
    await made.close();

    const isFitUnderWay = (): boolean =>
      JSON.stringify(query("SELECT count(*) AS n FROM fits WHERE current = 0")) === '[{"n":1}]';
    for (const when of ["fitting", "moving"]) {
      const child = fork(join(import.meta.dirname, "fit-child.ts"), [path], { execArgv: [] });
      const ended = new Promise((resolve) => child.on("exit", resolve));
      await new Promise<void>((resolve) => {
        if (when === "fitting") child.once("message", () => resolve());
        else {
          const poll = setInterval(() => {
            if (!isFitUnderWay() && child.exitCode === null) return;
            clearInterval(poll);
            resolve();
          }, 1);
        }
      });
      child.kill("SIGKILL");
      await ended;
      const store = await open();
      const after = await find(store, "sailor harbour");
      // Either space is whole: the change-over is one transaction.
      expect(after.fitted || JSON.stringify(after) === JSON.stringify(before)).toBe(true);
      // Where the first fit is due, it places what came since.
      const { chunks, embeddingVersions } = await store.status(from);
      expect([chunks, embeddingVersions.length]).toEqual([200, 1]);
      await store.close();
    }
    const store = await open();
    await store.upkeep!.settle();
    expect(await find(store, "sailor harbour")).toMatchObject({ fitted: true });
    await expectWhole(store, 200);
    expect(query("SELECT current FROM fits")).toEqual([{ current: 1 }]);
    const scores = scoresOf(await find(store, "sailor harbour"));
    await store.close();

    path = join(folder, "undisturbed.sqlite");
    const undisturbed = await open();
    await writeChunks(undisturbed, into, topicEntries(0, 200));
    await undisturbed.upkeep!.settle();
    expect(scoresOf(await find(undisturbed, "sailor harbour"))).toEqual(scores);
    await undisturbed.close();
  });
});
