import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serialize } from "node:v8";
import { afterEach, describe, expect, it } from "vitest";
import { IbidError } from "../../../src/contracts/errors.ts";
import { startThread } from "../../../src/runtime/thread.ts";
import type { Store } from "../../../src/contracts/store.ts";
import { latentSemanticModel } from "../../../src/engine/latent/latent-semantic-model.ts";
import { composeStore } from "../../../src/stores/compose/compose-store.ts";
import { createMemoryStore } from "../../../src/stores/memory/memory-store.ts";
import type { StoreThread } from "../../../src/stores/segments/errands.ts";
import { createSegmentStore, prepareDirectory } from "../../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../../src/stores/segments/store-options.ts";
import { openConnection } from "../../../src/stores/sqlite/open-connection.ts";
import { createSqliteDirectory } from "../../../src/stores/sqlite/sqlite-directory.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { createStoreThread } from "../../../src/stores/sqlite/store-thread.ts";
import { searchLatent, searchPattern, searchWords } from "../../support/search-legs.ts";
import { documentEntry, plainAnalyzer, read, system, write } from "../build.ts";
import { largeDocument, paragraphs, threadOptions } from "./large-works.ts";

const folders: string[] = [];
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Segments that a thread builds: smaller ones are sealed in this one. */
const wideOptions = { ...threadOptions, segments: { sealAt: 1100, mergeFactor: 2 } };

