import type { Complete } from "../../contracts/complete.ts";
import type { BlobStore } from "../../contracts/blob-store.ts";
import type { Clock } from "../../contracts/clock.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { createPlatformClock } from "../../runtime/platform-clock.ts";
import { isBlobKey } from "../blobs/check-blob.ts";

/**
 * Where a store in memory is kept, and how soon.
 *
 * @experimental
 */
export interface SnapshotOptions {
  /** A folder, a bucket, or anything else that honours conditional writes. */
  readonly blobs: BlobStore;
  /** Prefix of the snapshot's keys; no other blobs may have it. Default `"ibid/"`. */
  readonly prefix?: string | undefined;
  /** From the first change that is not saved yet to saving it with all that came meanwhile. **Units** milliseconds. Default 5,000. */
  readonly delayMs?: number | undefined;
  /** Changed chunks at which a snapshot is saved at once, before the delay is over. **Source** ToolUp's document store: 100. Default: none; the delay alone counts. */
  readonly maxChangedChunks?: number | undefined;
  /** Called when a background snapshot could not be saved; the store tries again after the same time. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** The same, with every default filled in. */
export type DecidedSnapshots = Complete<SnapshotOptions>;

/** **Errors** `invalid-argument` for a value that cannot be. */
export function decideSnapshots(options: SnapshotOptions): DecidedSnapshots {
  const names = {
    blobs: true,
    prefix: true,
    delayMs: true,
    maxChangedChunks: true,
    onError: true,
    clock: true,
  } as const;
  checkOptions("snapshots", options, names);
  const { maxChangedChunks = Infinity } = options;
  const { blobs, prefix = "ibid/", delayMs = 5000, onError = () => {}, clock = platformClock } = options;
  if (typeof (blobs as Partial<BlobStore> | undefined)?.put !== "function") {
    throw new IbidError("invalid-argument", "snapshots: blobs is no blob store.", {
      hint: "Give it openFileBlobStore(folder), openS3BlobStore(…), or one of your own.",
    });
  }
  if (typeof prefix !== "string" || !isBlobKey(`${prefix}manifest`)) {
    throw new IbidError("invalid-argument", `snapshots: ${JSON.stringify(prefix)} cannot begin a key.`, {
      hint: 'It is parts that end in "/", such as "ibid/".',
    });
  }
  if (!Number.isFinite(delayMs) || delayMs < 0) {
    throw new IbidError("invalid-argument", `snapshots: delayMs is ${String(delayMs)}.`, {
      hint: "It is a number of milliseconds from 0.",
    });
  }
  if (maxChangedChunks !== Infinity && !(Number.isSafeInteger(maxChangedChunks) && maxChangedChunks >= 1)) {
    throw new IbidError("invalid-argument", `snapshots: maxChangedChunks is ${String(maxChangedChunks)}.`, {
      hint: "It is a whole number from 1. Leave it out to save after the delay alone.",
    });
  }
  return { blobs, prefix, delayMs, maxChangedChunks, onError, clock };
}

/** A program that ends of itself stays until the last change is saved. */
const platformClock = createPlatformClock({ staysFor: true });
