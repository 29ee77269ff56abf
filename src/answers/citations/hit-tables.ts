import type { Quotation } from "../../contracts/answer.ts";
import type { DelimitedTable, SheetSpan, SourceMap, TableSpan } from "../../contracts/document.ts";
import type { Hit } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";
import { nameBarColumns, readBarCells } from "../../text/bar-cells.ts";
import { readDelimitedCells, readDelimitedRows } from "../../text/delimited-rows.ts";
import type { Span } from "../../text/sentences.ts";
import { readWrittenRow } from "../../text/format-row.ts";

/** A row of a table. **Units** UTF-16, into the text that was read. */
export interface TableRow extends Span {
  readonly cells: readonly string[];
  /** Names of the columns, beside the cells; none where nothing names them. */
  readonly columns: readonly string[];
  /** The rows with these names, where the row stands below them. **Units** UTF-16, into the document. */
  readonly header?: Span | undefined;
  /** It names the columns. */
  readonly isHeader: boolean;
}

/** The table or the sheets that a document is, or the tables in it. */
export interface HitTable {
  /** Names of the columns of each table in a stretch of the document, where its rows do not say them. */
  columnsIn(start: number, end: number): readonly (readonly string[])[];
  /** Rows of a stretch of the document, which begins with a row, in order. **Shape** text around them is no row. */
  rowsIn(text: string, start: number): readonly TableRow[];
}

/** Documents in slices, as far as tables need them. */
export interface TableSource {
  /** `text.slice(start, end)`; `undefined` for a document that is not there or may not be read. */
  read(documentId: string, scope: Scope, start: number, end: number): Promise<string | undefined>;
  /** The table or the sheets that a document is, and the tables in it. Absent: none are known. */
  tables?(documentId: string, scope: Scope): Promise<DocumentTables | undefined>;
}

type DocumentTables = Pick<SourceMap, "delimited" | "sheets" | "tables">;

/** The table of a hit; `undefined` for one of prose. */
export type TableOf = (hit: Pick<Hit, "documentId" | "scope">) => HitTable | undefined;

const keyOf = ({ documentId, scope }: Pick<Hit, "documentId" | "scope">): string => JSON.stringify([scope, documentId]);

/** Longest header that is read. */
const longestHeader = 8192;

/** Finds the tables that the documents of some hits are. **Cost** the structure of each document, which an answer reads anyway, and a header. */
export async function readTables(
  hits: readonly Pick<Hit, "documentId" | "scope">[],
  documents: TableSource,
): Promise<TableOf> {
  if (documents.tables === undefined) return () => undefined;
  const tables = new Map<string, HitTable>();
  for (const { documentId, scope } of new Map(hits.map((one) => [keyOf(one), one])).values()) {
    const found: DocumentTables = (await documents.tables(documentId, scope)) ?? {};
    const { delimited, sheets = [], tables: spans = [] } = found;
    const { start, end } = delimited?.header ?? { start: 0, end: 0 };
    const names = end === 0 ? "" : await documents.read(documentId, scope, start, Math.min(end, start + longestHeader));
    if (delimited !== undefined) tables.set(keyOf({ documentId, scope }), toTable(delimited, names ?? ""));
    else if (sheets.length > 0) tables.set(keyOf({ documentId, scope }), toSheets(sheets));
    else if (spans.length > 0) tables.set(keyOf({ documentId, scope }), toTables(spans));
  }
  return (hit) => tables.get(keyOf(hit));
}

function toTable({ start: first, delimiter, header }: DelimitedTable, names: string): HitTable {
  const columns = header === undefined ? [] : readDelimitedCells(names, delimiter, 0, names.length);
  return {
    columnsIn: () => (columns.length === 0 ? [] : [columns]),
    rowsIn: (text, start) =>
      Array.from(readDelimitedRows(text, delimiter, Math.max(0, first - start)), (row) => ({
        ...row,
        columns,
        header,
        isHeader: header !== undefined && row.start + start === header.start,
      })),
  };
}

/** Tables between prose: each of their lines is a row. */
function toTables(spans: readonly TableSpan[]): HitTable {
  return {
    columnsIn: (start, end) =>
      spans.flatMap((span) => (span.start < end && start < span.end && span.columns ? [span.columns] : [])),
    rowsIn: (text, start) =>
      spans.flatMap((span) => {
        const { header, columns = [] } = span;
        return linesIn(text, span.start - start, span.end - start).map((line): TableRow => {
          const cells = readBarCells(text.slice(line.start, line.end));
          const isHeader = header !== undefined && line.start + start < header.end;
          // A bar in a cell looks like the end of one: nobody knows under which names the cells stand.
          const known = cells.length > columns.length ? [] : columns;
          return { ...line, cells, columns: known, isHeader, header: isHeader ? undefined : header };
        });
      }),
  };
}

/** Characters between cells that a header is split at, likeliest first. */
const delimiters = [",", ";", "\t", "|"] as const;

/** The table of a quotation, by the header that it carries; `undefined` for one without. A delimiter splits header and row into as many cells, two or more. */
export function tableOfQuotation({ start, end, quote, header }: Quotation): HitTable | undefined {
  if (header === undefined) return undefined;
  const names = header.quote;
  if (names.startsWith("|")) return toTables([{ start, end, columns: nameBarColumns(names.split("\n")) }]);
  const count = (text: string, delimiter: string): number => readDelimitedCells(text, delimiter, 0, text.length).length;
  const delimiter = delimiters.find((one) => count(names, one) > 1 && count(names, one) === count(quote, one));
  return delimiter && toTable({ start, delimiter, header }, names);
}

/** The table in which a place of a document stands. */
export function tableAt(spans: readonly TableSpan[], position: number): TableSpan | undefined {
  return spans.find(({ start, end }) => start <= position && position < end);
}

/** Lines of a stretch that hold something, in order. */
function linesIn(text: string, from: number, to: number): readonly Span[] {
  const lines: Span[] = [];
  const end = Math.min(text.length, to);
  for (let at = Math.max(0, from); at < end;) {
    const newline = text.indexOf("\n", at);
    const lineEnd = newline === -1 || newline > end ? end : newline;
    if (text.slice(at, lineEnd).trim() !== "") lines.push({ start: at, end: lineEnd });
    at = lineEnd + 1;
  }
  return lines;
}

/** A row of a sheet is a line that says the names of its columns. A line without any names those of the next, or is prose. */
function toSheets(sheets: readonly SheetSpan[]): HitTable {
  return {
    columnsIn: () => [],
    rowsIn(text, start) {
      const lines = sheets.flatMap((sheet) =>
        linesIn(text, sheet.start - start, sheet.end - start).map((line) => ({
          ...line,
          ...readWrittenRow(text.slice(line.start, line.end)),
        })),
      );
      return lines.flatMap((line, index): readonly TableRow[] => {
        if (isNamed(line)) return [{ ...line, isHeader: false }];
        const next = lines[index + 1];
        const isHeader = next !== undefined && isNamed(next) && next.columns.every((name) => line.cells.includes(name));
        return isHeader ? [{ ...line, isHeader }] : [];
      });
    },
  };
}

const isNamed = ({ columns }: Pick<TableRow, "columns">): boolean => columns.some((name) => name !== "");
