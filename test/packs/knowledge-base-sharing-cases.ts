import type { KnowledgeBase, TextInput } from "../../src/contracts/knowledge-base.ts";
import type { AccessContext, Scope, ScopeStrategy } from "../../src/contracts/scope.ts";
import { check, collect, equal, throwsCode } from "../../src/testing/assert.ts";
import type { KnowledgeBaseCase } from "./knowledge-base-case.ts";
import { chunkOf } from "../../src/testing/store-fixtures.ts";

const northerner: AccessContext = { userId: "nils", teamId: "north" };
const southerner: AccessContext = { teamId: "south" };
const everyone: AccessContext = {};

/** The same words in every scope, so that only the gate can tell them apart. */
const scopes: readonly Scope[] = ["platform", "deployment", "team:north", "team:south", "user:nils", "user:ada"];

function textsOf(scope: Scope): readonly TextInput[] {
  return [
    { uri: "shared.txt", text: `The lantern of ${scope} is lit.`, metadata: { kind: "shared" } },
    { uri: `only-${scope.replace(":", "-")}.txt`, text: `Another lantern of ${scope}.`, metadata: { kind: "own" } },
  ];
}

async function fill(kb: KnowledgeBase): Promise<void> {
  for (const scope of scopes) await kb.ingest(textsOf(scope), { scope });
}

/** Every scope of which a caller sees anything, by any verb. */
async function seen(kb: KnowledgeBase): Promise<readonly Scope[]> {
  const found = new Set<Scope>();
  for (const mode of ["hybrid", "dense", "lexical", "regex"] as const) {
    for (const { scope } of await kb.search("lantern", { mode, topK: "all" })) found.add(scope);
  }
  for (const { scope } of await collect(kb.list())) found.add(scope);
  for (const { scope } of (await kb.status()).scopes) found.add(scope);
  for (const hit of (await kb.ask("Which lantern is lit?", { topK: "all" })).hits) found.add(hit.scope);
  return [...found].toSorted();
}

