import type { Origin } from "../../contracts/document.ts";
import type { EmbeddingKind } from "../../contracts/embedding.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { RowNumbers } from "./bytes.ts";
import type { FieldLengths } from "./chunk-terms.ts";
import type { DenseForm, DenseRows } from "../vectors/dense-rows.ts";

/** Where a term occurs: `ordinals` ascend, the others run beside them. Chunks that have been deleted may still be among them. */
export interface Postings {
  readonly ordinals: Uint32Array;
  /** Occurrences in the text; 0 where only the names have it. */
  readonly counts: Uint32Array;
  /** Occurrences in the names; absent when there are none in the whole list. */
  readonly names: Uint32Array | undefined;
  /** Occurrences in the file's name; absent when there are none in the whole list. */
  readonly files?: Uint32Array | undefined;
}

/**
 * The vectors of one version, kind and form in one segment.
 *
 * **Shape** row `r` belongs to the chunk `ordinals[r]`; ordinals ascend.
 */
export interface VectorColumn {
  /** As `versionKey` writes it. */
  readonly version: string;
  readonly kind: EmbeddingKind;
  /** Form of the dense part; `"float32"` when there is none. */
  readonly form: DenseForm;
  /** Dimensions of the dense part; 0 when there is none. */
  readonly dimensions: number;
  readonly rows: number;
  readonly ordinals: Uint32Array;
  /** The numbers themselves, each part read when first asked for. */
  dense(): DenseRows | undefined;
  sparse(): SparseColumn | undefined;
  /** The column in stretches whose codes are looked at once and not kept, where that is less work than keeping them; see `pass-codes.ts`. */
  stretches?(): readonly VectorColumn[] | undefined;
}

/** Row `r` has the coordinates `indices[starts[r] … starts[r + 1])`. */
export interface SparseColumn {
  readonly starts: Uint32Array;
  readonly indices: Uint32Array;
  readonly values: Float32Array;
  readonly norms: Float64Array;
  /** The same by coordinate; made when first asked for. */
  inverted(): InvertedColumn;
}

/** Rows of each coordinate: those at `rows[starts[s] … starts[s + 1])`, ascending, where `s` is `slots.get(coordinate)`. */
export interface InvertedColumn {
  readonly slots: ReadonlyMap<number, number>;
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly values: Float32Array;
}

/** Metadata for filters. Chunks of a document mostly share theirs, so each distinct value is stored once: chunk `o` has `values[index[o]]`. */
export interface MetadataColumn {
  readonly index: Uint32Array;
  readonly values: readonly ChunkFacts[];
}

export interface ChunkFacts {
  readonly metadata: Metadata;
  readonly origin: Origin;
}

/**
 * Chunks of one scope that are searched together. Within a segment a chunk is its *ordinal*, from 0.
 *
 * **Source** Lucene's segments.
 */
export interface Segment {
  readonly scope: Scope;
  /** Ordinals in use. */
  readonly size: number;
  /** 1 for chunks that can be found; 0 for what is deleted, restorable or not. May be longer than `size`. */
  readonly live: Uint8Array;
  readonly liveCount: number;
  /** Terms of all live chunks, repetitions included. */
  readonly liveLengths: FieldLengths;
  /** Terms of the text, per chunk. May be longer than `size`. */
  readonly textLengths: Uint32Array;
  /** Terms of the names, per chunk. May be longer than `size`. */
  readonly nameLengths: Uint32Array;
  /** The chunk's row. */
  key(ordinal: number): number;
  chunkId(ordinal: number): string;
  /** In the order asked. **Cost** one read for all. */
  chunkIds(ordinals: readonly number[]): readonly string[];
  /** The document and offset of each chunk, in the order asked. **Cost** one read for all. */
  places(ordinals: readonly number[]): readonly StoredPlace[];
  /** Row of each chunk's document, by ordinal; 0 for one that is gone. May be longer than `size`. **Cost** one read of all, once. */
  documents(): RowNumbers;
  postings(term: string): Postings | undefined;
  /** Says which terms are asked for next, so that a source that fetches their postings fetches them together. Absent where they are at hand. */
  readonly expect?: ((terms: Iterable<string>) => void) | undefined;
  /** Live chunks that have a term in any field, the names of files included, where that is known without its postings. */
  frequencyOf?(term: string): number | undefined;
  /** Terms from `prefix` on, in order of UTF-16 code units, each once, as long as they begin with it. */
  terms(prefix: string): Iterable<string>;
  /** Languages of its live chunks. */
  languages(): ReadonlySet<string>;
  /** Language in which a chunk was indexed; `""` when unknown. */
  languageOf(ordinal: number): string;
  /** At most one of each form. */
  column(version: string, kind: EmbeddingKind, form: DenseForm): VectorColumn | undefined;
  /** Columns of all versions, or of some. **Cost** no other column is read. */
  columns(isWanted?: (version: string) => boolean): Iterable<VectorColumn>;
  facts(): MetadataColumn;
  /** Reads the next of what `facts` gives. **Shape** whether there are more. */
  readFacts(): boolean;
  /** Remembers which chunks a filter admits, until one of them changes. */
  readonly admitted: Map<string, Uint8Array>;
}

/** Fills `target` with what a file holds from `from` on, all its parts end to end. **Errors** `store-corrupt` where it ends before. */
export type ReadBytes = (target: Uint8Array, from: number) => void;

/** Reads of segments from their storage. Calls are synchronous, inside one transaction of the directory. */
export interface SegmentSource {
  /** A part of one of a segment's files. */
  file(segment: number, name: string, part: number): Uint8Array | undefined;
  /**
   * The same file by its bytes, where they can be had without making an array of each part. **Shape** holds until the transaction ends; `undefined`
   * where there is nothing but whole parts to read.
   */
  bytes?(segment: number, name: string): ReadBytes | undefined;
  /** Says which parts of a file are read next. Absent where they are at hand. */
  expect?(segment: number, name: string, parts: readonly number[]): void;
  /** Names of the segment's documents as `encodeNames` keeps them; `undefined` where none are kept. Absent where none ever are. */
  names?(segment: number): Uint8Array | undefined;
  /** As {@link Segment.frequencyOf}. Absent where postings are at hand. */
  frequency?(segment: number, term: string): number | undefined;
  /** Says which chunks' rows are read next. Absent where they are at hand. */
  expectChunks?(chunks: readonly number[]): void;
  chunkId(chunk: number): string;
  /** In the order asked. */
  chunkIds(chunks: readonly number[]): readonly string[];
  /** In the order asked. */
  chunkPlaces(chunks: readonly number[]): readonly StoredPlace[];
  /** Rows of the chunks' documents, in the order asked; 0 for a chunk that is gone. */
  chunkDocuments(chunks: readonly number[]): readonly number[];
  /** In the order asked. */
  chunkFacts(chunks: readonly number[]): readonly StoredFacts[];
}

/** Where a chunk begins, and in which document. */
export interface StoredPlace {
  readonly uri: string;
  readonly start: number;
}

/** As stored: metadata is JSON. */
export interface StoredFacts {
  readonly metadata: string;
  readonly origin: Origin;
}
