import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Query } from "../../src/contracts/leg.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import type { DirectoryWriter, SegmentDirectory } from "../../src/stores/segments/segment-directory.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";
import { searchVectors, searchWords } from "../support/search-legs.ts";
import { documentEntry, read, three, write } from "./build.ts";
import { topicText, watchedModel } from "./topics.ts";
import { countTurns, slowClock } from "../support/turns.ts";

afterEach(() => vi.restoreAllMocks());

const version = { provider: "test", model: "wide", dimensions: 8192, fingerprint: "" };
const chunks = 600;

/** Vectors of 8 kB, 4.9 MB in all. */
const vectorOf = (chunk: number): Int8Array =>
  Int8Array.from({ length: version.dimensions }, (_, i) => ((chunk * 31 + i * 7) % 19) - 9);

/** A store whose vectors lie in one segment and were not looked at. */
async function openFilled() {
  const store = createMemoryStore({ segments: { sealAt: 256, settleAt: 1 } });
  const texts = Array.from({ length: chunks }, (_, i) => `heron${i} waits at the river.`);
  const entry = documentEntry("a", texts);
  await store.replace(write("deployment"), {
    ...entry,
    chunks: entry.chunks.map(({ chunk }, i) => ({ chunk, embeddings: [{ version, embedding: vectorOf(i) }] })),
  });
  await store.upkeep!.settle();
  return store;
}

/** Turns that others have while a work goes on, by a clock that each look puts on by so many milliseconds. */
async function turnsBy(step: number, work: () => Promise<unknown>): Promise<number> {
  await new Promise(setImmediate);
  slowClock(step);
  const turns = await countTurns(work);
  vi.restoreAllMocks();
  return turns;
}

describe("a search over chunks that just came", () => {
  it("gives others a turn between the terms that it decodes [20]", async () => {
    const store = createMemoryStore({ segments: { sealAt: 10_000, settleAt: 10_000 } });
    const texts = Array.from({ length: chunks }, (_, i) => `heron${i} waits at the river.`);
    await store.replace(write("deployment"), documentEntry("a", texts));
    const search = () => searchWords(store, read("deployment"), { text: "heron7" });
    const turns = await turnsBy(6, search);
    const warm = await turnsBy(6, search);
    // 600 chunks are ten steps of their terms and ten of their names, and each takes longer than a slice by this clock.
    expect(turns - warm).toBeGreaterThanOrEqual(18);
    await store.close();
  });
});

describe("the first search after a commit", () => {
  it("gives others a turn between the headings that it reads and weighs, and finds the same [20]", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-turns-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const kb = await openKnowledgeBase(join(folder, "kb"), { reading: { worker: false } });
    onTestFinished(() => kb.close());
    const heading = (i: number): string => `Heron ${i} ${topicText(i)}`;
    const add = (i: number) =>
      kb.ingest({ uri: `${i}.md`, text: `# ${heading(i)}\n\nA heron waits at river${i}.`, mediaType: "text/markdown" });
    for (let i = 0; i < 160; i++) await add(i);
    const search = (query: string) => kb.search(query, { mode: "lexical", topK: 20 });
    const ids = async (query: string) => (await search(query)).map(({ chunkId, score }) => [chunkId, score]);
    await search("heron");
    await add(160);
    const first = await turnsBy(6, () => search("heron"));
    await add(161);
    const unsaid = await turnsBy(6, () => search("waits"));
    // Headings of 161 chunks are eleven steps of reading and eleven of weighing, and each takes longer than a slice by this clock.
    expect(first - unsaid).toBeGreaterThanOrEqual(8);
    const found = await ids("heron");
    await kb.close();
    const again = await openKnowledgeBase(join(folder, "kb"), { reading: { worker: false } });
    onTestFinished(() => again.close());
    expect(
      (await again.search("heron", { mode: "lexical", topK: 20 })).map(({ chunkId, score }) => [chunkId, score]),
    ).toEqual(found);
  });
});

