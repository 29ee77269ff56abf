import { describe, expect, it } from "vitest";

import { IbidError } from "../../src/contracts/errors.ts";
import { fileNameOf } from "../../src/readers/file-name.ts";
import { detectMediaType } from "../../src/readers/media-type.ts";
import { nameMediaType } from "../../src/readers/media-type-labels.ts";
import { pack } from "./make-office.ts";
import { readAs, refusalOf } from "./read-with.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const zip = (names: string): Uint8Array =>
  Uint8Array.from([0x50, 0x4b, 3, 4, ...Array.from({ length: 26 }, () => 0), ...utf8(names)]);

function refusal(run: () => unknown): IbidError {
  try {
    run();
  } catch (error) {
    if (IbidError.isInstance(error)) return error;
  }
  throw new Error("nothing was refused");
}

describe("a NUL in what is otherwise text", () => {
  const line = "2026-11-22 INFO the keeper looked on\n";
  const log = new TextEncoder().encode(`${line.repeat(100)}\0\0\0${line.repeat(100)}`);

  it("is refused as such, with its place and how to take it out [L9]", () => {
    expect(() => detectMediaType(log, { name: "a.log" })).toThrow(
      expect.objectContaining({
        code: "binary",
        message: `a.log holds a NUL, at byte ${line.length * 100}, which no text has.`,
        hint: expect.stringContaining("tr -d '\\000'") as string,
        details: { offset: line.length * 100 },
      }) as Error,
    );
  });

  it.each([
    ["controls", Uint8Array.from({ length: 300 }, (_, i) => i % 32)],
    ["mostly zeros", Uint8Array.from({ length: 3000 }, (_, i) => (i % 7 === 0 ? 0x61 : 0))],
    ["no UTF-8", Uint8Array.from({ length: 3000 }, (_, i) => (i % 50 === 0 ? 0 : 0x80 + (i % 64)))],
  ])("is not blamed where there is no text beside it: %s", (_, bytes) => {
    expect(() => detectMediaType(bytes, { name: "a.log" })).toThrow("a.log holds binary data, not text.");
  });
});

