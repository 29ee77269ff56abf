import type { LegResult, MatchCount, TogetherBound } from "../contracts/leg.ts";
import { isLate, type Maybe, wait, waitAll, type Waits } from "../runtime/waits.ts";
import { type FusedChunk, orderCandidates, type ReadPlaces } from "./candidate.ts";
import { rankDepth } from "./fusions.ts";
import {
  addPools,
  addSurplus,
  complete,
  entryFor,
  FoundMatch,
  type FusedLeg,
  lastWanted,
  leastSure,
  type LegPool,
  type MergedChunks,
  type MergeInput,
  mostOutside,
  openPool,
  rounding,
} from "./merge-pools.ts";

/** How many candidates each leg gives to begin with, for so many wanted. **Source** ToolUp. */
export function poolSize(wanted: MatchCount): MatchCount {
  return wanted === "all" ? "all" : Math.max(4 * wanted, 32);
}

/** A pool that was too small to be certain grows by this factor. */
const growth = 4;

export interface FuseInput extends Omit<MergeInput, "byRow" | "isAfar"> {
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
      const asked = input.legs.map((each, i) => kept.note(askPool(each, input, depth, known?.[i])));
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

type RowsInput = FuseInput & MergeInput;

/**
 * Legs that give the same chunk the same revision are merged by it. By rank, these are asked for no ids. So they are by score where ids come from afar. Where they
 * are at hand, chunks get them with their scores.
 */
function forRows({ legs, fusion }: FuseInput): Pick<RowsInput, "legs" | "byRow" | "isAfar"> {
  const [first] = legs;
  const rows = first?.leg.capabilities?.rows;
  const byRow = rows !== undefined && legs.every(({ leg }) => leg.capabilities?.rows === rows);
  const isAfar = byRow && fusion.byRank !== true && legs.every(({ leg }) => leg.capabilities?.isAfar === true);
  if (!isAfar && !(byRow && fusion.byRank === true)) return { legs, byRow, isAfar };
  return { legs: legs.map((each) => ({ ...each, within: { ...each.within, unnamed: true } })), byRow, isAfar };
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

/**
 * Merges the pools, and adds what else is needed.
 *
 * **Shape** all candidates, the first `wanted` of which are certain; `undefined` where pools must grow. **Cost** where legs keep bounds of given chunks, one look-up
 * of each, mostly.
 */
function* reach(
  input: RowsInput,
  pools: readonly LegPool[],
  depth: MatchCount,
): Waits<readonly FusedChunk[] | undefined> {
  const merged: MergedChunks = new Map();
  addPools(input, pools, merged);
  const sure = leastSure(input, pools, merged);
  let names = askNames(input, merged, sure);
  let candidates: readonly FusedChunk[] | undefined;
  if (sure === undefined) {
    if (names !== undefined) takeNames(pools, merged, names.rows, yield* wait(names.asked));
    names = undefined;
    // Without such bounds, the scores of the pools say what a chunk outside them needs.
    candidates = yield* complete(input, pools, merged);
  }
  const least = candidates === undefined ? sure : lastWanted(input, candidates);
  const kept = isCertain(input, pools, least) ? undefined : askKept(input, pools, least);
  const [named, more] = yield* waitAll([names?.asked ?? nothing, kept?.asked ?? nothing]);
  if (names !== undefined) takeNames(pools, merged, names.rows, named!);
  const hasMore = kept !== undefined && takeKept(input, pools, kept.keeper, merged, more!);
  if (candidates === undefined || hasMore) candidates = yield* complete(input, pools, merged, sure);
  if (isCertain(input, pools, lastWanted(input, candidates))) return candidates;
  return yield* reachBelow(input, pools, candidates, depth, merged);
}

/** In the place of a result that nobody asked for. */
const nothing: LegResult = { matches: [], complete: false, exact: true, calibration: { weight: 0, scale: 1 } };

/**
 * Where ids come from afar, asks for those of all chunks that may reach the least. Their vectors come along, so that look-ups wait for nothing more.
 * Chunks that one leg kept are asked for in the same turn.
 */
function askNames(
  input: RowsInput,
  merged: MergedChunks,
  least = -Infinity,
): { readonly rows: readonly number[]; readonly asked: Maybe<LegResult> } | undefined {
  const [first] = input.legs;
  if (!input.isAfar || first === undefined) return undefined;
  const rows: number[] = [];
  for (const { id, revision, limit = Infinity } of merged.values())
    if (id === "" && (limit === Infinity || limit + Math.abs(limit) * rounding >= least)) rows.push(revision);
  const { leg, query, within } = first;
  if (rows.length === 0) return undefined;
  return { rows, asked: leg.search(query, "all", { ...within, minScore: undefined, naming: rows }) };
}

/** Gives chunks their ids, and leaves out those that are gone. */
function takeNames(
  [pool]: readonly LegPool[],
  merged: MergedChunks,
  rows: readonly number[],
  { matches, stale }: LegResult,
): void {
  if (stale === true) pool!.stale = true;
  const ids = new Map(matches.map(({ revision, id }) => [revision, id]));
  for (const row of rows) {
    const id = ids.get(row);
    if (id === undefined) merged.delete(row);
    else merged.get(row)!.id = id;
  }
}

function askPool(
  { leg, query, within }: FusedLeg,
  { fusion, isAfar }: RowsInput,
  depth: MatchCount,
  known: LegPool | undefined,
): Maybe<LegResult> {
  // A leg that gave everything has nothing to add.
  if (known?.result.complete === true) return known.result;
  // From afar, what would be searched on costs more than bounds.
  const keeps = fusion.isLevel === true || isAfar;
  return leg.search(query, depth, keeps ? { ...within, keep: true } : within);
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
): Waits<readonly FusedChunk[] | undefined> {
  const least = lastWanted(input, candidates);
  if (least === undefined || depth === "all") return undefined;
  const most = depth * growth * growth;
  for (const { at, floor } of reachable(input, pools, least)) {
    const { leg, query, within } = input.legs[at]!;
    const minScore = Math.max(floor, within.minScore ?? -Infinity);
    const { matches, stale } = yield* wait(leg.search(query, most, { ...within, minScore }));
    const pool = pools[at]!;
    pool.stale ||= stale === true;
    if (matches.length >= most) continue;
    const result = { ...pool.result, matches, complete: false };
    const wider = pools.with(at, { ...pool, result, depth: matches.length });
    addPools(input, wider, merged);
    return yield* complete(input, wider, merged);
  }
  return undefined;
}

/**
 * Asks for chunks outside the pools that one leg kept and that may count in sum. `reached` is a score that so many candidates have as are wanted. The leg is not searched again.
 *
 * **Shape** `undefined` where no leg kept enough.
 */
function askKept(
  input: RowsInput,
  pools: readonly LegPool[],
  reached: number | undefined,
): { readonly keeper: LegPool; readonly asked: Maybe<LegResult> } | undefined {
  const { fusion, wanted, minFusedScore = -Infinity } = input;
  const at = pools.findIndex(({ whole, last, result: { kept } }) => !whole && last !== undefined && kept! < last);
  const keeper = pools[at];
  if (keeper === undefined || wanted === "all") return undefined;
  const scales = new Map(pools.map(({ name, scale }) => [name, scale]));
  const others = pools.filter((each) => each !== keeper);
  const most = others.map((each) => mostOutside(input, each));
  const least = Math.max(reached ?? -Infinity, minFusedScore);
  const needed = most.reduce((rest, one) => rest - one, least - Math.abs(least) * rounding);
  const together: TogetherBound = {
    least,
    wanted,
    leastScore: floorOf(input, keeper, keeper.scale.best, needed) ?? -Infinity,
    part: (name, score) => fusion.part(name, { score, rank: Infinity }, scales.get(name)!),
    others: others.map((each, i) => ({ leg: each.name, most: most[i]! })),
  };
  const { leg, query, within } = input.legs[at]!;
  return { keeper, asked: leg.search(query, "all", { ...within, together }) };
}

/** Adds them. **Shape** whether there are any. */
function takeKept(
  input: RowsInput,
  pools: readonly LegPool[],
  keeper: LegPool,
  merged: MergedChunks,
  { matches, kept, stale }: LegResult,
): boolean {
  keeper.stale ||= stale === true;
  if (kept === undefined) return false;
  keeper.last = kept;
  for (const [i, match] of matches.entries()) {
    const entry = entryFor(input, merged, match);
    if (entry.legs.has(keeper.name)) continue;
    entry.legs.set(keeper.name, new FoundMatch(match, keeper.depth + i + 1));
    entry.limit = undefined;
  }
  addSurplus(input, pools, merged);
  return matches.length > 0;
}

/** Legs that can be searched on alone, each with its least score. Where scores fall to it soonest, the fewest chunks are above it: that leg comes first. */
function reachable(
  input: RowsInput,
  pools: readonly LegPool[],
  least: number,
): readonly { readonly at: number; readonly floor: number }[] {
  const found = pools.flatMap((pool, at) => {
    const { last, whole, scale, result } = pool;
    if (whole || last === undefined || last === result.kept) return [];
    let others = 0;
    for (const other of pools) if (other !== pool) others += mostOutside(input, other);
    const floor = floorOf(input, pool, last, least - others - least * rounding);
    return floor === undefined ? [] : [{ at, floor, share: (last - floor) / (scale.best - last) }];
  });
  return found.filter(({ share }) => share < Infinity).sort((a, b) => a.share - b.share);
}

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
function isCertain(input: FuseInput, pools: readonly LegPool[], least: number | undefined): boolean {
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
  // A chunk outside that reached exactly the last score could still win by its place, so equality is not enough.
  return (
    (least !== undefined && least > bound) ||
    bound < minFusedScore ||
    (fusion.above !== undefined && bound <= fusion.above)
  );
}