describe("a search over vectors that are not in memory yet", () => {
  it("gives others a turn between the megabytes that it reads [18.6]", async () => {
    const store = await openFilled();
    const search = () => searchVectors(store, read("deployment"), { embedding: vectorOf(7), version, topK: 3 });
    // Each megabyte takes six milliseconds by this clock, more than a slice.
    const turns = await turnsBy(6, search);
    const warm = await turnsBy(6, search);
    expect(turns - warm).toBeGreaterThanOrEqual(4);
    await store.close();
  });

  it("gives others a turn between the rows that it scores one by one [18.6]", async () => {
    const store = await openFilled();
    const asked = { embedding: vectorOf(7), version, topK: 3, metric: "manhattan" } as const;
    const search = () => searchVectors(store, read("deployment"), asked);
    await search();
    // 600 rows are two steps, and each takes longer than a slice by this clock.
    expect(await turnsBy(6, search)).toBeGreaterThanOrEqual(2);
    await store.close();
  });

  it("begins anew after a commit, and ends while others go on writing [L5]", async () => {
    const store = await openFilled();
    await new Promise(setImmediate);
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 6));
    const embedding = vectorOf(7).map((value, i) => (i % 2 === 0 ? value + 1 : value));
    const state = { isOver: false };
    const found = searchVectors(store, read("deployment"), { embedding, version, topK: 1 }).finally(
      () => (state.isOver = true),
    );
    let written = 0;
    while (!state.isOver) {
      await new Promise(setImmediate);
      const id = `b${written++}`;
      const { chunks: own, ...entry } = documentEntry(id, [`otter ${id} waits.`]);
      // The vector that is asked for itself, which nothing had before.
      await store.replace(write("deployment"), {
        ...entry,
        chunks: own.map(({ chunk }) => ({ chunk, embeddings: [{ version, embedding }] })),
      });
    }
    const [hit] = await found;
    expect(written).toBeGreaterThanOrEqual(3);
    expect(hit).toMatchObject({ chunk: { documentId: "b0" } });
    expect(hit!.score).toBeCloseTo(1, 12);
    await store.close();
  });
});

const words = ["heron", "otter", "newt", "vole", "eel", "frog", "pike", "swan"];

describe("a search by words that are not in memory yet", () => {
  const query = words.join(" ");
  const openWords = () => {
    const store = createMemoryStore({ segments: { sealAt: 100, settleAt: 1 } });
    const texts = Array.from({ length: 300 }, (_, i) => `c${i} ${words[i % 8]} and ${words[(i * 3) % 8]} wait.`);
    return store.replace(write("deployment"), documentEntry("a", texts)).then(() => store);
  };
  const find = async (store: ReturnType<typeof createMemoryStore>) =>
    (await searchWords(store, read("deployment"), { text: query, topK: 20 })).matches.map(({ chunk, score }) => [
      chunk.id,
      score,
    ]);

  it("gives others a turn between the names and the words that it reads, and finds the same [18.6]", async () => {
    const [store, other] = [await openWords(), await openWords()];
    let found: unknown;
    const search = async (): Promise<void> => void (found = await find(store));
    // Each look at the clock takes six milliseconds, more than a slice.
    const cold = await turnsBy(6, search);
    const warm = await turnsBy(6, search);
    expect(cold - warm).toBeGreaterThanOrEqual(words.length);
    expect(found).toEqual(await find(other));
    await Promise.all([store.close(), other.close()]);
  });

  it("reads no word again after a write to another scope, and all after one to its own [18.8]", async () => {
    const [store, other] = [await openWords(), await openWords()];
    const put = (scope: "deployment" | "team:red", id: string) =>
      Promise.all([store, other].map((one) => one.replace(write(scope), documentEntry(id, [`heron ${id} waits.`]))));
    let found: unknown;
    const search = async (): Promise<void> => void (found = await find(store));
    await turnsBy(6, search);
    const warm = await turnsBy(6, search);
    await put("team:red", "red");
    // One more look, which finds that the scope is as it was.
    expect(await turnsBy(6, search)).toBeLessThanOrEqual(warm + 1);
    expect(found).toEqual(await find(other));
    await put("deployment", "b");
    expect(await turnsBy(6, search)).toBeGreaterThanOrEqual(warm + words.length);
    expect(found).toEqual(await find(other));
    await Promise.all([store.close(), other.close()]);
  });

  it("ends while others go on writing, with what is there then [L5]", async () => {
    const store = await openWords();
    await new Promise(setImmediate);
    slowClock(6);
    const state = { isOver: false };
    const found = find(store).finally(() => (state.isOver = true));
    for (let i = 0; !state.isOver; i++) {
      await new Promise(setImmediate);
      await store.replace(write(i % 2 === 0 ? "deployment" : "team:red"), documentEntry(`b${i}`, [`otter ${i}.`]));
    }
    vi.restoreAllMocks();
    const first = await found;
    expect(first.length).toBe(20);
    await store.close();
  });
});

describe("the texts of a document that the store holds", () => {
  it("are read some at a time, while others have their turn, and are all there [18.6]", async () => {
    const store = createMemoryStore();
    const texts = Array.from({ length: 600 }, (_, i) => `heron${i} waits at the river.`);
    await store.replace(write("deployment"), documentEntry("a", texts));
    let held: ReadonlyMap<string, string> = new Map();
    const turns = await turnsBy(6, async () => void (held = await store.held(write("deployment"), "a", undefined)));
    // 600 chunks are ten steps, and each takes longer than a slice by this clock.
    expect(turns).toBeGreaterThanOrEqual(9);
    expect([...held.values()]).toEqual(texts.map((text) => expect.stringContaining(text)));
    await store.close();
  });
});

