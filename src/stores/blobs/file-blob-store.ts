import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BlobListing, BlobStore, StoredBlob } from "../../contracts/blob-store.ts";
import { IbidError } from "../../contracts/errors.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import {
  checkBlobKey,
  checkBlobList,
  checkBlobPut,
  checkBlobSize,
  checkMaxBlobBytes,
  isListed,
  isBlobKey,
} from "./check-blob.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

/** Runs one task at a time, of all processes that have the same folder. */
export type TakeTurns = <Value>(task: () => Promise<Value>, signal: AbortSignal | undefined) => Promise<Value>;

/**
 * Options of a folder of blobs.
 *
 * @experimental
 */
export interface FileBlobStoreOptions {
  /** Limit for one blob. **Units** bytes. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
}

/**
 * A {@link BlobStore} in a folder: one file for each key, named by {@link toBlobPath}.
 *
 * A write goes to a file beside, is synced, and is renamed into its place; then the folder is synced. Writers take turns, so that a condition is checked and
 * applied in one step. The next writer overwrites the remains of a killed one. An etag is a hash of the bytes.
 *
 * **Errors** as the contract; `store-failed` with `details.code` for a disk that is full or may not be written.
 * **Cost** two syncs a write; `head` reads and hashes the blob; `list` walks what lies under the prefix's folder and sorts it.
 */
export function createFileBlobStore(
  folder: string,
  takeTurns: TakeTurns,
  options: FileBlobStoreOptions = {},
): BlobStore {
  const maxBytes = checkMaxBlobBytes("openFileBlobStore", options.maxBytes);
  const unfinished = join(folder, ".unfinished");
  const pathOf = (key: string): string => join(folder, ...toBlobPath(key));

  const read = async (key: string, signal?: AbortSignal): Promise<StoredBlob | undefined> => {
    const bytes = await readBlob(pathOf(key), key, maxBytes, signal);
    return bytes && { key, size: bytes.length, etag: hash(bytes), bytes };
  };

  return {
    async head(key, asked = {}) {
      checkBlobKey(key, "head", asked);
      const found = await read(key, asked.signal);
      return found && { key, size: found.size, etag: found.etag };
    },
    async get(key, asked = {}) {
      checkBlobKey(key, "get", asked);
      return read(key, asked.signal);
    },
    async put(key, given, asked = {}) {
      checkBlobPut(key, given, asked, maxBytes);
      const { ifNoneMatch, ifMatch, signal } = asked;
      // The caller may change theirs while this one waits for its turn.
      const bytes = new Uint8Array(given);
      return takeTurns(
        () =>
          trying(key, async () => {
            throwIfAborted(signal, `put of ${key}`);
            const path = pathOf(key);
            if (ifNoneMatch !== undefined && (await exists(path))) return { status: "conflict" };
            if (ifMatch !== undefined && (await read(key))?.etag !== ifMatch) return { status: "conflict" };
            try {
              await writeSynced(unfinished, bytes);
              await makeFolder(dirname(path));
              await rename(unfinished, path);
            } catch (error) {
              await rm(unfinished, { force: true }).catch(() => {});
              throw error;
            }
            await syncFolder(dirname(path));
            return { status: "written", etag: hash(bytes) };
          }),
        signal,
      );
    },
    async delete(key, asked = {}) {
      checkBlobKey(key, "delete", asked);
      await takeTurns(
        () =>
          trying(key, async () => {
            throwIfAborted(asked.signal, `delete of ${key}`);
            await rm(unfinished, { force: true });
            const path = pathOf(key);
            await rm(path, { force: true });
            await syncFolder(await removeEmpty(dirname(path), folder));
          }),
        asked.signal,
      );
    },
    async *list(asked = {}) {
      checkBlobList(asked);
      const found: BlobListing[] = [];
      for await (const each of walk(folder, folderOf(asked.prefix), asked.signal)) {
        if (isListed(each.key, asked)) found.push(each);
      }
      for (const each of found.toSorted((a, b) => compareCodePoints(a.key, b.key))) {
        throwIfAborted(asked.signal, "list");
        yield each;
      }
    },
  };
}

const hash = (bytes: Uint8Array): string => `"${createHash("sha256").update(bytes).digest("hex")}"`;

/** The folders that every key of a prefix lies in. */
function folderOf(prefix = ""): readonly string[] {
  const whole = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  // A prefix that no key can begin with lists nothing, wherever one looks.
  return whole === "" ? [] : toBlobPath(`${whole}x`).slice(0, -1);
}

async function* walk(root: string, path: readonly string[], signal?: AbortSignal): AsyncGenerator<BlobListing> {
  throwIfAborted(signal, "list");
  const here = path.join("/");
  const entries = await trying(here, () => unlessMissing(readdir(join(root, ...path), { withFileTypes: true })));
  for (const entry of entries ?? []) {
    const inner = [...path, entry.name];
    if (entry.isDirectory()) yield* walk(root, inner, signal);
    else if (entry.isFile()) {
      const key = fromBlobPath(inner);
      const facts = key === undefined ? undefined : await unlessMissing(stat(join(root, ...inner)));
      if (key !== undefined && facts !== undefined) yield { key, size: facts.size };
    }
  }
}

/** A version whole: a file that is renamed away is read to its end as it was. */
async function readBlob(
  path: string,
  key: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  return trying(key, async () => {
    // A link was not put there by us, and leads who knows where.
    const file = await unlessMissing(open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)));
    if (file === undefined) return undefined;
    try {
      const facts = await file.stat();
      if (!facts.isFile()) return undefined;
      checkBlobSize(key, facts.size, maxBytes);
      return new Uint8Array(await file.readFile(signal === undefined ? {} : { signal }));
    } catch (error) {
      throwIfAborted(signal, `Reading ${key}`);
      throw error;
    } finally {
      await file.close();
    }
  });
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await makeFolder(dirname(path));
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Folders that are made are synced into those above them, or a crash would lose them with what lies in them. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, "r");
    await handle.sync();
  } catch (error) {
    // Windows cannot open folders, and some file systems cannot sync them: there a rename is as safe as it gets.
    if (!["EISDIR", "EPERM", "EINVAL", "ENOTSUP", "ENOENT"].includes(codeOf(error))) throw error;
  } finally {
    await handle?.close();
  }
}

