import type { Span } from "../text/sentences.ts";
import type { Measure } from "./measure.ts";
import { createRecursivePlan, placesOf } from "./recursive-plan.ts";
import { type Piece, splitRange } from "./split-range.ts";

export interface GatherSettings {
  readonly maxSize: number;
  readonly overlap: number;
  /** How many spans a piece holds at most. Default: as many as fit. */
  readonly maxCount?: number;
  /** Whether a piece that begins at `start` should end before the span of that number, counted from 0. Default: never. */
  readonly breaksBefore?: (span: number, start: number, end: number) => boolean;
}

/** How a span is taken apart that is larger than the size. */
const finely = placesOf(["paragraph", "line", "sentence", "word", "part"]);

/**
 * Gathers neighbouring spans into pieces, lazily: as many as fit.
 *
 * **Shape** pieces of whole spans, in order; each after the first begins with as many of the last spans of the one before as fit into the overlap, and leave
 * room for what comes next. No overlap where a break was wanted. A span that is larger than the size is cut as any text is.
 * **Cost** linear.
 */
export function* gatherSpans(
  text: string,
  spans: Iterable<Span>,
  measure: Measure,
  settings: GatherSettings,
): Generator<Piece, undefined> {
  const { maxSize, overlap, maxCount = Infinity, breaksBefore } = settings;
  let group: Span[] = [];
  let fresh = 0;
  const fits = (start: number, end: number): boolean => measure.fits(start, end, maxSize, text.length);
  const piece = (): Piece => ({
    start: group[0]!.start,
    end: group.at(-1)!.end,
    fresh: group[fresh]!.start,
    header: "",
  });
  /** What the next piece repeats before `next`. */
  const repeated = (next: Span): Span[] => {
    const { start } = group[0]!;
    const { end } = group.at(-1)!;
    const earliest = Math.max(start + 1, measure.reachBack(start, end, overlap));
    const latest = group.slice(-Math.min(group.length, maxCount - 1));
    const from = latest.findIndex(
      (span) => span.start >= earliest && measure.of(span.start, end) <= overlap && fits(span.start, next.end),
    );
    return maxCount === 1 || from === -1 ? [] : latest.slice(from);
  };

  let number = 0;
  for (const span of spans) {
    const isBreak = group.length > fresh && breaksBefore?.(number, group[0]!.start, group.at(-1)!.end) === true;
    number += 1;
    if (group.length > fresh && (isBreak || group.length >= maxCount || !fits(group[0]!.start, span.end))) {
      yield piece();
      group = isBreak || overlap === 0 ? [] : repeated(span);
      fresh = group.length;
    }
    if (group.length === 0 && !fits(span.start, span.end)) {
      const plan = createRecursivePlan(text, span.end, measure, { maxSize, overlap, chain: finely });
      yield* splitRange(text, span.start, span.end, plan);
    } else {
      group.push(span);
    }
  }
  if (group.length > fresh) yield piece();
}
