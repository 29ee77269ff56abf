import { firstSentenceStart, firstWordStart, lastBoundary, type Level, type Window } from "./boundaries.ts";
import type { Measure } from "./measure.ts";
import { afterCodePoint, firstSafeCut, lastSafeCut } from "./safe-cut.ts";
import type { SplitPlan } from "./split-range.ts";
import { skipWhiteSpace, trimEndAt } from "./white-space.ts";

export interface RecursivePlanSettings {
  readonly maxSize: number;
  readonly overlap: number;
  /** Coarse to fine; characters come last by themselves. */
  readonly chain: readonly CutPlace[];
}

/** A kind of place that a text may be cut at. */
export interface CutPlace {
  /** The last one in a window. */
  last(text: string, window: Window): number | undefined;
  /** Where in [from, end) the overlap with a piece may begin that began at `context` and was cut at such a place. */
  firstShared(text: string, context: number, from: number, end: number): number | undefined;
}

/** The places between paragraphs, lines, sentences and words. Whole sentences are shared, and where a sentence had to be cut, whole words. */
export function placesOf(levels: readonly Exclude<Level, "character">[]): readonly CutPlace[] {
  return levels.map((level) => ({
    last: (text, window) => lastBoundary(text, level, window),
    firstShared: (text, context, from, end) =>
      level === "word" || level === "part"
        ? firstWordStart(text, from, end)
        : firstSentenceStart(text, context, from, end),
  }));
}

/** Plans the cuts of a stretch that ends at `upTo`, whatever its structure: at the furthest of the coarsest places of a chain. */
export function createRecursivePlan(
  text: string,
  upTo: number,
  measure: Measure,
  settings: RecursivePlanSettings,
): SplitPlan {
  const { maxSize, overlap, chain } = settings;
  const to = trimEndAt(text, 0, upTo);

  function cutWithin(start: number, after: number, reach: number): { end: number; rank: number } | undefined {
    const window = { context: start, after, limit: skipWhiteSpace(text, reach, to), end: to };
    for (const [rank, place] of chain.entries()) {
      const end = place.last(text, window);
      if (end !== undefined) return { end, rank };
    }
    const end = lastSafeCut(text, after, reach) ?? (after === start ? afterCodePoint(text, start) : undefined);
    return end === undefined ? undefined : { end, rank: chain.length };
  }

  return {
    cut(start, after, furthest = to) {
      let reach = measure.reach(start, to, maxSize);
      const isNear = reach < to && to - reach <= (reach - start) >> 5;
      const isRest = reach >= to || (isNear && measure.of(start, to) <= maxSize);
      if (isRest && furthest >= to) return { end: to, rank: 0, header: "" };
      reach = Math.min(reach, furthest);
      for (;;) {
        if (reach <= after && after > start) return undefined;
        const cut = cutWithin(start, after, reach);
        if (cut === undefined) return undefined;
        const end = trimEndAt(text, start, cut.end);
        if (measure.exact || end > reach || measure.of(start, end) <= maxSize) return { ...cut, header: "" };
        reach = start + (((end - start) * 7) >> 3);
      }
    },

    overlapStart(start, end, rank) {
      if (overlap === 0) return undefined;
      const from = Math.max(start + 1, measure.reachBack(start, end, overlap));
      if (from >= end) return undefined;
      const place = chain[rank];
      const found = place === undefined ? firstSafeCut(text, from, end) : place.firstShared(text, start, from, end);
      if (found === undefined) return undefined;
      const position = skipWhiteSpace(text, found, end);
      const isShared = position < end && (measure.exact || measure.of(position, end) <= overlap);
      return isShared ? position : undefined;
    },
  };
}
