import { type Metric, metrics } from "../../contracts/embedding.ts";
import type { Engine, EngineMetric } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { ChunkRef, Leg, LegResult, MatchCount, Query, QueryEmbedding, Within } from "../../contracts/leg.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { StoreParts } from "../../contracts/store.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { engineMetric } from "./check-engine.ts";
import { createEngineKeeper, type EngineKeeper } from "./engine-keeper.ts";
import { decodeRef } from "./engine-tags.ts";
import { toEngineVector } from "./engine-vector.ts";
import { followEngine } from "./follow-engine.ts";
import { translateRestriction } from "./translate-filter.ts";

/**
 * Options of {@link createEngineLeg}.
 *
 * @experimental
 */
export interface EngineLegOptions {
  /** Metric of searches that name none; the store's own. Default `"cosine"`. */
  readonly metric?: Metric | undefined;
  /** Candidates for each match that is wanted, at first. Default 4. **Source** Embabel's inflation, which takes 3. */
  readonly inflation?: number | undefined;
  /** Most candidates, before the rest is `scan`ned or left out. Default 4,096, or the most that the engine gives. */
  readonly candidates?: number | undefined;
  /**
   * Where candidates do not suffice: `"scan"` searches the document store exactly, `"stop"` gives fewer matches and says `exact: false`. Default `"scan"`.
   */
  readonly beyond?: "scan" | "stop" | undefined;
  /** Longest wait of a purge for an engine, before it says `pending`. **Units** milliseconds. Default 5,000. */
  readonly purgeWaitMs?: number | undefined;
}

/**
 * A dense leg with the engine behind it. `composeStore` lets it follow every write.
 *
 * @experimental
 */
export interface EngineLeg extends Leg {
  readonly engine: Engine;
  /** The parts, whose writes reach the engine too. */
  follow(parts: StoreParts): StoreParts;
}

/** Candidates that are asked for at least. */
const leastCandidates = 64;

/** Growth of the pool, where too few candidates passed. */
const growth = 4;

/** Likeness that two ways of adding up may differ by, in 32-bit numbers. */
const tolerance = 1e-4;

/**
 * A dense leg over an engine. The engine proposes chunks, and the dense leg of `catalog` checks and scores them.
 * Hits, scores and their order are those of the document store; recall alone depends on the engine.
 *
 * **Shape** the leg is called `dense` and takes the place of the catalog's. The catalog itself is searched for documents that this process has just written,
 * and for scopes that another process wrote. It is searched too for `k: "all"` and for vectors that are not dense. `exact` is true where nothing can be missing.
 * **Errors** `invalid-argument` for a catalog without a dense leg or without its key; a search throws the engine's own.
 * **Cost** one request and one look at the candidates; more requests where a filter excludes many of them.
 *
 * @example
 * const legs = parts.legs.map((leg) => (leg.name === "dense" ? createEngineLeg(engine, parts) : leg));
 * const store = composeStore({ ...parts, legs });
 *
 * @experimental
 */
