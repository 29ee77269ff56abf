import type { LengthFunction } from "../contracts/chunker.ts";
import { characters, heuristicTokens } from "../text/length.ts";

/**
 * How long stretches of one text are, and how far a size carries in it.
 *
 * **Cost** constant for characters and heuristic tokens. For any other length function a handful of calls on texts of about one size, whatever the length of the document.
 */
export interface Measure {
  of(start: number, end: number, header?: string): number;
  /**
   * Whether a stretch is within `size`. Call it with the same `start` and `horizon` (a later position that may follow), and
   * a growing `end`: the reach is then measured once.
   */
  fits(start: number, end: number, size: number, horizon: number): boolean;
  /** About the furthest position up to `end` at which `header` and the text from `start` are still within `size`; `start` when nothing is. */
  reach(start: number, end: number, size: number, header?: string): number;
  /** About the earliest position from `start` on from which the text up to `end` is within `size`. */
  reachBack(start: number, end: number, size: number): number;
  /** False when lengths need not grow with the text, so that a result must be measured once more. */
  readonly exact: boolean;
}

/**
 * About the largest count up to `total` whose length is within `size`: by doubling, then by turns of interpolation and bisection.
 *
 * **Shape** the length of what is returned has been measured, and is within `size`, unless 0 is returned. It stops 1/64 short of the optimum at most.
 * It depends on nothing but its arguments: what was cut before must not move later cuts, or an edit would re-embed a whole document.
 */
function largestWithin(total: number, size: number, lengthOf: (count: number) => number): number {
  let low = 0;
  let lowLength = 0;
  let high = total + 1;
  let highLength = 0;
  let count = Math.min(total, Math.max(1, size));
  for (let step = 0; ; step += 1) {
    const length = lengthOf(count);
    if (length <= size) {
      low = count;
      lowLength = length;
      if (low === total) return low;
    } else {
      high = count;
      highLength = length;
    }
    if (high > total) {
      const growth = lowLength > 0 ? Math.min(8, Math.max(1.25, (1.05 * size) / lowLength)) : 8;
      count = Math.min(total, Math.ceil(low * growth) + 1);
      continue;
    }
    const gap = high - low;
    if (gap <= 1 || gap <= low >> 6 || (low > 0 && lowLength >= size - (size >> 6))) return low;
    const guess =
      step % 2 === 0 ? low + (gap * (size - lowLength)) / Math.max(1, highLength - lowLength) : low + gap / 2;
    count = Math.min(high - 1, Math.max(low + 1, Math.floor(guess)));
  }
}

/** Lengths that are so many code units each, rounded up, need no measuring. */
function measureUnits(size: number): Measure {
  return {
    exact: true,
    of: (start, end, header = "") => Math.ceil((header.length + end - start) / size),
    fits: (start, end, most) => end - start <= most * size,
    reach: (start, end, most, header = "") => Math.min(end, Math.max(start, start + most * size - header.length)),
    reachBack: (start, end, most) => Math.max(start, end - most * size),
  };
}

/** Measures stretches of `text` with `length`. */
export function createMeasure(text: string, length: LengthFunction): Measure {
  if (length === characters) return measureUnits(1);
  if (length === heuristicTokens) return measureUnits(4);
  const of = (start: number, end: number, header = ""): number => length(header + text.slice(start, end));
  const reach = (start: number, end: number, size: number, header = ""): number =>
    start + largestWithin(end - start, size, (count) => of(start, start + count, header));
  let asked = { start: -1, horizon: -1, size: -1, reached: -1 };

  return {
    exact: false,
    of,
    fits: (start, end, size, horizon) => {
      if (asked.start !== start || asked.horizon !== horizon || asked.size !== size) {
        asked = { start, horizon, size, reached: reach(start, horizon, size) };
      }
      const { reached } = asked;
      if (reached >= end) return true;
      return end - reached <= (reached - start) >> 5 && of(start, end) <= size;
    },
    reach,
    reachBack: (start, end, size) => end - largestWithin(end - start, size, (count) => of(end - count, end)),
  };
}
