import type { ExtractedTable } from "../../contracts/extraction.ts";

import type { PdfArea } from "./pdf-area.ts";
import type { PdfLine } from "./pdf-lines.ts";
import { writeRow } from "./pdf-tables.ts";

/** Recognised text as areas: a paragraph between blank lines, its lines joined as those of any other. */
export function textAreas(text: string): PdfArea[] {
  return text
    .replace(/\r\n?/gu, "\n")
    .split(/\n[ \t]*\n/u)
    .map((paragraph) =>
      paragraph
        .split("\n")
        .map(clean)
        .filter((line) => line !== ""),
    )
    .filter((lines) => lines.length > 0)
    .map((lines) => ({ kind: "paragraph", lines: lines.map(unplaced) }));
}

/** Converts a table of an extractor to an area. */
export function tableAreas({ headers, rows }: ExtractedTable): PdfArea[] {
  const lines = [...(headers.length > 0 ? [headers] : []), ...rows].map((cells) =>
    unplaced(writeRow(cells.map(clean))),
  );
  return lines.length === 0 ? [] : [{ kind: "table", headerRows: headers.length > 0 ? 1 : 0, lines }];
}

function clean(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- what a provider hands out may hold them
      .replace(/[\u0000-\u0008\u000E-\u001F\u007F\uFEFF]/gu, "")
      .replace(/\s+/gu, " ")
      .trim()
      .toWellFormed()
  );
}

/** A line of which nobody knows where it stands. */
export function unplaced(text: string): PdfLine {
  return { text, x: 0, right: 0, y: 0, size: 0, bold: false, mono: false, rtl: false };
}
