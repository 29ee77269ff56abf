/**
 * Writes the files that `npm run bench:reading` reads, and what a reader should find in them (`expected.json`).
 *
 *     npx node bench/reading/make-fixtures.ts
 *
 * LibreOffice (Debian: `apt-get install --no-install-recommends libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui`)
 * makes the office formats and PDF of the same documents; the rest is written by `write-markup.ts`. Earlier files are replaced.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { strToU8, zipSync } from "fflate";

import { forms, type Part, presentations, type Sample, samples, workbooks } from "./documents.ts";
import { markup, writeHtml } from "./write-markup.ts";

/** Content that a reader should find in each of some files. A name that ends in `.gz` is the packed file of that name without it. */
export interface Expected {
  readonly files: string[];
  /** All words, in reading order. */
  readonly text: string;
  readonly headings?: readonly string[];
  /** Rows of tables, header rows included. */
  readonly rows?: readonly (readonly string[])[];
  /** Values of form fields. */
  readonly values?: readonly string[];
}

const out = new URL("files/", import.meta.url).pathname;
const work = mkdtempSync(join(tmpdir(), "ibid-reading-"));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const expected = new Map<string, Expected>();
/** Files of the same content share what is expected of them. */
function expect(file: string, facts: Omit<Expected, "files">): void {
  const key = JSON.stringify(facts);
  const known = expected.get(key) ?? { files: [], ...facts };
  known.files.push(file);
  expected.set(key, known);
}
const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function convert(files: readonly string[], to: string, infilter?: string): void {
  execFileSync(
    "soffice",
    [
      "--headless",
      ...(infilter === undefined ? [] : [`--infilter=${infilter}`]),
      "--convert-to",
      to,
      "--outdir",
      work,
      ...files,
    ],
    { cwd: work, stdio: "ignore", env: { ...process.env, HOME: work } },
  );
}

function wordsOf(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.kind === "list") return part.items.join("\n");
      if (part.kind === "code") return part.lines.join("\n");
      if (part.kind === "table")
        return [...(part.header ? [part.header] : []), ...part.rows].map((row) => row.join(" ")).join("\n");
      return part.text;
    })
    .join("\n");
}

function expectationOf({ parts }: Sample): Omit<Expected, "files"> {
  return {
    text: wordsOf(parts),
    headings: parts.flatMap((part) => (part.kind === "heading" ? [part.text] : [])),
    rows: parts.flatMap((part) => (part.kind === "table" ? [...(part.header ? [part.header] : []), ...part.rows] : [])),
  };
}

// Texts.
const pages = samples.map((sample) => {
  writeFileSync(join(work, `${sample.name}.htm`), writeHtml(sample));
  for (const [ending, write] of Object.entries(markup)) {
    writeFileSync(join(out, `${sample.name}.${ending}`), write(sample));
    expect(`${sample.name}.${ending}`, expectationOf(sample));
  }
  writeFileSync(join(out, `${sample.name}.epub`), makeEpub(sample));
  expect(`${sample.name}.epub`, expectationOf(sample));
  return `${sample.name}.htm`;
});
const fromHtml = "HTML (StarWriter)";
convert(pages, "odt:writer8", fromHtml);
const texts = samples.map(({ name }) => `${name}.odt`);
convert(texts, "docx:MS Word 2007 XML");
convert(texts, "rtf:Rich Text Format");
convert(texts, "doc:MS Word 97");
convert(
  texts,
  'pdf:writer_pdf_Export:{"ExportBookmarks":{"type":"boolean","value":"false"},"UseTaggedPDF":{"type":"boolean","value":"false"}}',
);
for (const sample of samples)
  for (const ending of ["odt", "docx", "rtf", "doc", "pdf"]) keep(sample.name, ending, expectationOf(sample));

