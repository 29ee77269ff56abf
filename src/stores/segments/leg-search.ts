import type {
  Calibration,
  LegMatch,
  LegResult,
  MatchCount,
  Query,
  Restriction,
  Why,
  Within,
} from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { SearchedSegment } from "../../engine/bm25/best-chunks.ts";
import { admitChunks, narrow, narrowToDocuments } from "../../engine/segments/admit-chunks.ts";
import type { Segment } from "../../engine/segments/segment.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import type { IndexView } from "./index-view.ts";
import { documentsUnder } from "./list-rows.ts";
import type { DirectoryReader } from "./segment-directory.ts";
import { openMoment, ordinalsOf, placesOfRows, recallPrepared, type SegmentMoment } from "./segment-moment.ts";

interface FoundAt {
  readonly segment: Segment;
  readonly ordinal: number;
  readonly score: number;
}

/** One search of one leg: a section of one transaction. */
export interface LegSearch {
  readonly rows: DirectoryReader;
  readonly at: SegmentMoment;
  readonly stale: boolean;
  /** How many matches to find. */
  readonly most: number;
  readonly minScore: number;
  /** Whether matches are given without ids. */
  readonly unnamed: boolean;
  /** Ordinals of the given chunks by segment; `undefined` when all chunks are searched. */
  readonly only: ReadonlyMap<Segment, readonly number[]> | undefined;
  /** The state that this leg prepared for the query at this moment. */
  prepared<State>(): State | undefined;
  keepPrepared<State>(state: State): State;
  /** Segments of the scopes, with what the restriction admits of them; in steps, where something must be read for that. */
  segments(scopes: readonly Scope[]): Generator<undefined, SearchedSegment[]>;
}

export function openSearch(
  rows: DirectoryReader,
  view: IndexView,
  leg: string,
  query: Query,
  k: MatchCount,
  within: Within,
): LegSearch {
  throwIfAborted(within.signal, "The search");
  const { at, stale } = openMoment(rows, view, within);
  const { restriction } = within;
  return {
    rows,
    at,
    stale,
    most: k === "all" ? Infinity : k,
    minScore: within.minScore ?? -Infinity,
    unnamed: within.unnamed === true,
    only: within.only && ordinalsOf(rows, at, within.only),
    prepared: <State>() => recallPrepared(at, leg, query, restriction) as State | undefined,
    keepPrepared(state) {
      at.prepared.set(leg, { query, restriction, state });
      return state;
    },
    *segments(scopes) {
      const documents = yield* documentsWithin(rows, view, at, scopes, restriction);
      const searched: SearchedSegment[] = [];
      for (const segment of view.segments(rows, scopes)) {
        const admitted = yield* admitChunks(segment, restriction);
        searched.push({
          segment,
          admitted: documents === undefined ? admitted : yield* narrowToDocuments(segment, admitted, documents),
        });
      }
      return searched;
    },
  };
}

/** Documents that a restriction's prefixes admit, looked up once in a search; `undefined` for a restriction without prefixes. */
function* documentsWithin(
  rows: DirectoryReader,
  view: IndexView,
  at: SegmentMoment,
  scopes: readonly Scope[],
  restriction: Restriction | undefined,
): Generator<undefined, ReadonlySet<number> | undefined> {
  if (restriction?.under === undefined) return undefined;
  const key = JSON.stringify([restriction.under, scopes, rows.stamp()]);
  let found = at.under.get(key);
  if (found === undefined) {
    const held = scopes.flatMap((scope) => view.scope(rows, scope)?.row.key ?? []);
    at.under.set(key, (found = yield* documentsUnder(rows, held, restriction.under)));
  }
  return found;
}

