import { searchVectors, searchWords } from "../support/search-legs.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import type { ChunkEntry, DocumentWrite } from "../../src/contracts/document-store.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { collect, documentEntry, plainAnalyzer, read, system, three, write } from "./build.ts";

const folders: string[] = [];
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function openInFile(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-batches-"));
  folders.push(folder);
  const store = await openSqliteStore(join(folder, "ibid.sqlite"), { analyzer: plainAnalyzer });
  stores.push(store);
  return store;
}

const openInMemory = async (): Promise<Store> => {
  const store = createMemoryStore({ analyzer: plainAnalyzer });
  stores.push(store);
  return store;
};

const into = write("deployment");
const from = read("deployment");

type Whole = Omit<DocumentWrite, "keeps"> & { readonly chunks: readonly ChunkEntry[] };

/** The same in batches of uneven sizes. */
function inBatches({ chunks: entries, ...facts }: Whole, reliesOnHeld = false) {
  return {
    ...facts,
    keeps: reliesOnHeld ? ("all-without-vectors" as const) : [],
    chunks: (async function* () {
      for (let at = 0, size = 1; at < entries.length; at += size, size = (size * 3) % 200 || 1)
        yield entries.slice(at, at + size);
    })(),
  };
}

const paragraphs = (count: number, word: string): string[] =>
  Array.from({ length: count }, (_, i) => `p${i} ${word} number${i} of${i % 7}`);
const embed = (text: string): readonly number[] => [text.length, text.charCodeAt(1), 1];

describe.each([
  ["in memory", openInMemory],
  ["in SQLite", openInFile],
])("a document whose chunks come in batches, %s", (_, open) => {
  it("is the same as one that comes whole, vectors, titles, changed texts and all [L1 L7 L11]", async () => {
    const [whole, parts] = [await open(), await open()];
    const versions = [
      documentEntry("d", paragraphs(1500, "oak"), { embed }),
      documentEntry("d", paragraphs(1400, "oak").with(700, "p700 yew"), { embed, document: { title: "Another" } }),
      documentEntry("d", paragraphs(3, "ash"), { embed }),
    ].map(({ chunks: entries, ...facts }) => ({
      ...facts,
      // Some say more than their slice, and one has another slice than its place tells.
      chunks: entries.map(({ chunk, embeddings }, i) => ({
        chunk: {
          ...chunk,
          ...(i % 10 === 0 ? { text: `About ${chunk.urtext}` } : {}),
          ...(i % 50 === 1 ? { urtext: `${chunk.urtext}!`, text: chunk.urtext } : {}),
        },
        embeddings,
      })),
    }));
    const all = async (store: Store) => ({
      chunks: await collect(store.chunks(from, { includeEmbeddings: true })),
      words: await searchWords(store, from, { text: "number7 oak yew about", topK: "all" }),
      nearest: await searchVectors(store, from, { embedding: [24, 52, 1], version: three, topK: 20 }),
      document: (await store.document(from, "d"))?.document,
    });
    for (const version of versions) {
      const { added, kept, removed } = await whole.replace(into, version);
      expect(await parts.replace(into, inBatches(version))).toMatchObject({ added, kept, removed });
      expect(await all(parts)).toEqual(await all(whole));
    }
    expect(await parts.upkeep?.examine(system)).toMatchObject({ healthy: true });
  });

  it("is written with the bytes of its terms, which nobody decodes", async () => {
    const store = await open();
    const parsed = vi.spyOn(JSON, "parse");
    try {
      await store.replace(into, inBatches(documentEntry("d", paragraphs(300, "oak"), { embed })));
      const lists = parsed.mock.results.filter(({ value }) => Array.isArray(value) && value.includes("oak"));
      expect(parsed.mock.results).toHaveLength(300);
      expect(lists).toEqual([]);
    } finally {
      parsed.mockRestore();
    }
  });

  it("keeps the vectors that it relies on, and is not written where one has gone [L6 L7]", async () => {
    const store = await open();
    await store.replace(into, documentEntry("d", paragraphs(5, "oak"), { embed }));
    const bare = documentEntry("d", paragraphs(5, "oak"));
    expect(await store.replace(into, inBatches(bare, true))).toMatchObject({ added: 0, kept: 5, removed: 0 });
    await store.delete(into, { ids: ["d-p3"] }, { purge: true });
    const before = await collect(store.chunks(from));
    await expect(store.replace(into, inBatches(bare, true))).rejects.toMatchObject({ code: "store-busy" });
    expect(await collect(store.chunks(from))).toEqual(before);
  });

  it("leaves everything as it was when a batch fails, is wrong, or names a chunk twice [L7 L8]", async () => {
    const store = await open();
    await store.replace(into, documentEntry("d", paragraphs(5, "oak")));
    const before = await collect(store.chunks(from));
    const large = documentEntry("d", paragraphs(2000, "ash"));
    const failing = (async function* () {
      yield large.chunks.slice(0, 1500);
      throw new RangeError("the model is gone");
    })();
    await expect(store.replace(into, { ...inBatches(large), chunks: failing })).rejects.toThrow("gone");
    const twice = { ...large, chunks: [...large.chunks, large.chunks[7]!] };
    await expect(store.replace(into, inBatches(twice))).rejects.toMatchObject({ code: "invalid-id" });
    const strange = { ...large, chunks: documentEntry("e", ["p1 x"]).chunks };
    await expect(store.replace(into, inBatches(strange))).rejects.toMatchObject({ code: "invalid-id" });
    expect(await collect(store.chunks(from))).toEqual(before);
  });

  it("is seen by nobody before all of it is there [L7 L8]", async () => {
    const store = await open();
    await store.replace(into, documentEntry("d", paragraphs(5, "oak")));
    const large = documentEntry("d", paragraphs(2000, "ash"));
    const seen: number[] = [];
    const watched = (async function* () {
      for await (const batch of inBatches(large).chunks) {
        yield batch;
        seen.push((await searchWords(store, from, { text: "ash", topK: "all" })).matches.length);
      }
    })();
    await store.replace(into, { ...inBatches(large), chunks: watched });
    expect(new Set(seen)).toEqual(new Set([0]));
    expect((await searchWords(store, from, { text: "ash", topK: "all" })).matches).toHaveLength(2000);
  });
});
