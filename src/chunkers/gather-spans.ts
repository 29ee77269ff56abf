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
 * **Shape** pieces of whole spans, in order. A piece begins with the last spans of the previous one: as many as fit
 * into the overlap and leave room for the next span. After a requested break there is no overlap. A span that is larger
 * than the size is cut like any text.
 * **Cost** linear.
 */
export function* gatherSpans(
  text: string,
  spans: Iterable<Span>,
  measure: Measure,
  settings: GatherSettings,
): Generator<Piece, undefined> {
  const { maxSize, overlap, maxCount = Infinity, breaksBefore } = settings;
  const source = spans[Symbol.iterator]();
  /** Spans that were taken and handed back, and how many others were taken for good. */
  let waiting: Span[] = [];
  let taken = 0;
  /** Spans of the next piece: repeated ones, and new ones from `fresh` on. */
  let group: Span[] = [];
  let fresh = 0;

  const take = (): Span | undefined => {
    const span = waiting.shift() ?? (source.next().value as Span | undefined);
    if (span !== undefined) taken += 1;
    return span;
  };
  const handBack = (back: readonly Span[]): void => {
    waiting = [...back, ...waiting];
    taken -= back.length;
  };
  const fits = (start: number, end: number): boolean => measure.fits(start, end, maxSize, text.length);
  const isTooLong = (start: number, end: number): boolean => !measure.exact && measure.of(start, end) > maxSize;

  const endsBefore = (span: Span): "break" | "full" | undefined => {
    const { start } = group[0]!;
    if (breaksBefore?.(taken - 1, start, group.at(-1)!.end) === true) return "break";
    return group.length >= maxCount || !fits(start, span.end) ? "full" : undefined;
  };

  /** Lengths need not grow with the text: a group may turn out too long without what came next. It gives back its last spans, then what it repeats. */
  const shorten = (): void => {
    while (group.length > 1 && isTooLong(group[0]!.start, group.at(-1)!.end)) {
      if (group.length > fresh + 1) handBack([group.pop()!]);
      else [group, fresh] = [group.slice(fresh), 0];
    }
  };

  function* write(): Generator<Piece, undefined> {
    const { start } = group[0]!;
    const { end } = group.at(-1)!;
    if (group.length > 1 || (fits(start, end) && !isTooLong(start, end))) {
      yield { start, end, fresh: group[fresh]!.start, header: "" };
    } else {
      const plan = createRecursivePlan(text, end, measure, { maxSize, overlap, chain: finely });
      yield* splitRange(text, start, end, plan);
    }
  }

  /** Spans that the next piece repeats before `next`. */
  const repeat = (next: Span): Span[] => {
    const { start } = group[0]!;
    const { end } = group.at(-1)!;
    if (overlap === 0 || maxCount === 1) return [];
    const earliest = Math.max(start + 1, measure.reachBack(start, end, overlap));
    const last = group.slice(-Math.min(group.length, maxCount - 1));
    const from = last.findIndex(
      (span) => span.start >= earliest && measure.of(span.start, end) <= overlap && fits(span.start, next.end),
    );
    return from === -1 ? [] : last.slice(from);
  };

  for (let span = take(); span !== undefined; span = take()) {
    const why = group.length > fresh ? endsBefore(span) : undefined;
    if (why === undefined) {
      group.push(span);
      continue;
    }
    handBack([span]);
    shorten();
    yield* write();
    const next = waiting[0]!;
    group = why === "break" && next === span ? [] : repeat(next);
    fresh = group.length;
  }
  while (group.length > fresh) {
    shorten();
    yield* write();
    [group, fresh] = [waiting, 0];
    waiting = [];
  }
}
