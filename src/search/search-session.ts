import { IbidError } from "../contracts/errors.ts";
import type { Store } from "../contracts/store.ts";
import type {
  LegNow,
  LegResult,
  MatchCount,
  Query,
  Restriction,
  SessionLeg,
  SessionNow,
  StoreSession,
} from "../contracts/leg.ts";
import type { LatentExplanation, SearchMode } from "../contracts/retriever.ts";
import { type FusedChunk, orderCandidates, type QueryTerms, type ReadPlaces } from "./candidate.ts";
import { fuse } from "./fuse.ts";
import { checkWeights } from "./fusion-settings.ts";
import { createFusion, type Fusion, fusions, type LegScale } from "./fusions.ts";
import { type FusedLeg, scaleOf } from "./merge-pools.ts";
import type { SearchPlan } from "./search-plan.ts";
import { wait, type Waits } from "../runtime/waits.ts";

/** The part of a store that a retriever searches. */
export type SearchableStore = Pick<Store, "session"> & Partial<Pick<Store, "versions" | "readText" | "defaultTopK">>;

/** The legs that a mode searches; a hybrid search takes all that accept the query. */
const legsOfMode: Readonly<Record<Exclude<SearchMode, "hybrid">, readonly string[]>> = {
  dense: ["dense", "latent"],
  lexical: ["lexical"],
  regex: ["pattern"],
};

/** Modes that a store's legs can serve. A dense leg needs a model for the query; the store's own model needs none. */
export function servedModes(legs: readonly string[], hasModel: boolean): readonly SearchMode[] {
  const able = legs.filter((leg) => leg !== "dense" || hasModel);
  const modes = (["dense", "lexical", "regex"] as const).filter((mode) =>
    legsOfMode[mode].some((leg) => able.includes(leg)),
  );
  return modes.some((mode) => mode !== "regex") ? ["hybrid", ...modes] : modes;
}

/** A session, or one inside a transaction. */
export type SearchedSession = Pick<StoreSession, "legs" | "readChunks"> | SessionNow;

/** A search of one session. */
export interface SessionSearch {
  readonly plan: SearchPlan;
  readonly query: Query;
  /** Filter and origins, compiled once. */
  readonly restriction: Restriction | undefined;
  /** Whether the embedding model's closeness is of meaning: decides the default fusion. */
  readonly meaning: boolean;
  readonly wanted: MatchCount;
  readonly signal: AbortSignal | undefined;
}

/** The candidates that the legs of a session found, as one ranking. */
export interface Found {
  /** Best first, all at or above their thresholds. */
  readonly candidates: readonly FusedChunk[];
  /** The fusion, or the one leg that searched. */
  readonly fusion: string;
  /** Names of the legs that searched. */
  readonly legs: readonly string[];
  readonly scales: ReadonlyMap<string, LegScale>;
  /** How the parts of a score are made; `undefined` when one leg searched. */
  readonly fused: Fusion | undefined;
  /** `undefined` when no leg counts words. */
  readonly terms: QueryTerms | undefined;
  /** `undefined` when the store's own model did not search. */
  readonly latent: LatentExplanation | undefined;
  /** The store changed between the legs. */
  readonly stale: boolean;
}

/**
 * Searches the legs that the mode names, and fuses them.
 *
 * **Errors** `unsupported` for a mode that the store cannot search, and for a fusion by score over a leg that cannot score given chunks;
 * `configuration-missing` for a dense search without any model.
 */
export function* searchSession(session: SearchedSession, search: SessionSearch, readPlaces: ReadPlaces): Waits<Found> {
  const legs = chooseLegs(session, search);
  const asked = legs.map((leg): SessionLegSearch => {
    const { plan, query, restriction, signal } = search;
    const minScore = legsOfMode.dense.includes(leg.name) ? plan.minScore : undefined;
    return { leg, query, within: { restriction, minScore, signal } };
  });
  const [only, ...others] = asked;
  if (only !== undefined && others.length === 0) return yield* searchOne(only, search, readPlaces);
  const fusion = chooseFusion(session, legs, search);
  const { wanted } = search;
  const { minFusedScore } = search.plan;
  const { candidates, results, stale } = yield* fuse({ legs: asked, fusion, wanted, minFusedScore, readPlaces });
  const names = legs.map(({ name }) => name);
  return { candidates, fusion: fusion.name, fused: fusion, legs: names, stale, ...factsOf(results) };
}

