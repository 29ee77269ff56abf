import type { DelimitedTable, SheetSpan, SourceMap } from "../../contracts/document.ts";
import type { Hit } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";
import { readDelimitedCells, readDelimitedRows } from "../../text/delimited-rows.ts";
import type { Span } from "../../text/sentences.ts";
import { readWrittenRow } from "../../text/format-row.ts";

/** A row of a table. **Units** UTF-16, into the text that was read. */
export interface TableRow extends Span {
  readonly cells: readonly string[];
  /** Names of the columns, beside the cells; none where nothing names them. */
  readonly columns: readonly string[];
  /** It names the columns. */
  readonly isHeader: boolean;
}

/** The table or the sheets that a document is. */
export interface HitTable {
  /** Names of the columns, where rows do not say them. */
  readonly columns: readonly string[];
  /** The row with these names. **Units** UTF-16, into the document. */
  readonly header?: Span | undefined;
  /** Rows of a stretch of the document, which begins with a row, in order. **Shape** text around them is no row. */
  rowsIn(text: string, start: number): readonly TableRow[];
}

/** Documents in slices, as far as tables need them. */
export interface TableSource {
  /** `text.slice(start, end)`; `undefined` for a document that is not there or may not be read. */
  read(documentId: string, scope: Scope, start: number, end: number): Promise<string | undefined>;
  /** The table or the sheets that a document is. Absent: none are known. */
  tables?(documentId: string, scope: Scope): Promise<Pick<SourceMap, "delimited" | "sheets"> | undefined>;
}

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
    const found: Pick<SourceMap, "delimited" | "sheets"> = (await documents.tables(documentId, scope)) ?? {};
    const { delimited, sheets = [] } = found;
    const { start, end } = delimited?.header ?? { start: 0, end: 0 };
    const names = end === 0 ? "" : await documents.read(documentId, scope, start, Math.min(end, start + longestHeader));
    if (delimited !== undefined) tables.set(keyOf({ documentId, scope }), toTable(delimited, names ?? ""));
    else if (sheets.length > 0) tables.set(keyOf({ documentId, scope }), toSheets(sheets));
  }
  return (hit) => tables.get(keyOf(hit));
}

function toTable({ start: first, delimiter, header }: DelimitedTable, names: string): HitTable {
  const columns = header === undefined ? [] : readDelimitedCells(names, delimiter, 0, names.length);
  return {
    columns,
    header,
    rowsIn: (text, start) =>
      Array.from(readDelimitedRows(text, delimiter, Math.max(0, first - start)), (row) => ({
        ...row,
        columns,
        isHeader: header !== undefined && row.start + start === header.start,
      })),
  };
}

/** A row of a sheet is a line that says the names of its columns. A line without any names those of the next, or is prose. */
function toSheets(sheets: readonly SheetSpan[]): HitTable {
  return {
    columns: [],
    rowsIn(text, start) {
      const lines: Omit<TableRow, "isHeader">[] = [];
      for (const sheet of sheets) {
        const end = Math.min(text.length, sheet.end - start);
        for (let at = Math.max(0, sheet.start - start); at < end;) {
          const newline = text.indexOf("\n", at);
          const lineEnd = newline === -1 || newline > end ? end : newline;
          const line = text.slice(at, lineEnd);
          if (line.trim() !== "") lines.push({ start: at, end: lineEnd, ...readWrittenRow(line) });
          at = lineEnd + 1;
        }
      }
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
