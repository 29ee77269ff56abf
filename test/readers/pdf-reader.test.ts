import { describe, expect, it, vi } from "vitest";

import { joinLines } from "../../src/adapters/pdf/pdf-lines.ts";
import { writePdfText } from "../../src/adapters/pdf/pdf-text.ts";
import { createLocator } from "../../src/text/locate.ts";

import { makePdf, type PdfTestLine } from "./make-pdf.ts";
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
      "paragraph: Keys",
      "paragraph: Keys should be\nrotated often.",
      "paragraph: Twice a year.",
      "paragraph: The third page.",
    ]);
    expect(result.text).toBe("Keys\n\nKeys should be\nrotated often.\n\nTwice a year.\n\nThe third page.");
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
    expect(result).toMatchObject({ title: "paper.pdf", mediaType: "application/pdf", metadata: { pageCount: 3 } });
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
    expect(result.text.slice(broken?.start, broken?.contentStart)).toBe("1.2 A title that is\nbroken in two");
    expect(result.text.slice(two?.start, two?.contentStart)).toBe("Part Two, with more on its line");
    expect(showBlocks(result).filter((block) => block.startsWith("heading"))).toHaveLength(4);
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
    const error = await refusalOf(readAs("scan.pdf", makePdf([[], []])));
    expect(error).toMatchObject({ code: "empty", uri: "scan.pdf", details: { pages: 2 } });
    expect(error.message).toMatch(/scan\.pdf has no text layer on its 2 pages/);
    expect(error.mend).toContain("OCR");
  });

  it("refuses a file that asks for a password as encrypted [E15]", async () => {
    const error = await refusalOf(readAs("secret.pdf", makePdf([setLines("x")], { encrypted: true })));
    expect(error).toMatchObject({ code: "encrypted", uri: "secret.pdf" });
    expect(error.mend).toContain("without a password");
  });

  it("refuses a broken file as unreadable, by name, and keeps the console silent [E15 W17]", async () => {
    const spies = (["log", "warn", "error", "info"] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation(() => {}),
    );
    const whole = makePdf([setLines("x"), setLines("y")]);
    for (const bytes of [whole.slice(0, 120), new TextEncoder().encode("%PDF-1.7\nnothing else")]) {
      const error = await refusalOf(readAs("broken.pdf", bytes));
      expect(error).toMatchObject({ code: "unreadable", uri: "broken.pdf" });
      expect(error.message).toContain("broken.pdf");
      expect(error.cause).toBeInstanceOf(Error);
    }
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });

  it("refuses more than 5,000 pages as too large [E15]", async () => {
    const error = await refusalOf(readAs("long.pdf", makePdf(Array.from({ length: 5001 }, () => []))));
    expect(error).toMatchObject({ code: "too-large", uri: "long.pdf", details: { pages: 5001, max: 5000 } });
  });

  it("leaves the caller's bytes alone and stops when aborted [E15]", async () => {
    const bytes = makePdf([setLines("x")]);
    const before = bytes.slice();
    await readAs("a.pdf", bytes);
    expect(bytes).toEqual(before);
    expect(await refusalOf(readAs("a.pdf", bytes, AbortSignal.abort()))).toMatchObject({ code: "aborted" });
  });
});

describe("joining runs and lines", () => {
  const run = (
    str: string,
    x: number,
    width: number,
    more: { y?: number; height?: number; hasEOL?: boolean } = {},
  ) => ({
    str,
    width,
    height: more.height ?? 10,
    hasEOL: more.hasEOL ?? false,
    transform: [1, 0, 0, 1, x, more.y ?? 0],
  });

  it("puts a space where runs stand apart, in either direction, and none where they touch [E15]", () => {
    expect(joinLines([run("R", 0, 10), run("EACT", 11, 30), run("in", 44, 10)])).toEqual([
      { text: "REACT in", height: 10, y: 0 },
    ]);
    expect(joinLines([run("שלום", 60, 40), run("abc", 30, 27)])[0]?.text).toBe("שלום abc");
  });

  it("takes controls, lone surrogates and empty lines out [L1]", () => {
    expect(
      joinLines([
        run("a\u0000\u0007b\ud800", 0, 10, { hasEOL: true }),
        run(" ", 0, 1, { hasEOL: true }),
        run("c", 0, 5),
      ]).map(({ text }) => text),
    ).toEqual(["ab\uFFFD", "c"]);
  });

  const write = (...texts: string[]): string =>
    writePdfText([texts.map((text, index) => ({ text, height: 10, y: 700 - index * 12 }))], []).text;

  it.each([
    [["We con-", "sider it."], "We consider it."],
    [["a state-of-the-", "art model"], "a state-of-the-art model"],
    [["a well-known and well-", "known thing"], "a well-known and well-known thing"],
    [["a rewrite to re-", "write"], "a rewrite to rewrite"],
    [["pages 3-", "5 of it"], "pages 3-\n5 of it"],
    [["the Anglo-", "Saxons"], "the Anglo-\nSaxons"],
    [["a dash -", "and on"], "a dash -\nand on"],
  ])("makes words whole that a line end parted: %j [E15]", (lines, text) => {
    expect(write(...lines)).toBe(text);
  });

  it("goes on in the next column, unless a sentence ended [E15]", () => {
    const columns = (last: string): string =>
      writePdfText(
        [
          [
            { text: "a", height: 10, y: 112 },
            { text: last, height: 10, y: 100 },
            { text: "next", height: 10, y: 700 },
          ],
        ],
        [],
      ).text;
    expect(columns("it goes")).toBe("a\nit goes\nnext");
    expect(columns("it ends.")).toBe("a\nit ends.\n\nnext");
  });
});
