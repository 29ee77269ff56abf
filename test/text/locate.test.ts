import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Section, SourceMap } from "../../src/contracts/document.ts";
import { locateInSlices } from "../../src/text/locate-in-slices.ts";
import { columnName, createLocator, locate } from "../../src/text/locate.ts";

const section = (
  id: string,
  title: string,
  start: number,
  end: number,
  children: readonly Section[] = [],
): Section => ({
  id,
  title,
  level: id.split(".").length - 1,
  start,
  end,
  contentStart: start,
  children,
});

const text = "pre\n# A\naa\n## A1\nbb\n# B\ncc\n";
const root = section("0", "Root", 0, text.length, [
  section("0.1", "A", 4, 20, [section("0.1.1", "A1", 11, 20)]),
  section("0.2", "B", 20, text.length),
]);
const document = (sourceMap: SourceMap): Parameters<typeof createLocator>[0] => ({ text, root, sourceMap });

describe("locate", () => {
  it("names the headings of the innermost section that holds the whole stretch", () => {
    const at = createLocator(document({ lines: "none" }));
    expect(at(0)).toEqual({ headings: [], sectionId: "0" });
    expect(at(4, 11)).toEqual({ headings: ["A"], sectionId: "0.1", isInContainer: true });
    expect(at(11, 20)).toEqual({ headings: ["A", "A1"], sectionId: "0.1.1" });
    expect(at(10, 20)).toEqual({ headings: ["A"], sectionId: "0.1", isInContainer: true });
    expect(at(19, 21)).toEqual({ headings: [], sectionId: "0" });
    expect(at(20)).toEqual({ headings: ["B"], sectionId: "0.2" });
    expect(at(text.length)).toEqual({ headings: ["B"], sectionId: "0.2" });
  });

  it("counts lines of the text, or takes them from anchors", () => {
    const lines = createLocator(document({ lines: "text" }));
    expect([0, 3, 4, 10, 11, 20, text.length].map((start) => lines(start).line)).toEqual([1, 1, 2, 3, 4, 6, 8]);
    const anchors = createLocator(
      document({
        lines: "anchors",
        anchors: [
          { start: 4, line: 10 },
          { start: 20, line: 30 },
        ],
      }),
    );
    expect([0, 4, 19, 20].map((start) => anchors(start).line)).toEqual([undefined, 10, 10, 30]);
    expect("line" in locate(document({ lines: "none" }), 5)).toBe(false);
  });

  it("finds the page on which the stretch starts", () => {
    const at = createLocator(
      document({
        lines: "none",
        pages: [
          { number: 1, start: 0 },
          { number: 3, start: 11 },
        ],
      }),
    );
    expect([0, 10, 11, text.length].map((start) => at(start).page)).toEqual([1, 1, 3, 3]);
    expect("page" in locate(document({ lines: "none" }), 5)).toBe(false);
  });

  it("agrees with counting line breaks anywhere", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "\n", "😀"), maxLength: 30 }),
        fc.nat({ max: 30 }),
        (lines, position) => {
          const start = Math.min(position, lines.length);
          const given = { text: lines, root: section("0", "", 0, lines.length), sourceMap: { lines: "text" } as const };
          expect(locate(given, start).line).toBe(lines.slice(0, start).split("\n").length);
        },
      ),
    );
  });

  it.each([
    [-1, 2],
    [0, text.length + 1],
    [3, 2],
    [0.5, 2],
    [Number.NaN, 2],
  ])("refuses the stretch %j to %j", (start, end) => {
    expect(() => locate(document({ lines: "text" }), start, end)).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  });
});

