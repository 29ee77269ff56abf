import { type Metric, metrics } from "../../contracts/embedding.ts";
import type { ScoreBounds } from "../../contracts/leg.ts";
import { findBest, findBestInSteps, type FoundChunk, type SearchedSegment } from "../bm25/best-chunks.ts";
import { finishSteps } from "../../runtime/steps.ts";
import { canKeep, certifiedDimensions, type KeptScan, type RowNeeds, startCertifiedScan } from "./certified-scan.ts";
import type { DenseForm } from "./dense-rows.ts";
import type { Segment, VectorColumn } from "../segments/segment.ts";
import type { StoredVector } from "./stored-vector.ts";
import { rowOf } from "./vector-column.ts";
import { createScoredQuery, distance, scoreProduct, scoreRow, type ScoredQuery } from "./vector-scores.ts";

export interface NearestHit extends FoundChunk {
  readonly rawScore: number;
}

/** Chunks of a search with bounds of their scores. */
export interface KeptRows {
  /** Chunks that may score `least`, and what `needs` says of their segment; `undefined` where other searches have taken the room since. */
  chunks(least: number, needs?: (segment: Segment) => ChunkNeeds | undefined): readonly KeptSegment[] | undefined;
  /** The most and the least that each chunk of a segment scores, `-Infinity` for one that is not searched; `undefined` as above. With `closely`, by all bits of the query. */
  bounds(segment: Segment, ordinals: readonly number[], closely?: boolean): ScoreBounds | undefined;
  /** Forgets them. */
  close(): void;
}

/** Scores that the chunks of a segment need by what another leg kept of them. */
export type ChunkNeeds = Omit<RowNeeds, "ordinals">;

export interface KeptSegment {
  readonly segment: Segment;
  /** In no order. */
  readonly ordinals: readonly number[];
  readonly uppers: readonly number[];
}

/** Asks a search for bounds of the scores of all chunks. */
export interface Keeping {
  /** Set where the search kept them. */
  kept?: KeptRows | undefined;
}

const forms: readonly DenseForm[] = ["float32", "int8"];

/**
 * Finds the nearest vectors of one version and kind, exactly.
 *
 * **Shape** the score is the cosine (from -1 to 1; 0 with a zero vector), the dot product, or `1 / (1 + distance)`. A hybrid vector's is the
 * sum over its two parts. `rawScore` is the metric's own value (a distance of a hybrid vector, in the joint space).
 * **Cost** dense vectors cost a byte per coordinate of each admitted one, and a score for the few that can be among the best. Sparse ones cost
 * the postings of the query's coordinates. Hybrid ones and sparse distances cost every admitted vector's score.
 */
export function searchNearest(...given: Parameters<typeof nearestInSteps>): NearestHit[] {
  return finishSteps(nearestInSteps(...given));
}

/**
 * {@link searchNearest} in steps, between which other searches may run.
 *
 * **Shape** a step reads a megabyte of codes at most, looks at those of one column, or scores {@link scoredAtOnce} rows. The steps are of one state of the
 * segments: after a commit they are begun anew.
 */
export function* nearestInSteps(
  searched: readonly SearchedSegment[],
  vector: StoredVector,
  metric: Metric,
  topK: number,
  minScore: number,
  keeping?: Keeping,
): Generator<undefined, NearestHit[]> {
  const query = createScoredQuery(vector, metrics[metric]);
  const columns = searched.map(({ segment }) => columnsOf(segment, vector));
  const most = columns.reduce((sum, some) => sum + some.reduce((rows, column) => rows + column.rows, 0), 0);
  const areFew = searched.every(({ only }) => only !== undefined);
  const found =
    !areFew &&
    vector.kind === "dense" &&
    query.denseNorm > 0 &&
    query.metric !== "hamming" &&
    query.metric !== "manhattan" &&
    vector.dense.length <= certifiedDimensions &&
    topK < most
      ? yield* searchCertified(searched, columns, query, topK, minScore, canKeep(query) ? keeping : undefined, most)
      : yield* searchEach(searched, columns, query, topK, minScore);
  return found.map((hit) => ({
    ...hit,
    rawScore: rawScoreOf(hit, metric, query, vector),
  }));
}

