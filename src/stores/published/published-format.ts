import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import { createByteReader, createByteWriter } from "../../engine/segments/bytes.ts";
import { sha256 } from "../../runtime/hash.ts";

/** Name of the file that names all the others. */
export const manifestName = "manifest.ibid";

const format = "ibid publication 1";

/** A document as the manifest has it; its row is its number, from 1. */
export interface PublishedDocument {
  readonly uri: string;
  readonly title: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Factor of the scores of its chunks. */
  readonly weight: number;
  /** Files of its text, the first with its structure as well. */
  readonly parts: readonly string[];
  /** Where each part of the text ends, in UTF-16 code units. */
  readonly ends: readonly number[];
}

/** Facts that every search needs. Lists of numbers are columns by ordinal of chunk; a chunk's row is its ordinal plus 1. */
export interface PublishedManifest {
  readonly format: string;
  readonly scope: Scope;
  /** Fingerprint of the analyzer that made the terms. */
  readonly analyzer: string;
  /** ISO 8601. */
  readonly publishedAt: string;
  readonly documents: readonly PublishedDocument[];
  /** Number of the document, start, length, index, and group of copies (0: none) of each chunk, one column after the other. */
  readonly chunks: Uint8Array;
  /** `ChunkRow.details` of each chunk. */
  readonly details: readonly string[];
  readonly textLengths: Uint8Array;
  readonly nameLengths: Uint8Array;
  readonly languages: Uint8Array;
  /** Terms of innermost headings, ascending, and how many chunks have each: a search weighs the headings of its candidates by them. */
  readonly headingTerms: readonly string[];
  readonly frequencies: Uint8Array;
  /** First term of each block of postings, and the file of the block. */
  readonly firsts: readonly string[];
  readonly postings: readonly string[];
}

/** The first part of a document. Later parts have `text` alone. */
export interface PublishedPart {
  readonly text: string;
  /** Tree, source map and metadata, as JSON. */
  readonly structure?: string;
  /** Distinct metadata of its chunks, as JSON. */
  readonly metadata?: readonly string[];
  /** A row for each chunk by its place in the document: number of its metadata, and the texts that are no slice. */
  readonly chunks?: readonly (readonly [metadata: number, urtext: string | null, text: string | null])[];
}

/** The name of a file by its compressed bytes. */
export function nameOf(packed: Uint8Array): string {
  return `${sha256(packed).slice(0, 20)}.ibid`;
}

/** Rows of numbers as differences from the number before. */
export function packColumn(values: readonly number[]): Uint8Array {
  const writer = createByteWriter(values.length + 8);
  let before = 0;
  for (const value of values) {
    const step = value - before;
    writer.varint(step < 0 ? -2 * step - 1 : 2 * step);
    before = value;
  }
  return writer.take();
}

/** **Shape** as many numbers as were packed. */
export function unpackColumn(bytes: Uint8Array): number[] {
  const reader = createByteReader(bytes);
  const values: number[] = [];
  let before = 0;
  while (!reader.done) {
    const step = reader.varint();
    before += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
    values.push(before);
  }
  return values;
}

export async function pack(bytes: Uint8Array): Promise<Uint8Array> {
  return through(bytes, new CompressionStream("gzip"));
}

export async function unpack(bytes: Uint8Array): Promise<Uint8Array> {
  return through(bytes, new DecompressionStream("gzip"));
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const piped = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

const lengthBytes = 4;

/** JSON, then the byte arrays that it names by their places. */
export function writeManifest(manifest: Omit<PublishedManifest, "format">): Uint8Array {
  const held: Uint8Array[] = [];
  const json = new TextEncoder().encode(
    JSON.stringify({ format, ...manifest }, (_, value: unknown) =>
      value instanceof Uint8Array ? { column: held.push(value) - 1 } : value,
    ),
  );
  const writer = createByteWriter(json.length + 1024);
  const length = new Uint8Array(lengthBytes);
  new DataView(length.buffer).setUint32(0, json.length);
  writer.bytes(length);
  writer.bytes(json);
  for (const column of held) {
    writer.varint(column.length);
    writer.bytes(column);
  }
  return writer.take();
}

/** **Errors** `store-corrupt` for bytes of something else, or of a later version. */
export function readManifest(bytes: Uint8Array): PublishedManifest {
  try {
    const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
    const json = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(lengthBytes, lengthBytes + length));
    const reader = createByteReader(bytes, lengthBytes + length);
    const columns: Uint8Array[] = [];
    while (!reader.done) columns.push(reader.bytes(reader.varint()).slice());
    const manifest = JSON.parse(json, (_, value: unknown) =>
      typeof value === "object" && value !== null && "column" in value ? columns[Number(value.column)] : value,
    ) as PublishedManifest;
    if (manifest.format === format) return manifest;
    throw new Error(`its format is ${manifest.format}, not ${format}`);
  } catch (cause) {
    throw new IbidError("store-corrupt", `${manifestName} cannot be read.`, {
      uri: manifestName,
      hint: "Publish the documents again with this version of ibid.",
      cause,
    });
  }
}
