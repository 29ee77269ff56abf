import { searchVectors, searchWords } from "../support/search-legs.ts";
import { systemAuthority } from "../../src/access/gate.ts";
import type { EmbeddingVersion } from "../../src/contracts/embedding.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";
import { collect, equal, throwsCode } from "../../src/testing/assert.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { ContractCase } from "../../src/testing/contract-case.ts";
import { withStore } from "../../src/testing/store-case.ts";
import type { StoreCase } from "../../src/testing/store-case.ts";
import {
  deployment,
  entryOf,
  forgedProofs,
  from,
  into,
  north,
  plane,
  versionOf,
  wordsOf,
  writeChunks,
} from "../../src/testing/store-fixtures.ts";
import type { StoreSubject } from "../../src/testing/store-fixtures.ts";
import { idsOf } from "./vector-queries.ts";

/** A store that does everything, and keeps the vectors of two models side by side. */
export type TwoModelStore = Store;

/** Contract of every {@link VersionSwitch} beside the knowledge store's pack. */
export function createVersionedStorePack(subject: StoreSubject): readonly ContractCase[] {
  return defineCases("versioned-store", withStore(subject, cases));
}

const next: EmbeddingVersion = versionOf(3, "next");

async function fill(store: TwoModelStore, scope: Scope = deployment): Promise<void> {
  for (const [id, x] of [
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ] as const) {
    await writeChunks(store, into(scope), [entryOf(id, [x, 1], { text: `text of ${id}` })]);
  }
}

const vectorFor = (id: string, embedding: readonly number[] = [0, 1, 2]) => ({
  chunkId: id,
  text: `text of ${id}`,
  embedding,
});

async function lacking(store: TwoModelStore, scope: Scope = deployment): Promise<string> {
  return (await collect(store.versions!.lacking(into(scope), next))).map(({ id }) => id).join(" ");
}

/** Current, next and previous model of a scope. */
async function models(store: TwoModelStore, scope: Scope = deployment): Promise<unknown> {
  const [one] = await store.versions!.versions(from(scope));
  return [one?.current?.model, one?.next?.model, one?.previous?.model];
}

async function found(store: TwoModelStore, version: EmbeddingVersion): Promise<string> {
  const embedding = version === next ? [0, 1, 2] : [1, 1];
  return idsOf(await searchVectors(store, from(deployment), { embedding, version, topK: "all" }));
}

