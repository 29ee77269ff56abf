import { searchWords } from "../../support/search-legs.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openConnection } from "../../../src/stores/sqlite/open-connection.ts";
import type { SqliteConnection } from "../../../src/stores/sqlite/sqlite-connection.ts";
import { createSqliteDirectory } from "../../../src/stores/sqlite/sqlite-directory.ts";
import { composeStore } from "../../../src/stores/compose/compose-store.ts";
import { createSegmentStore, prepareDirectory } from "../../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../../src/stores/segments/store-options.ts";
import { from, into, north, wordsOf, writeChunks } from "../../../src/testing/store-fixtures.ts";

it("what writes that share a commit have shown one another is forgotten when the commit fails [L6 L8]", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ibid-undone-"));
  const connection = await openConnection(join(folder, "ibid.sqlite"), { busyTimeoutMs: 1_000 });
  let fails = false;
  const failing: SqliteConnection = {
    ...connection,
    transaction: (begin, work, undone) =>
      connection.transaction(
        begin,
        () => {
          const result = work();
          if (fails && begin === "BEGIN IMMEDIATE") throw new Error("the disk is gone");
          return result;
        },
        undone,
      ),
    get inTransaction() {
      return connection.inTransaction;
    },
  };
  const directory = createSqliteDirectory(failing);
  const decided = decideStoreOptions({});
  const secret = await prepareDirectory(directory, decided);
  const store = composeStore(createSegmentStore(directory, { ...decided, secret, embeddings: ["dense"] }), {
    name: "It",
  });
  const words = async (): Promise<readonly string[]> => {
    const { matches } = await searchWords(store, from(north), { text: "ash oak elm", topK: "all" });
    return matches.map((match) => match.chunk.text).toSorted();
  };
  const add = (...texts: string[]) =>
    Promise.allSettled(texts.map((text) => writeChunks(store, into(north), [wordsOf(text, text)])));

  await add("ash");
  fails = true;
  expect((await add("oak", "elm")).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  fails = false;
  expect(await words()).toEqual(["ash"]);
  // The next writes get the stamps and keys of those that were undone.
  expect((await add("yew", "elm")).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  expect(await words()).toEqual(["ash", "elm"]);
  await store.close();
  await rm(folder, { recursive: true });
});

it("what another process writes under the keys of an undone write is its own [L6 L8]", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ibid-undone-"));
  const open = async () =>
    createSqliteDirectory(await openConnection(join(folder, "ibid.sqlite"), { busyTimeoutMs: 1_000 }));
  const [ours, theirs] = [await open(), await open()];
  const scope = await ours.write((rows) => rows.addScope("deployment", 1));
  const row = (id: string) => ({ key: 1, id, stamp: 2, live: true, terms: Uint8Array.of(1), vectors: Uint8Array.of() });
  const refused = ours.write((rows) => {
    rows.addPending(scope, row("ours"));
    throw new Error("the disk is gone");
  });
  await expect(refused).rejects.toThrow("the disk is gone");
  await theirs.write((rows) => rows.addPending(scope, row("theirs")));
  expect(await ours.read((rows) => rows.pendingAfter(scope, 0).map(({ id }) => id))).toEqual(["theirs"]);
  for (const directory of [ours, theirs]) await directory.close();
  await rm(folder, { recursive: true });
});

it("a text that a refused write took out of a shared block is there as before [L6 L8]", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ibid-undone-"));
  const directory = createSqliteDirectory(await openConnection(join(folder, "ibid.sqlite"), { busyTimeoutMs: 1_000 }));
  const scope = await directory.write((rows) => rows.addScope("deployment", 1));
  const add = (id: string, text: string): Promise<number> =>
    directory.write((rows) => rows.addDocument(bareRow(scope, id), { text, structure: "{}" }));
  const first = await add("first", "The heron waits.");
  // All share a commit, and thereby the block.
  const second = add("second", "The crane dances.");
  const refused = directory.write((rows) => {
    rows.deleteDocument(first);
    rows.addDocument(bareRow(scope, "third"), { text: "A text in the place of theirs.", structure: "{}" });
    throw new Error("refused");
  });
  const fourth = add("fourth", "The egret fishes.");
  await expect(refused).rejects.toThrow("refused");
  const keys = [first, await second, await fourth];
  expect(await directory.read((rows) => keys.map((key) => rows.documentText(key)))).toEqual([
    "The heron waits.",
    "The crane dances.",
    "The egret fishes.",
  ]);
  await directory.close();
  await rm(folder, { recursive: true });
});

const bareRow = (scope: number, id: string) => ({
  scope,
  id,
  uri: id,
  title: id,
  mediaType: "text/plain",
  origin: "user-content" as const,
  contentHash: id,
  metadataHash: "",
  fingerprint: "",
  bytes: 0,
  folder: null,
  ingestedAt: "2026-01-01T00:00:00.000Z",
  checkedAt: null,
  etag: null,
  lastModified: null,
  deletedAt: null,
  readers: null,
  validFrom: null,
  validTo: null,
  supersedes: null,
});
