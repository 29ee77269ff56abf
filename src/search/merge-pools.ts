import type {
  ChunkRef,
  LegCapabilities,
  LegMatch,
  LegNow,
  LegResult,
  MatchCount,
  Query,
  SessionLeg,
  Why,
  Within,
} from "../contracts/leg.ts";
import { createKthBest } from "../engine/kernels/kth-best.ts";
import { type Maybe, waitAll, type Waits } from "../runtime/waits.ts";
import { chunkKey, type FoundByLeg, type FusedChunk, type ScorePart, sumParts } from "./candidate.ts";
import type { Fusion, LegScale } from "./fusions.ts";

/** A leg with what it is asked for. */
export interface FusedLeg {
  readonly leg: (Pick<SessionLeg, "name" | "search"> | Pick<LegNow, "name" | "search">) & {
    readonly capabilities?: Pick<LegCapabilities, "rows" | "isAfar">;
  };
  readonly query: Query;
  readonly within: Omit<Within, "scopes" | "moment" | "only" | "naming" | "keep" | "together">;
}

/** Legs that are merged, and the way of it. */
export interface MergeInput {
  /** In the order of their parts. */
  readonly legs: readonly FusedLeg[];
  readonly fusion: Fusion;
  readonly wanted: MatchCount;
  /** Inclusive threshold on the fused score. */
  readonly minFusedScore?: number | undefined;
  /** Whether revisions name the chunks: the legs give the same chunk the same one. */
  readonly byRow: boolean;
  /** Whether chunks are merged without ids, which come from afar. */
  readonly isAfar?: boolean;
}

/** A leg's calibration, with its best score. Every pool of a leg begins with its best, so the score is a constant of the query. */
export function scaleOf({ calibration, matches }: LegResult): LegScale {
  return { ...calibration, best: matches[0]?.score ?? 0 };
}

export interface LegPool {
  readonly name: string;
  readonly result: LegResult;
  readonly scale: LegScale;
  /** How many of the matches are in the pool. */
  readonly depth: number;
  /** No chunk outside the pool matches. */
  readonly whole: boolean;
  /** The most that a chunk outside the pool scores: as much as the last one in it. Once the leg gave what it kept, less. */
  last: number | undefined;
  stale: boolean;
}

export function openPool(name: string, depth: MatchCount, result: LegResult): LegPool {
  const { matches } = result;
  const size = depth === "all" ? matches.length : Math.min(depth, matches.length);
  return {
    name,
    result,
    scale: scaleOf(result),
    depth: size,
    whole: depth === "all" || matches.length < depth || (result.complete && matches.length === depth),
    last: matches[size - 1]?.score,
    stale: result.stale === true,
  };
}

/** A match of a leg, which says why when it is asked: few are. */
export class FoundMatch implements FoundByLeg {
  readonly score: number;
  readonly rank: number;
  readonly #match: LegMatch;

  constructor(match: LegMatch, rank: number) {
    this.score = match.score;
    this.rank = rank;
    this.#match = match;
  }

  get why(): Why {
    return this.#match.why;
  }
}

/** A row, or a scope with an id. */
type ChunkName = number | string;

export type MergedChunks = Map<ChunkName, Merged>;

function nameOf({ byRow }: Pick<MergeInput, "byRow">, match: LegMatch): ChunkName {
  return byRow ? match.revision : chunkKey(match);
}

export interface Merged extends ChunkRef {
  /** `""` until it is known. */
  id: string;
  readonly revision: number;
  readonly legs: Map<string, FoundByLeg>;
  /** Names of the legs in which it was looked up, if any. */
  asked: Set<string> | undefined;
  /** The most that it scores in sum. */
  limit?: number | undefined;
  /** The least that it scores in sum, if it is a candidate. */
  sure: number;
}

/** Adds the pools to what is `merged` already. */
export function addPools(input: MergeInput, pools: readonly LegPool[], merged: MergedChunks): void {
  for (const { name, result, depth } of pools) {
    for (let i = 0; i < depth; i++) {
      const match = result.matches[i]!;
      entryFor(input, merged, match).legs.set(name, new FoundMatch(match, i + 1));
    }
  }
  if (!input.fusion.byRank) addSurplus(input, pools, merged);
}

/** Adds what complete legs gave beyond their pools to the chunks of others. */
export function addSurplus(input: MergeInput, pools: readonly LegPool[], merged: MergedChunks): void {
  for (const pool of pools)
    if (!pool.whole && pool.result.complete) addScores(input, merged, pool, pool.result.matches, pool.depth);
}

