import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLongValues, type LongValues } from "../../src/stores/sqlite/long-values.ts";
import { openConnection, type SqliteConnection } from "../../src/stores/sqlite/sqlite-connection.ts";
import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { createRandom } from "../crash/workload.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-long-values-"));
  path = join(folder, "ibid.sqlite");
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (): Promise<SqliteConnection> => openConnection(path, { busyTimeoutMs: 1000 });
const read = <Result>(db: SqliteConnection, work: () => Result): Promise<Result> =>
  db.transaction("BEGIN", () => {
    db.get("SELECT stamp FROM clock");
    return work();
  });

function bytesOf(length: number, random: () => number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
}

/** Writes and deletes values of many lengths, so that pages are free in every order when the next ones are written. */
async function churn(db: SqliteConnection, seed: number): Promise<void> {
  const random = createRandom(seed);
  for (let round = 0; round < 6; round++) {
    await db.transaction("BEGIN IMMEDIATE", () => {
      for (let i = 0; i < 12; i++) {
        const part = round * 12 + i;
        const length = Math.floor(random() ** 2 * 120_000);
        db.run(
          "INSERT INTO files (segment, name, part, data) VALUES (?, 'codes/0', ?, ?)",
          part % 3,
          part,
          bytesOf(length, random),
        );
      }
      db.run("DELETE FROM files WHERE part % 5 = ?", round % 5);
    });
  }
}

const find = (values: LongValues, segment: number) =>
  values.find("files", "segment = ? AND name = ? ORDER BY part", segment, "codes/0");

function whole(db: SqliteConnection, segment: number): Buffer {
  const rows = db.all<{ data: Uint8Array }>(
    "SELECT data FROM files WHERE segment = ? AND name = 'codes/0' ORDER BY part",
    segment,
  );
  return Buffer.concat(rows.map(({ data }) => data));
}

describe("long values, read from their pages", () => {
  it.each([1, 2, 3])(
    "are what SQLite says, from any place on, in whatever order their pages lie (%i) [L8]",
    async (seed) => {
      (await open()).close();
      const before = await open();
      await churn(before, seed);
      before.close();

      const db = await open();
      const values = createLongValues(db);
      const random = createRandom(seed + 100);
      // Over several transactions, for pages are remembered.
      for (let look = 0; look < 3; look++) {
        const same = await read(db, () =>
          [0, 1, 2].map((segment) => {
            const expected = whole(db, segment);
            const bytes = find(values, segment)!;
            const all = new Uint8Array(expected.length);
            bytes(all, 0);
            const pieces = Array.from({ length: 40 }, () => {
              const from = Math.floor(random() * expected.length);
              const piece = new Uint8Array(Math.floor(random() ** 3 * (expected.length - from)));
              bytes(piece, from);
              return expected.subarray(from, from + piece.length).equals(piece);
            });
            return expected.equals(all) && pieces.every(Boolean);
          }),
        );
        expect(same).toEqual([true, true, true]);
      }
      db.close();
    },
  );

  it("are not to be had so while something stands in the log, nor by who writes; and are looked for anew when somebody has written [L8 L11]", async () => {
    (await open()).close();
    const [db, other] = [await open(), await open()];
    const values = createLongValues(db);
    const put = (into: SqliteConnection, part: number, length: number) =>
      into.transaction("BEGIN IMMEDIATE", () => {
        const isSettled = find(createLongValues(into), 0) !== undefined;
        into.run("DELETE FROM files");
        const data = new Uint8Array(length).fill(part);
        into.run("INSERT INTO files (segment, name, part, data) VALUES (0, 'codes/0', ?, ?)", part, data);
        return isSettled;
      });
    const emptyLog = () => db.all("PRAGMA wal_checkpoint(TRUNCATE)");
    const first = (length: number) =>
      read(db, () => {
        const bytes = find(values, 0);
        const target = new Uint8Array(length);
        bytes?.(target, 0);
        return bytes && [...new Set(target)];
      });

    expect(await put(other, 1, 50_000)).toBe(false);
    expect(await first(50_000)).toBeUndefined();
    emptyLog();
    expect(await first(50_000)).toEqual([1]);
    expect(await put(other, 2, 70_000)).toBe(false);
    expect(await first(70_000)).toBeUndefined();
    emptyLog();
    expect(await first(70_000)).toEqual([2]);
    expect(await put(db, 3, 20_000)).toBe(false);
    emptyLog();
    expect(await first(20_000)).toEqual([3]);

    // Whoever reads so holds on to the file: what is written meanwhile stays in the log until they are done.
    const during = await read(db, () => {
      const bytes = find(values, 0)!;
      other.run("UPDATE files SET data = zeroblob(20000)");
      const moved = other.get<{ busy: number; checkpointed: number }>("PRAGMA wal_checkpoint(TRUNCATE)")!;
      const target = new Uint8Array(20_000);
      bytes(target, 0);
      return { busy: moved.busy, seen: [...new Set(target)] };
    });
    expect(during).toEqual({ busy: 1, seen: [3] });
    db.close();
    other.close();
  });

  it("that end before their end are said to be damaged, and not taken for shorter ones", async () => {
    const store = await openSqliteStore(path);
    await store.close();
    const db = await open();
    await db.transaction("BEGIN IMMEDIATE", () => {
      db.run("INSERT INTO files (segment, name, part, data) VALUES (0, 'codes/0', 0, zeroblob(30000))");
    });
    db.all("PRAGMA wal_checkpoint(TRUNCATE)");
    await read(db, () => {
      const bytes = find(createLongValues(db), 0)!;
      expect(() => bytes(new Uint8Array(30_001), 0)).toThrow(expect.objectContaining({ code: "store-corrupt" }));
      expect(() => bytes(new Uint8Array(10), 29_995)).toThrow(expect.objectContaining({ code: "store-corrupt" }));
    });
    db.close();
  });
});