export function createEngineLeg(engine: Engine, catalog: StoreParts, options: EngineLegOptions = {}): EngineLeg {
  checkGiven("createEngineLeg", "engine", engine, "object", { capabilities: "object" });
  checkGiven("createEngineLeg", "catalog", catalog, "object", { legs: "list" });
  checkOptions("createEngineLeg", options, {
    metric: true,
    inflation: true,
    candidates: true,
    beyond: true,
    purgeWaitMs: true,
  });
  const exact = catalog.legs.find(({ name }) => name === "dense");
  if (exact === undefined || catalog.secret === undefined) {
    throw new IbidError("invalid-argument", `The catalog has no ${exact === undefined ? "dense leg" : "secret"}.`, {
      hint: "Give the parts of a store that keeps vectors, with the 32 bytes of its key.",
    });
  }
  const { beyond = "scan", inflation = 4, purgeWaitMs = 5_000, metric = "cosine" } = options;
  const most = Math.min(options.candidates ?? 4_096, engine.capabilities.candidates);
  if (!(inflation >= 1) || !(most >= 1) || !["scan", "stop"].includes(beyond) || !(purgeWaitMs >= 0)) {
    throw new IbidError(
      "invalid-argument",
      `The options of the engine ${engine.name} are ${JSON.stringify(options)}.`,
      {
        hint: 'inflation and candidates are from 1, purgeWaitMs from 0, beyond is "scan" or "stop".',
      },
    );
  }
  const usual = engineMetric(engine, metric);
  const keeper = createEngineKeeper(engine, catalog.documents, catalog.secret, usual);
  const search = { engine, keeper, exact, beyond, inflation, most, metric: usual };
  return {
    name: "dense",
    engine,
    capabilities: {
      exact: false,
      filters: "all",
      visibility: "commit",
      under: exact.capabilities.under,
      scoresGivenChunks: exact.capabilities.scoresGivenChunks,
    },
    accepts: (query) => exact.accepts(query),
    search: (query, k, within) => searchByEngine(search, query, k, within),
    follow: (parts) => followEngine(parts, engine, keeper, purgeWaitMs),
  };
}

interface EngineSearch {
  readonly engine: Engine;
  readonly keeper: EngineKeeper;
  /** The catalog's leg, which scores. */
  readonly exact: Leg;
  readonly beyond: "scan" | "stop";
  readonly inflation: number;
  readonly most: number;
  readonly metric: EngineMetric;
}

/** An index that is gone behind this process fails, or proposes nothing. The search then goes on as over an engine that was just opened. */
async function searchByEngine(search: EngineSearch, query: Query, k: MatchCount, within: Within): Promise<LegResult> {
  try {
    return await searchOnce(search, query, k, within);
  } catch (error) {
    if (!IbidError.isInstance(error, "store-failed")) throw error;
    search.keeper.forget();
    return searchOnce(search, query, k, within);
  }
}

async function searchOnce(search: EngineSearch, query: Query, k: MatchCount, within: Within): Promise<LegResult> {
  const { keeper, exact } = search;
  throwIfAborted(within.signal, "The search");
  // Few enough chunks are scored one by one, and all of them need no engine.
  if (within.only !== undefined || k === "all") return exact.search(query, k, within);
  const parts = await Promise.all(query.embeddings.map((one) => divide(search, one, within)));
  const byEngine = parts.filter((part) => part !== undefined);
  if (byEngine.length !== parts.length || byEngine.every(({ scopes }) => scopes.length === 0))
    return exact.search(query, k, within);

  const scanned = [...new Set(byEngine.flatMap((part) => part.scanned))];
  const searched = [...new Set(byEngine.flatMap(({ scopes }) => scopes))].filter((scope) => !scanned.includes(scope));
  const fresh = await keeper.fresh(searched);
  if (fresh === undefined || searched.length === 0) return exact.search(query, k, within);
  // Another query: a leg may keep what it prepared for the scopes of one.
  const besides =
    scanned.length === 0 ? undefined : await exact.search({ ...query }, k, { ...within, scopes: scanned });
  let asked = Math.min(search.most, Math.max(leastCandidates, Math.ceil(k * search.inflation)));
  for (; ; asked = Math.min(search.most, asked * growth)) {
    const pools = await Promise.all(
      byEngine.map((part) => propose(search, part, searched, asked, query.storeOptions, within)),
    );
    if (pools.some(({ isLost }) => isLost)) {
      keeper.forget();
      return exact.search(query, k, within);
    }
    const only: readonly ChunkRef[] = [...pools.flatMap(({ refs }) => refs), ...fresh, ...(besides?.matches ?? [])];
    const found = await exact.search(query, k, { ...within, only: unique(only) });
    const last = found.matches[Math.min(k, found.matches.length) - 1];
    const isFull = found.matches.length >= k;
    const isCertain = pools.every(
      ({ isAll, worst }) => isAll || (isFull && last!.score > 0 && last!.score > worst + tolerance),
    );
    const canBeExact = search.engine.capabilities.exhaustive && byEngine.every((part) => part.isCompared);
    const isExact = canBeExact && isCertain;
    const isEnded = asked >= search.most || pools.every(({ isAll }) => isAll);
    if (isFull && (isExact || !canBeExact || isEnded))
      return { ...found, matches: found.matches.slice(0, k), complete: false, exact: isExact };
    // An exhaustive engine that gave fewer than was asked for has no more.
    if (isExact && isEnded) return { ...found, complete: true, exact: true };
    if (!isEnded) continue;
    if (search.beyond === "scan") return exact.search(query, k, within);
    return { ...found, complete: true, exact: false };
  }
}

