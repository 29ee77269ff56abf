import type { LegMatch, Query, Restriction, Within } from "../../contracts/leg.ts";
import { admitChunks } from "../../engine/segments/admit-chunks.ts";
import type { Scope } from "../../contracts/scope.ts";
import { forEachBit } from "../../engine/patterns/trigram-file.ts";
import { requireTrigrams, type TrigramQuery } from "../../engine/patterns/trigram-query.ts";
import { compareChunkPlaces } from "../../runtime/compare-text.ts";
import { compileLinearRegex } from "../../text/patterns/linear-regex.ts";
import { parseRegex } from "../../text/patterns/regex-syntax.ts";
import { createChunkReader, createRowFilter } from "./chunk-rows.ts";
import { sendErrand, type StoreThread, worthAThread } from "./errands.ts";
import type { IndexView, ScopeView } from "./index-view.ts";
import type { ChunkRow, DirectoryReader } from "./segment-directory.ts";
import { createTrigramKeeper, type TrigramKeeper } from "./trigram-keeper.ts";

/** Rows are read by key up to one in `fewOf` of the live chunks; beyond that, all are read in order. */
const fewOf = 8;

/** Searches by pattern, and the indexes that they make on their way. Loaded when a pattern is first looked for. */
export interface PatternSearch {
  /** **Shape** every match, best first, equal scores by uri, start, scope and id. `only` holds row keys. */
  search(
    rows: DirectoryReader,
    view: IndexView,
    pattern: NonNullable<Query["pattern"]>,
    within: Pick<Within, "scopes" | "restriction">,
    only?: ReadonlySet<number>,
  ): readonly LegMatch[];
  /** Has the thread make the indexes that a search would make otherwise. **Cost** one look where there is nothing to make. */
  prepare(
    look: <Result>(work: (rows: DirectoryReader) => Result) => Promise<Result>,
    view: IndexView,
    thread: StoreThread,
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
  return {
    search(rows, view, { source, ignoreCase }, { scopes, restriction }, only) {
      const regex = compileLinearRegex(source, { ignoreCase });
      const needs = requireTrigrams(parseRegex(source));
      const reader = createChunkReader(rows, view);
      const found: { readonly document: number; readonly start: number; readonly match: LegMatch }[] = [];
      const documents = new Set<number>();
      for (const scope of scopes) {
        const held = view.scope(rows, scope);
        if (held === undefined) continue;
        const candidates =
          only === undefined
            ? readCandidates(rows, held, restriction, needs, trigrams)
            : readGiven(rows, held, restriction, only);
        for (const row of candidates) {
          const matches = regex.findAll(reader.urtext(row));
          if (matches.length === 0) continue;
          const ranges = matches.map(({ start, end }) => ({ start: row.start + start, end: row.start + end }));
          const score = matches.length / (matches.length + 1);
          const { id, key, document, start } = row;
          documents.add(document);
          found.push({ document, start, match: { scope, id, score, revision: key, why: { kind: "ranges", ranges } } });
        }
      }
      const homes = view.homes(rows, [...documents]);
      return found
        .map(({ document, start, match }) => ({ uri: homes.get(document)?.uri ?? "", start, match, ...match }))
        .sort((a, b) => b.score - a.score || compareChunkPlaces(a, b))
        .map(({ match }) => match);
    },
    async prepare(look, view, thread, source, scopes) {
      const lacking = await look((rows) => {
        const views = scopes.flatMap((scope) => view.scope(rows, scope) ?? []);
        return views.flatMap((held) => trigrams.lacking(rows, held)).filter(({ size }) => size >= worthAThread);
      });
      if (lacking.length === 0 || requireTrigrams(parseRegex(source)).kind === "any") return;
      for (const segment of lacking) {
        const { scope, row } = segment;
        const files = await sendErrand(thread, "trigrams", { scope, row }, () => Promise.resolve([]));
        if (files.length > 0) trigrams.keep(segment, files);
      }
    },
    save: (write) => trigrams.save(write),
  };
}

function readGiven(
  rows: DirectoryReader,
  held: ScopeView,
  restriction: Restriction | undefined,
  keys: ReadonlySet<number>,
): readonly ChunkRow[] {
  const admits = createRowFilter(restriction);
  const read = rows.chunks([...keys]);
  return read.filter((row) => row?.scope === held.row.key && row.deletedAt === null && admits(row)) as ChunkRow[];
}

/** Documents one after the other rather than chunks in the order of the index, so that each text is read once. */
function* readCandidates(
  rows: DirectoryReader,
  held: ScopeView,
  restriction: Restriction | undefined,
  needs: TrigramQuery,
  trigrams: TrigramKeeper,
): Generator<ChunkRow> {
  const all = needs.kind === "any" ? undefined : findCandidates(rows, held, restriction, needs, trigrams);
  const live = held.segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
  if (all !== undefined && all.length * fewOf < live) {
    const few = rows.chunks(all).filter((row) => row !== undefined);
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
  restriction: Restriction | undefined,
  needs: TrigramQuery,
  trigrams: TrigramKeeper,
): number[] | undefined {
  const indexes = trigrams.indexes(rows, held);
  if (indexes.size === 0) return undefined;
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