const cases: readonly StoreCase[] = [
  [
    "both-side-by-side",
    "T37 T44 L6",
    async (store) => {
      await fill(store);
      const oldHits = await found(store, plane);
      equal(await lacking(store), "a b c", "what lacks the new version");
      equal(
        await store.versions!.addVectors(into(deployment), next, [vectorFor("b"), vectorFor("c", [0, 1, 1])]),
        2,
        "taken",
      );
      equal(await lacking(store), "a", "what lacks it then");
      equal(await found(store, plane), oldHits, "what the old version finds");
      equal(await found(store, next), "b c", "what the new version finds");
      const listed = await collect(store.chunks(from(deployment), { ids: ["b"], includeEmbeddings: true }));
      equal(
        listed[0]?.embeddings?.map(({ version }) => version.model).toSorted(),
        ["fixed", "next"],
        "versions of one chunk",
      );
      equal(
        (await searchWords(store, from(deployment), { text: "b", topK: "all" })).matches.map(({ chunk }) => chunk.id),
        ["b"],
        "the chunk by its words",
      );
    },
  ],
  [
    "only-for-what-was-embedded",
    "T44",
    async (store) => {
      await fill(store);
      await writeChunks(store, into(deployment), [entryOf("a", [5, 1], { text: "another text" })]);
      await store.delete(into(deployment), { ids: ["b"] });
      const vectors = [vectorFor("a"), vectorFor("b"), vectorFor("c"), vectorFor("never")];
      equal(await store.versions!.addVectors(into(deployment), next, vectors), 1, "vectors taken");
      equal(await found(store, next), "c", "what the new version finds");
      equal(await store.versions!.addVectors(into(deployment), next, vectors), 0, "taken the second time");
      equal(await lacking(store), "a", "what lacks it");
      equal((await store.status(from(deployment))).chunks, 2, "live chunks");
    },
  ],
  [
    "changes-over-when-nothing-lacks",
    "T3 T44 L6",
    async (store) => {
      await fill(store);
      equal(await models(store), ["fixed", undefined, undefined], "at first");
      await store.versions!.addVectors(into(deployment), next, [vectorFor("a"), vectorFor("b")]);
      equal(await models(store), ["fixed", "next", undefined], "on the way");
      equal(await store.versions!.changeVersion(into(deployment), next), { changed: false, lacking: 1 }, "too early");
      equal(await models(store), ["fixed", "next", undefined], "after that");
      await store.versions!.addVectors(into(deployment), next, [vectorFor("c")]);
      equal(await models(store), ["fixed", "next", undefined], "with all of both");
      equal(await store.versions!.changeVersion(into(deployment), next), { changed: true, lacking: 0 }, "in time");
      equal(await models(store), ["next", undefined, "fixed"], "at the end");
      await writeChunks(store, into(deployment), [wordsOf("d", "text of d")]);
      equal(
        await store.versions!.changeVersion(into(deployment), plane),
        { changed: false, lacking: 1 },
        "back, with a lack",
      );
      equal(
        await store.versions!.changeVersion(into(deployment), plane, { partial: true }),
        { changed: true, lacking: 1 },
        "back all the same",
      );
      equal(await models(store), ["fixed", undefined, "next"], "after the rollback");
    },
  ],
  [
    "scopes-apart",
    "T3 L3",
    async (store) => {
      await fill(store);
      await fill(store, north);
      await store.versions!.addVectors(into(north), next, [vectorFor("a"), vectorFor("b"), vectorFor("c")]);
      await store.versions!.changeVersion(into(north), next);
      equal(await models(store), ["fixed", undefined, undefined], "the other scope's versions");
      equal(await lacking(store), "a b c", "what the other scope lacks");
      equal(await models(store, north), ["next", undefined, "fixed"], "its own");
      await store.delete(into(north), { scope: true });
      await fill(store, north);
      equal(await models(store, north), ["fixed", undefined, undefined], "of a scope that was wiped and came again");
    },
  ],
  [
    "old-vectors-until-a-vacuum",
    "T44 L8",
    async (store) => {
      await fill(store);
      await store.versions!.addVectors(into(deployment), next, [vectorFor("a"), vectorFor("b"), vectorFor("c")]);
      await store.trash!.vacuum(systemAuthority(), { olderThanMs: 0 });
      equal(await found(store, plane), "a b c", "the current version after a vacuum");
      await store.versions!.changeVersion(into(deployment), next);
      await store.trash!.vacuum(systemAuthority(), { olderThanMs: 3_600_000 });
      equal((await found(store, plane)).length, 5, "the old version, not yet old enough");
      await writeChunks(store, into(deployment), [entryOf("d", [9, 1], { text: "text of d" })]);
      await store.trash!.vacuum(systemAuthority(), { olderThanMs: 0 });
      equal((await found(store, plane)).length, 7, "the old version, while a chunk has nothing else");
      await store.versions!.addVectors(into(deployment), next, [vectorFor("d")]);
      await store.trash!.vacuum(systemAuthority(), { olderThanMs: 0 });
      equal(await found(store, plane), "", "the old version after a vacuum");
      equal((await found(store, next)).length, 7, "the current version after it");
      equal(await models(store), ["next", undefined, undefined], "versions after it");
    },
  ],
  [
    "refuses-what-does-not-fit",
    "L3 L6",
    async (store) => {
      await fill(store);
      const wrong = [vectorFor("a"), vectorFor("b", [1, 2])];
      await throwsCode(
        () => store.versions!.addVectors(into(deployment), next, wrong),
        "dimension-mismatch",
        "two for three",
      );
      equal(await lacking(store), "a b c", "nothing of it stored");
      for (const [i, proof] of forgedProofs("write").entries()) {
        const forged = proof as AuthorizedScopes<"write">;
        await throwsCode(
          () => store.versions!.addVectors(forged, next, []),
          "access-denied",
          `addVectors with forgery ${i}`,
        );
        await throwsCode(
          () => store.versions!.changeVersion(forged, next),
          "access-denied",
          `changeVersion with forgery ${i}`,
        );
        await throwsCode(
          () => collect(store.versions!.lacking(forged, next)),
          "access-denied",
          `lacking with forgery ${i}`,
        );
      }
      await store.close();
      await throwsCode(() => store.versions!.versions(from(deployment)), "store-closed", "versions after close");
    },
  ],
];
