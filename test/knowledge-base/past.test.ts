import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type IngestSummary, type KnowledgeBase, openKnowledgeBase, type OpenOptions, type SearchOptions } from "ibid";
import { composeStore } from "ibid/stores";
import { createFixedEmbeddingModel } from "ibid/testing";
import { createMemoryParts } from "../../src/stores/memory/memory-store.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runs, runsAll } from "../support/runs.ts";
import { anyHistory, compareWithReplay } from "./past-histories.ts";

describe("a search as of a time", () => {
  const histories = (where: "memory" | "folder", few: number, all: number) =>
    runsAll ? Array.from({ length: 10 }, (_, i) => [where, i + 1, all / 10] as const) : [[where, 1, few] as const];

  it.each([...histories("memory", 24, 10_000), ...histories("folder", 4, 1_000)])(
    "is equal to a replay of the history up to it, whatever happened since: %s, %s",
    async (where, _, few) => {
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(anyHistory, async (history) => {
          for (const { past, replayed } of await compareWithReplay(where, history)) {
            expect(past).toEqual(replayed);
            compared++;
          }
        }),
        { numRuns: runs(few), endOnFailure: process.env["IBID_SHRINK"] === undefined },
      );
      expect(compared).toBeGreaterThan(few);
    },
  );
});

const day = 86_400_000;
const start = Date.parse("2026-01-01T00:00:00.000Z");
const noon = (days: number): string => new Date(start + days * day + day / 2).toISOString();

let folder: string;
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-past-"));
  now = start;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const texts = async (kb: KnowledgeBase, query: string, asOf?: string): Promise<readonly string[]> =>
  (await kb.search(query, { ...(asOf !== undefined && { asOf }) })).map(({ text }) => text);

