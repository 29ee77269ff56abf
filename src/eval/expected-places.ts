import { IbidError } from "../contracts/errors.ts";
import type { DocumentView, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { Hit } from "../contracts/retriever.ts";
import type { Question } from "./questions.ts";

/** The verbs that an evaluation asks. Without `list`, a document is found by its own uri alone. */
export type AskedKnowledgeBase = Pick<KnowledgeBase, "search" | "ask" | "document"> &
  Partial<Pick<KnowledgeBase, "list">>;

/**
 * A place that a question expects, as the knowledge base has it.
 *
 * @experimental
 */
export interface ExpectedPlace {
  /** As the document calls itself; where there is no such document, as the question calls it. */
  readonly uri?: string;
  readonly quote?: string;
  readonly page?: number;
  /** Where the words or the page stand in the canonical text. Absent where they are not there, or no document is named. */
  readonly start?: number;
  readonly end?: number;
  /** The words as the document has them, or the beginning of the page or of the document; and the text around. */
  readonly text: string;
  readonly before: string;
  readonly after: string;
  /** Rank of the first hit that holds the place, from 1; 0 where none does. */
  readonly rank: number;
  /** Why no search can find it: a sentence about the question or the documents. */
  readonly problem?: string;
}

/** A place, and how to tell a hit that holds it. */
export interface Place {
  readonly shown: Omit<ExpectedPlace, "rank">;
  readonly isHeldBy: TellHit;
  /** Whether a hit holds a part of its page; absent without one. */
  readonly isPageOf?: TellHit;
  /** Whether a hit is of its document; absent where none is named. */
  readonly isDocumentOf?: TellHit;
}

/** Text around a place. **Units** UTF-16 code units, as below. */
const around = 160;
/** The beginning of a page or a document, to show it. */
const beginning = 400;
/** Documents that are kept for the next question. */
const mostKept = 8;

/** Tells whether a hit is of a kind. */
export type TellHit = (hit: Hit) => boolean;

/** Finds the places of a question in the asker's own documents. `documents` tell the hits of each document of which one must be found. */
export type FindPlaces = (
  question: Question,
) => Promise<{ readonly places: readonly Place[]; readonly documents: readonly TellHit[] }>;

/** **Cost** each document is read once for questions that follow one another; one listing where a uri is only the end of a document's. */
export function createPlaceFinder(kb: AskedKnowledgeBase): FindPlaces {
  const kept = new Map<string, Found>();
  let listing: Promise<readonly string[]> | undefined;

  const list = async (): Promise<readonly string[]> => {
    const uris: string[] = [];
    for await (const { uri } of kb.list?.() ?? []) uris.push(uri);
    return uris;
  };
  const read = async (uri: string): Promise<Found> => {
    const named = await findDocument(kb, uri);
    if (named !== undefined) return named;
    const ending = (await (listing ??= list())).filter((one) => one.endsWith(`/${uri}`));
    return ending.length > 1 ? "ambiguous" : ending[0] === undefined ? undefined : await findDocument(kb, ending[0]);
  };
  const find = async (uri: string): Promise<Found> => {
    if (kept.has(uri)) return kept.get(uri);
    const found = await read(uri);
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value!);
    kept.set(uri, found);
    return found;
  };

  return async ({ uri, quotes, pages = [], uris = [], spans = [] }) => {
    const named =
      spans.length > 0
        ? spans
        : uris.length > 0
          ? uris.map((one) => ({ uri: one }))
          : quotes.length > 0
            ? quotes.flatMap((quote) => (pages.length === 0 ? [{ quote }] : pages.map((page) => ({ quote, page }))))
            : pages.length > 0
              ? pages.map((page) => ({ page }))
              : uri === undefined
                ? []
                : [{}];
    const places: Place[] = [];
    for (const one of named) places.push(await describePlace({ ...(uri !== undefined && { uri }), ...one }, find));
    const others: Place[] = [];
    if (spans.length > 0) for (const one of uris) others.push(await describePlace({ uri: one }, find));
    const documents = (others.length > 0 ? others : places).flatMap(({ isDocumentOf }) => isDocumentOf ?? []);
    return { places, documents };
  };
}

type Found = DocumentView | "ambiguous" | undefined;

interface Named {
  readonly uri?: string;
  readonly quote?: string;
  readonly page?: number;
}