/** Leaves only the given chunks of what is searched. */
export function onlyThose(
  searched: readonly SearchedSegment[],
  only: LegSearch["only"],
  withFlags = false,
): readonly SearchedSegment[] {
  if (only === undefined) return searched;
  return searched.flatMap(({ segment, admitted }) => {
    const ordinals = only.get(segment);
    if (ordinals === undefined) return [];
    return [{ segment, admitted: withFlags ? narrow(admitted, ordinals) : admitted, only: ordinals }];
  });
}

/** Hits as matches. Few of them are shown, so that each says why when it is asked. **Cost** one read of ids for each sealed segment, unless they are unnamed. */
export function toMatches<Hit extends FoundAt>(
  { rows, at, unnamed }: LegSearch,
  hits: readonly Hit[],
  why: (hit: Hit) => Why,
): LegMatch[] {
  const ids = unnamed ? undefined : readIds(rows, hits);
  return hits.map((hit, i) => {
    const { segment, ordinal } = hit;
    const { scope } = segment;
    const key = segment.key(ordinal);
    const id = ids?.[i] ?? "";
    if (ids === undefined) at.rows.set(key, { segment, ordinal, key, scope });
    else at.places.set(scope, id, { segment, ordinal, key });
    return new ExplainedMatch(scope, id, key, hit, why);
  });
}

/** The matches that a leg gave without ids, with them. */
export function nameMatches(
  rows: DirectoryReader,
  view: IndexView,
  within: Within & { readonly naming: readonly number[] },
): LegResult {
  const { at, stale } = openMoment(rows, view, within);
  const found = placesOfRows(rows, at, within.scopes, within.naming);
  const places = found.filter(({ segment, ordinal }) => segment.live[ordinal] === 1);
  const ids = readIds(rows, places);
  const matches = places.map(({ scope, ...place }, i): LegMatch => {
    const id = ids[i]!;
    at.places.set(scope, id, place);
    return { scope, id, score: 0, revision: place.key, why: { kind: "other", details: null } };
  });
  return { matches, complete: false, exact: true, calibration: { weight: 0, scale: 1 }, stale };
}

function readIds(rows: DirectoryReader, hits: readonly Omit<FoundAt, "score">[]): readonly string[] {
  rows.expectChunks?.(hits.map(({ segment, ordinal }) => segment.key(ordinal)));
  const bySegment = new Map<Segment, number[]>();
  hits.forEach(({ segment }, i) => {
    const known = bySegment.get(segment);
    if (known === undefined) bySegment.set(segment, [i]);
    else known.push(i);
  });
  const ids: string[] = [];
  for (const [segment, places] of bySegment) {
    const read = segment.chunkIds(places.map((i) => hits[i]!.ordinal));
    places.forEach((i, n) => (ids[i] = read[n]!));
  }
  return ids;
}

/**
 * A match that says why when it is asked. The property is the match's own, so that a copy has it. Its getter is one for all: a getter of an object literal would be
 * made anew for each match.
 */
class ExplainedMatch<Hit extends FoundAt> implements LegMatch {
  static readonly #whyProperty: PropertyDescriptor & ThisType<ExplainedMatch<FoundAt>> = {
    enumerable: true,
    get() {
      return (this.#said ??= this.#explain(this.#hit));
    },
  };
  declare readonly why: Why;
  readonly scope: Scope;
  readonly id: string;
  readonly score: number;
  readonly revision: number;
  readonly #hit: Hit;
  readonly #explain: (hit: Hit) => Why;
  #said: Why | undefined;

  constructor(scope: Scope, id: string, revision: number, hit: Hit, explain: (hit: Hit) => Why) {
    this.scope = scope;
    this.id = id;
    this.score = hit.score;
    this.revision = revision;
    this.#hit = hit;
    this.#explain = explain;
    Object.defineProperty(this, "why", ExplainedMatch.#whyProperty);
  }
}

export function toResult(
  { most, stale }: LegSearch,
  matches: readonly LegMatch[],
  calibration: Calibration,
): LegResult & { readonly exact: true } {
  return { matches, complete: matches.length < most, exact: true, calibration, stale };
}
