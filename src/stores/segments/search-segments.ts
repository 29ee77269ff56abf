import type { Analyzer } from "../../contracts/analyzer.ts";
import { type Embedding, kindOf, versionKey } from "../../contracts/embedding.ts";
import type { LatentQuery, LatentResult } from "../../contracts/latent-search.ts";
import type { LexicalQuery, LexicalResult } from "../../contracts/lexical-index.ts";
import type { Origin } from "../../contracts/document.ts";
import type { Filter } from "../../contracts/filter.ts";
import type { Scope } from "../../contracts/scope.ts";
import type { Metric } from "../../contracts/embedding.ts";
import type { VectorMatch, VectorQuery } from "../../contracts/vector-store.ts";
import { admitChunks, createRestriction, narrow, type Restriction } from "../../engine/segments/admit-chunks.ts";
import type { SearchedSegment } from "../../engine/bm25/best-chunks.ts";
import { searchBm25 } from "../../engine/bm25/bm25.ts";
import type { Bm25Settings } from "../../engine/bm25/bm25-settings.ts";
import { findEvery } from "../../engine/bm25/every-chunk.ts";
import type { planLucene } from "../../engine/bm25/lucene-plan.ts";
import { findWords } from "../../engine/bm25/query-words.ts";
import { type NearestHit, searchNearest } from "../../engine/vectors/nearest.ts";
import type { ChunkFacts, Segment } from "../../engine/segments/segment.ts";
import { toEmbedding, toStoredVector } from "../../engine/vectors/stored-vector.ts";
import { rowOf, vectorAt } from "../../engine/vectors/vector-column.ts";
import type { parseLucene } from "../../text/parse-lucene.ts";
import { createChunkReader } from "./chunk-rows.ts";
import { findPlace, type IndexView } from "./index-view.ts";
import type { LatentLeg } from "./latent-leg.ts";
import { isOwnVersion } from "./own-version.ts";
import type { Decided } from "./decided.ts";
import type { ChunkRow, DirectoryReader } from "./segment-directory.ts";

/** What a query restricts itself to. */
export interface Restricted {
  readonly filter?: Filter;
  readonly origins?: readonly Origin[];
  readonly chunkIds?: readonly string[];
}

export function restrictionOf({ filter, origins }: Restricted): Restriction | undefined {
  return createRestriction(filter, origins);
}

/** The scopes' segments with what the query may find in them: one section of one transaction, like all that follows. */
function openSearch(
  rows: DirectoryReader,
  view: IndexView,
  scopes: readonly Scope[],
  restriction: Restriction | undefined,
  chunkIds: readonly string[] | undefined,
  /** For who looks at nothing but `only`: neither segments where none of the chunks lies, nor flags for all the others. */
  onlyThose = false,
): SearchedSegment[] {
  if (chunkIds === undefined) {
    return view.segments(rows, scopes).map((segment) => ({ segment, admitted: admitChunks(segment, restriction) }));
  }
  return scopes.flatMap((scope) => {
    const held = view.scope(rows, scope);
    if (held === undefined) return [];
    const ordinals = new Map<Segment, number[]>(held.segments.map((segment) => [segment, []]));
    for (const { key } of rows.chunksById(held.row.key, chunkIds)) {
      const place = findPlace(held, key);
      if (place !== undefined) ordinals.get(place.segment ?? held.tail)?.push(place.ordinal);
    }
    return held.segments.flatMap((segment) => {
      const only = ordinals.get(segment) ?? [];
      if (onlyThose && only.length === 0) return [];
      const admitted = admitChunks(segment, restriction);
      return [{ segment, admitted: onlyThose ? admitted : narrow(admitted, only), only }];
    });
  });
}

export function searchVectors(
  rows: DirectoryReader,
  view: IndexView,
  scopes: readonly Scope[],
  query: Decided<VectorQuery>,
  defaultMetric: Metric,
): readonly VectorMatch[] {
  return readMatches(rows, view, query, findVectors(rows, view, scopes, query, defaultMetric));
}

function findVectors(
  rows: DirectoryReader,
  view: IndexView,
  scopes: readonly Scope[],
  query: Decided<VectorQuery>,
  defaultMetric: Metric,
): readonly NearestHit[] {
  const { embedding, version, topK, minScore = -Infinity, metric = defaultMetric } = query;
  const oneByOne = embedding && kindOf(embedding) !== "sparse";
  const searched = openSearch(rows, view, scopes, restrictionOf(query), query.chunkIds, oneByOne);
  return embedding && version
    ? searchNearest(searched, toStoredVector(versionKey(version), embedding), metric, topK, minScore)
    : (minScore <= 0 ? findEvery(searched, topK) : []).map((hit) => ({ ...hit, rawScore: 0 }));
}

