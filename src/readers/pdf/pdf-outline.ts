import type { getDocumentProxy } from "unpdf";

import { edgesOf, type PdfArea } from "./pdf-area.ts";

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
type OutlineItem = NonNullable<Awaited<ReturnType<PdfDocument["getOutline"]>>>[number];

/** An entry of the outline (the bookmarks), found on its page. */
export interface OutlineHeading {
  readonly title: string;
  /** 1 to 6; deeper entries count as 6. */
  readonly level: number;
  /** Index of the page, from 0. */
  readonly page: number;
  /** The lines of the page that hold the title: from `firstLine` up to, not with, `endLine`. */
  readonly firstLine: number;
  readonly endLine: number;
}

/** Most entries of an outline; later ones are not read. */
const maxEntries = 5000;
/** A title may be broken over this many lines. */
const maxTitleLines = 4;

/**
 * The outline's entries as headings, in reading order. An entry whose title is not to be read on the page it points to is left out: a section must begin with its heading.
 *
 * **Cost** one lookup per entry, and the lines of its page.
 * **Source** PDF 32000-1, 12.3.3.
 */
export async function readOutline(pdf: PdfDocument, areas: readonly (readonly PdfArea[])[]): Promise<OutlineHeading[]> {
  const pages = areas.map(linesOf);
  const headings: OutlineHeading[] = [];
  const folded = new Map<number, readonly string[]>();
  for (const { item, level } of flatten((await pdf.getOutline()) ?? [])) {
    const page = await findPage(pdf, item.dest);
    const lines = page === undefined ? undefined : pages[page];
    if (page === undefined || lines === undefined) continue;
    const keys = folded.get(page) ?? lines.map(({ text }) => foldTitle(text));
    folded.set(page, keys);
    const last = headings[headings.length - 1];
    // Entries follow the text: the next one on a page is found after the last.
    const from = last?.page === page ? last.endLine : 0;
    const place = last !== undefined && last.page > page ? undefined : findTitle(keys, foldTitle(item.title), from);
    if (place === undefined) continue;
    const title = item.title.replace(/\s+/g, " ").trim().toWellFormed();
    headings.push({ title, level: Math.min(level, 6), page, ...place });
  }
  return headings;
}

/** The lines of a page that may hold a heading. */
function linesOf(areas: readonly PdfArea[]): PdfArea["lines"] {
  return areas.filter(({ kind }) => kind !== "table").flatMap(({ lines }) => lines);
}

/**
 * Areas with the outline's headings as areas of their own.
 *
 * **Cost** linear.
 */
export function cutAtHeadings(
  areas: readonly (readonly PdfArea[])[],
  headings: readonly OutlineHeading[],
): PdfArea[][] {
  return areas.map((list, page) => {
    const here = headings.filter((heading) => heading.page === page);
    let first = 0;
    return list.flatMap((area) => {
      if (area.kind === "table") return [area];
      const from = first;
      first += area.lines.length;
      const edges = area.edges ?? edgesOf(area.lines);
      const parts: PdfArea[] = [];
      let at = 0;
      for (const { title, level, firstLine, endLine } of here) {
        const [start, end] = [firstLine - from, Math.min(endLine - from, area.lines.length)];
        if (start < at || start >= area.lines.length) continue;
        parts.push({ ...area, edges, lines: area.lines.slice(at, start) });
        parts.push({ kind: "heading", title, level, edges, lines: area.lines.slice(start, end) });
        at = end;
      }
      parts.push({ ...area, edges, lines: area.lines.slice(at) });
      return parts.filter(({ lines }) => lines.length > 0);
    });
  });
}

/** Depth first, without recursion: an outline may be as deep as its file is long, or turn in a circle. */
function* flatten(items: readonly OutlineItem[]): Generator<{ item: OutlineItem; level: number }> {
  const waiting = items.toReversed().map((item) => ({ item, level: 1 }));
  for (let given = 0, next = waiting.pop(); next !== undefined && given < maxEntries; given++, next = waiting.pop()) {
    yield next;
    const below = next.item.items as readonly OutlineItem[];
    for (const item of below.toReversed()) waiting.push({ item, level: next.level + 1 });
  }
}

async function findPage(pdf: PdfDocument, dest: string | readonly unknown[] | null): Promise<number | undefined> {
  try {
    const place = typeof dest === "string" ? await pdf.getDestination(dest) : dest;
    const target: unknown = place?.[0];
    if (typeof target === "number") return target;
    if (typeof target !== "object" || target === null || !("num" in target) || !("gen" in target)) return undefined;
    return await pdf.getPageIndex({ num: Number(target.num), gen: Number(target.gen) });
  } catch {
    // An outline may point to pages that are not there; the text is none the worse for it.
    return undefined;
  }
}

/** Small capitals and letter spacing make gaps, so titles are compared without white space, marks and case. */
function foldTitle(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** The lines from `from` on that are the title, or else that begin with it. Page headers repeat titles, so an exact match is looked for first. */
function findTitle(
  keys: readonly string[],
  title: string,
  from: number,
): { firstLine: number; endLine: number } | undefined {
  if (title === "") return undefined;
  let begins: number | undefined;
  for (let firstLine = from; firstLine < keys.length; firstLine++) {
    let joined = "";
    for (let line = firstLine; line < Math.min(firstLine + maxTitleLines, keys.length); line++) {
      joined += keys[line] ?? "";
      if (joined === title) return { firstLine, endLine: line + 1 };
      if (!title.startsWith(joined)) break;
    }
    if (begins === undefined && title.length >= 4 && (keys[firstLine] ?? "").startsWith(title)) begins = firstLine;
  }
  return begins === undefined ? undefined : { firstLine: begins, endLine: begins + 1 };
}
