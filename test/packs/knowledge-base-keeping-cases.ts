import { collect, equal, throwsCode } from "../../src/testing/assert.ts";
import type { KnowledgeBaseCase } from "./knowledge-base-case.ts";

const lamp = { uri: "lamp.txt", text: "The lamp is lit at dusk." };
const rope = { uri: "rope.txt", text: "The rope is coiled at dawn." };

/** What a knowledge base promises about what is deleted, and about looking after itself. */
export const keepingCases: readonly KnowledgeBaseCase[] = [
  [
    "deleted-until-vacuumed",
    "T13 T14 L8",
    async (open) => {
      const kb = await open();
      await kb.ingest([lamp, rope]);
      const uris = async (): Promise<readonly string[]> => (await collect(kb.list())).map(({ uri }) => uri);
      await kb.delete("lamp.txt");
      equal(await uris(), ["rope.txt"], "what is there after a delete");
      const restored = await kb.restore("lamp.txt");
      equal(
        restored.map(({ uri, chunks }) => [uri, chunks]),
        [["lamp.txt", 1]],
        "what came back",
      );
      equal(
        (await kb.search("lamp dusk", { mode: "lexical" })).map(({ text }) => text),
        [lamp.text],
        "what is found again",
      );
      equal(await kb.restore("lamp.txt"), [], "what comes back of what is not deleted");
      await kb.delete("lamp.txt");
      equal((await kb.vacuum({ olderThanMs: 60_000 })).chunks, 0, "what a vacuum takes that keeps a minute");
      equal((await kb.vacuum({ olderThanMs: 0 })).chunks, 1, "what one takes that keeps nothing");
      equal(await kb.restore("lamp.txt"), [], "what comes back after that");
      await kb.delete("rope.txt");
      equal((await kb.delete("rope.txt", { purge: true })).length, 1, "what of a deleted document can be purged");
      equal(await kb.restore("rope.txt"), [], "what comes back after a purge");
      equal((await kb.doctor()).findings, [], "what the doctor finds");
    },
  ],
  [
    "a-scope-of-deleted-documents-alone-is-not-forgotten",
    "T13 L8",
    async (open) => {
      const kb = await open();
      for (const scope of ["team:a", "user:ada"] as const) await kb.ingest({ ...lamp, uri: scope }, { scope });
      await kb.delete("team:a");
      await kb.delete("user:ada");
      const deleted = async (of: typeof kb) => (await collect(of.deleted())).map(({ uri }) => uri);
      equal(await deleted(kb), ["team:a", "user:ada"], "what the operator can restore");
      equal(await deleted(kb.as({ userId: "ada" })), ["user:ada"], "what a caller can");
      equal(await deleted(kb.as({ userId: "bob" })), [], "what a stranger can");
      equal((await kb.restore("team:a")).length, 1, "what comes back without its scope");
      equal((await kb.delete("user:ada", { purge: true })).length, 1, "what is purged without its scope");
      equal(await deleted(kb), [], "what is left");
    },
  ],
  [
    "a-reset-is-for-good",
    "T15 L8",
    async (open) => {
      const kb = await open();
      await kb.ingest(lamp, { scope: "team:north" });
      await kb.ingest(rope, { scope: "team:north" });
      await kb.ingest(lamp);
      await kb.delete("rope.txt", { scope: "team:north" });
      equal((await kb.reset("team:north")).chunks, 1, "live chunks that went");
      equal(await kb.restore("rope.txt", { scope: "team:north" }), [], "what comes back");
      equal(
        (await kb.search("lamp rope", { topK: "all" })).map(({ scope }) => scope),
        ["deployment"],
        "where anything is found",
      );
      equal(
        (await kb.status()).scopes.map(({ scope }) => scope),
        ["deployment"],
        "scopes that hold something",
      );
    },
  ],
  [
    "chunks-are-listed",
    "T5 L3",
    async (open) => {
      const kb = await open();
      await kb.ingest([lamp, rope]);
      await kb.ingest(lamp, { scope: "team:north" });
      const listed = async (...given: Parameters<typeof kb.chunks>): Promise<readonly string[]> =>
        (await collect(kb.chunks(...given))).map(({ scope, chunk }) => `${scope} ${chunk.uri}`).toSorted();
      equal(await listed(), ["deployment lamp.txt", "deployment rope.txt", "team:north lamp.txt"], "every chunk");
      equal(await listed({ uri: "rope.txt" }), ["deployment rope.txt"], "those of one document");
      equal(await listed({ uri: "lamp.txt", scope: "team:north" }), ["team:north lamp.txt"], "those of one scope");
      await throwsCode(() => listed({ uri: "lamp.txt" }), "ambiguous", "a uri in two scopes");
      const south = await collect(kb.as({ teamId: "south" }).chunks());
      equal(
        south.map(({ scope }) => scope),
        ["deployment", "deployment"],
        "what another team lists",
      );
    },
  ],
  [
    "maintenance-is-the-operators",
    "T26 L3",
    async (open) => {
      const kb = await open();
      await kb.ingest(lamp);
      await kb.ingest(rope, { scope: "team:north" });
      await kb.delete("lamp.txt");
      await kb.delete("rope.txt");
      const south = kb.as({ teamId: "south" });
      await throwsCode(() => south.vacuum({ olderThanMs: 0 }), "access-denied", "a vacuum");
      await throwsCode(() => south.doctor(), "access-denied", "an examination");
      await throwsCode(() => south.reset("deployment"), "access-denied", "emptying everybody's scope");
      await throwsCode(() => south.reset("team:north"), "access-denied", "emptying another team's scope");
      equal(await south.restore("lamp.txt"), [], "restoring what may only be read");
      equal(await south.restore("rope.txt"), [], "restoring what may not be read");
      equal((await kb.restore("lamp.txt")).length, 1, "what is still there for the operator");
    },
  ],
];