/** **Shape** best first, without chunks that some leg is still to score. */
function listCandidates(input: MergeInput, pools: readonly LegPool[], entries: Iterable<Merged>): FusedChunk[] {
  const { fusion, minFusedScore = -Infinity } = input;
  const scales = pools.map(({ name, scale }) => [name, scale] as const);
  const candidates: FusedChunk[] = [];
  for (const entry of entries) {
    const { scope, id, revision, legs } = entry;
    if ((!fusion.byRank && pools.some((pool) => lacks(entry, pool))) || isAloneBelow(legs, scales)) continue;
    const parts = scales.map(([name, scale]): ScorePart => {
      const found = legs.get(name);
      return { name, value: found === undefined ? 0 : fusion.part(name, found, scale) };
    });
    const score = sumParts(parts);
    if (score < minFusedScore || (fusion.above !== undefined && score <= fusion.above)) continue;
    candidates.push({ scope, id, revision, score, parts, legs });
  }
  return candidates.sort((a, b) => b.score - a.score);
}

export function entryFor(input: MergeInput, merged: MergedChunks, match: LegMatch): Merged {
  const { scope, id, revision } = match;
  const key = nameOf(input, match);
  let entry = merged.get(key);
  if (entry === undefined)
    merged.set(key, (entry = { scope, id, revision, legs: new Map(), asked: undefined, sure: -Infinity }));
  return entry;
}

/** Whether one leg alone found it, and not surely enough. */
function isAloneBelow(
  legs: ReadonlyMap<string, FoundByLeg>,
  scales: readonly (readonly [string, LegScale])[],
): boolean {
  if (legs.size !== 1) return false;
  for (const [name, { aloneAbove }] of scales) {
    const found = legs.get(name);
    if (found !== undefined) return aloneAbove !== undefined && found.score < aloneAbove;
  }
  return false;
}

/** Adds a leg's scores of candidates. */
function addScores(
  input: MergeInput,
  merged: ReadonlyMap<ChunkName, Merged>,
  { name, depth }: LegPool,
  matches: LegResult["matches"],
  from: number,
): void {
  for (let i = from; i < matches.length; i++) {
    const match = matches[i]!;
    const found = merged.get(nameOf(input, match))?.legs;
    if (found !== undefined && !found.has(name)) found.set(name, new FoundMatch(match, depth + i - from + 1));
  }
}

/** Whether the leg has not said yet what it gives to a chunk. */
function lacks({ legs, asked }: Merged, { name, result, whole }: LegPool): boolean {
  return !whole && !result.complete && !legs.has(name) && asked?.has(name) !== true;
}

/** So many times those that are wanted are looked up first: mostly the last one that is wanted is among them, or nearly. */
const firstShare = 1.5;

/** The same where bounds say what may reach the last one: mostly these are all. */
const sureShare = 4;

/** For so many times those that are wanted, bounds cost as much as scores. */
const fewShare = 3;

/**
 * A score that `wanted` candidates have at least, by the bounds that the legs kept; `undefined` where these say nothing.
 *
 * **Cost** a bound for each chunk that some leg lacks.
 */
export function leastSure(input: MergeInput, pools: readonly LegPool[], merged: MergedChunks): number | undefined {
  const { wanted, fusion, isAfar = false } = input;
  if (wanted === "all" || fusion.byRank) return undefined;
  limitEach(input, pools, [...merged.values()], !isAfar && merged.size <= wanted * fewShare);
  return surely(input, merged);
}

/** A score that `wanted` of these candidates have at least, as far as they were bounded. */
function surely({ wanted, fusion: { above = -Infinity } }: MergeInput, merged: MergedChunks): number | undefined {
  if (wanted === "all") return undefined;
  const best = createKthBest();
  best.reset(wanted);
  for (const { sure } of merged.values()) best.offer(sure);
  return best.floor > above ? best.floor : undefined;
}

/**
 * Looks up what legs lack of chunks, those first that may score most by the bounds that the legs kept. The others are left out once none of them can reach the
 * last one that is wanted.
 *
 * **Cost** mostly one or two look-ups of each leg; one where a leg kept no bounds, and then of all chunks.
 */
