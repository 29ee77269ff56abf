import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { systemAuthority } from "../../src/access/gate.ts";
import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import type { BlobStore } from "../../src/contracts/blob-store.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { Store } from "../../src/contracts/store.ts";
import { openFileBlobStore } from "../../src/stores/index.node.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { openSnapshotStore } from "../../src/stores/snapshot/snapshot-store.ts";
import { createSearchedStorePack } from "../packs/searched-store-pack.ts";
import { createRestartPack, type RestartSubject } from "../packs/restart-pack.ts";
import { createVersionedStorePack } from "../packs/versioned-store-pack.ts";
import { createClock } from "../support/clock.ts";
import { type FlatStore, withMethods } from "./flat-store.ts";
import { runMutants, type Mutant } from "./mutants.ts";
import { runPack } from "./run-pack.ts";
import { sample } from "../support/runs.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-snapshots-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

const kinds: readonly (readonly [string, () => BlobStore])[] = [
  ["memory", createMemoryBlobStore],
  ["a folder", () => openFileBlobStore(join(folder, `blobs-${count++}`))],
];
/** Splits the cases over the four stores below, so that together they try every second one. */
let turn = 0;

describe.each(kinds)("the store in memory that is kept as snapshots in %s", (_, create) => {
  const places = new WeakMap<Store, BlobStore>();
  const open = async (blobs: BlobStore, segments = {}): Promise<Store> => {
    const store = await openSnapshotStore({ segments, snapshots: { blobs, delayMs: 1e9 } });
    places.set(store, blobs);
    return store;
  };
  for (const segments of [{}, { sealAt: 2, settleAt: 1 }]) {
    const pack = createSearchedStorePack({
      create: () => open(create(), segments),
      async reopen(store) {
        await store.close();
        return open(places.get(store) ?? create(), segments);
      },
      destroy: (store) => store.close(),
    });
    const versioned = createVersionedStorePack({
      create: async () => await open(create(), segments),
      destroy: (store) => store.close(),
    });
    runPack(sample([...pack, ...versioned], 8, turn++));
  }
});

/** Places in blob stores, each store with a clock that the pack moves. */
function inBlobs(
  createBlobs: () => BlobStore,
  openStore: (blobs: BlobStore, clock: ReturnType<typeof createClock>["clock"]) => Promise<Store>,
): RestartSubject {
  const blobsOf = new Map<string, BlobStore>();
  const opened = new WeakMap<Store, { time: ReturnType<typeof createClock>; blobs: BlobStore }>();
  const blobsAt = (place: string): BlobStore => {
    const blobs = blobsOf.get(place) ?? createBlobs();
    blobsOf.set(place, blobs);
    return blobs;
  };
  return {
    async open(place) {
      const time = createClock(0);
      const blobs = blobsAt(place);
      const store = await openStore(blobs, time.clock);
      opened.set(store, { time, blobs });
      return store;
    },
    async wait(store) {
      const { time, blobs } = opened.get(store)!;
      const manifest = async (): Promise<string | undefined> => (await blobs.get("ibid/manifest"))?.etag;
      const before = await manifest();
      await time.pass(5000);
      // Files take turns that no clock of ours tells of; what is never kept is waited for a while, and no longer.
      for (let turn = 0; turn < 200 && (await manifest()) === before; turn++)
        await new Promise((resolve) => void setTimeout(resolve, 5));
    },
    async damage(place) {
      const blobs = blobsAt(place);
      const before = await blobs.get("ibid/manifest");
      await blobs.put("ibid/manifest", new TextEncoder().encode("no snapshot"));
      return async () => void (await blobs.put("ibid/manifest", before?.bytes ?? new Uint8Array()));
    },
  };
}

const openKept = (blobs: BlobStore, clock: ReturnType<typeof createClock>["clock"]): Promise<Store> =>
  openSnapshotStore({ snapshots: { blobs, clock } });

describe.each(kinds)("restarts of a store that is kept as snapshots in %s", (_, create) => {
  runPack(createRestartPack(inBlobs(create, openKept)));
});

describe("restarts of the SQLite store", () => {
  const base = join(folder, `sqlite-${count++}-`);
  runPack(
    createRestartPack({
      open: (place) => openSqliteStore(`${base}${place}`),
      wait: async () => {},
      async damage(place) {
        const before = readFileSync(`${base}${place}`);
        writeFileSync(`${base}${place}`, "no database".repeat(1000));
        return async () => writeFileSync(`${base}${place}`, before);
      },
    }),
  );
});

/** As if nothing were there; what is written takes its place. */
const takenForEmpty = (blobs: BlobStore): BlobStore => {
  let isRead = false;
  return {
    ...blobs,
    get: async (key) => (isRead ? blobs.get(key) : ((isRead = true), undefined)),
    put: (key, bytes) => blobs.put(key, bytes),
    async *list() {},
  };
};

type Open = Parameters<typeof inBlobs>[1];
const changed =
  (change: (store: FlatStore) => Partial<FlatStore>): Open =>
  async (blobs, clock) =>
    withMethods(await openKept(blobs, clock), change);

const mutants: readonly Mutant<Open>[] = [
  ["what is there is not loaded", "first-act-upsert", (blobs, clock) => openKept(takenForEmpty(blobs), clock)],
  ["nor before a delete", "first-act-delete", (blobs, clock) => openKept(takenForEmpty(blobs), clock)],
  [
    "the unreadable is taken for empty",
    "unreadable-is-left-alone",
    (blobs, clock) =>
      openKept(blobs, clock).catch((error: unknown) => {
        if (!IbidError.isInstance(error, "store-corrupt")) throw error;
        return openKept(takenForEmpty(blobs), clock);
      }),
  ],
  [
    "the last to write wins",
    "nobody-is-overwritten",
    (blobs, clock) => openKept({ ...blobs, put: (key, bytes) => blobs.put(key, bytes) }, clock),
  ],
  ["closing saves nothing", "closing-keeps", changed(() => ({ close: async () => {} }))],
  [
    "only closing saves",
    "keeps-by-itself",
    (blobs) => openSnapshotStore({ snapshots: { blobs, clock: createClock(0).clock, delayMs: 1e9 } }),
  ],
  [
    "tombstones are not kept",
    "deleted-can-be-restored",
    changed((good) => ({
      async close() {
        await good.vacuum(systemAuthority(), { olderThanMs: 0 });
        await good.close();
      },
    })),
  ],
  ["a vacuum is not kept", "vacuumed-cannot", changed(() => ({ vacuum: async () => 1 }))],
  [
    "a reset leaves tombstones",
    "reset-stays-empty",
    changed((good) => ({
      delete: (from, target, options) =>
        good.delete(from, "scope" in target ? { filter: { op: "and", filters: [] } } : target, options),
    })),
  ],
];

describe("the restart pack notices a store with one fault [T11 T12 T15 L8 L9]", () => {
  runMutants(
    (open: Open) => createRestartPack(inBlobs(createMemoryBlobStore, open)),
    mutants.map(([name, noticedBy, open]) => [name, `restart/${noticedBy}`, open] as const),
  );
});
