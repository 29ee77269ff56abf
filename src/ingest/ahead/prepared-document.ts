import type { DocumentKind } from "../../chunkers/chunk-by-kind.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { ReadInput, Reader, ReadResult } from "../../contracts/reader.ts";

/** A file on its way to the thread: which reader, by its place in the list that both sides have, and what of its input is data. */
export interface Asked {
  readonly job: number;
  readonly reader: number;
  readonly input: Omit<ReadInput, "signal" | "readPart">;
}

/** What came of it. `document` is absent where the thread could not: whoever asked does it himself, and meets what was wrong. */
export interface Answered {
  readonly job: number;
  readonly document?: PreparedDocument;
}

/** The thread's first word: {@link nameParts} of what it works with. */
export interface Ready {
  readonly ready: string;
}

/** What can be made of a file's bytes before anything is known of who ingests it, and as what. */
export interface PreparedDocument {
  readonly result: ReadResult;
  /** What the file says, or its words show; `""` when neither does. */
  readonly language: string;
  readonly isDetected: boolean;
  /** Absent where a document is not cut by places alone: sheets. */
  readonly cuts?: PreparedCuts;
}

/** Where a document was cut, and the terms of each chunk by their numbers in a list that both sides keep: numbers cross a thread for a tenth of what strings cost. */
export interface PreparedCuts {
  readonly kind: DocumentKind;
  /** Start and end of each chunk. */
  readonly places: Uint32Array;
  /** Texts that are not the slice itself, by the chunk's index. */
  readonly texts: ReadonlyMap<number, string>;
  /** All chunks' terms one after the other; without a language, none. */
  readonly terms: Uint32Array;
  /** Where in `terms` those of each chunk end. */
  readonly ends: Uint32Array;
  /** What the list of terms grew by, and whether it began anew before. */
  readonly added: readonly string[];
  readonly anew: boolean;
}

/** What documents are prepared with, as one name: those who share it make the same of the same bytes. A bundle may find another version's program. */
export function nameParts(parts: {
  readonly readers: readonly Pick<Reader, "name">[];
  readonly chunker: { readonly fingerprint: string };
  readonly analyzer: Pick<Analyzer, "fingerprint">;
}): string {
  const { readers, chunker, analyzer } = parts;
  return JSON.stringify([readers.map(({ name }) => name), chunker.fingerprint, analyzer.fingerprint]);
}
