import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodePoints } from "../../src/runtime/compare-text.ts";

/** Characters on both sides of the surrogates, where UTF-16 and UTF-8 disagree, and any others. */
const edges = fc.constantFrom(
  "",
  "a",
  "\u00e9",
  "\ud7ff",
  "\ue000",
  "\ufffd",
  "\uffff",
  "\u{10000}",
  "\u{1f600}",
  "\u{10ffff}",
);
const wellFormed = fc
  .array(fc.oneof(edges, fc.string({ unit: "binary" })), { maxLength: 4 })
  .map((all) => all.join(""));
const anyText = fc.oneof(
  wellFormed,
  fc.string({ unit: fc.integer({ min: 0xd7f0, max: 0xe010 }).map((unit) => String.fromCharCode(unit)) }),
);
const bytes = (text: string): Buffer => Buffer.from(text, "utf8");

describe("the order of texts", () => {
  it("is that of their UTF-8 bytes [L11]", () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(bytes(a), bytes(b)));
      }),
      { numRuns: 2000 },
    );
  });

  it("is SQLite's [L11]", () => {
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE texts (text TEXT)");
    const insert = database.prepare("INSERT INTO texts VALUES (?)");
    const sorted = database.prepare("SELECT text FROM texts ORDER BY text");
    // A text with NUL ends there when SQLite hands it out.
    const texts = fc.array(
      wellFormed.filter((text) => !text.includes("\0")),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(texts, (all) => {
        database.exec("DELETE FROM texts");
        for (const text of all) insert.run(text);
        expect(all.toSorted(compareCodePoints)).toEqual(sorted.all().map(({ text }) => text));
      }),
    );
    database.close();
  });

  it("is total, also over lone surrogates", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (a, b, c) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(0 - Math.sign(compareCodePoints(b, a)));
        expect(compareCodePoints(a, b) === 0).toBe(a === b);
        const isChain = compareCodePoints(a, b) <= 0 && compareCodePoints(b, c) <= 0;
        expect(isChain && compareCodePoints(a, c) > 0).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});
