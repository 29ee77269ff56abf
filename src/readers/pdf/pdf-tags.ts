import { countHeaderRows } from "./count-header-rows.ts";
import { unplaced } from "./extracted-areas.ts";
import { joinCell } from "./join-words.ts";
import type { PdfArea } from "./pdf-area.ts";
import { toLine, toRows, type PdfLine } from "./pdf-lines.ts";
import type { PdfRun } from "./pdf-runs.ts";
import { cutRows, readTables, writeRow } from "./pdf-tables.ts";

/** Part of a structure tree, as PDF.js returns it. */
export interface PdfTag {
  readonly role?: string;
  /** Kind of what `id` names: `content` or `annotation`. */
  readonly type?: string;
  readonly id?: string;
  readonly alt?: string;
  readonly children?: readonly PdfTag[];
}

/** Share of a page's text that its tags must cover to be used. */
const minCovered = 0.9;
/** A page whose text is all in one element is tagged in name only. */
const maxLinesOfOne = 40;
/** A longer heading is a paragraph that its writer styled as one. **Units** UTF-16 code units. */
const longestHeading = 200;
/** Elements within elements; a tree deeper than this turns in a circle or wants to be trouble. */
const maxDepth = 60;

const blockRoles: Readonly<Record<string, PdfArea["kind"]>> = {
  P: "paragraph",
  H: "heading",
  Title: "heading",
  LI: "list",
  TOCI: "list",
  Code: "code",
  Caption: "paragraph",
  Note: "paragraph",
  FENote: "paragraph",
  Formula: "paragraph",
  BibEntry: "paragraph",
  BlockQuote: "quote",
  Figure: "paragraph",
  Aside: "paragraph",
};

/**
 * Reads the areas of a tagged page in the order of its structure tree. Their kinds are headings, items, tables by row,
 * and alternative text of figures.
 *
 * **Shape** `undefined` when the tags miss a tenth of the text, or give no kinds: then geometry is better. Text outside the tree follows as aside.
 * **Cost** linear. **Source** ISO 32000-1, 14.7 and 14.8.4.
 */
export function readTagged(tree: PdfTag | null | undefined, runs: readonly PdfRun[]): readonly PdfArea[] | undefined {
  if (tree === null || tree === undefined) return undefined;
  const byMark = new Map<string, PdfRun[]>();
  for (const run of runs) {
    if (run.mark === undefined) continue;
    const list = byMark.get(run.mark);
    if (list === undefined) byMark.set(run.mark, [run]);
    else list.push(run);
  }
  const used = new Set<PdfRun>();
  const take = (id: string): PdfRun[] => {
    const taken = (byMark.get(id) ?? []).filter((run) => !used.has(run));
    for (const run of taken) used.add(run);
    return taken;
  };
  const areas: PdfArea[] = [];
  walk(tree, take, areas);

  const text = runs.filter(({ artifact }) => artifact !== true);
  if (lengthOf([...used]) < lengthOf(text) * minCovered || used.size === 0) return undefined;
  if (areas.filter(({ lines }) => lines.length > 0).length === 1 && areas[0]!.lines.length > maxLinesOfOne)
    return undefined;
  const rest = runs.filter((run) => !used.has(run));
  const found = findUntaggedTables(areas);
  return rest.length === 0 ? found : [...found, { kind: "flow", aside: true, lines: toLinesInOrder(rest) }];
}

/**
 * Paragraphs of one line that the tags name row by row, side by side, as the table that they are. Browsers tag only
 * tables that have a header.
 */
function findUntaggedTables(areas: readonly PdfArea[]): readonly PdfArea[] {
  const isCell = ({ kind, lines }: PdfArea): boolean =>
    kind === "paragraph" && lines.length === 1 && lines[0]!.size > 0;
  const isBeside = (area: PdfArea | undefined, next: PdfArea | undefined): boolean => {
    if (area === undefined || next === undefined || !isCell(area) || !isCell(next)) return false;
    const [one, other] = [area.lines[0]!, next.lines[0]!];
    return Math.abs(one.y - other.y) < 0.2 * one.size && other.x > one.right + 0.5 * one.size;
  };
  const found: PdfArea[] = [];
  for (let at = 0; at < areas.length;) {
    let end = at;
    while (isBeside(areas[end], areas[end + 1])) {
      end++;
      while (isBeside(areas[end], areas[end + 1])) end++;
      if (isBeside(areas[end + 1], areas[end + 2])) end++;
    }
    const runs = areas.slice(at, end + 1).flatMap(({ lines }) => lines.flatMap((line) => line.runs ?? []));
    const tables = end === at ? [] : readTables(cutRows(toRows(runs)));
    if (tables.some(({ kind }) => kind === "table")) found.push(...tables);
    else found.push(...areas.slice(at, end + 1));
    at = end + 1;
  }
  return found;
}

