import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { openSqliteStore, type SqliteStoreOptions } from "../../src/stores/sqlite/sqlite-store.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createRegexSearchPack } from "../packs/regex-search-pack.ts";
import { createSearchedStorePack } from "../packs/searched-store-pack.ts";
import { runPack } from "./run-pack.ts";
import { sample } from "../support/runs.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-contracts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = new WeakMap<Store, string>();
let count = 0;

async function open(file: string, options?: SqliteStoreOptions): Promise<Store> {
  const store = await openSqliteStore(file, options);
  files.set(store, file);
  return store;
}

describe("the SQLite store", () => {
  runPack(
    createSearchedStorePack({
      create: () => open(join(folder, `store-${count++}.sqlite`)),
      async reopen(store) {
        await store.close();
        return open(files.get(store) ?? "");
      },
      destroy: (store) => store.close(),
    }),
  );

  describe("with segments of a few chunks, so that what only large ones have is there", () => {
    const few = { segments: { sealAt: 2, settleAt: 1 } };
    const pack = createRegexSearchPack({
      create: () => open(join(folder, `store-${count++}.sqlite`), few),
      destroy: (store) => store.close(),
    });
    runPack(sample(pack, 2));
  });
});

it("a file that is no database is told as such [W30]", async () => {
  const file = join(folder, "not-a-database.sqlite");
  writeFileSync(file, "Dear reader, this is a letter.\n".repeat(500));
  const error: unknown = await openSqliteStore(file).catch((reason: unknown) => reason);
  expect(IbidError.isInstance(error, "store-corrupt")).toBe(true);
  expect((error as IbidError).message).toContain("not-a-database.sqlite");
});