/** Removes folders that hold nothing, upwards; gives the first that stays. A folder's name says something too. */
async function removeEmpty(folder: string, root: string): Promise<string> {
  let here = folder;
  while (here !== root && here.startsWith(root)) {
    try {
      await rmdir(here);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") break;
    }
    here = dirname(here);
  }
  return here;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

async function exists(path: string): Promise<boolean> {
  return (await unlessMissing(stat(path))) !== undefined;
}

/** `ENOTDIR`: a file stands where a folder would have to be. */
async function unlessMissing<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  return promise.catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error))) return undefined;
    throw error;
  });
}

const mends: Readonly<Record<string, string>> = {
  ENOSPC: "Make room on the disk.",
  EACCES: "Allow this process to read and write the folder.",
  EPERM: "Allow this process to read and write the folder.",
  EROFS: "Name a folder that can be written.",
  ENAMETOOLONG: "Use a shorter key, or a folder with a shorter path.",
};

async function trying<Value>(key: string, task: () => Promise<Value>): Promise<Value> {
  try {
    return await task();
  } catch (cause) {
    if (IbidError.isInstance(cause)) throw cause;
    const code = codeOf(cause);
    throw new IbidError("store-failed", `The blob ${key} could not be read or written: ${code || String(cause)}.`, {
      uri: key,
      hint: mends[code] ?? "Look at the folder and its disk.",
      details: { code, ...((code === "ENOSPC" || code === "EDQUOT") && { isFull: true }) },
      cause,
    });
  }
}

/**
 * Where a key's bytes lie: names of folders and a file that no file system reads as anything else.
 *
 * Lower-case letters, digits, `-`, `_` and inner dots stay. All else is written as `%` and two hexadecimal digits for each byte of UTF-8. Capitals are written
 * so for file systems that ignore case, and so is the first letter of names that Windows keeps for devices. A folder ends in `+`, so that `a` and `a/b`
 * can both be kept. A part that is too long for a file's name goes on in folders that end in `~`.
 *
 * **Shape** no part begins or ends with a dot, so none leaves the folder or meets the store's own files. Two keys never share a path.
 */
export function toBlobPath(key: string): readonly string[] {
  const parts = key.split("/").map(escapePart);
  return parts.flatMap((part, i) => {
    const pieces = part.match(/.{1,200}/gu) ?? [];
    const end = i === parts.length - 1 ? "" : "+";
    return pieces.map((piece, at) => (at === pieces.length - 1 ? piece + end : `${piece}~`));
  });
}

/** The key of a path; `undefined` for a path that no key has, such as that of a foreign file. */
export function fromBlobPath(path: readonly string[]): string | undefined {
  const written = path.map((name) => (name.endsWith("~") ? name.slice(0, -1) : name.replace(/\+$/u, "/"))).join("");
  let key: string;
  try {
    key = decodeURIComponent(written);
  } catch {
    return undefined;
  }
  return isBlobKey(key) && toBlobPath(key).join("/") === path.join("/") ? key : undefined;
}

const encoder = new TextEncoder();
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/u;

function escapePart(part: string): string {
  const escaped = Array.from(part, (character) =>
    /^[a-z0-9_.-]$/u.test(character) ? character : escapeBytes(character),
  ).join("");
  const safe = escaped.replace(/^\./u, "%2E").replace(/\.$/u, "%2E");
  return devices.test(safe) ? escapeBytes(safe.slice(0, 1)) + safe.slice(1) : safe;
}

function escapeBytes(character: string): string {
  return Array.from(encoder.encode(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(
    "",
  );
}
