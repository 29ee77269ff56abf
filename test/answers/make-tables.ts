import {
  makeDocx,
  makeEpub,
  makeOdt,
  makePptx,
  paragraph,
  slideParagraph,
  slideShape,
  wordTable,
} from "../readers/make-office.ts";
import { makePdf, type PdfTestLine } from "../readers/make-pdf.ts";

/** A table, with the rows that its format calls a header. Cells hold no signs of markup. */
export interface MadeTable {
  readonly header: readonly (readonly string[])[];
  readonly rows: readonly (readonly string[])[];
}

/** Paragraphs and tables, in order. */
export type MadePart = string | MadeTable;

type MadeDocument =
  | { readonly uri: string; readonly bytes: Uint8Array }
  | { readonly uri: string; readonly text: string };

/** Formats whose tables are lines of cells between bars without a line below the header, each with a maker of documents. */
export const tableFormats: Readonly<
  Record<"html" | "docx" | "pptx" | "odt" | "epub" | "rtf" | "pdf", (parts: readonly MadePart[]) => MadeDocument>
> = {
  html: (parts) => ({ uri: "offices.html", text: `<html><body>${parts.map(htmlPart).join("\n")}</body></html>` }),
  docx: (parts) => ({ uri: "offices.docx", bytes: makeDocx({ body: parts.map(wordPart).join("") }) }),
  pptx: (parts) => ({ uri: "offices.pptx", bytes: makePptx([{ shapes: parts.map(slidePart).join("") }]) }),
  odt: (parts) => ({ uri: "offices.odt", bytes: makeOdt(parts.map(odtPart).join("")) }),
  epub: (parts) => ({
    uri: "offices.epub",
    bytes: makeEpub([{ path: "one.xhtml", body: parts.map(htmlPart).join("\n") }]),
  }),
  rtf: (parts) => ({
    uri: "offices.rtf",
    bytes: new TextEncoder().encode(`{\\rtf1\\ansi ${parts.map(rtfPart).join("\n")}}`),
  }),
  pdf: (parts) => ({ uri: "offices.pdf", bytes: makePdf(pdfPages(parts)) }),
};

function htmlPart(part: MadePart): string {
  if (typeof part === "string") return `<p>${part}</p>`;
  const row = (tag: string, cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  const { header, rows } = part;
  const head = header.length === 0 ? "" : `<thead>${header.map((cells) => row("th", cells)).join("")}</thead>`;
  return `<table>${head}<tbody>${rows.map((cells) => row("td", cells)).join("\n")}</tbody></table>`;
}

function wordPart(part: MadePart): string {
  if (typeof part === "string") return paragraph(part);
  const { header, rows } = part;
  const table = wordTable([...header, ...rows]);
  let at = 0;
  return table.replaceAll("<w:tr>", (tag) => (at++ < header.length ? `${tag}<w:trPr><w:tblHeader/></w:trPr>` : tag));
}

/** A slide names one row of its table a header. */
function slidePart(part: MadePart): string {
  if (typeof part === "string") return slideShape(slideParagraph(part));
  const { header, rows } = part;
  const row = (cells: readonly string[]): string =>
    `<a:tr>${cells.map((cell) => `<a:tc><a:txBody>${slideParagraph(cell)}</a:txBody></a:tc>`).join("")}</a:tr>`;
  const table = `<a:tbl><a:tblPr firstRow="${header.length > 0 ? 1 : 0}"/>${[...header, ...rows].map(row).join("")}</a:tbl>`;
  return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="x"/></p:nvGraphicFramePr><a:graphic><a:graphicData>${table}</a:graphicData></a:graphic></p:graphicFrame>`;
}

function odtPart(part: MadePart): string {
  if (typeof part === "string") return `<text:p>${part}</text:p>`;
  const row = (cells: readonly string[]): string =>
    `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`).join("")}</table:table-row>`;
  const { header, rows } = part;
  const head =
    header.length === 0 ? "" : `<table:table-header-rows>${header.map(row).join("")}</table:table-header-rows>`;
  return `<table:table><table:table-column/>${head}${rows.map(row).join("")}</table:table>`;
}

function rtfPart(part: MadePart): string {
  if (typeof part === "string") return `\\pard ${part}\\par`;
  const row = (cells: readonly string[], mark: string): string =>
    `\\trowd${mark}${cells.map((_, i) => `\\cellx${1000 * (i + 1)}`).join("")} ${cells.map((cell) => `\\intbl ${cell}\\cell`).join(" ")} \\row`;
  const { header, rows } = part;
  // Rows without a paragraph between them are one table.
  return [...header.map((cells) => row(cells, "\\trhdr")), ...rows.map((cells) => row(cells, "")), "\\pard\\par"].join(
    "\n",
  );
}

/** Lines of text and rows of cells, from page to page. The names of columns are bold, as all programs set them that print tables. */
function pdfPages(parts: readonly MadePart[]): readonly (readonly PdfTestLine[])[] {
  const [top, bottom] = [740, 60];
  const pages: PdfTestLine[][] = [[]];
  let y = top;
  const place = (cells: readonly string[], font: PdfTestLine["font"] = "plain"): void => {
    if (y < bottom) {
      pages.push([]);
      y = top;
    }
    pages.at(-1)!.push(...cells.map((text, column) => ({ text, x: 60 + column * 125, y, size: 9, font })));
    y -= 13;
  };
  for (const part of parts) {
    if (typeof part === "string") {
      // A line ends before the edge of the page.
      for (const line of part.match(/.{1,90}(?:\s|$)/gu) ?? []) place([line.trim()]);
    } else {
      for (const cells of part.header) place(cells, "bold");
      for (const cells of part.rows) place(cells);
    }
    y -= 22;
  }
  return pages;
}
