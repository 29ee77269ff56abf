import type { EmbeddingKind } from "../contracts/embedding.ts";
import type { Scope } from "../contracts/scope.ts";
import { decodeTerms } from "./chunk-terms.ts";
import { createGrowingRows, type DenseForm, formOf, type GrowingRows } from "./dense-rows.ts";
import { createFactsColumn } from "./facts-column.ts";
import type { Segment, SegmentSource, VectorColumn } from "./segment.ts";
import { createSparseColumn, joinSparse } from "./sparse-rows.ts";
import { decodeVectors, type StoredVector } from "./stored-vector.ts";
import { columnName } from "./vector-column.ts";

/** A chunk that no sealed segment holds yet, with all that the index needs of it. */
export interface PendingRow {
  /** The chunk's row. */
  readonly key: number;
  readonly id: string;
  /** Changes whenever the row, or what filters see of the chunk, does. */
  readonly stamp: number;
  readonly live: boolean;
  /** As `encodeTerms` writes them. */
  readonly terms: Uint8Array;
  /** Sum of the terms' counts. */
  readonly length: number;
  /** As `encodeVectors` writes them. */
  readonly vectors: Uint8Array;
}

/**
 * The chunks that came last, kept in memory in order of arrival until there are enough for a sealed segment.
 * Terms and vectors are inverted when first searched, so that a run of writes costs no index work.
 */
export interface LiveSegment extends Segment {
  /** Rows that were not dropped. */
  readonly presentCount: number;
  add(row: PendingRow): void;
  drop(key: number): void;
  /** The ordinal of a chunk's row, or -1. */
  find(key: number): number;
  /** The rows that were not dropped, by ordinal. */
  rows(): Iterable<readonly [ordinal: number, row: PendingRow]>;
  row(ordinal: number): PendingRow;
}

interface GrowingColumn {
  readonly version: string;
  readonly kind: EmbeddingKind;
  readonly form: DenseForm;
  readonly ordinals: number[];
  readonly dense: GrowingRows | undefined;
  /** Only of vectors with a sparse part. */
  readonly sparse: StoredVector[];
  built: VectorColumn | undefined;
}

export function createLiveSegment(scope: Scope, source: SegmentSource): LiveSegment {
  const rows: (PendingRow | undefined)[] = [];
  const ordinals = new Map<number, number>();
  const postings = new Map<string, number[]>();
  const columns = new Map<string, GrowingColumn>();
  const admitted = new Map<string, Uint8Array>();
  const facts = createFactsColumn();
  let live = new Uint8Array(64);
  let lengths = new Uint32Array(64);
  let liveCount = 0;
  let liveLength = 0;
  let inverted = 0;
  let collected = 0;
  let rank: Uint32Array | undefined;

  /** Postings up to date with the rows: pairs of ordinal and count, end to end. */
  function invert(): void {
    for (; inverted < rows.length; inverted++) {
      const row = rows[inverted];
      if (row === undefined) continue;
      const { terms, counts } = decodeTerms(row.terms);
      for (let i = 0; i < terms.length; i++) {
        const pairs = postings.get(terms[i]!);
        if (pairs === undefined) postings.set(terms[i]!, [inverted, counts[i]!]);
        else pairs.push(inverted, counts[i]!);
      }
    }
  }

  function collectVectors(): void {
    for (; collected < rows.length; collected++) {
      const row = rows[collected];
      if (row === undefined) continue;
      for (const vector of decodeVectors(row.vectors)) {
        const name = columnName(vector);
        let column = columns.get(name);
        if (column === undefined) columns.set(name, (column = startColumn(vector)));
        column.ordinals.push(collected);
        column.dense?.add(vector.dense);
        if (vector.kind !== "dense") column.sparse.push(vector);
        column.built = undefined;
      }
    }
  }

  function rankById(): Uint32Array {
    const order = Array.from(rows, (_, i) => i);
    order.sort((a, b) => compare(rows[a]?.id ?? "", rows[b]?.id ?? ""));
    const ranks = new Uint32Array(order.length);
    order.forEach((ordinal, place) => {
      ranks[ordinal] = place;
    });
    return ranks;
  }

  return {
    scope,
    admitted,
    get size() {
      return rows.length;
    },
    get live() {
      return live;
    },
    get lengths() {
      return lengths;
    },
    get liveCount() {
      return liveCount;
    },
    get liveLength() {
      return liveLength;
    },
    get presentCount() {
      return ordinals.size;
    },
    get rank() {
      return (rank ??= rankById());
    },
    add(row) {
      const ordinal = rows.length;
      if (ordinal === live.length) {
        live = copyInto(new Uint8Array(ordinal * 2), live);
        lengths = copyInto(new Uint32Array(ordinal * 2), lengths);
      }
      rows.push(row);
      ordinals.set(row.key, ordinal);
      lengths[ordinal] = row.length;
      if (row.live) {
        live[ordinal] = 1;
        liveCount++;
        liveLength += row.length;
      }
      rank = undefined;
      admitted.clear();
    },
    drop(key) {
      const ordinal = ordinals.get(key);
      if (ordinal === undefined) return;
      ordinals.delete(key);
      rows[ordinal] = undefined;
      if (live[ordinal] === 1) {
        live[ordinal] = 0;
        liveCount--;
        liveLength -= lengths[ordinal]!;
      }
      rank = undefined;
      admitted.clear();
    },
    find: (key) => ordinals.get(key) ?? -1,
    *rows() {
      for (const ordinal of ordinals.values()) yield [ordinal, rows[ordinal]!];
    },
    row: (ordinal) => rows[ordinal]!,
    key: (ordinal) => rows[ordinal]!.key,
    chunkId: (ordinal) => rows[ordinal]!.id,
    postings(term) {
      invert();
      const pairs = postings.get(term);
      if (pairs === undefined) return undefined;
      const found = { ordinals: new Uint32Array(pairs.length / 2), counts: new Uint32Array(pairs.length / 2) };
      for (let i = 0; i < found.ordinals.length; i++) {
        found.ordinals[i] = pairs[2 * i]!;
        found.counts[i] = pairs[2 * i + 1]!;
      }
      return found;
    },
    column(version, kind, form) {
      collectVectors();
      const column = columns.get(`${form} ${kind} ${version}`);
      return column && (column.built ??= buildColumn(column));
    },
    *columns() {
      collectVectors();
      for (const column of columns.values()) yield (column.built ??= buildColumn(column));
    },
    facts() {
      while (facts.size < rows.length) {
        const row = rows[facts.size];
        facts.add(row === undefined ? { metadata: "{}", origin: "user-content" } : source.chunkFacts(row.key));
      }
      return facts.column();
    },
  };
}

function startColumn({ version, kind, dense }: StoredVector): GrowingColumn {
  const form = formOf(dense);
  return {
    version,
    kind,
    form,
    ordinals: [],
    dense: dense.length === 0 ? undefined : createGrowingRows(dense.length, form),
    sparse: [],
    built: undefined,
  };
}

function buildColumn({ version, kind, form, ordinals, dense, sparse }: GrowingColumn): VectorColumn {
  const { starts, indices, values } = joinSparse(sparse);
  const column = kind === "dense" ? undefined : createSparseColumn(starts, indices, values);
  return {
    version,
    kind,
    form,
    dimensions: dense?.dimensions ?? 0,
    rows: ordinals.length,
    ordinals: Uint32Array.from(ordinals),
    dense: () => dense,
    sparse: () => column,
  };
}

function copyInto<Numbers extends Uint8Array | Uint32Array>(grown: Numbers, before: Numbers): Numbers {
  grown.set(before);
  return grown;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
