import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { composeStore } from "../../../src/stores/compose/compose-store.ts";
import { createSegmentStore, prepareDirectory } from "../../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../../src/stores/segments/store-options.ts";
import { openConnection } from "../../../src/stores/sqlite/open-connection.ts";
import type { SqliteConnection } from "../../../src/stores/sqlite/sqlite-connection.ts";
import { createSqliteDirectory } from "../../../src/stores/sqlite/sqlite-directory.ts";
import { toStoreError } from "../../../src/stores/sqlite/sqlite-errors.ts";
import { mountSmallDisk } from "../../support/small-disk.ts";

const textOf = (i: number, sentences = 60): string =>
  Array.from({ length: sentences }, (_, at) => `Line ${at} says quetzal${i}coatl and secret${i}.`).join(" ");

/** What SQLite throws when there is no room. */
const full = (): unknown =>
  toStoreError(Object.assign(new Error("database or disk is full"), { errcode: 13 }), "ibid.sqlite");

/** A connection whose next transactions, or scrubs, find no room. */
function withQuota(connection: SqliteConnection) {
  const left = { writes: 0, scrubs: 0 };
  const limited: SqliteConnection = {
    ...connection,
    async transaction(begin, work, undone) {
      if (begin === "BEGIN" || left.writes === 0) return connection.transaction(begin, work, undone);
      left.writes--;
      const isUndone = connection.transaction(begin, () => {
        work();
        throw new Error("full");
      });
      await isUndone.catch(() => undone?.());
      throw full();
    },
    get inTransaction() {
      return connection.inTransaction;
    },
    get turn() {
      return connection.turn;
    },
    scrub() {
      if (left.scrubs === 0) return connection.scrub();
      left.scrubs--;
      throw full();
    },
  };
  return { limited, left };
}

async function openLimited() {
  const folder = await mkdtemp(join(tmpdir(), "ibid-quota-"));
  const path = join(folder, "ibid.sqlite");
  const connection = await openConnection(path, { busyTimeoutMs: 1000 });
  const { limited, left } = withQuota(connection);
  const directory = createSqliteDirectory(limited, path);
  const decided = decideStoreOptions({});
  const secret = await prepareDirectory(directory, decided);
  const parts = createSegmentStore(directory, { ...decided, secret, embeddings: ["dense", "sparse", "hybrid"] });
  const kb = await openKnowledgeBase({ store: composeStore(parts) });
  onTestFinished(async () => {
    await kb.close();
    await rm(folder, { recursive: true });
  });
  for (const i of [1, 2]) await kb.ingest({ uri: `${i}.md`, text: textOf(i) }, { settle: true });
  return { kb, left, reserve: `${path}-reserve` };
}

const purge = { purge: true } as const;

const probe = mountSmallDisk(1);
probe?.remove();
const mayMount = probe !== undefined;

describe("a purge on a full disk [L8]", () => {
  it("uses the room that is kept for it, and keeps it again", async () => {
    const { kb, left, reserve } = await openLimited();
    expect(existsSync(reserve)).toBe(true);
    left.writes = 1;
    expect(await kb.delete("1.md", purge)).toMatchObject([{ uri: "1.md" }]);
    expect(await kb.document("1.md")).toBeUndefined();
    expect(existsSync(reserve)).toBe(true);
    expect((await kb.doctor({ absent: ["quetzal1coatl"] })).findings).toEqual([]);
  });

  it("hides where the reserve does not suffice, and says that nothing was purged", async () => {
    const { kb, left } = await openLimited();
    left.writes = 2;
    await expect(kb.delete("1.md", purge)).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringContaining("Nothing was purged; the documents are hidden"),
      details: { isFull: true, isHidden: true },
    });
    expect(await kb.document("1.md")).toBeUndefined();
    expect(await kb.search("secret1", { mode: "lexical" })).toHaveLength(0);
    // With room, the same call purges it.
    expect(await kb.delete("1.md", purge)).toMatchObject([{ uri: "1.md" }]);
    expect(await kb.restore("1.md")).toEqual([]);
  });

  it("says that nothing was purged where not even that can be written", async () => {
    const { kb, left } = await openLimited();
    left.writes = 3;
    await expect(kb.delete("1.md", purge)).rejects.toMatchObject({
      message: expect.stringContaining("Nothing was purged, and the documents can still be found"),
      details: { isFull: true, isHidden: false },
    });
    left.writes = 2;
    await expect(kb.reset("deployment")).rejects.toMatchObject({ details: { isHidden: false } });
    left.writes = 0;
    expect((await kb.document("1.md"))?.text).toContain("secret1");
  });

  it("is pending where the rest of it finds no room, and is finished later", async () => {
    const { kb, left } = await openLimited();
    left.scrubs = Infinity;
    expect(await kb.delete("1.md", purge)).toMatchObject([{ uri: "1.md", pending: true }]);
    expect(await kb.search("secret1", { mode: "lexical" })).toHaveLength(0);
    left.scrubs = 0;
    expect(await kb.vacuum({ olderThanMs: 0 })).toEqual({ chunks: 0 });
    expect((await kb.doctor({ absent: ["quetzal1coatl"] })).findings).toEqual([]);
  });

  // A machine on which tests may not mount has the quota above.
  it.runIf(mayMount)("hides at once on a file system without a byte left, and closes", async () => {
    const disk = mountSmallDisk(8)!;
    onTestFinished(() => disk.remove());
    const place = join(disk.folder, ".ibid");
    for (const [round, isReopened] of [false, true, true].entries()) {
      const ids = [2 * round, 2 * round + 1];
      let kb = await openKnowledgeBase(place);
      for (const i of ids) await kb.ingest({ uri: `${i}.md`, text: textOf(i, 40 + 80 * round) }, { settle: true });
      if (isReopened) await kb.close();
      disk.fill();
      // The log and its index need room too.
      if (isReopened) kb = await openKnowledgeBase(place);
      for (const i of ids) {
        expect(await kb.delete(`${i}.md`, purge)).toMatchObject([{ uri: `${i}.md` }]);
        expect(await kb.document(`${i}.md`)).toBeUndefined();
        expect(await kb.search(`secret${i}`, { mode: "lexical" })).toHaveLength(0);
      }
      await kb.close();
      disk.clear();
      kb = await openKnowledgeBase(place);
      expect((await kb.doctor({ absent: ids.map((i) => `quetzal${i}coatl`) })).findings).toEqual([]);
      await kb.close();
    }
  });
});
