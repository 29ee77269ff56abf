import type { TableRow } from "../citations/hit-tables.ts";
import { nameBarColumns, readBarCells } from "../../text/bar-cells.ts";
import { findBlocks, type FoundBlock } from "../../text/find-blocks.ts";
import { segmentSentences, type Span } from "../../text/sentences.ts";
import type { Stance } from "./opposite-actions.ts";

/** A stretch of a document that can be quoted: whole blocks of one heading. **Units** UTF-16, half open. */
export interface Quotable extends Span {
  /** Kinds of the blocks in it. */
  readonly kinds: ReadonlySet<FoundBlock["kind"]>;
  /** Stretch before it that its first block needs: the lead of a list, the header row of a table, or the sentence before code. */
  readonly context?: Span | undefined;
  /** Opening fence, where the passage begins within code. */
  readonly fence?: string | undefined;
  /**
   * For a row of a table or a sheet: its cells, beside the names of their columns. Side by side, two numbers may be read as one. The first cell that is not blank names
   * the row. `header` is the row with the names of the columns, where the document has it.
   */
  readonly row?:
    | { readonly cells: readonly string[]; readonly columns: readonly string[]; readonly header?: Span | undefined }
    | undefined;
  /** White space between it and the passage before; absent where anything else stands there. */
  readonly gap?: string | undefined;
}

/** **Units** UTF-16 code units, as are the lengths below. */
export const passageLength = 300;
/** No passage is longer: a block that cannot be cut well at {@link passageLength} may reach it. */
export const longestQuotable = 500;
/** A longer paragraph before a list, or sentence before code, is no lead. */
const longestLead = 250;

/** A last line of code that is shorter joins the one before. */
const shortLine = 8;

/** A block or a part of one. */
interface Piece extends Span {
  readonly kind: FoundBlock["kind"];
  readonly context?: Span | undefined;
  readonly fence?: string | undefined;
  readonly row?: Quotable["row"];
  readonly isApart: boolean;
  /** It leads in the piece after it, and is not parted from it where both fit. */
  readonly leadsIn: boolean;
}

/**
 * Cuts the text under one heading into passages: whole blocks in order, merged up to {@link passageLength}. A longer paragraph is cut at its sentences, longer
 * code at its lines. By `stanceOf` a block or sentence with the question's action never joins one before it with the opposite action.
 *
 * **Shape** in order, apart, each a slice of the text without white space around it. Headings, tags and front matter stand in none.
 * **Cost** linear.
 */
export function cutPassages(text: string, openFence = "", stanceOf: StanceOf = takesNoSide): readonly Quotable[] {
  const pieces = cutPieces(text, findBlocks(text, openFence), stanceOf);
  const passages: Quotable[] = [];
  let current: { start: number; end: number; kinds: Set<FoundBlock["kind"]>; first: Piece } | undefined;
  const flush = (): void => {
    if (current === undefined) return;
    const { start, end, kinds, first } = current;
    const before = passages.at(-1);
    const between = before && text.slice(before.end, start);
    const gap = between?.trim() === "" ? between : undefined;
    passages.push({ start, end, kinds, context: first.context, fence: first.fence, row: first.row, gap });
    current = undefined;
  };
  for (const [index, piece] of pieces.entries()) {
    const next = piece.leadsIn ? pieces[index + 1] : undefined;
    const isWhole = next !== undefined && !next.isApart && next.end - piece.start <= longestQuotable;
    const until = isWhole ? next.end : piece.end;
    const last = pieces[index - 1];
    const joins = last?.leadsIn === true && current !== undefined && piece.end - current.start <= longestQuotable;
    const turns = current !== undefined && turnsAround(text, current, piece, stanceOf);
    const isRow = piece.row !== undefined || current?.first.row !== undefined;
    if (current && (piece.isApart || isRow || turns || (!joins && until - current.start > passageLength))) flush();
    if (current === undefined) current = { start: piece.start, end: piece.end, kinds: new Set(), first: piece };
    current.end = piece.end;
    current.kinds.add(piece.kind);
  }
  flush();
  return passages;
}