async function describePlace(named: Named, find: (uri: string) => Promise<Found>): Promise<Place> {
  const { uri, quote, page } = named;
  const found = uri === undefined ? undefined : await find(uri);
  const view = found === "ambiguous" ? undefined : found;
  const known = view?.uri ?? uri;
  const isDocumentOf = ({ source }: Hit): boolean =>
    uri === undefined || source.uri === uri || source.uri === known || source.uri.endsWith(`/${uri}`);
  const range = page === undefined || view === undefined ? undefined : pageOf(view, page);
  const isPageOf = (hit: Hit): boolean => {
    const { source } = hit;
    if (!isDocumentOf(hit)) return false;
    if (view === undefined) return source.page === page || source.slide === page;
    return range !== undefined && source.start < range.end && range.start < source.end;
  };
  const words = quote === undefined ? undefined : onOneLine(quote);
  const at = quote === undefined || view === undefined ? undefined : findWords(view.text, quote, range);
  const isMissing = uri !== undefined && found === undefined;
  const problem = isMissing
    ? `there is no document ${uri}`
    : view && page !== undefined && range === undefined
      ? describeMissingPage(view, page)
      : view && quote !== undefined && at === undefined
        ? `${view.uri} does not say “${shorten(onOneLine(quote))}”${page === undefined ? "" : ` on page ${page}`}`
        : undefined;
  const shown = quote !== undefined ? at : view && { start: range?.start ?? 0, end: range?.end ?? view.text.length };
  const isWhole = quote !== undefined;
  const end = shown && (isWhole ? shown.end : Math.min(shown.end, shown.start + beginning));
  return {
    shown: {
      ...(known !== undefined && { uri: known }),
      ...(quote !== undefined && { quote }),
      ...(page !== undefined && { page }),
      ...(shown && { start: shown.start, end: shown.end }),
      text: shown && view ? view.text.slice(shown.start, end) : (quote ?? ""),
      before: shown && view && isWhole ? textBefore(view.text, shown.start) : "",
      after: shown && view && isWhole ? textAfter(view.text, shown.end) : "",
      ...(problem !== undefined && { problem }),
    },
    isHeldBy: (hit) =>
      isDocumentOf(hit) &&
      (page === undefined || isPageOf(hit)) &&
      (words === undefined || onOneLine(hit.text).includes(words)),
    ...(page !== undefined && { isPageOf }),
    ...(uri !== undefined && { isDocumentOf }),
  };
}

/** Text before a position, from white space on; an ellipsis where more stands before. */
function textBefore(text: string, at: number): string {
  const from = Math.max(0, at - around);
  const slice = text.slice(from, at);
  return from === 0 ? slice : `…${slice.slice(Math.max(0, slice.search(/\s/u)))}`;
}

/** Text after a position, up to white space. */
function textAfter(text: string, at: number): string {
  const slice = text.slice(at, at + around);
  return at + around >= text.length ? slice : `${slice.replace(/\S*$/u, "")}…`;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Where a page or slide stands; `undefined` for one that is not there, or has no text. */
function pageOf({ text, sourceMap }: DocumentView, page: number): Range | undefined {
  const pages = sourceMap.pages ?? sourceMap.slides ?? [];
  const index = pages.findIndex(({ number }) => number === page);
  const start = pages[index]?.start;
  const end = pages[index + 1]?.start ?? text.length;
  return start === undefined || start >= end ? undefined : { start, end };
}

function describeMissingPage({ uri, sourceMap }: DocumentView, page: number): string {
  const pages = sourceMap.pages ?? sourceMap.slides;
  if (pages === undefined || pages.length === 0) return `${uri} has no pages`;
  return pages.some(({ number }) => number === page)
    ? `page ${page} of ${uri} has no text`
    : `${uri} has ${pages.length} pages, and no page ${page}`;
}

/** Words of a text, white space aside. Within a range, they begin there. */
function findWords(text: string, quote: string, range?: Range): Range | undefined {
  const parts = onOneLine(quote).split(" ");
  const pattern = new RegExp(parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&")).join("\\s+"), "gu");
  pattern.lastIndex = range?.start ?? 0;
  const match = pattern.exec(text);
  if (match === null || (range !== undefined && match.index >= range.end)) return undefined;
  return { start: match.index, end: match.index + match[0].length };
}

/** The document that a person means by a uri or a path. Where several scopes hold it, nobody can say which was meant. */
async function findDocument(kb: AskedKnowledgeBase, uri: string): Promise<Found> {
  try {
    return await kb.document(uri);
  } catch (error) {
    if (IbidError.isInstance(error, "ambiguous")) return "ambiguous";
    throw error;
  }
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();

const shorten = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 59).toWellFormed()}…`);
