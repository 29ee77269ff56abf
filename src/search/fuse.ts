import type {
  ChunkRef,
  LegCapabilities,
  LegMatch,
  LegNow,
  LegResult,
  MatchCount,
  Query,
  SessionLeg,
  TogetherBound,
  Why,
  Within,
} from "../contracts/leg.ts";
import { isLate, type Maybe, wait, waitAll, type Waits } from "../runtime/waits.ts";
import {
  chunkKey,
  type FoundByLeg,
  type FusedChunk,
  orderCandidates,
  type ReadPlaces,
  type ScorePart,
  sumParts,
} from "./candidate.ts";
import { type Fusion, type LegScale, rankDepth } from "./fusions.ts";

/** How many candidates each leg gives to begin with, for so many wanted. **Source** ToolUp. */
export function poolSize(wanted: MatchCount): MatchCount {
  return wanted === "all" ? "all" : Math.max(4 * wanted, 32);
}

/** A pool that was too small to be certain grows by this factor. */
const growth = 4;

/** A leg with what it is asked for. */
export interface FusedLeg {
  readonly leg: (Pick<SessionLeg, "name" | "search"> | Pick<LegNow, "name" | "search">) & {
    readonly capabilities?: Pick<LegCapabilities, "rows">;
  };
  readonly query: Query;
  readonly within: Omit<Within, "scopes" | "moment" | "only" | "naming" | "keep" | "together">;
}

export interface FuseInput {
  /** In the order of their parts. */
  readonly legs: readonly FusedLeg[];
  readonly fusion: Fusion;
  readonly wanted: MatchCount;
  /** Inclusive threshold on the fused score. */
  readonly minFusedScore?: number | undefined;
  /** Places of candidates with equal scores, which order them. */
  readonly readPlaces: ReadPlaces;
}

export interface FuseResult {
  /** Best first, all at or above their thresholds. Behind the first `wanted` and those that score as the last of them, an id may be `""`. */
  readonly candidates: readonly FusedChunk[];
  /** The last result of each leg, by name. */
  readonly results: ReadonlyMap<string, LegResult>;
  /** Some leg saw a later state than the others. */
  readonly stale: boolean;
}

/**
 * Any number of legs as one ranking.
 *
 * By score, the first `wanted` are exactly those of fusing the whole of every leg, whatever the size of the pools. Every candidate of one leg is looked up in
 * the others. A chunk outside the pools may still reach the last place (the threshold algorithm). One leg alone is searched then, for all that score enough
 * in it, or another where those are many. Where no leg serves, all pools grow. By rank, the candidates of a leg are its best `max(4 · wanted, 128)`; a chunk
 * further down gets nothing from that leg.
 *
 * **Shape** at least `wanted` candidates when there are so many; the surplus is what the pools happened to hold. An approximate leg makes the order approximate.
 * **Cost** one search and one look-up of each leg a round; in the worst case (everything ties) the legs whole.
 * **Source** Fagin, Lotem and Naor, Optimal Aggregation Algorithms for Middleware (2001).
 */
export function* fuse(given: FuseInput): Waits<FuseResult> {
  const input = { ...given, ...forRows(given) };
  let before: readonly LegPool[] | undefined;
  for (let pool = poolSize(input.wanted); ; pool = pool === "all" ? pool : pool * growth) {
    const depth = input.fusion.byRank && pool !== "all" ? Math.max(pool, rankDepth) : pool;
    const known = before;
    const kept = createForgetting();
    try {
      const asked = input.legs.map((each, i) => kept.note(askPool(each, input.fusion, depth, known?.[i])));
      const results = yield* waitAll(asked);
      const pools = input.legs.map(({ leg }, i) => openPool(leg.name, depth, results[i]!));
      before = pools;
      const candidates = yield* reach(input, pools, depth);
      if (candidates === undefined) continue;
      const named = yield* nameFirst(input, pools, candidates);
      return {
        candidates: yield* orderFirst(input, named),
        results: new Map(pools.map(({ name, result }) => [name, result])),
        stale: pools.some(({ stale }) => stale),
      };
    } finally {
      kept.forget();
    }
  }
}

interface RowsInput extends FuseInput {
  /** Whether revisions name the chunks, and ids are read of the first alone. */
  readonly byRow: boolean;
}

/** By rank, legs that give the same chunk the same revision are asked for no ids. By score, their look-ups need ids, and read them. */
function forRows({ legs, fusion }: FuseInput): Pick<RowsInput, "legs" | "byRow"> {
  const [first] = legs;
  const rows = first?.leg.capabilities?.rows;
  const byRow =
    fusion.byRank === true && rows !== undefined && legs.every(({ leg }) => leg.capabilities?.rows === rows);
  if (!byRow) return { legs, byRow };
  return { legs: legs.map((each) => ({ ...each, within: { ...each.within, unnamed: true } })), byRow };
}

