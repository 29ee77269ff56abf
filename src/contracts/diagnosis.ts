import type { Scope } from "./scope.ts";

/**
 * Kind of a fault in a knowledge base.
 *
 * - `damaged`: the file itself is corrupt.
 * - `orphan`: a row belongs to no document.
 * - `unindexed`: no search finds the chunk.
 * - `indexed-wrongly`: the index disagrees with the chunk.
 * - `missing-vectors`: a chunk has no vector, where others of its document have one.
 * - `wrong-dimensions`: a vector differs in length from its version.
 * - `stale-version`: no search uses the vector's version.
 * - `unfinished-purge`: the files still hold purged bytes.
 * - `trace`: a file holds one of the `absent` texts.
 * - `engine-failed`: the engine under the knowledge base does not answer, or refuses.
 * - `engine-differs`: the engine has more or fewer entries than the store has vectors.
 *
 * @experimental
 */
export type FindingKind =
  | "damaged"
  | "orphan"
  | "unindexed"
  | "indexed-wrongly"
  | "missing-vectors"
  | "wrong-dimensions"
  | "stale-version"
  | "unfinished-purge"
  | "trace"
  | "engine-failed"
  | "engine-differs";

/**
 * One thing that is wrong, and what became of it.
 *
 * @experimental
 */
export interface Finding {
  readonly kind: FindingKind;
  /** As a sentence. Never document text, never a probe. */
  readonly message: string;
  readonly scope?: Scope;
  /** How many of the same there are. */
  readonly count: number;
  /** Whether it was fixed. */
  readonly fixed: boolean;
  /** Next action for the finding; absent where `fix` is the action. */
  readonly hint?: string;
}

/**
 * How an examination goes about it.
 *
 * @experimental
 */
export interface ExamineOptions {
  /** Repairs all that can be repaired. Default false: nothing is written. */
  readonly fix?: boolean | undefined;
  /**
   * Texts that no file may hold. The examination looks for the bytes of every run of eight of their characters that no document has. A text that a
   * document holds is no fault: {@link Diagnosis.sought} says so.
   * **Units** UTF-16 characters, from 8.
   */
  readonly absent?: readonly string[] | undefined;
}

/**
 * Result of a search for a text that no file may hold.
 *
 * - `absent`: no document and no file has it.
 * - `held`: a document has it that stands, or that can be restored.
 * - `left`: a file has it, or a part of it, and no such document does.
 * - `unproved`: stored documents share all of its parts, so bytes cannot tell.
 *
 * @experimental
 */
export type Sought = "absent" | "held" | "left" | "unproved";

/**
 * Result of an examination.
 *
 * **Shape** `residue` is no fault: terms of replaced chunks stay in the index and the fit until these are rewritten, and no search finds them. A vacuum or a purge removes them.
 *
 * @experimental
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
  /** Result for each of the `absent` texts, in their order; absent where none was asked for. */
  readonly sought?: readonly Sought[];
}
