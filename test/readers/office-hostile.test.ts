import fc from "fast-check";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";

import { createHtmlReader } from "../../src/readers/html/html-reader.ts";
import { createDocxReader } from "../../src/readers/office/docx-reader.ts";
import { createEpubReader } from "../../src/readers/office/epub-reader.ts";
import { createOdtReader } from "../../src/readers/office/odt-reader.ts";
import { openArchive } from "../../src/readers/office/open-archive.ts";
import { createPptxReader } from "../../src/readers/office/pptx-reader.ts";
import { readXml } from "../../src/readers/office/read-xml.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { ReadLimits, ReadResult } from "../../src/contracts/reader.ts";
import { readDocument } from "../../src/readers/read-document.ts";

import {
  makeDocx,
  makeEpub,
  makeOdt,
  makePptx,
  pack,
  paragraph,
  run,
  slideParagraph,
  slideShape,
  wordTable,
} from "./make-office.ts";
import { makeZip } from "./make-zip.ts";
import { readAny } from "./read-any.ts";
import { refusalOf } from "./read-with.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (uri: string, bytes: Uint8Array, limits: Partial<ReadLimits> = {}): Promise<ReadResult> =>
  readDocument([createDocxReader(), createPptxReader(), createEpubReader(), createOdtReader(), createHtmlReader()], {
    uri,
    bytes,
    limits,
  });
const open = (bytes: Uint8Array, limits: Partial<ReadLimits> = {}): ReturnType<typeof openArchive> =>
  openArchive({ uri: "a.zip", bytes, limits });
const zeros = new Uint8Array(4_000_000);

describe("archives that ask for too much [L8]", () => {
  it("says that a file is cut off, or that it is no archive, without the words of a library", async () => {
    const whole = makeDocx({ body: paragraph(run("Text.")) });
    for (const [bytes, says] of [
      [whole.slice(0, whole.length / 2), "a.docx is cut off: the directory at its end is missing or broken."],
      [utf8("just a text"), "a.docx is no ZIP archive, as files of its kind are."],
    ] as const) {
      const error = await refusalOf(readAny("a.docx", bytes));
      expect([error.code, error.message]).toEqual(["unreadable", says]);
      expect(error.cause).toBeInstanceOf(Error);
    }
  });

  it("stops at the limit on what is unpacked, over all members, also those that share their data", async () => {
    const bomb = makeZip([{ name: "a", content: zeros }]);
    expect(bomb.length).toBeLessThan(10_000);
    const error = await refusalOf((await open(bomb, { maxExpandedBytes: 1_000_000 })).read("a"));
    expect(error).toMatchObject({ code: "too-large", uri: "a.zip", details: { limit: "maxExpandedBytes" } });

    const overlapping = makeZip([
      { name: "a", content: zeros },
      ...["b", "c", "d"].map((name) => ({ name, content: zeros, dataOf: 0 })),
    ]);
    const archive = await open(overlapping, { maxExpandedBytes: 10_000_000 });
    await archive.read("a");
    await archive.read("b");
    expect(await refusalOf(archive.read("c"))).toMatchObject({ code: "too-large", details: { found: 12_000_000 } });
  });

  it("refuses a document whose parts unpack beyond the limit, and one with too many parts", async () => {
    const padded = makeDocx({ body: paragraph("x") + " ".repeat(2_000_000) });
    expect(padded.length).toBeLessThan(20_000);
    expect(await refusalOf(read("a.docx", padded, { maxExpandedBytes: 1_000_000 }))).toMatchObject({
      code: "too-large",
      details: { limit: "maxExpandedBytes" },
    });
    expect((await read("a.docx", padded)).text).toBe("x");
    const many = makeDocx({
      body: paragraph("x"),
      more: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`p${i}`, ""])),
    });
    expect(await refusalOf(read("a.docx", many, { maxParts: 50 }))).toMatchObject({
      code: "too-large",
      details: { limit: "maxParts", max: 50 },
    });
  });

  it("refuses more text than a document may have, and more slides", async () => {
    const long = makeDocx({ body: paragraph("word ".repeat(100)) + paragraph("more") });
    expect(await refusalOf(read("a.docx", long, { maxTextLength: 400 }))).toMatchObject({
      code: "too-large",
      details: { limit: "maxTextLength", max: 400 },
    });
    const slides = makePptx(["a", "b", "c"].map((text) => ({ shapes: slideShape(slideParagraph(text)) })));
    expect(await refusalOf(read("a.pptx", slides, { maxPages: 2 }))).toMatchObject({
      code: "too-large",
      details: { limit: "maxPages", found: 3 },
    });
  });
});

