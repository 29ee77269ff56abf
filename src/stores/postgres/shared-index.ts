import { IbidError } from "../../contracts/errors.ts";
import { pack, readHeld, unpack, writeHeld } from "../segments/held-columns.ts";

const format = "ibid index 1";

/** A sealed segment as processes without a copy read it. Lists of numbers are columns by ordinal, as `packColumn` writes them. */
export interface SharedSegment {
  /** Name of its files, made of their bytes. */
  readonly name: string;
  readonly size: number;
  /** As in `SegmentRow`. */
  readonly columns: string;
  /** As in `SegmentRow`. */
  readonly state: Uint8Array;
  /** Chunk rows, counted within the scope. */
  readonly keys: Uint8Array;
  readonly textLengths: Uint8Array;
  readonly nameLengths: Uint8Array;
  /** Place of the document in {@link SharedIndex.documents} plus 1; 0 for a chunk that is gone. */
  readonly documents: Uint8Array;
  readonly starts: Uint8Array;
  /** Place of the innermost heading in {@link SharedIndex.headings}. */
  readonly headings: Uint8Array;
  /** The first four bytes of each chunk's text key. */
  readonly texts: Uint8Array;
  /** How many live chunks have each of {@link SharedIndex.terms}. */
  readonly frequencies: Uint8Array;
  /** The files of these names, which every search reads. */
  readonly terms: Uint8Array;
  readonly languages: Uint8Array;
}

/** A document's row, counted within the scope, and what a search and a status read of it. */
export type SharedDocument = readonly [
  key: number,
  id: string,
  uri: string,
  title: string,
  folder: string | null,
  bytes: number,
  deletedAt: number | null,
];

/** The part of a scope's index that every search reads. The rest lies in files. */
export interface SharedIndex {
  readonly segments: readonly SharedSegment[];
  readonly documents: readonly SharedDocument[];
  readonly headings: readonly string[];
  /** Terms of the headings, ascending: a search weighs the headings of its candidates by them. */
  readonly terms: readonly string[];
}

/** File of what filters see: {@link SharedFacts}. */
export const factsFile = "facts";

/** Metadata and origins, each pair once, and the place of each chunk's, by ordinal. */
export interface SharedFacts {
  readonly sayings: readonly (readonly [metadata: string, origin: string])[];
  readonly chunks: Uint8Array;
}

export async function packIndex(index: SharedIndex): Promise<Uint8Array> {
  return pack(writeHeld({ format, ...index }));
}

/** **Errors** `store-corrupt` for another format. */
export async function unpackIndex(bytes: Uint8Array, name: string): Promise<SharedIndex> {
  let reason = "its bytes are damaged";
  try {
    const index = readHeld(await unpack(bytes)) as SharedIndex & { readonly format: string };
    if (index.format === format) return index;
    reason = `its format is ${index.format}, not ${format}`;
  } catch {
    // The reason stands.
  }
  throw new IbidError("store-corrupt", `The shared index of ${name} cannot be read: ${reason}.`, {
    hint: "Share it again: open the base with shareIndex and settle it, with the version of ibid that reads it.",
  });
}

/** The first four bytes of a text key as a number. */
export function textMark(textKey: string): number {
  return Number.parseInt(textKey.slice(0, 8), 16) >>> 0;
}
