import type { LegMatch, Query, Within } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import { forEachBit } from "../../engine/patterns/trigram-file.ts";
import { requireTrigrams, type TrigramQuery } from "../../engine/patterns/trigram-query.ts";
import type { SealedSegment } from "../../engine/segments/sealed-segment.ts";
import { admitChunks } from "../../engine/segments/admit-chunks.ts";
import { compareChunkPlaces } from "../../runtime/compare-text.ts";
import { finishSteps } from "../../runtime/steps.ts";
import { compileLinearRegex, type LinearRegex } from "../../text/patterns/linear-regex.ts";
import { parseRegex } from "../../text/patterns/regex-syntax.ts";
import { createChunkReader, createRowFilter } from "./chunk-rows.ts";
import { type LookedAt, sendErrand, type StoreThread, worthAThread } from "./errands.ts";
import { createIndexView, type IndexView, type ScopeView } from "./index-view.ts";
import { documentsUnder } from "./list-rows.ts";
import type { ChunkRow, DirectoryReader } from "./segment-directory.ts";
import { createTrigramKeeper, type TrigramKeeper } from "./trigram-keeper.ts";

/** A search goes on in slices of this length, with a turn of others between them. **Units** milliseconds. */
const longestSlice = 5;

/** Rows that are read together. */
const pageSize = 32;

/** Texts that another thread looks at before this one may stop the search. */
const sentAtOnce = 4096;

/** Commits during a search after which its last rows are read in one go. */
const mostRestarts = 4;

type Look = <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>;
type Pattern = NonNullable<Query["pattern"]>;
type Ranges = readonly { readonly start: number; readonly end: number }[];

/** One search by a pattern, in slices. The text of a row's key never changes, so that matches of an earlier slice count. The last slice decides which rows are there. */
export interface PatternRun {
  /** Looks at texts for some milliseconds. **Shape** as of `rows`, every match, best first, equal scores by uri, start, scope and id; `undefined` while texts are left. */
  advance(rows: DirectoryReader): readonly LegMatch[] | undefined;
  /** The same in one go. */
  finish(rows: DirectoryReader): readonly LegMatch[];
  /** Has the thread look at a batch of the texts that are left, where they are many. */
  send(): Promise<void>;
}

/** Searches by pattern, and the indexes that they make on their way. Loaded when a pattern is first looked for. */
export interface PatternSearch {
  /** Begins a search. `only` holds row keys; `thread` looks at the texts of many chunks. */
  begin(
    view: IndexView,
    pattern: Pattern,
    within: Pick<Within, "scopes" | "restriction">,
    thread: StoreThread | undefined,
    only?: ReadonlySet<number>,
  ): PatternRun;
  /** Makes the indexes that the search gains by: in the thread where there is one, else in slices. **Cost** one look where there is nothing to make. */
  prepare(
    look: Look,
    view: IndexView,
    thread: StoreThread | undefined,
    source: string,
    scopes: readonly Scope[],
  ): Promise<void>;
  /** See {@link TrigramKeeper}. */
  readonly save: TrigramKeeper["save"];
}

/**
 * Matches a pattern in the chunks that have the trigrams which every match must have; in all of them where no trigrams narrow the search.
 *
 * **Shape** the same as by looking at every chunk; `worthIndexing` as for {@link createTrigramKeeper}.
 */
export function createPatternSearch(worthIndexing: number): PatternSearch {
  const trigrams = createTrigramKeeper(worthIndexing);
  /** Indexes that are being made, for all searches that wait for them. */
  const making = new Map<SealedSegment, Promise<void>>();

  async function make(look: Look, view: IndexView, thread: StoreThread | undefined, segment: SealedSegment) {
    const { scope, row } = segment;
    const here = () => trigrams.collect(look, view, segment);
    const files = await (thread === undefined ? here() : sendErrand(thread, "trigrams", { scope, row }, here));
    if (files.length > 0) trigrams.keep(segment, files);
  }

  return {
    begin: (view, pattern, within, thread, only) => createPatternRun(view, trigrams, pattern, within, thread, only),
    async prepare(look, view, thread, source, scopes) {
      if (requireTrigrams(parseRegex(source)).kind === "any") return;
      const lacking = await look((rows) => {
        const views = scopes.flatMap((scope) => view.scope(rows, scope) ?? []);
        return views.flatMap((held) => trigrams.lacking(rows, held));
      });
      const isLarge = lacking.reduce((sum, { size }) => sum + size, 0) >= worthAThread;
      for (const segment of lacking) {
        let made = making.get(segment);
        if (made === undefined) {
          made = make(look, view, isLarge ? thread : undefined, segment).finally(() => making.delete(segment));
          making.set(segment, made);
        }
        await made;
      }
    },
    save: (write) => trigrams.save(write),
  };
}

