import type { FusionName } from "../contracts/retriever.ts";
import type { Candidate, QueryTerms, ScorePart } from "./candidate.ts";

/** What a fusion knows of a candidate: each leg's score and rank, absent when the leg did not match it. */
export type FusionInput = Pick<Candidate, "dense" | "lexical" | "regex">;

/**
 * How the legs become one score.
 *
 * **Shape** `parts` names what each leg gives. For a fusion by score, no chunk that scores at most so much in each of the legs scores above
 * `bound(dense, lexical, regex)`; `undefined` stands for a leg that has nothing more to give. A fusion by rank has no bound.
 */
export interface Fusion {
  readonly name: FusionName;
  /** Candidates must score above this; absent when every candidate stands. */
  readonly above?: number;
  parts(input: FusionInput): readonly ScorePart[];
  bound?(dense: number | undefined, lexical: number | undefined, regex: number | undefined): number;
}

/**
 * Weight of the dense leg in `absolute`, for models that see form only.
 *
 * **Source** measured when the core had no model of its own, nDCG@10 of the lexical leg alone and with this weight: XQuAD en .969 .970, de .928 .940, zh .967 .965,
 * ar .951 .953; CACM .475 .476; Vaswani .407 .403. At 0.5 CACM and Vaswani fell further.
 */
export const absoluteDenseWeight = 0.2;
/** A pattern weighs as much as the words do. **Source** ToolUp's default merge (T24 stage 5), for the other two. */
const weightedShares: Shares = { dense: 0.7, lexical: 0.3, regex: 0.3 };
/** **Source** Embabel's hybrid search: half of each. A pattern weighs as much as the words do here, too. */
const halves: Shares = { dense: 0.5, lexical: 0.5, regex: 0.5 };
/** BM25 score that normalises to a half. **Source** Embabel's `s / (s + 3)` (C10). */
const lexicalHalf = 3;
/** **Source** Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (SIGIR 2009). */
const rankConstant = 60;

/**
 * What a pattern that matches once gives in `absolute`; with `n` matches `2n / (n + 1)` times that, less than twice. As much as half the query's words, for
 * a pattern says exactly what it wants and still not what the question is. **Source** a choice; nothing to measure it on is known to us.
 */
const absoluteRegexWeight = 1;

/** What a fusion must know of a query. */
export interface FusedQuery {
  readonly terms: QueryTerms;
  /** For `absolute`. Default {@link absoluteDenseWeight}. */
  readonly denseWeight?: number;
  readonly withPattern?: boolean;
}

/**
 * A fusion by its name.
 *
 * - `absolute`: `lexical / √Σ idf² + w · max(0, cosine) + n / (n + 1)`, over the query's distinct terms, unseen ones included, with `w` the dense leg's own
 *   weight and `n` the matches of a pattern. The lexical leg leads, and the score says the same of every query: how much more the chunk has of what was asked than chance
 *   would give it; several terms say more than one, as errors that do not depend on one another add up. What scores 0 has nothing in common with the query and is no hit.
 * - `weighted`: `0.7 · cosine + 0.3 · s / (s + 3) + 0.3 · n / (n + 1)` with BM25's `s`.
 * - `halves`: the same with 0.5 of each.
 * - `rrf`: `Σ 1 / (60 + rank)`.
 *
 * A leg that did not match gives 0; that of the pattern has no part where no pattern was given (`withPattern` false).
 * **Source** DESIGN 6 and 7; ToolUp, Embabel (C10).
 */
export function createFusion(name: FusionName, query: FusedQuery): Fusion {
  const fusion = byName(name, query);
  if (query.withPattern === true) return fusion;
  return { ...fusion, parts: (input) => fusion.parts(input).filter((part) => part.name !== "regex") };
}

function byName(name: FusionName, query: FusedQuery): Fusion {
  switch (name) {
    case "absolute":
      return absoluteFusion(query);
    case "weighted":
      return weightedFusion(name, weightedShares);
    case "halves":
      return weightedFusion(name, halves);
    case "rrf":
      return rankFusion();
  }
}

function absoluteFusion({ terms, denseWeight = absoluteDenseWeight }: FusedQuery): Fusion {
  let squares = 0;
  for (const { idf } of terms) squares += idf * idf;
  const mass = Math.sqrt(squares);
  const lexicalPart = (score: number | undefined): number => (score === undefined || mass <= 0 ? 0 : score / mass);
  const densePart = (score: number | undefined): number => denseWeight * Math.max(0, score ?? 0);
  const regexPart = (score: number | undefined): number => absoluteRegexWeight * (score ?? 0);
  return {
    name: "absolute",
    above: 0,
    parts: ({ dense, lexical, regex }) => [
      { name: "lexical", value: lexicalPart(lexical?.score) },
      { name: "dense", value: densePart(dense?.score) },
      { name: "regex", value: regexPart(regex?.score) },
    ],
    // Added in the order of the parts, so that rounding cannot put a candidate above it.
    bound: (dense, lexical, regex) => lexicalPart(lexical) + densePart(dense) + regexPart(regex),
  };
}

/** What each leg gives of its score, once that is between 0 and 1. */
interface Shares {
  readonly dense: number;
  readonly lexical: number;
  readonly regex: number;
}

function weightedFusion(name: FusionName, shares: Shares): Fusion {
  const lexicalPart = (score: number | undefined): number =>
    score === undefined ? 0 : shares.lexical * (score / (score + lexicalHalf));
  const densePart = (score: number | undefined): number => shares.dense * (score ?? 0);
  const regexPart = (score: number | undefined): number => shares.regex * (score ?? 0);
  return {
    name,
    parts: ({ dense, lexical, regex }) => [
      { name: "dense", value: densePart(dense?.score) },
      { name: "lexical", value: lexicalPart(lexical?.score) },
      { name: "regex", value: regexPart(regex?.score) },
    ],
    // A chunk without a vector gives 0 to the dense part, which is more than a negative cosine gives.
    bound: (dense, lexical, regex) => Math.max(0, densePart(dense)) + lexicalPart(lexical) + regexPart(regex),
  };
}

function rankFusion(): Fusion {
  const part = (rank: number | undefined): number => (rank === undefined ? 0 : 1 / (rankConstant + rank));
  return {
    name: "rrf",
    parts: ({ dense, lexical, regex }) => [
      { name: "dense", value: part(dense?.rank) },
      { name: "lexical", value: part(lexical?.rank) },
      { name: "regex", value: part(regex?.rank) },
    ],
  };
}