/** The text of one element and of what is inside it, until something inside begins a block of its own. */
function walk(root: PdfTag, take: (id: string) => readonly PdfRun[], areas: PdfArea[]): void {
  let runs: PdfRun[] = [];
  const flush = (area: Pick<PdfArea, "kind" | "level">): void => {
    const lines = toLinesInOrder(runs);
    const isLong = area.kind === "heading" && lengthOf(runs) > longestHeading;
    if (lines.length > 0) areas.push(isLong ? { kind: "paragraph", lines } : { ...area, lines });
    runs = [];
  };
  const visit = (tag: PdfTag, inside: Pick<PdfArea, "kind" | "level">, depth: number): void => {
    if (depth > maxDepth) return;
    if (isContent(tag)) {
      runs.push(...take(tag.id));
      return;
    }
    const role = tag.role ?? "";
    if (role === "Table") {
      flush(inside);
      const table = readTable(tag, take);
      if (table !== undefined) areas.push(table);
      return;
    }
    const level = /^H([1-6])$/u.exec(role)?.[1];
    const kind = level === undefined ? blockRoles[role] : "heading";
    // A paragraph in an item is the item's own; the item ends at the list inside it.
    const isOwn = kind === "paragraph" && (inside.kind === "list" || inside.kind === "quote");
    const begins = kind !== undefined && !isOwn;
    const isList = role === "L";
    if (begins || isList || isSection(role)) flush(inside);
    const within = begins
      ? { kind, ...(kind === "heading" ? { level: Number(level ?? 1) } : {}) }
      : isSection(role) || isList
        ? ({ kind: "paragraph" } as const)
        : inside;
    const before = areas.length;
    for (const child of tag.children ?? []) visit(child, within, depth + 1);
    const alt = tag.alt?.replace(/\s+/gu, " ").trim() ?? "";
    const isSilent = runs.length === 0 && areas.length === before;
    if (begins || isList || isSection(role)) flush(within);
    if (alt !== "" && isSilent) areas.push({ kind: "paragraph", lines: [unplaced(alt)] });
  };
  visit(root, { kind: "paragraph" }, 0);
  flush({ kind: "paragraph" });
}

function isSection(role: string): boolean {
  return /^(?:Document|DocumentFragment|Part|Art|Sect|Div|TOC|Index|NonStruct|Private|Root)$/u.test(role);
}

function readTable(table: PdfTag, take: (id: string) => readonly PdfRun[]): PdfArea | undefined {
  const lines: PdfLine[] = [];
  const rows: PdfRun[][] = [];
  const written: string[][] = [];
  let headerRows = 0;
  for (const row of findRoles(table, /^TR$/u, 0)) {
    const cells = findRoles(row, /^T[HD]$/u, 0);
    const taken = cells.map((cell) => contentIds(cell, 0).flatMap((id) => [...take(id)]));
    const runs = taken.flat();
    if (runs.length === 0) continue;
    const linesOf = taken.map(toLinesInOrder);
    const texts = linesOf.map((cell) => joinCell(cell.map(({ text }) => text)));
    if (lines.length === headerRows && cells.every(({ role }) => role === "TH")) headerRows++;
    rows.push(runs);
    written.push(texts);
    lines.push({ ...toLine(runs), text: writeRow(texts), runs: linesOf.flat().flatMap((line) => line.runs ?? []) });
  }
  if (lines.length === 0) return undefined;
  // Few programs that tag cells tell the header from them.
  const isEven = written.every(({ length }) => length === written[0]!.length);
  return { kind: "table", headerRows: headerRows || (isEven ? countHeaderRows(rows, written) : 0), lines };
}

/** The elements of a role below one, not those inside one another. */
function findRoles(tag: PdfTag, role: RegExp, depth: number): PdfTag[] {
  if (depth > maxDepth) return [];
  return (tag.children ?? []).flatMap((child) =>
    role.test(child.role ?? "") ? [child] : findRoles(child, role, depth + 1),
  );
}

function contentIds(tag: PdfTag, depth: number): string[] {
  if (depth > maxDepth) return [];
  if (isContent(tag)) return [tag.id];
  return (tag.children ?? []).flatMap((child) => contentIds(child, depth + 1));
}

/** Whether a tag names text: marked content, or an annotation such as a form field. */
function isContent(tag: PdfTag): tag is PdfTag & { readonly id: string } {
  return (tag.type === "content" || tag.type === "annotation") && tag.id !== undefined;
}

/** Runs in the order in which the tags name them: a line ends where the next run stands on another baseline. */
function toLinesInOrder(runs: readonly PdfRun[]): PdfLine[] {
  const rows: PdfRun[][] = [];
  for (const run of runs) {
    const row = rows.at(-1);
    const last = row?.at(-1);
    if (row !== undefined && last !== undefined && Math.abs(run.y - last.y) < 0.45 * Math.max(run.size, last.size))
      row.push(run);
    else rows.push([run]);
  }
  return rows.map((row) => toLine(row.toSorted((one, other) => one.x - other.x))).filter(({ text }) => text !== "");
}

function lengthOf(runs: readonly PdfRun[]): number {
  return runs.reduce((sum, { text }) => sum + text.trim().length, 0);
}
