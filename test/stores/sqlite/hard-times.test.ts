import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openConnection } from "../../../src/stores/sqlite/open-connection.ts";
import { createSqliteDirectory } from "../../../src/stores/sqlite/sqlite-directory.ts";
import { openStore, makeDocument, ownWord, timeOf } from "../../crash/workload.ts";
import { collect, read, system, write } from "../build.ts";

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
  connection.get(`PRAGMA max_page_count = ${pages + 2}`);
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
  expect(await store.upkeep!.examine(system)).toMatchObject({ healthy: true, findings: [] });
  connection.get("PRAGMA max_page_count = 1073741823");
  for (let document = 1; document < 40; document++) await store.replace(into, makeDocument(document, 0));
  await store.delete(into, { documentIds: ["doc-7"] }, { purge: true });
  await store.upkeep!.settle();
  expect(await store.upkeep!.examine(system, { absent: [ownWord(7, 0)] })).toMatchObject({
    healthy: true,
    findings: [],
  });
  expect((await store.status(from)).documents).toBe(39);
  await store.close();
});

it("on a full disk a purge hides at once, stays owed, and is finished when there is room again [L8]", async () => {
  const path = join(folder, "ibid.sqlite");
  const connection = await openConnection(path, { busyTimeoutMs: 1000 });
  const store = await openStore(createSqliteDirectory(connection, path), { now: timeOf(0) });
  for (let document = 0; document < 40; document++) await store.replace(into, makeDocument(document, 0));
  await store.upkeep!.settle();
  const full = (): void => {
    const { page_count: pages } = connection.get<{ page_count: number }>("PRAGMA page_count")!;
    connection.get(`PRAGMA max_page_count = ${pages}`);
  };
  const purge = (document: number): Promise<unknown> =>
    store.delete(into, { documentIds: [`doc-${document}`] }, { purge: true }).then(
      () => "purged",
      (error: { code: string }) => error.code,
    );
  // With no page to be had, one of the purges finds none for what it must write anew.
  const outcomes = new Map<number, unknown>();
  const owed = new Set<number>();
  for (let document = 0; document < 12; document++) {
    full();
    outcomes.set(document, await purge(document));
    const { findings } = await store.upkeep!.examine(system);
    if (findings.some(({ kind }) => kind === "unfinished-purge")) owed.add(document);
  }
  expect(new Set(outcomes.values())).toEqual(new Set(["purged"]));
  const held = new Set((await collect(store.documents(from))).map(({ id }) => id));
  // Those that stopped half way are hidden all the same, and it is known that the rest is owed.
  expect(owed.size).toBeGreaterThan(0);
  for (const document of outcomes.keys()) expect(held).not.toContain(`doc-${document}`);

  connection.get("PRAGMA max_page_count = 1073741823");
  await store.upkeep!.settle();
  const absent = [...outcomes.keys()].map((document) => ownWord(document, 0));
  expect(await store.upkeep!.examine(system, { absent })).toMatchObject({ healthy: true, findings: [] });
  expect((await store.status(from)).documents).toBe(28);
  await store.close();
});