describe.each([
  ["in memory", (): string | undefined => undefined],
  ["in a folder", () => join(folder, "kb")],
] as const)("the past of a knowledge base %s", (_, place) => {
  const using = async (
    use: (kb: KnowledgeBase) => Promise<void>,
    options: OpenOptions = { history: true },
  ): Promise<void> => {
    const all: OpenOptions = { models: { embedding: null }, operations: { now: () => now, events: false }, ...options };
    const where = place();
    const kb = await (where === undefined ? openKnowledgeBase(all) : openKnowledgeBase(where, all));
    try {
      await use(kb);
    } finally {
      await kb.close();
    }
  };
  const write = async (kb: KnowledgeBase, text: string): Promise<IngestSummary> => kb.ingest({ uri: "plan.txt", text });
  const isTraced = async (kb: KnowledgeBase): Promise<boolean> =>
    (await kb.doctor({ absent: ["zanzibar herons"] })).findings.some(({ kind }) => kind === "trace");

  it("is searched, listed, shown and quoted", () =>
    using(async (kb) => {
      await write(kb, "The herons leave on Tuesday.");
      now += day;
      await write(kb, "The herons leave on Thursday.");
      await kb.ingest({ uri: "other.txt", text: "Herons eat fish." });
      expect(await texts(kb, "herons leave", noon(0))).toEqual(["The herons leave on Tuesday."]);
      expect(await texts(kb, "herons leave", noon(1))).toEqual(await texts(kb, "herons leave"));
      const listed = [];
      for await (const { uri, ingestedAt } of kb.list({ asOf: noon(0) })) listed.push({ uri, ingestedAt });
      expect(listed).toEqual([{ uri: "plan.txt", ingestedAt: "2026-01-01T00:00:00.000Z" }]);
      expect(await kb.document("plan.txt", { asOf: noon(0) })).toMatchObject({ text: "The herons leave on Tuesday." });
      expect(await kb.document("other.txt", { asOf: noon(0) })).toBeUndefined();
      const answer = await kb.ask("When do the herons leave?", { asOf: noon(0) });
      expect(answer.citations.map(({ quote }) => quote)).toEqual(["The herons leave on Tuesday."]);
    }));

  it("loses what is purged, to the last byte", () =>
    using(async (kb) => {
      await write(kb, "The zanzibar herons leave on Tuesday.");
      now += day;
      await write(kb, "The herons leave on Thursday.");
      expect(await texts(kb, "zanzibar", noon(0))).toHaveLength(1);
      expect(await isTraced(kb)).toBe(place() !== undefined);
      await kb.delete("plan.txt", { purge: true });
      expect(await texts(kb, "zanzibar", noon(0))).toEqual([]);
      expect(await isTraced(kb)).toBe(false);
    }));

  it("ends where a vacuum removed something, and is whole after it", () =>
    using(async (kb) => {
      await write(kb, "The herons leave on Tuesday.");
      now += 10 * day;
      await write(kb, "The herons leave on Thursday.");
      now += 10 * day;
      expect(await kb.vacuum({ olderThanMs: 15 * day })).toMatchObject({ chunks: 0 });
      expect(await texts(kb, "herons", noon(0))).toEqual(["The herons leave on Tuesday."]);
      expect(await kb.vacuum({ olderThanMs: 5 * day })).toMatchObject({ chunks: 1 });
      await expect(kb.search("herons", { asOf: noon(9) })).rejects.toMatchObject({
        code: "not-found",
        message: "The past of deployment begins at 2026-01-11T00:00:00.000Z; asOf is 2026-01-10T12:00:00.000Z.",
      });
      expect(await texts(kb, "herons", noon(10))).toEqual(["The herons leave on Thursday."]);
    }));

  it("shows nobody what they may not read now", () =>
    using(async (kb) => {
      await kb.ingest({ uri: "board.txt", text: "The herons are sold." }, { scope: "team:board" });
      now += day;
      await kb.delete("board.txt", { scope: "team:board" });
      const outside = kb.as({ userId: "eve", teamId: "south" });
      expect(await texts(outside, "herons", noon(0))).toEqual([]);
      expect(await outside.document("board.txt", { asOf: noon(0) })).toBeUndefined();
      expect(await texts(kb.as({ userId: "ada", teamId: "board" }), "herons", noon(0))).toHaveLength(1);
      expect(await texts(kb, "herons", noon(0))).toHaveLength(1);
    }));

  it("is refused without history, for a wrong time, and beside options of the present", () =>
    using(async (kb) => {
      await write(kb, "The herons leave on Tuesday.");
      await expect(kb.search("herons", { asOf: noon(0) })).rejects.toMatchObject({ code: "unsupported" });
      await expect(kb.search("herons", { asOf: "yesterday" })).rejects.toThrow(/asOf is "yesterday"/u);
      await expect(kb.search("herons", { asOf: noon(0), atMostMs: 0 })).rejects.toThrow(/beside atMostMs/u);
      const latest = kb.search("herons", { asOf: noon(0), consistency: "latest" });
      await expect(latest).rejects.toThrow(/beside consistency/u);
      await expect(kb.ask("herons?", { asOf: noon(0) })).rejects.toMatchObject({ code: "unsupported" });
      await expect(kb.versions("plan.txt")).rejects.toMatchObject({ code: "unsupported" });
      await expect(kb.restore("plan.txt", { asOf: noon(0) })).rejects.toMatchObject({ code: "unsupported" });
      await expect(kb.document("plan.txt", { asOf: "soon" })).rejects.toThrow(/asOf is "soon"/u);
    }, {}));

  it("does not grow by an ingestion that changes nothing", () =>
    using(async (kb) => {
      await write(kb, "The herons leave on Tuesday.");
      now += day;
      expect(await write(kb, "The herons leave on Tuesday.")).toMatchObject({ unchanged: 1 });
      now += day;
      expect(await kb.vacuum({ olderThanMs: 0 })).toMatchObject({ chunks: 0 });
    }));

  it("gives a former version back, and keeps the one that stood", () =>
    using(async (kb) => {
      await write(kb, "The herons leave on Tuesday.");
      now += day;
      await write(kb, "The herons leave on Thursday.");
      now += day;
      const versions = async () => (await kb.versions("plan.txt")).map(({ from, to }) => [from, to]);
      const [first, second, third] = [0, 1, 2].map((days) => new Date(start + days * day).toISOString());
      expect(await versions()).toEqual([
        [second, undefined],
        [first, second],
      ]);
      expect(await kb.restore("plan.txt", { asOf: noon(0) })).toEqual([
        { uri: "plan.txt", scope: "deployment", chunks: 1 },
      ]);
      expect(await texts(kb, "herons leave")).toEqual(["The herons leave on Tuesday."]);
      expect((await kb.document("plan.txt"))?.text).toBe("The herons leave on Tuesday.");
      expect(await texts(kb, "herons leave", noon(1))).toEqual(["The herons leave on Thursday."]);
      expect(await versions()).toEqual([
        [third, undefined],
        [second, third],
        [first, second],
      ]);
      now += day;
      await kb.delete("plan.txt");
      await kb.restore("plan.txt", { asOf: noon(1) });
      expect(await texts(kb, "herons leave")).toEqual(["The herons leave on Thursday."]);
      await expect(kb.restore("plan.txt", { asOf: "2025-01-01" })).rejects.toMatchObject({ code: "not-found" });
      expect(await kb.restore("other.txt", { asOf: noon(1) })).toEqual([]);
    }));

  it("is given back by those alone who may write the document, and told to those alone who may read it", () =>
    using(async (kb) => {
      await kb.ingest({ uri: "board.txt", text: "The herons are sold." }, { scope: "team:board" });
      now += day;
      await kb.ingest({ uri: "board.txt", text: "The herons are kept." }, { scope: "team:board" });
      await write(kb, "The herons leave.");
      const [outside, inside] = [kb.as({ userId: "eve", teamId: "south" }), kb.as({ userId: "ada", teamId: "board" })];
      expect(await outside.versions("board.txt")).toEqual([]);
      expect(await outside.restore("board.txt", { asOf: noon(0) })).toEqual([]);
      await expect(inside.restore("plan.txt", { asOf: noon(1) })).rejects.toMatchObject({ code: "access-denied" });
      expect(await inside.versions("board.txt")).toHaveLength(2);
      expect(await inside.restore("board.txt", { asOf: noon(0) })).toHaveLength(1);
      expect(await texts(inside, "herons sold")).toContain("The herons are sold.");
    }));

  it("keeps the order of versions under a clock that goes back", () =>
    using(async (kb) => {
      now += 2 * day;
      await write(kb, "The herons leave on Tuesday.");
      now -= day;
      await write(kb, "The herons leave on Thursday.");
      now += 3 * day;
      expect(await texts(kb, "herons", noon(1))).toEqual([]);
      expect(await texts(kb, "herons", noon(2))).toEqual(["The herons leave on Thursday."]);
    }));
});