describe("archives that lie [L8]", () => {
  it.each([
    ["a size that is too small", { name: "a", content: "abcdef".repeat(99), size: 10 }, "unreadable"],
    ["a size that is too large", { name: "a", content: "abcdef", size: 1000 }, "unreadable"],
    ["a size beyond all limits", { name: "a", content: "abcdef", size: 0xfffffff0 }, "too-large"],
    ["a wrong checksum", { name: "a", content: "abcdef", crc: 7 }, "unreadable"],
    ["a member under a password", { name: "a", content: "abcdef", flags: 1 }, "encrypted"],
  ] as const)("refuses %s, never giving a part", async (_, member, code) => {
    expect(await refusalOf((await open(makeZip([member]))).read("a"))).toMatchObject({ code, uri: "a.zip" });
  });

  it("refuses a directory that lacks entries, and reads the first of two members with one name", async () => {
    expect(await refusalOf(open(makeZip([{ name: "a", content: "x" }], 3)))).toMatchObject({ code: "unreadable" });
    const twice = await open(makeZip(["first", "second"].map((content) => ({ name: "a", content }))));
    expect(twice.names).toEqual(["a"]);
    expect(await twice.read("a")).toEqual(utf8("first"));
  });

  it("takes names that point outside for names, and finds parts however they are spelt", async () => {
    const archive = await open(
      makeZip([
        { name: "/etc/passwd", content: "1" },
        { name: "../../up.xml", content: "2" },
        { name: "word\\Document.xml", content: "3" },
        { name: "a%20b.xml", content: "4" },
        { name: "folder/", content: "" },
      ]),
    );
    expect(archive.names).toEqual(["etc/passwd", "up.xml", "word/Document.xml", "a%20b.xml"]);
    expect(await archive.read("word/document.xml")).toEqual(utf8("3"));
    expect(await archive.read("a b.xml")).toEqual(utf8("4"));
    expect(await archive.read("gone")).toBeUndefined();
  });

  it("refuses every archive that is cut off, by name", async () => {
    const whole = makeDocx({ body: paragraph("x") });
    for (let length = 100; length < whole.length; length += 97) {
      expect(await refusalOf(read("cut.docx", whole.slice(0, length)))).toMatchObject({
        code: "unreadable",
        uri: "cut.docx",
      });
    }
  });
});

describe("XML that means harm [L8]", () => {
  const parse = (xml: string): unknown => readXml(utf8(xml), "a.docx", "part.xml");
  const caught = (xml: string): unknown => {
    try {
      return parse(xml);
    } catch (error) {
      return error;
    }
  };

  it("stops at its depth, and says which part", () => {
    const deep = caught("<a>".repeat(100_000) + "</a>".repeat(100_000));
    expect(deep).toMatchObject({ code: "unreadable", uri: "a.docx" });
    expect(String(deep)).toContain("part.xml");
  });

  it.each(["", "words", "<a>", "<a><b></a>", "<a><b/>", "<a/><b/>", "<a b=", "<a></a", "<!-- never closed"])(
    "refuses %j as no well-formed XML",
    (xml) => {
      expect(caught(xml)).toMatchObject({ code: "unreadable" });
    },
  );

  it("unfolds no entity that a document declares", async () => {
    const declared = `<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${"bcdefghij"[i]} "&${"abcdefghi"[i]};&${"abcdefghi"[i]};">`).join("")}<!ENTITY x SYSTEM "file:///etc/passwd">]>`;
    const document = `${declared}<w:document><w:body><w:p><w:r><w:t>ten &j; &x; &amp; &#65;</w:t></w:r></w:p></w:body></w:document>`;
    expect((await read("a.docx", makeDocx({ body: "", more: { "word/document.xml": document } }))).text).toBe(
      "ten &j; &x; & A",
    );
  });

  it("ends where notes point to themselves, and refuses tables nested without end", async () => {
    const mark = '<w:r><w:footnoteReference w:id="1"/></w:r>';
    const footnotes = `<w:footnote w:id="1">${paragraph(run("round") + mark)}</w:footnote>`;
    expect((await read("a.docx", makeDocx({ body: paragraph(run("x") + mark), footnotes }))).text).toBe(
      "x[^1]\n\n[^1]: round[^1]",
    );
    let nested = paragraph("innermost");
    for (let depth = 0; depth < 60; depth++)
      nested = wordTable([[{ properties: "", content: nested }, `cell ${depth}`]]);
    expect((await read("a.docx", makeDocx({ body: nested }))).text).toContain("innermost");
    for (let depth = 0; depth < 90; depth++) nested = wordTable([[{ properties: "", content: nested }, "cell"]]);
    expect(await refusalOf(read("a.docx", makeDocx({ body: nested })))).toMatchObject({ code: "unreadable" });
  });

  it("reads numbers of columns, levels and rows for no more than they can be", async () => {
    const wide = wordTable([[{ properties: '<w:gridSpan w:val="1000000000"/>', content: "wide" }, "b"]]);
    const numbered = paragraph("x", '<w:numPr><w:ilvl w:val="99999999999"/><w:numId w:val="1"/></w:numPr>');
    const numbering =
      '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="8"><w:start w:val="999999999"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%9%9."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>';
    const { text } = await read("a.docx", makeDocx({ body: wide + numbered, numbering }));
    expect(text).toBe(`| wide ${"|  ".repeat(63)}| b |\n\n999999999999999999. x`);
  });
});

