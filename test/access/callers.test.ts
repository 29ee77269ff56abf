import { afterEach, describe, expect, it } from "vitest";
import { isSameCaller, readCaller } from "../../src/access/callers.ts";
import { createGate } from "../../src/access/gate.ts";
import { chooseScopes } from "../../src/access/scope-strategy.ts";
import type { KnowledgeBase } from "../../src/contracts/knowledge-base.ts";
import type { Retriever } from "../../src/contracts/retriever.ts";
import type { AccessContext, Scope, ScopeStrategy } from "../../src/contracts/scope.ts";
import type { OpenOptions } from "../../src/knowledge-base/open/open-options.ts";
import { openKnowledgeBase as openInMemory } from "../../src/knowledge-base/open-in-memory.ts";
import { collect } from "../../src/testing/assert.ts";
import { createFixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";
import { chunkOf } from "../../src/testing/store-fixtures.ts";

const everywhere: readonly Scope[] = ["platform", "deployment", "team:north", "team:south", "user:ada", "user:nils"];
const ada: AccessContext = { userId: "ada", teamId: "north", teams: ["north", "south"] };
const refused = expect.objectContaining({ code: "invalid-argument" });

const opened: KnowledgeBase[] = [];
afterEach(async () => {
  for (const kb of opened.splice(0)) await kb.close();
});

/** The same words in every scope. */
async function openFull(options: OpenOptions = {}): Promise<KnowledgeBase> {
  const kb = await openInMemory({ access: { platform: true }, ...options });
  opened.push(kb);
  for (const scope of everywhere) await kb.ingest({ uri: "a.txt", text: `The lantern of ${scope}.` }, { scope });
  return kb;
}

describe("a caller", () => {
  it("reads and writes what all their teams have, whichever is active [T8 T21 T27]", () => {
    const gate = createGate({ platform: true });
    const all = ["deployment", "platform", "team:north", "team:south", "user:ada"];
    expect(gate.read(ada, everywhere).scopes).toEqual(all);
    expect(gate.read({ teams: ["south"] }, everywhere).scopes).toEqual(["deployment", "platform", "team:south"]);
    expect(gate.read({ teams: [] }, everywhere).scopes).toEqual(["deployment"]);
    expect(gate.writable(ada, everywhere)).toEqual(["team:north", "team:south", "user:ada"]);
  });

  it("is refused where an id is blank, no text, or the active team is not theirs [T27 L3]", () => {
    const mistakes: readonly unknown[] = [
      { userId: "" },
      { teamId: " " },
      { teamId: null },
      { userId: 7 },
      { teams: "north" },
      { teams: ["north", ""] },
      { teams: ["north", null] },
      { teamId: "west", teams: ["north"] },
    ];
    for (const mistake of mistakes) expect(() => readCaller(mistake as AccessContext)).toThrow(refused);
  });

  it("cannot be changed from outside once taken in [L3]", () => {
    const teams = ["north"];
    const given = { userId: "ada", teams };
    const caller = readCaller(given);
    teams.push("south");
    given.userId = "nils";
    expect(caller).toEqual({ userId: "ada", teams: ["north"] });
    expect(() => (caller.teams as string[]).push("south")).toThrow(TypeError);
  });

  it("is the same one in the same teams, acting for the same one [L3]", () => {
    expect(isSameCaller(ada, { ...ada, teams: ["south", "north", "north"] })).toBe(true);
    expect(isSameCaller({ teamId: "north" }, { teamId: "north", teams: ["north"] })).toBe(true);
    expect(isSameCaller(ada, { ...ada, teams: ["north"] })).toBe(false);
    expect(isSameCaller(ada, { ...ada, teamId: "south" })).toBe(false);
    expect(isSameCaller({}, { teams: ["north"] })).toBe(false);
  });

  it("keeps their view, and cannot join a team through it [L3]", async () => {
    const kb = await openFull();
    const view = kb.as(ada);
    expect((await view.as({ ...ada }).status()).documents).toBe(5);
    const joining = () => kb.as({ teamId: "north" }).as({ teamId: "north", teams: ["north", "south"] });
    expect(joining).toThrow(expect.objectContaining({ code: "access-denied" }));
  });
});

const foundIn = (hits: readonly { readonly scope: Scope }[]): Scope[] => hits.map(({ scope }) => scope).toSorted();

describe("a scope strategy", () => {
  const table: readonly (readonly [ScopeStrategy, readonly Scope[]])[] = [
    ["active-team", ["team:north"]],
    ["active-team-plus-user", ["team:north", "user:ada"]],
    ["active-team-plus-platform", ["platform", "team:north"]],
    ["all", ["deployment", "platform", "team:north", "team:south", "user:ada"]],
    [() => ["deployment", "user:nils", "team:south"], ["deployment", "team:south"]],
    [async (_, readable) => readable.filter((scope) => scope.startsWith("user:")), ["user:ada"]],
  ];

  it.each(table)("%s: where a search and a question look [T49]", async (strategy, expected) => {
    const kb = await openFull();
    const search = { topK: "all", strategy } as const;
    expect(foundIn(await kb.as(ada).search("lantern", search))).toEqual(expected);
    expect(foundIn((await kb.as(ada).ask("Where is the lantern?", search)).hits)).toEqual(expected);
    const view = kb.as(ada, { strategy });
    expect(foundIn(await view.search("lantern", { topK: "all" }))).toEqual(expected);
    expect(foundIn((await view.ask("Where is the lantern?", { topK: "all" })).hits)).toEqual(expected);
    // It says where a question looks, not what somebody may read.
    expect((await view.status()).documents).toBe(5);
  });

  it("narrows with scopes; what a call names goes before what the view was made with [T25 T49]", async () => {
    const view = (await openFull()).as(ada, { strategy: "active-team" });
    const look = async (options: object) => foundIn(await view.search("lantern", { topK: "all", ...options }));
    expect(await look({ scopes: ["user:ada", "user:nils"] })).toEqual(["user:ada"]);
    expect(await look({ strategy: "all" })).toHaveLength(5);
    expect(await look({ strategy: "active-team-plus-user", scopes: ["user:ada", "team:south"] })).toEqual(["user:ada"]);
    expect(await look({ strategy: "active-team", scopes: ["team:south"] })).toEqual([]);
    expect(foundIn(await view.as(ada).search("lantern", { topK: "all" }))).toEqual(["team:north"]);
  });

  it("finds nothing where there is no active team; the operator has none [T25 T49]", async () => {
    expect(await chooseScopes("active-team", { teams: ["north"] }, everywhere)).toEqual([]);
    expect(await chooseScopes("active-team-plus-user", {}, ["user:undefined", "team:undefined"])).toEqual([]);
    expect(await chooseScopes("active-team-plus-platform", "operator", everywhere)).toEqual(["platform"]);
    expect(await chooseScopes("all", "operator", everywhere)).toEqual(everywhere);
  });

  it("that nobody knows is refused, before anything is searched [T49]", async () => {
    const kb = await openFull();
    const unknown = "everything" as ScopeStrategy;
    expect(() => kb.as(ada, { strategy: unknown })).toThrow(refused);
    await expect(kb.search("lantern", { strategy: unknown })).rejects.toThrow(refused);
    await expect(kb.search("lantern", { strategy: "toString" as ScopeStrategy })).rejects.toThrow(refused);
    await expect(kb.search("lantern", { strategy: () => ["everywhere" as Scope] })).rejects.toThrow(refused);
    await expect(kb.search("lantern", { strategy: () => undefined as never })).rejects.toThrow(refused);
  });
});

describe("what one cache for all would tell", () => {
  it("the hit rate is for the operator, and a caller's count does not depend on what others wrote [L3 L10]", async () => {
    const model = createFixedEmbeddingModel({}, { dimensions: 1, otherwise: () => [1] });
    const kb = await openFull({ models: { embedding: model } });
    const secret = { uri: "s.txt", text: "We will buy the harbour." };
    expect((await kb.ingest(secret, { scope: "team:south" })).embedded).toBe(1);
    // The model is not asked again, and nobody learns that from the count.
    const before = model.calls.length;
    expect((await kb.as({ userId: "ada" }).ingest(secret)).embedded).toBe(1);
    expect((await kb.as({ userId: "nils" }).ingest({ ...secret, text: "Never written before." })).embedded).toBe(1);
    expect((await kb.as({ userId: "ada" }).ingest(secret)).embedded).toBe(0);
    expect(model.calls.length).toBe(before + 1);
    expect(await kb.as({ userId: "ada" }).status()).not.toHaveProperty("cacheHitRate");
    expect((await kb.status()).cacheHitRate).toBeGreaterThan(0);
  });
});

describe("a retriever of somebody else's", () => {
  it("ranks, and does not decide who may read, nor asks a model about a query of any length [T26 T28 L3]", async () => {
    const inner = await openFull();
    const hits = await inner.search("lantern", { topK: "all" });
    let calls = 0;
    const retriever: Retriever = {
      async retrieve() {
        calls++;
        return hits;
      },
    };
    const kb = (await openFull({ search: { retriever } })).as({ userId: "nils" });
    const found = await kb.search("lantern");
    expect(foundIn(found)).toEqual(["deployment", "platform", "user:nils"]);
    expect(found.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    expect(foundIn((await kb.ask("Where is the lantern?")).hits)).toEqual(["deployment", "platform", "user:nils"]);
    expect(calls).toBe(2);
    await expect(kb.search("x".repeat(8193))).rejects.toThrow(refused);
    await expect(kb.ask("x".repeat(8193))).rejects.toThrow(refused);
    expect(calls).toBe(2);
  });
});

describe("documents that share an id across scopes", () => {
  const document = (text: string, kind: string) => ({
    ...({ type: "text", id: "shared", uri: `${kind}.txt`, title: kind, mediaType: "text/plain", text } as const),
    ...({ metadata: { kind }, origin: "user-content", sourceMap: { lines: "text" } } as const),
    root: { id: "0", title: kind, level: 0, start: 0, contentStart: 0, end: text.length, children: [] },
  });

  it("are deleted by their own metadata [B35 L3]", async () => {
    const kb = await openFull();
    const both = kb.as({ userId: "ada", teamId: "north" });
    await both.ingest(document("Of the team.", "team"), { scope: "team:north" });
    await both.ingest(document("Of the user.", "mine"), { scope: "user:ada" });
    expect(await both.delete({ filter: { kind: "mine" } })).toEqual([
      { uri: "mine.txt", scope: "user:ada", chunks: 1 },
    ]);
    expect(await both.document("team.txt")).toMatchObject({ text: "Of the team." });
  });

  it("are cited from the scope of the hit [L2 L3]", async () => {
    const kb = await openFull();
    await kb.ingest(document("Something else stands here instead, first of all.", "first"), { scope: "team:north" });
    await kb.ingest(document("The violin is kept in the tower.", "second"), { scope: "user:ada" });
    const { citations } = await kb.as({ userId: "ada", teamId: "north" }).ask("Where is the violin kept?");
    expect(citations.map(({ quote }) => quote)).toEqual(["The violin is kept in the tower."]);
  });

  it("a chunk that names somebody else's document gets nothing of it [T26 L3]", async () => {
    const kb = await openFull();
    const [target] = await collect(kb.as({ teamId: "south" }).list());
    const ada1 = kb.as({ userId: "ada" });
    const { id } = (await collect(kb.list())).find(({ scope }) => scope === "team:south")!;
    await ada1.ingest([chunkOf("claim", { documentId: id, text: "The lantern of team:south." })]);
    expect(target).toBeDefined();
    const excerpt = await ada1.expand("claim", { zoomOut: 1 });
    expect(excerpt).toMatchObject({ scope: "user:ada", text: "The lantern of team:south." });
    const { citations, hits } = await ada1.ask("Where is the lantern of team south?", { topK: "all" });
    expect(hits.map(({ chunkId }) => chunkId)).toContain("claim");
    // Its own words, from the document that was composed of it.
    const quotes = citations.filter(({ chunkId }) => chunkId === "claim").map(({ quote }) => quote);
    expect(quotes).toEqual(["The lantern of team:south."]);
  });
});
