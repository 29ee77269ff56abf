import type { Scope } from "./scope.ts";

/**
 * What can be wrong with a knowledge base.
 *
 * `damaged`: the file itself is; `stray`: a row that belongs to nothing; `unindexed`: a chunk that no search finds; `indexed-wrongly`: an index that says of a chunk
 * what is not so; `missing-vectors`: a chunk without a vector, where others of its document have one; `wrong-dimensions`: a vector that is not as long as its version
 * says; `stale-version`: a vector of a version that nothing searches in; `unfinished-purge`: something was purged, and the files still have it; `trace`: a text that was
 * asked for stands in a file.
 */
export type FindingKind =
  | "damaged"
  | "stray"
  | "unindexed"
  | "indexed-wrongly"
  | "missing-vectors"
  | "wrong-dimensions"
  | "stale-version"
  | "unfinished-purge"
  | "trace";

/** One thing that is wrong, and what became of it. */
export interface Finding {
  readonly kind: FindingKind;
  /** As a sentence. Never document text, never a probe. */
  readonly message: string;
  readonly scope?: Scope;
  /** How many of the same there are. */
  readonly count: number;
  /** Whether it was fixed. */
  readonly fixed: boolean;
  /** What else to do about it; absent when that is to ask for mending. */
  readonly hint?: string;
}

/** How an examination goes about it. */
export interface ExamineOptions {
  /** Mend what can be. Default false: nothing is written. */
  readonly fix?: boolean;
  /**
   * Texts that must stand in no file: each is looked for byte by byte, whole and in every run of eight characters that no document holds. **Units** UTF-16 characters, from 8.
   */
  readonly absent?: readonly string[];
}

/**
 * What an examination found.
 *
 * **Shape** `residue` is no fault: terms of chunks that were replaced stay in the index and in what was fitted, found by nobody, until those are next rewritten; a vacuum or a purge does that.
 */
export interface Diagnosis {
  /** Whether nothing is wrong, or nothing any more. */
  readonly healthy: boolean;
  readonly findings: readonly Finding[];
  readonly checked: {
    readonly documents: number;
    readonly chunks: number;
    readonly vectors: number;
    readonly terms: number;
  };
  /** Distinct terms that the index or a fit has and no live or restorable chunk. */
  readonly residue: number;
}
