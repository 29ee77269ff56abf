import { IbidError } from "../../contracts/errors.ts";
import { createMemoryDirectory } from "../memory/memory-directory.ts";
import type { SegmentDirectory } from "../segments/segment-directory.ts";
import { openSnapshotFiles, type SeenSnapshot } from "./snapshot-files.ts";
import type { SnapshotPart } from "./snapshot-manifest.ts";
import type { DecidedSnapshots } from "./snapshot-options.ts";
import type { SnapshotRow } from "./snapshot-rows.ts";

/** Rows of so many keys are saved together, so that a change costs their bytes and not everybody's. */
const keysPerUnit = 1024;
/** Few rows, of which some change with every write. */
const smallTables = new Set(["settings", "scopes"]);
const smallUnit = "small";

const unitOf = (table: string, key: number): string =>
  smallTables.has(table) ? smallUnit : String(Math.floor(key / keysPerUnit));

/**
 * Segments in memory, with a snapshot of them in a blob store.
 *
 * **Shape** the snapshot is loaded before the first read or write. Changed units are written as new blobs, then the manifest, on condition that it
 * is still the one loaded. A snapshot is there whole or not at all, and is of one process.
 * **Errors** `store-corrupt` for a snapshot that cannot be read; nothing is written to it then. `store-failed` for every write after another process saved
 * a snapshot of its own: there is nowhere left to keep it.
 */
export async function openSnapshotDirectory(options: DecidedSnapshots): Promise<SegmentDirectory> {
  const { blobs, prefix, delayMs, maxChangedChunks, onError, clock } = options;
  const files = openSnapshotFiles(blobs, prefix);
  const writer = crypto.randomUUID();
  const changed = new Set<string>();
  /** Chunks that changed since the last save began. One that failed is tried again after the delay. */
  const changedChunks = new Set<number>();
  let seen: SeenSnapshot;
  let isLoaded = false;
  let isClosed = false;
  /** Whether blobs that no snapshot needs may still be there. */
  let isUnswept = false;
  let overtaken: IbidError | undefined;
  let cancel: (() => void) | undefined;
  /** Ends when the last save that was asked for has; never rejects. */
  let lastSave: Promise<unknown> = Promise.resolve();

  const memory = createMemoryDirectory((table, key) => {
    changed.add(unitOf(table, key));
    if (!isLoaded) return;
    if (table === "chunks") changedChunks.add(key);
    if (changedChunks.size === maxChangedChunks) saveBehindWrite();
    else saveLater();
  });
  const { image } = memory;
  seen = await files.load(([table, key, row]) => image.tables[table]?.set(key, row));
  image.keys = seen.manifest.keys;
  image.stamp = seen.manifest.stamp;
  changed.clear();
  isLoaded = true;

  function saveLater(): void {
    if (isClosed || overtaken !== undefined) return;
    cancel ??= clock.after(delayMs, () => {
      cancel = undefined;
      save().catch(tell);
    });
  }

  /** A write is one turn of the process, and the save begins behind it. */
  function saveBehindWrite(): void {
    cancel?.();
    cancel = undefined;
    if (!isClosed && overtaken === undefined) void Promise.resolve().then(save).catch(tell);
  }

  /** An error thrown by `onError` must not stop later saves. */
  function tell(error: unknown): void {
    saveLater();
    try {
      onError(error);
    } catch {
      // An error of `onError` itself has nowhere to go.
    }
  }

  function save(): Promise<void> {
    const saved = lastSave.then(saveNow);
    lastSave = saved.catch(() => {});
    return saved;
  }

  async function saveNow(): Promise<void> {
    if (changed.size > 0) await saveChanges();
    if (!isUnswept) return;
    await files.sweep(seen.manifest);
    isUnswept = false;
  }

  async function saveChanges(): Promise<void> {
    if (overtaken !== undefined) throw overtaken;
    const units = [...changed].map((unit) => [unit, rowsOf(unit)] as const);
    const { keys, stamp } = image;
    changed.clear();
    changedChunks.clear();
    isUnswept = true;
    try {
      for (;;) {
        const generation = seen.manifest.generation + 1;
        const written: Record<string, readonly SnapshotPart[]> = { ...seen.manifest.units };
        for (const [unit, rows] of units) {
          if (rows.length === 0) delete written[unit];
          else written[unit] = await files.writeUnit(rows, generation);
        }
        const next = { generation, writer, keys, stamp, units: written };
        const after = await files.commit(next, seen);
        if (after === undefined) throw (overtaken = wasOvertaken(prefix));
        seen = after;
        // Else an earlier write of ours had arrived, and this one goes on top of it.
        if (after.manifest === next) return;
      }
    } catch (error) {
      for (const [unit] of units) changed.add(unit);
      throw error;
    }
  }

  function rowsOf(unit: string): readonly SnapshotRow[] {
    const rows: SnapshotRow[] = [];
    if (unit === smallUnit) {
      for (const name of smallTables)
        for (const [key, row] of image.tables[name]!.entries()) rows.push([name, key, row]);
      return rows;
    }
    const from = Number(unit) * keysPerUnit;
    for (const [name, table] of Object.entries(image.tables)) {
      if (smallTables.has(name)) continue;
      for (let key = from; key < from + keysPerUnit; key++) {
        const row = table.get(key);
        if (row !== undefined) rows.push([name, key, row]);
      }
    }
    return rows;
  }

  return {
    durability: "snapshot",
    peek: () => memory.peek(),
    read: (work) => memory.read(work),
    async write(work, undone) {
      if (overtaken !== undefined) throw overtaken;
      return memory.write(work, undone);
    },
    // Purged content must be gone from the blobs, so the current state is saved at once.
    async scrub() {
      isUnswept = true;
      await save();
      return true;
    },
    async close() {
      isClosed = true;
      cancel?.();
      if (changed.size > 0 || isUnswept) await save();
      else await lastSave;
    },
  };
}

function wasOvertaken(prefix: string): IbidError {
  return new IbidError(
    "store-failed",
    `Another process saved a snapshot at ${prefix}manifest since this one read it.`,
    {
      uri: `${prefix}manifest`,
      hint: "Changes made here since then are lost. Open the store again and repeat them; let one process at a time write, or use a folder.",
      details: { reason: "overtaken" },
    },
  );
}