/** How many candidates may be among the first `wanted`, by their scores alone. */
function countFirst(input: FuseInput, candidates: readonly FusedChunk[]): number {
  const last = lastWanted(input, candidates);
  const behind = last === undefined ? -1 : candidates.findIndex(({ score }) => score < last);
  return behind < 0 ? candidates.length : behind;
}

/** Reads ids of the candidates that may be among the first. **Shape** without those of them that are gone. */
function* nameFirst(
  input: RowsInput,
  [pool]: readonly LegPool[],
  candidates: readonly FusedChunk[],
): Waits<readonly FusedChunk[]> {
  const [first] = input.legs;
  const unnamed = candidates.slice(0, countFirst(input, candidates)).filter(({ id }) => id === "");
  if (!input.byRow || first === undefined || pool === undefined || unnamed.length === 0) return candidates;
  const { leg, query, within } = first;
  const naming = unnamed.map(({ revision }) => revision);
  const { matches, stale } = yield* wait(leg.search(query, "all", { ...within, minScore: undefined, naming }));
  if (stale === true) pool.stale = true;
  const ids = new Map(matches.map(({ revision, id }) => [revision, id]));
  const asked = new Set(unnamed);
  return candidates.flatMap((candidate) => {
    if (!asked.has(candidate)) return candidate;
    const id = ids.get(candidate.revision);
    return id === undefined ? [] : { ...candidate, id };
  });
}

/** Orders the first candidates wholly, and leaves the others by score. */
function* orderFirst(input: FuseInput, candidates: readonly FusedChunk[]): Waits<readonly FusedChunk[]> {
  const first = countFirst(input, candidates);
  const ordered = yield* orderCandidates(candidates.slice(0, first), input.wanted, input.readPlaces);
  return [...ordered, ...candidates.slice(first)];
}

/** Results whose legs forget what they kept. A leg that gives its result after that, because another one failed, forgets at once. */
function createForgetting() {
  const noted: LegResult[] = [];
  let isOver = false;
  const take = (result: LegResult): LegResult => {
    if (isOver) result.forget?.();
    else noted.push(result);
    return result;
  };
  return {
    note: (asked: Maybe<LegResult>): Maybe<LegResult> =>
      isLate(asked) ? Promise.resolve(asked).then(take) : take(asked),
    forget(): void {
      isOver = true;
      for (const { forget } of noted) forget?.();
    },
  };
}

/** Merges the pools, and adds what else is needed. **Shape** all candidates, the first `wanted` of which are certain; `undefined` where pools must grow. */
function* reach(
  input: RowsInput,
  pools: readonly LegPool[],
  depth: MatchCount,
): Waits<readonly FusedChunk[] | undefined> {
  const merged: MergedChunks = new Map();
  const candidates = yield* merge(input, pools, merged);
  if (isCertain(input, pools, candidates)) return candidates;
  return (
    (yield* reachKept(input, pools, candidates, depth, merged)) ??
    (yield* reachBelow(input, pools, candidates, depth, merged))
  );
}

/** A leg's calibration, with its best score. Every pool of a leg begins with its best, so the score is a constant of the query. */
export function scaleOf({ calibration, matches }: LegResult): LegScale {
  return { ...calibration, best: matches[0]?.score ?? 0 };
}

interface LegPool {
  readonly name: string;
  readonly result: LegResult;
  readonly scale: LegScale;
  /** How many of the matches are in the pool. */
  readonly depth: number;
  /** No chunk outside the pool matches. */
  readonly whole: boolean;
  /** The score of the last one in the pool: what a chunk outside it scores at most. */
  readonly last: number | undefined;
  stale: boolean;
}

function askPool(
  { leg, query, within }: FusedLeg,
  { isLevel }: Fusion,
  depth: MatchCount,
  known: LegPool | undefined,
): Maybe<LegResult> {
  // A leg that gave everything has nothing to add.
  if (known?.result.complete === true) return known.result;
  return leg.search(query, depth, isLevel === true ? { ...within, keep: true } : within);
}

