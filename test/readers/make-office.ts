import { strToU8, type Zippable, zipSync } from "fflate";

/** Files by name, packed. */
export function pack(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const zippable: Zippable = {};
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === "string" ? strToU8(content) : content;
    // Formats that say their type in the first member have it uncompressed; archives are not packed twice.
    zippable[name] = name === "mimetype" || name.endsWith(".zip") ? [bytes, { level: 0 }] : bytes;
  }
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
  readonly more?: Readonly<Record<string, string | Uint8Array>>;
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

/** A chapter of a book: its file and what stands in its body; `undefined` for one that the manifest lists and the archive lacks. */
export interface EpubTestChapter {
  readonly path: string;
  readonly body: string | undefined;
  readonly mediaType?: string;
  /** Further attributes of its place in the spine. */
  readonly spine?: string;
  readonly manifest?: string;
}

/** A book, with its package file at `OPS/book.opf`. */
export function makeEpub(
  chapters: readonly EpubTestChapter[],
  options: {
    readonly facts?: string;
    readonly navigation?: string;
    readonly ncx?: string;
    readonly more?: Readonly<Record<string, string>>;
  } = {},
): Uint8Array {
  const { facts = "<dc:title>The book</dc:title>", navigation, ncx } = options;
  const items = chapters.map(
    ({ path, mediaType = "application/xhtml+xml", manifest = "" }, index) =>
      `<item id="c${index}" href="${encodeURI(path)}" media-type="${mediaType}" ${manifest}/>`,
  );
  if (navigation !== undefined)
    items.push('<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>');
  if (ncx !== undefined) items.push('<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>');
  return pack({
    mimetype: "application/epub+zip",
    "META-INF/container.xml":
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    "OPS/book.opf": `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">${facts}</metadata><manifest>${items.join("")}</manifest><spine${ncx === undefined ? "" : ' toc="ncx"'}>${chapters
      .map(({ spine = "" }, index) => `<itemref idref="c${index}" ${spine}/>`)
      .join("")}</spine></package>`,
    ...Object.fromEntries(
      chapters.flatMap(({ path, body }) => (body === undefined ? [] : [[`OPS/${path}`, chapterPage(body)] as const])),
    ),
    ...(navigation === undefined ? {} : { "OPS/nav.xhtml": chapterPage(`<nav epub:type="toc">${navigation}</nav>`) }),
    ...(ncx === undefined ? {} : { "OPS/toc.ncx": `<ncx><navMap>${ncx}</navMap></ncx>` }),
    ...options.more,
  });
}

function chapterPage(body: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>A page</title></head>\n<body>${body}</body></html>`;
}

/** A slide: the shapes on it, what the speaker wrote, and what it points to. */
export interface PptxTestSlide {
  readonly shapes: string;
  readonly isHidden?: boolean;
  /** The text body of its notes. */
  readonly speakerNotes?: string;
  readonly related?: readonly (readonly [id: string, type: string, target: string])[];
}

/** A presentation. Files of slides are numbered from the end, so that only the presentation's own list tells their order. */
export function makePptx(
  slides: readonly PptxTestSlide[],
  options: {
    readonly core?: string;
    readonly layout?: string;
    readonly bodyStyle?: string;
    readonly more?: Readonly<Record<string, string | Uint8Array>>;
  } = {},
): Uint8Array {
  const root = (name: string, inside: string, attributes = ""): string =>
    `<p:${name} xmlns:p="${usual}/presentationml/2006/main" ${prefixes} ${attributes}>${inside}</p:${name}>`;
  const tree = (shapes: string): string => `<p:cSld><p:spTree>${shapes}</p:spTree></p:cSld>`;
  const fileOf = (index: number): string => `slide${slides.length - index}.xml`;
  return pack({
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": relationships([
      ["rId1", "officeDocument", "ppt/presentation.xml"],
      ["rId2", "metadata/core-properties", "docProps/core.xml"],
    ]),
    "docProps/core.xml": coreProperties(options.core ?? ""),
    "ppt/presentation.xml": root(
      "presentation",
      `<p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="s${index}"/>`).join("")}</p:sldIdLst>`,
    ),
    "ppt/_rels/presentation.xml.rels": relationships(
      slides.map((_, index) => [`s${index}`, "slide", `slides/${fileOf(index)}`] as const),
    ),
    "ppt/slideLayouts/slideLayout1.xml": root("sldLayout", tree(options.layout ?? "")),
    "ppt/slideLayouts/_rels/slideLayout1.xml.rels": relationships([
      ["m", "slideMaster", "../slideMasters/slideMaster1.xml"],
    ]),
    "ppt/slideMasters/slideMaster1.xml": root(
      "sldMaster",
      `<p:txStyles><p:bodyStyle>${options.bodyStyle ?? ""}</p:bodyStyle></p:txStyles>`,
    ),
    ...Object.fromEntries(
      slides.flatMap(({ shapes, isHidden = false, speakerNotes, related = [] }, index) => [
        [`ppt/slides/${fileOf(index)}`, root("sld", tree(shapes), isHidden ? 'show="0"' : "")] as const,
        [
          `ppt/slides/_rels/${fileOf(index)}.rels`,
          relationships([
            ["l", "slideLayout", "../slideLayouts/slideLayout1.xml"],
            ...(speakerNotes === undefined ? [] : [["n", "notesSlide", `../notesSlides/n${index}.xml`] as const]),
            ...related,
          ]),
        ] as const,
        ...(speakerNotes === undefined
          ? []
          : [
              [
                `ppt/notesSlides/n${index}.xml`,
                root("notes", tree(slideShape(speakerNotes, 'type="body" idx="1"'))),
              ] as const,
            ]),
      ]),
    ),
    ...options.more,
  });
}

/** A shape with text; `placeholder` are the attributes of one. */
export function slideShape(body: string, placeholder?: string, properties = ""): string {
  const place = placeholder === undefined ? "" : `<p:ph ${placeholder}/>`;
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Shape" ${properties}/><p:nvPr>${place}</p:nvPr></p:nvSpPr><p:txBody><a:bodyPr/>${body}</p:txBody></p:sp>`;
}

/** A paragraph of a shape. */
export function slideParagraph(text: string, properties = ""): string {
  return `<a:p>${properties}<a:r><a:t>${escapeXml(text)}</a:t></a:r></a:p>`;
}

/** An OpenDocument text: the inside of its body, and of its automatic styles, named styles and facts. */
export function makeOdt(
  body: string,
  options: {
    readonly automatic?: string;
    readonly styles?: string;
    readonly facts?: string;
    readonly more?: Readonly<Record<string, string | Uint8Array>>;
  } = {},
): Uint8Array {
  const spaces = [
    "office",
    "text",
    "table",
    "style",
    "drawing:draw",
    "meta",
    "svg-compatible:svg",
    "xsl-fo-compatible:fo",
  ]
    .map(
      (name) =>
        `xmlns:${name.replace(/.*:/u, "")}="urn:oasis:names:tc:opendocument:xmlns:${name.replace(/:.*/u, "")}:1.0"`,
    )
    .join(" ");
  const root = (name: string, inside: string): string =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<office:document-${name} ${spaces} xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink">${inside}</office:document-${name}>`;
  return pack({
    mimetype: "application/vnd.oasis.opendocument.text",
    "content.xml": root(
      "content",
      `<office:automatic-styles>${options.automatic ?? ""}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body>`,
    ),
    "styles.xml": root("styles", `<office:styles>${options.styles ?? ""}</office:styles>`),
    "meta.xml": root("meta", `<office:meta>${options.facts ?? ""}</office:meta>`),
    ...options.more,
  });
}