it("gives a former version back with the vectors that it had, and embeds nothing", async () => {
  const otherwise = (text: string): number[] => (text.includes("red") ? [1, 0, 0] : [0, 1, 0]);
  const embedding = createFixedEmbeddingModel({}, { dimensions: 3, otherwise });
  const kb = await openKnowledgeBase({ history: true, models: { embedding }, operations: { now: () => now } });
  const put = (text: string) => kb.ingest({ uri: "herons.txt", title: "", chunks: [{ text }] });
  await put("red herons");
  now += day;
  await put("blue herons");
  now += day;
  const calls = embedding.calls.length;
  expect(await kb.restore("herons.txt", { asOf: noon(0) })).toHaveLength(1);
  expect(embedding.calls).toHaveLength(calls);
  const near = await kb.searchVector([1, 0, 0], { includeEmbeddings: true });
  expect(near.map(({ chunk, score }) => [chunk.text, score])).toEqual([["red herons", 1]]);
  expect((await kb.status()).embeddingVersions.map(({ chunks }) => chunks)).toEqual([1]);
  await kb.close();
});

it("says where it lacks the model that the store fits on the present", async () => {
  const codes = async (kb: KnowledgeBase, options: SearchOptions): Promise<readonly string[] | undefined> =>
    (await kb.search("herons at the pier", options)).warnings?.map(({ code }) => code);
  for (const [chunks, models, expected] of [
    [256, {}, ["fit-of-the-present"]],
    [255, {}, undefined],
    [256, { embedding: null }, undefined],
  ] as const) {
    const kb = await openKnowledgeBase({ history: true, models, operations: { now: () => now, events: false } });
    const texts = Array.from({ length: chunks }, (_, i) => ({ text: `Herons of pier ${i} eat fish.` }));
    await kb.ingest({ uri: "herons.txt", chunks: texts }, { settle: true });
    now += day;
    const asOf = new Date(now - day / 2).toISOString();
    // Without any model there is no search by meaning.
    const dense = "embedding" in models ? undefined : await codes(kb, { asOf, mode: "dense" });
    const words = await codes(kb, { asOf, mode: "lexical" });
    expect([await codes(kb, { asOf }), dense, words, await codes(kb, {})]).toEqual([
      expected,
      expected,
      undefined,
      undefined,
    ]);
    await kb.close();
  }
});

it("is erased where history is turned off, and begins anew", async () => {
  const using = async (history: boolean | undefined, use: (kb: KnowledgeBase) => Promise<unknown>): Promise<void> => {
    const operations = { now: () => now, events: false } as const;
    const kb = await openKnowledgeBase(join(folder, "kb"), { operations, ...(history !== undefined && { history }) });
    await use(kb);
    await kb.close();
  };
  await using(true, async (kb) => {
    await kb.ingest({ uri: "plan.txt", text: "The zanzibar herons leave on Tuesday." });
    now += day;
    await kb.ingest({ uri: "plan.txt", text: "The herons leave on Thursday." });
  });
  await using(undefined, async (kb) => expect(await texts(kb, "zanzibar", noon(0))).toHaveLength(1));
  await using(false, async (kb) => {
    await expect(kb.search("herons", { asOf: noon(0) })).rejects.toMatchObject({ code: "unsupported" });
    expect((await kb.doctor({ absent: ["zanzibar herons"] })).findings).toEqual([]);
  });
  await using(true, (kb) =>
    expect(kb.search("herons", { asOf: noon(0) })).rejects.toMatchObject({ code: "not-found" }),
  );
});

it("is refused by a store that keeps no former versions", async () => {
  const parts = { ...createMemoryParts({}), history: undefined };
  await expect(openKnowledgeBase({ store: composeStore(parts), history: true })).rejects.toMatchObject({
    code: "unsupported",
    message: "This store cannot keep former versions of documents.",
  });
  const kb = await openKnowledgeBase({ store: composeStore(parts), history: false });
  await expect(kb.search("herons", { asOf: noon(0) })).rejects.toMatchObject({ code: "unsupported" });
  await kb.close();
});
