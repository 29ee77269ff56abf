import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AccessPolicy, KnowledgeBase } from "../../src/index.node.ts";
import { latentSemanticModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { openKnowledgeBase } from "../../src/index.node.ts";
import { write } from "../stores/build.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ibid-own-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const subjects = ["harbour ship sailor anchor", "orchard apple pear blossom", "loom weaver thread cloth"];
const texts = Array.from({ length: 300 }, (_, i) => ({
  uri: `d${i}.txt`,
  text: `${subjects[i % 3]!} number ${i}, ${subjects[i % 3]!.split(" ")[i % 4]!}`,
}));

/** Ingests, searches with one word, and closes. */
async function visit(
  access: AccessPolicy,
  items: typeof texts,
): Promise<{ fitted?: boolean; models: number; hits: number }> {
  const kb = await openKnowledgeBase(join(folder, ".ibid"), { access });
  await kb.ingest(items, { settle: true });
  const hits = await kb.search("sailor", { explain: true, topK: 3 });
  const { embeddingVersions } = await kb.status();
  await kb.close();
  const fitted = hits[0]?.explain?.latent?.fitted;
  return { ...(fitted !== undefined && { fitted }), models: embeddingVersions.length, hits: hits.length };
}

/** Papers with words of their own, and one that everybody uses. */
const papers = Array.from({ length: 12 }, (_, i) => ({
  uri: `paper-${i}.txt`,
  text: `zanzibar copper merger ${subjects[i % 3]!.split(" ")[0]} paper ${i}`,
}));
const queries = ["zanzibar", "zanzibar copper", "copper sailor", "merger", "harbour thread"];

/** All that a reader without a team sees by the model. */
async function seenBy(kb: KnowledgeBase): Promise<unknown> {
  const reader = kb.as({ userId: "bob" });
  const seen: unknown[] = [];
  for (const query of queries) {
    for (const mode of ["dense", "hybrid"] as const) {
      const hits = await reader.search(query, { mode, topK: 20, minScore: 0, explain: true });
      seen.push(hits.map(({ source, score, explain }) => [source.uri, score, explain]));
    }
  }
  const { cacheHitRate: _, ...status } = await reader.status();
  return [seen, status];
}

describe("documents that move from everybody to a team", () => {
  it.each([
    ["deleted", {}],
    ["purged", { purge: true }],
  ])("and are %s where they were, leave nothing in a reader's scores [L3 L8]", async (_, how) => {
    const never = await openKnowledgeBase();
    await never.ingest(texts, { settle: true });
    const expected = await seenBy(never);
    await never.close();
    const kb = await openKnowledgeBase();
    await kb.ingest([...texts, ...papers], { settle: true });
    for (const { uri } of papers) await kb.delete(uri, how);
    const reader = kb.as({ userId: "bob" });
    // Before the model is made anew, their words are as words that nobody has used.
    for (const query of ["zanzibar", "qwertyuiop"]) {
      const hits = await reader.search(query, { mode: "dense", topK: 3, minScore: 0, explain: true });
      expect(hits.every(({ explain }) => (explain?.latent?.energy ?? 0) === 0)).toBe(true);
    }
    await kb.ingest(papers, { scope: "team:board", settle: true });
    expect(await seenBy(kb)).toEqual(expected);
    await kb.close();
  });
});

describe("a model that is set aside", () => {
  it("leaves searches to words, and a dense search says so", async () => {
    const store = createMemoryStore({ corpusModel: latentSemanticModel });
    const kb = await openKnowledgeBase({ store });
    await kb.ingest([...texts, ...papers], { settle: true });
    expect((await kb.search("sailor", { mode: "dense" })).warnings).toBeUndefined();
    const paper = await kb.document("paper-0.txt");
    // A delete of the knowledge base's own would settle in the background.
    await store.delete(write("deployment"), { documentIds: [paper!.id] });
    const dense = await kb.search("sailor", { mode: "dense" });
    expect(dense).toHaveLength(0);
    expect(dense.warnings).toMatchObject([{ code: "fit-set-aside", scopes: ["deployment"] }]);
    const hybrid = await kb.search("sailor");
    expect([hybrid.length > 0, hybrid.warnings]).toEqual([true, undefined]);
    await kb.ingest([], { settle: true });
    expect((await kb.search("sailor", { mode: "dense" })).length).toBeGreaterThan(0);
    await kb.close();
  });
});

describe("the store's own model", () => {
  it("is not fitted where callers may not read what it would be fitted on [L3]", async () => {
    expect(await visit({}, texts)).toEqual({ fitted: true, models: 1, hits: 3 });
    // Closed to callers, the deployment's chunks must not show in the scores of anything else.
    expect(await visit({ deployment: false }, [{ uri: "new.txt", text: "a sailor's knot" }])).toEqual({
      fitted: false,
      models: 1,
      hits: 3,
    });
    expect(await visit({ deployment: true }, [{ uri: "newer.txt", text: "a sailor's hat" }])).toEqual({
      fitted: true,
      models: 1,
      hits: 3,
    });
  });

  it("says so when another policy needs other vectors, makes them, and shows nothing of the former ones [L3]", async () => {
    const place = join(folder, ".ibid");
    const own = { uri: "own.txt", text: "A sailor by the harbour wrote of copper." };
    const kb = await openKnowledgeBase(place);
    await kb.ingest([...texts, ...papers], { settle: true });
    await kb.ingest(own, { scope: "user:bob", settle: true });
    await kb.close();
    /** The base under a policy: what a dense search of nothing says, and what is seen once it has settled. */
    async function reopen(access: AccessPolicy): Promise<unknown> {
      const opened = await openKnowledgeBase(place, { access });
      const reader = opened.as({ userId: "bob" });
      const [mixed, first] = [await reader.search("sailor"), await reader.search("sailor", { mode: "dense" })];
      const warned = mixed.warnings?.map(({ code }) => code);
      // The words find it, and the answer says that only words looked.
      expect([mixed.length > 0, warned]).toEqual([true, ["fit-set-aside"]]);
      expect([first.length, first.warnings?.map(({ code }) => code)]).toEqual([0, ["fit-set-aside"]]);
      // The search itself asked for the settling.
      await expect.poll(async () => (await reader.search("sailor", { mode: "dense" })).length).toBeGreaterThan(0);
      expect((await reader.search("sailor")).warnings).toBeUndefined();
      const seen = await seenBy(opened);
      await opened.close();
      return seen;
    }
    const closed = await reopen({ deployment: false });
    const never = await openKnowledgeBase({ access: { deployment: false } });
    await never.ingest(own, { scope: "user:bob", settle: true });
    expect(closed).toEqual(await seenBy(never));
    await never.close();
    await reopen({ deployment: true });
  });
});