// Workbooks.
for (const { name, sheets } of workbooks) {
  const tables = sheets.map(
    (sheet) =>
      `<table:table table:name="${escapeXml(sheet.name)}">${sheet.rows
        .map(
          (row) =>
            `<table:table-row>${row
              .map((cell) =>
                typeof cell === "number"
                  ? `<table:table-cell office:value-type="float" office:value="${cell}"><text:p>${cell}</text:p></table:table-cell>`
                  : `<table:table-cell office:value-type="string"><text:p>${escapeXml(cell)}</text:p></table:table-cell>`,
              )
              .join("")}</table:table-row>`,
        )
        .join("")}</table:table>`,
  );
  writeFileSync(
    join(work, `${name}.fods`),
    flat("spreadsheet", `<office:spreadsheet>${tables.join("")}</office:spreadsheet>`),
  );
}
const books = workbooks.map(({ name }) => `${name}.fods`);
for (const to of ["xlsx:Calc MS Excel 2007 XML", "xls:MS Excel 97", "ods:calc8"]) convert(books, to);
for (const { name, sheets } of workbooks) {
  const rows = sheets.flatMap((sheet) => sheet.rows.map((row) => row.map(String)));
  const text = sheets.map((sheet) => [sheet.name, ...sheet.rows.map((row) => row.join(" "))].join("\n")).join("\n");
  for (const ending of ["xlsx", "xls", "ods"])
    keep(name, ending, { text, rows, headings: sheets.map((sheet) => sheet.name) });
  const [first] = sheets;
  const csv = first!.rows.map((row) => row.map((cell) => (/[",]/u.test(String(cell)) ? `"${cell}"` : cell)).join(","));
  writeFileSync(join(out, `${name}.csv`), `${csv.join("\n")}\n`);
  const cells = first!.rows.map((row) => row.map(String));
  expect(`${name}.csv`, { text: cells.map((row) => row.join(" ")).join("\n"), rows: cells });
}

// Presentations.
for (const { name, slides } of presentations) {
  const shapes = slides.map(({ title, lines, table }, index) => {
    const frame = (shape: string, y: number, height: number, inner: string): string =>
      `<draw:frame presentation:style-name="p${shape === "title" ? 1 : 2}" presentation:class="${shape}" svg:x="2cm" svg:y="${y}cm" svg:width="24cm" svg:height="${height}cm"><draw:text-box>${inner}</draw:text-box></draw:frame>`;
    const grid =
      table === undefined
        ? ""
        : `<draw:frame svg:x="2cm" svg:y="12cm" svg:width="24cm" svg:height="6cm"><table:table>${table[0]!.map(() => "<table:table-column/>").join("")}${table
            .map(
              (row) =>
                `<table:table-row>${row.map((cell) => `<table:table-cell><text:p>${escapeXml(cell)}</text:p></table:table-cell>`).join("")}</table:table-row>`,
            )
            .join("")}</table:table></draw:frame>`;
    return `<draw:page draw:name="page${index + 1}" draw:master-page-name="Default" presentation:presentation-page-layout-name="L1">${frame("title", 1, 3, `<text:p>${escapeXml(title)}</text:p>`)}${lines.length === 0 ? "" : frame("outline", 5, 6, `<text:list>${lines.map((line) => `<text:list-item><text:p>${escapeXml(line)}</text:p></text:list-item>`).join("")}</text:list>`)}${grid}</draw:page>`;
  });
  const styles = `<office:styles><style:presentation-page-layout style:name="L1"><presentation:placeholder presentation:object="title" svg:x="2cm" svg:y="1cm" svg:width="24cm" svg:height="3cm"/><presentation:placeholder presentation:object="outline" svg:x="2cm" svg:y="5cm" svg:width="24cm" svg:height="6cm"/></style:presentation-page-layout></office:styles><office:automatic-styles><style:page-layout style:name="PM1"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout><style:style style:name="p1" style:family="presentation"/><style:style style:name="p2" style:family="presentation"/></office:automatic-styles><office:master-styles><style:master-page style:name="Default" style:page-layout-name="PM1"/></office:master-styles>`;
  writeFileSync(
    join(work, `${name}.fodp`),
    flat("presentation", `<office:presentation>${shapes.join("")}</office:presentation>`, styles),
  );
}
const decks = presentations.map(({ name }) => `${name}.fodp`);
for (const to of ["pptx:Impress MS PowerPoint 2007 XML", "odp:impress8", "ppt:MS PowerPoint 97"]) convert(decks, to);
for (const { name, slides } of presentations) {
  const text = slides
    .map(({ title, lines, table = [] }) => [title, ...lines, ...table.map((row) => row.join(" "))].join("\n"))
    .join("\n");
  const rows = slides.flatMap(({ table = [] }) => table);
  for (const ending of ["pptx", "odp", "ppt"])
    keep(name, ending, { text, headings: slides.map(({ title }) => title), ...(ending === "ppt" ? {} : { rows }) });
}

// Forms: LibreOffice makes fields of a page's inputs.
for (const { name, fields } of forms) {
  const inputs = fields.map(
    ([label, value]) => `<p>${label}: <input type="text" name="${label}" value="${value}" size="40"></p>`,
  );
  writeFileSync(
    join(work, `${name}.htm`),
    `<!doctype html><html><head><meta charset="utf-8"><title>${name}</title></head><body><h1>Form of the harbour office</h1><p>Please fill in all fields in capital letters.</p><form action="#">${inputs.join("")}</form></body></html>`,
  );
}
const papers = forms.map(({ name }) => `${name}.htm`);
convert(papers, "odt:writer8", fromHtml);
convert(
  forms.map(({ name }) => `${name}.odt`),
  "pdf:writer_pdf_Export",
);
for (const { name, fields } of forms) {
  keep(name, "pdf", {
    text: [
      "Form of the harbour office",
      "Please fill in all fields in capital letters.",
      ...fields.map((field) => field.join(": ")),
    ].join("\n"),
    values: fields.map(([, value]) => value),
  });
}

function keep(name: string, ending: string, facts: Omit<Expected, "files">): void {
  const file = `${name}.${ending}`;
  const bytes = readFileSync(join(work, file));
  // PowerPoint's old files are mostly blanks.
  const packed = ending === "ppt";
  writeFileSync(join(out, packed ? `${file}.gz` : file), packed ? gzipSync(bytes, { level: 9 }) : bytes);
  expect(packed ? `${file}.gz` : file, facts);
}

/** A book of one chapter: LibreOffice's own EPUB has neither headings nor header rows. */
function makeEpub(sample: Sample): Uint8Array {
  const page = writeHtml(sample)
    .replace('<meta charset="utf-8">', "")
    .replace("<!doctype html>\n<html", '<html xmlns="http://www.w3.org/1999/xhtml"');
  const members = {
    mimetype: "application/epub+zip",
    "META-INF/container.xml":
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    "book.opf": `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${escapeXml(sample.title)}</dc:title></metadata><manifest><item id="c" href="chapter.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>`,
    "chapter.xhtml": page,
  };
  return zipSync(
    Object.fromEntries(
      Object.entries(members).map(([name, text]) => [
        name,
        [strToU8(text), { level: name === "mimetype" ? 0 : 9, mtime: "2025-01-01" }],
      ]),
    ),
  );
}

function flat(kind: string, body: string, styles = ""): string {
  const spaces = ["office", "style", "table", "text", "presentation"].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><office:document ${spaces.join(" ")} xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.${kind}">${styles}<office:body>${body}</office:body></office:document>`;
}

writeFileSync(join(out, "expected.json"), `${JSON.stringify([...expected.values()])}\n`);
console.log(`${readdirSync(out).length - 1} files in ${out}`);
rmSync(work, { recursive: true });
