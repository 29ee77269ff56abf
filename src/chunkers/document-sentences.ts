import type { Block, TextDocument } from "../contracts/document.ts";
import { segmentSentences, type Span } from "../text/sentences.ts";
import { firstLineStart } from "./boundaries.ts";
import { findUnits } from "./document-units.ts";
import { isSafeCut } from "./safe-cut.ts";
import { firstRowStart } from "./table-rows.ts";
import { skipWhiteSpace, trimEndAt } from "./white-space.ts";

/**
 * Finds the sentences of a document, lazily, block by block: sentences in prose, rows in a table, lines in code.
 *
 * **Shape** in order, apart, without white space around them; together they hold every other character. None crosses a row, a line of code or the end of a
 * block, but a heading joins the sentence after it.
 * **Cost** linear.
 */
export function* findSentences(document: TextDocument): Generator<Span, undefined> {
  const { text } = document;
  let heading: number | undefined;
  let end = 0;
  for (const unit of findUnits(document).units) {
    end = unit.end;
    if (unit.kind === "heading") {
      heading ??= unit.start;
      continue;
    }
    for (const sentence of sentencesOf(text, unit)) {
      yield heading === undefined ? sentence : { start: heading, end: sentence.end };
      heading = undefined;
    }
  }
  if (heading !== undefined) yield { start: heading, end };
}

function* sentencesOf(text: string, unit: Block): Generator<Span, undefined> {
  const starts =
    unit.kind === "table" ? rowStarts(text, unit) : isCode(unit) ? lineStarts(text, unit) : proseStarts(text, unit);
  let start = unit.start;
  for (const next of starts) {
    if (next <= start) continue;
    yield* trimmed(text, start, next);
    start = next;
  }
  yield* trimmed(text, start, unit.end);
}

const isCode = ({ kind }: Block): boolean => kind === "code" || kind === "front-matter";

function* trimmed(text: string, from: number, to: number): Generator<Span, undefined> {
  const start = skipWhiteSpace(text, from, to);
  if (start < to) yield { start, end: trimEndAt(text, start, to) };
}

function* rowStarts(text: string, table: Block): Generator<number, undefined> {
  let start = table.bodyStart === undefined ? firstRowStart(text, table, table.start + 1) : table.bodyStart;
  while (start !== undefined && start < table.end) {
    yield start;
    start = firstRowStart(text, table, start + 1);
  }
}

function* lineStarts(text: string, { start, end }: Block): Generator<number, undefined> {
  let line = firstLineStart(text, start + 1, end);
  while (line !== undefined) {
    yield line;
    line = firstLineStart(text, line + 1, end);
  }
}

function* proseStarts(text: string, unit: Block): Generator<number, undefined> {
  for (const { start } of segmentSentences(text.slice(unit.start, unit.end))) {
    if (isSafeCut(text, unit.start + start)) yield unit.start + start;
  }
}
