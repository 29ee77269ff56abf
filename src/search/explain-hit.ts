import type { HitExplanation, LatentExplanation, LegScore } from "../contracts/retriever.ts";
import type { Candidate, QueryTerms } from "./candidate.ts";
import type { EvidenceScale } from "./weigh-evidence.ts";

/** What all hits of one search share. */
export interface ExplainContext {
  /** The fusion, or the one leg that searched. */
  readonly fusion: string;
  /** `undefined` when no lexical leg searched. */
  readonly terms: QueryTerms | undefined;
  /** `undefined` when the store's own model did not search. */
  readonly latent: LatentExplanation | undefined;
  readonly reranker: string | undefined;
  readonly evidence: EvidenceScale;
}

/** Why a candidate has its score, in numbers that add up. */
export function explainHit(candidate: Candidate, context: ExplainContext): HitExplanation {
  const { dense, lexical, regex, before } = candidate;
  const { terms } = context;
  return {
    fusion: context.fusion,
    legs: {
      ...(dense && { dense: legScore(dense) }),
      ...(lexical && { lexical: legScore(lexical) }),
      ...(regex && { regex: legScore(regex) }),
    },
    parts: candidate.parts.map((part) => ({ ...part })),
    terms: (lexical?.terms ?? []).map((term) => ({ ...term })),
    ...(terms && { queryTerms: terms.map((term) => ({ ...term })), strength: context.evidence.strength(candidate) }),
    ...(context.latent && { latent: { ...context.latent } }),
    evidence: context.evidence.isEvidence(candidate),
    ...(before &&
      context.reranker !== undefined && { rerank: { reranker: context.reranker, before: legScore(before) } }),
  };
}

function legScore({ score, rank }: LegScore): LegScore {
  return { score, rank };
}
