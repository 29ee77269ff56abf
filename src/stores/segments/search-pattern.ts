import type { RegexMatch, RegexQuery } from "../../contracts/regex-search.ts";
import type { Scope } from "../../contracts/scope.ts";
import { admitChunks } from "../../engine/segments/admit-chunks.ts";
import { forEachBit } from "../../engine/patterns/trigram-file.ts";
import { requireTrigrams, type TrigramQuery } from "../../engine/patterns/trigram-query.ts";
import { createTopK } from "../../engine/kernels/top-k.ts";
import { compileLinearRegex } from "../../text/patterns/linear-regex.ts";
import { parseRegex } from "../../text/patterns/regex-syntax.ts";
import { type ChunkReader, createChunkReader } from "./chunk-rows.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import type { Decided } from "./decided.ts";
import { createRowFilter, restrictionOf } from "./search-segments.ts";
import type { ChunkRow, DirectoryReader } from "./segment-directory.ts";
import { createTrigramKeeper, type TrigramKeeper } from "./trigram-keeper.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

interface RegexHit {
  readonly scope: Scope;
  readonly row: ChunkRow;
  readonly matches: readonly { readonly start: number; readonly end: number }[];
}

/** Of the live chunks, the part up to which rows are read one by one rather than all in order. */
const fewOf = 8;

/** Searches by pattern, and the indexes that they make on their way. Loaded when somebody first looks for a pattern. */
export interface PatternSearch {
  search(
    rows: DirectoryReader,
    view: IndexView,
    scopes: readonly Scope[],
    query: Decided<RegexQuery>,
  ): readonly RegexMatch[];
  /** See {@link TrigramKeeper}. */
  readonly save: TrigramKeeper["save"];
}

/** **Shape** `worthIndexing` as for {@link createTrigramKeeper}. */
export function createPatternSearch(worthIndexing: number): PatternSearch {
  const trigrams = createTrigramKeeper(worthIndexing);
  return {
    search: (rows, view, scopes, query) => searchPattern(rows, view, scopes, query, trigrams),
    save: (write) => trigrams.save(write),
  };
}

/**
 * Matches a pattern in the chunks that have the trigrams which every match must have; in all of them where there are no trigrams to go by.
 *
 * **Shape** the same as by looking at every chunk.
 */
function searchPattern(
  rows: DirectoryReader,
  view: IndexView,
  scopes: readonly Scope[],
  query: Decided<RegexQuery>,
  trigrams: TrigramKeeper,
): readonly RegexMatch[] {
  const regex = compileLinearRegex(query.pattern, { ignoreCase: query.ignoreCase ?? false });
  const needs = requireTrigrams(parseRegex(query.pattern));
  const reader = createChunkReader(rows, view);
  const found: RegexHit[] = [];
  for (const scope of scopes) {
    const held = view.scope(rows, scope);
    if (held === undefined) continue;
    for (const row of readCandidates(rows, held, query, needs, trigrams)) {
      const matches = regex.findAll(reader.urtext(row));
      if (matches.length > 0) found.push({ scope, row, matches });
    }
  }
  found.sort((a, b) => compareCodePoints(a.row.id, b.row.id) || compareCodePoints(a.scope, b.scope));
  const best = createTopK(Math.min(query.topK, found.length));
  found.forEach(({ matches }, i) => best.offer(matches.length, i));
  return Array.from(best.take().items, (i) => toRegexMatch(found[i]!, reader));
}

/** Documents one after the other rather than chunks in the order of the index, so that each text is read once. */
function* readCandidates(
  rows: DirectoryReader,
  held: ScopeView,
  query: Decided<RegexQuery>,
  needs: TrigramQuery,
  trigrams: TrigramKeeper,
): Generator<ChunkRow> {
  const restriction = restrictionOf(query);
  const all = needs.kind === "any" ? undefined : findCandidates(rows, held, query, needs, trigrams);
  const live = held.segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
  if (all !== undefined && all.length * fewOf < live) {
    const few = all.map((key) => rows.chunk(key));
    yield* few.sort((a, b) => a.document - b.document || a.start - b.start || a.key - b.key);
    return;
  }
  const keys = all && new Set(all);
  const admits = keys === undefined ? createRowFilter(restriction) : (row: ChunkRow) => keys.has(row.key);
  for (const row of rows.scanChunks(held.row.key)) if (admits(row)) yield row;
}

/** Keys of the chunks in which the pattern may match. `undefined` when no segment has an index to ask. */
function findCandidates(
  rows: DirectoryReader,
  held: ScopeView,
  query: Decided<RegexQuery>,
  needs: TrigramQuery,
  trigrams: TrigramKeeper,
): number[] | undefined {
  const indexes = trigrams.indexes(rows, held);
  if (indexes.size === 0) return undefined;
  const restriction = restrictionOf(query);
  const keys: number[] = [];
  for (const segment of held.segments) {
    const admitted = admitChunks(segment, restriction);
    const take = (ordinal: number): void => {
      if (admitted[ordinal] === 1) keys.push(segment.key(ordinal));
    };
    const bits = indexes.get(segment)?.find(needs);
    if (bits !== undefined) forEachBit(bits, take);
    else for (let ordinal = 0; ordinal < segment.size; ordinal++) take(ordinal);
  }
  return keys;
}

function toRegexMatch({ scope, row, matches }: RegexHit, reader: ChunkReader): RegexMatch {
  return {
    scope,
    chunk: reader.chunk(row),
    score: matches.length / (matches.length + 1),
    matches: matches.map(({ start, end }) => ({ start: row.start + start, end: row.start + end })),
  };
}
