import type { Block, TextMark } from "../contracts/document.ts";
import type { ReadResult } from "../contracts/reader.ts";
import { giveTurn } from "../runtime/next-turn.ts";
import { anchorEntry, contentsHeading, linkEntry, pageEntry } from "../text/contents-lines.ts";
import { walkSections } from "../text/walk-sections.ts";

/** Share of a block's lines that are entries, in a table of contents. */
const mostLines = 0.8;
/** Entries in a row, from which on they are a table of contents. Below a heading that says so, fewer will do. **Source** our own choice. */
const leastEntries = 3;
const leastBelowHeading = 2;
/** Sections and blocks that are looked at between two looks at the clock. */
const seenAtOnce = 64;
/** A longer line is no entry. **Units** UTF-16 code units. */
const longestEntry = 200;

/**
 * Marks front matter and tables of contents in a reader's result: stretches that say what a document holds, and nothing of it.
 *
 * **Shape** a block is marked when its reader says so, or when its lines are entries. An entry is the title of a section of the document, a link within
 * the page, or words with dots and a page number. Links to other pages are entries below a heading such as "Contents" only. Marks that the reader gave stay.
 * **Cost** linear in the blocks; the text of a block that does not begin with entries is not read to its end.
 */
export async function markContents<Result extends ReadResult>(result: Result): Promise<Result> {
  const { text, root, blocks = [], sourceMap } = result;
  let seen = 0;
  const titles = new Set<string>();
  const listings: { readonly start: number; readonly end: number }[] = [];
  for (const { title, level, contentStart, end, children } of walkSections(root)) {
    if (level === 0) continue;
    if (++seen % seenAtOnce === 0) await giveTurn();
    titles.add(plainTitle(title));
    if (contentsHeading.test(title.trim())) listings.push({ start: contentStart, end: children[0]?.start ?? end });
  }
  titles.delete("");
  const known = { titles, longest: [...titles].reduce((longest, { length }) => Math.max(longest, length), 0) };

  const found: TextMark[] = [...(sourceMap.marks ?? [])];
  let run: Block[] = [];
  let entries = 0;
  let isBelowHeading = false;
  const flush = (): void => {
    if (entries >= (isBelowHeading ? leastBelowHeading : leastEntries))
      for (const { start, end } of run) found.push({ kind: "contents", start, end });
    run = [];
    entries = 0;
    isBelowHeading = false;
  };
  let at = 0;
  for (const block of blocks) {
    const { kind, role, start, end } = block;
    if (++seen % seenAtOnce === 0) await giveTurn();
    if (kind === "front-matter") found.push({ kind, start, end });
    else if (role === "contents") found.push({ kind: role, start, end });
    else if (kind === "list" || kind === "paragraph" || kind === "table") {
      while ((listings[at]?.end ?? Infinity) <= start) at++;
      const isBelow = (listings[at]?.start ?? Infinity) <= start;
      const own = countEntries(text, block, known, isBelow);
      if (own === 0) flush();
      else {
        run.push(block);
        entries += own;
        isBelowHeading ||= isBelow;
      }
      continue;
    }
    flush();
  }
  flush();
  if (found.length === 0) return result;
  return { ...result, sourceMap: { ...sourceMap, marks: joinMarks(text, found) } };
}

/** Plain titles of a document's sections, and the length of the longest. */
interface KnownTitles {
  readonly titles: ReadonlySet<string>;
  readonly longest: number;
}

/** Entries of a block; 0 where too many of its lines are none. */
function countEntries(text: string, { start, end }: Block, known: KnownTitles, isBelowHeading: boolean): number {
  let entries = 0;
  let others = 0;
  for (let from = start; from < end;) {
    const newline = text.indexOf("\n", from);
    const to = newline === -1 || newline > end ? end : newline;
    const line = text.slice(from, Math.min(to, from + longestEntry + 1));
    if (isEntry(line, known, isBelowHeading)) entries++;
    else if (line.trim() !== "" && !delimiterRow.test(line)) others++;
    if (others > 2 && others > entries) return 0;
    from = to + 1;
  }
  return entries >= mostLines * (entries + others) ? entries : 0;
}

const delimiterRow = /^\s*\|[\s:|-]+$/u;

function isEntry(line: string, { titles, longest }: KnownTitles, isBelowHeading: boolean): boolean {
  if (line.length > longestEntry) return false;
  if (anchorEntry.test(line) || (isBelowHeading && linkEntry.test(line))) return true;
  return pageEntry.test(line) || (!isLonger(line, longest) && titles.has(plainTitle(line)));
}

/** Whether a line has more words than the longest title. **Shape** false where `plainTitle` may leave letters out. **Cost** a loop, where that takes six patterns. */
function isLonger(line: string, longest: number): boolean {
  let letters = 0;
  for (let at = 0; at < line.length; at++) {
    const unit = line.charCodeAt(at);
    // The bar of a table's row, and the bracket of a link.
    if (unit === 0x7c || unit === 0x5b) return false;
    const small = unit | 0x20;
    if (small >= 0x61 && small <= 0x7a) letters++;
  }
  return letters > longest;
}

/** The words of a title: without a list's sign, its number, a link's address, and the page that it stands on. */
function plainTitle(line: string): string {
  return line
    .replace(/^\s*\|(.*?)(?:\|\s*(?:\d{1,4}|[ivxlc]{1,7})\s*)?\|\s*$/iu, "$1")
    .replace(/^\s*(?:[-*+•]\s+)?/u, "")
    .replace(/^\[([^\]\n]*)\]\([^)\n]*\)\s*$/u, "$1")
    .replace(/^\d{1,3}(?:[.)]\d{1,3}){0,8}[.)]?\s+/u, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** In order and apart; marks of one kind with nothing but white space between them are one. */
function joinMarks(text: string, marks: readonly TextMark[]): readonly TextMark[] {
  const joined: { kind: TextMark["kind"]; start: number; end: number }[] = [];
  for (const { kind, start, end } of marks.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = joined.at(-1);
    if (last !== undefined && (start < last.end || (kind === last.kind && text.slice(last.end, start).trim() === "")))
      last.end = Math.max(last.end, end);
    else joined.push({ kind, start, end });
  }
  return joined;
}
