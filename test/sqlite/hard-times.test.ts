import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openConnection } from "../../src/adapters/sqlite/sqlite-connection.ts";
import { createSqliteDirectory } from "../../src/adapters/sqlite/sqlite-directory.ts";
import { openStore, makeDocument, ownWord, timeOf } from "../crash/workload.ts";
import { collect, read, system, write } from "../stores/build.ts";

const into = write("deployment");
const from = read("deployment");

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ibid-hard-times-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("on a full disk what does not fit is refused, what was acknowledged stays, and with room again all goes on [L8]", async () => {
  const path = join(folder, "ibid.sqlite");
  const connection = await openConnection(path, { busyTimeoutMs: 1000 });
  const store = await openStore(createSqliteDirectory(connection, path), { now: timeOf(0) });
  await store.replace(into, makeDocument(0, 0));
  // SQLite then fails as it does when the file system has no room: SQLITE_FULL, in the midst of whatever it writes.
  const { page_count: pages } = connection.get<{ page_count: number }>("PRAGMA page_count")!;
  connection.get(`PRAGMA max_page_count = ${pages + 6}`);
  const outcomes: string[] = [];
  for (let document = 1; document < 40; document++) {
    outcomes.push(
      await store.replace(into, makeDocument(document, 0)).then(
        () => "kept",
        (error: { code: string }) => error.code,
      ),
    );
  }
  expect(new Set(outcomes)).toEqual(new Set(["kept", "store-failed"]));
  const kept = 1 + outcomes.filter((outcome) => outcome === "kept").length;
  expect(await collect(store.documents(from))).toHaveLength(kept);
  expect(await store.examine!(system)).toMatchObject({ healthy: true, findings: [] });
  connection.get("PRAGMA max_page_count = 1073741823");
  for (let document = 1; document < 40; document++) await store.replace(into, makeDocument(document, 0));
  await store.delete(into, { documentIds: ["doc-7"] }, { purge: true });
  await store.settle();
  expect(await store.examine!(system, { absent: [ownWord(7, 0)] })).toMatchObject({ healthy: true, findings: [] });
  expect((await store.status(from)).documents).toBe(39);
  await store.close();
});
