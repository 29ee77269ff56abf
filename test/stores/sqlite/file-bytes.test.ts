import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openConnection } from "../../../src/stores/sqlite/open-connection.ts";
import type { SqliteConnection } from "../../../src/stores/sqlite/sqlite-connection.ts";
import { createSqliteRows } from "../../../src/stores/sqlite/sqlite-rows.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { createRandom } from "../../crash/workload.ts";

let folder = "";
let db: SqliteConnection;
const path = (): string => join(folder, "ibid.sqlite");
const open = (): Promise<SqliteConnection> => openConnection(path(), { busyTimeoutMs: 1000 });
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ibid-file-bytes-"));
  await (await openSqliteStore(path())).close();
  db = await open();
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const name = "codes/0";
const put = (into: SqliteConnection, segment: number, parts: readonly Uint8Array[]): Promise<void> =>
  into.transaction("BEGIN IMMEDIATE", () => {
    const rows = createSqliteRows(into);
    rows.deleteFile(segment, name);
    // Parts are read in their order, in whatever order they were written.
    for (const [part, data] of [...parts.entries()].toReversed()) rows.addFile(segment, name, part, data);
  });

describe("a segment's file, read by ranges", () => {
  it.each([1, 2, 3])("gives what was written, from any place on, across parts (%i) [L8]", async (seed) => {
    const random = createRandom(seed);
    const parts = Array.from({ length: 7 }, () =>
      Uint8Array.from({ length: Math.floor(random() ** 2 * 120_000) }, () => Math.floor(random() * 256)),
    );
    await put(db, 0, parts);
    await put(db, 1, [Uint8Array.of(7)]);
    const expected = Buffer.concat(parts);
    await db.transaction("BEGIN", () => {
      const bytes = createSqliteRows(db).bytes!(0, name)!;
      const lengths = [0, 1, expected.length, ...Array.from({ length: 60 }, () => random() ** 3 * expected.length)];
      for (const length of lengths.map(Math.floor)) {
        const from = Math.floor(random() * (expected.length - length + 1));
        const piece = new Uint8Array(length);
        bytes(piece, from);
        expect(expected.subarray(from, from + length).equals(piece)).toBe(true);
      }
    });
  });

  it("stays what it was for a transaction that reads while another process writes [L8 L11]", async () => {
    await put(db, 0, [new Uint8Array(50_000).fill(1)]);
    const other = await open();
    const values = await db.transaction("BEGIN", () => {
      const bytes = createSqliteRows(db).bytes!(0, name)!;
      other.run("UPDATE files SET data = zeroblob(10)");
      const target = new Uint8Array(50_000);
      bytes(target, 0);
      return [...new Set(target)];
    });
    expect(values).toEqual([1]);
    other.close();
  });

  it("is damaged where it ends before its end, and absent where there is no part", async () => {
    await put(db, 0, [new Uint8Array(20_000), new Uint8Array(10_000)]);
    await db.transaction("BEGIN", () => {
      const rows = createSqliteRows(db);
      const bytes = rows.bytes!(0, name)!;
      bytes(new Uint8Array(30_000), 0);
      expect(() => bytes(new Uint8Array(30_001), 0)).toThrow(expect.objectContaining({ code: "store-corrupt" }));
      expect(() => bytes(new Uint8Array(10), 29_995)).toThrow(expect.objectContaining({ code: "store-corrupt" }));
      expect(rows.bytes!(1, name)).toBeUndefined();
    });
  });
});
