import type { EmbeddingVersion } from "../contracts/embedding.ts";
import { IbidError } from "../contracts/errors.ts";
import type { RegexMatch } from "../contracts/regex-search.ts";
import type { LatentExplanation } from "../contracts/retriever.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import { type Candidate, candidateKey, compareCandidates, type QueryTerms } from "./candidate.ts";
import { fuseLegs } from "./fuse-legs.ts";
import {
  createDenseLeg,
  createLatentLeg,
  createLexicalLeg,
  type DenseLeg,
  type LexicalLeg,
  type QueryEmbedding,
  restrictions,
  type SearchableStore,
  searchRegex,
} from "./legs.ts";
import type { SearchPlan } from "./search-plan.ts";

export interface StoreSearch {
  readonly store: SearchableStore;
  readonly scopes: AuthorizedScopes;
  readonly plan: SearchPlan;
  readonly query: string;
  /** What the lexical leg searches for: the query without its function words. */
  readonly subject: string;
  /** One for each version that the scopes are of; none without an embedding model. */
  readonly queryEmbeddings: readonly QueryEmbedding[];
  /** Whether the model's closeness is of meaning: decides the default fusion. */
  readonly meaning: boolean;
  readonly wanted: number | "all";
  /** Whose vectors to hand out beside lexical and regex hits. */
  readonly version: EmbeddingVersion | undefined;
}

export interface Found {
  /** Best first, all at or above their floors. */
  readonly candidates: readonly Candidate[];
  readonly fusion: string;
  /** `undefined` when no lexical leg searched. */
  readonly terms: QueryTerms | undefined;
  /** `undefined` when the store's own model did not search. */
  readonly latent: LatentExplanation | undefined;
  readonly dense: boolean;
  readonly sparse: boolean;
  readonly stages: readonly string[];
}

/**
 * Stages 3 to 5: the legs that the mode names, merged.
 *
 * **Errors** `unsupported` for a mode that the store cannot search. A hybrid search does with the legs that there are; but for a pattern that was given.
 */
export async function searchStore(search: StoreSearch): Promise<Found> {
  const { store, plan } = search;
  if (plan.mode === "regex") return withEmbeddings(search, await regexOnly(search));
  const lexicalLeg = (): LexicalLeg => {
    const lexicalSearch = store.lexicalSearch?.bind(store) ?? unsupported("lexical");
    return createLexicalLeg(lexicalSearch, search.scopes, plan, search.subject);
  };
  const dense = denseLegOf(search);
  if (plan.pattern === undefined) {
    if (!dense) return withEmbeddings(search, await lexicalOnly(search, lexicalLeg()));
    if (plan.mode === "dense" || !store.lexicalSearch) return denseOnly(search, dense);
  }

  const regex = plan.pattern === undefined ? undefined : await matchPattern(search, plan.pattern, "all");
  const lexical = store.lexicalSearch ? lexicalLeg() : undefined;
  const fusion = plan.fusion ?? (search.meaning ? "weighted" : "absolute");
  const candidates = await fuseLegs({
    dense: dense ?? { search: async () => [], weight: () => 0, chance: () => undefined, latent: () => undefined },
    lexical: lexical ?? { search: async () => [], terms: () => [] },
    regex,
    fusion,
    wanted: search.wanted,
    minFusedScore: plan.minFusedScore,
    denseProves: search.meaning || plan.minScore !== undefined,
  });
  const found: Found = {
    candidates,
    fusion,
    terms: lexical?.terms(),
    latent: dense?.latent(),
    dense: dense !== undefined,
    sparse: lexical !== undefined,
    stages: [...(dense ? ["dense"] : []), ...(lexical ? ["lexical"] : []), ...(regex ? ["regex"] : []), "merge"],
  };
  // What no dense leg found has no vector yet.
  return regex === undefined ? found : withEmbeddings(search, found);
}

/** The embedding model's leg, or that of the store's own model; none where the mode or the store has none. */
function denseLegOf({ store, scopes, plan, subject, queryEmbeddings }: StoreSearch): DenseLeg | undefined {
  if (queryEmbeddings.length > 0) return createDenseLeg(store, plan, queryEmbeddings);
  const latentSearch = plan.mode === "lexical" ? undefined : store.latentSearch?.bind(store);
  return latentSearch && createLatentLeg(latentSearch, scopes, plan, subject);
}

