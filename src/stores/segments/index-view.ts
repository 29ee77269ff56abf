import { IbidError } from "../../contracts/errors.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Bm25Settings } from "../../engine/bm25/bm25-settings.ts";
import type { WordIndex } from "../../engine/bm25/word-index.ts";
import { createLiveSegment, type LiveSegment } from "../../engine/segments/live-segment.ts";
import { openSealedSegment, type SealedSegment } from "../../engine/segments/sealed-segment.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import type { Heading, ReadHeadings } from "../../engine/bm25/heading-part.ts";
import { documentPath } from "../../text/document-path.ts";
import { checkNames, type DirectoryReader, type DocumentRow, type ScopeRow } from "./segment-directory.ts";
import { createWordIndexes } from "./word-indexes.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** The index of one scope as this process holds it, brought up to date. */
export interface ScopeView {
  readonly row: ScopeRow;
  readonly sealed: readonly SealedSegment[];
  readonly tail: LiveSegment;
  /** Sealed segments and the tail. */
  readonly segments: readonly Segment[];
}

/** Where a chunk is in the index. */
export type Place =
  | { readonly segment: SealedSegment; readonly ordinal: number }
  | { readonly segment: undefined; readonly ordinal: number };

/**
 * The part of the index that this process holds in memory: the segments, their live chunks, and data read from them.
 *
 * Every look compares the directory's stamp in the transaction that the search reads in, and replays changes. The next search sees what another
 * process committed, and one search sees one moment.
 */
export interface IndexView {
  /** `undefined` for a scope that holds nothing. Must be called inside a transaction of the directory. */
  scope(rows: DirectoryReader, scope: Scope): ScopeView | undefined;
  /** All segments of some scopes. */
  segments(rows: DirectoryReader, scopes: readonly Scope[]): readonly Segment[];
  /** Texts of documents read of late; forgotten when anything changes. */
  text(rows: DirectoryReader, document: number): string;
  /** A copy of a slice: nothing of the rest stays alive. */
  slice(rows: DirectoryReader, document: number, start: number, end: number): string;
  /** Names of documents, by row; forgotten when anything changes. **Cost** one read for those that are not known. */
  homes(rows: DirectoryReader, documents: readonly number[]): ReadonlyMap<number, Home>;
  /**
   * Words of some scopes, with the names of their documents where those count. **Cost** once after each commit to one of them: linear in the chunks for
   * names, and in its postings for each word. Sets of scopes are kept within 128 MB, the one that was asked for last at any size.
   *
   * **Shape** the steps of one scope's names are shared by all who ask for them. After a commit to the scope they begin anew, and after a few in one go.
   */
  words(
    rows: DirectoryReader,
    scopes: readonly Scope[],
    analyzer: Analyzer,
    settings: Bm25Settings,
  ): Generator<undefined, WordIndex>;
  /** Decodes the terms of chunks that are in no sealed segment, in steps. */
  readTerms(rows: DirectoryReader, scopes: readonly Scope[]): Generator<undefined, void>;
  /** Innermost headings as terms; forgotten when their scope changes. **Cost** one read for those that are not known. */
  headings(rows: DirectoryReader, analyzer: Analyzer): ReadHeadings;
  /** Forgets everything: what it saw last has been taken back. */
  forget(): void;
}

/** The part of a document that each of its chunks shows. */
export interface Home extends Partial<Pick<DocumentRow, "scope">> {
  readonly uri: string;
  readonly title: string;
  /** As in `DocumentSummary`. */
  readonly rootLabel: string;
  readonly path: string;
  /** Its live chunks, once they were counted. */
  total?: number | undefined;
}

/** One document's text, as far as it was read. */
interface KeptText {
  /** Parts; `undefined` where one was let go. */
  readonly texts: (string | undefined)[];
  /** Where each part ends. */
  readonly ends: number[];
}

/** Characters of text that are kept for the next look. */
const textBudget = 16_000_000;

/** The innermost of a chunk's headings; `""` where it has none. **Shape** `details` as a row keeps it. **Errors** `store-corrupt`, with the uri of the chunk's document. */
export function innermostHeading(details: string, uriOf: () => string): string {
  const headings = headingsIn(details);
  if (headings !== undefined) return headings.at(-1) ?? "";
  const uri = uriOf();
  throw new IbidError("store-corrupt", `A chunk of "${uri}" has no headings where it should.`, {
    uri,
    hint: "Run ibid doctor; restore the file from a backup, or ingest the document again.",
  });
}

function headingsIn(details: string): readonly string[] | undefined {
  try {
    const { headings } = parseStored(details) as { readonly headings?: unknown };
    return Array.isArray(headings) ? (headings as readonly string[]) : undefined;
  } catch {
    return undefined;
  }
}

/** Headings that are kept, and chunks whose heading is known. */
const mostHeadings = 50_000;

const noHeading: Heading = { terms: [] };

/** Characters of names that are kept. */
const homeBudget = 1_000_000;

