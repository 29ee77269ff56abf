import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openConnection } from "../../../src/stores/sqlite/open-connection.ts";
import { createSqliteDirectory } from "../../../src/stores/sqlite/sqlite-directory.ts";
import type { SqliteConnection } from "../../../src/stores/sqlite/sqlite-connection.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A connection that counts the statements that read a setting. */
function counting(connection: SqliteConnection, counts: { settings: number }): SqliteConnection {
  return {
    ...connection,
    get: (sql, ...values) => {
      if (sql.startsWith("SELECT value FROM settings")) counts.settings++;
      return connection.get(sql, ...values);
    },
    get inTransaction() {
      return connection.inTransaction;
    },
    get turn() {
      return connection.turn;
    },
    get isWriting() {
      return connection.isWriting;
    },
  };
}

it("a transaction reads a setting once, and a new one reads it again", async () => {
  const counts = { settings: 0 };
  const connection = await openConnection(join(folder, "ibid.sqlite"), { busyTimeoutMs: 1_000 });
  const directory = createSqliteDirectory(counting(connection, counts));
  const seen = await directory.write((rows) => {
    const values = [rows.setting("colour"), rows.setting("colour")];
    rows.setSetting("colour", "red");
    return [...values, rows.setting("colour"), rows.setting("colour")];
  });
  expect(seen).toEqual([undefined, undefined, "red", "red"]);
  expect(counts.settings).toBe(1);
  expect(await directory.read((rows) => rows.setting("colour"))).toBe("red");
  expect(counts.settings).toBe(2);
  await directory.close();
});

it("a setting that a failed write has changed is read again, by the next write of the commit too", async () => {
  const connection = await openConnection(join(folder, "ibid.sqlite"), { busyTimeoutMs: 1_000 });
  const directory = createSqliteDirectory(connection);
  await directory.write((rows) => rows.setSetting("colour", "red"));
  const seen = await Promise.allSettled([
    directory.write((rows) => rows.setting("colour")),
    directory.write((rows) => {
      rows.setSetting("colour", "blue");
      throw new RangeError("no");
    }),
    directory.write((rows) => {
      const before = rows.setting("colour");
      rows.deleteSetting("colour");
      return [before, rows.setting("colour")];
    }),
    directory.write((rows) => rows.setting("colour") ?? "none"),
  ]);
  expect(seen.map((one) => (one.status === "fulfilled" ? one.value : "failed"))).toEqual([
    "red",
    "failed",
    ["red", undefined],
    "none",
  ]);
  expect(await directory.read((rows) => rows.setting("colour") ?? "none")).toBe("none");
  await directory.close();
});