function rawScoreOf(hit: FoundChunk, metric: Metric, query: ScoredQuery, vector: StoredVector): number {
  switch (metric) {
    case "cosine":
    case "dot":
      return hit.score;
    case "cosine-distance":
      return 1 - hit.score;
    case "negative-dot":
      return 0 - hit.score;
    case "euclidean":
      return Math.sqrt(distanceOf(hit, query, vector));
    case "squared-euclidean":
    case "hamming":
    case "manhattan":
      return distanceOf(hit, query, vector);
  }
}

function columnsOf(segment: Segment, { version, kind, dense }: StoredVector): VectorColumn[] {
  const columns: VectorColumn[] = [];
  for (const form of forms) {
    const column = segment.column(version, kind, form);
    // Absent is recoverable, wrong but ranked is not.
    if (column !== undefined && column.dimensions === dense.length) columns.push(column);
  }
  return columns;
}

function* searchCertified(
  searched: readonly SearchedSegment[],
  columns: readonly (readonly VectorColumn[])[],
  query: ScoredQuery,
  topK: number,
  minScore: number,
  keeping: Keeping | undefined,
  most: number,
): Generator<undefined, FoundChunk[]> {
  const scan = startCertifiedScan(query, topK, minScore, keeping && most);
  const passed = columns.map((some) => some.flatMap((column) => column.stretches?.() ?? [column]));
  let isWhole = false;
  try {
    for (const [i, { admitted }] of searched.entries()) {
      for (const column of passed[i]!) {
        yield* column.dense()!.load?.() ?? [];
        scan.look(column, admitted);
        yield undefined;
      }
    }
    scan.settle();
    let look = 0;
    const found = findBest(searched, topK, (_, offer, best, i) => {
      for (const { ordinals } of passed[i]!) {
        scan.rows(look++, (row, score) => {
          if (score >= best.floor) offer(score, ordinals[row]!);
        });
      }
    });
    isWhole = true;
    if (keeping !== undefined) keeping.kept = scan.kept && keepRows(scan.kept, searched, passed);
    return found;
  } finally {
    scan.close();
    if (!isWhole) scan.kept?.close();
  }
}

function keepRows(
  kept: KeptScan,
  searched: readonly SearchedSegment[],
  passed: readonly (readonly VectorColumn[])[],
): KeptRows {
  return {
    chunks(least, needs) {
      let look = 0;
      const segments: KeptSegment[] = [];
      for (const [i, { segment, admitted }] of searched.entries()) {
        const [ordinals, uppers]: [number[], number[]] = [[], []];
        for (const column of passed[i]!) {
          const own = needs?.(segment);
          const take = (row: number, upper: number): void => {
            const ordinal = column.ordinals[row]!;
            if (admitted[ordinal] !== 1) return;
            ordinals.push(ordinal);
            uppers.push(upper);
          };
          const isThere = kept.rows(look++, least, take, own && { ...own, ordinals: column.ordinals });
          if (!isThere) return undefined;
        }
        segments.push({ segment, ordinals, uppers });
      }
      return segments;
    },
    bounds(segment, ordinals, closely = false) {
      const most = new Float64Array(ordinals.length).fill(-Infinity);
      const least = new Float64Array(ordinals.length).fill(-Infinity);
      let look = 0;
      for (const [i, each] of searched.entries()) {
        if (each.segment !== segment) {
          look += passed[i]!.length;
          continue;
        }
        for (const column of passed[i]!) {
          const [first = Infinity, last = -Infinity] = [column.ordinals[0], column.ordinals[column.rows - 1]];
          for (let n = 0; n < most.length; n++) {
            const ordinal = ordinals[n]!;
            const row = ordinal < first || ordinal > last || each.admitted[ordinal] !== 1 ? -1 : rowOf(column, ordinal);
            if (row < 0) continue;
            const own = kept.bounds(look, row, closely);
            if (own === undefined) return undefined;
            least[n] = most[n] === -Infinity ? own.least : -Infinity;
            most[n] = Math.max(most[n]!, own.most);
          }
          look++;
        }
      }
      return { most, least };
    },
    close: () => kept.close(),
  };
}