/**
 * Cuts a stretch of a table or a sheet: each row is a passage, and text around rows is cut as {@link cutPassages} does. A row that is too long for a quotation is
 * cut at white space.
 *
 * **Shape** in order, apart; a row with the names of the columns is none. **Cost** linear.
 */
export function cutTable(
  text: string,
  rows: readonly TableRow[],
  openFence = "",
  stanceOf: StanceOf = takesNoSide,
): readonly Quotable[] {
  const passages: Quotable[] = [];
  let from = 0;
  const addProse = (to: number): void => {
    if (text.slice(from, to).trim() === "") return;
    for (const one of cutPassages(text.slice(from, to), from === 0 ? openFence : "", stanceOf)) {
      const { context } = one;
      const moved = context && { start: context.start + from, end: context.end + from };
      passages.push({ ...one, start: one.start + from, end: one.end + from, context: moved });
    }
  };
  for (const { start, end, cells, columns, header, isHeader } of rows) {
    addProse(start);
    from = end;
    if (isHeader) continue;
    const row = { cells, columns, header };
    for (const part of cutLong(text, trim(text, { start, end }), longestQuotable)) {
      const before = passages.at(-1);
      const between = before?.row && text.slice(before.end, part.start);
      const gap = between?.trim() === "" ? between : undefined;
      passages.push({ ...part, kinds: onlyRows, row, gap });
    }
  }
  addProse(text.length);
  return passages;
}

const onlyRows: ReadonlySet<FoundBlock["kind"]> = new Set(["row"]);

type StanceOf = (text: string) => Stance;
const takesNoSide: StanceOf = () => "neither";

/** Whether a stretch has the question's action, and the one before it the opposite. */
function turnsAround(text: string, before: Span, next: Span, stanceOf: StanceOf): boolean {
  return (
    stanceOf(text.slice(next.start, next.end)) === "same" &&
    stanceOf(text.slice(before.start, before.end)) === "opposite"
  );
}

function cutPieces(text: string, blocks: readonly FoundBlock[], stanceOf: StanceOf): readonly Piece[] {
  const pieces: Piece[] = [];
  let lead: Span | undefined;
  for (const [index, block] of blocks.entries()) {
    const { kind, start, end, header } = block;
    const next = blocks[index + 1];
    if (kind === "heading") {
      lead = undefined;
      continue;
    }
    const isApart = block.isApart || blocks[index - 1]?.kind === "heading";
    if (kind === "code") {
      const before = pieces.at(-1);
      if (!isApart && before && before.kind !== "code" && before.kind !== "row") lead = lastSentence(text, before);
      else if (before?.kind !== "code" || isApart) lead = undefined;
      pieces.push(...cutCode(text, block, isApart, lead));
    } else if (kind === "row") {
      const row = header && {
        cells: readBarCells(text.slice(start, end)),
        columns: nameBarColumns(text.slice(header.start, header.end).split("\n", 1)),
      };
      for (const [at, part] of cutLong(text, { start, end }, longestQuotable).entries())
        pieces.push({ ...part, kind, context: header, row, isApart: isApart && at === 0, leadsIn: false });
    } else {
      const leadsList = next?.kind === "item" && kind === "paragraph" && endsWithColon(text, end);
      const leadsIn =
        next !== undefined &&
        !next.isApart &&
        (leadsList ||
          next.kind === "code" ||
          (next.kind === "row" && kind === "paragraph" && endsWithColon(text, end)));
      const parts = cutProse(text, block, leadsIn ? passageLength - 150 : passageLength, stanceOf);
      for (const [at, part] of parts.entries()) {
        const context = kind === "item" ? lead : undefined;
        pieces.push({
          ...part,
          kind,
          context,
          isApart: isApart && at === 0,
          leadsIn: leadsIn && at === parts.length - 1,
        });
      }
      if (kind === "paragraph") lead = leadsList ? lastSentence(text, block) : undefined;
    }
  }
  return pieces;
}

