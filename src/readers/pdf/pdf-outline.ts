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
/** A longer entry is a paragraph that its writer styled as a heading. **Units** UTF-16 code units. */
const longestTitle = 200;
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
  const folded = new Map<number, readonly LineKey[]>();
  for (const { item, level } of flatten((await pdf.getOutline()) ?? [])) {
    const page = item.title.length > longestTitle ? undefined : await findPage(pdf, item.dest);
    const lines = page === undefined ? undefined : pages[page];
    if (page === undefined || lines === undefined) continue;
    const keys = folded.get(page) ?? lines.map(({ text }) => keyOf(text));
    folded.set(page, keys);
    const last = headings[headings.length - 1];
    // Entries follow the text: the next one on a page is found after the last.
    const from = last?.page === page ? last.endLine : 0;
    const place = last !== undefined && last.page > page ? undefined : findTitle(keys, foldTitle(item.title), from);
    if (place === undefined) continue;
    const { number, firstLine, endLine } = place;
    const title = `${number} ${item.title}`.replace(/\s+/g, " ").trim().toWellFormed();
    headings.push({ title, level: Math.min(level, 6), page, firstLine, endLine });
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

/** A number before a title, which many outlines leave out: `1.2`, `A.3`, `Chapter 4.` */
const numbered =
  /^(?:(?:chapter|section|appendix|part|kapitel|abschnitt|anhang|teil|chapitre|annexe|partie|cap[ií]tulo|ap[ée]ndice)\s+)?(?:\d{1,3}|[A-Z](?=[.:)])|[A-Z](?=\s+\p{L}{2})|[IVXLC]{1,7}(?=[.:\s]))(?:\.\d{1,3}){0,5}[.:)]?\s+(?=\p{L})/iu;

/** A line as it is compared: whole, and without the number that it begins with. */
interface LineKey {
  readonly whole: string;
  readonly bare: string;
  /** The number as it is printed; `""` for none. */
  readonly number: string;
}

function keyOf(text: string): LineKey {
  const number = numbered.exec(text)?.[0] ?? "";
  return { whole: foldTitle(text), bare: foldTitle(text.slice(number.length)), number: number.trim() };
}

/**
 * The lines from `from` on that are the title; else those that are it behind a number; else one that begins with it. Page headers repeat titles, so an exact match is
 * looked for first.
 */
function findTitle(
  keys: readonly LineKey[],
  title: string,
  from: number,
): { firstLine: number; endLine: number; number: string } | undefined {
  if (title === "") return undefined;
  for (const isBare of [false, true]) {
    for (let firstLine = from; firstLine < keys.length; firstLine++) {
      const { whole, bare, number } = keys[firstLine]!;
      if (isBare && number === "") continue;
      let joined = isBare ? bare : whole;
      for (let line = firstLine; title.startsWith(joined); joined += keys[line]!.whole) {
        if (joined === title) return { firstLine, endLine: line + 1, number: isBare ? number : "" };
        if (++line >= Math.min(firstLine + maxTitleLines, keys.length)) break;
      }
    }
  }
  const begins = title.length < 4 ? -1 : keys.findIndex(({ whole }, line) => line >= from && whole.startsWith(title));
  return begins === -1 ? undefined : { firstLine: begins, endLine: begins + 1, number: "" };
}
