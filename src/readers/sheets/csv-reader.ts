import type { Block } from "../../contracts/document.ts";
import type { Reader, ReadResult, TextReadInput } from "../../contracts/reader.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { nextTurn } from "../../runtime/next-turn.ts";
import { createDelimitedScanner, readDelimitedCells } from "../../text/delimited-rows.ts";
import { nameColumn } from "../../text/format-row.ts";
import { columnName } from "../../text/locate.ts";
import { buildSections } from "../build-sections.ts";
import { decodeInput } from "../text/decode-source.ts";
import { detectDelimiter } from "./detect-delimiter.ts";
import { fileNameOf } from "../file-name.ts";
import { headerSampleRows, judgeHeader, type JudgedCell } from "./header-row.ts";
import { limitsOf, overLimit } from "../read-limits.ts";
import type { CellKind } from "./workbook.ts";

const tabs = "text/tab-separated-values";
const mediaTypes = new Set(["text/csv", "application/csv", "text/comma-separated-values", "text/x-csv", tabs]);

/** Lines above a table that are no rows of it, at most. */
const maxPreamble = 20;
/** Columns that have a name. **Source** Microsoft's limits of Excel. */
const maxColumns = 16_384;

/**
 * Delimited text: CSV, TSV and their kin with semicolons or pipes. The canonical text is the source itself.
 *
 * **Shape** one table block that knows where each row begins, the names of its columns and its delimiter; a row may hold line breaks in quotes. Rows of more or fewer
 * cells than most stay as they are, and are noted. Metadata say `delimiter`, `rows` (the header left out) and `columns`.
 * **Errors** `binary`, `unreadable`, `too-large` for a text beyond `maxTextLength`, or for a row, or as many rows, beyond `maxCells`.
 * **Cost** linear. **Source** RFC 4180; ToolUp.
 *
 * @experimental
 */
export const csvReader: Reader = {
  name: "csv/2",
  accepts: (mediaType) => mediaTypes.has(mediaType),
  read: async ({ bytes, charset, ...input }) => readCsv({ ...input, text: decodeInput(bytes, charset, input) }),
  readText: readCsv,
};

/** Rows after which others have their turn. */
const rowsAtOnce = 4096;

async function readCsv({ uri, text, mediaType, limits, signal }: TextReadInput): Promise<ReadResult> {
  const { maxCells } = limitsOf(limits === undefined ? {} : { limits });
  const title = fileNameOf(uri);
  // Excel takes a first line such as "sep=;" as a word about the file, not as a row of it.
  const told = /^sep=([,;|\t:^~ ])\n/.exec(text)?.[1];
  const from = told === undefined ? 0 : 6;
  const delimiter = told ?? (mediaType === tabs && hasTab(text) ? "\t" : detectDelimiter(text, from));

  const starts: number[] = [];
  const counts = new Map<number, { rows: number; first: number }>();
  const scanner = createDelimitedScanner(text, delimiter);
  const sample: string[][] = [];
  let end = from;
  for (let start = from; start < text.length;) {
    if (starts.length % rowsAtOnce === rowsAtOnce - 1) await nextTurn();
    if (starts.length % rowsAtOnce === 0) throwIfAborted(signal, `Reading ${uri}`, { uri });
    let count = 0;
    const rowEnd = scanner.scan(start, () => {
      count += 1;
      if (count > maxCells) throw overLimit(uri, "maxCells", maxCells);
    });
    if (text.slice(start, rowEnd).trim() !== "") {
      // Each row costs a place, a chunk's line and time, however short it is: a text of single letters is millions of them.
      if (starts.length >= maxCells) throw overLimit(uri, "maxCells", maxCells);
      starts.push(start);
      end = rowEnd;
      const known = counts.get(count);
      if (known === undefined) counts.set(count, { rows: 1, first: starts.length });
      else known.rows += 1;
      if (sample.length <= maxPreamble + headerSampleRows) {
        sample.push(readDelimitedCells(text, delimiter, start, rowEnd, maxColumns));
      }
    }
    start = rowEnd + 1;
  }

  const width = usualCount(counts);
  const opening = countPreamble(sample, width);
  const { names, hasHeader } = findNames(sample.slice(opening), width);
  const start = starts[opening];
  const rowStarts = starts.slice(opening + (hasHeader ? 1 : 0));
  const blocks: Block[] = [];
  // Without a row, all of it: a word about the file may be all there is.
  const before = text.slice(0, start).trimEnd();
  if (before !== "")
    blocks.push({ kind: "paragraph", start: before.length - before.trimStart().length, end: before.length });
  if (start !== undefined) {
    const table = { kind: "table", start, end, bodyStart: rowStarts[0] ?? end, rowStarts } as const;
    blocks.push({ ...table, columns: names, delimiter });
  }
  const header = hasHeader && start !== undefined ? { start, end: scanner.scan(start) } : undefined;
  const notes = noteRagged(counts, width);
  return {
    text,
    title,
    root: buildSections(text, title, []),
    sourceMap: {
      lines: "text",
      ...(start !== undefined && { delimited: { start, delimiter, ...(header && { header }) } }),
    },
    blocks,
    metadata: { delimiter, rows: rowStarts.length, columns: names.length },
    ...(notes === undefined ? {} : { notes: [notes] }),
  };
}

