import type { Block } from "../contracts/document.ts";
import { firstLineStart, firstSentenceStart, firstWordStart, lastBoundary, type Level } from "./boundaries.ts";
import type { DocumentUnits } from "./document-units.ts";
import type { Measure } from "./measure.ts";
import { followsBlankLine } from "./outer-line.ts";
import { firstRowStart, lastRowStart } from "./table-rows.ts";
import { afterCodePoint, lastSafeCut } from "./safe-cut.ts";
import type { Cut, SplitPlan } from "./split-range.ts";
import { skipWhiteSpace, trimEndAt } from "./white-space.ts";

type TextLevel = Exclude<Level, "character">;

/** Coarse to fine; between blocks is 0. */
export const rankOf: Readonly<Record<Level, number>> = {
  paragraph: 1,
  "outer-line": 1,
  line: 2,
  sentence: 3,
  word: 4,
  part: 5,
  character: 6,
};

/** In which order a kind of block is taken apart. */
export type BlockLevels = Readonly<Record<Block["kind"], readonly TextLevel[]>>;

/** A heading or a rule is a line of prose. */
export const levelsOfProse: BlockLevels = {
  "front-matter": ["line", "word", "part"],
  heading: ["sentence", "word", "part"],
  paragraph: ["paragraph", "sentence", "word", "part"],
  list: ["paragraph", "line", "sentence", "word", "part"],
  table: ["line"],
  code: ["outer-line", "line", "word", "part"],
  quote: ["paragraph", "sentence", "word", "part"],
  html: ["paragraph", "line", "sentence", "word", "part"],
  rule: ["word", "part"],
};

/** Kinds in which a text can only be entered at the start of a line. */
const isMadeOfLines = (kind: Block["kind"]): boolean =>
  kind === "table" || kind === "code" || kind === "front-matter" || kind === "list";

export interface SectionPlanSettings {
  readonly maxSize: number;
  readonly overlap: number;
  readonly respectSentences: boolean;
  /** Default: prose, sentences before lines. */
  readonly levels?: BlockLevels;
  /** How coarse the place between two blocks is: at most 0, the less the coarser; `undefined` where they belong together. Default: 0, but after headings. */
  readonly rankBetween?: (before: Block, after: Block) => number | undefined;
}

const keepHeadings = (before: Block): number | undefined => (before.kind === "heading" ? undefined : 0);

/**
 * Plans the cuts of one oversized stretch: between blocks; then, in a block that does not fit, by its kind.
 *
 * **Shape** headings stay with the text after them. A table is cut between rows; a row wider than the size stays whole, its header with it.
 * The header is repeated before the rows where it takes at most half the size. Code is cut between lines, where it is
 * indented least. `to` is where the stretch ends, white space trimmed.
 * **Source** Embabel.
 */
export function createSectionPlan(
  text: string,
  to: number,
  { units, lastAtOrBefore, firstEndingAfter }: DocumentUnits,
  measure: Measure,
  { maxSize, overlap, respectSentences, levels = levelsOfProse, rankBetween = keepHeadings }: SectionPlanSettings,
): SplitPlan {
  /** A line that stands out is no better than any other where no blank line comes before it. */
  const rankAt = (level: TextLevel, end: number): number =>
    level === "outer-line" && !followsBlankLine(text, end) ? rankOf.line : rankOf[level];

  function headerAt(start: number): string {
    const unit = units[firstEndingAfter(start)];
    if (unit?.kind !== "table" || unit.bodyStart === undefined || start < unit.bodyStart) return "";
    const end = trimEndAt(text, unit.start, unit.bodyStart);
    if (end <= unit.start) return "";
    // Not more than half a chunk: a header as long as a chunk, repeated for every row, would multiply a hostile document.
    return measure.reach(unit.start, end, maxSize >> 1) >= end ? `${text.slice(unit.start, end)}\n` : "";
  }

  /** The last of the coarsest starts of units in (after, limit]. */
  function betweenUnits(after: number, limit: number): Omit<Cut, "header"> | undefined {
    let best: Omit<Cut, "header"> | undefined;
    for (let index = lastAtOrBefore(limit); index > 0; index -= 1) {
      const unit = units[index] as Block;
      if (unit.start <= after) break;
      const rank = rankBetween(units[index - 1] as Block, unit);
      if (rank !== undefined && (best === undefined || rank < best.rank)) best = { end: unit.start, rank };
    }
    return best;
  }

  function betweenRows(table: Block, after: number, limit: number, whole: boolean): number | undefined {
    const { start, end, bodyStart = start } = table;
    const row = lastRowStart(text, table, Math.max(after, start), Math.min(limit, end));
    if (row !== undefined && row > bodyStart) return row;
    if (start > after) return start;
    if (!whole) return row;
    // The header stays with a first row beyond the size, unless it is itself too long to be repeated.
    const headed = after < bodyStart && headerAt(bodyStart) !== "" ? bodyStart : after;
    if (row !== undefined && headed === after) return row;
    return firstRowStart(text, table, headed + 1) ?? end;
  }

  /** The best cut within `reach`; `whole` says that something must be cut off, be it larger than the size. */
  function cutWithin(start: number, after: number, reach: number, whole: boolean): Omit<Cut, "header"> | undefined {
    const limit = skipWhiteSpace(text, reach, to);
    const between = betweenUnits(after, limit);
    if (between !== undefined) return between;

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
    for (const level of levels[unit.kind]) {
      if (level === "sentence" && !respectSentences) continue;
      const end = lastBoundary(text, level, window);
      if (end !== undefined) return { end, rank: rankAt(level, end) };
    }
    if (alone !== undefined) return { end: alone, rank: rankOf.part };
    const end = lastSafeCut(text, after, reach) ?? (whole ? afterCodePoint(text, start) : undefined);
    return end === undefined ? undefined : { end, rank: rankOf.character };
  }

  function cutWith(start: number, after: number, header: string, upTo: number): Cut | undefined {
    const whole = after === start && upTo >= to;
    let reach = measure.reach(start, to, maxSize, header);
    const isNear = reach < to && to - reach <= (reach - start) >> 5;
    const isRest = reach >= to || (isNear && measure.of(start, to, header) <= maxSize);
    if (isRest && upTo >= to) return { end: to, rank: 0, header };
    reach = Math.min(reach, upTo);
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
    cut(start, after, limit = to) {
      const header = headerAt(start);
      const cut = header === "" ? undefined : cutWith(start, after, header, limit);
      return cut ?? cutWith(start, after, "", limit);
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
      else if (unit.kind === "table") found = firstRowStart(text, unit, from, unitEnd);
      else if (isMadeOfLines(unit.kind)) found = firstLineStart(text, from, unitEnd);
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