type SearchedLeg = SessionLeg | LegNow;

interface SessionLegSearch extends FusedLeg {
  readonly leg: SearchedLeg;
}

/** One leg alone: its scores are the scores. */
function* searchOne(
  { leg, query, within }: SessionLegSearch,
  { plan, wanted }: SessionSearch,
  readPlaces: ReadPlaces,
): Waits<Found> {
  const result = yield* wait(leg.search(query, wanted, within));
  const { minFusedScore = -Infinity } = plan;
  const found = result.matches
    .map(({ scope, id, score, revision, why }, i): FusedChunk => ({
      scope,
      id,
      score,
      revision,
      parts: [{ name: leg.name, value: score }],
      legs: new Map([[leg.name, { score, rank: i + 1, why }]]),
    }))
    .filter(({ score }) => score >= minFusedScore);
  // An exact leg has ordered equal scores already; others may not know the places.
  const candidates = leg.capabilities.exact
    ? found.toSorted((a, b) => b.score - a.score)
    : yield* orderCandidates(found, wanted, readPlaces);
  const facts = factsOf(new Map([[leg.name, result]]));
  return {
    candidates,
    fusion: leg.name,
    fused: undefined,
    legs: [leg.name],
    stale: result.stale === true,
    ...facts,
  };
}

function factsOf(results: ReadonlyMap<string, LegResult>): Pick<Found, "scales" | "terms" | "latent"> {
  let terms: QueryTerms | undefined;
  let latent: LatentExplanation | undefined;
  for (const result of results.values()) {
    terms ??= result.terms;
    if (result.latent === undefined) continue;
    const { fitted, energy } = result.latent;
    latent ??= { fitted, energy, weight: result.calibration.weight };
  }
  const scales = new Map([...results].map(([name, result]) => [name, scaleOf(result)]));
  return { scales, terms, latent };
}

function chooseLegs(session: SearchedSession, { plan, query }: SessionSearch): readonly SearchedLeg[] {
  const { mode } = plan;
  const named = mode === "hybrid" ? undefined : legsOfMode[mode];
  const legs = session.legs.filter((leg) => (named?.includes(leg.name) ?? true) && leg.accepts(query));
  if (plan.pattern !== undefined && !legs.some(({ name }) => name === "pattern")) throw unsupported("regex");
  if (legs.length > 0) return legs;
  if (
    mode !== "dense" ||
    session.legs.some(({ name }) => legsOfMode.dense.includes(name) && query.embeddings.length > 0)
  )
    throw unsupported(mode === "hybrid" ? "lexical" : mode);
  throw new IbidError("configuration-missing", "A dense search needs an embedding model, and none is configured.", {
    hint: "Give an embedder, or search with mode: lexical.",
  });
}

function chooseFusion(session: SearchedSession, legs: readonly SearchedLeg[], search: SessionSearch): Fusion {
  const { weights, half } = search.plan.fusion;
  checkWeights(
    weights,
    session.legs.map(({ name }) => name),
  );
  const byRankOnly = legs.find(({ capabilities }) => !capabilities.scoresGivenChunks);
  const name = search.plan.fusion.name ?? (byRankOnly === undefined ? "best" : "rrf");
  if (byRankOnly !== undefined && !fusions[name].byRank) {
    throw new IbidError("unsupported", `The leg ${byRankOnly.name} cannot take part in the fusion ${name}.`, {
      hint: "It gives no scores of given chunks: search with fusion: rrf.",
    });
  }
  // Without vectors of the model to search, the store's own model takes part.
  const meaning = search.meaning && !legs.some((leg) => leg.name === "latent");
  return createFusion({ name, weights, half }, meaning);
}

function unsupported(leg: string): IbidError {
  return new IbidError("unsupported", `This store has no ${leg} search.`, {
    hint: "Search in another mode, or use a store that has it.",
  });
}
