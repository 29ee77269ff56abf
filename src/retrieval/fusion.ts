import type { FusionName } from "../contracts/retriever.ts";
import type { Candidate, QueryTerms, ScorePart } from "./candidate.ts";

/** What a fusion knows of a candidate: each leg's score and rank, absent when the leg did not match it. */
export type FusionInput = Pick<Candidate, "dense" | "lexical">;

/**
 * How two legs become one score.
 *
 * **Shape** `parts` names what each leg gives. For a fusion by score, no chunk that scores at most `dense` and at most `lexical` in the legs
 * scores above `bound(dense, lexical)`; `undefined` stands for a leg that has nothing more to give. A fusion by rank has no bound.
 */
export interface Fusion {
  readonly name: FusionName;
  /** Candidates must score above this; absent when every candidate stands. */
  readonly above?: number;
  parts(input: FusionInput): readonly ScorePart[];
  bound?(dense: number | undefined, lexical: number | undefined): number;
}

/**
 * Weight of the dense leg in `absolute`, for models that see form only.
 *
 * **Source** measured by `bench/search-quality.ts`, nDCG@10 of the lexical leg alone and with this weight: XQuAD en .969 .970, de .928 .940, zh .967 .965,
 * ar .951 .953; CACM .475 .476; Vaswani .407 .403. At 0.5 CACM and Vaswani fell further.
 */
export const absoluteDenseWeight = 0.2;
/** **Source** ToolUp's default merge (T24 stage 5). */
const weightedShares = { dense: 0.7, lexical: 0.3 } as const;
/** BM25 score that normalises to a half. **Source** Embabel's `s / (s + 3)` (C10). */
const lexicalHalf = 3;
/** **Source** Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (SIGIR 2009). */
const rankConstant = 60;

/**
 * A fusion by its name.
 *
 * - `absolute`: `lexical / Σ idf(query terms, unseen ones included) + 0.2 · max(0, cosine)`. The lexical leg leads, and the score means the same for every
 *   query: about how much of what was asked is there. What scores 0 has nothing in common with the query and is no hit.
 * - `weighted`: `0.7 · cosine + 0.3 · s / (s + 3)` with BM25's `s`.
 * - `rrf`: `Σ 1 / (60 + rank)`.
 *
 * A leg that did not match gives 0. **Source** DESIGN 6 and 7; ToolUp (T24), Embabel (C10).
 */
export function createFusion(name: FusionName, terms: QueryTerms): Fusion {
  switch (name) {
    case "absolute":
      return absoluteFusion(terms);
    case "weighted":
      return weightedFusion();
    case "rrf":
      return rankFusion();
  }
}

function absoluteFusion(terms: QueryTerms): Fusion {
  let mass = 0;
  for (const { idf, count } of terms) mass += idf * count;
  const lexicalPart = (score: number | undefined): number => (score === undefined || mass <= 0 ? 0 : score / mass);
  const densePart = (score: number | undefined): number => absoluteDenseWeight * Math.max(0, score ?? 0);
  return {
    name: "absolute",
    above: 0,
    parts: ({ dense, lexical }) => [
      { name: "lexical", value: lexicalPart(lexical?.score) },
      { name: "dense", value: densePart(dense?.score) },
    ],
    bound: (dense, lexical) => lexicalPart(lexical) + densePart(dense),
  };
}

function weightedFusion(): Fusion {
  const lexicalPart = (score: number | undefined): number =>
    score === undefined ? 0 : weightedShares.lexical * (score / (score + lexicalHalf));
  const densePart = (score: number | undefined): number => weightedShares.dense * (score ?? 0);
  return {
    name: "weighted",
    parts: ({ dense, lexical }) => [
      { name: "dense", value: densePart(dense?.score) },
      { name: "lexical", value: lexicalPart(lexical?.score) },
    ],
    // A chunk without a vector gives 0 to the dense part, which is more than a negative cosine gives.
    bound: (dense, lexical) => Math.max(0, densePart(dense)) + lexicalPart(lexical),
  };
}

function rankFusion(): Fusion {
  const part = (rank: number | undefined): number => (rank === undefined ? 0 : 1 / (rankConstant + rank));
  return {
    name: "rrf",
    parts: ({ dense, lexical }) => [
      { name: "dense", value: part(dense?.rank) },
      { name: "lexical", value: part(lexical?.rank) },
    ],
  };
}