function openPool(name: string, depth: MatchCount, result: LegResult): LegPool {
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

/** A match of a leg, which says why when it is asked: few are. A getter of an object literal would be made anew for each match. */
class FoundMatch implements FoundByLeg {
  static readonly #whyProperty: PropertyDescriptor & ThisType<FoundMatch> = {
    enumerable: true,
    get() {
      return this.#match.why;
    },
  };
  declare readonly why: Why;
  readonly score: number;
  readonly rank: number;
  readonly #match: LegMatch;

  constructor(match: LegMatch, rank: number) {
    this.score = match.score;
    this.rank = rank;
    this.#match = match;
    Object.defineProperty(this, "why", FoundMatch.#whyProperty);
  }
}

/** A row, or a scope with an id. */
type ChunkName = number | string;

type MergedChunks = Map<ChunkName, Merged>;

function nameOf({ byRow }: Pick<RowsInput, "byRow">, match: LegMatch): ChunkName {
  return byRow ? match.revision : chunkKey(match);
}

interface Merged extends ChunkRef {
  readonly revision: number;
  readonly legs: Map<string, FoundByLeg>;
  /** Names of the legs in which it was looked up. */
  readonly asked: Set<string>;
}

/** Adds the pools to what is `merged` already, and looks up what legs lack. */
function* merge(input: RowsInput, pools: readonly LegPool[], merged: MergedChunks): Waits<readonly FusedChunk[]> {
  const { fusion, minFusedScore = -Infinity } = input;
  for (const { name, result, depth } of pools) {
    for (let i = 0; i < depth; i++) {
      const match = result.matches[i]!;
      entryFor(input, merged, match).legs.set(name, new FoundMatch(match, i + 1));
    }
  }
  if (!fusion.byRank) yield* complete(merged, input, pools);

  const scales = pools.map(({ name, scale }) => [name, scale] as const);
  const candidates: FusedChunk[] = [];
  for (const { scope, id, revision, legs } of merged.values()) {
    if (isAloneBelow(legs, scales)) continue;
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

function entryFor(input: RowsInput, merged: MergedChunks, match: LegMatch): Merged {
  const { scope, id, revision } = match;
  const key = nameOf(input, match);
  let entry = merged.get(key);
  if (entry === undefined) merged.set(key, (entry = { scope, id, revision, legs: new Map(), asked: new Set() }));
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
  input: RowsInput,
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

/** Asks each leg for its exact score of what only other legs found. Such chunks rank behind everything that the leg found by itself. */
function* complete(
  merged: ReadonlyMap<ChunkName, Merged>,
  input: RowsInput,
  pools: readonly LegPool[],
): Waits<undefined> {
  const asked: LegPool[] = [];
  const asking: Maybe<LegResult>[] = [];
  for (const [at, pool] of pools.entries()) {
    const { name, result, depth, whole } = pool;
    if (whole) continue;
    const missing = [...merged.values()].filter((entry) => !entry.legs.has(name) && !entry.asked.has(name));
    if (missing.length === 0) continue;
    if (result.complete) {
      addScores(input, merged, pool, result.matches, depth);
      continue;
    }
    for (const entry of missing) entry.asked.add(name);
    const { leg, query, within } = input.legs[at]!;
    asked.push(pool);
    asking.push(leg.search(query, "all", { ...within, only: missing.map(({ scope, id }) => ({ scope, id })) }));
  }
  const results = yield* waitAll(asking);
  for (const [i, pool] of asked.entries()) {
    if (results[i]!.stale === true) pool.stale = true;
    addScores(input, merged, pool, results[i]!.matches, 0);
  }
}

/** The last candidate that is wanted, when there are so many. */
function lastWanted({ wanted }: FuseInput, candidates: readonly FusedChunk[]): number | undefined {
  return wanted === "all" ? undefined : candidates[wanted - 1]?.score;
}

/** Part of a chunk outside a leg's pool, at most. A chunk that a leg lacks gives 0 there, which is more than a negative score gives. */
function mostOutside({ fusion }: FuseInput, { name, scale, whole, last }: LegPool): number {
  return whole || last === undefined ? 0 : Math.max(0, fusion.part(name, { score: last, rank: Infinity }, scale));
}

/**
 * A chunk outside all pools needs a part of each leg that makes up for the most that the others give. So one leg is searched for the scores that give it,
 * and its finds are looked up in the others.
 *
 * **Shape** all candidates, the first `wanted` of which are certain; `undefined` where every leg has more such chunks than pools grow to in two steps. The leg
 * that kept chunks is not searched again.
 */
function* reachBelow(
  input: RowsInput,
  pools: readonly LegPool[],
  candidates: readonly FusedChunk[],
  depth: MatchCount,
  merged: MergedChunks,
  keeper?: LegPool,
): Waits<readonly FusedChunk[] | undefined> {
  const least = lastWanted(input, candidates);
  if (least === undefined || depth === "all") return undefined;
  const most = depth * growth * growth;
  for (const { at, floor } of reachable(input, pools, least)) {
    if (pools[at] === keeper) continue;
    const { leg, query, within } = input.legs[at]!;
    const minScore = Math.max(floor, within.minScore ?? -Infinity);
    const { matches, stale } = yield* wait(leg.search(query, most, { ...within, minScore }));
    const pool = pools[at]!;
    pool.stale ||= stale === true;
    if (matches.length >= most) continue;
    const result = { ...pool.result, matches, complete: false };
    return yield* merge(input, pools.with(at, { ...pool, result, depth: matches.length }), merged);
  }
  return undefined;
}

/**
 * Adds chunks outside the pools that one leg kept and that may count in sum. The leg is not searched again.
 *
 * **Shape** all candidates, the first `wanted` of which are certain; `undefined` where no leg kept enough.
 */
function* reachKept(
  input: RowsInput,
  pools: readonly LegPool[],
  before: readonly FusedChunk[],
  depth: MatchCount,
  merged: MergedChunks,
): Waits<readonly FusedChunk[] | undefined> {
  const { fusion, wanted, minFusedScore = -Infinity } = input;
  const at = pools.findIndex(({ whole, last, result: { kept } }) => !whole && last !== undefined && kept! < last);
  const keeper = pools[at];
  if (keeper === undefined || wanted === "all") return undefined;
  const scales = new Map(pools.map(({ name, scale }) => [name, scale]));
  const others = pools.filter((each) => each !== keeper);
  const most = others.map((each) => mostOutside(input, each));
  const least = Math.max(lastWanted(input, before) ?? -Infinity, minFusedScore);
  const needed = most.reduce((rest, one) => rest - one, least - Math.abs(least) * rounding);
  const together: TogetherBound = {
    least,
    leastScore: floorOf(input, keeper, keeper.scale.best, needed) ?? -Infinity,
    part: (name, score) => fusion.part(name, { score, rank: Infinity }, scales.get(name)!),
    others: others.map((each, i) => ({ leg: each.name, most: most[i]! })),
  };
  const { leg, query, within } = input.legs[at]!;
  const { matches, kept, stale } = yield* wait(leg.search(query, "all", { ...within, together }));
  keeper.stale ||= stale === true;
  if (kept === undefined) return undefined;
  for (const [i, match] of matches.entries()) {
    const { legs } = entryFor(input, merged, match);
    if (!legs.has(keeper.name)) legs.set(keeper.name, new FoundMatch(match, keeper.depth + i + 1));
  }
  const lowered = { ...keeper, last: kept };
  const known = pools.with(at, lowered);
  const candidates = matches.length === 0 ? before : yield* merge(input, known, merged);
  const certain = isCertain(input, known, candidates)
    ? candidates
    : yield* reachBelow(input, known, candidates, depth, merged, lowered);
  keeper.stale ||= lowered.stale;
  return certain;
}

/** Legs that can be searched on alone, each with its least score. Where scores fall to it soonest, the fewest chunks are above it: that leg comes first. */
function reachable(
  input: RowsInput,
  pools: readonly LegPool[],
  least: number,
): readonly { readonly at: number; readonly floor: number }[] {
  const found = pools.flatMap((pool, at) => {
    const { last, whole, scale } = pool;
    if (whole || last === undefined) return [];
    let others = 0;
    for (const other of pools) if (other !== pool) others += mostOutside(input, other);
    const floor = floorOf(input, pool, last, least - others - least * rounding);
    return floor === undefined ? [] : [{ at, floor, share: (last - floor) / (scale.best - last) }];
  });
  return found.filter(({ share }) => share < Infinity).sort((a, b) => a.share - b.share);
}

/** More than rounding can add to a sum of a few parts, as a share of it. */
const rounding = 2 ** -40;

/** The greatest score known to give less than `part`; `undefined` where no score from 0 does. **Cost** some sixty parts. */
function floorOf({ fusion }: FuseInput, { name, scale }: LegPool, last: number, part: number): number | undefined {
  const partOf = (score: number): number => fusion.part(name, { score, rank: Infinity }, scale);
  let [low, high] = [0, last];
  if (!(part > 0) || !(partOf(low) < part)) return undefined;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (partOf(middle) < part) low = middle;
    else high = middle;
  }
  return low;
}

/** Whether no chunk outside the pools can be among the first `wanted`. */
function isCertain(input: FuseInput, pools: readonly LegPool[], candidates: readonly FusedChunk[]): boolean {
  const { fusion, minFusedScore = -Infinity } = input;
  const open = pools.filter(({ whole }) => !whole);
  if (fusion.byRank || open.length === 0) return true;
  const [only] = open;
  if (open.length === 1 && only?.last !== undefined) {
    // A chunk outside is found by this leg alone, and not surely enough.
    if (only.last < (only.scale.aloneAbove ?? -Infinity)) return true;
  }
  let bound = 0;
  // Added in the order of the parts, so that rounding cannot put a candidate above it.
  for (const pool of pools) bound += mostOutside(input, pool);
  const least = lastWanted(input, candidates);
  // A chunk outside that reached exactly the last score could still win by its place, so equality is not enough.
  return (
    (least !== undefined && least > bound) ||
    bound < minFusedScore ||
    (fusion.above !== undefined && bound <= fusion.above)
  );
}