function endsWithColon(text: string, end: number): boolean {
  return text[end - 1] === ":" || text[end - 1] === "：";
}

/** The last sentence of a stretch; `undefined` where it is too long to be shown before another. */
function lastSentence(text: string, { start, end }: Span): Span | undefined {
  const last = segmentSentences(text.slice(start, end)).at(-1);
  const span = last && { start: start + last.start, end };
  return span && span.end - span.start <= longestLead ? span : undefined;
}

/** Sentences, as many together as fit. A paragraph that leads in keeps its last sentence apart where it is long. */
function cutProse(text: string, block: Span, length: number, stanceOf: StanceOf): readonly Span[] {
  const { start, end } = block;
  const isLong = end - start > length;
  if (!isLong && stanceOf(text.slice(start, end)) !== "same") return [{ start, end }];
  const sentences = segmentSentences(text.slice(start, end)).flatMap((one) =>
    cutLong(text, trim(text, { start: start + one.start, end: start + one.end }), longestQuotable),
  );
  const parts: { start: number; end: number }[] = [];
  for (const [index, sentence] of sentences.entries()) {
    const last = parts.at(-1);
    const isKeptApart = isLong && length < passageLength && index === sentences.length - 1;
    const fits = last !== undefined && sentence.end - last.start <= passageLength;
    if (last && fits && !isKeptApart && !turnsAround(text, last, sentence, stanceOf)) last.end = sentence.end;
    else parts.push({ ...sentence });
  }
  return parts;
}

/** Lines, as many together as fit. */
function cutCode(text: string, block: FoundBlock, isApart: boolean, context: Span | undefined): readonly Piece[] {
  const { start, end, fence = "" } = block;
  if (end - start <= passageLength)
    return [{ start, end, kind: "code", context, fence: fence === "" ? "```" : undefined, isApart, leadsIn: false }];
  const parts: { start: number; end: number }[] = [];
  for (let at = start; at < end;) {
    const newline = text.indexOf("\n", at);
    const lineEnd = newline === -1 || newline > end ? end : newline;
    for (const line of cutLong(text, { start: at, end: lineEnd }, longestQuotable)) {
      const last = parts.at(-1);
      // The closing fence is no passage of its own.
      if (last && (line.end - last.start <= passageLength || (line.end === end && line.end - line.start < shortLine)))
        last.end = line.end;
      else if (text.slice(line.start, line.end).trim() !== "") parts.push({ ...line });
    }
    at = lineEnd + 1;
  }
  return parts.map((part, index) => ({
    ...part,
    kind: "code",
    context,
    fence: index > 0 ? fence || "```" : fence === "" ? "```" : undefined,
    isApart: isApart && index === 0,
    leadsIn: false,
  }));
}

/** Cuts a stretch without sentences: at a line, such as a row of delimited text. Otherwise at white space, or anywhere but within a character. */
function cutLong(text: string, { start, end }: Span, length: number): readonly Span[] {
  const parts: Span[] = [];
  let from = start;
  while (end - from > length) {
    const line = text.lastIndexOf("\n", from + length);
    const space = text.lastIndexOf(" ", from + length);
    let cut = line > from ? line : space > from + length / 2 ? space : from + length;
    if (isLowSurrogate(text.charCodeAt(cut))) cut -= 1;
    parts.push(trim(text, { start: from, end: cut }));
    from = cut;
  }
  parts.push(trim(text, { start: from, end }));
  return parts.filter((part) => part.start < part.end);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function trim(text: string, { start, end }: Span): Span {
  while (start < end && /\s/u.test(text[start]!)) start += 1;
  while (end > start && /\s/u.test(text[end - 1]!)) end -= 1;
  return { start, end };
}
