import { strToU8, type Zippable, zipSync } from "fflate";

/** Files by name, packed. */
export function pack(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const zippable: Zippable = {};
  for (const [name, content] of Object.entries(files))
    zippable[name] = typeof content === "string" ? strToU8(content) : content;
  return zipSync(zippable, { mtime: new Date("2024-01-01T00:00:00Z") });
}

const usual = "http://schemas.openxmlformats.org";
const strict = "http://purl.oclc.org/ooxml";
const relationshipsOf = `${usual}/officeDocument/2006/relationships`;

/** `styles.xml` for `word/_rels/document.xml.rels` and its like. */
export function relationships(entries: readonly (readonly [id: string, type: string, target: string])[]): string {
  return `<Relationships xmlns="${usual}/package/2006/relationships">${entries
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${relationshipsOf}/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`;
}

/** What a Word document is made of: the inside of its parts. */
export interface DocxTestParts {
  readonly body: string;
  readonly styles?: string;
  readonly numbering?: string;
  readonly footnotes?: string;
  readonly endnotes?: string;
  readonly core?: string;
  readonly isStrict?: boolean;
  /** The document element, when `body` is not enough. */
  readonly document?: string;
  readonly mainPart?: string;
  readonly more?: Readonly<Record<string, string>>;
  readonly related?: readonly (readonly [id: string, type: string, target: string])[];
}

const prefixes = `xmlns:r="${relationshipsOf}" xmlns:mc="${usual}/markup-compatibility/2006" xmlns:m="${usual}/officeDocument/2006/math" xmlns:wp="${usual}/drawingml/2006/wordprocessingDrawing" xmlns:a="${usual}/drawingml/2006/main" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:c="${usual}/drawingml/2006/chart" xmlns:dgm="${usual}/drawingml/2006/diagram"`;

export function makeDocx(parts: DocxTestParts): Uint8Array {
  const word = parts.isStrict === true ? `${strict}/wordprocessingml/main` : `${usual}/wordprocessingml/2006/main`;
  const root = (name: string, inside: string): string =>
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:${name} xmlns:w="${word}" ${prefixes}>${inside}</w:${name}>`;
  const main = parts.mainPart ?? "word/document.xml";
  const own = (["styles", "numbering", "footnotes", "endnotes"] as const).filter((name) => parts[name] !== undefined);
  return pack({
    "[Content_Types].xml": `<Types xmlns="${usual}/package/2006/content-types"><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    "_rels/.rels": relationships([
      ["rId1", "officeDocument", main],
      ["rId2", "metadata/core-properties", "docProps/core.xml"],
    ]),
    "docProps/core.xml": coreProperties(parts.core ?? ""),
    [main]: root("document", parts.document ?? `<w:body>${parts.body}<w:sectPr/></w:body>`),
    [main.replace(/([^/]*)$/u, "_rels/$1.rels")]: relationships([
      ...own.map((name) => [name, name, `${name}.xml`] as const),
      ...(parts.related ?? []),
    ]),
    ...Object.fromEntries(own.map((name) => [`word/${name}.xml`, root(name, parts[name] ?? "")])),
    ...parts.more,
  });
}

export function coreProperties(inside: string): string {
  return `<cp:coreProperties xmlns:cp="${usual}/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">${inside}</cp:coreProperties>`;
}

export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A run of text, with properties. */
export function run(text: string, properties = ""): string {
  return `<w:r>${properties === "" ? "" : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`;
}

/** A paragraph of runs, or of a text. */
export function paragraph(content: string, properties = ""): string {
  const runs = content.startsWith("<") ? content : run(content);
  return `<w:p>${properties === "" ? "" : `<w:pPr>${properties}</w:pPr>`}${runs}</w:p>`;
}

export function styled(style: string, content: string, more = ""): string {
  return paragraph(content, `<w:pStyle w:val="${style}"/>${more}`);
}

/** Rows of cells; a cell is a text or paragraphs, with its properties after a `|`. */
export function wordTable(
  rows: readonly (readonly (string | { readonly properties: string; readonly content: string })[])[],
  properties = "",
  firstRow = "",
): string {
  return `<w:tbl><w:tblPr>${properties}</w:tblPr>${rows
    .map(
      (cells, index) =>
        `<w:tr>${index === 0 ? firstRow : ""}${cells
          .map((cell) => {
            const { properties: own, content } = typeof cell === "string" ? { properties: "", content: cell } : cell;
            return `<w:tc><w:tcPr>${own}</w:tcPr>${content.startsWith("<w:p") || content.startsWith("<w:tbl") ? content : paragraph(content)}</w:tc>`;
          })
          .join("")}</w:tr>`,
    )
    .join("")}</w:tbl>`;
}
