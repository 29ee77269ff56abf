import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import { createByteReader, createByteWriter } from "../../engine/segments/bytes.ts";
import { type LanguageColumn, languageAt } from "../../engine/segments/language-column.ts";
import { sha256 } from "../../runtime/hash.ts";

/** Name of the file that names all the others. */
export const manifestName = "manifest.ibid";

const format = "ibid publication 2";

/** A document as the manifest has it; its row is its number, from 1. */
export interface PublishedDocument {
  readonly uri: string;
  readonly title: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Factor of the scores of its chunks. */
  readonly weight: number;
  /** How many chunks it has. Chunks stand in order of their documents, and in a document in order of their places. */
  readonly chunks: number;
  /** The file with the other facts: {@link PublishedFacts}. */
  readonly facts: string;
}

/**
 * Facts that every search needs, and no others: every visitor loads them. Lists of numbers are columns by ordinal of chunk; a chunk's row is its ordinal
 * plus 1.
 */
export interface PublishedManifest {
  readonly format: string;
  readonly scope: Scope;
  /** Fingerprint of the analyzer that made the terms. */
  readonly analyzer: string;
  /** ISO 8601. */
  readonly publishedAt: string;
  readonly documents: readonly PublishedDocument[];
  /** The same number, from 1, for chunks of the same text; 0 for a text that occurs once. */
  readonly copies: Uint8Array;
  /** Innermost heading of each chunk; 0 for that of the chunk before, 1 for the title of the document. */
  readonly headings: readonly (string | 0 | 1)[];
  readonly textLengths: Uint8Array;
  readonly nameLengths: Uint8Array;
  readonly languages: Uint8Array;
  /** How many chunks have each term of the headings, by ascending term: a search weighs the headings of its candidates by them. */
  readonly frequencies: Uint8Array;
  /** First term of each block of postings, and the file of the block. */
  readonly firsts: readonly string[];
  readonly postings: readonly string[];
}

/** Facts of a document that its hits need. */
export interface PublishedFacts {
  /** The text up to the end of its first part. */
  readonly text: string;
  /** Where each part of the text ends, in UTF-16 code units. */
  readonly ends: readonly number[];
  /** Files of the other parts of the text. */
  readonly parts: readonly string[];
  /** File of its tree, source map and metadata, which a whole document needs and a hit does not. */
  readonly structure: string;
  /** Distinct metadata of its chunks, as JSON. */
  readonly metadata: readonly string[];
  readonly chunks: readonly PublishedChunk[];
}

/** A chunk of a document: its place, `ChunkRow.details`, the number of its metadata, and the texts that are no slice. */
export type PublishedChunk = readonly [
  start: number,
  end: number,
  index: number,
  details: string,
  metadata: number,
  urtext: string | null,
  text: string | null,
];

/** Terms of the headings, ascending: both sides make them, so that the manifest has their counts alone. */
export function termsOfHeadings(
  analyzer: Analyzer,
  headings: readonly string[],
  languages: LanguageColumn,
): readonly string[] {
  const texts = new Map<string, Set<string>>();
  headings.forEach((heading, ordinal) => {
    const language = languageAt(languages, ordinal);
    texts.set(language, (texts.get(language) ?? new Set()).add(heading));
  });
  const terms = new Set<string>();
  for (const [language, said] of texts)
    for (const heading of said) for (const term of analyzer.analyze(heading, language)) terms.add(term);
  return [...terms].toSorted();
}

/** Fewest digits of a name. Each of the manifest's names is loaded by every visitor. */
const nameDigits = 12;

/** The name of a file by its compressed bytes; longer where another file has it. */
export function nameOf(packed: Uint8Array, isTaken: (name: string) => boolean = () => false): string {
  const hash = sha256(packed);
  let digits = nameDigits;
  while (isTaken(`${hash.slice(0, digits)}.ibid`)) digits += 1;
  return `${hash.slice(0, digits)}.ibid`;
}

/** Whether a file has the bytes that its name was made of. */
export function isNamed(packed: Uint8Array, name: string): boolean {
  const digits = name.replace(/\.ibid$/u, "");
  return digits.length >= nameDigits && sha256(packed).startsWith(digits);
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
