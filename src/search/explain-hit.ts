import type { HitExplanation, LatentExplanation, LegScore } from "../contracts/retriever.ts";
import { type Candidate, type QueryTerms, termsFound } from "./candidate.ts";
import type { EvidenceScale } from "./weigh-evidence.ts";

/** The part of an explanation that all hits of one search share. */
export interface ExplainContext {
  /** The fusion, or the one leg that searched. */
  readonly fusion: string;
  /** `undefined` when no leg counts words. */
  readonly terms: QueryTerms | undefined;
  /** `undefined` when the store's own model did not search. */
  readonly latent: LatentExplanation | undefined;
  readonly reranker: string | undefined;
  readonly evidence: EvidenceScale;
}

/** Why a candidate has its score, in numbers that add up. */
export function explainHit(candidate: Candidate, context: ExplainContext): HitExplanation {
  const { before, legs, parts } = candidate;
  const { terms } = context;
  const said = termsFound(candidate);
  const inOrder = parts.flatMap(({ name }) => {
    const found = legs.get(name);
    return found === undefined ? [] : [[name, legScore(found)] as const];
  });
  return {
    fusion: context.fusion,
    legs: Object.fromEntries(inOrder),
    parts: parts.map((part) => ({ ...part })),
    terms: (said?.terms ?? []).map((term) => ({ ...term })),
    ...(said && { lexical: said.terms.reduce((sum, { score }) => sum + score, 0) }),
    ...(said?.name && { name: { ...said.name } }),
    ...(said?.document !== undefined && { document: said.document }),
    ...(said?.heading && { heading: { ...said.heading } }),
    ...(said?.fields && { fields: { ...said.fields } }),
    ...(terms && { queryTerms: terms.map((term) => ({ ...term })), strength: context.evidence.strength(candidate) }),
    ...(context.latent && { latent: { ...context.latent } }),
    ...(before &&
      context.reranker !== undefined && { rerank: { reranker: context.reranker, before: legScore(before) } }),
  };
}

function legScore({ score, rank }: LegScore): LegScore {
  return { score, rank };
}