describe("files that were damaged", () => {
  const samples: readonly (readonly [uri: string, bytes: Uint8Array])[] = [
    [
      "a.docx",
      makeDocx({
        styles: '<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/></w:style>',
        numbering:
          '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>',
        footnotes: `<w:footnote w:id="1">${paragraph("A note.")}</w:footnote>`,
        body: [
          paragraph("One", '<w:pStyle w:val="H"/>'),
          paragraph(run("Text") + '<w:r><w:footnoteReference w:id="1"/></w:r>'),
          paragraph("item", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
          wordTable([
            ["a", "b"],
            ["c", paragraph("d")],
          ]),
        ].join(""),
      }),
    ],
    [
      "a.pptx",
      makePptx([{ shapes: slideShape(slideParagraph("One"), 'type="title"'), speakerNotes: slideParagraph("Two") }]),
    ],
    [
      "a.odt",
      makeOdt("<text:h>One</text:h><text:list><text:list-item><text:p>Two</text:p></text:list-item></text:list>"),
    ],
    [
      "a.epub",
      makeEpub([{ path: "a.xhtml", body: "<h1>One</h1><p>Two</p>" }], {
        navigation: '<ol><li><a href="a.xhtml">A</a></li></ol>',
      }),
    ],
  ];
  const sample = fc.constantFrom(...samples);
  /** "text", "refused", or the fault of ours that came to light. */
  const outcomeOf = (uri: string, bytes: Uint8Array): Promise<string> =>
    read(uri, bytes).then(
      ({ text }) => (text.trim() === "" ? "a blank text" : "text"),
      (error: unknown) => {
        if (!IbidError.isInstance(error) || error.uri?.startsWith(uri) !== true)
          return `no refusal by name: ${String(error)}`;
        const isOurs = error.cause instanceof TypeError || error.cause instanceof RangeError;
        return isOurs || error.message.startsWith("The reader") ? `a fault: ${error.message}` : "refused";
      },
    );
  const endsWell = async (uri: string, bytes: Uint8Array): Promise<void> =>
    expect(["text", "refused"]).toContain(await outcomeOf(uri, bytes));

  it("gives a text or a refusal by name, whatever bytes are changed [L8]", async () => {
    const change = fc.tuple(fc.nat(), fc.nat({ max: 255 }));
    await fc.assert(
      fc.asyncProperty(sample, fc.array(change, { minLength: 1, maxLength: 6 }), async ([uri, bytes], changes) => {
        const damaged = bytes.slice();
        for (const [at, value] of changes) damaged[at % damaged.length] = value;
        await endsWell(uri, damaged);
      }),
      { numRuns: 150 },
    );
  });

  it("gives a text or a refusal by name, whatever is cut, doubled or swapped in the XML of its parts [L8]", async () => {
    const edit = fc.record({
      part: fc.nat(),
      at: fc.nat(),
      length: fc.nat({ max: 60 }),
      instead: fc.oneof(
        fc.constantFrom(
          "",
          "<",
          ">",
          "&",
          '"',
          "</w:p>",
          "<w:tbl>",
          "<w:p/>",
          "-1",
          "1e9",
          "\u0000",
          "]]>",
          "<!DOCTYPE",
        ),
        fc.string({ maxLength: 8 }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(sample, fc.array(edit, { minLength: 1, maxLength: 4 }), async ([uri, bytes], edits) => {
        const files = Object.entries(unzipSync(bytes)).map(([name, content]) => [name, strFromU8(content)] as const);
        const damaged = new Map(files);
        for (const { part, at, length, instead } of edits) {
          const [name, content] = files[part % files.length] ?? ["", ""];
          const from = at % (content.length + 1);
          damaged.set(name, content.slice(0, from) + instead + content.slice(from + length));
        }
        await endsWell(uri, pack(Object.fromEntries(damaged)));
      }),
      { numRuns: 150 },
    );
  });
});

describe("a part that is packed as no document is", () => {
  it("is refused before it is unpacked", async () => {
    const head =
      '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>';
    const content = head + "a".repeat(17 * 1024 * 1024);
    const bytes = makeZip([
      {
        name: "[Content_Types].xml",
        content:
          '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
      },
      { name: "word/document.xml", content },
    ]);
    const refusal = await refusalOf(readAny("a.docx", bytes));
    expect(refusal).toMatchObject({ code: "too-large", details: { part: "word/document.xml" } });
    expect(refusal.message).toContain("times its size");
  });
});
