import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import { type LanguageColumn, languageAt } from "../../engine/segments/language-column.ts";
import { sha256 } from "../../runtime/hash.ts";
import { readHeld, writeHeld } from "../segments/held-columns.ts";

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

/** As {@link writeHeld} writes it. */
export function writeManifest(manifest: Omit<PublishedManifest, "format">): Uint8Array {
  return writeHeld({ format, ...manifest });
}

/** **Errors** `store-corrupt` for bytes of something else, or of a later version. */
export function readManifest(bytes: Uint8Array): PublishedManifest {
  try {
    const manifest = readHeld(bytes) as PublishedManifest;
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
