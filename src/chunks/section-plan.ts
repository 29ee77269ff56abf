import type { Block } from "../contracts/document.ts";
import {
  firstLineStart,
  firstSentenceStart,
  firstWordStart,
  lastBoundary,
  lastLineStart,
  type Level,
} from "./boundaries.ts";
import type { DocumentUnits } from "./document-units.ts";
import type { Measure } from "./measure.ts";
import { afterCodePoint, lastSafeCut } from "./safe-cut.ts";
import type { Cut, SplitPlan } from "./split-range.ts";
import { skipWhiteSpace, trimEndAt } from "./white-space.ts";

type TextLevel = Exclude<Level, "character">;

/** Coarse to fine; between blocks is 0. */
const rankOf: Readonly<Record<Level, number>> = { paragraph: 1, line: 2, sentence: 3, word: 4, part: 5, character: 6 };

/** In which order each kind of block is taken apart. A heading or a rule is a line of prose. */
const levelsOf: Readonly<Record<Block["kind"], readonly TextLevel[]>> = {
  "front-matter": ["line", "word", "part"],
  heading: ["sentence", "word", "part"],
  paragraph: ["paragraph", "sentence", "word", "part"],
  list: ["paragraph", "line", "sentence", "word", "part"],
  table: ["line"],
  code: ["paragraph", "line", "word", "part"],
  quote: ["paragraph", "sentence", "word", "part"],
  html: ["paragraph", "line", "sentence", "word", "part"],
  rule: ["word", "part"],
};

/** Kinds in which a text can only be entered at the start of a line. */
const isMadeOfLines = (kind: Block["kind"]): boolean =>
  kind === "table" || kind === "code" || kind === "front-matter" || kind === "list";

/** The last start of a row of a table in (after, limit]: of a line, where nobody says that rows are something else. */
function lastRowStart(text: string, { rowStarts }: Block, after: number, limit: number): number | undefined {
  if (rowStarts === undefined) return lastLineStart(text, after, limit);
  const row = rowStarts[countUpTo(rowStarts, limit) - 1];
  return row !== undefined && row > after ? row : undefined;
}

/** The first start of a row in [from, limit); what is no table begins its rows with its lines. */
function firstRowStart(text: string, { rowStarts }: Block, from: number, limit: number): number | undefined {
  if (rowStarts === undefined) return firstLineStart(text, from, limit);
  const row = rowStarts[countUpTo(rowStarts, from - 1)];
  return row !== undefined && row < limit ? row : undefined;
}

/** How many of ascending positions are not beyond `limit`. */
function countUpTo(positions: readonly number[], limit: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? Infinity) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface SectionPlanSettings {
  readonly maxSize: number;
  readonly overlap: number;
  readonly respectSentences: boolean;
}

/**
 * How one oversized stretch of a document is taken apart: between blocks; then, in the block that does not fit, by what that block is made of.
 *
 * **Shape** headings stay with what follows. A table is cut between rows, and its header is repeated before them where it takes no more than half
 * the size; a row wider than the size stays whole. Code is cut at blank lines, else between lines. `to` is where the stretch ends, white space trimmed.
 * **Source** Embabel (E18, rules 3 and 6).
 */
