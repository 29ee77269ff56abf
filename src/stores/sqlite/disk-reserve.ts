import { closeSync, fsyncSync, openSync, rmSync, statSync, statfsSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { createSecret } from "../segments/create-secret.ts";

/** Room for the transactions that remove a document of some hundred kilobytes. */
const reserveBytes = 1 << 20;
/** A disk with less room than so many reserves is left alone. */
const leastFree = 4;

/** A file beside the database that holds nothing but room: a delete on a full disk gives it up. */
export interface DiskReserve {
  /** Makes the file where it is missing. Fails in silence: the next settling tries again. */
  keep(): void;
  /** Gives the room back. **Shape** whether there was any. */
  release(): boolean;
}

export function createDiskReserve(path: string): DiskReserve {
  const file = `${path}-reserve`;
  const sizeOf = (): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return {
    keep() {
      try {
        if (sizeOf() >= reserveBytes) return;
        const { bavail, bsize } = statfsSync(dirname(path));
        if (bavail * bsize >= leastFree * reserveBytes) writeReserve(file);
      } catch {
        rmSync(file, { force: true });
      }
    },
    release() {
      try {
        const held = sizeOf();
        rmSync(file, { force: true });
        return held > 0;
      } catch {
        return false;
      }
    },
  };
}

/** Random bytes: a file system may store no block for zeros. */
function writeReserve(file: string): void {
  const handle = openSync(file, "w");
  try {
    const noise = createSecret();
    const block = new Uint8Array(reserveBytes);
    for (let at = 0; at < block.length; at += noise.length) block.set(noise, at);
    writeSync(handle, block);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
