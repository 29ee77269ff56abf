import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  count,
  displayWidth,
  formatBytes,
  formatDuration,
  neutralise,
  neutraliseText,
  pad,
  shorten,
  toJsonLine,
  wrap,
} from "../../src/cli/text-layout.ts";

const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(" ", "a", "é", "東", "👩‍👩‍👧", "\u0301", "\u001B", "\u202E", "\n"),
    fc.string({ unit: "grapheme", maxLength: 1 }),
  ),
});

describe("columns", () => {
  it.each([
    ["plain", 5],
    ["東京", 4],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["한글", 4],
    ["", 0],
    ["…", 1],
  ])("%s takes %i", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it("pads to a width, and never cuts", () => {
    expect(pad("東", 4)).toBe("東  ");
    expect(pad("1", 3, "left")).toBe("  1");
    expect(pad("long", 2)).toBe("long");
  });

  it("keeps both ends of what it shortens", () => {
    expect(shorten("docs/security/keys.md", 11)).toBe("docs/…ys.md");
    expect(shorten("short", 5)).toBe("short");
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 20 }), (text, width) => {
        expect(displayWidth(shorten(neutralise(text), width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("wraps at white space, breaks only what is too wide, and loses nothing", () => {
    expect(wrap("one two  three\nfour", 8)).toEqual(["one two", "three", "four"]);
    expect(wrap("abcdefgh ij", 3)).toEqual(["abc", "def", "gh", "ij"]);
    expect(wrap("a  b\nc", Infinity)).toEqual(["a b c"]);
    expect(wrap(" \n ", 5)).toEqual([]);
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 20 }), (text, width) => {
        const lines = wrap(neutralise(text), width);
        expect(lines.join("").replaceAll(/\s/gu, "")).toBe(neutralise(text).replaceAll(/\s/gu, ""));
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe("what a document cannot do to a terminal [L12]", () => {
  it("shows controls as pictures, and turns no direction", () => {
    expect(neutralise("\u001B[31mred\u0007\r\n\u009B2J\u007F a\u202Eb")).toBe("␛[31mred␇␍␊\uFFFD2J␡ a\u2060b");
    expect(neutraliseText("a\n\tb\u001B]0;title\u0007")).toBe("a\n\tb␛]0;title␇");
  });

  it("leaves no control, and every length as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(neutralise(text)).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
        expect(neutralise(text).length).toBe(text.length);
      }),
    );
  });

  it("writes JSON that means the same, on one line, and steers nothing", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json().map((text) => JSON.parse(text) as unknown),
          fc.string({ unit: "binary" }),
        ),
        (value) => {
          const line = toJsonLine(value);
          expect(JSON.parse(line)).toEqual(value);
          expect(line).not.toMatch(/[\p{Cc}\u2028-\u202E\u2066-\u2069]/u);
        },
      ),
    );
  });
});

describe("numbers for people", () => {
  it("counts", () => {
    expect([0, 1, 1204].map((number) => count(number, "chunk"))).toEqual(["0 chunks", "1 chunk", "1,204 chunks"]);
  });

  it.each([
    [0, "0 B"],
    [812, "812 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [3_449, "3.4 kB"],
    [999_499, "999 kB"],
    [999_500, "1.0 MB"],
    [1.25e9, "1.3 GB"],
  ])("%i bytes are %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [340, "340 ms"],
    [1000, "1.0 s"],
    [59_949, "59.9 s"],
    [60_000, "1 min 0 s"],
    [125_000, "2 min 5 s"],
    [3_840_000, "1 h 4 min"],
    [7_199_000, "2 h 0 min"],
  ])("%i ms are %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