async function denseOnly(search: StoreSearch, leg: DenseLeg): Promise<Found> {
  const candidates = (await leg.search(search.wanted)).map(({ scope, chunk, score, embedding }, index): Candidate => ({
    scope,
    chunk,
    score,
    parts: [{ name: "dense", value: score }],
    dense: { score, rank: index + 1 },
    ...(embedding && { embedding }),
  }));
  return {
    candidates: floor(candidates, search.plan),
    fusion: "dense",
    terms: undefined,
    latent: leg.latent(),
    dense: true,
    sparse: false,
    stages: ["dense"],
  };
}

async function lexicalOnly(search: StoreSearch, leg: LexicalLeg): Promise<Found> {
  const candidates = (await leg.search(search.wanted)).map(
    ({ scope, chunk, score, terms, language }, index): Candidate => ({
      scope,
      chunk,
      score,
      parts: [{ name: "lexical", value: score }],
      lexical: { score, rank: index + 1, terms },
      ...(language !== undefined && { language }),
    }),
  );
  return {
    candidates: floor(candidates, search.plan),
    fusion: "lexical",
    terms: leg.terms(),
    latent: undefined,
    dense: false,
    sparse: true,
    stages: ["lexical"],
  };
}

function matchPattern(
  { store, scopes, plan }: StoreSearch,
  pattern: string,
  topK: number | "all",
): Promise<readonly RegexMatch[]> {
  const regexSearch = store.regexSearch?.bind(store) ?? unsupported("regex");
  return searchRegex(regexSearch, scopes, plan, pattern, topK);
}

async function regexOnly(search: StoreSearch): Promise<Found> {
  const { plan, query, wanted } = search;
  const candidates = (await matchPattern(search, query, wanted)).map(
    ({ scope, chunk, score, matches }, index): Candidate => ({
      scope,
      chunk,
      score,
      parts: [{ name: "regex", value: score }],
      regex: { score, rank: index + 1, matches },
    }),
  );
  return {
    candidates: floor(candidates, plan),
    fusion: "regex",
    terms: undefined,
    latent: undefined,
    dense: false,
    sparse: false,
    stages: ["regex"],
  };
}

/** One leg alone is a fusion of one: its floor is the same. Stores order their matches; this order does not depend on their keeping to it. */
function floor(candidates: Candidate[], plan: SearchPlan): readonly Candidate[] {
  const { minFusedScore } = plan;
  const kept = minFusedScore === undefined ? candidates : candidates.filter(({ score }) => score >= minFusedScore);
  return kept.sort(compareCandidates);
}

/** Vectors of what was found without them, when they were asked for. */
async function withEmbeddings(search: StoreSearch, found: Found): Promise<Found> {
  const { store, scopes, plan, version, wanted } = search;
  if (!plan.includeEmbeddings || found.candidates.length === 0) return found;
  const shown = wanted === "all" ? found.candidates : found.candidates.slice(0, wanted);
  const asked = search.queryEmbeddings.length > 0 ? search.queryEmbeddings : [{ scopes, version }];
  const vectors = asked.map((one) =>
    store.search(one.scopes, {
      ...restrictions(plan),
      ...(one.version && { version: one.version }),
      chunkIds: [...new Set(shown.map(({ chunk }) => chunk.id))],
      topK: "all",
      includeEmbeddings: true,
    }),
  );
  const matches = (await Promise.all(vectors)).flat();
  const embeddings = new Map(matches.map((match) => [candidateKey(match.scope, match.chunk.id), match.embedding]));
  const candidates = found.candidates.map((candidate): Candidate => {
    const embedding = embeddings.get(candidateKey(candidate.scope, candidate.chunk.id));
    return embedding ? { ...candidate, embedding } : candidate;
  });
  return { ...found, candidates };
}

function unsupported(leg: string): never {
  throw new IbidError("unsupported", `This store has no ${leg} search.`, {
    hint: "Search in another mode, or use a store that has it.",
  });
}