const nowhere: Ranges = [];

function createPatternRun(
  view: IndexView,
  trigrams: TrigramKeeper,
  { source, ignoreCase }: Pattern,
  { scopes, restriction }: Pick<Within, "scopes" | "restriction">,
  thread: StoreThread | undefined,
  only: ReadonlySet<number> | undefined,
): PatternRun {
  const regex = compileLinearRegex(source, { ignoreCase });
  const needs = requireTrigrams(parseRegex(source));
  const admits = createRowFilter(restriction);
  /** Matches by row, within the chunk. */
  const known = new Map<number, Ranges>();
  /** Candidates at the commit that the last slice saw, first those whose text is not known. `done` of them were looked at, and `matching` match. */
  let candidates: readonly number[] = [];
  let done = 0;
  let matching: { readonly row: ChunkRow; readonly ranges: Ranges }[] = [];
  let scopeOf = new Map<number, Scope>();
  let stamp = -1;
  let isArranged = false;
  /** Documents that the restriction's prefixes admit; `undefined` where it has none. */
  let documents: ReadonlySet<number> | undefined;
  let restarts = -1;
  /** Whether the thread knows more. */
  let isHelpful = thread !== undefined;

  /** Sees whether there was a commit since the last slice. */
  function compare(rows: DirectoryReader): void {
    if (stamp === rows.stamp()) return;
    stamp = rows.stamp();
    isArranged = false;
    restarts++;
  }

  /** Reads what the restriction asks of chunks, as long as there is time. **Shape** whether everything is read. */
  function readFacts(rows: DirectoryReader, until: number): boolean {
    if (restriction === undefined || only !== undefined) return true;
    for (const segment of view.segments(rows, scopes)) {
      const steps = admitChunks(segment, restriction);
      while (steps.next().done !== true) if (performance.now() > until) return false;
    }
    return true;
  }

  function arrange(rows: DirectoryReader): void {
    isArranged = true;
    const held = scopes.flatMap((scope) => view.scope(rows, scope) ?? []);
    scopeOf = new Map(held.map(({ row }) => [row.key, row.scope]));
    documents = restriction?.under && finishSteps(documentsUnder(rows, [...scopeOf.keys()], restriction.under));
    const keys =
      only === undefined ? held.flatMap((each) => findCandidates(rows, each, restriction, needs, trigrams)) : [...only];
    // Chunks of a document were written one after the other, so that each text is read once.
    keys.sort((a, b) => a - b);
    candidates = [...keys.filter((key) => !known.has(key)), ...keys.filter((key) => (known.get(key)?.length ?? 0) > 0)];
    [done, matching] = [0, []];
  }

  function readPage(rows: DirectoryReader): void {
    const reader = createChunkReader(rows, view);
    for (const row of rows.chunks(candidates.slice(done, done + pageSize))) {
      if (row === undefined || row.deletedAt !== null || !scopeOf.has(row.scope) || !admits(row)) continue;
      if (documents?.has(row.document) === false) continue;
      let ranges = known.get(row.key);
      if (ranges === undefined) known.set(row.key, (ranges = findRanges(regex, reader.urtext(row))));
      if (ranges.length > 0) matching.push({ row, ranges });
    }
    done += pageSize;
  }

  function tell(rows: DirectoryReader): readonly LegMatch[] {
    const homes = view.homes(rows, [...new Set(matching.map(({ row }) => row.document))]);
    return matching
      .map(({ row, ranges: within }) => {
        const { id, key, document, start } = row;
        const ranges = within.map((range) => ({ start: start + range.start, end: start + range.end }));
        const score = ranges.length / (ranges.length + 1);
        const scope = scopeOf.get(row.scope)!;
        const match: LegMatch = { scope, id, score, revision: key, why: { kind: "ranges", ranges } };
        return { uri: homes.get(document)?.uri ?? "", start, match, ...match };
      })
      .sort((a, b) => b.score - a.score || compareChunkPlaces(a, b))
      .map(({ match }) => match);
  }

  const unknownKeys = (): number[] => candidates.slice(done).filter((key) => !known.has(key));
  const isForThread = (): boolean => isHelpful && unknownKeys().length >= worthAThread;

  function readUntil(rows: DirectoryReader, until: number): boolean {
    while (done < candidates.length) {
      readPage(rows);
      if (performance.now() > until && done < candidates.length) return false;
    }
    return true;
  }

  return {
    advance(rows) {
      compare(rows);
      const until = performance.now() + longestSlice;
      if (!isArranged) {
        if (!readFacts(rows, restarts > mostRestarts ? Infinity : until)) return undefined;
        arrange(rows);
      }
      const isLast = restarts > mostRestarts && known.has(candidates[0] ?? -1);
      if (isForThread()) return undefined;
      return readUntil(rows, isLast ? Infinity : until) ? tell(rows) : undefined;
    },
    finish(rows) {
      compare(rows);
      arrange(rows);
      readUntil(rows, Infinity);
      return tell(rows);
    },
    async send() {
      if (thread === undefined || !isArranged || !isForThread()) return;
      const keys = unknownKeys();
      const nothing: LookedAt = { keys: [], counts: [], starts: [], ends: [] };
      const given = { keys: keys.slice(0, sentAtOnce), source, ignoreCase };
      const looked = await sendErrand(thread, "match", given, () => Promise.resolve(nothing));
      // A thread that is gone, or sees an older state, has nothing to tell.
      isHelpful = looked.keys.length > 0;
      isArranged = !isHelpful;
      let at = 0;
      looked.keys.forEach((key, i) => {
        const to = at + looked.counts[i]!;
        const ranges: { start: number; end: number }[] = [];
        for (; at < to; at++) ranges.push({ start: looked.starts[at]!, end: looked.ends[at]! });
        known.set(key, ranges.length === 0 ? nowhere : ranges);
      });
    },
  };
}

