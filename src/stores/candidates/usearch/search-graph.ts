import { type EmbeddingVersion, kindOf, type Vector, versionKey } from "../../../contracts/embedding.ts";
import type { Metric } from "../../../contracts/store.ts";
import type { VectorQuery } from "../../../contracts/vector-store.ts";
import type { Candidates } from "../candidate-places.ts";
import { isOwnVersion } from "../../segments/own-version.ts";
import { type HnswIndex, toUnit } from "./hnsw-index.ts";

/** A query that a graph may answer. */
export interface Asked {
  readonly query: VectorQuery;
  readonly version: EmbeddingVersion;
  readonly unit: Float32Array;
  readonly length: number;
  readonly metric: "cosine" | "dot";
  readonly topK: number;
}

/** A search for more than this is a scan whatever one does. */
const mostAsked = 1000;
/** Candidates for each match wanted of a search that restricts itself. What admits fewer than one in six is soon scanned. */
const restrictedCandidates = 8;

/** Whatever is wrong with a query is for the store to say, so that it is said in one way. */
export function readAsked(query: VectorQuery, standard: Metric): Asked | undefined {
  const { embedding, version, topK, chunkIds, minScore = 0, metric = standard } = query;
  if (embedding === undefined || version === undefined || kindOf(embedding) !== "dense" || chunkIds !== undefined)
    return;
  if (typeof minScore !== "number" || Number.isNaN(minScore)) return;
  if (typeof topK !== "number" || !Number.isInteger(topK) || topK < 1 || topK > mostAsked) return;
  if ((metric !== "cosine" && metric !== "dot") || isOwnVersion(versionKey(version))) return;
  const vector = embedding as Vector;
  if (vector.length !== version.dimensions || vector.length === 0) return;
  const { unit, length } = toUnit(vector);
  // Also of a coordinate that is no number: then the length is none either.
  if (!(length > 0 && length < Infinity)) return;
  return { query: { ...query, embedding: vector.slice(), metric }, version, unit, length, metric, topK };
}

/**
 * Candidates by the graph, and what is left of them when the store has scored those that may be found: the caller answers what is yielded.
 *
 * **Shape** `undefined` when too few were left, though there may be more.
 */
export function* searchGraph<Match extends { readonly score: number }>(
  index: HnswIndex,
  { query, unit, length, metric, topK }: Asked,
): Generator<Candidates, readonly Match[] | undefined, readonly Match[]> {
  if (index.size === 0 || (metric === "dot" && !index.normalized)) return undefined;
  const { filter, origins, minScore = -Infinity } = query;
  const isRestricted = filter !== undefined || origins !== undefined;
  const restriction = isRestricted ? JSON.stringify([filter, origins, topK, query.minScore]) : "";
  if (isRestricted && hasStarved(index, restriction)) return undefined;
  // Twice as many and some: rounded coordinates may have changed places, and some may be hidden.
  const wanted = (isRestricted ? restrictedCandidates : 2) * topK + 8;
  const { numbers, cosines, doubt, reach } = index.search(unit, Math.min(wanted, index.size));
  const { idOf, places } = index;
  const scale = metric === "dot" ? length : 1;
  // What lies farther off than rounding can have moved it is not among the best.
  const near = isRestricted ? numbers.length : countAbove(cosines, cosines[topK - 1]! - doubt);
  let matches = yield { numbers: numbers.slice(0, near), idOf, places };
  // Unless one of those before it is hidden, or is not where the graph has it: a removed vector may answer for the one that took its place.
  if (near < numbers.length && (matches[topK - 1]?.score ?? -Infinity) < cosines[near]! * scale) {
    matches = yield { numbers, idOf, places };
  }
  const isAll = numbers.length === index.size && numbers.every((number) => idOf(number) !== undefined);
  if (matches.length === topK || isAll || reach * scale < minScore) {
    return matches.filter(({ score }) => score >= minScore);
  }
  if (isRestricted) remember(index, restriction);
  return undefined;
}

/** How many of the first are no farther off; all, when there is nothing to compare them with. */
function countAbove(cosines: readonly number[], least: number): number {
  const past = cosines.findIndex((cosine) => cosine < least);
  return past < 0 ? cosines.length : past;
}

/** Restrictions that left too few candidates: the next search is not made twice for them. The scan is right whatever has changed since. */
const starving = new WeakMap<HnswIndex, Set<string>>();
const remembered = 64;

function hasStarved(index: HnswIndex, restriction: string): boolean {
  return starving.get(index)?.has(restriction) ?? false;
}

function remember(index: HnswIndex, restriction: string): void {
  const known = starving.get(index) ?? new Set();
  if (known.size >= remembered) known.clear();
  starving.set(index, known.add(restriction));
}
