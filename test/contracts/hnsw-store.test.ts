import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";

import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { withHnsw } from "../../src/stores/candidates/usearch/hnsw-store.ts";
import type { KnowledgeStore } from "../../src/contracts/knowledge-store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createKnowledgeStorePack } from "../../src/testing/knowledge-store-pack.ts";
import { openLibrary } from "../hnsw/plain-usearch.ts";
import { runPack } from "./run-pack.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-hnsw-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

/** Searches once to have the graph made, waits for it, and then searches by it: no case of the pack may see a difference. */
function eager(store: KnowledgeStore): KnowledgeStore {
  return {
    ...store,
    async search(scopes, query) {
      const copy = structuredClone(query);
      await store.search(scopes, query);
      await store.settle();
      return store.search(scopes, copy);
    },
  };
}

describe("the HNSW index before a memory store [T17]", () => {
  describe("with a graph from the first vector on", () => {
    runPack(
      createKnowledgeStorePack({
        create: async () => eager(await withHnsw(createMemoryStore(), { startAt: 1, usearch: await openLibrary() })),
        destroy: (store) => store.close(),
      }),
    );
  });
});

describe("the HNSW index before an SQLite store [T17]", () => {
  const files = new WeakMap<KnowledgeStore, string>();
  const open = async (file: string): Promise<KnowledgeStore> => {
    const options = { startAt: 1, folder: `${file}.hnsw`, usearch: await openLibrary() };
    const store = eager(await withHnsw(await openSqliteStore(file), options));
    files.set(store, file);
    return store;
  };
  runPack(
    createKnowledgeStorePack({
      create: () => open(join(folder, `store-${count++}.sqlite`)),
      async reopen(store) {
        await store.close();
        return open(files.get(store) ?? "");
      },
      destroy: (store) => store.close(),
    }),
  );
});
