import { skipWhiteSpace, trimEndAt } from "./white-space.ts";

/** A stretch of a document that becomes one chunk, and what is written before it in the chunk's `text`. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  /** Where begins what the piece before does not hold: `start`, or the end of the overlap. */
  readonly fresh: number;
  /** The header of the table whose rows the piece begins with. */
  readonly header: string;
}

/** Where a piece ends. */
export interface Cut {
  readonly end: number;
  /** How fine the boundary is: 0 the coarsest. */
  readonly rank: number;
  readonly header: string;
}

/** How a stretch of text is taken apart. */
export interface SplitPlan {
  /**
   * The best end for a piece from `start`: the furthest of the coarsest boundaries within the size, after `after`, up to `limit`.
   *
   * **Shape** always a cut when `after` is `start` and there is no limit; else `undefined` when the size ends before.
   */
  cut(start: number, after: number, limit?: number): Cut | undefined;
  /** Where the overlap with a piece begins, after its start, or `undefined` for none. */
  overlapStart(start: number, end: number, rank: number): number | undefined;
}

/**
 * Takes [from, to) apart, piece by piece and lazily.
 *
 * **Shape** pieces ascend, begin and end with characters that are not white space, and hold every such character. A piece after the first
 * begins in the one before, when the overlap fits. The overlap must not push the end of the piece to a finer boundary than without it, nor
 * than the one it begins at. So a paragraph that fits by itself is never cut for an overlap, but sentences of a cut one may be regrouped.
 * **Source** Embabel's oversized leaves, Ballerina's greedy pieces.
 */
export function* splitRange(text: string, from: number, to: number, plan: SplitPlan): Generator<Piece, undefined> {
  const end = trimEndAt(text, from, to);
  let start = skipWhiteSpace(text, from, end);
  if (start >= end) return;
  let fresh = start;
  let cut = plan.cut(start, start);
  while (cut !== undefined) {
    const pieceEnd = trimEndAt(text, start, cut.end);
    yield { start, end: pieceEnd, fresh, header: cut.header };
    const next = skipWhiteSpace(text, cut.end, end);
    fresh = next;
    if (next >= end) return;
    const overlap = plan.overlapStart(start, pieceEnd, cut.rank);
    const overlapped = overlap === undefined ? undefined : plan.cut(overlap, next);
    const isAsCoarse = overlapped !== undefined && overlapped.rank <= cut.rank;
    const plain = isAsCoarse ? undefined : plan.cut(next, next);
    if (overlap !== undefined && overlapped !== undefined && (isAsCoarse || overlapped.rank <= (plain?.rank ?? 0))) {
      start = overlap;
      cut = overlapped;
    } else {
      start = next;
      cut = plain;
    }
  }
}