async function open(around: (thread: StoreThread) => StoreThread, options = threadOptions): Promise<Store> {
  const decided = decideStoreOptions(options);
  const folder = mkdtempSync(join(tmpdir(), "ibid-thread-"));
  folders.push(folder);
  const path = join(folder, "ibid.sqlite");
  const [thread, readingThread] = [
    (await createStoreThread(path, 10_000, decided))!,
    (await createStoreThread(path, 10_000, decided))!,
  ];
  const directory = createSqliteDirectory(await openConnection(path, { busyTimeoutMs: 10_000 }), path, {
    thread: around(thread),
    readingThread: around(readingThread),
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

/** Writes, changes, deletes and settles; then tells all that searches see. */
async function live(store: Store): Promise<unknown> {
  const into = write("deployment");
  const from = read("deployment");
  const counts = [await store.replace(into, largeDocument("a", 1500, 3))];
  counts.push(await store.replace(into, largeDocument("b", 1300, 5)));
  await store.upkeep!.settle();
  counts.push(await store.replace(into, largeDocument("a", 1400, 3)));
  const gone = [await store.delete(into, { documentIds: ["b"] }, { purge: true })];
  await store.replace(into, documentEntry("c", paragraphs(40, 2)));
  await store.replace(into, largeDocument("d", 1100, 7));
  gone.push(await store.delete(into, { documentIds: ["d"] }));
  const restored = await store.trash!.restore(into, { documentIds: ["d"] });
  gone.push(await store.delete(into, { documentIds: ["d"] }));
  const vacuumed = await store.trash!.vacuum(system, { olderThanMs: 0 });
  await store.upkeep!.settle();
  const ask = { text: "oak yew number7", topK: 50 } as const;
  return {
    counts: counts.map(({ added, kept, removed }) => ({ added, kept, removed })),
    gone: gone.map(({ chunks }) => chunks),
    restored,
    vacuumed,
    words: (await searchWords(store, from, ask)).matches.map(({ chunk, score }) => [chunk.id, score]),
    latent: (await searchLatent(store, from, ask)).matches.map(({ chunk, score }) => [chunk.id, score]),
    pattern: (await searchPattern(store, from, { pattern: "number7[0-9]", topK: 50 })).map(({ chunk }) => chunk.id),
    everywhere: (await searchPattern(store, from, { pattern: "[a-z]+ number", topK: "all" })).map(
      ({ chunk, score, matches }) => [chunk.id, score, matches],
    ),
  };
}

/** Writes documents of 30 chunks at once, each in a write of its own. */
async function writeSmall(store: Store, from: number, to: number): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i);
  await Promise.all(
    numbers.map((number) =>
      store.replace(write("deployment"), documentEntry(`small ${number}`, paragraphs(30, number))),
    ),
  );
}

/** Chunks with their scores, by words and by the store's own vectors. */
async function seen(store: Store): Promise<unknown> {
  const ask = { text: "oak yew number7", topK: 400 } as const;
  const found = [await searchWords(store, read("deployment"), ask), await searchLatent(store, read("deployment"), ask)];
  return found.map(({ matches }) => matches.map(({ chunk, score }) => [chunk.id, score]));
}

let alone: Promise<unknown> | undefined;
/** The same life in a store that has no thread. */
const livedAlone = (): Promise<unknown> => (alone ??= live(createMemoryStore(threadOptions)));

describe("the thread of a store", () => {
  it("does large works, and scores and hits are those of a store without one, to the bit [L3]", async () => {
    const heard: string[] = [];
    const store = await open((thread) => listened(thread, heard));
    expect(await live(store)).toEqual(await livedAlone());
    expect(new Set(heard)).toEqual(
      new Set(["replace", "tidy", "fit", "rewrite", "trigrams", "match", "remove", "restore", "vacuum"]),
    );
  });

  it("gets a large document from a shelf: no message holds its text", async () => {
    const sizes: number[] = [];
    const store = await open((thread) => ({
      ...thread,
      call(name, given, ...rest) {
        if (name === "replace") sizes.push(serialize(given).length);
        return thread.call(name, given, ...rest);
      },
    }));
    const whole = largeDocument("a", 1500, 3);
    await store.replace(write("deployment"), whole);
    expect(sizes).toHaveLength(1);
    expect(sizes[0]).toBeLessThan(2000);
    const stored = (await store.document(read("deployment"), "a"))?.document;
    expect([stored?.text, stored?.root]).toEqual([whole.document.text, whole.document.root]);
  });

  it("makes the large merge that a small segment is the last for", async () => {
    const heard: string[] = [];
    const store = await open((thread) => listened(thread, heard), wideOptions);
    const add = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from }, (_, i) =>
          store.replace(write("deployment"), documentEntry(`small ${from + i}`, paragraphs(30, from + i))),
        ),
      );
    await add(0, 35);
    await store.upkeep?.settle();
    expect(heard).not.toContain("tidy");
    await add(35, 45);
    await store.upkeep?.settle();
    expect(heard.filter((name) => name === "tidy")).toHaveLength(1);
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
    expect(await live(store)).toEqual(await livedAlone());
    expect(calls).toBeGreaterThan(4);
  });

  it("lets writes wait in line, and searches go on", async () => {
    const store = await open((thread) => thread);
    const into = write("deployment");
    await store.replace(into, documentEntry("first", ["tea"]));
    const swap = store.replace(into, largeDocument("a", 1500, 3));
    const found = await searchWords(store, read("deployment"), { text: "tea" });
    expect(found.matches.length).toBe(1);
    const after = await Promise.all([swap, store.replace(into, documentEntry("last", ["coffee"]))]);
    expect(after.map(({ added }) => added)).toEqual([1500, 1]);
    expect((await store.status(read("deployment"))).chunks).toBe(1502);
  });

  it("builds a segment beside writes, and places it between two of them [L3]", async () => {
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const heard: string[] = [];
    const store = await open((thread) => {
      const heardThread = listened(thread, heard);
      return {
        ...heardThread,
        async call(name, ...given) {
          if (name === "build") {
            begun.resolve();
            await go.promise;
          }
          return heardThread.call(name, ...given);
        },
      };
    }, wideOptions);
    await writeSmall(store, 0, 40);
    await begun.promise;
    expect(heard).toEqual(["follow", "follow"]);
    await writeSmall(store, 40, 45);
    go.resolve();
    await store.upkeep!.settle();
    expect(heard.slice(0, 4)).toEqual(["follow", "follow", "build", "place"]);
    const alone = createMemoryStore(wideOptions);
    await writeSmall(alone, 0, 45);
    await alone.upkeep!.settle();
    expect(await seen(store)).toEqual(await seen(alone));
  });

  it("analyses chunks while others are written, to the same terms [L3]", async () => {
    const analyzed = new Set<number>();
    const store = await open(
      (thread) => ({
        ...thread,
        get isAlive() {
          return thread.isAlive;
        },
        get isFree() {
          return thread.isFree;
        },
        call(name, given, ...rest) {
          if (name === "analyze") analyzed.add((given as readonly unknown[]).length);
          return thread.call(name, given, ...rest);
        },
      }),
      wideOptions,
    );
    let count = 0;
    // The thread has to be up.
    for (; analyzed.size === 0 && count < 400; count += 10) await writeSmall(store, count, count + 10);
    expect(analyzed.size).toBeGreaterThan(0);
    const alone = createMemoryStore(wideOptions);
    await writeSmall(alone, 0, count);
    await Promise.all([store.upkeep!.settle(), alone.upkeep!.settle()]);
    expect(await seen(store)).toEqual(await seen(alone));
  });

  it.each([
    ["hidden", (store: Store) => store.delete(write("deployment"), { documentIds: ["small 7"] })],
    ["purged", (store: Store) => store.delete(write("deployment"), { documentIds: ["small 7"] }, { purge: true })],
    ["written anew", (store: Store) => store.replace(write("deployment"), documentEntry("small 7", paragraphs(9, 2)))],
    ["wiped", (store: Store) => store.delete(write("deployment"), { scope: true })],
  ])("places no segment with a chunk that was %s while it was built [L3 T15]", async (_, change) => {
    const placed: unknown[] = [];
    const store = await open(
      (thread) => ({
        ...thread,
        get isAlive() {
          return thread.isAlive;
        },
        async call(name, ...given) {
          const done = await thread.call(name, ...given);
          if (name === "build" && placed.length === 0) await change(store);
          if (name === "place") placed.push(done);
          return done;
        },
      }),
      wideOptions,
    );
    await writeSmall(store, 0, 40);
    await store.upkeep!.settle();
    expect(placed[0]).toBe(false);
    const alone = createMemoryStore(wideOptions);
    await writeSmall(alone, 0, 40);
    await change(alone);
    await alone.upkeep!.settle();
    expect(await seen(store)).toEqual(await seen(alone));
  });

  it("moves the log into the file after a write of its own", async () => {
    const store = await open((thread) => thread, wideOptions);
    const file = join(folders.at(-1)!, "ibid.sqlite");
    const before = statSync(file).size;
    // Far fewer pages than those at which a commit moves the log.
    await writeSmall(store, 0, 40);
    await store.upkeep!.settle();
    await expect.poll(() => statSync(file).size, { timeout: 10_000 }).toBeGreaterThan(before);
  });

  it("ends at once where it has not opened the store and would only read ahead", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-thread-"));
    folders.push(folder);
    const thread = (await createStoreThread(join(folder, "ibid.sqlite"), 1000, decideStoreOptions(threadOptions)))!;
    const ahead = thread.call("follow", { scope: "deployment" });
    const ended = ahead.then(
      () => "did all of it",
      ({ code }: IbidError) => code,
    );
    await thread.close();
    expect(await ended).toBe("aborted");
    expect(thread.isAlive).toBe(false);
  });

  it("serves the next store once its own is closed, and never two at once", async () => {
    let started = 0;
    const start: typeof startThread = (...given) => {
      started++;
      return startThread(...given);
    };
    const decided = decideStoreOptions(wideOptions);
    async function openThread(): Promise<StoreThread> {
      const folder = mkdtempSync(join(tmpdir(), "ibid-thread-"));
      folders.push(folder);
      const path = join(folder, "ibid.sqlite");
      const store = await openSqliteStore(path, wideOptions);
      stores.push(store);
      await writeSmall(store, 0, 3);
      return (await createStoreThread(path, 10_000, decided, start))!;
    }
    const isBuilt = (thread: StoreThread, sealAt: number) => thread.call("build", { scope: "deployment", sealAt });
    const first = await openThread();
    expect(await isBuilt(first, 90)).toBe(true);
    // A segment that the first store built waits for its place. The next store has none of it.
    await first.close();
    const before = started;
    const second = await openThread();
    await second.call("follow", { scope: "deployment" });
    expect(started).toBe(before);
    expect(await second.call("place", { scope: "deployment" })).toBe(false);
    expect(await isBuilt(second, 91)).toBe(false);
    const beside = await openThread();
    expect(await isBuilt(beside, 90)).toBe(true);
    expect(started).toBe(before + 1);
    await Promise.all([second.close(), beside.close()]);
    expect([first, second, beside].map((thread) => thread.isAlive)).toEqual([false, false, false]);
  });

  it("hands on errors of a work", async () => {
    const failed = new IbidError("store-failed", "The disk is full.");
    const store = await open((thread) => ({ ...thread, isAlive: true, call: () => Promise.reject(failed) }));
    await expect(store.replace(write("deployment"), largeDocument("a", 1500, 3))).rejects.toBe(failed);
  });

  it("is not there for an analyzer or a model of the caller's", async () => {
    for (const own of [{ analyzer: plainAnalyzer }, { corpusModel: { ...latentSemanticModel, project: () => null! } }])
      expect(await createStoreThread("no.sqlite", 1, decideStoreOptions(own))).toBeUndefined();
  });
});