function hasTab(text: string): boolean {
  return text.slice(0, 1 << 16).includes("\t");
}

/** How many cells most rows have; the larger of two that are as frequent. */
function usualCount(counts: ReadonlyMap<number, { readonly rows: number }>): number {
  let usual = 0;
  let most = 0;
  for (const [count, { rows }] of counts) {
    if (rows > most || (rows === most && count > usual)) [usual, most] = [count, rows];
  }
  return usual;
}

/** The names of columns: the first row's where it is a header, else letters. */
function findNames(sample: readonly (readonly string[])[], width: number): { names: string[]; hasHeader: boolean } {
  const [first = []] = sample;
  const columns = Math.max(first.length, sample.length === 1 ? 0 : Math.min(width, maxColumns));
  const judged = sample.map((cells) => Array.from({ length: Math.min(columns, 1024) }, (_, i) => judgeCell(cells[i])));
  const score = judgeHeader(judged[0] ?? [], judged.slice(1));
  const hasHeader = score > 0 || (score === 0 && (first.length > 1 || looksLikeName(first[0] ?? "")));
  const names = Array.from({ length: columns }, (_, i) => {
    const letter = columnName(i + 1);
    return hasHeader ? nameColumn(first[i] ?? "", letter) : letter;
  });
  return { names, hasHeader };
}

/** Whether the first line of a single column is a name rather than the first of its texts. */
function looksLikeName(text: string): boolean {
  return text.length <= 64 && !/[\p{Sentence_Terminal},;:]$/u.test(text);
}

/** Rows of one cell before a table that has more: what programs write above their exports. */
function countPreamble(sample: readonly (readonly string[])[], width: number): number {
  if (width < 2) return 0;
  const first = sample.findIndex((cells) => cells.filter((cell) => cell !== "").length > 1);
  return first > 0 && first <= maxPreamble ? first : 0;
}

function judgeCell(text: string | undefined): JudgedCell {
  return text === undefined || text === "" ? undefined : { text, kind: kindOf(text) };
}

/** Apparent kind of a text: CSV declares none. */
function kindOf(text: string): CellKind {
  if (text.length >= 40) return "text";
  if (/^(?:true|false)$/iu.test(text)) return "boolean";
  if (/^[-+(]?[\p{Sc}]?\s?\d[\d.,'\s]*(?:e[+-]?\d+)?\s?[%\p{Sc}]?\)?$/iu.test(text) && text.length < 40)
    return "number";
  return /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/u.test(text) ? "date" : "text";
}

/** Rows that have another number of cells than most, in a sentence. */
function noteRagged(
  counts: ReadonlyMap<number, { readonly rows: number; readonly first: number }>,
  width: number,
): string | undefined {
  const others = [...counts].filter(([count]) => count !== width);
  const rows = others.reduce((sum, [, { rows: some }]) => sum + some, 0);
  if (rows === 0) return undefined;
  const [count, { first }] = others.reduce((a, b) => (b[1].first < a[1].first ? b : a)) as [number, { first: number }];
  const said = rows === 1 ? "1 row does" : `${rows.toLocaleString("en")} rows do`;
  return `Most rows have ${cells(width)}; ${said} not, the first of them row ${first} with ${cells(count)}. They were read as they are.`;
}

function cells(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "cell" : "cells"}`;
}
