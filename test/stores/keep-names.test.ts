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
import { documentEntry, plainAnalyzer, read, write } from "./build.ts";

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
  function query(sql: string): readonly Record<string, unknown>[] {
    const db = new DatabaseSync(path);
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  }
  const kept = () => query("SELECT segment, part, data FROM files WHERE name = 'names'");
  return { use, query, kept };
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
});
