/** The distinct terms of one text, with how often each occurs; order does not matter. */
export interface TermCounts {
  readonly terms: readonly string[];
  readonly counts: readonly number[];
}

/** The same, with a number for each term. */
export interface NumberedTerms {
  readonly numbers: ArrayLike<number>;
  readonly counts: ArrayLike<number>;
}

/** Coordinates of one term: `row` times `scale`. Both numbers are 32-bit floats, so they survive storage. */
export interface TermRow {
  readonly row: Int8Array;
  readonly scale: number;
  /** How much the term says, from 0 to 1. */
  readonly weight: number;
}

/** A space in which terms have places. */
export interface TermSpace {
  /** Two spaces with the same fingerprint place every text alike. */
  readonly fingerprint: string;
  /** 0 before anything is fitted: then a text is placed by how its terms are written alone. */
  readonly dimensions: number;
  find(term: string): TermRow | undefined;
}

/** A {@link TermRow} by its name. */
export interface FittedTerm extends TermRow {
  readonly term: string;
}

/** A text's place in a {@link TermSpace}. */
export interface TermVector {
  /** All zero for no terms. Compared by cosine. */
  readonly vector: Int8Array;
  /** How much of the text the space captures, from 0 to 1. */
  readonly energy: number;
  /** Weight of the query's cosine in an absolute fusion. */
  readonly weight: number;
}

/** A chunk to fit on. */
export interface FitChunk {
  readonly id: string;
  readonly terms: TermCounts;
}

/** A space that was fitted, to be stored by term. */
export interface CorpusFit {
  readonly fingerprint: string;
  /** 0 when there was nothing to fit. */
  readonly dimensions: number;
  /** Chunks that it was fitted on. */
  readonly chunks: number;
  /** The share of their weight that it captures, from 0 to 1. */
  readonly energy: number;
  /** By name, ascending by UTF-16 code unit. */
  readonly terms: readonly FittedTerm[];
}

/**
 * A dense leg without a download: it embeds the terms of the lexical index in a space fitted on the corpus.
 *
 * A store with such a model embeds its chunks and fits when there are enough. It fits again when a fit would be made of other chunks.
 *
 * **Shape** everything is deterministic: on every machine the same terms give the same vector, and the same chunks the same fit.
 * **Source** log-entropy weights and a randomised truncated SVD; see docs/decisions/0015.
 */
export interface CorpusModel {
  /** Chunks below which nothing is fitted; `Infinity` for never, and then what was fitted before is left alone. */
  readonly leastChunks: number;
  /**
   * Chunks that a fit is made of, when there are so many. The first of them count, in the order in which they came; the others are folded in.
   *
   * **Shape** at most `live`; it never falls as `live` grows.
   */
  corpusOf(live: number): number;
  /** Where terms are before anything is fitted. */
  readonly unfitted: TermSpace;
  /** Coordinates of a text's vector in a space of so many dimensions: the space's, and those of how terms are written. */
  vectorLength(dimensions: number): number;
  /** Ids of the chunks to fit on, ascending; of the same chunks in any order the same. */
  sample(chunks: Iterable<{ readonly id: string; readonly language?: string | undefined }>): readonly string[];
  /** Fits in slices, so that others get their turn. **Shape** yields the share that is done, from 0 to 1. */
  fit(chunks: Iterable<FitChunk>): Generator<number, CorpusFit> | AsyncGenerator<number, CorpusFit>;
  project(terms: TermCounts, space: TermSpace, purpose: "document" | "query"): TermVector;
  /** The vectors that {@link project} gives documents, for many of one space. `textOf` names a term. **Cost** it remembers the terms up to the highest number. */
  projector(
    space: TermSpace,
    textOf: (number: number) => string,
    find?: (number: number) => TermRow | undefined,
  ): (terms: NumberedTerms) => Int8Array;
}