/** What a knowledge base promises about who may read and write what. */
export const sharingCases: readonly KnowledgeBaseCase[] = [
  [
    "everybody-sees-their-own",
    "T8 T21 T24 T25 T26 T27 L3",
    async (open) => {
      const kb = await open();
      await fill(kb);
      equal(await seen(kb), scopes.toSorted(), "what the operator sees");
      equal(
        await seen(kb.as(northerner)),
        ["deployment", "team:north", "user:nils"],
        "what a member of the north sees",
      );
      equal(await seen(kb.as(southerner)), ["deployment", "team:south"], "what the south sees");
      equal(await seen(kb.as(everyone)), ["deployment"], "what somebody unknown sees");
      const enabled = await open({ access: { platform: true, deployment: false } });
      await fill(enabled);
      equal(
        await seen(enabled.as(southerner)),
        ["platform", "team:south"],
        "with the platform and without the deployment",
      );
      equal(await seen(enabled.as(everyone)), [], "the same for somebody unknown");
    },
  ],
  [
    "several-teams-and-strategies",
    "T8 T27 T49 L3",
    async (open) => {
      const kb = await open({ access: { platform: true } });
      await fill(kb);
      const member = kb.as({ userId: "nils", teamId: "north", teams: ["north", "south"] });
      const all = ["deployment", "platform", "team:north", "team:south", "user:nils"];
      equal(await seen(member), all, "what a member of two teams sees");
      const look = async (strategy?: ScopeStrategy): Promise<readonly Scope[]> => {
        const hits = await member.search("lantern", { topK: "all", ...(strategy && { strategy }) });
        return [...new Set(hits.map(({ scope }) => scope))].toSorted();
      };
      equal(await look(), all, "without a strategy");
      equal(await look("active-team"), ["team:north"], "the active team's");
      equal(await look("active-team-plus-user"), ["team:north", "user:nils"], "and the user's");
      equal(await look("active-team-plus-platform"), ["platform", "team:north"], "and the platform's");
      equal(await look(() => ["user:ada", "team:south"]), ["team:south"], "what a strategy of one's own may name");
      const view = kb.as({ userId: "nils", teamId: "north" }, { strategy: "active-team" });
      const { hits } = await view.ask("Which lantern is lit?", { topK: "all" });
      equal([...new Set(hits.map(({ scope }) => scope))], ["team:north"], "where a view's questions look");
      equal((await collect(view.list())).length, 8, "what the same view lists");
      await throwsCode(
        () => kb.as({ teamId: "west", teams: ["north"] }),
        "invalid-argument",
        "a team that is not theirs",
      );
    },
  ],
  [
    "the-unreadable-does-not-exist",
    "T25 T26 L3",
    async (open) => {
      const kb = await open();
      await fill(kb);
      const south = kb.as(southerner);
      equal(await south.document("only-team-north.txt"), undefined, "a document of another team");
      equal(await south.document("only-user-ada.txt"), undefined, "a document of a user");
      equal(await south.delete("only-team-north.txt"), [], "a delete of what is not theirs");
      check((await kb.document("only-team-north.txt")) !== undefined, "the document is still there");
      equal(await south.document("shared.txt", { scope: "team:north" }), undefined, "a document, named with its scope");
      equal((await south.document("shared.txt", { scope: "team:south" }))?.scope, "team:south", "their own");
      const foreign = [...(await kb.search("lantern", { topK: "all", filter: { kind: "own" } }))];
      check(
        foreign.some(({ scope }) => scope === "team:north"),
        "the operator finds it",
      );
    },
  ],
  [
    "the-hidden-moves-no-score",
    "T26 L3 L11",
    async (open) => {
      const kb = await open();
      await kb.ingest(textsOf("team:south"), { scope: "team:south" });
      await kb.ingest(textsOf("deployment"));
      const south = kb.as(southerner);
      const look = async (): Promise<unknown> => {
        const hits = [];
        for (const mode of ["hybrid", "dense", "lexical"] as const) {
          for (const hit of await south.search("lantern lit", { mode, topK: "all" }))
            hits.push([mode, hit.score, hit.chunkId]);
        }
        return hits;
      };
      const before = await look();
      for (let i = 0; i < 25; i++) {
        await kb.ingest({ uri: `n${i}.txt`, text: `lantern lit lantern ${i}` }, { scope: "team:north" });
      }
      equal(await look(), before, "hits and scores of the south after the north wrote");
    },
  ],
  [
    "writing-is-gated-too",
    "T8 L3",
    async (open) => {
      const kb = await open();
      await kb.ingest(textsOf("deployment"));
      const [north, nobody] = [kb.as(northerner), kb.as(everyone)];
      for (const scope of ["deployment", "platform", "team:south", "user:ada"] as const) {
        await throwsCode(
          () => north.ingest(textsOf(scope), { scope }),
          "access-denied",
          `a northerner writes to ${scope}`,
        );
      }
      await throwsCode(() => nobody.ingest(textsOf("deployment")), "access-denied", "somebody unknown writes");
      equal(
        (await collect(north.ingest({ uri: "n.txt", text: "ours" })))[0]?.scope,
        "team:north",
        "where a northerner writes",
      );
      equal(
        (await collect(north.ingest({ uri: "m.txt", text: "mine" }, { scope: "user:nils" })))[0]?.scope,
        "user:nils",
        "and may write",
      );
      await throwsCode(
        () => north.ingest([chunkOf("c", { text: "x" })], { scope: "team:south" }),
        "access-denied",
        "chunks of one's own",
      );
      await throwsCode(
        () => north.delete("shared.txt"),
        "access-denied",
        "a delete of what can be read and not written",
      );
      check((await kb.document("shared.txt")) !== undefined, "the document is still there");
      await throwsCode(() => north.as(southerner), "access-denied", "a northerner turns into a southerner");
    },
  ],
  [
    "ambiguous-uris-are-said-to-be",
    "T26 E20",
    async (open) => {
      const kb = await open();
      await fill(kb);
      const error = await throwsCode(() => kb.document("shared.txt"), "ambiguous", "a uri of six scopes");
      equal([...(error.details["scopes"] as Iterable<Scope>)].toSorted(), scopes.toSorted(), "details.scopes");
      await throwsCode(() => kb.delete("shared.txt"), "ambiguous", "a delete of a uri of six scopes");
      equal(
        (await kb.delete("shared.txt", { scope: "platform" })).map(({ uri, scope, chunks }) => [uri, scope, chunks]),
        [["shared.txt", "platform", 1]],
        "what was deleted",
      );
      equal((await kb.document("shared.txt", { scope: "user:ada" }))?.scope, "user:ada", "another scope's");
      equal(await kb.delete("never.txt"), [], "a delete of what is not there");
      await throwsCode(
        () => kb.delete("never.txt", { onMissing: "error" }),
        "not-found",
        "the same with onMissing: error",
      );
    },
  ],
  [
    "deleted-at-once",
    "B35 T13 L8",
    async (open) => {
      const kb = await open();
      await fill(kb);
      const before = await kb.status();
      const deleted = await kb.delete({ filter: { kind: "own" } }, { scope: "team:north" });
      equal(
        deleted.map(({ uri, scope }) => [uri, scope]),
        [["only-team-north.txt", "team:north"]],
        "documents deleted by a filter",
      );
      equal(await kb.document("only-team-north.txt"), undefined, "the document");
      check(
        (await kb.search("lantern", { topK: "all" })).every(({ source }) => source.uri !== "only-team-north.txt"),
        "hits in it",
      );
      const after = await kb.status();
      equal([after.documents, after.chunks], [before.documents - 1, before.chunks - 1], "documents and chunks");
    },
  ],
  [
    "status-and-list",
    "E21 T37 T38",
    async (open) => {
      const kb = await open();
      equal(await collect(kb.list()), [], "an empty list");
      await fill(kb);
      const status = await kb.status();
      equal(
        [status.documents, status.chunks, status.scopes.map(({ scope }) => scope)],
        [12, 12, scopes.toSorted()],
        "status",
      );
      const { cacheHitRate = -1 } = status;
      check(cacheHitRate >= 0 && cacheHitRate <= 1 && status.bytes > 0, "rate and bytes", status);
      check(!("cacheHitRate" in (await kb.as(southerner).status())), "the rate is for the operator alone");
      const keys = (await collect(kb.list())).map(({ uri, scope }) => `${uri} ${scope}`);
      equal(keys, keys.toSorted(), "the list is by uri, then scope");
      equal((await kb.as(southerner).status()).documents, 4, "documents that the south may read");
    },
  ],
  [
    "closed-is-closed",
    "L8",
    async (open) => {
      const kb = await open();
      await fill(kb);
      const ada = kb.as({ userId: "ada" });
      await kb[Symbol.asyncDispose]();
      const uses: Readonly<Record<string, () => unknown>> = {
        ingest: () => kb.ingest({ uri: "x.txt", text: "late" }),
        search: () => kb.search("lantern"),
        ask: () => kb.ask("lantern?"),
        list: () => collect(kb.list()),
        document: () => kb.document("shared.txt", { scope: "platform" }),
        outline: () => kb.outline("shared.txt", { scope: "platform" }),
        section: () => kb.section("shared.txt", "0", { scope: "platform" }),
        expand: () => kb.expand("never", { neighbours: 1 }),
        delete: () => kb.delete("shared.txt", { scope: "platform" }),
        status: () => kb.status(),
        reembed: () => kb.reembed(),
        "somebody's search": () => ada.search("lantern"),
      };
      for (const [name, use] of Object.entries(uses)) await throwsCode(use, "store-closed", `${name} after close`);
    },
  ],
];