describe("detectMediaType", () => {
  it.each([
    ["%PDF-1.7\n", "application/pdf"],
    ["<!doctype html><p>", "text/html"],
    ["\uFEFF  <!-- c -->\n<!DOCTYPE HTML>", "text/html"],
    ['<?xml version="1.0"?><html xmlns="x">', "text/html"],
    ["<html>", "text/html"],
    ["<htmlish>", "text/plain"],
    ["{\\rtf1 x}", "application/rtf"],
    ["just words", "text/plain"],
    ['<?xml version="1.0"?>\n<?xml-stylesheet href="x"?><rss version="2.0">', "application/rss+xml"],
    ['<feed xml:lang="en" xmlns="http://www.w3.org/2005/Atom">', "application/atom+xml"],
    ['<rdf:RDF xmlns="http://purl.org/rss/1.0/">', "application/rss+xml"],
    ['<rdf:RDF xmlns="http://example.com/">', "text/plain"],
    ["<feed><cow/></feed>", "text/plain"],
    ["Received: by x\r\n\twith y\r\nFrom: a@b.c\r\nSubject: x\r\n\r\nwords", "message/rfc822"],
    ["From a@b.c Wed May  1 10:00:00 2024\nFrom: a@b.c\nTo: b\nSubject: x\n\nwords", "application/mbox"],
    ["From: a@b.c\nSubject: x\n\nwords", "text/plain"],
    ["From: a\nTo: b\nwords\nSubject: x\n\nDate: y", "text/plain"],
  ])("lets content decide: %j is %s [B52 E15]", (content, expected) => {
    expect(detectMediaType(utf8(content))).toBe(expected);
  });

  it("sees a PDF behind a wrong name, and its header behind other bytes [B52]", () => {
    expect(detectMediaType(utf8("%PDF-1.4"), { name: "a.md", declared: "text/html" })).toBe("application/pdf");
    expect(detectMediaType(bytes(0, 1, 2, 3, ...utf8("%PDF-1.4")))).toBe("application/pdf");
    expect(detectMediaType(utf8("The header %PDF-1.4 begins a PDF."))).toBe("text/plain");
  });

  it.each([
    [bytes(0x1f, 0x8b, 8, 0), "application/gzip"],
    [bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), "image/png"],
    [bytes(0xff, 0xd8, 0xff, 0xe0), "image/jpeg"],
    [bytes(0x7f, 0x45, 0x4c, 0x46), "application/x-executable"],
    [bytes(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1), "application/x-cfb"],
    [zip("word/document.xml"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    [zip("[Content_Types].xml … xl/workbook.xml"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    [zip("ppt/presentation.xml"), "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
    [zip("mimetypeapplication/epub+zipPK"), "application/epub+zip"],
    [zip("photos/a.bin"), "application/zip"],
  ])("names formats by their first bytes (%#) [B52 E15]", (content, expected) => {
    expect(detectMediaType(content, { name: "x.txt" })).toBe(expected);
  });

  const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

  it.each([
    [{ "[Content_Types].xml": "", "word/document2.xml": "" }, word],
    [{ "[Content_Types].xml": "", "word/main.xml": "" }, word],
    [
      { "[Content_Types].xml": "", "ppt/slides/slide1.xml": "" },
      word.replace(/wordprocessingml.*/, "presentationml.presentation"),
    ],
    [{ "word/notes.txt": "" }, "application/zip"],
    [{ "other.zip": pack({ "word/document.xml": "words ".repeat(20) }) }, "application/zip"],
    [{ "META-INF/container.xml": "", "OPS/book.opf": "" }, "application/epub+zip"],
    [
      { mimetype: "application/vnd.oasis.opendocument.text", "content.xml": "" },
      "application/vnd.oasis.opendocument.text",
    ],
  ])("tells packages by the names in their directory (%#) [B52 E15]", (files, expected) => {
    expect(detectMediaType(pack(files), { name: "x.bin" })).toBe(expected);
    expect(detectMediaType(pack(files), { name: "x.txt", declared: "text/plain" })).toBe(expected);
  });

  it("knows a package that a password has put into a container of older Office, if its name says so [B52 E15]", () => {
    const name = Array.from("EncryptedPackage").flatMap((letter) => [letter.charCodeAt(0), 0]);
    const locked = bytes(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 69, 0, 110, 69, ...name);
    expect(detectMediaType(locked, { name: "a.docx" })).toBe(word);
    expect(detectMediaType(locked, { name: "a.doc" })).toBe(word);
    expect(detectMediaType(locked, { name: "a.bin" })).toBe("application/vnd.ms-office.encrypted");
    expect(detectMediaType(locked.subarray(0, 30), { name: "a.docx" })).toBe("application/x-cfb");
  });

  const streams = (...names: string[]): Uint8Array =>
    Uint8Array.from([
      0xd0,
      0xcf,
      0x11,
      0xe0,
      0xa1,
      0xb1,
      0x1a,
      0xe1,
      ...names.flatMap((name) => [0, 0, ...Array.from(name).flatMap((letter) => [letter.charCodeAt(0), 0])]),
    ]);

  it("knows such a package where a document of older Word beside it says that it is protected", () => {
    const stub = streams("WordDocument", "EncryptedPackage");
    expect(detectMediaType(stub, { name: "a.docx" })).toBe(word);
    expect(detectMediaType(stub, { name: "a.doc" })).toBe("application/msword");
  });

  it.each([
    [["VisioDocument"], "a.bin", "application/vnd.visio", "a Visio drawing"],
    [["WordDocument", "VisioDocument"], "with-a-letter.vsd", "application/vnd.visio", "a Visio drawing"],
    [["QuillSub"], "flyer", "application/vnd.ms-publisher", "a Publisher document"],
    [["MatOST"], "letter.wps", "application/vnd.ms-works", "a document of Microsoft Works (WPS)"],
    [["HwpSummaryInformation"], "a.bin", "application/x-hwp", "a Hangul word processor document (HWP)"],
    [
      ["EncryptedPackage"],
      "a.bin",
      "application/vnd.ms-office.encrypted",
      "a protected file of Word, Excel or PowerPoint",
    ],
  ])("names other compound files by their streams: %j", (names, name, mediaType, label) => {
    expect(detectMediaType(streams(...names), { name })).toBe(mediaType);
    expect(nameMediaType(mediaType).label).toBe(label);
  });

  it("knows Windows metafiles, and no text that speaks of them", () => {
    const emf = Uint8Array.from({ length: 88 }, () => 0);
    emf.set([1, 0, 0, 0, 88], 0);
    emf.set(utf8(" EMF"), 40);
    expect(detectMediaType(emf)).toBe("image/emf");
    expect(detectMediaType(bytes(0xd7, 0xcd, 0xc6, 0x9a, 0, 0, 9, 9))).toBe("image/wmf");
    expect(detectMediaType(utf8("This sentence of forty letters ends with EMF, a format."))).toBe("text/plain");
    expect(nameMediaType("image/emf").label).toBe("a Windows metafile (EMF)");
  });

  it("asks the name which older Office format a container is [B52]", () => {
    const cfb = bytes(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);
    expect(detectMediaType(cfb, { name: "old.xls" })).toBe("application/vnd.ms-excel");
  });

  it.each([
    ["a.md", "text/markdown"],
    ["a.MARKDOWN", "text/markdown"],
    ["docs/a.mdx", "text/mdx"],
    ["a.htm", "text/html"],
    ["a.xhtml", "application/xhtml+xml"],
    ["a.rst", "text/x-rst"],
    ["a.csv", "text/csv"],
    ["a.json", "application/json"],
    ["a.yml", "application/yaml"],
    ["a.tar.toml", "application/toml"],
    ["a.py", "text/x-python"],
    ["https://example.com/x/a.md?raw=1#top", "text/markdown"],
    ["Makefile", "text/plain"],
    [".gitignore", "text/plain"],
    ["a.unheardof", "text/plain"],
  ])("goes by the name for text: %s is %s [B52 E15]", (name, expected) => {
    expect(detectMediaType(utf8("plain words"), { name })).toBe(expected);
  });

  it("prefers what is declared over the name, but not what says nothing [E15]", () => {
    expect(detectMediaType(utf8("x"), { declared: "Text/Markdown; charset=utf-8", name: "a.json" })).toBe(
      "text/markdown",
    );
    for (const declared of ["application/octet-stream", "", "nonsense", "*/*", "text/plain"]) {
      expect(detectMediaType(utf8("x"), { declared, name: "a.md" })).toBe("text/markdown");
    }
    expect(detectMediaType(utf8("x"), { declared: "text/plain", name: "a.png" })).toBe("text/plain");
  });

  it("lets Markdown and code begin with HTML, and takes HTML for HTML under any other name [E15]", () => {
    const page = utf8("<!doctype html><title>x</title>");
    expect(detectMediaType(page, { name: "a.md" })).toBe("text/markdown");
    expect(detectMediaType(page, { name: "a.php" })).toBe("text/x-php");
    expect(detectMediaType(page, { name: "a.txt" })).toBe("text/html");
    expect(detectMediaType(page, { name: "a.xml" })).toBe("text/html");
    expect(detectMediaType(page, { name: "page" })).toBe("text/html");
  });

  it("takes a text under a name of older Office for what it is: many programs export one so", async () => {
    const table = "<table><tr><th>Ship</th><th>Cabins</th></tr><tr><td>Boreas</td><td>41</td></tr></table>";
    const mail = "From: a@example.com\nTo: b@example.com\nSubject: Keys\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\nHi.\n";
    const wide = Uint8Array.from([0xff, 0xfe, ...Buffer.from("Ship\tCabins\nBoreas\t41\n", "utf16le")]);
    for (const [name, bytes, type] of [
      ["a.xls", utf8(table), "text/html"],
      ["a.doc", utf8(`<html><body>${table}</body></html>`), "text/html"],
      ["a.xls", utf8("Ship\tCabins\nBoreas\t41\n"), "text/tab-separated-values"],
      ["a.xls", wide, "text/tab-separated-values"],
      ["a.xls", utf8("Ship;Cabins\nBoreas;41\n"), "text/csv"],
      ["a.xls", utf8('<?xml version="1.0"?><Workbook/>'), "application/xml"],
      ["a.dot", utf8('digraph "ships" { a -> b; }'), "text/plain"],
      ["a.msg", utf8(mail), "message/rfc822"],
    ] as const)
      expect([name, detectMediaType(bytes, { name })]).toEqual([name, type]);
    const declared = "application/vnd.ms-excel";
    expect(detectMediaType(utf8("a,b\n1,2\n"), { declared, name: "export.csv" })).toBe("text/csv");
    const { text, sourceMap } = await readAs("a.xls", table);
    expect(text).toBe("| Ship | Cabins |\n| Boreas | 41 |");
    expect(sourceMap.tables).toMatchObject([{ columns: ["Ship", "Cabins"] }]);
  });

  it("reads UTF-16 by its mark [B52]", () => {
    const page = Uint8Array.from([0xff, 0xfe, ...Array.from("<html>", (sign) => [sign.charCodeAt(0), 0]).flat()]);
    expect(detectMediaType(page)).toBe("text/html");
  });

  it.each([bytes(), utf8(" \n\t\r\n"), utf8("\uFEFF \n"), bytes(0xff, 0xfe, 0x20, 0, 0x0a, 0)])(
    "refuses nothing and white space as empty, by name (%#) [E15]",
    (content) => {
      const error = refusal(() => detectMediaType(content, { name: "notes/a.md" }));
      expect(error).toMatchObject({ code: "empty", uri: "notes/a.md" });
      expect(error.message).toContain("notes/a.md");
    },
  );

  it("refuses bytes that are nothing we know as binary, by name [E15 W17]", () => {
    const noise = Uint8Array.from({ length: 64 }, (_, index) => (index * 37) % 32);
    for (const name of ["random.bin", "a.md", "a.txt"]) {
      const error = refusal(() => detectMediaType(noise, { name }));
      expect(error).toMatchObject({ code: "binary", uri: name });
      expect(error.hint).toBeDefined();
    }
  });

  it("believes a name that is not text for bytes that are not text: its reader will tell [E15]", () => {
    expect(detectMediaType(bytes(0, 0, 1, 2), { name: "broken.pdf" })).toBe("application/pdf");
    expect(detectMediaType(bytes(0, 0, 1, 2), { declared: "application/x-own" })).toBe("application/x-own");
  });
});

describe("fileNameOf", () => {
  it.each([
    ["docs/a b.md", "a b.md"],
    ["a.md", "a.md"],
    ["/x/y/", "y"],
    ["https://example.com/x/a%20b.html?q=/z#/w", "a b.html"],
    ["https://example.com/", "https://example.com/"],
    ["https://example.com/%zz", "%zz"],
    ["100%.md", "100%.md"],
  ])("of %s is %s [B52]", (uri, expected) => {
    expect(fileNameOf(uri)).toBe(expected);
  });
});

describe("a refusal of a kind that nobody reads", () => {
  const text = (content: string, at = 0): Uint8Array =>
    Uint8Array.from([...new Uint8Array(at).fill(1), ...Buffer.from(content, "latin1"), 0, 1, 2, 3, 255]);

  it.each([
    ["notes.pages", text("PK\u0003\u0004 Index/Document.iwa"), "a Pages document", "Export it as PDF or DOCX"],
    ["sums.numbers", text("PK\u0003\u0004"), "a Numbers spreadsheet", "XLSX or CSV"],
    ["photo.jpg", text("ftypheic", 4), "an image (image/heic)", "PNG or JPEG"],
    ["a.hwpx", text("PK\u0003\u0004 mimetypeapplication/hwp+zip"), "a Hangul word processor document", "PDF or DOCX"],
    ["all.dat", text("ustar", 257), "a tar archive", "Unpack it"],
    ["all.dat", text("BZh91AY"), "a bzip2 archive", "Unpack it"],
    [
      "old.hwp",
      text("\u00D0\u00CF\u0011\u00E0\u00A1\u00B1\u001A\u00E1"),
      "a Hangul word processor document",
      "PDF or DOCX",
    ],
    ["x.bin", Uint8Array.of(0xe4, 0x52, 0x5c, 0x7b, 0x8c, 0xd8, 0xa7, 0x4d), "a OneNote section", "PDF or DOCX"],
    ["t.dbf", text("\u0003\u0000\u0000\u0000"), "a dBASE table", "CSV"],
    ["a.x", text("WARC/1.0\r\n"), "a web archive (WARC)", "HTML"],
    ["a.x", text("SQLite format 3\u0000"), "an SQLite database", "CSV"],
    ["a.x", text("ITSF"), "a compiled help file (CHM)", "HTML"],
    ["a.x", text("\u0078\u009F\u003E\u0022"), "Outlook's own form (TNEF", "attachments"],
    ["a.wri", text("\u0031\u00BE\u0000\u0000\u0000\u00AB"), "Windows Write", "ODT"],
    ["a.sxw", text("PK\u0003\u0004"), "a text of OpenOffice 1", "ODT"],
    ["a.x", text("\u00FFWPC"), "a WordPerfect document", "ODT"],
    ["a.p7m", text("0\u0082\u0001\u0000"), "a signed or encrypted message", "program that received it"],
  ])("names what %s really is, and what to do", async (name, bytes, label, hint) => {
    const refusal = await refusalOf(readAs(name, bytes));
    expect(refusal.code).toBe("unsupported-media");
    expect(refusal.message).toContain(label);
    expect(refusal.hint).toContain(hint);
  });
});
