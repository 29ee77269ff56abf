import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Analyzer } from "../../src/contracts/analyzer.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { searchWords } from "../support/search-legs.ts";
import { documentEntry, plainAnalyzer, read, system, write } from "./build.ts";

const scope = "deployment";
const segments = { sealAt: 8, settleAt: 1 };

/** Documents of three chunks, which fill their segments, with titles, and words of those in some texts. */
const entryAt = (i: number, title = `Heron number${i % 13}`) =>
  documentEntry(`doc${i}`, [`a number${i % 5} waits`, `the river${i % 7} heron`, `nothing of doc${i}`], {
    document: { title, uri: `birds/file${i % 11}-heron${i}.txt` },
  });

async function fill(store: Store, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i++) await store.replace(write(scope), entryAt(i));
}

/** An analyzer that notes which texts it analyses. */
function noting(): { readonly analyzer: Analyzer; readonly analysed: string[] } {
  const analysed: string[] = [];
  return {
    analysed,
    analyzer: {
      ...plainAnalyzer,
      analyze(text, language) {
        analysed.push(text);
        return plainAnalyzer.analyze(text, language);
      },
    },
  };
}

const questions = ["heron number3", "file4 river2", "heron12 waits", "number7"];

async function hitsOf(store: Store): Promise<unknown> {
  const hits: unknown[] = [];
  for (const text of questions) {
    const { matches } = await searchWords(store, read(scope), { text, topK: "all" });
    hits.push(matches.map(({ chunk, ...found }) => ({ ...found, id: chunk.id })));
  }
  return hits;
}

/** A file of a store, which is opened and closed by each work. */
function createFile() {
  const folder = mkdtempSync(join(tmpdir(), "ibid-names-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "ibid.sqlite");
  async function use<Result>(work: (store: Store) => Promise<Result>, analyzer = plainAnalyzer): Promise<Result> {
    const store = await openSqliteStore(path, { analyzer, segments });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }
  function withDatabase<Result>(work: (db: DatabaseSync) => Result): Result {
    const db = new DatabaseSync(path);
    try {
      return work(db);
    } finally {
      db.close();
    }
  }
  const query = (sql: string): readonly Record<string, unknown>[] => withDatabase((db) => db.prepare(sql).all());
  const change = (sql: string, ...values: (Uint8Array | number)[]) =>
    withDatabase((db) => db.prepare(sql).run(...values));
  const kept = () => query("SELECT segment, part, data FROM files WHERE name = 'names'");
  return { use, query, change, kept };
}

async function expected(work: (store: Store) => Promise<void>): Promise<unknown> {
  const store = createMemoryStore({ analyzer: plainAnalyzer, segments });
  await work(store);
  await store.upkeep!.settle();
  return hitsOf(store);
}

describe("names that segments keep", () => {
  it("are read in the place of documents and their rows, and give the same scores [L11]", async () => {
    const { use, kept, query } = createFile();
    await use(async (store) => {
      await fill(store, 0, 39);
      await store.upkeep!.settle();
    });
    const sealed = query("SELECT key FROM segments").length;
    expect(kept()).toHaveLength(sealed);
    const { analyzer, analysed } = noting();
    const hits = await use(hitsOf, analyzer);
    expect(hits).toEqual(await expected((store) => fill(store, 0, 39)));
    expect(analysed.filter((text) => text.startsWith("Heron"))).toEqual([]);
  });

  it("are those of segments without more that come later, of a few documents anew", async () => {
    const { use } = createFile();
    await use(async (store) => {
      await fill(store, 0, 39);
      await store.upkeep!.settle();
      await fill(store, 39, 41);
      await store.delete(write(scope), { documentIds: ["doc3"] });
    });
    const { analyzer, analysed } = noting();
    const hits = await use(hitsOf, analyzer);
    expect(analysed.filter((text) => text.startsWith("Heron")).length).toBeLessThanOrEqual(4);
    expect(hits).toEqual(
      await expected(async (store) => {
        await fill(store, 0, 41);
        await store.delete(write(scope), { documentIds: ["doc3"] });
      }),
    );
  });

  it("go when a document gets another name, and come back with it when the store settles", async () => {
    const { use, kept, query } = createFile();
    await use(async (store) => {
      await fill(store, 0, 39);
      await store.upkeep!.settle();
      await store.replace(write(scope), entryAt(5, "Zebra unique"));
    });
    expect(kept()).toEqual([]);
    const again = await expected(async (store) => {
      await fill(store, 0, 39);
      await store.replace(write(scope), entryAt(5, "Zebra unique"));
    });
    expect(await use(hitsOf)).toEqual(again);
    await use((store) => store.upkeep!.settle());
    expect(kept().length).toBeGreaterThan(0);
    expect(await use(hitsOf)).toEqual(again);
    // An earlier ibid counts a name and leaves what segments keep.
    query("UPDATE settings SET value = value + 1 WHERE name = 'renames'");
    query("UPDATE documents SET title = CAST('Walrus' AS BLOB)");
    const { analyzer, analysed } = noting();
    await use(hitsOf, analyzer);
    // Names of each document are read again, also of those in sealed segments.
    expect(analysed.filter((text) => text === "Walrus")).toHaveLength(39);
  });

  it.each([
    ["terms", (data: Uint8Array) => (data[Buffer.from(data).indexOf("heron")] = 122)],
    ["documents", (data: Uint8Array) => (data[1]! ^= 2)],
  ])("are held against the documents by doctor, which makes them anew: %s [L8]", async (_, damage) => {
    const { use, kept, change } = createFile();
    await use(async (store) => {
      await fill(store, 0, 39);
      await store.delete(write(scope), { documentIds: ["doc3"] });
      await store.upkeep!.settle();
      await store.delete(write(scope), { documentIds: ["doc4"] });
    });
    const before = await use(async (store) => {
      expect((await store.upkeep!.examine(system)).healthy).toBe(true);
      return hitsOf(store);
    });
    const [file] = kept() as unknown as readonly { readonly segment: number; readonly data: Uint8Array }[];
    const data = new Uint8Array(file!.data);
    damage(data);
    change("UPDATE files SET data = ? WHERE name = 'names' AND segment = ?", data, file!.segment);
    await use(async (store) => {
      expect(await hitsOf(store)).not.toEqual(before);
      expect((await store.upkeep!.examine(system)).findings).toMatchObject([{ kind: "indexed-wrongly", count: 1 }]);
      expect((await store.upkeep!.examine(system, { fix: true })).healthy).toBe(true);
      expect(await hitsOf(store)).toEqual(before);
    });
  });
});
