import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { IbidError } from "../../../contracts/errors.ts";
import { throwIfAborted } from "../../../runtime/abort.ts";

export interface ReadFileOptions {
  /** How errors name the file. */
  readonly uri: string;
  readonly maxBytes: number;
  /** Whether a symbolic link may be read through. */
  readonly followLink: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads a regular file whole, never more than `maxBytes` of it, and never half of one version and half of the next.
 *
 * **Errors** `too-large`, also when it grew while it was read; `unreadable` for what is no regular file, cannot be opened, has vanished, or was
 * written to each time that it was read; `aborted`. **Cost** one allocation of the file's size. A pipe or device is never waited for.
 */
export async function readFileBytes(path: string, options: ReadFileOptions): Promise<Uint8Array> {
  const { uri, maxBytes, signal } = options;
  throwIfAborted(signal, "Reading", { uri });
  try {
    const small = readAtOnce(path, flagsFor(options), maxBytes);
    if (small !== undefined) return small;
    const file = await openRegular(path, options);
    try {
      return await readSteady(file, options);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw toReadError(error, uri);
  }
}

/** **Units** bytes. */
const pieceBytes = 1024 * 1024;

/**
 * The bytes of a regular file, piece by piece, never more than `maxBytes` of them. A change meanwhile is not noticed: the caller reads it twice to know.
 *
 * **Shape** a piece is good until the next is asked for. **Errors** as {@link readFileBytes}. **Cost** memory for one piece.
 */
export async function* readFilePieces(path: string, options: ReadFileOptions): AsyncGenerator<Uint8Array, undefined> {
  const { uri, maxBytes, signal } = options;
  const file = await openRegular(path, options);
  try {
    const piece = new Uint8Array(pieceBytes);
    for (let at = 0; ;) {
      throwIfAborted(signal, "Reading", { uri });
      let length = 0;
      while (length < piece.length) {
        const { bytesRead } = await file.read(piece, length, piece.length - length, at + length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      at += length;
      if (at > maxBytes) throw tooLarge(uri, at, maxBytes);
      if (length > 0) yield piece.subarray(0, length);
      if (length < piece.length) return undefined;
    }
  } catch (error) {
    throw toReadError(error, uri);
  } finally {
    await file.close();
  }
}

function flagsFor({ followLink }: ReadFileOptions): number {
  // Absent on Windows. Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  const nonBlocking = (constants.O_NONBLOCK as number | undefined) ?? 0;
  const noFollow = (constants.O_NOFOLLOW as number | undefined) ?? 0;
  return constants.O_RDONLY | nonBlocking | (followLink ? 0 : noFollow);
}

async function openRegular(path: string, options: ReadFileOptions): Promise<FileHandle> {
  const { uri, signal } = options;
  throwIfAborted(signal, "Reading", { uri });
  let file: FileHandle | undefined;
  try {
    file = await open(path, flagsFor(options));
    const facts = await file.stat();
    if (!facts.isFile()) throw notAFile(uri, facts);
    return file;
  } catch (error) {
    await file?.close();
    throw toReadError(error, uri);
  }
}

/** Asking a thread to do it takes several times as long as reading so much. **Units** bytes. */
const mostAtOnce = 64 * 1024;

/** A small file, in five calls of some microseconds. **Shape** `undefined` for any other, and for one that changes meanwhile. */
function readAtOnce(path: string, flags: number, maxBytes: number): Uint8Array | undefined {
  const file = openSync(path, flags);
  try {
    const before = fstatSync(file);
    if (!before.isFile() || before.size === 0 || before.size > Math.min(mostAtOnce, maxBytes)) return undefined;
    // As below: a buffer of its own, and a byte more than expected.
    const bytes = new Uint8Array(before.size + 1);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return length === before.size && isSame(before, fstatSync(file)) ? bytes.subarray(0, length) : undefined;
  } finally {
    closeSync(file);
  }
}

/** Whether nobody has written to a file between two looks. */
function isSame(before: Stats, after: Stats): boolean {
  return after.size === before.size && after.mtimeMs === before.mtimeMs && after.ctimeMs === before.ctimeMs;
}

/** How often a file that changes meanwhile is read, before it is left for the next ingestion. */
const attempts = 3;

async function readSteady(file: FileHandle, options: ReadFileOptions): Promise<Uint8Array> {
  const { uri } = options;
  let before = await file.stat();
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const bytes = await readWhole(file, before.size, options);
    const after = await file.stat();
    if (isSame(before, after)) return bytes;
    before = after;
  }
  throw new IbidError("unreadable", `${uri} was changed each of the ${attempts} times that it was read.`, {
    uri,
    hint: "Ingest it again when the program that writes it has finished.",
    details: { attempts },
  });
}

async function readWhole(
  file: FileHandle,
  size: number,
  { uri, maxBytes, signal }: ReadFileOptions,
): Promise<Uint8Array> {
  if (size > maxBytes) throw tooLarge(uri, size, maxBytes);
  // A buffer of its own, not a slice of Node's pool: readers may hand it to a worker. One byte more than expected tells whether it grew.
  let bytes = new Uint8Array(size + 1);
  let length = 0;
  for (;;) {
    throwIfAborted(signal, "Reading", { uri });
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
    if (length > maxBytes) throw tooLarge(uri, length, maxBytes);
    // It has grown, and may grow for ever. A file of size 0 that holds bytes, as in /proc, is read to its end.
    if (size > 0 && length > size) return bytes;
    if (length === bytes.length) bytes = grow(bytes, maxBytes + 1);
  }
}

/** An error that names the kind of a path that is no regular file. */
export function notAFile(uri: string, kind: FileKind): IbidError {
  const what = kind.isDirectory()
    ? "a folder"
    : kind.isFIFO()
      ? "a named pipe"
      : kind.isSocket()
        ? "a socket"
        : kind.isSymbolicLink()
          ? "a symbolic link"
          : "a device";
  return new IbidError("unreadable", `${uri} is ${what}, not a file.`, { uri, hint: "Only regular files are read." });
}

interface FileKind {
  isDirectory(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
  isSymbolicLink(): boolean;
}

/** `isFound` says that the file was found in a folder: one that is named outright may be larger. */
export function tooLarge(uri: string, size: number, limit: number, isFound = false): IbidError {
  return new IbidError("too-large", `${uri} has ${formatSize(size)}; the limit is ${formatSize(limit)}.`, {
    uri,
    hint: isFound
      ? "Split it, or name it outright, which allows more. In a program, maxFileBytes sets the limit."
      : "Split it. In a program, maxFileBytes sets the limit.",
    details: { size, limit },
  });
}

/** A system error in our words. An `IbidError` stays as it is. */
export function toReadError(error: unknown, uri: string): IbidError {
  if (IbidError.isInstance(error)) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  // Bytes of a name that are no UTF-8 come as this character, and lead nowhere.
  const isMisnamed = code === "ENOENT" && uri.includes("\uFFFD");
  const [message, hint] = reasons[isMisnamed ? "EILSEQ" : code] ?? [
    `cannot be read (${code || String(error)}).`,
    "Check the file and its disk.",
  ];
  return new IbidError("unreadable", `${uri} ${message}`, {
    uri,
    hint,
    cause: error,
    ...(code === "" ? {} : { details: { code } }),
  });
}

const reasons: { readonly [code: string]: readonly [message: string, hint: string] } = {
  EACCES: ["cannot be read: permission denied.", "Give the account that runs ibid the right to read it."],
  EPERM: ["cannot be read: permission denied.", "Give the account that runs ibid the right to read it."],
  ENOENT: ["vanished before it could be read.", "Run the ingestion again."],
  EILSEQ: ["has a name that is not UTF-8, and cannot be opened by it.", "Rename it."],
  ENOTDIR: ["vanished before it could be read.", "Run the ingestion again."],
  ELOOP: ["is a symbolic link, and links found in a folder are not followed.", "Name the link outright to follow it."],
  EMFILE: ["cannot be read: too many files are open.", "Raise the limit on open files (ulimit -n)."],
  ENFILE: ["cannot be read: too many files are open.", "Raise the limit on open files (ulimit -n)."],
  EIO: ["cannot be read: the disk reports an error.", "Check the disk."],
  ENAMETOOLONG: ["has a name that is too long for the file system.", "Use a shorter path."],
};

function grow(bytes: Uint8Array<ArrayBuffer>, limit: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(limit, Math.max(bytes.length * 2, 65_536)));
  larger.set(bytes);
  return larger;
}

function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  // Upwards, so that what is over a limit reads so.
  return `${Math.ceil(size * 10) / 10} ${units[unit]}`;
}