describe("a document that is a book", () => {
  it("is read some parts at a time, while others have their turn, and whole [18.6]", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-book-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const store = await openSqliteStore(join(folder, "ibid.sqlite"));
    const text = "A heron waits at the river.\n".repeat(80_000);
    const { document, chunks, ...facts } = documentEntry("a", ["A heron waits at the river."]);
    await store.replace(write("deployment"), { ...facts, document: { ...document, text }, chunks });
    let found: readonly { readonly document: { readonly text: string } }[] = [];
    const turns = await turnsBy(6, async () => void (found = await store.find(read("deployment"), document.uri)));
    expect(turns).toBeGreaterThanOrEqual(5);
    expect(found.map((one) => one.document.text === text)).toEqual([true]);
    const one = await store.document(read("deployment"), document.id);
    expect(one?.document.text === text).toBe(true);
    await store.close();
  });
});

describe("the status of a store", () => {
  it("gives others a turn between segments, and counts a segment anew only when it has changed [18.6]", async () => {
    const directory = createMemoryDirectory();
    const segments = { sealAt: 64, settleAt: 1, mergeFactor: 100 };
    const options = decideStoreOptions({ corpusModel: watchedModel(24), segments });
    const parts = { ...options, secret: createSecret(), embeddings: [] };
    const open = () => composeStore(createSegmentStore(directory, parts));
    const store = open();
    const sizes = [64, 64, 64, 64, 64, 64];
    for (const [i, size] of sizes.entries()) {
      const texts = Array.from({ length: size }, (_, n) => `c${n} ${topicText(size * i + n)}`);
      await store.replace(write("deployment"), documentEntry(`d${i}`, texts));
    }
    await store.upkeep!.settle();
    // Another view on the same rows has counted none of them.
    const other = open();
    let told: unknown;
    const tell = async (): Promise<void> => void (told = await other.status(read("deployment")));
    const cold = await turnsBy(6, tell);
    expect(told).toEqual(await store.status(read("deployment")));
    const warm = await turnsBy(6, tell);
    expect(cold - warm).toBeGreaterThanOrEqual(sizes.length - 1);
    await store.delete(write("deployment"), { ids: ["d3-c7"] });
    const changed = await turnsBy(6, tell);
    expect(changed - warm).toBeLessThanOrEqual(1);
    expect(told).toMatchObject({ chunks: 383, fit: { madeOf: 384, isDue: true, isSetAside: true } });
    expect(told).toEqual(await store.status(read("deployment")));
    await Promise.all([store.close(), other.close()]);
  });
});

