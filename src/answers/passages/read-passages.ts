import type { Section, TextMark } from "../../contracts/document.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { contentsHeading } from "../../text/contents-lines.ts";
import { readOpenFence } from "../../text/find-sentences.ts";
import type { Span } from "../../text/sentences.ts";
import type { DocumentSlices } from "../citations/cite-quote.ts";
import { readTables } from "../citations/hit-tables.ts";
import { cutPassages, cutTable, type Quotable } from "./cut-passages.ts";
import type { Stance } from "./opposite-actions.ts";

/** A passage of a document among the hits, in the document's own positions. */
export interface FoundQuotable extends Quotable {
  /** The hit that overlaps it, or else the best one of its document. */
  readonly hit: Hit;
  /** Whether the hit overlaps it. */
  readonly isInHit: boolean;
  /** Place of its document among those of the hits, from 0. */
  readonly rank: number;
  /** Titles of the sections around it, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
  /** Place of its first and its last part among the passages of its document, from 0. */
  readonly order: readonly [first: number, last: number];
  /** Text of its context; `""` without one. */
  readonly lead: string;
}

/** Documents whose passages are candidates. **Source** our own choice, measured on the pages of a documentation. */
const mostDocuments = 4;
/** A document that is no longer is read whole. **Units** UTF-16 code units, as below. */
const shortDocument = 32_768;
/** Text around a hit, and at the beginning of a longer document, that is read. */
const aroundHit = 1024;

export interface ReadPassagesOptions {
  /** Passages outside the texts of the hits are candidates too. */
  readonly beyondHits: boolean;
  /** How a text stands to the actions of the question: no passage turns around within. Default: it takes no side. */
  readonly stanceOf?: ((text: string) => Stance) | undefined;
}

/**
 * Reads the passages of the first documents among the hits. A short document is read whole, a longer one around its hits and at its beginning.
 *
 * **Shape** document by document, in order, apart, each within one heading. Front matter and tables of contents, as readers marked them, stand in none.
 * **Cost** bounded for a hit, whatever the length of its document.
 */
export async function readPassages(
  hits: readonly Hit[],
  documents: DocumentSlices,
  options: ReadPassagesOptions,
): Promise<readonly FoundQuotable[]> {
  const byDocument = new Map<string, [Hit, ...Hit[]]>();
  for (const hit of hits) {
    const key = JSON.stringify([hit.scope, hit.documentId]);
    const known = byDocument.get(key);
    if (known) known.push(hit);
    else if (byDocument.size < mostDocuments) byDocument.set(key, [hit]);
  }
  const read = [...byDocument.values()].map((own, rank) => readDocument(own, rank, documents, options));
  return (await Promise.all(read)).flat();
}

