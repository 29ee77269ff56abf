import { describe, expect, it } from "vitest";

import { detectMediaType } from "../../src/readers/media-type.ts";
import { makeDocx, paragraph, run } from "./make-office.ts";
import { readAny } from "./read-any.ts";
import { refusalOf, showBlocks, showOutline } from "./read-with.ts";

const word = (body: string): Uint8Array =>
  new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?>\n<?mso-application progid="Word.Document"?>\n<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:wx="http://schemas.microsoft.com/office/word/2003/auxHint" xmlns:aml="http://schemas.microsoft.com/aml/2001/core" xmlns:o="urn:schemas-microsoft-com:office:office"><o:DocumentProperties><o:Title>Lease</o:Title><o:Author>Ida</o:Author><o:Created>2004-05-01T10:00:00Z</o:Created></o:DocumentProperties><w:styles><w:style w:type="paragraph" w:styleId="Kop1"><w:name w:val="heading 1"/></w:style></w:styles><w:body>${body}</w:body></w:wordDocument>`,
  );
const styled = (style: string, text: string): string =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const item = (label: string, text: string, level = 0): string =>
  `<w:p><w:pPr><w:listPr><w:ilvl w:val="${level}"/><w:ilfo w:val="1"/><wx:t wx:val="${label}"/></w:listPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;

describe("a document of Word in one XML file (Word 2003)", () => {
  const lease = word(
    `<wx:sect><wx:sub-section>${styled("Kop1", "Object")}` +
      `<w:p><w:r><w:t>The boat house</w:t></w:r><w:r><w:footnote><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>Built in 1910.</w:t></w:r></w:p></w:footnote></w:r>` +
      `<aml:annotation w:type="Word.Deletion"><aml:content><w:r><w:delText>and the pier</w:delText></w:r></aml:content></aml:annotation>` +
      `<aml:annotation w:type="Word.Insertion"><aml:content><w:r><w:t> and its slip</w:t></w:r></aml:content></aml:annotation>` +
      `<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><aml:annotation w:type="Word.Comment"><aml:content><w:p><w:r><w:t>Really?</w:t></w:r></w:p></aml:content></aml:annotation></w:r></w:p></wx:sub-section>` +
      `<wx:sub-section>${styled("Kop1", "Rent")}${item("1.", "Due in May")}${item("2.", "Paid by transfer")}${item("\uF0B7", "never in cash", 1)}` +
      `<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Month</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>410</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>Year</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>4,920</w:t></w:r></w:p></w:tc></w:tr></w:tbl></wx:sub-section></wx:sect>`,
  );

  it.each(["lease.xml", "lease.doc", "lease"])("is read as a Word document is: %s", async (name) => {
    const read = await readAny(name, lease);
    expect(showBlocks(read)).toEqual([
      "heading: Object",
      "paragraph: The boat house[^1] and its slip",
      "paragraph: [^1]: Built in 1910.",
      "heading: Rent",
      "list: 1. Due in May\n2. Paid by transfer\n  - never in cash",
      "table: | Month | 410 |\n| Year | 4,920 |",
    ]);
    expect(read.title).toBe("Lease");
    expect(read.metadata).toMatchObject({ author: "Ida", createdAt: "2004-05-01T10:00:00Z" });
    expect(read.notes?.join()).toContain("comment");
  });

  it("is refused without text, and broken", async () => {
    expect(await refusalOf(readAny("a.xml", word("")))).toMatchObject({ code: "empty" });
    expect(await refusalOf(readAny("a.xml", lease.subarray(0, lease.length - 40)))).toMatchObject({
      code: "unreadable",
    });
  });
});

describe("a package of Office in one XML file (Flat OPC)", () => {
  const part = (name: string, type: string, content: string): string =>
    `<pkg:part pkg:name="/${name}" pkg:contentType="${type}"><pkg:xmlData>${content}</pkg:xmlData></pkg:part>`;
  const flat = (body: string): string =>
    `<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?>\n<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">` +
    part(
      "_rels/.rels",
      "application/vnd.openxmlformats-package.relationships+xml",
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    ) +
    part(
      "word/document.xml",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
      `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    ) +
    "</pkg:package>";
  const body = `<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Object</w:t></w:r></w:p>${paragraph(run("The boat &amp; its slip."))}`;

  it.each(["a.xml", "a.doc", "a"])("is read as the same file in a package is: %s", async (name) => {
    const read = await readAny(name, flat(body));
    const packed = await readAny("a.docx", makeDocx({ body }));
    expect(read.text).toBe(packed.text);
    expect(showOutline(read.root)).toEqual(["# Object"]);
    expect(detectMediaType(new TextEncoder().encode(flat(body)), { name })).toBe(
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    );
  });

  it("is refused without its main part, and without any", async () => {
    const [, rest = ""] = flat(body).split('word/document.xml" ', 2);
    expect(rest).not.toBe("");
    expect(
      await refusalOf(readAny("a.xml", flat(body).replace('/word/document.xml"', '/word/other.xml"'))),
    ).toMatchObject({ code: "unreadable" });
    const none =
      '<?xml version="1.0"?><pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"></pkg:package>';
    expect(await refusalOf(readAny("a.xml", none))).toMatchObject({ code: "unreadable" });
  });
});