export function createIndexView(): IndexView {
  const views = new Map<Scope, KeptScope>();
  const texts = new Map<number, string>();
  let kept = 0;
  let textStamp = -1;
  const homes = new Map<number, Home>();
  let homesKept = 0;

  /** Forgets what was read before the last commit. */
  function refresh(rows: DirectoryReader): void {
    const stamp = rows.stamp();
    if (stamp === textStamp) return;
    forgetTexts();
    textStamp = stamp;
  }
  function forgetTexts(): void {
    texts.clear();
    kept = 0;
    parts.clear();
    partsKept = 0;
    forgetHomes();
  }
  function forgetHomes(): void {
    homes.clear();
    homesKept = 0;
  }

  /** Innermost headings by scope and the chunk's row, and by their words in a language. */
  const headingsOf = new Map<Scope, Map<number, Heading>>();
  let headingsKept = 0;
  const headingsBySaying = new Map<string, Heading>();

  /** Parts of texts by document, as they were read. */
  const parts = new Map<number, KeptText>();
  let partsKept = 0;
  function partOf(rows: DirectoryReader, document: number, kept: KeptText, part: number): string | undefined {
    const known = kept.texts[part];
    if (known !== undefined) return known;
    const text = rows.documentPart(document, part);
    if (text === undefined) return undefined;
    partsKept += text.length;
    if (partsKept > textBudget) {
      for (const other of parts.values()) other.texts.length = 0;
      partsKept = text.length;
    }
    kept.texts[part] = text;
    return text;
  }
  function flat(text: string): string {
    return text.length < 13 ? text : (" " + text).slice(1);
  }

  function scopeView(rows: DirectoryReader, scope: Scope): ScopeView | undefined {
    const stamp = rows.stamp();
    const view = views.get(scope);
    if (view?.seen === stamp) return view;
    const row = rows.scope(scope);
    if (row === undefined) {
      if (views.delete(scope)) forgetScope(scope);
      return undefined;
    }
    // A scope that was wiped and came back is another one, with a row of its own.
    const current = view?.row.key === row.key ? view : createKeptScope(rows, row);
    if (current !== view) views.set(scope, current);
    if (current.row.stamp !== row.stamp || current.seen === -1) {
      forgetScope(scope);
      replay(rows, current, row);
    }
    current.seen = stamp;
    return current;
  }

  function forgetHeadings(): void {
    headingsOf.clear();
    headingsKept = 0;
  }

  /** Forgets what was read in a state of the scope that is over. */
  function forgetScope(scope: Scope): void {
    words.outdate(scope);
    headingsKept -= headingsOf.get(scope)?.size ?? 0;
    headingsOf.delete(scope);
  }

  const words = createWordIndexes((rows, scopes) => scopes.flatMap((scope) => scopeView(rows, scope)?.segments ?? []));

  // Decoded terms stay: a commit in between adds rows, and takes none of this back.
  function* readTerms(rows: DirectoryReader, scopes: readonly Scope[]): Generator<undefined, void> {
    for (const scope of scopes) while (scopeView(rows, scope)?.tail.readTerms() === true) yield undefined;
  }

  return {
    scope: scopeView,
    segments: (rows, scopes) => scopes.flatMap((scope) => scopeView(rows, scope)?.segments ?? []),
    text(rows, document) {
      refresh(rows);
      const known = texts.get(document);
      if (known !== undefined) return known;
      const text = rows.documentText(document);
      if (kept > textBudget) {
        texts.clear();
        kept = 0;
      }
      texts.set(document, text);
      kept += text.length;
      return text;
    },
    slice(rows, document, start, end) {
      refresh(rows);
      let known = parts.get(document);
      if (known === undefined) parts.set(document, (known = { texts: [], ends: [...rows.documentEnds(document)] }));
      const { ends } = known;
      let out = "";
      for (let part = 0, from = 0; from < end; part++) {
        const to = ends[part];
        if (to === undefined || to > start) {
          const text = partOf(rows, document, known, part);
          if (text === undefined) break;
          ends[part] = from + text.length;
          if (from <= start && end <= ends[part]!) {
            // A text that is shown whole stands on nothing else.
            return end - start === text.length ? text : flat(text.slice(start - from, end - from));
          }
          if (ends[part]! > start) out += text.slice(Math.max(0, start - from), end - from);
        }
        from = ends[part]!;
      }
      // Joined and cut again, the result stands on a string of its own length.
      return flat(out);
    },
    homes(rows, documents) {
      refresh(rows);
      let unknown = documents.filter((document) => !homes.has(document));
      if (unknown.length === 0) return homes;
      if (homesKept > homeBudget) {
        forgetHomes();
        unknown = [...documents];
      }
      for (const home of rows.homesOf([...new Set(unknown)])) {
        const { key, scope, uri, title, folder } = checkNames(home);
        const { rootLabel, path } = documentPath(uri, folder);
        homes.set(key, { ...(scope !== undefined && { scope }), uri, title, rootLabel, path });
        homesKept += uri.length + title.length + rootLabel.length + path.length;
      }
      return homes;
    },
    *words(rows, scopes, ...given) {
      yield* readTerms(rows, scopes);
      return yield* words.index(rows, scopes, ...given);
    },
    readTerms,
    headings: (rows, analyzer) => (segment, ordinals) => {
      if (headingsKept > mostHeadings) forgetHeadings();
      if (headingsBySaying.size > mostHeadings) headingsBySaying.clear();
      let known = headingsOf.get(segment.scope);
      if (known === undefined) headingsOf.set(segment.scope, (known = new Map()));
      const own = known;
      const unknown = ordinals.filter((ordinal) => !own.has(segment.key(ordinal)));
      if (unknown.length > 0) {
        const keys = unknown.map((ordinal) => segment.key(ordinal));
        const before = own.size;
        rows.chunkDetails(keys).forEach((details, i) => {
          const heading = innermostHeading(details, () => uriOfChunk(rows, keys[i]!));
          own.set(keys[i]!, heading === "" ? noHeading : analyzed(heading, segment.languageOf(unknown[i]!)));
        });
        headingsKept += own.size - before;
      }
      return ordinals.map((ordinal) => own.get(segment.key(ordinal))!);

      function analyzed(heading: string, language: string): Heading {
        const saying = `${language}\n${heading}`;
        let known = headingsBySaying.get(saying);
        if (known === undefined) {
          known = { terms: [...new Set(analyzer.analyze(heading, language))] };
          headingsBySaying.set(saying, known);
        }
        return known;
      }
    },
    forget() {
      words.forget();
      forgetHeadings();
      views.clear();
      forgetTexts();
      textStamp = -1;
    },
  };
}