export function createSectionPlan(
  text: string,
  to: number,
  { units, lastAtOrBefore, firstEndingAfter }: DocumentUnits,
  measure: Measure,
  { maxSize, overlap, respectSentences }: SectionPlanSettings,
): SplitPlan {
  function headerAt(start: number): string {
    const unit = units[firstEndingAfter(start)];
    if (unit?.kind !== "table" || unit.bodyStart === undefined || start < unit.bodyStart) return "";
    const end = trimEndAt(text, unit.start, unit.bodyStart);
    if (end <= unit.start) return "";
    // Not more than half a chunk: a header as long as a chunk, repeated for every row, would multiply a hostile document.
    return measure.reach(unit.start, end, maxSize >> 1) >= end ? `${text.slice(unit.start, end)}\n` : "";
  }

  /** The last start of a unit in (after, limit] that does not leave a heading alone. */
  function betweenUnits(after: number, limit: number): number | undefined {
    for (let index = lastAtOrBefore(limit); index > 0; index -= 1) {
      const { start } = units[index] as Block;
      if (start <= after) return undefined;
      if (units[index - 1]?.kind !== "heading") return start;
    }
    return undefined;
  }

  function betweenRows(table: Block, after: number, limit: number, whole: boolean): number | undefined {
    const row = lastRowStart(text, table, Math.max(after, table.start), Math.min(limit, table.end));
    if (row !== undefined && row > (table.bodyStart ?? 0)) return row;
    if (table.start > after) return table.start;
    if (row !== undefined || !whole) return row;
    return firstRowStart(text, table, after + 1, table.end) ?? table.end;
  }

  /** The best cut within `reach`; `whole` says that something must be cut off, be it larger than the size. */
  function cutWithin(start: number, after: number, reach: number, whole: boolean): Omit<Cut, "header"> | undefined {
    const limit = skipWhiteSpace(text, reach, to);
    const between = betweenUnits(after, limit);
    if (between !== undefined) return { end: between, rank: 0 };

    let index = firstEndingAfter(after);
    while (units[index]?.kind === "heading" && (units[index + 1]?.start ?? to) <= limit) index += 1;
    const unit = units[index] as Block;
    // Headings lie before the unit, and what follows them does not fit: they stand alone after all, if nothing else can be cut off.
    const alone = unit.start > after ? unit.start : undefined;
    if (unit.kind === "heading" && alone !== undefined) return { end: alone, rank: rankOf.part };
    if (unit.kind === "table") {
      const end = betweenRows(unit, after, limit, whole);
      return end === undefined ? undefined : { end, rank: end === alone ? rankOf.part : rankOf.line };
    }
    const window = {
      context: Math.max(start, unit.start),
      after: Math.max(after, unit.start),
      limit: Math.min(limit, unit.end),
      end: Math.min(unit.end, to),
    };
    for (const level of levelsOf[unit.kind]) {
      if (level === "sentence" && !respectSentences) continue;
      const end = lastBoundary(text, level, window);
      if (end !== undefined) return { end, rank: rankOf[level] };
    }
    if (alone !== undefined) return { end: alone, rank: rankOf.part };
    const end = lastSafeCut(text, after, reach) ?? (whole ? afterCodePoint(text, start) : undefined);
    return end === undefined ? undefined : { end, rank: rankOf.character };
  }

  function cutWith(start: number, after: number, header: string): Cut | undefined {
    const whole = header === "" && after === start;
    let reach = measure.reach(start, to, maxSize, header);
    const isNear = reach < to && to - reach <= (reach - start) >> 5;
    if (reach >= to || (isNear && measure.of(start, to, header) <= maxSize)) return { end: to, rank: 0, header };
    for (;;) {
      if (reach <= after && !whole) return undefined;
      const cut = cutWithin(start, after, Math.max(reach, start), whole);
      if (cut === undefined) return undefined;
      const end = trimEndAt(text, start, cut.end);
      // Where a length need not grow with its text, what was cut off is measured once more.
      if (measure.exact || end > reach || measure.of(start, end, header) <= maxSize) return { ...cut, header };
      reach = start + (((end - start) * 7) >> 3);
    }
  }

  return {
    cut(start, after) {
      const header = headerAt(start);
      return (header === "" ? undefined : cutWith(start, after, header)) ?? cutWith(start, after, "");
    },

    overlapStart(start, end) {
      if (overlap === 0) return undefined;
      const from = Math.max(start + 1, measure.reachBack(start, end, overlap));
      const index = firstEndingAfter(from);
      const unit = units[index];
      if (unit === undefined || from >= end) return undefined;
      const unitEnd = Math.min(unit.end, end);
      const nextUnit = units[index + 1]?.start ?? end;
      let found: number | undefined;
      if (unit.start >= from) found = unit.start;
      else if (isMadeOfLines(unit.kind)) found = firstRowStart(text, unit, from, unitEnd);
      else if (respectSentences) found = firstSentenceStart(text, Math.max(start, unit.start), from, unitEnd);
      if (found === undefined && nextUnit < end) found = nextUnit;
      if (found === undefined && !isMadeOfLines(unit.kind)) found = firstWordStart(text, from, unitEnd);
      if (found === undefined) return undefined;
      const position = skipWhiteSpace(text, found, end);
      const isShared = position < end && (measure.exact || measure.of(position, end) <= overlap);
      return isShared ? position : undefined;
    },
  };
}
