import fs, { mkdtempSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Store } from "../../../src/contracts/store.ts";
import { openConnection } from "../../../src/stores/sqlite/open-connection.ts";
import { createSqliteDirectory } from "../../../src/stores/sqlite/sqlite-directory.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { documentEntry, plainAnalyzer, read, write } from "../build.ts";

type Sync = typeof fs.fdatasync;

/** Puts another function in the place of Node's while a test runs. */
function replaceSync(sync: (done: (error: Error | null) => void, real: () => void) => void): void {
  const before = fs.fdatasync;
  const replaced = (handle: number, done: fs.NoParamCallback): void => sync(done, () => before(handle, done));
  fs.fdatasync = replaced as Sync;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.fdatasync = before;
    syncBuiltinESMExports();
  });
}

async function open(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "ibid-log-sync-"));
  const store = await openSqliteStore(join(folder, "ibid.sqlite"), { analyzer: plainAnalyzer });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
}

const put = (store: Store, id: string): Promise<unknown> => store.replace(write("deployment"), documentEntry(id, [id]));

describe("a write in a file", () => {
  it("is acknowledged when it is on the disk, and the event loop does not wait for it", async () => {
    const store = await open();
    const held: (() => void)[] = [];
    replaceSync((_, real) => void held.push(real));
    const seen: string[] = [];
    const first = put(store, "first").then(() => seen.push("first"));
    while (held.length === 0) await wait(1);
    // The next commit waits for nobody, and a search sees both.
    const second = put(store, "second").then(() => seen.push("second"));
    while ((await store.status(read("deployment"))).documents < 2) await wait(1);
    await wait(20);
    expect(seen).toEqual([]);
    // The second commit came after the first wait began, so that another wait is for it.
    expect(held).toHaveLength(1);
    held[0]!();
    await first;
    while (held.length < 2) await wait(1);
    expect(seen).toEqual(["first"]);
    held[1]!();
    await second;
  });

  it("shares its wait with all that were committed before the wait began", async () => {
    const store = await open();
    const held: (() => void)[] = [];
    let syncs = 0;
    replaceSync((_, real) => {
      syncs++;
      held.push(real);
    });
    const first = put(store, "0");
    while (held.length === 0) await wait(1);
    const writes: Promise<unknown>[] = [];
    for (let i = 1; i <= 4; i++) {
      writes.push(put(store, String(i)));
      while ((await store.status(read("deployment"))).documents <= i) await wait(1);
    }
    // All five are committed. The wait that is under way is for the first, and the next one for the others.
    expect(syncs).toBe(1);
    const all = Promise.all([first, ...writes]);
    held.shift()!();
    while (held.length === 0) await wait(1);
    held.shift()!();
    await all;
    expect(syncs).toBe(2);
  });

  it("does not wait where it changes nothing that was acknowledged", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-log-sync-"));
    const path = join(folder, "ibid.sqlite");
    const directory = createSqliteDirectory(await openConnection(path, { busyTimeoutMs: 1000 }), path);
    onTestFinished(async () => {
      await directory.close();
      rmSync(folder, { recursive: true });
    });
    await directory.write((rows) => rows.setSetting("first", "1"));
    const held: (() => void)[] = [];
    replaceSync((_, real) => void held.push(real));
    const seen: string[] = [];
    await directory.rewrite!((rows) => rows.setSetting("second", "2"));
    const third = directory.write((rows) => rows.setSetting("third", "3")).then(() => seen.push("third"));
    while (held.length === 0) await wait(1);
    expect(await directory.read((rows) => [rows.setting("second"), rows.setting("third")])).toEqual(["2", "3"]);
    // One wait is for both.
    expect([held.length, seen.length]).toEqual([1, 0]);
    held[0]!();
    await third;
  });

  it("fails by name when the disk does", async () => {
    const store = await open();
    replaceSync((done) => done(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" })));
    await expect(put(store, "lost")).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringMatching(/may be lost in a power cut: EIO: i\/o error/u) as string,
    });
  });

  it("is waited for by a store that closes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-log-sync-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const store = await openSqliteStore(join(folder, "ibid.sqlite"), { analyzer: plainAnalyzer });
    const seen: string[] = [];
    replaceSync((_, real) => {
      seen.push("began");
      setTimeout(() => {
        seen.push("over");
        real();
      }, 50);
    });
    const written = put(store, "late");
    while (seen.length === 0) await wait(1);
    await store.close();
    expect(seen).toEqual(["began", "over"]);
    await written;
  });
});
