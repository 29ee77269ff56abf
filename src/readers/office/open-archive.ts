import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";

import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput } from "../../contracts/reader.ts";
import { memberUri } from "../archives/archive-kind.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import { asksForPassword, passwordsToTry, unreadable } from "./refusals.ts";
import type { openLockedMembers } from "./unlock-members.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { readStream } from "../../runtime/read-stream.ts";

/** A ZIP archive, whose members are unpacked when they are asked for. */
export interface Archive {
  readonly uri: string;
  /** Names of the members in the order of the directory: `/` between folders, none at the beginning, no `.` or `..`. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /** A member, unpacked; `undefined` when there is none of this name. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Every file of the directory, also the second of two with one name. */
  readonly files: readonly ArchivedFile[];
}

/** A file in a ZIP archive, as the directory has it. */
export interface ArchivedFile {
  readonly name: string;
  /** As it is declared. A file that unpacks to another length is broken. **Units** bytes. */
  readonly size: number;
  readonly modified: Date;
  /** **Errors** as {@link openArchive}. */
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Opens bytes as a ZIP archive, within the limits of the reading.
 *
 * **Shape** a name is found as it stands, else without regard to case and percent-encoding, as the writers of office
 * files mix them. The first of two members with one name counts. Names lead nowhere: nothing is written to disk.
 * **Errors** `encrypted`, `unreadable` for a broken archive or member, `aborted`; `too-large` beyond `maxParts` members, or when all that is unpacked
 * grows beyond `maxExpandedBytes`, whatever the declared sizes.
 * **Cost** reads the directory; a member is inflated at each call.
 * **Source** PKWARE APPNOTE 6.3; Fifield, "A better zip bomb" (2019), for members that overlap: unpacked bytes count.
 */
export async function openArchive(
  input: Pick<ReadInput, "uri" | "bytes" | "limits" | "signal" | "password">,
): Promise<Archive> {
  const { uri, signal, password } = input;
  const { maxParts, maxExpandedBytes } = limitsOf(input);
  const bytes = withoutTail(await unlockPackage(input));
  const { fromBufferPromise, getFileNameLowLevel } = await import("yauzl").then((module) => module.default);
  const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    autoClose: false,
    lazyEntries: true,
    // Names are decoded here: one that points outside is no reason to refuse the file, since it is only looked up.
    decodeStrings: false,
  }).catch((error: unknown) => {
    throw unreadable(
      uri,
      isZip(bytes)
        ? "is cut off: the directory at its end is missing or broken"
        : "is no ZIP archive, as files of its kind are",
      error,
    );
  });
  if (zip.entryCount > maxParts) throw overLimit(uri, "maxParts", maxParts, zip.entryCount);

  const listed: Entry[] = [];
  try {
    for await (const entry of zip.eachEntry()) listed.push(entry);
  } catch (error) {
    throw unreadable(uri, "has a broken directory", error);
  }
  const unsaid = listed.filter(({ fileNameRaw, ...entry }) => !saysCharset(entry) && fileNameRaw.some(isForeign));
  const charset = unsaid.length === 0 ? undefined : await findCharsetOf(unsaid);
  const nameOf = (entry: Entry): string =>
    charset === undefined || saysCharset(entry)
      ? getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
      : new TextDecoder(charset).decode(entry.fileNameRaw).replaceAll("\\", "/");
  const entries: (readonly [name: string, entry: Entry])[] = [];
  const exact = new Map<string, Entry>();
  const folded = new Map<string, Entry>();
  for (const entry of listed) {
    const name = cleanPath(nameOf(entry));
    if (name === "" || name.endsWith("/")) continue;
    entries.push([name, entry]);
    if (exact.has(name)) continue;
    exact.set(name, entry);
    const key = foldName(name);
    if (!folded.has(key)) folded.set(key, entry);
  }

  let unpacked = 0;
  let unlocking: ReturnType<typeof openLockedMembers> | undefined;
  const unlock = async (entry: Entry, shown: string): Promise<Uint8Array<ArrayBuffer>> => {
    if (password === undefined) throw asksForPassword(shown, undefined);
    unlocking ??= import("./unlock-members.ts").then(({ openLockedMembers: open }) => open(uri, bytes, password));
    const open = await unlocking;
    return open({ uri: shown, offset: entry.relativeOffsetOfLocalHeader, size: entry.uncompressedSize });
  };
  const find = (name: string): Entry | undefined => exact.get(name) ?? folded.get(foldName(name));
  /** `shown` is how a refusal of the member alone names it. */
  const read = async (name: string, entry: Entry, shown = uri): Promise<Uint8Array<ArrayBuffer>> => {
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    const isLocked = entry.isEncrypted();
    if (!isLocked && !unpackedMethods.has(entry.compressionMethod))
      throw unknownMethod(uri, name, entry.compressionMethod);
    // The declared size is safe to count: a member that grows beyond it is stopped there.
    unpacked += entry.uncompressedSize;
    if (unpacked > maxExpandedBytes) throw overLimit(uri, "maxExpandedBytes", maxExpandedBytes, unpacked);
    const member = isLocked
      ? await unlock(entry, shown)
      : await unpack(zip, entry).catch((error: unknown) => {
          throw unreadable(uri, `has a broken part ${name}`, error);
        });
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    return member;
  };
  return {
    uri,
    names: [...exact.keys()],
    has: (name) => find(name) !== undefined,
    async read(name) {
      const entry = find(name);
      if (entry !== undefined && isBomb(entry)) throw tooDense(uri, name, entry);
      return entry && read(name, entry);
    },
    files: entries.map(([name, entry]) => ({
      name,
      size: entry.uncompressedSize,
      modified: entry.getLastModDate(),
      read: () => read(name, entry, memberUri(uri, name)),
    })),
  };
}