function findRanges(regex: LinearRegex, text: string): Ranges {
  const found = regex.findAll(text);
  return found.length === 0 ? nowhere : found.map(({ start, end }) => ({ start, end }));
}

/** Looks at the texts of some rows, in one transaction. **Shape** those that are there. */
export function matchTexts(rows: DirectoryReader, keys: readonly number[], { source, ignoreCase }: Pattern): LookedAt {
  const regex = compileLinearRegex(source, { ignoreCase });
  const reader = createChunkReader(rows, createIndexView());
  const looked: Record<keyof LookedAt, number[]> = { keys: [], counts: [], starts: [], ends: [] };
  for (let at = 0; at < keys.length; at += pageSize) {
    for (const row of rows.chunks(keys.slice(at, at + pageSize))) {
      if (row === undefined) continue;
      const ranges = findRanges(regex, reader.urtext(row));
      looked.keys.push(row.key);
      looked.counts.push(ranges.length);
      for (const { start, end } of ranges) {
        looked.starts.push(start);
        looked.ends.push(end);
      }
    }
  }
  return looked;
}

/** Keys of the chunks in which the pattern may match; of all that are admitted where no segment has an index to ask. */
function findCandidates(
  rows: DirectoryReader,
  held: ScopeView,
  restriction: Within["restriction"],
  needs: TrigramQuery,
  trigrams: TrigramKeeper,
): number[] {
  const indexes = needs.kind === "any" ? undefined : trigrams.indexes(rows, held);
  const keys: number[] = [];
  for (const segment of held.segments) {
    const admitted = finishSteps(admitChunks(segment, restriction));
    const take = (ordinal: number): void => {
      if (admitted[ordinal] === 1) keys.push(segment.key(ordinal));
    };
    const bits = indexes?.get(segment)?.find(needs);
    if (bits !== undefined) forEachBit(bits, take);
    else for (let ordinal = 0; ordinal < segment.size; ordinal++) take(ordinal);
  }
  return keys;
}