describe.each(["lexical", "dense", "pattern"])("a filtered %s search after a delete", (name) => {
  it("reads the facts of 1,024 chunks a turn at most, and finds what is left [18.6]", async () => {
    const inner = createMemoryDirectory();
    /** Chunks whose facts each transaction has read. */
    const facts: number[] = [];
    let counting: DirectoryWriter | undefined;
    const count = (rows: DirectoryWriter): DirectoryWriter =>
      (counting ??= {
        ...rows,
        chunkFacts(keys) {
          facts[facts.length - 1]! += keys.length;
          return rows.chunkFacts(keys);
        },
      });
    const directory: SegmentDirectory = {
      ...inner,
      read(work) {
        facts.push(0);
        return inner.read((rows) => work(count(rows as DirectoryWriter)));
      },
      write: (work, undone) => inner.write((rows) => work(count(rows)), undone),
    };
    const options = decideStoreOptions({ segments: { sealAt: 1024, settleAt: 1024, mergeFactor: 2 } });
    const store = composeStore(
      createSegmentStore(directory, { ...options, secret: createSecret(), embeddings: ["dense"] }),
    );
    const texts = Array.from({ length: 2500 }, (_, i) => `c${i} heron.`);
    const embed = (): Int8Array => Int8Array.of(1, 2, 3);
    await store.replace(write("deployment"), documentEntry("a", texts, { embed, document: { metadata: { a: 1 } } }));
    const query: Query = {
      question: "heron",
      text: "heron",
      syntax: "literal",
      embeddings: name === "dense" ? [{ embedding: embed(), version: three, scopes: ["deployment"] }] : [],
      pattern: name === "pattern" ? { source: "heron", ignoreCase: false } : undefined,
    };
    const find = async () => {
      const session = await store.session(read("deployment"));
      const restriction = session.restrict({ op: "eq", key: "a", value: 1 });
      const leg = session.legs.find((each) => each.name === name)!;
      return (await leg.search(query, "all", { restriction })).matches.map(({ id }) => id);
    };
    expect(await find()).toHaveLength(2500);
    // The first 2,048 are one segment.
    await store.delete(write("deployment"), { ids: ["a-c1500"] });
    facts.length = 0;
    slowClock(6);
    const found = await find();
    vi.restoreAllMocks();
    expect(found).toHaveLength(2499);
    expect(found).not.toContain("a-c1500");
    expect(facts.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(2048);
    expect(Math.max(...facts)).toBe(1024);
    await store.close();
  });
});

describe.each(["lexical", "dense"])("a %s search in slices", (name) => {
  it("finds nothing of a commit that failed between two of them [L5 L8]", async () => {
    const inner = createMemoryDirectory();
    let waits = false;
    const waiting: { readonly work: (rows: DirectoryWriter) => unknown; readonly fail: () => void }[] = [];
    const directory: SegmentDirectory = {
      ...inner,
      write(work, undone) {
        if (!waits) return inner.write(work);
        const { promise, reject } = Promise.withResolvers<never>();
        const fail = (): void => {
          undone?.();
          reject(new Error("The disk is full."));
        };
        waiting.push({ work, fail });
        return promise;
      },
    };
    /** Writes that wait share a commit, which fails: the second has seen the first. */
    const failTogether = async (): Promise<void> => {
      const together = waiting.splice(0);
      const commit = inner.write((rows) => {
        for (const { work } of together) work(rows);
        throw new Error("The disk is full.");
      });
      for (const { fail } of together) fail();
      await expect(commit).rejects.toThrow("full");
    };
    const store = composeStore(
      createSegmentStore(directory, { ...decideStoreOptions({}), secret: createSecret(), embeddings: ["dense"] }),
    );
    const texts = Array.from({ length: 3 }, (_, i) => `heron${i} waits with ${words.join(" ")}.`);
    const embed = (): Int8Array => Int8Array.of(1, 2, 3);
    const entryOf = (id: string, turn = 0) => documentEntry(id, texts, { embed, document: { metadata: { turn } } });
    await store.replace(write("deployment"), entryOf("a"));
    const find = async () => {
      const found =
        name === "lexical"
          ? (await searchWords(store, read("deployment"), { text: words.join(" "), topK: 20 })).matches
          : await searchVectors(store, read("deployment"), {
              embedding: embed(),
              version: three,
              topK: 20,
              metric: "manhattan",
            });
      return found.map(({ chunk, score }) => [chunk.id, score]);
    };
    const expected = await find();
    expect(expected).toHaveLength(3);
    let [amid, turns] = [0, 0];
    do {
      // Another commit, so that words are read anew.
      await store.replace(write("deployment"), entryOf("a", turns + 1));
      waits = true;
      const late = ["b", "c"].map((id) => store.replace(write("deployment"), entryOf(id)));
      const written = Promise.allSettled(late);
      await vi.waitUntil(() => waiting.length === 2);
      await new Promise(setImmediate);
      slowClock(6);
      amid = 1;
      const found = find().finally(() => (amid = 0));
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      const isAmid = amid === 1;
      await failTogether();
      expect([turns, await found]).toEqual([turns, expected]);
      vi.restoreAllMocks();
      expect((await written).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      waits = false;
      if (!isAmid) break;
      turns++;
    } while (turns < 100);
    expect(turns).toBeGreaterThan(2);
    await store.close();
  });
});

describe("a store in memory", () => {
  it("gives others a turn between its merges [18.6]", async () => {
    const inner = createMemoryDirectory();
    let turn = 0;
    /** Turns in which segments were written. */
    const written: number[] = [];
    const directory: SegmentDirectory = {
      ...inner,
      write: (work) =>
        inner.write((rows) =>
          work({
            ...rows,
            addSegment(row) {
              written.push(turn);
              return rows.addSegment(row);
            },
          }),
        ),
    };
    const options = decideStoreOptions({ segments: { sealAt: 1, settleAt: 1, mergeFactor: 2 } });
    const store = composeStore(createSegmentStore(directory, { ...options, secret: createSecret(), embeddings: [] }));
    for (let i = 0; i < 7; i++) await store.replace(write("deployment"), documentEntry(`a${i}`, [`heron ${i}`]));
    // The stretch of works before it is over, and the clock of an earlier test with it.
    await new Promise(setImmediate);
    let isOver = false;
    const count = (): void => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    written.length = 0;
    slowClock(6);
    // The eighth is sealed, and merged with one, two and four.
    await store.replace(write("deployment"), documentEntry("a7", ["heron 7"]));
    isOver = true;
    vi.restoreAllMocks();
    expect(written.length).toBeGreaterThanOrEqual(4);
    expect(new Set(written).size).toBe(written.length);
    await store.close();
  });
});
