import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Section, SourceMap } from "../../src/contracts/document.ts";
import { createLocator, locate } from "../../src/text/locate.ts";

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
    expect(at(4, 11)).toEqual({ headings: ["A"], sectionId: "0.1" });
    expect(at(11, 20)).toEqual({ headings: ["A", "A1"], sectionId: "0.1.1" });
    expect(at(10, 20)).toEqual({ headings: ["A"], sectionId: "0.1" });
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