/** Rows that one step scores: a millisecond or less, mostly. */
export const scoredAtOnce = 512;

function searchEach(
  searched: readonly SearchedSegment[],
  columns: readonly (readonly VectorColumn[])[],
  query: ScoredQuery,
  topK: number,
  minScore: number,
): Generator<undefined, FoundChunk[]> {
  for (const [i, { only, admitted }] of searched.entries())
    for (const column of columns[i]!) column.dense()?.expect?.(rowsWithin(column, admitted, only));
  return findBestInSteps(searched, topK, function* ({ admitted, only }, offer, best, i) {
    for (const column of columns[i]!) {
      const { ordinals, rows } = column;
      const take = (row: number, score: number): void => {
        if (score >= minScore && score >= best.floor) offer(score, ordinals[row]!);
      };
      if (query.kind === "sparse" && (query.metric === "cosine" || query.metric === "dot")) {
        scanInverted(column, admitted, query, take);
        yield undefined;
        continue;
      }
      if (only !== undefined) {
        for (const ordinal of only) {
          const row = admitted[ordinal] === 1 ? rowOf(column, ordinal) : -1;
          if (row >= 0) take(row, scoreRow(column, row, query));
        }
        continue;
      }
      for (let from = 0; from < rows; from += scoredAtOnce) {
        const to = Math.min(rows, from + scoredAtOnce);
        for (let row = from; row < to; row++) {
          if (admitted[ordinals[row]!] === 1) take(row, scoreRow(column, row, query));
        }
        yield undefined;
      }
    }
  });
}

/** Rows that are scored one by one. */
function* rowsWithin(
  column: VectorColumn,
  admitted: Uint8Array,
  only: readonly number[] | undefined,
): Generator<number> {
  for (const ordinal of only ?? column.ordinals) {
    const row = admitted[ordinal] === 1 ? rowOf(column, ordinal) : -1;
    if (row >= 0) yield row;
  }
}

function distanceOf({ segment, ordinal }: FoundChunk, query: ScoredQuery, vector: StoredVector): number {
  for (const column of columnsOf(segment, vector)) {
    const row = rowOf(column, ordinal);
    if (row >= 0) return distance(column, row, query);
  }
  return 0;
}

let products = new Float64Array(0);

/**
 * The scores of all admitted sparse rows, by cosine or dot product, out of the postings of the query's coordinates.
 *
 * **Shape** the very scores that `sparseDot` gives row by row: each row's products are added in ascending order of the coordinates, from 0.
 * **Cost** linear in those postings, and one look at every row; nothing is allocated but for scratch that grows once.
 */
function scanInverted(
  column: VectorColumn,
  admitted: Uint8Array,
  query: ScoredQuery,
  offer: (row: number, score: number) => void,
): void {
  const sparse = column.sparse();
  if (sparse === undefined) return;
  const { ordinals, rows } = column;
  const inverted = sparse.inverted();
  if (products.length < rows) products = new Float64Array(rows);
  products.fill(0, 0, rows);
  const { indices, values, start, end } = query.sparse;
  for (let i = start; i < end; i++) {
    const slot = inverted.slots.get(indices[i]!);
    if (slot === undefined) continue;
    const value = values[i]!;
    for (let at = inverted.starts[slot]!; at < inverted.starts[slot + 1]!; at++) {
      products[inverted.rows[at]!]! += inverted.values[at]! * value;
    }
  }
  for (let row = 0; row < rows; row++) {
    if (admitted[ordinals[row]!] === 1) offer(row, scoreProduct(products[row]!, sparse.norms[row]!, query));
  }
}
