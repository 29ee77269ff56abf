import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { findAreas } from "../../src/adapters/pdf/find-areas.ts";
import { joinBlocks } from "../../src/adapters/pdf/join-blocks.ts";
import { findHeadings } from "../../src/adapters/pdf/pdf-headings.ts";
import { findParagraphs, findUsualGap } from "../../src/adapters/pdf/pdf-paragraphs.ts";
import type { PdfRun } from "../../src/adapters/pdf/pdf-runs.ts";
import { writePdfText } from "../../src/adapters/pdf/pdf-text.ts";

/** Runs anywhere on a page, many of them in line with others, each with a word of its own. */
const pages = fc.array(
  fc.array(
    fc.record({
      x: fc.oneof(fc.constantFrom(72, 200, 320, 450), fc.integer({ min: 0, max: 600 })),
      y: fc.oneof(
        fc.integer({ min: 1, max: 40 }).map((line) => line * 12),
        fc.integer({ min: 0, max: 800 }),
      ),
      width: fc.oneof(fc.constantFrom(0, 30, 110, 500), fc.integer({ min: 0, max: 300 })),
      size: fc.constantFrom(7, 10, 10, 10, 18, 40),
      bold: fc.boolean(),
      mono: fc.boolean(),
      rtl: fc.boolean(),
      words: fc.integer({ min: 1, max: 8 }),
    }),
    { maxLength: 60 },
  ),
  { minLength: 1, maxLength: 3 },
);

describe("laying out a PDF", () => {
  it("keeps every word once, wherever it stands, and makes blocks that cover the text [E15 L1 L9]", () => {
    fc.assert(
      fc.property(pages, (layout) => {
        let count = 0;
        const all: string[] = [];
        const areas = layout.map((runs) =>
          findAreas(
            runs.map(({ words, width, ...run }): PdfRun => {
              const own = Array.from({ length: words }, () => `w${count++}`);
              all.push(...own);
              return { ...run, right: run.x + width, text: own.join(" ") };
            }),
          ),
        );
        const gap = findUsualGap(areas.flat());
        const blocks = areas.flatMap((list, page) => list.flatMap((area) => findParagraphs(area, page, gap)));
        const written = writePdfText(joinBlocks(findHeadings(blocks)), layout.length);
        const kept = written.text.match(/w\d+/gu) ?? [];
        expect(kept.toSorted()).toEqual(all.toSorted());
        let outside = "";
        let reached = 0;
        for (const { start, end } of written.blocks) {
          expect(start).toBeGreaterThanOrEqual(reached);
          outside += written.text.slice(reached, start);
          reached = end;
        }
        expect((outside + written.text.slice(reached)).trim()).toBe("");
        expect(written.pages.map(({ number }) => number)).toEqual(layout.map((_, index) => index + 1));
        expect(written.pages.every(({ start }, index) => start >= (written.pages[index - 1]?.start ?? 0))).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});
