import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ChunkEntry } from "../../../src/contracts/document-store.ts";
import { IbidError } from "../../../src/contracts/errors.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { latentSemanticModel } from "../../../src/engine/latent/latent-semantic-model.ts";
import { composeStore } from "../../../src/stores/compose/compose-store.ts";
import { createMemoryStore } from "../../../src/stores/memory/memory-store.ts";
import type { StoreThread } from "../../../src/stores/segments/errands.ts";
import { createSegmentStore, prepareDirectory } from "../../../src/stores/segments/segment-store.ts";
import { decideStoreOptions, type StoreOptions } from "../../../src/stores/segments/store-options.ts";
import { openConnection } from "../../../src/stores/sqlite/open-connection.ts";
import { createSqliteDirectory } from "../../../src/stores/sqlite/sqlite-directory.ts";
import { createStoreThread } from "../../../src/stores/sqlite/store-thread.ts";
import { searchLatent, searchPattern, searchWords } from "../../support/search-legs.ts";
import { documentEntry, plainAnalyzer, read, write } from "../build.ts";

const folders: string[] = [];
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const options: StoreOptions = {
  corpusModel: latentSemanticModel,
  segments: { sealAt: 600, mergeFactor: 2 },
  now: () => 0,
};
const decided = decideStoreOptions(options);

async function open(around: (thread: StoreThread) => StoreThread): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-thread-"));
  folders.push(folder);
  const path = join(folder, "ibid.sqlite");
  const thread = (await createStoreThread(path, 10_000, decided))!;
  const directory = createSqliteDirectory(await openConnection(path, { busyTimeoutMs: 10_000 }), path, {
    thread: around(thread),
  });
  const secret = await prepareDirectory(directory, decided);
  const parts = createSegmentStore(directory, { ...decided, secret, embeddings: ["dense", "sparse", "hybrid"] });
  const store = composeStore(parts, { name: "It" });
  stores.push(store);
  return store;
}

/** Writes down which works go to the thread. */
function listened(thread: StoreThread, heard: string[]): StoreThread {
  return {
    ...thread,
    get isAlive() {
      return thread.isAlive;
    },
    call(name, ...given) {
      heard.push(name);
      return thread.call(name, ...given);
    },
  };
}

const names = ["ash", "elm", "oak", "yew", "fir", "bay", "box", "gum"];
const paragraphs = (count: number, seed: number): string[] =>
  Array.from(
    { length: count },
    (_, i) => `p${i} ${names[(i * seed) % 8]!} ${names[(i * i + seed) % 7]!} number${i % 90}`,
  );

async function* inBatches(chunks: readonly ChunkEntry[]): AsyncGenerator<readonly ChunkEntry[]> {
  for (let at = 0; at < chunks.length; at += 500) yield chunks.slice(at, at + 500);
}

function large(id: string, count: number, seed: number) {
  const { chunks, ...facts } = documentEntry(id, paragraphs(count, seed));
  return { ...facts, chunks: inBatches(chunks as readonly ChunkEntry[]) };
}

/** Writes, changes, deletes and settles; then tells all that searches see. */
async function live(store: Store): Promise<unknown> {
  const into = write("deployment");
  const from = read("deployment");
  const counts = [await store.replace(into, large("a", 1500, 3))];
  counts.push(await store.replace(into, large("b", 1300, 5)));
  await store.upkeep!.settle();
  counts.push(await store.replace(into, large("a", 1400, 3)));
  await store.delete(into, { documentIds: ["b"] }, { purge: true });
  await store.replace(into, documentEntry("c", paragraphs(40, 2)));
  await store.upkeep!.settle();
  const ask = { text: "oak yew number7", topK: 50 } as const;
  return {
    counts: counts.map(({ added, kept, removed }) => ({ added, kept, removed })),
    words: (await searchWords(store, from, ask)).matches.map(({ chunk, score }) => [chunk.id, score]),
    latent: (await searchLatent(store, from, ask)).matches.map(({ chunk, score }) => [chunk.id, score]),
    pattern: (await searchPattern(store, from, { pattern: "number7[0-9]", topK: 50 })).map(({ chunk }) => chunk.id),
  };
}

describe("the thread of a store", () => {
  it("does large works, and scores and hits are those of a store without one, to the bit [L3]", async () => {
    const heard: string[] = [];
    const store = await open((thread) => listened(thread, heard));
    expect(await live(store)).toEqual(await live(createMemoryStore(options)));
    expect(new Set(heard)).toEqual(new Set(["replace", "tidy", "fit", "rewrite", "trigrams"]));
  });

  it("leaves its works to this one where it does not start, and where it dies", async () => {
    const errors = [
      new IbidError("unsupported-runtime", "There are no threads."),
      new IbidError("internal", "The thread ended."),
    ];
    let calls = 0;
    const store = await open((thread) => ({
      ...thread,
      isAlive: false,
      call: () => Promise.reject(errors[calls++ % 2]!),
    }));
    expect(await live(store)).toEqual(await live(createMemoryStore(options)));
    expect(calls).toBeGreaterThan(4);
  });

  it("lets writes wait in line, and searches go on", async () => {
    const store = await open((thread) => thread);
    const into = write("deployment");
    await store.replace(into, documentEntry("first", ["tea"]));
    const swap = store.replace(into, large("a", 1500, 3));
    const found = await searchWords(store, read("deployment"), { text: "tea" });
    expect(found.matches.length).toBe(1);
    const after = await Promise.all([swap, store.replace(into, documentEntry("last", ["coffee"]))]);
    expect(after.map(({ added }) => added)).toEqual([1500, 1]);
    expect((await store.status(read("deployment"))).chunks).toBe(1502);
  });

  it("hands on errors of a work", async () => {
    const failed = new IbidError("store-failed", "The disk is full.");
    const store = await open((thread) => ({ ...thread, isAlive: true, call: () => Promise.reject(failed) }));
    await expect(store.replace(write("deployment"), large("a", 1500, 3))).rejects.toBe(failed);
  });

  it("is not there for an analyzer or a model of the caller's", async () => {
    for (const own of [{ analyzer: plainAnalyzer }, { corpusModel: { ...latentSemanticModel, project: () => null! } }])
      expect(await createStoreThread("no.sqlite", 1, decideStoreOptions(own))).toBeUndefined();
  });
});
