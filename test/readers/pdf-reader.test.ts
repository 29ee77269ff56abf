import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { describe, expect, it, vi } from "vitest";

import { findCharacterMaps } from "../../src/readers/pdf/character-maps.ts";
import { createPdfReader } from "../../src/readers/pdf/pdf-reader.ts";
import { readPdf } from "../../src/readers/pdf/read-pdf.ts";
import { noTableExtractor } from "../../src/readers/no-table-extractor.ts";
import { createLocator } from "../../src/text/locate.ts";

import { makePdf, type PdfTestLine, writeFile } from "./make-pdf.ts";
import { readAs, refusalOf, showBlocks, showOutline } from "./read-with.ts";

/** Lines set 12 points apart from the top, a blank one for a wider gap. */
const setLines = (...lines: readonly (string | { text: string; size: number })[]): PdfTestLine[] =>
  lines
    .map((line, index) => ({ ...(typeof line === "string" ? { text: line } : line), y: 700 - index * 12 }))
    .filter(({ text }) => text !== "");

describe("createPdfReader", () => {
  it("reads pages, paragraphs and the places of both [B52 E15 W17]", async () => {
    const result = await readAs(
      "paper.pdf",
      makePdf([
        setLines({ text: "Keys", size: 18 }, "", "Keys should be", "rotated often.", "", "Twice a year."),
        [],
        setLines("The third page."),
      ]),
    );
    expect(showBlocks(result)).toEqual([
      "heading: Keys",
      "paragraph: Keys should be rotated often.",
      "paragraph: Twice a year.",
      "paragraph: The third page.",
    ]);
    expect(result.text).toBe("Keys\n\nKeys should be rotated often.\n\nTwice a year.\n\nThe third page.");
    const third = result.text.indexOf("The third");
    expect(result.sourceMap).toEqual({
      lines: "none",
      pages: [
        { number: 1, start: 0 },
        { number: 2, start: third },
        { number: 3, start: third },
      ],
    });
    const locate = createLocator(result);
    expect([locate(0).page, locate(third - 3).page, locate(third).page]).toEqual([1, 1, 3]);
    expect(locate(0).line).toBeUndefined();
    expect(result).toMatchObject({ title: "Keys", mediaType: "application/pdf", metadata: { pageCount: 3 } });
  });

  it("makes sections of outline entries whose titles are to be read on their page [E2 E15]", async () => {
    const result = await readAs(
      "a.pdf",
      makePdf(
        [
          setLines(
            "PART ONE",
            "Some words.",
            "1.1  De tails",
            "More words.",
            "1.2 A title that is",
            "broken in two",
            "Even more.",
          ),
          setLines("Part Two, with more on its line", "End."),
        ],
        {
          outline: [
            {
              title: "Part One",
              page: 0,
              items: [
                { title: "1.1 Details", page: 0 },
                { title: "1.2 A title that is broken in two", page: 0 },
                { title: "Not there", page: 0 },
                { title: "Nowhere", page: 7 },
              ],
            },
            { title: "Part Two", page: 1 },
          ],
        },
      ),
    );
    expect(showOutline(result.root)).toEqual([
      "# Part One",
      "## 1.1 Details",
      "## 1.2 A title that is broken in two",
      "# Part Two",
    ]);
    const [one, two] = result.root.children;
    expect(result.text.slice(one?.start, one?.contentStart)).toBe("PART ONE");
    const broken = one?.children[1];
    expect(result.text.slice(broken?.start, broken?.contentStart)).toBe("1.2 A title that is broken in two");
    expect(result.text.slice(two?.start, two?.contentStart)).toBe("Part Two, with more on its line");
    expect(showBlocks(result).filter((block) => block.startsWith("heading"))).toHaveLength(4);
  });

  it("finds an outline's titles behind the numbers that its pages print before them", async () => {
    const lines = [
      "Chapter 1. Harbours",
      "Harbours are where ships rest.",
      "1.1 Tides",
      "It rises.",
      "A.2 Tables",
      "Much.",
    ];
    const pages = lines.map((text, index) => ({ text, y: 700 - index * 30 }));
    const outline = [
      { title: "Harbours", page: 0, items: [{ title: "Tides", page: 0 }] },
      { title: "Tables", page: 0 },
      { title: `Not a title ${"but a paragraph ".repeat(20)}`, page: 0 },
    ];
    const { root } = await readAs("a.pdf", makePdf([pages], { outline }));
    expect(showOutline(root)).toEqual(["# Chapter 1. Harbours", "## 1.1 Tides", "# A.2 Tables"]);
  });

  it("has the title of its file where its largest letters are those of its text", async () => {
    const body = Array.from({ length: 9 }, (_, index) => ({
      text: `Footnote appears here ${index}`,
      y: 700 - index * 12 - (index > 0 ? 40 : 0),
      size: 11,
    }));
    const { root } = await readAs("a.pdf", makePdf([[...body, { text: "1 This is a footnote.", y: 90, size: 7 }]]));
    expect(root.title).toBe("a.pdf");
  });

  it("takes title, author, language and dates from the document's information [B4 E15]", async () => {
    const info =
      "/Title (Microsoft Word - Keys) /Author (Ada) /CreationDate (D:20240501100000+02'00') /ModDate (nonsense)";
    const { title, metadata } = await readAs("a.pdf", makePdf([setLines("x")], { info }));
    expect(title).toBe("Keys");
    expect(metadata).toEqual({
      pageCount: 1,
      author: "Ada",
      language: "en-GB",
      createdAt: "2024-05-01T10:00:00+02:00",
    });
  });

  it("refuses a scan as empty and says why [E15]", async () => {
    const error = await refusalOf(readAs("scan.pdf", makePdf([[], []], { pictures: [0, 1] })));
    expect(error).toMatchObject({ code: "empty", uri: "scan.pdf", details: { pages: 2 } });
    expect(error.message).toMatch(/scan\.pdf has no text layer on its 2 pages/);
    expect(error.hint).toContain("OCR");
  });

  it("says that a file is blank, and calls it no scan, also where its pages begin with a transformation to nothing", async () => {
    const content = "1 0 0 1 0 0 cm BT /F1 12 Tf 14.4 TL ET";
    const begun = writeFile(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >>",
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ],
      "/Root 1 0 R",
    );
    for (const [bytes, says] of [
      [begun, "blank.pdf is blank: its page shows nothing."],
      [makePdf([[], []]), "blank.pdf is blank: its 2 pages show nothing."],
    ] as const) {
      const error = await refusalOf(readAs("blank.pdf", bytes));
      expect([error.code, error.message]).toEqual(["empty", says]);
    }
    const picture = await refusalOf(readAs("a.pdf", makePdf([[]], { pictures: [0] })));
    expect(picture.message).toContain("it looks scanned");
  });

  it("shows bullets of a font of signs as bullets", async () => {
    const stream = (content: string): string => `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
    const line = (words: string, y: number): string =>
      `BT /F2 12 Tf 72 ${y} Td <B7> Tj ET BT /F1 12 Tf 90 ${y} Td (${words}) Tj ET`;
    const map =
      "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <B7> <F0B7> endbfchar endcmap end";
    const bytes = writeFile(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
        stream(`${line("Ropes of hemp", 700)} ${line("Chains of steel", 684)}`),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Symbol /ToUnicode 7 0 R >>",
        stream(map),
      ],
      "/Root 1 0 R",
    );
    expect(showBlocks(await readAs("a.pdf", bytes))).toEqual(["list: • Ropes of hemp", "list: • Chains of steel"]);
  });

  it("names pages that are pictures, and no blank ones [E15]", async () => {
    const { text, notes } = await readAs("a.pdf", makePdf([setLines("Text."), [], [], []], { pictures: [2, 3] }));
    expect(text).toBe("Text.");
    expect(notes).toEqual([expect.stringMatching(/^Pages 3 to 4 have no text layer/)]);
  });

  it.each(["rc4", "aes"] as const)(
    "opens a protected file with either password, and only with one: %s [E15]",
    async (cipher) => {
      const bytes = makePdf([setLines("Secret words.")], { protection: { user: "open", owner: "own", cipher } });
      const read = (password?: string) =>
        createPdfReader().read({
          uri: "secret.pdf",
          bytes,
          mediaType: "application/pdf",
          ...(password === undefined ? {} : { password }),
        });
      expect((await read("open")).text).toBe("Secret words.");
      expect((await read("own")).text).toBe("Secret words.");
      const asked = await refusalOf(read());
      expect(asked).toMatchObject({ code: "encrypted", uri: "secret.pdf" });
      expect(asked.hint).toContain("ibid ingest --password");
      const wrong = await refusalOf(read("wrong-word"));
      expect(wrong).toMatchObject({ code: "encrypted", uri: "secret.pdf" });
      expect(wrong.message).toContain("the given one is wrong");
      expect(JSON.stringify([wrong.message, wrong.hint, wrong.details])).not.toContain("wrong-word");
    },
  );

  it("says that another file is named as a PDF", async () => {
    const error = await refusalOf(readAs("notes.pdf", "Only words of a note."));
    expect(error).toMatchObject({ code: "unreadable" });
    expect(error.message).toBe("notes.pdf is named as a PDF, but its content is not one.");
    expect(error.hint).toContain(".txt");
  });

  it("refuses a broken file as unreadable, by name, and keeps the console silent [E15 W17]", async () => {
    const spies = (["log", "warn", "error", "info"] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation(() => {}),
    );
    const whole = makePdf([setLines("x"), setLines("y")]);
    for (const bytes of [whole.slice(0, 120), new TextEncoder().encode("%PDF-1.7\nnothing else")]) {
      const error = await refusalOf(readAs("broken.pdf", bytes));
      expect(error).toMatchObject({ code: "unreadable", uri: "broken.pdf" });
      expect(error.message).toBe("broken.pdf is broken or cut off: it cannot be opened as a PDF.");
      expect(error.cause).toBeInstanceOf(Error);
    }
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });

  it("names a protection that no password opens, as by a certificate", async () => {
    const objects = [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>",
      "<< /Filter /Adobe.PubSec /V 4 /SubFilter /adbe.pkcs7.s5 >>",
    ];
    const bytes = writeFile(objects, "/Root 1 0 R /Encrypt 4 0 R /ID [<00> <00>]");
    expect(await refusalOf(readAs("locked.pdf", bytes))).toMatchObject({
      code: "encrypted",
      message: "locked.pdf is protected by a certificate or a service of rights, which no password opens.",
    });
  });

  it("refuses more than 5,000 pages as too large [E15]", async () => {
    const error = await refusalOf(readAs("long.pdf", makePdf(Array.from({ length: 5001 }, () => []))));
    expect(error).toMatchObject({
      code: "too-large",
      uri: "long.pdf",
      details: { limit: "maxPages", found: 5001, max: 5000 },
    });
  });

  it("refuses more text than a limit allows, before all pages are read [E15]", async () => {
    const reading = createPdfReader().read({
      uri: "long.pdf",
      bytes: makePdf([setLines("one two three"), setLines("four five six")]),
      mediaType: "application/pdf",
      limits: { maxTextLength: 10 },
    });
    expect(await refusalOf(reading)).toMatchObject({ code: "too-large", details: { limit: "maxTextLength", max: 10 } });
  });

  it("ends on pages that turn in a circle and forms that draw themselves [E15]", async () => {
    const circle = writeFile(
      ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 3 /Kids [2 0 R] >>"],
      "/Root 1 0 R",
    );
    expect(await refusalOf(readAs("circle.pdf", circle))).toMatchObject({ code: "unreadable", uri: "circle.pdf" });
    const form =
      "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /Me 4 0 R >> >> /Length 6 >>";
    const itself = writeFile(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /XObject << /Me 4 0 R >> >> /Contents 5 0 R >>",
        `${form}\nstream\n/Me Do\nendstream`,
        "<< /Length 6 >>\nstream\n/Me Do\nendstream",
      ],
      "/Root 1 0 R",
    );
    expect(["empty", "unreadable"]).toContain((await refusalOf(readAs("itself.pdf", itself))).code);
  });

  it("leaves the caller's bytes alone and stops when aborted [E15]", async () => {
    const bytes = makePdf([setLines("x")]);
    const before = bytes.slice();
    await readAs("a.pdf", bytes);
    expect(bytes).toEqual(before);
    expect(await refusalOf(readAs("a.pdf", bytes, AbortSignal.abort()))).toMatchObject({ code: "aborted" });
  });
});

describe("text in fonts that cannot be read", () => {
  /** Shift JIS by a character map that the file only names. */
  const withJapanese = (latin: string): Uint8Array => {
    const stream = `BT /F1 12 Tf 72 700 Td <82a082a2> Tj${latin === "" ? "" : ` /F2 12 Tf (${latin}) Tj`} ET`;
    return writeFile(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 8 0 R >> >> >>",
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /90ms-RKSJ-H /DescendantFonts [6 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor 7 0 R >>",
        "<< /Type /FontDescriptor /FontName /X /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      ],
      "/Root 1 0 R",
    );
  };

  it("is no scan, and is not lost in silence [E15 L9]", async () => {
    // Where the package with the maps is installed, it would be found.
    const read = (bytes: Uint8Array) =>
      readPdf({ uri: "a.pdf", bytes, mediaType: "application/pdf" }, undefined, noTableExtractor, undefined);
    const error = await refusalOf(read(withJapanese("")));
    expect(error).toMatchObject({ code: "unreadable", uri: "a.pdf" });
    expect(error.hint).toMatch(/npm install pdfjs-dist.*embedded/);
    const { text, notes } = await read(withJapanese("Latin words"));
    expect(text).toBe("Latin words");
    expect(notes).toEqual([expect.stringMatching(/^Some text on page 1 is left out: its font/)]);
  });

  it("is read with the maps of a package that is installed [E15]", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-maps-"));
    const maps = join(folder, "node_modules/pdfjs-dist/cmaps");
    mkdirSync(maps, { recursive: true });
    writeFileSync(join(maps, "../package.json"), "{}");
    // The binary form of PDF.js: a range of two-byte codes, then what 82a0 and 82a2 are called, and what those are in UCS-2.
    const codes = [0, 0x01, 1, 0x81, 0x40, 0x81, 0xf7, 0x3c, 0x41, 1, 0x82, 0xa0, 1, 0x41, 1, 0x82, 0xa2, 2];
    const letters = [0, 0x01, 1, 0, 0, 0x83, 0xff, 0x7f, 0x81, 1, 0, 1, 0x30, 0x42, 0x81, 1, 0, 2, 0x30, 0x44];
    writeFileSync(join(maps, "90ms-RKSJ-H.bcmap"), Uint8Array.from(codes));
    writeFileSync(join(maps, "Adobe-Japan1-UCS2.bcmap"), Uint8Array.from(letters));
    const found = findCharacterMaps([pathToFileURL(join(folder, "package.json")).href]);
    expect(found).toBe(realpathSync(maps));
    const input = { uri: "a.pdf", bytes: withJapanese("Latin words"), mediaType: "application/pdf" };
    const { text, notes } = await readPdf(input, undefined, noTableExtractor, found);
    rmSync(folder, { recursive: true });
    expect(text).toContain("あい");
    expect(text).toContain("Latin words");
    expect(notes).toBeUndefined();
    expect(findCharacterMaps([pathToFileURL(join(tmpdir(), "nowhere/package.json")).href])).toBeUndefined();
  });
});

describe("a broken page", () => {
  const stream = "BT /F1 12 Tf 72 700 Td (Words of the first page) Tj ET";
  const write = (kids: string): Uint8Array =>
    writeFile(
      [
        "<< /Type /Catalog /Pages 2 0 R >>",
        `<< /Type /Pages /Count ${kids.split("R").length - 1} /Kids [${kids}] >>`,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "(no page)",
      ],
      "/Root 1 0 R",
    );

  it("is named, and the others are read [L9]", async () => {
    const { text, notes } = await readAs("a.pdf", write("3 0 R 6 0 R"));
    expect(text).toBe("Words of the first page");
    expect(notes).toEqual(["Page 2 is broken and left out."]);
  });

  it("refuses the file when there is no other", async () => {
    expect(await refusalOf(readAs("a.pdf", write("6 0 R")))).toMatchObject({ code: "unreadable", uri: "a.pdf" });
  });
});