async function readDocument(
  given: readonly [Hit, ...Hit[]],
  rank: number,
  documents: DocumentSlices,
  { beyondHits, stanceOf }: ReadPassagesOptions,
): Promise<readonly FoundQuotable[]> {
  const [{ documentId, scope }] = given;
  const read = async (start: number, end: number): Promise<string> =>
    (await documents.read(documentId, scope, start, end)) ?? "";
  // A hit whose text its document no longer holds leads nowhere.
  const held = await Promise.all(
    given.map(async ({ text, source }) => (await read(source.start, source.end)) === text),
  );
  const hits = given.filter((_, index) => held[index]);
  if (hits.length === 0) return [];
  const found: FoundQuotable[] = [];
  const root = await documents.sections?.(documentId, scope);
  const table = (await readTables(hits, documents))(hits[0]!);
  const headers = new Map<number, string>();
  const readHeader = async ({ start, end }: Span): Promise<string> => {
    const text = headers.get(start) ?? (await read(start, end));
    headers.set(start, text);
    return text;
  };
  const marks = (await documents.marks?.(documentId, scope)) ?? [];
  const isWithin = root === undefined || !beyondHits;
  for (const window of joinSpans(isWithin ? hits.map(({ source }) => source) : windowsOf(root, hits))) {
    const own = root === undefined ? [sectionOf(window, hits)] : [...ownTexts(root, window)];
    const sections = own.flatMap((section) => withoutMarks(section, marks));
    const text = await read(window.start, window.end);
    for (const { start, end, sectionStart, isCut, headings } of sections) {
      if (headings.some((heading) => contentsHeading.test(heading))) continue;
      const from = sectionStart ?? (await documents.sectionStart?.(documentId, scope, start)) ?? 0;
      const openFence = start === sectionStart && start > 0 ? "" : await readOpenFence(read, start, from);
      const slice = text.slice(start - window.start, end - window.start);
      const passages =
        table === undefined
          ? cutPassages(slice, openFence, stanceOf)
          : cutTable(slice, table.rowsIn(slice, start), openFence, stanceOf);
      const whole = isWithin ? passages : passages.slice(isCut?.start ? 1 : 0, isCut?.end ? -1 : undefined);
      for (const passage of whole) {
        const placed = place(passage, start, headings, slice);
        const header = passage.row?.header;
        found.push(header === undefined ? placed : { ...placed, context: header, lead: await readHeader(header) });
      }
    }
  }
  return found;

  function place(passage: Quotable, offset: number, headings: readonly string[], slice: string): FoundQuotable {
    const start = passage.start + offset;
    const end = passage.end + offset;
    const hit = hits.find(({ source }) => source.start < end && start < source.end);
    const { context } = passage;
    return {
      ...passage,
      start,
      end,
      context: context && { start: context.start + offset, end: context.end + offset },
      hit: hit ?? hits[0]!,
      isInHit: hit !== undefined,
      rank,
      order: [found.length, found.length],
      headings,
      text: slice.slice(passage.start, passage.end),
      lead: context === undefined ? "" : slice.slice(context.start, context.end),
    };
  }
}

function windowsOf(root: Section, hits: readonly Hit[]): readonly Span[] {
  if (root.end <= shortDocument) return [{ start: 0, end: root.end }];
  const around = hits.map(({ source }) => ({
    start: Math.max(0, source.start - aroundHit),
    end: Math.min(root.end, source.end + aroundHit),
  }));
  return [{ start: 0, end: aroundHit }, ...around];
}

interface OwnText extends Span {
  /** Where its section's own text begins, a position outside of code. */
  readonly sectionStart?: number | undefined;
  /** The window cuts it off: the first or the last passage may be a part of a block. */
  readonly isCut?: { readonly start: boolean; readonly end: boolean } | undefined;
  readonly headings: readonly string[];
}

/** The texts of sections in a window, without their headings and the sections below them. */
function* ownTexts(section: Section, window: Span, above: readonly string[] = []): Generator<OwnText> {
  if (section.start >= window.end || section.end <= window.start) return;
  const headings = section.level === 0 ? above : [...above, section.title];
  const ownEnd = section.children[0]?.start ?? section.end;
  const end = Math.min(ownEnd, window.end);
  const start = Math.max(section.contentStart, window.start);
  const isCut = { start: start > section.contentStart, end: end < ownEnd };
  if (start < end) yield { start, end, sectionStart: section.contentStart, isCut, headings };
  for (const child of section.children) yield* ownTexts(child, window, headings);
}

function sectionOf(window: Span, hits: readonly Hit[]): OwnText {
  const own = hits.find(({ source }) => source.start === window.start);
  return { ...window, headings: own?.source.headings ?? [] };
}

/** A text without the front matter and the tables of contents in it: marks end where blocks do. */
function withoutMarks(text: OwnText, marks: readonly TextMark[]): readonly OwnText[] {
  const inside = marks.filter(({ start, end }) => start < text.end && text.start < end);
  if (inside.length === 0) return [text];
  const ends = [...inside.map(({ start }) => start), text.end];
  const { isCut } = text;
  return [text.start, ...inside.map(({ end }) => end)].flatMap((start, index): readonly OwnText[] => {
    const end = Math.max(start, ends[index]!);
    const cut = { start: index === 0 && isCut?.start === true, end: index === inside.length && isCut?.end === true };
    return start < end ? [{ ...text, start, end, isCut: cut }] : [];
  });
}

/** Spans that overlap, as one. */
function joinSpans(spans: readonly Span[]): readonly Span[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = joined.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}
