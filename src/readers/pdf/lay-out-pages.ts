import { findAreas } from "./find-areas.ts";
import type { PdfArea } from "./pdf-area.ts";
import { removeFurniture } from "./pdf-furniture.ts";
import { toLine } from "./pdf-lines.ts";
import type { PdfRun } from "./pdf-runs.ts";
import { readTagged } from "./pdf-tags.ts";
import type { ReadPage } from "./read-page.ts";

/** **Units** milliseconds. */
const longestTurnMs = 50;

/**
 * Finds the areas of all pages in reading order: by valid tags, else by position. Text in another direction comes last.
 *
 * **Errors** errors of `check`, which runs between pages. **Cost** as {@link findAreas}, for each page.
 */
export async function layOutPages(pages: readonly ReadPage[], check: () => void = () => {}): Promise<PdfArea[][]> {
  const upright = pages.map(({ sides, height }) => ({
    runs: sides[0]?.angle === 0 ? sides[0].runs : [],
    height,
  }));
  const bare = removeFurniture(isTypewritten(upright.map(({ runs }) => runs)) ? upright.map(asPlain) : upright);
  const laidOut: PdfArea[][] = [];
  let since = performance.now();
  for (const [page, { sides, tree }] of pages.entries()) {
    if (performance.now() - since > longestTurnMs) {
      // A file of many crowded pages leaves others their turn, and can be stopped.
      await new Promise((resolve) => void setImmediate(resolve));
      check();
      since = performance.now();
    }
    const { header = [], footer = [], runs = [] } = bare[page] ?? {};
    const main = sides[0]?.angle === 0 ? runs : (sides[0]?.runs ?? []);
    const text = readTagged(tree, main) ?? findAreas(main);
    const others = sides.slice(1).flatMap((side) => findAreas(side.runs).map((area) => ({ ...area, aside: true })));
    laidOut.push([...header.map(asideOf), ...text, ...others, ...footer.map(asideOf)]);
  }
  return laidOut;
}

/** Whether most of a text is in a typewriter's letters: then they do not mean code. */
function isTypewritten(pages: readonly (readonly PdfRun[])[]): boolean {
  let mono = 0;
  let all = 0;
  for (const runs of pages) {
    for (const run of runs) {
      all += run.text.length;
      if (run.mono) mono += run.text.length;
    }
  }
  return mono > all / 2;
}

function asPlain<T extends { readonly runs: readonly PdfRun[] }>(page: T): T {
  return { ...page, runs: page.runs.map((run) => ({ ...run, mono: false })) };
}

function asideOf(row: readonly PdfRun[]): PdfArea {
  return { kind: "flow", aside: true, lines: [toLine(row)] };
}
