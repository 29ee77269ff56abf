import type { Members } from "./archives.ts";

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packageRelations = "http://schemas.openxmlformats.org/package/2006/relationships";
const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const drawing = "http://schemas.openxmlformats.org/drawingml/2006/main";
const slides = "http://schemas.openxmlformats.org/presentationml/2006/main";
const sheets = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

function relationsOf(targets: readonly (readonly [kind: string, target: string])[]): string {
  const list = targets.map(
    ([kind, target], i) => `<Relationship Id="rId${i + 1}" Type="${relations}/${kind}" Target="${target}"/>`,
  );
  return `${declaration}<Relationships xmlns="${packageRelations}">${list.join("")}</Relationships>`;
}

function contentTypes(overrides: Readonly<Record<string, string>>): string {
  const list = Object.entries(overrides).map(
    ([part, type]) =>
      `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
  );
  return `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${list.join("")}</Types>`;
}

const core = `${declaration}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Keys and locks</dc:title><dc:creator>Ada</dc:creator><dcterms:created>2024-01-01T00:00:00Z</dcterms:created></cp:coreProperties>`;

const run = (text: string, extra = ""): string => `<w:r>${extra}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (text: string, style = ""): string =>
  `<w:p>${style === "" ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}${run(text)}</w:p>`;
const cell = (content: string, properties = ""): string => `<w:tc>${properties}${content}</w:tc>`;

/** Headings, a list, a table in a table, a footnote, a link, a field, a change that was tracked. */
export const docx: Members = {
  "[Content_Types].xml": contentTypes({
    "word/document.xml": "wordprocessingml.document.main",
    "word/styles.xml": "wordprocessingml.styles",
    "word/numbering.xml": "wordprocessingml.numbering",
    "word/footnotes.xml": "wordprocessingml.footnotes",
  }),
  "_rels/.rels": relationsOf([
    ["officeDocument", "word/document.xml"],
    ["metadata/core-properties", "docProps/core.xml"],
  ]),
  "docProps/core.xml": core,
  "word/_rels/document.xml.rels": relationsOf([
    ["styles", "styles.xml"],
    ["numbering", "numbering.xml"],
    ["footnotes", "footnotes.xml"],
    ["hyperlink", "https://example.org/"],
  ]),
  "word/document.xml": `${declaration}<w:document xmlns:w="${word}" xmlns:r="${relations}"><w:body>${paragraph("Keys and locks", "Heading1")}${paragraph("Turn the key.")}${paragraph("Spare keys", "Heading2")}<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>${run("one")}</w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr>${run("two")}</w:p><w:tbl><w:tblGrid><w:gridCol w:w="100"/><w:gridCol w:w="100"/></w:tblGrid><w:tr>${cell(paragraph("who"))}${cell(paragraph("where"))}</w:tr><w:tr>${cell(paragraph("Ada"), '<w:tcPr><w:gridSpan w:val="1"/><w:vMerge w:val="restart"/></w:tcPr>')}${cell(`<w:tbl><w:tr>${cell(paragraph("inner"))}</w:tr></w:tbl>${paragraph("shelf")}`)}</w:tr></w:tbl><w:p>${run("See the note", "")}<w:r><w:footnoteReference w:id="2"/></w:r><w:hyperlink r:id="rId4">${run("a link")}</w:hyperlink></w:p><w:p><w:ins w:id="1">${run("new")}</w:ins><w:del w:id="2"><w:r><w:delText>old</w:delText></w:r></w:del><w:r><w:tab/><w:br/><w:noBreakHyphen/></w:r></w:p><w:sectPr/></w:body></w:document>`,
  "word/styles.xml": `${declaration}<w:styles xmlns:w="${word}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/><w:basedOn w:val="Heading1"/></w:style></w:styles>`,
  "word/numbering.xml": `${declaration}<w:numbering xmlns:w="${word}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
  "word/footnotes.xml": `${declaration}<w:footnotes xmlns:w="${word}"><w:footnote w:id="2">${paragraph("The note itself.")}</w:footnote></w:footnotes>`,
};

const shape = (text: string, placeholder: string): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x" descr="a picture of keys"/><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:pPr lvl="1"/><a:r><a:t>${text}</a:t></a:r><a:br/></a:p></p:txBody></p:sp>`;
const slide = (title: string, body: string): string =>
  `${declaration}<p:sld xmlns:p="${slides}" xmlns:a="${drawing}" xmlns:r="${relations}"><p:cSld><p:spTree>${shape(title, "title")}${shape("Turn the key.", "body")}<p:grpSp>${shape("grouped", "body")}</p:grpSp>${body}</p:spTree></p:cSld></p:sld>`;
const table = `<p:graphicFrame><a:graphic><a:graphicData uri="${drawing}/table"><a:tbl><a:tblGrid><a:gridCol w="1"/><a:gridCol w="1"/></a:tblGrid><a:tr><a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>who</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge="1"><a:txBody/></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;

/** Two slides out of the order of their names, notes, a table, a group, alternative text. */
export const pptx: Members = {
  "[Content_Types].xml": contentTypes({
    "ppt/presentation.xml": "presentationml.presentation.main",
    "ppt/slides/slide1.xml": "presentationml.slide",
    "ppt/slides/slide2.xml": "presentationml.slide",
    "ppt/notesSlides/notesSlide1.xml": "presentationml.notesSlide",
  }),
  "_rels/.rels": relationsOf([
    ["officeDocument", "ppt/presentation.xml"],
    ["metadata/core-properties", "docProps/core.xml"],
  ]),
  "docProps/core.xml": core,
  "ppt/_rels/presentation.xml.rels": relationsOf([
    ["slide", "slides/slide1.xml"],
    ["slide", "slides/slide2.xml"],
  ]),
  "ppt/presentation.xml": `${declaration}<p:presentation xmlns:p="${slides}" xmlns:r="${relations}"><p:sldIdLst><p:sldId id="257" r:id="rId2"/><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
  "ppt/slides/slide1.xml": slide("Keys and locks", table),
  "ppt/slides/slide2.xml": slide("Spare keys", ""),
  "ppt/slides/_rels/slide1.xml.rels": relationsOf([["notesSlide", "../notesSlides/notesSlide1.xml"]]),
  "ppt/notesSlides/notesSlide1.xml": `${declaration}<p:notes xmlns:p="${slides}" xmlns:a="${drawing}"><p:cSld><p:spTree>${shape("Say this slowly.", "body")}</p:spTree></p:cSld></p:notes>`,
};

/** Two sheets, strings shared and inline, numbers, dates, a formula, an error, a truth, merged cells. */
export const xlsx: Members = {
  "[Content_Types].xml": contentTypes({
    "xl/workbook.xml": "spreadsheetml.sheet.main",
    "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet",
    "xl/worksheets/sheet2.xml": "spreadsheetml.worksheet",
    "xl/sharedStrings.xml": "spreadsheetml.sharedStrings",
    "xl/styles.xml": "spreadsheetml.styles",
  }),
  "_rels/.rels": relationsOf([
    ["officeDocument", "xl/workbook.xml"],
    ["metadata/core-properties", "docProps/core.xml"],
  ]),
  "docProps/core.xml": core,
  "xl/_rels/workbook.xml.rels": relationsOf([
    ["worksheet", "worksheets/sheet1.xml"],
    ["worksheet", "worksheets/sheet2.xml"],
    ["sharedStrings", "sharedStrings.xml"],
    ["styles", "styles.xml"],
  ]),
  "xl/workbook.xml": `${declaration}<workbook xmlns="${sheets}" xmlns:r="${relations}"><workbookPr date1904="0"/><sheets><sheet name="Keys" sheetId="1" r:id="rId1"/><sheet name="Locks" sheetId="2" state="hidden" r:id="rId2"/></sheets></workbook>`,
  "xl/sharedStrings.xml": `${declaration}<sst xmlns="${sheets}" count="3" uniqueCount="3"><si><t>who</t></si><si><t>where</t></si><si><r><t>Ada</t></r><r><t xml:space="preserve"> L.</t></r></si></sst>`,
  "xl/styles.xml": `${declaration}<styleSheet xmlns="${sheets}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  "xl/worksheets/sheet1.xml": `${declaration}<worksheet xmlns="${sheets}"><dimension ref="A1:E3"/><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>when</t></is></c></row><row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2"><v>3.25</v></c><c r="C2" s="1"><v>45292</v></c><c r="D2"><f>SUM(B2:B2)</f><v>3.25</v></c></row><row r="3" hidden="1"><c r="A3" t="b"><v>1</v></c><c r="B3" t="e"><v>#DIV/0!</v></c><c r="E3" t="str"><v>text</v></c></row></sheetData><mergeCells count="1"><mergeCell ref="A3:A4"/></mergeCells></worksheet>`,
  "xl/worksheets/sheet2.xml": `${declaration}<worksheet xmlns="${sheets}"><sheetData><row r="5"><c r="B5"><v>1</v></c></row></sheetData></worksheet>`,
};

const chapter = (title: string, body: string): string =>
  `${declaration}<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>${title}</title></head><body><section><h1>${title}</h1>${body}</section></body></html>`;

/** Two chapters against the order of their files, a contents page, both kinds of table of contents. */
export const epub: Members = {
  mimetype: "application/epub+zip",
  "META-INF/container.xml": `${declaration}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
  "OEBPS/content.opf": `${declaration}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x</dc:identifier><dc:title>The keys</dc:title><dc:language>en</dc:language><dc:creator>Ada</dc:creator></metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="two" href="a.xhtml" media-type="application/xhtml+xml"/><item id="one" href="b%20b.xhtml" media-type="application/xhtml+xml"/><item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest><spine toc="ncx"><itemref idref="one"/><itemref idref="two" linear="no"/></spine></package>`,
  "OEBPS/nav.xhtml": chapter(
    "Contents",
    '<nav epub:type="toc"><ol><li><a href="b%20b.xhtml">First</a></li><li><a href="a.xhtml#x">Second</a></li></ol></nav>',
  ),
  "OEBPS/toc.ncx": `${declaration}<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>First</text></navLabel><content src="b%20b.xhtml"/></navPoint></navMap></ncx>`,
  "OEBPS/b b.xhtml": chapter("First chapter", "<p>Turn the key &amp; wait.</p><h2>Spare</h2><ul><li>one</li></ul>"),
  "OEBPS/a.xhtml": chapter(
    "Second chapter",
    "<table><tr><th>who</th></tr><tr><td>Ada</td></tr></table><pre>a  b</pre>",
  ),
};