export function* complete(
  input: MergeInput,
  pools: readonly LegPool[],
  merged: MergedChunks,
  known?: number,
): Waits<readonly FusedChunk[]> {
  const { wanted, minFusedScore = -Infinity, isAfar = false } = input;
  if (input.fusion.byRank) return listCandidates(input, pools, merged.values());
  const open = [...merged.values()].filter((entry) => pools.some((pool) => lacks(entry, pool)));
  // Chunks of which more is known since are bounded again.
  const unbounded = [...merged.values()].filter(({ limit }) => limit === undefined);
  const areFew = wanted === "all" || (!isAfar && known === undefined && unbounded.length <= wanted * fewShare);
  limitEach(input, pools, unbounded, areFew);
  const sure = known === undefined ? -Infinity : Math.max(known, surely(input, merged) ?? known);
  open.sort((a, b) => b.limit! - a.limit!);
  const share = known === undefined ? firstShare : sureShare;
  const size = wanted === "all" ? open.length : Math.ceil(wanted * share);
  for (let at = 0; ;) {
    const candidates = listCandidates(input, pools, merged.values());
    const last = lastWanted(input, candidates);
    const least = Math.max(last ?? sure, sure, minFusedScore);
    const most = last === undefined ? at + size : open.length;
    const isNext = ({ limit = Infinity }: Merged, place: number): boolean =>
      limit === Infinity || (place < most && limit + Math.abs(limit) * rounding >= least);
    // One that scores as the last may win by its place, and is looked up.
    let to = at;
    while (to < open.length && isNext(open[to]!, to)) to++;
    if (to === at) return candidates;
    yield* lookUp(input, pools, merged, open.slice(at, to));
    at = to;
  }
}

/** Sets the most and the least that each chunk scores in sum: infinite where a leg has no bounds, and where they are few. */
function limitEach(input: MergeInput, pools: readonly LegPool[], entries: readonly Merged[], areFew: boolean): void {
  const { fusion } = input;
  const scales = pools.map(({ name, scale }) => [name, scale] as const);
  for (const entry of entries) {
    entry.limit = areFew ? Infinity : 0;
    // One that is found once, and not surely enough, is a candidate only where another leg finds it too.
    entry.sure = areFew || isAloneBelow(entry.legs, scales) ? -Infinity : 0;
  }
  if (areFew) return;
  for (const [at, pool] of pools.entries()) {
    const { name, result, scale } = pool;
    const { minScore = -Infinity } = input.legs[at]!.within;
    const missing = entries.filter((entry) => lacks(entry, pool));
    const bounds = missing.length === 0 ? undefined : result.bounds?.(missing);
    const bound = { score: 0, rank: Infinity };
    const partOf = (score: number): number => {
      bound.score = score;
      return Number.isFinite(score) ? fusion.part(name, bound, scale) : score;
    };
    let next = 0;
    for (const entry of entries) {
      const found = entry.legs.get(name);
      if (found !== undefined) {
        const part = fusion.part(name, found, scale);
        entry.limit! += part;
        entry.sure += part;
      } else if (lacks(entry, pool)) {
        const most = bounds?.most[next] ?? Infinity;
        const least = bounds?.least[next] ?? -Infinity;
        next++;
        // A leg that does not match gives 0. So may one whose score could be below its threshold.
        entry.limit! += Math.max(0, partOf(most));
        if (most === -Infinity) continue;
        entry.sure += least >= minScore ? partOf(least) : Math.min(0, partOf(least));
      }
    }
  }
  for (const entry of entries) entry.sure -= Math.abs(entry.sure) * rounding;
}

/** Asks each leg for its exact scores of chunks that only other legs found. Such chunks rank behind everything that the leg found by itself. */
function* lookUp(
  input: MergeInput,
  pools: readonly LegPool[],
  merged: MergedChunks,
  entries: readonly Merged[],
): Waits<undefined> {
  const asked: LegPool[] = [];
  const asking: Maybe<LegResult>[] = [];
  for (const [at, pool] of pools.entries()) {
    const missing = entries.filter((entry) => lacks(entry, pool));
    if (missing.length === 0) continue;
    for (const entry of missing) (entry.asked ??= new Set()).add(pool.name);
    const { leg, query, within } = input.legs[at]!;
    asked.push(pool);
    const only = missing.map(({ scope, id, revision }) => (input.byRow ? { scope, id, revision } : { scope, id }));
    asking.push(leg.search(query, "all", { ...within, only }));
  }
  const results = yield* waitAll(asking);
  for (const [i, pool] of asked.entries()) {
    if (results[i]!.stale === true) pool.stale = true;
    addScores(input, merged, pool, results[i]!.matches, 0);
  }
}

/** The last candidate that is wanted, when there are so many. */
export function lastWanted(
  { wanted }: Pick<MergeInput, "wanted">,
  candidates: readonly FusedChunk[],
): number | undefined {
  return wanted === "all" ? undefined : candidates[wanted - 1]?.score;
}

/** Part of a chunk outside a leg's pool, at most. A chunk that a leg lacks gives 0 there, which is more than a negative score gives. */
export function mostOutside({ fusion }: Pick<MergeInput, "fusion">, { name, scale, whole, last }: LegPool): number {
  return whole || last === undefined ? 0 : Math.max(0, fusion.part(name, { score: last, rank: Infinity }, scale));
}

/** More than rounding can add to a sum of a few parts, as a share of it. */
export const rounding = 2 ** -40;
