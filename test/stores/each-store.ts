import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { openSnapshotStore } from "../../src/stores/snapshot/snapshot-store.ts";
import type { StoreOptions } from "../../src/stores/segments/store-options.ts";
import { plainAnalyzer } from "./build.ts";
import { runsAll } from "../support/runs.ts";

/** Until the test that opened it is over. */
function keep(store: Store, folder?: string): Store {
  onTestFinished(async () => {
    await store.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });
  return store;
}

const stores: readonly { name: string; open: (options?: StoreOptions) => Promise<Store> }[] = [
  {
    name: "memory",
    open: async (options) =>
      keep(createMemoryStore({ analyzer: plainAnalyzer, segments: { sealAt: 2, settleAt: 1 }, ...options })),
  },
  {
    name: "memory, kept as snapshots",
    open: async (options) => {
      const store = await openSnapshotStore({
        analyzer: plainAnalyzer,
        segments: { sealAt: 2, settleAt: 1 },
        ...options,
        snapshots: { blobs: createMemoryBlobStore(), delayMs: 0 },
      });
      return keep(store);
    },
  },
  {
    name: "SQLite",
    open: async (options) => {
      const folder = mkdtempSync(join(tmpdir(), "ibid-store-"));
      const store = await openSqliteStore(join(folder, "ibid.sqlite"), {
        analyzer: plainAnalyzer,
        segments: { sealAt: 2, settleAt: 1 },
        ...options,
      });
      return keep(store, folder);
    },
  },
];

/**
 * The same engine over each directory, with segments so small that every test of some length seals and merges.
 * A store that is kept as snapshots is one in memory: where not every case runs, it has the tests of snapshots alone.
 */
export const eachStore: typeof stores = stores.filter(({ name }) => runsAll || name !== "memory, kept as snapshots");
