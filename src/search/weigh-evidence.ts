import { type FusedChunk, type QueryTerms, termsFound } from "./candidate.ts";

/** Thresholds from which a hit is evidence. Both are inclusive. */
export interface EvidenceThresholds {
  /** The least {@link EvidenceScale.strength} of the lexical leg. */
  readonly strength: number;
  /** The least cosine of the dense leg; `undefined` when closeness alone proves nothing. */
  readonly similarity: number | undefined;
}

/**
 * The least lexical strength of evidence.
 *
 * **Source** measured by `bench/extractive-quality.ts`. On their own passages, 2 % of XQuAD's 1,190 English questions fall below it (German 7 %, Chinese
 * 5 %, Arabic 3 %). On the English passages, 28 % of CACM's questions reach it, though nothing there answers them; on the others, 2 % or fewer. At 0.5 it is
 * 17 % against 4 % and 23 %. A model can correct for a weak hit, but not for a strict refusal. So the value is nearer to the off-topic side.
 */
export const defaultEvidenceStrength = 0.4;
/** **Source** ToolUp's prompt builder: MinScore 0.3. */
export const defaultEvidenceSimilarity = 0.3;

/** How one query's hits are weighed. */
export interface EvidenceScale {
  /**
   * The scores of the terms other than function words, over the rarity of all such terms of the query. Text, title and headings count; the names of files do not.
   *
   * **Shape** 0 when it has none of them; about 1 when it has all of them once; at most 2.2.
   */
  strength(candidate: Pick<FusedChunk, "legs">): number;
  isEvidence(candidate: Pick<FusedChunk, "legs">): boolean;
}

/**
 * BM25 made comparable between queries, for the question whether there is evidence at all.
 *
 * Function words do not count, unless there are no others: in a small collection "how do I" is as rare as the subject. A term that no chunk has weighs like
 * one that a single chunk has: a collection cannot prove more of its rarity.
 *
 * **Source** measured: a lexical score over the query's idf mass separates answerable from off-topic questions. `idf` is `ln((N + 1) / (df + 0.5))`, so
 * from no chunk to one chunk it falls by `ln 3`.
 */
export function createEvidenceScale(
  terms: QueryTerms,
  functionTerms: ReadonlySet<string>,
  thresholds: EvidenceThresholds,
): EvidenceScale {
  const own = terms.filter(({ synonymOf, added }) => synonymOf === undefined && added === undefined);
  const subjects = own.filter(({ term }) => !functionTerms.has(term));
  const counted = new Map((subjects.length > 0 ? subjects : own).map((each) => [each.term, each]));
  // Synonyms are found for a word of the query; what was asked stays the same.
  const synonyms = new Set(terms.flatMap(({ term, synonymOf }) => (synonymOf === undefined ? [] : [term])));
  let mass = 0;
  for (const { idf, count, chunks } of counted.values()) {
    mass += count * (chunks > 0 ? idf : Math.max(0, idf - Math.log(3)));
  }

  const strength = (candidate: Pick<FusedChunk, "legs">): number => {
    const found = termsFound(candidate);
    if (found === undefined || mass <= 0) return 0;
    let held = 0;
    for (const { term, score, stated = score } of found.terms) {
      if (counted.has(term) || synonyms.has(term)) held += stated;
    }
    return held / mass;
  };
  return {
    strength,
    isEvidence: (candidate) => {
      for (const { score, why } of candidate.legs.values()) {
        // A pattern that matched is evidence by itself.
        if (why.kind === "ranges") return true;
        if (why.kind === "vector" && thresholds.similarity !== undefined && score >= thresholds.similarity) return true;
      }
      return strength(candidate) >= thresholds.strength;
    },
  };
}