/** A part that is smaller is read whatever it is packed into. **Units** bytes. */
const smallPart = 16 * 1024 * 1024;
/** **Source** Apache POI's least ratio of inflation, one to a hundred: XML of documents is packed to a tenth or a thirtieth. */
const mostDensity = 100;

/** Whether a part of a document is packed as no document is: a few bytes that become hundreds of megabytes of XML. */
function isBomb({ uncompressedSize, compressedSize }: Entry): boolean {
  return uncompressedSize > smallPart && uncompressedSize > compressedSize * mostDensity;
}

function tooDense(uri: string, name: string, { uncompressedSize, compressedSize }: Entry): IbidError {
  const times = Math.floor(uncompressedSize / Math.max(1, compressedSize)).toLocaleString("en");
  return new IbidError(
    "too-large",
    `${uri} has a part ${name} that unpacks to ${times} times its size; ${mostDensity} are allowed.`,
    {
      hint: "If the file is honest, open it in a program of its kind, and save it again from there.",
      uri,
      details: { part: name, packed: compressedSize, unpacked: uncompressedSize },
    },
  );
}

const unpackedMethods: ReadonlySet<number> = new Set([0, 8]);
/** **Source** PKWARE APPNOTE 4.4.5. */
const methodNames: ReadonlyMap<number, string> = new Map([
  [1, "Shrink"],
  [6, "Implode"],
  [9, "Deflate64"],
  [12, "bzip2"],
  [14, "LZMA"],
  [93, "Zstandard"],
  [95, "XZ"],
  [98, "PPMd"],
]);

function unknownMethod(uri: string, name: string, method: number): IbidError {
  const label = methodNames.get(method) ?? `method ${method}`;
  return new IbidError("unreadable", `${uri} has a part ${name} packed by ${label}, which is not unpacked here.`, {
    hint: "Unpack the archive with the program that made it, and give its files, or pack them again by Deflate, the usual method.",
    uri,
    details: { part: name, method },
  });
}