describe("places of formats [E12 T34]", () => {
  const sheetText = "Sheet1\n\na | b\n1 | 2\n\n3 | 4\n\nOther\n\nx";
  const start = sheetText.indexOf("a | b");
  const sheetMap: SourceMap = {
    lines: "none",
    sheets: [
      {
        name: "Sheet1",
        start: 0,
        end: sheetText.indexOf("Other"),
        rows: [
          { start, row: 1 },
          { start: sheetText.indexOf("3 | 4"), row: 9 },
        ],
        columns: [2, 28],
      },
    ],
  };
  const at = (from: string, to = from): object =>
    locate(
      { text: sheetText, root: section("0", "", 0, sheetText.length), sourceMap: sheetMap },
      sheetText.indexOf(from),
      sheetText.indexOf(to) + to.length,
    );

  it("covers the rows of a stretch over all columns of its sheet", () => {
    expect(at("a | b")).toMatchObject({ sheet: "Sheet1", cells: "B1:AB1" });
    expect(at("1 | 2")).toMatchObject({ cells: "B2:AB2" });
    expect(at("a | b", "3 | 4")).toMatchObject({ cells: "B1:AB9" });
    expect(at("Sheet1")).toEqual({ sheet: "Sheet1", headings: [], sectionId: "0" });
    expect(at("Sheet1", "a | b")).toMatchObject({ cells: "B1:AB1" });
    expect(at("x")).toEqual({ headings: [], sectionId: "0" });
  });

  it("names columns without a zero", () => {
    expect([1, 26, 27, 52, 53, 702, 703, 16_384].map(columnName)).toEqual([
      "A",
      "Z",
      "AA",
      "AZ",
      "BA",
      "ZZ",
      "AAA",
      "XFD",
    ]);
  });

  it("asks a part's own map, and those of parts within it", () => {
    const inner = { lines: "text" } as const;
    const whole = "head\none\ntwo\nthree";
    const sourceMap: SourceMap = {
      lines: "none",
      parts: [
        {
          name: "mail.eml",
          start: 5,
          end: whole.length,
          sourceMap: { lines: "none", parts: [{ name: "a.txt", start: 4, end: 13, sourceMap: inner }] },
        },
      ],
    };
    const place = (of: string): object =>
      locate({ text: whole, root: section("0", "", 0, whole.length), sourceMap }, whole.indexOf(of));
    expect(place("head")).toEqual({ headings: [], sectionId: "0" });
    expect(place("one")).toEqual({ part: "mail.eml", headings: [], sectionId: "0" });
    expect(place("two")).toEqual({ part: "mail.eml/a.txt", line: 1, headings: [], sectionId: "0" });
    expect(place("three")).toEqual({ part: "mail.eml/a.txt", line: 2, headings: [], sectionId: "0" });
  });
});

describe("locateInSlices", () => {
  const piece = fc.constantFrom("a", "bc", "\n", "\n\n", "👍", "word ");
  const texts = fc.array(piece, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(""));
  const cuts = fc.array(fc.nat(), { minLength: 8, maxLength: 8 });

  it("gives the labels of the whole text, also when it counts from a stretch that is known [L1]", async () => {
    await fc.assert(
      fc.asyncProperty(texts, cuts, fc.constantFrom("text", "none"), async (text, at, lines) => {
        const [a, b, c, d, ...sheet] = at.map((one) => one % (text.length + 1)).sort((x, y) => x - y);
        const [e, f, g, h] = sheet;
        const runs = (from: number, middle: number) => [
          { start: from, row: 2 },
          ...(middle > from ? [{ start: middle, row: 90, columns: [2, 3] as const }] : []),
        ];
        const sheetMap = (from: number, middle: number, to: number): SourceMap => ({
          lines,
          sheets: [{ name: "One", start: from, end: to, rows: runs(from, middle), columns: [1, 4] }],
        });
        const part = { name: "p.txt", start: a!, end: c!, sourceMap: sheetMap(0, b! - a!, c! - a!) };
        const sourceMap: SourceMap = { ...sheetMap(d!, e!, h!), parts: [part], pages: [{ number: 3, start: f! }] };
        const root = section("0", "Root", 0, text.length);
        const document = { text, root, sourceMap };
        const whole = createLocator(document);
        const read = async (start: number, end: number) => text.slice(start, end);
        for (const [start, end] of [
          [b!, c!],
          [a!, h!],
          [e!, g!],
          [f!, h!],
        ] as const) {
          expect(await locateInSlices(document, { start, end }, read)).toEqual(whole(start, end));
          for (const from of [a!, b!, d!, g!]) {
            const known = { start: from, end: h!, ...whole(from, h) };
            expect(await locateInSlices(document, { start, end }, read, known)).toEqual(whole(start, end));
          }
        }
      }),
    );
  });

  it("reads no further than to what is known", async () => {
    const text = "line\n".repeat(10_000);
    const root = section("0", "Root", 0, text.length);
    const document = { text, root, sourceMap: { lines: "text" } satisfies SourceMap };
    let length = 0;
    const read = async (start: number, end: number) => {
      length += end - start;
      return text.slice(start, end);
    };
    const known = { start: 45_000, end: 45_010, line: 9001 };
    expect((await locateInSlices(document, { start: 44_000, end: 46_000 }, read, known)).line).toBe(8801);
    expect((await locateInSlices(document, { start: 45_500, end: 46_000 }, read, known)).line).toBe(9101);
    expect(length).toBe(1500);
  });
});
