import type { BlobStore } from "../../contracts/blob-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import { sha256 } from "../../runtime/hash.ts";
import { decodeRows, encodeRows, type SnapshotRow } from "./snapshot-rows.ts";
import {
  generationOf,
  noManifest,
  partsOf,
  readManifest,
  type SnapshotManifest,
  type SnapshotPart,
  writeManifest,
} from "./snapshot-manifest.ts";

/** A snapshot as it was last seen in the blob store. */
export interface SeenSnapshot {
  readonly manifest: SnapshotManifest;
  /** `undefined` when there is none. */
  readonly etag: string | undefined;
}

/** How a snapshot's blobs are read and written; what is in them is nobody's business here. */
export interface SnapshotFiles {
  /** **Errors** `store-corrupt`, having written nothing; `unsupported` where there is no snapshot and the blob store ignores conditions. */
  load(take: (row: SnapshotRow) => void): Promise<SeenSnapshot>;
  /** Writes a unit's rows as parts of that generation. **Errors** `unsupported` for a blob store that ignores conditions. */
  writeUnit(rows: readonly SnapshotRow[], generation: number): Promise<readonly SnapshotPart[]>;
  /** **Shape** as it is then seen, or `undefined` when another process was faster. */
  commit(manifest: SnapshotManifest, before: SeenSnapshot): Promise<SeenSnapshot | undefined>;
  /** Deletes what the manifest does not name and nobody can still be writing. */
  sweep(manifest: SnapshotManifest): Promise<void>;
}

/** A unit with more bytes lies in several parts. **Units** bytes. */
const partBytes = 4 * 1024 * 1024;
/** How often a snapshot is looked at again that another process replaces while it is read. */
const loads = 5;

/** The blobs of the snapshot under one prefix. */
export function openSnapshotFiles(blobs: BlobStore, prefix: string): SnapshotFiles {
  const manifestKey = `${prefix}manifest`;
  const unreadable = (why: string, cause?: unknown): IbidError =>
    new IbidError("store-corrupt", `The snapshot at ${manifestKey} cannot be read: ${why}.`, {
      uri: manifestKey,
      hint: "Nothing was written to it. Bring it back from a copy, or keep a new one under another prefix.",
      ...(cause === undefined ? {} : { cause }),
    });

  async function see(): Promise<SeenSnapshot> {
    const found = await blobs.get(manifestKey);
    if (found === undefined) return { manifest: noManifest, etag: undefined };
    const manifest = readManifest(found.bytes);
    if (typeof manifest === "string") throw unreadable(manifest);
    return { manifest, etag: found.etag };
  }

  /** **Shape** the unit's bytes, or a text that describes the first bad part. */
  async function readUnit(parts: readonly SnapshotPart[]): Promise<Uint8Array | string> {
    const bytes = new Uint8Array(parts.reduce((sum, { size }) => sum + size, 0));
    let at = 0;
    for (const { name, size, sha256: hash } of parts) {
      const part = await blobs.get(prefix + name);
      if (part === undefined) return `${name} is not there`;
      if (part.size !== size || sha256(part.bytes) !== hash) return `${name} is damaged`;
      bytes.set(part.bytes, at);
      at += size;
    }
    return bytes;
  }

  async function readUnits({ units }: SnapshotManifest): Promise<readonly SnapshotRow[] | string> {
    const rows: SnapshotRow[] = [];
    for (const parts of Object.values(units)) {
      const bytes = await readUnit(parts);
      if (typeof bytes === "string") return bytes;
      for (const row of decodeRows(bytes)) rows.push(row);
    }
    return rows.sort((a, b) => a[1] - b[1]);
  }

  /** Parts without their manifest are a lost snapshot, except parts of generation 1: a process was killed before its first snapshot was complete. */
  async function checkNothingIsLeft(): Promise<void> {
    for await (const { key } of blobs.list({ prefix: `${prefix}parts/` })) {
      if (generationOf(key.slice(prefix.length)) > 1)
        throw unreadable("its manifest is gone, and parts of it are there");
    }
  }

  let isProved = false;

  /** Writes a blob that is there a second time: a server that takes it ignores conditions, and two writers would overwrite each other. */
  async function proveConditions(key: string, bytes: Uint8Array): Promise<true> {
    const { status } = await blobs.put(key, bytes, { ifNoneMatch: "*" });
    if (status === "conflict") return true;
    throw new IbidError("unsupported", `The blob store of the snapshot at ${manifestKey} ignores conditional writes.`, {
      uri: manifestKey,
      hint: "Use a server that honours If-None-Match and If-Match, as S3 does. No snapshot was written.",
    });
  }

  /** A new snapshot begins with a probe, so that nobody writes what cannot be saved. A sweep takes a probe whose process was killed. */
  async function probeConditions(): Promise<void> {
    const [key, bytes] = [`${prefix}parts/1-${crypto.randomUUID()}`, new TextEncoder().encode("probe")];
    await blobs.put(key, bytes, { ifNoneMatch: "*" });
    try {
      await proveConditions(key, bytes);
    } finally {
      await blobs.delete(key);
    }
  }

  return {
    async load(take) {
      for (let attempt = 1; ; attempt++) {
        const seen = await see();
        if (seen.etag === undefined) {
          await checkNothingIsLeft();
          await probeConditions();
          return seen;
        }
        const rows = await readUnits(seen.manifest);
        if (typeof rows !== "string") {
          rows.forEach(take);
          return seen;
        }
        // A newer snapshot deletes the parts of the previous one, so a changed manifest is loaded again.
        const now = await blobs.head(manifestKey);
        if (now?.etag === seen.etag || attempt === loads) throw unreadable(rows);
      }
    },
    async writeUnit(rows, generation) {
      const bytes = encodeRows(rows);
      const parts: SnapshotPart[] = [];
      for (let at = 0; at < bytes.length; at += partBytes) {
        const part = bytes.subarray(at, at + partBytes);
        const name = `parts/${generation}-${crypto.randomUUID()}`;
        await blobs.put(prefix + name, part, { ifNoneMatch: "*" });
        isProved ||= await proveConditions(prefix + name, part);
        parts.push({ name, size: part.length, sha256: sha256(part) });
      }
      return parts;
    },
    async commit(manifest, { etag }) {
      const bytes = writeManifest(manifest);
      const put = await blobs.put(manifestKey, bytes, etag === undefined ? { ifNoneMatch: "*" } : { ifMatch: etag });
      if (put.status === "written") return { manifest, etag: put.etag };
      // The newer manifest may be this process's own, from a write that was reported as failed but arrived.
      const now = await see();
      return now.manifest.writer === manifest.writer ? now : undefined;
    },
    async sweep(manifest) {
      const named = partsOf(manifest);
      const old: string[] = [];
      for await (const { key } of blobs.list({ prefix: `${prefix}parts/` })) {
        const name = key.slice(prefix.length);
        // Parts of a later generation stay: another process has read this manifest and is writing the next.
        if (!named.has(name) && generationOf(name) <= manifest.generation) old.push(key);
      }
      for (const key of old) await blobs.delete(key);
    },
  };
}