/** Whether a name says its encoding: by the flag of UTF-8, or by Info-ZIP's field for it. **Source** PKWARE APPNOTE 4.4.4 and 4.6.9. */
function saysCharset({
  generalPurposeBitFlag,
  extraFields,
}: Pick<Entry, "generalPurposeBitFlag" | "extraFields">): boolean {
  return (generalPurposeBitFlag & 0x800) !== 0 || extraFields.some(({ id }) => id === 0x7075);
}

const isForeign = (byte: number): boolean => byte >= 0x80;

async function findCharsetOf(entries: readonly Entry[]): Promise<string | undefined> {
  const { findNameCharset } = await import("./member-names.ts");
  return findNameCharset(entries.map(({ fileNameRaw }) => fileNameRaw));
}

/** **Units** bytes. **Source** PKWARE APPNOTE 4.3.16. */
const endOfDirectory = { mark: 0x06054b50, length: 22, longestComment: 0xffff } as const;

/** A ZIP archive without bytes that something on its way put behind it: its directory is looked for at the end. */
function withoutTail(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { mark, length, longestComment } = endOfDirectory;
  for (let at = bytes.length - length; at >= Math.max(0, bytes.length - length - longestComment); at--) {
    if (view.getUint32(at, true) !== mark) continue;
    const end = at + length + view.getUint16(at + 20, true);
    if (end === bytes.length) return bytes;
    const isWhole = view.getUint32(at + 12, true) + view.getUint32(at + 16, true) === at;
    if (isWhole && end < bytes.length) return bytes.subarray(0, end);
  }
  return bytes;
}

/** The stream fails by itself when a member is longer or shorter than it declares. */
async function unpack(zip: ZipFile, entry: Entry): Promise<Uint8Array<ArrayBuffer>> {
  const stream = (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
  const bytes = await readStream(stream, { maxBytes: entry.uncompressedSize });
  if (crc32(bytes) !== entry.crc32) throw new Error("its checksum does not match its content");
  return bytes;
}

/**
 * A `/`-separated path with its `.` and `..` resolved, within its root: what leads out of it stays at the root.
 *
 * **Shape** controls, and marks that turn the direction of a line, are `_`: a name shows as what it is.
 */
export function cleanPath(path: string): string {
  const steps: string[] = [];
  for (const step of path.replaceAll(/[\p{Cc}\p{Bidi_C}]/gu, "_").split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "." && step !== "") steps.push(step);
  }
  return steps.join("/") + (path.endsWith("/") ? "/" : "");
}

/** The path that `target` names, seen from the file at `from`. */
export function resolvePath(from: string, target: string): string {
  const folder = from.slice(0, from.lastIndexOf("/") + 1);
  return cleanPath(target.startsWith("/") ? target : folder + target);
}

/** The path of an address within an archive, without what follows `#`. */
export function decodePath(address: string): string {
  const [path = ""] = address.split("#", 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function foldName(name: string): string {
  return decodePath(name).toLowerCase();
}

function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

/** Office puts a file with a password into a compound file, which is no ZIP. **Source** MS-OFFCRYPTO, 1.3.3. */
function isCompoundFile(bytes: Uint8Array): boolean {
  return bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0;
}

/** The package in a file of Office with a password, else the file; programs try that of write protection by themselves. **Errors** `encrypted` without a password or with a wrong one. */
export async function unlockPackage({
  uri,
  bytes,
  password,
}: Pick<ReadInput, "uri" | "bytes" | "password">): Promise<Uint8Array> {
  if (!isCompoundFile(bytes)) return bytes;
  const { decryptPackage } = await import("../compound/decrypt-package.ts");
  for (const one of passwordsToTry(password)) {
    const opened = decryptPackage(bytes, uri, one);
    if (opened !== undefined) return opened;
  }
  throw asksForPassword(uri, password);
}