function uriOfChunk(rows: DirectoryReader, key: number): string {
  const [chunk] = rows.chunks([key]);
  return chunk === undefined ? `chunk ${key}` : rows.document(chunk.document).uri;
}

interface KeptScope extends ScopeView {
  row: ScopeRow;
  sealed: SealedSegment[];
  tail: LiveSegment;
  segments: readonly Segment[];
  /** The directory's stamp when this was last known to be up to date; -1 before the first replay. */
  seen: number;
  /** The highest key of the pending rows that were read. */
  lastPending: number;
}

function createKeptScope(rows: DirectoryReader, row: ScopeRow): KeptScope {
  const tail = createLiveSegment(row.scope, rows);
  return { row, sealed: [], tail, segments: [tail], seen: -1, lastPending: 0 };
}

/** Takes over what changed since the view was last up to date. */
function replay(rows: DirectoryReader, view: KeptScope, row: ScopeRow): void {
  const before = new Map(view.sealed.map((segment) => [segment.row, segment]));
  view.sealed = rows.segmentStamps(row.key).map(({ key, stamp }) => {
    const segment = before.get(key);
    if (segment === undefined) return openSealedSegment(row.scope, rows.segment(key), rows);
    if (segment.stamp !== stamp) segment.restate(rows.segmentState(key), stamp);
    return segment;
  });
  if (view.seen !== -1 && view.row.rewrites !== row.rewrites) dropChanged(rows, view, row);
  for (const pending of rows.pendingAfter(row.key, view.lastPending)) {
    view.tail.add(pending);
    view.lastPending = pending.key;
  }
  view.row = row;
  view.segments = [...view.sealed, view.tail];
}

/** Ordinals of dropped rows are not used again, so a tail that is mostly holes is made anew. */
const maxHoles = 512;

function dropChanged(rows: DirectoryReader, view: KeptScope, row: ScopeRow): void {
  const stamps = new Map(rows.pendingStamps(row.key).map(({ key, stamp }) => [key, stamp]));
  /** Rows that changed, and those that came late. */
  const unseen = new Set<number>();
  for (const [, pending] of view.tail.rows()) {
    const stamp = stamps.get(pending.key);
    if (stamp === pending.stamp) continue;
    view.tail.drop(pending.key);
  }
  // A copy that catches up may get rows from before the last one that it had.
  for (const key of stamps.keys()) if (key <= view.lastPending && view.tail.find(key) < 0) unseen.add(key);
  const { size, presentCount } = view.tail;
  if (size - presentCount > Math.max(maxHoles, presentCount)) {
    const whole = createLiveSegment(row.scope, rows);
    for (const [, pending] of view.tail.rows()) whole.add(pending);
    view.tail = whole;
  }
  for (const key of unseen) view.tail.add(rows.pending(key));
}

/** Where a chunk's row is in the index. */
export function findPlace(view: ScopeView, key: number): Place | undefined {
  const ordinal = view.tail.find(key);
  if (ordinal >= 0) return { segment: undefined, ordinal };
  for (const segment of view.sealed) {
    const sealed = segment.find(key);
    if (sealed >= 0) return { segment, ordinal: sealed };
  }
  return undefined;
}
