import type { EmbeddingKind } from "../../contracts/embedding.ts";
import type { Scope } from "../../contracts/scope.ts";
import { decodeTerms, type FieldLengths, lengthsOf } from "./chunk-terms.ts";
import { createGrowingRows, type DenseForm, formOf, type GrowingRows } from "../vectors/dense-rows.ts";
import { createFactsColumn, factsAtOnce } from "./facts-column.ts";
import { createPostingsCache } from "../bm25/postings-cache.ts";
import type { Postings, Segment, SegmentSource, StoredFacts, VectorColumn } from "./segment.ts";
import { createSparseColumn, joinSparse } from "../vectors/sparse-rows.ts";
import { decodeVectors, type StoredVector } from "../vectors/stored-vector.ts";
import { columnName } from "../vectors/vector-column.ts";

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
  /** Decodes the terms of some more rows, which a search would do for all of them in one go. **Shape** whether there are others. */
  readTerms(): boolean;
}

/** Rows whose terms are decoded together: a millisecond or two. */
const termsAtOnce = 64;

/** Facts of a row that was dropped: nothing asks for them. */
const nothing: StoredFacts = { metadata: "{}", origin: "user-content" };

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
  /** By term: ordinal, count in the text and count in the names of one chunk after the other. */
  const postings = new Map<string, number[]>();
  const lists = createPostingsCache(buildPostings);
  const spoken: string[] = [];
  const columns = new Map<string, GrowingColumn>();
  const admitted = new Map<string, Uint8Array>();
  const facts = createFactsColumn();
  let live = new Uint8Array(64);
  let textLengths = new Uint32Array(64);
  let nameLengths = new Uint32Array(64);
  let liveCount = 0;
  let documents: Float64Array = new Float64Array(0);
  let liveLengths: FieldLengths | undefined;
  let languages: ReadonlySet<string> | undefined;
  let inverted = 0;
  let collected = 0;

  /** Postings, lengths and languages up to date with the rows, or with so many more of them. */
  function invert(most = Infinity): boolean {
    if (inverted === rows.length) return false;
    lists.clear();
    for (const end = Math.min(rows.length, inverted + most); inverted < end; inverted++) {
      const row = rows[inverted];
      if (row === undefined) continue;
      const decoded = decodeTerms(row.terms);
      const { terms, counts, names } = decoded;
      const { text, names: named } = lengthsOf(decoded);
      textLengths[inverted] = text;
      nameLengths[inverted] = named;
      spoken[inverted] = decoded.language;
      for (let i = 0; i < terms.length; i++) {
        const entries = postings.get(terms[i]!);
        if (entries === undefined) postings.set(terms[i]!, [inverted, counts[i]!, names[i]!]);
        else entries.push(inverted, counts[i]!, names[i]!);
      }
    }
    return inverted < rows.length;
  }

  function buildPostings(term: string): Postings | undefined {
    const entries = postings.get(term);
    if (entries === undefined) return undefined;
    const length = entries.length / 3;
    const list = { ordinals: new Uint32Array(length), counts: new Uint32Array(length), names: new Uint32Array(length) };
    let named = 0;
    for (let i = 0; i < length; i++) {
      list.ordinals[i] = entries[3 * i]!;
      list.counts[i] = entries[3 * i + 1]!;
      list.names[i] = entries[3 * i + 2]!;
      named += entries[3 * i + 2]!;
    }
    return named > 0 ? list : { ...list, names: undefined };
  }

  function sumLengths(): FieldLengths {
    invert();
    let text = 0;
    let names = 0;
    for (let i = 0; i < rows.length; i++) {
      text += live[i]! * textLengths[i]!;
      names += live[i]! * nameLengths[i]!;
    }
    return { text, names };
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

  function readFacts(): boolean {
    const fresh = rows.slice(facts.size, facts.size + factsAtOnce);
    const read = source.chunkFacts(fresh.flatMap((row) => row?.key ?? [])).values();
    for (const row of fresh) facts.add(row === undefined ? nothing : read.next().value!);
    return facts.size < rows.length;
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
    get textLengths() {
      invert();
      return textLengths;
    },
    get nameLengths() {
      invert();
      return nameLengths;
    },
    get liveCount() {
      return liveCount;
    },
    get liveLengths() {
      return (liveLengths ??= sumLengths());
    },
    get presentCount() {
      return ordinals.size;
    },
    add(row) {
      const ordinal = rows.length;
      if (ordinal === live.length) {
        live = copyInto(new Uint8Array(ordinal * 2), live);
        textLengths = copyInto(new Uint32Array(ordinal * 2), textLengths);
        nameLengths = copyInto(new Uint32Array(ordinal * 2), nameLengths);
      }
      rows.push(row);
      ordinals.set(row.key, ordinal);
      if (row.live) {
        live[ordinal] = 1;
        liveCount++;
      }
      liveLengths = undefined;
      languages = undefined;
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
      }
      liveLengths = undefined;
      languages = undefined;
      admitted.clear();
    },
    find: (key) => ordinals.get(key) ?? -1,
    *rows() {
      for (const ordinal of ordinals.values()) yield [ordinal, rows[ordinal]!];
    },
    row: (ordinal) => rows[ordinal]!,
    readTerms: () => invert(termsAtOnce),
    key: (ordinal) => rows[ordinal]!.key,
    chunkId: (ordinal) => rows[ordinal]!.id,
    chunkIds: (wanted) => wanted.map((ordinal) => rows[ordinal]!.id),
    documents: () =>
      documents.length === rows.length ? documents : (documents = readDocuments(rows, documents, source)),
    places: (wanted) => source.chunkPlaces(wanted.map((ordinal) => rows[ordinal]!.key)),
    postings(term) {
      invert();
      return lists.get(term);
    },
    terms(prefix) {
      invert();
      return [...postings.keys()].filter((term) => term.startsWith(prefix)).sort();
    },
    languages() {
      invert();
      return (languages ??= new Set(spoken.filter((_, ordinal) => live[ordinal] === 1)));
    },
    languageOf(ordinal) {
      invert();
      return spoken[ordinal] ?? "";
    },
    column(version, kind, form) {
      collectVectors();
      const column = columns.get(`${form} ${kind} ${version}`);
      return column && (column.built ??= buildColumn(column));
    },
    *columns(isWanted = () => true) {
      collectVectors();
      for (const column of columns.values()) if (isWanted(column.version)) yield (column.built ??= buildColumn(column));
    },
    facts() {
      while (readFacts());
      return facts.column();
    },
    readFacts,
  };
}

/** Documents of all rows, of which some are known. */
function readDocuments(
  rows: readonly (PendingRow | undefined)[],
  known: Float64Array,
  source: SegmentSource,
): Float64Array {
  const documents = new Float64Array(rows.length);
  documents.set(known);
  const fresh = rows.slice(known.length);
  const read = source.chunkDocuments(fresh.flatMap((row) => row?.key ?? [])).values();
  fresh.forEach((row, i) => (documents[known.length + i] = row === undefined ? 0 : read.next().value!));
  return documents;
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