/** Chunks, read in the transaction in which they were found. */
function readMatches(
  rows: DirectoryReader,
  view: IndexView,
  { embedding, version, includeEmbeddings }: Decided<VectorQuery>,
  hits: readonly NearestHit[],
): readonly VectorMatch[] {
  const reader = createChunkReader(rows, view);
  const key = version && versionKey(version);
  return hits.map(({ segment, ordinal, score, rawScore }) => {
    const kept =
      includeEmbeddings === true ? embeddingOf(segment, ordinal, key, embedding && kindOf(embedding)) : undefined;
    return {
      scope: segment.scope,
      chunk: reader.chunk(rows.chunk(segment.key(ordinal))),
      score,
      rawScore,
      ...(kept && { embedding: kept }),
    };
  });
}

/** A chunk's vector: of that version and kind when they are given, else its first. */
function embeddingOf(
  segment: Segment,
  ordinal: number,
  version: string | undefined,
  kind: ReturnType<typeof kindOf> | undefined,
): Embedding | undefined {
  for (const column of segment.columns()) {
    if (isOwnVersion(column.version)) continue;
    if ((version !== undefined && column.version !== version) || (kind !== undefined && column.kind !== kind)) continue;
    const row = rowOf(column, ordinal);
    if (row >= 0) return toEmbedding(vectorAt(column, row));
  }
  return undefined;
}

/** What reads a query in Lucene's syntax, which few send. */
export interface LuceneReading {
  readonly planLucene: typeof planLucene;
  readonly parseLucene: typeof parseLucene;
}

export async function loadLucene(): Promise<LuceneReading> {
  const [{ planLucene }, { parseLucene }] = await Promise.all([
    import("../../engine/bm25/lucene-plan.ts"),
    import("../../text/parse-lucene.ts"),
  ]);
  return { planLucene, parseLucene };
}

/** **Shape** `lucene` is there when the query is in that syntax. */
export function searchTerms(
  rows: DirectoryReader,
  view: IndexView,
  scopes: readonly Scope[],
  query: Decided<LexicalQuery>,
  analyzer: Analyzer,
  bm25: Bm25Settings,
  lucene?: LuceneReading,
): LexicalResult {
  const searched = openSearch(rows, view, scopes, restrictionOf(query), query.chunkIds);
  const reader = createChunkReader(rows, view);
  const plan =
    lucene !== undefined
      ? lucene.planLucene(lucene.parseLucene(query.text), analyzer, searched, (segment, ordinal) =>
          reader.chunk(rows.chunk(segment.key(ordinal))),
        )
      : { words: findWords(analyzer, query.text, searched), searched };
  const result = searchBm25(plan.searched, plan.words, query.topK, query.minScore ?? 0, bm25);
  return {
    terms: result.terms,
    matches: result.hits.map(({ segment, ordinal, score, terms }) => {
      const chunk = reader.chunk(rows.chunk(segment.key(ordinal)));
      const language = chunk.language === undefined ? { language: segment.languageOf(ordinal) } : {};
      return { scope: segment.scope, chunk, score, terms, ...language };
    }),
  };
}

export function searchLatent(
  rows: DirectoryReader,
  view: IndexView,
  scopes: readonly Scope[],
  query: Decided<LatentQuery>,
  leg: LatentLeg,
): LatentResult {
  const searched = openSearch(rows, view, scopes, restrictionOf(query), query.chunkIds);
  const space = leg.space(rows);
  const counts = leg.queryCounts(space, findWords(leg.analyzer, query.text, searched));
  const { vector, energy, weight } = leg.model.project(counts, space, "query");
  const version = leg.versionOf(space);
  const stored = toStoredVector(versionKey(version), vector);
  const minScore = query.minScore ?? -Infinity;
  const hits = counts.terms.length > 0 ? searchNearest(searched, stored, "cosine", query.topK, minScore) : [];
  const reader = createChunkReader(rows, view);
  return {
    version,
    fitted: space !== leg.model.unfitted,
    energy,
    weight,
    matches: hits.map(({ segment, ordinal, score, rawScore }) => ({
      scope: segment.scope,
      chunk: reader.chunk(rows.chunk(segment.key(ordinal))),
      score,
      rawScore,
    })),
  };
}

/** A restriction over rows: evaluated once for chunks that say the same. */
export function createRowFilter(restriction: Restriction | undefined): (row: ChunkRow) => boolean {
  if (restriction === undefined) return () => true;
  const verdicts = new Map<string, boolean>();
  return ({ metadata, origin }) => {
    const saying = `${origin} ${metadata}`;
    let verdict = verdicts.get(saying);
    if (verdict === undefined) {
      verdict = restriction.admits({ metadata: JSON.parse(metadata) as ChunkFacts["metadata"], origin });
      verdicts.set(saying, verdict);
    }
    return verdict;
  };
}
