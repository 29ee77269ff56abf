import { versionKey } from "../../contracts/embedding.ts";
import type { ScopeRevision } from "../../contracts/knowledge-store.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Metric } from "../../contracts/store.ts";
import type { VectorMatch, VectorQuery } from "../../contracts/vector-store.ts";
import { admitChunks } from "../../engine/segments/admit-chunks.ts";
import { type NearestHit, searchNearest } from "../../engine/vectors/nearest.ts";
import { toStoredVector } from "../../engine/vectors/stored-vector.ts";
import type { Candidates } from "./candidate-places.ts";
import type { IndexView } from "../segments/index-view.ts";
import type { Decided } from "../segments/raw-store.ts";
import { readRevision } from "../segments/scope-change.ts";
import { findVectors, readMatches, restrictionOf } from "../segments/search-segments.ts";
import type { DirectoryReader } from "../segments/segment-directory.ts";

/** The best of some candidates of one scope that the query admits, by their exact scores: at most `topK`, whatever `minScore` says. */
export type ScoreCandidates = (candidates: Candidates) => readonly NearestHit[];

/**
 * What is to be done about one scope, decided while nothing can change: hits out of what `score` gave, a look at all of the scope, or
 * nothing at all, since whoever decides must find out more first.
 */
export type DecideScope = (
  revision: ScopeRevision,
  score: ScoreCandidates,
) => readonly NearestHit[] | "scan" | "unknown";

/** The nearest among candidates, for whoever can name some. **Shape** as `candidate-search.ts` says. */
export function searchCandidates(
  rows: DirectoryReader,
  view: IndexView,
  scopes: readonly Scope[],
  query: Decided<VectorQuery>,
  defaultMetric: Metric,
  decide: DecideScope,
): readonly VectorMatch[] | undefined {
  const { embedding, version, topK, metric = defaultMetric } = query;
  if (embedding === undefined || version === undefined) return undefined;
  const vector = toStoredVector(versionKey(version), embedding);
  const restriction = restrictionOf(query);
  const hits: NearestHit[] = [];
  for (const scope of scopes) {
    const held = view.scope(rows, scope);
    const score: ScoreCandidates = (candidates) => {
      if (held === undefined) return [];
      const searched = Array.from(candidates.places.find(rows, held, candidates), ([segment, only]) => ({
        segment,
        admitted: admitChunks(segment, restriction),
        only,
      }));
      return searchNearest(searched, vector, metric, topK, -Infinity);
    };
    const decided = decide(readRevision(rows, scope), score);
    if (decided === "unknown") return undefined;
    hits.push(...(decided === "scan" ? findVectors(rows, view, [scope], query, defaultMetric) : decided));
  }
  return readMatches(rows, view, query, hits);
}
