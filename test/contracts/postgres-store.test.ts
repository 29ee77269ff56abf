import { afterAll, beforeAll, describe } from "vitest";
import type { Store } from "../../src/contracts/store.ts";
import { createSearchedStorePack } from "../packs/searched-store-pack.ts";
import { openTestDatabase, type TestDatabase } from "../stores/postgres/database.ts";
import { sample } from "../support/runs.ts";
import { runPack } from "./run-pack.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const bases = new WeakMap<Store, string>();
let count = 0;

async function open(base: string, node: string): Promise<Store> {
  const store = await database.open(base, { node });
  bases.set(store, base);
  return store;
}

describe("the Postgres store", () => {
  const pack = createSearchedStorePack({
    create: () => open(`pack_${count++}`, "a"),
    async reopen(store) {
      await store.close();
      // Another node: everything comes from the database.
      return open(bases.get(store) ?? "", "b");
    },
    destroy: (store) => store.close(),
  });
  // All cases with a server: npm run test:engines.
  runPack(sample(pack, 24));
});
