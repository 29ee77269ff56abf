import { toLine, toRows } from "./pdf-lines.ts";
import type { PdfRun } from "./pdf-runs.ts";

/** A page's text without what stands on every page, and that once. */
export interface BarePage {
  readonly runs: readonly PdfRun[];
  /** Running titles that stand here for the first time, each a row. */
  readonly header: readonly (readonly PdfRun[])[];
  readonly footer: readonly (readonly PdfRun[])[];
}

/** Running titles and page numbers are among the first and last rows of a page … */
const rowsAtEdge = 3;
/** … and within this part of its height; a page may be printed small on a large sheet. */
const edgePart = 0.22;
/** The same text on at least this many pages is furniture; so are numbers that count the pages on two. */
const minPages = 3;

interface EdgeRow {
  readonly page: number;
  readonly runs: readonly PdfRun[];
  readonly text: string;
  readonly y: number;
  readonly atTop: boolean;
}

/**
 * Removes running titles and page numbers from the pages. A sentence may continue over the page, and its quote should
 * have no footer in it.
 *
 * A row at the top or bottom is furniture when it stands on several pages at the same height with the same words,
 * numbers aside. Several are at least three, and a quarter of the pages between them. A row with a number that counts
 * up with the pages is furniture too. A title is kept where it first stands; page numbers are in the source map.
 *
 * **Cost** linear in the runs.
 */
export function removeFurniture(
  pages: readonly { readonly runs: readonly PdfRun[]; readonly height: number }[],
): BarePage[] {
  const edges = pages.flatMap(({ runs, height }, page) => findEdgeRows(runs, height, page));
  const byText = group(edges, ({ text, atTop }) => `${atTop}:${text.toLowerCase().replace(/\d+/gu, "#")}`);
  const removed = new Map<EdgeRow, "first" | "again" | "number">();
  for (const rows of byText.values()) {
    for (const near of clusterByHeight(rows)) {
      const on = new Set(near.map(({ page }) => page));
      const isNumber = !/\p{L}{3}/u.test(
        near[0]!.text.replace(/\b(?:page|seite|página|pagina|стр|of|von|de)\b/giu, ""),
      );
      if (isNumber && on.size >= 2 && countsPages(near)) for (const row of near) removed.set(row, "number");
      else if (on.size >= minPages && on.size >= (near.at(-1)!.page - near[0]!.page + 1) / 4) {
        for (const [index, row] of near.entries()) removed.set(row, index === 0 && !isNumber ? "first" : "again");
      } else if (pages.length === 2 && near.length === 2 && on.size === 2 && isRunning(near, edges)) {
        removed.set(near[0]!, "first");
        removed.set(near[1]!, "again");
      }
    }
  }
  for (const row of edges) {
    // Text that the file marks as an artifact counts as one at an edge of the page.
    if (!removed.has(row) && row.runs.every(({ artifact }) => artifact === true))
      removed.set(row, /\p{L}{3}/u.test(row.text) ? "first" : "number");
  }
  const rowsOf = group(fromTheEdge(edges, removed), ({ page }) => page);
  return pages.map(({ runs }, page) => {
    const rows = rowsOf.get(page) ?? [];
    const gone = new Set(rows.flatMap((row) => row.runs));
    const first = rows.filter((row) => removed.get(row) === "first");
    return {
      runs: gone.size === 0 ? runs : runs.filter((run) => !gone.has(run)),
      header: first.filter(({ atTop }) => atTop).map((row) => row.runs),
      footer: first.filter(({ atTop }) => !atTop).map((row) => row.runs),
    };
  });
}

/**
 * Whether a row that both pages of a document begin or end with is a running title. Its letters are no larger than the text's, and it
 * stands apart from the text. The rows next to it differ, so the pages are no copies of one form.
 */
function isRunning([one, other]: readonly EdgeRow[], edges: readonly EdgeRow[]): boolean {
  const next = [one!, other!].map((row) => {
    const beside = edges.filter(({ page, atTop }) => page === row.page && atTop === row.atTop);
    const inward = row.atTop ? beside : beside.toReversed();
    return inward[0] === row ? inward[1] : undefined;
  });
  const [size, sizes] = [toLine(one!.runs).size, next.map((row) => (row === undefined ? 0 : toLine(row.runs).size))];
  const isApart = next.every((row, at) => row !== undefined && Math.abs(row.y - [one!, other!][at]!.y) > 2 * size);
  return isApart && size <= Math.max(...sizes) && next[0]!.text !== next[1]!.text;
}

/** Only what nothing of the text stands outside of: a sentence that a form repeats on each page is its text. */
function fromTheEdge(edges: readonly EdgeRow[], removed: ReadonlyMap<EdgeRow, unknown>): EdgeRow[] {
  return [...group(edges, ({ page, atTop }) => `${page}:${atTop}`).values()].flatMap((rows) => {
    const inward = rows[0]!.atTop ? rows : rows.toReversed();
    const end = inward.findIndex((row) => !removed.has(row));
    return end === -1 ? inward : inward.slice(0, end);
  });
}

function findEdgeRows(runs: readonly PdfRun[], height: number, page: number): EdgeRow[] {
  const near = runs.filter(({ y }) => y < height * edgePart || y > height * (1 - edgePart));
  const rows = toRows(near).map((row): EdgeRow => {
    const { text, y } = toLine(row);
    return { page, runs: row, text, y, atTop: y < height / 2 };
  });
  const top = rows.filter(({ atTop }) => atTop).slice(0, rowsAtEdge);
  return [...top, ...rows.filter(({ atTop }) => !atTop).slice(-rowsAtEdge)];
}

/** Rows at one height, in the order of the pages. **Units** 4 points apart at most: even and odd pages differ a little. */
function clusterByHeight(rows: readonly EdgeRow[]): EdgeRow[][] {
  const clusters: EdgeRow[][] = [];
  for (const row of rows.toSorted((one, other) => one.y - other.y)) {
    const last = clusters.at(-1);
    if (last !== undefined && row.y - last.at(-1)!.y <= 4) last.push(row);
    else clusters.push([row]);
  }
  return clusters.map((cluster) => cluster.toSorted((one, other) => one.page - other.page));
}

/** Whether the first number of each row is its page's, plus the same for all. */
function countsPages(rows: readonly EdgeRow[]): boolean {
  const shifts = rows.map(({ text, page }) => Number(/\d+/u.exec(text)?.[0] ?? "NaN") - page);
  return shifts.every((shift) => shift === shifts[0]);
}

function group<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const list = groups.get(key);
    if (list === undefined) groups.set(key, [item]);
    else list.push(item);
  }
  return groups;
}
