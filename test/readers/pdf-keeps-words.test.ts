import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { findAreas } from "../../src/readers/pdf/find-areas.ts";
import { joinBlocks } from "../../src/readers/pdf/join-blocks.ts";
import { findHeadings } from "../../src/readers/pdf/pdf-headings.ts";
import { findParagraphs, findUsualGap } from "../../src/readers/pdf/pdf-paragraphs.ts";
import type { PdfRule } from "../../src/readers/pdf/pdf-drawing.ts";
import type { PdfRun } from "../../src/readers/pdf/pdf-runs.ts";
import { writePdfText } from "../../src/readers/pdf/pdf-text.ts";

/** A run before it has words. */
type Spot = Omit<PdfRun, "text" | "right"> & { readonly width: number; readonly words: number };

const style = fc.record({
  size: fc.constantFrom(9, 10, 10, 10, 16),
  bold: fc.boolean(),
  mono: fc.boolean(),
  rtl: fc.boolean(),
});

/** Lines below one another in each of some columns: prose when they are wide, a table when they are narrow. */
const columns = fc
  .tuple(
    style,
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 0, max: 6 }),
    fc.constantFrom(20, 70, 120),
  )
  .map(([look, count, lines, shift, width]) =>
    Array.from({ length: count * lines }, (_, at): Spot => ({
      ...look,
      x: 40 + (at % count) * 140,
      y: Math.floor(at / count) * 12 + (at % count) * shift,
      width,
      words: Math.ceil(width / 15),
    })),
  );
/** A line over the whole width, and runs anywhere. */
const wide = style.map((look): Spot[] => [{ ...look, x: 40, y: 0, width: 520, words: 9 }]);
const anywhere = fc.array(
  fc
    .tuple(style, fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 300 }))
    .map(([look, x, y, width]): Spot => ({ ...look, x, y, width, words: 2 })),
  { maxLength: 12 },
);

/** Such pieces below one another, in any order of writing. */
const page = fc
  .array(fc.oneof(columns, columns, wide, anywhere), { maxLength: 5 })
  .map((pieces) => {
    let top = 20;
    return pieces.flatMap((piece) => {
      const from = top;
      top += Math.max(0, ...piece.map(({ y }) => y)) + 14;
      return piece.map((spot) => ({ ...spot, y: from + spot.y }));
    });
  })
  .chain((spots) => fc.shuffledSubarray(spots, { minLength: spots.length }));

/** Lines of a table over some of the page, and lines anywhere. */
const rules = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 6 }),
    fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 8 }),
    fc.boolean(),
  )
  .map(([columns, rows, isWhole]): PdfRule[] => [
    ...columns.map((at, i) => ({ isUpright: true, at: at * 20, from: isWhole ? 0 : i * 30, to: 300 })),
    ...rows.map((at, i) => ({ isUpright: false, at: at * 10, from: isWhole ? 0 : i * 40, to: 600 })),
  ]);

describe("laying out a PDF", () => {
  it("keeps every word once, wherever it stands, and makes blocks that cover the text [E15 L1 L9]", () => {
    fc.assert(
      fc.property(
        fc.array(page, { minLength: 1, maxLength: 3 }),
        fc.array(rules, { maxLength: 3 }),
        (layout, drawn) => {
          let count = 0;
          const all: string[] = [];
          const areas = layout.map((runs, index) =>
            findAreas(
              runs.map(({ words, width, ...run }): PdfRun => {
                const own = Array.from({ length: words }, () => `w${count++}`);
                all.push(...own);
                return { ...run, right: run.x + width, text: own.join(" ") };
              }),
              drawn[index],
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
        },
      ),
      { numRuns: 150 },
    );
  });
});
