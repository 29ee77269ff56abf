import { createGunzip } from "node:zlib";
import { createTarDecoder, type TarHeader } from "modern-tar";

import { IbidError } from "../../contracts/errors.ts";
import type { ReadInput, ReadLimits } from "../../contracts/reader.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { fileNameOf } from "../file-name.ts";
import { cleanPath, openArchive } from "../office/open-archive.ts";
import { unreadable } from "../office/refusals.ts";
import { limitsOf, overLimit } from "../read-limits.ts";

/** A file in an archive. */
export interface ArchiveMember {
  /** `/`-separated, without `.` and `..`: it leads nowhere but into the archive. */
  readonly path: string;
  /** **Units** bytes, unpacked. */
  readonly size: number;
  readonly modified?: Date;
  /** **Errors** `encrypted`, `unreadable`, `aborted`: the member alone is refused. */
  readonly bytes: () => Promise<Uint8Array>;
}

/** An archive with its media type, and how much of `maxExpandedBytes` is left for it. */
export type ArchiveInput = Pick<ReadInput, "uri" | "bytes" | "mediaType" | "limits" | "signal" | "password">;

/**
 * The files of an archive (ZIP, TAR, GZIP, or a TAR in a GZIP), in their own order. Nothing is written to disk.
 *
 * **Shape** folders, links and devices are left out. A GZIP of one file has one member, with the name of the archive without `.gz`.
 * **Errors** all before the first member: `too-large` beyond `maxParts` files or `maxExpandedBytes` of them together, `unreadable` for a broken archive. `aborted`.
 * **Cost** a ZIP is unpacked member by member, when each is asked for. A GZIP is unpacked twice, in pieces: once to measure, once to read; one member is in memory.
 * **Source** PKWARE APPNOTE 6.3; POSIX.1-2017 `pax`; RFC 1952.
 */
export async function* unpackArchive(input: ArchiveInput): AsyncGenerator<ArchiveMember, undefined> {
  const limits = limitsOf(input);
  if (input.mediaType === "application/zip") return yield* unpackZip(input, limits);
  const plain = input.mediaType === "application/x-tar";
  const open = plain ? () => pieces(input.bytes) : () => gunzip(input, limits);
  try {
    if (plain || (await isTar(open()))) return yield* unpackTar(input, limits, open);
    return yield* unpackOne(input, open);
  } catch (error) {
    if (IbidError.isInstance(error)) throw error;
    throw unreadable(input.uri, "is a broken archive", error);
  }
}

async function* unpackZip(input: ArchiveInput, limits: ReadLimits): AsyncGenerator<ArchiveMember, undefined> {
  const { files } = await openArchive(input);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > limits.maxExpandedBytes) throw overLimit(input.uri, "maxExpandedBytes", limits.maxExpandedBytes, size);
  for (const { name, size, modified, read } of files) yield { path: name, size, modified, bytes: read };
  return undefined;
}

/** One file, compressed. Its length stands nowhere, so it is unpacked to measure it. */
async function* unpackOne(
  { uri }: ArchiveInput,
  open: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<ArchiveMember, undefined> {
  let size = 0;
  for await (const piece of open()) size += piece.length;
  const path = fileNameOf(uri).replace(/\.gz$/iu, "");
  yield { path, size, bytes: () => collect(open(), size) };
  return undefined;
}

async function* unpackTar(
  { uri, signal }: ArchiveInput,
  { maxParts, maxExpandedBytes }: ReadLimits,
  open: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<ArchiveMember, undefined> {
  let size = 0;
  /** The later of two files with one name is the newer: `tar --append` writes it so. */
  const last = new Map<string, number>();
  let count = 0;
  for await (const { header, body } of entriesOf(open())) {
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    let length = 0;
    for await (const piece of body) length += piece.length;
    if (length < header.size) throw new Error(endsTooSoon);
    const path = pathOf(header);
    count++;
    if (path === undefined) continue;
    last.set(path, count);
    size += header.size;
    if (last.size > maxParts) throw overLimit(uri, "maxParts", maxParts);
    if (size > maxExpandedBytes) throw overLimit(uri, "maxExpandedBytes", maxExpandedBytes, size);
  }
  if (count === 0) throw unreadable(uri, "is no TAR archive that can be opened");
  let number = 0;
  for await (const { header, body } of entriesOf(open())) {
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    const path = pathOf(header);
    number++;
    if (path === undefined || last.get(path) !== number) {
      await body.cancel();
      continue;
    }
    const bytes = await collect(body, header.size);
    yield {
      path,
      size: header.size,
      ...(header.mtime && { modified: header.mtime }),
      bytes: () => Promise.resolve(bytes),
    };
  }
  return undefined;
}

interface TarEntry {
  readonly header: TarHeader;
  readonly body: ReadableStream<Uint8Array>;
}

function entriesOf(bytes: AsyncIterable<Uint8Array>): AsyncIterable<TarEntry> {
  return ReadableStream.from(bytes).pipeThrough(createTarDecoder());
}

/** `undefined` for anything but a file. */
function pathOf({ name, type = "file" }: TarHeader): string | undefined {
  const path = cleanPath(name);
  return type === "file" && path !== "" && !path.endsWith("/") ? path : undefined;
}

/** Whether the first block is a TAR's: its checksum is that of its other bytes. **Source** POSIX.1-2017 `pax`, ustar interchange format. */
async function isTar(bytes: AsyncIterable<Uint8Array>): Promise<boolean> {
  const block = new Uint8Array(512);
  let filled = 0;
  for await (const piece of bytes) {
    block.set(piece.subarray(0, block.length - filled), filled);
    filled = Math.min(block.length, filled + piece.length);
    if (filled === block.length) break;
  }
  const stated = Number.parseInt(new TextDecoder("latin1").decode(block.subarray(148, 156)).replace(/\0.*/su, ""), 8);
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  return filled === block.length && stated === sum;
}

const pieceBytes = 64 * 1024;

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** **Errors** `too-large` once more comes out than may: what is not asked for is never unpacked. */
async function* gunzip(
  { uri, bytes, signal }: ArchiveInput,
  { maxExpandedBytes }: ReadLimits,
): AsyncGenerator<Uint8Array> {
  const stream = createGunzip();
  let length = 0;
  stream.end(bytes);
  for await (const piece of stream as AsyncIterable<Uint8Array>) {
    throwIfAborted(signal, `Reading ${uri}`, { uri });
    length += piece.length;
    if (length > maxExpandedBytes) throw overLimit(uri, "maxExpandedBytes", maxExpandedBytes, length);
    yield piece;
  }
}

const endsTooSoon = "a file in it ends too soon";

async function collect(pieces: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for await (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  if (at < size) throw new Error(endsTooSoon);
  return bytes;
}
