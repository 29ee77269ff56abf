import type { Chunk } from "../contracts/chunk.ts";
import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import type { Block, TextDocument } from "../contracts/document.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { readDelimitedCells } from "../text/delimited-rows.ts";
import { formatFilledCells, formatRow, namesEmptyCells } from "../text/format-row.ts";
import { lengthKey } from "../text/length-key.ts";
import { heuristicTokens } from "../text/length.ts";
import { checkSizes, checkTextDocument } from "./check-sizes.ts";
import { columnsLine, defaultMaxTokens } from "./chunk-spreadsheet.ts";
import { createChunkFactory } from "./create-chunk.ts";
import { findUnits } from "./document-units.ts";
import { createMeasure } from "./measure.ts";
import { packRows, type WrittenRow } from "./pack-rows.ts";
import { createSectionChunker } from "./section-chunker.ts";
import { createSectionPlan } from "./section-plan.ts";
import { splitRange } from "./split-range.ts";
import { createRowCounter, type NumberedRow } from "./number-rows.ts";
import { skipWhiteSpace, trimEndAt } from "./white-space.ts";

/** Part of the fingerprint: a new version cuts documents again. */
const version = 1;

/**
 * How large chunks of a sheet may be.
 *
 * @experimental
 */
export interface SpreadsheetChunkerOptions {
  /** The limit of a chunk's text, its header included; a row that is larger by itself stands alone. Default 512. */
  readonly maxTokens?: number | undefined;
  /** How tokens are counted. Default `heuristicTokens`: one for every four characters. A tokenizer goes here, through `countInPieces`. */
  readonly length?: LengthFunction | undefined;
}

/** A table of a sheet: a block that names its columns and knows its rows. */
type SheetBlock = Block & Required<Pick<Block, "columns" | "rowStarts">>;

interface PlacedRow extends WrittenRow, NumberedRow {}

/**
 * Cuts workbooks and delimited text between rows, lazily. Each chunk names its sheet, its rows and its columns.
 *
 * **Shape** the chunk's `text` has the form of `chunkSpreadsheet`; its `urtext` is the rows as they stand in the document. A table's first chunk takes
 * the heading, the header row and the lines above it, when they fill at most half the size. No overlap. A row beyond the size stands alone. Column names of more
 * than half the size are not repeated. Text outside tables is cut as by `createSectionChunker`.
 * **Errors** `invalid-argument` at construction for impossible sizes and unknown options; `unsupported-input` for a document without text.
 * **Cost** linear. **Source** ToolUp's spreadsheet chunks: 512 tokens without overlap.
 *
 * @experimental
 */
export function createSpreadsheetChunker(options: SpreadsheetChunkerOptions = {}): Chunker {
  checkOptions("createSpreadsheetChunker", options, { maxTokens: true, length: true });
  const { maxTokens = defaultMaxTokens, length = heuristicTokens } = options;
  checkSizes("createSpreadsheetChunker", maxTokens, 0, length, ["maxTokens", "overlapTokens"]);
  const sections = createSectionChunker({ maxSize: maxTokens, overlap: 0, length });

  function* chunk(document: TextDocument): Generator<Chunk, undefined> {
    const { text, blocks = [] } = document;
    if (!blocks.some(isSheetBlock)) {
      yield* sections.chunk(document);
      return;
    }
    const countRows = createRowCounter(document);
    const makeChunk = createChunkFactory(document);
    const units = findUnits(document);
    const measure = createMeasure(text, length);
    const settings = { maxSize: maxTokens, overlap: 0, respectSentences: true };
    const cutLines = function* (from: number, to: number): Generator<Chunk, undefined> {
      const plan = createSectionPlan(text, trimEndAt(text, from, to), units, measure, settings);
      for (const { start, end } of splitRange(text, from, to, plan)) yield makeChunk(start, end);
    };

    let done = 0;
    /** Blocks since the last table, from the last heading on. */
    let before: Block[] = [];
    for (const table of blocks) {
      if (!isSheetBlock(table)) {
        before = table.kind === "heading" ? [table] : [...before, table];
        continue;
      }
      // The sheet's name is said anyway.
      const above = before.filter(({ kind }) => kind !== "heading").map(({ start, end }) => text.slice(start, end));
      const isShort = length(above.join("\n")) <= maxTokens >> 1;
      const lead = isShort ? (before[0]?.start ?? table.start) : table.start;
      yield* cutLines(done, lead);
      const { sheetName, numbered } = countRows(table);
      const header = { sheetName, total: numbered.length, lines: headerLines(table, maxTokens, length) };
      let start = lead;
      for (const { rows, text: written } of packRows(
        writeRows(text, table, numbered),
        header,
        maxTokens,
        length,
        isShort ? above : [],
      )) {
        const end = rows.at(-1)?.end ?? table.end;
        yield makeChunk(start, end, written);
        start = skipWhiteSpace(text, end, table.end);
      }
      // A header without rows.
      if (numbered.length === 0) yield makeChunk(lead, table.end);
      done = table.end;
      before = [];
    }
    yield* cutLines(done, text.length);
  }

  return {
    fingerprint: JSON.stringify(["spreadsheet", version, maxTokens, lengthKey(length)]),
    chunk: (document) => {
      checkTextDocument(document);
      return { [Symbol.iterator]: () => chunk(document) };
    },
  };
}

function isSheetBlock(block: Block): block is SheetBlock {
  return block.kind === "table" && block.columns !== undefined && block.rowStarts !== undefined;
}

function headerLines({ columns }: SheetBlock, maxTokens: number, length: LengthFunction): string[] {
  const line = columnsLine(columns);
  return length(line) <= maxTokens >> 1 ? [line] : [];
}

function* writeRows(
  text: string,
  { columns, delimiter }: SheetBlock,
  rows: readonly NumberedRow[],
): Generator<PlacedRow, undefined> {
  const format = namesEmptyCells(columns) ? formatRow : formatFilledCells;
  for (const row of rows) {
    const { start, end } = row;
    if (delimiter === undefined) {
      // Workbooks are written so from the beginning.
      yield { ...row, text: text.slice(start, end) };
    } else {
      const cells = readDelimitedCells(text, delimiter, start, end).map(onOneLine);
      yield { ...row, text: format(columns, cells) };
    }
  }
}

/** A cell that runs over several lines, on one. */
function onOneLine(cell: string): string {
  if (!cell.includes("\n")) return cell;
  return cell
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}