/** The scopes of one vector: those that the engine may be asked for, and the others. */
interface Divided {
  readonly one: QueryEmbedding;
  readonly vector: Float32Array;
  readonly scopes: readonly Scope[];
  readonly scanned: readonly Scope[];
  readonly isCompared: boolean;
}

/** **Shape** `undefined` for a vector that the engine cannot look for. */
async function divide(search: EngineSearch, one: QueryEmbedding, within: Within): Promise<Divided | undefined> {
  const { embedding, version, metric } = one;
  const vector = toEngineVector(embedding, version.dimensions);
  if (vector === undefined || (metric !== undefined && metrics[metric] !== search.metric)) return undefined;
  const scopes: Scope[] = [];
  const scanned: Scope[] = [];
  let isCompared = true;
  for (const scope of one.scopes) {
    if (!within.scopes.includes(scope)) continue;
    const trust = await search.keeper.trust(version, scope, within.moment, within.signal);
    (trust === "unknown" ? scanned : scopes).push(scope);
    isCompared &&= trust === "compared";
  }
  return { one, vector, scopes, scanned, isCompared };
}

interface Pool {
  readonly refs: readonly ChunkRef[];
  /** Fewer candidates came than were asked for. */
  readonly isAll: boolean;
  /** Lowest score of a candidate. */
  readonly worst: number;
  /** The index has not the entries that it should have. */
  readonly isLost: boolean;
}

async function propose(
  { engine, keeper }: EngineSearch,
  { one, vector, scopes }: Divided,
  searched: readonly Scope[],
  limit: number,
  options: Query["storeOptions"],
  { restriction, signal }: Within,
): Promise<Pool> {
  const places = scopes.filter((scope) => searched.includes(scope));
  if (places.length === 0) return { refs: [], isAll: true, worst: -Infinity, isLost: false };
  const { condition } = translateRestriction(places, restriction, keeper.tags, engine.capabilities.conditions);
  const index = await keeper.index(one.version);
  const candidates = await index.nearest({ vector, condition, limit, options, signal });
  throwIfAborted(signal, "The search");
  const refs: ChunkRef[] = [];
  let worst = Infinity;
  for (const { ref, score } of candidates) {
    if (Number.isFinite(score)) worst = Math.min(worst, score);
    const named = decodeRef(ref);
    if (named !== undefined && places.includes(named.scope)) refs.push(named);
  }
  const found = candidates.length;
  // Under a filter, fewer candidates say nothing, unless there are none.
  const isShort = found === 0 || (found < limit && restriction === undefined);
  const isLost = isShort && (await keeper.lacks(one.version, places, { found, limit }, signal));
  return { refs, isAll: candidates.length < limit, worst, isLost };
}

function unique(refs: readonly ChunkRef[]): readonly ChunkRef[] {
  return [...new Map(refs.map(({ scope, id }) => [`${scope} ${id}`, { scope, id }])).values()];
}

/** The parts with an engine in place of their exact dense leg. */
export function withEngine(parts: StoreParts, engine: Engine, options?: EngineLegOptions): StoreParts {
  return {
    ...parts,
    legs: parts.legs.map((leg) => (leg.name === "dense" ? createEngineLeg(engine, parts, options) : leg)),
  };
}
