import { IbidError } from "../../contracts/errors.ts";
import type { Scope } from "../../contracts/scope.ts";
import { countBits, packBits, unpackBits } from "../kernels/bitset.ts";
import { asFloat64, asUint32, narrowRows, type RowNumbers } from "./bytes.ts";
import { createFactsColumn, factsAtOnce, type GrowingFacts } from "./facts-column.ts";
import type { FieldLengths } from "./chunk-terms.ts";
import { languageAt, type LanguageColumn, liveLanguages, readLanguages } from "./language-column.ts";
import { createPostingsCache } from "../bm25/postings-cache.ts";
import type { StoredNames } from "../bm25/name-lists.ts";
import { readStoredDocuments, readStoredNames } from "../bm25/stored-names.ts";
import { findBlock, findPostings, readIndex, termsOf } from "./postings-file.ts";
import type { MetadataColumn, ReadBytes, Segment, SegmentSource, VectorColumn } from "./segment.ts";
import type { ExpectParts } from "./sealed-rows.ts";
import type { ColumnHeader } from "./column-header.ts";
import { createIdReader } from "./kept-ids.ts";
import { readColumn } from "../vectors/vector-column.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** The part of a segment that is read when it is opened. The rest lies in its files. */
export interface SegmentRow {
  readonly key: number;
  /** The scope's row. */
  readonly scope: number;
  readonly size: number;
  /** Changes whenever `state`, or what filters see of its chunks, does. */
  readonly stamp: number;
  /** Chunk rows by ordinal: 64-bit floats, as many as `size`. */
  readonly keys: Uint8Array;
  /** Terms of the texts by ordinal, then of the names: 32-bit. */
  readonly lengths: Uint8Array;
  /** Two bit sets, one after the other: what can be found, and what has a row still. */
  readonly state: Uint8Array;
  /** The vectors that it has, as JSON. */
  readonly columns: string;
}

/** A segment that does not change but for which of its chunks are alive. Ordinals are in order of uri and start, as they were when it was made. */
export interface SealedSegment extends Segment {
  readonly row: number;
  readonly stamp: number;
  /** 1 for chunks that have a row still: the live ones and the restorable. May be longer than `size`. */
  readonly present: Uint8Array;
  readonly presentCount: number;
  /** Reads the next of what `documents` gives. **Shape** whether there are more. */
  readDocuments(): boolean;
  /** Names of its documents as they were analysed, where they are kept. **Cost** read anew each time. */
  storedNames(): StoredNames | undefined;
  /** The ordinal of a chunk's row, or -1. */
  find(key: number): number;
  /** Language of each chunk, by ordinal; for merging. */
  languageColumn(): LanguageColumn;
  /** Headers of the columns. A dropped column has version `""`, so that the others keep their places. */
  headers(): readonly ColumnHeader[];
  /** Every block of its postings; for merging. */
  blocks(): Iterable<Uint8Array>;
  /** Takes over a newer state of the same segment. */
  restate(changed: Pick<SegmentRow, "state" | "columns">, stamp: number): void;
}

/** Linear lookups of keys before they are sorted: a search finds a few dozen, and sorting takes as long as a thousand lookups. */
const mostScans = 256;

/** Chunks whose documents are read together: a millisecond or two. */
const placedAtOnce = 2048;

export function packState(live: Uint8Array, present: Uint8Array, size: number): Uint8Array {
  const bytes = (size + 7) >> 3;
  const state = new Uint8Array(2 * bytes);
  state.set(packBits(live, size));
  state.set(packBits(present, size), bytes);
  return state;
}

/** **Cost** the three arrays of the row; postings, vectors and metadata are read when first asked for. */
export function openSealedSegment(scope: Scope, row: SegmentRow, source: SegmentSource): SealedSegment {
  const { size } = row;
  if (!(size >= 0) || row.keys.length !== 8 * size || row.lengths.length < 4 * size) damagedRow();
  const [keys, lengths] = [narrowRows(asFloat64(row.keys)), asUint32(row.lengths)];
  const [textLengths, nameLengths] = [lengths.subarray(0, size), lengths.subarray(size)];
  let columnsText = row.columns;
  let headers = readHeaders(row.columns);
  const columns = new Map<number, VectorColumn>();
  const admitted = new Map<string, Uint8Array>();
  let stamp = row.stamp;
  let live: Uint8Array = new Uint8Array(0);
  let present: Uint8Array = new Uint8Array(0);
  let liveCount = 0;
  let liveLengths: FieldLengths = { text: 0, names: 0 };
  let presentCount = 0;
  let firsts: readonly string[] | undefined;
  let spoken: LanguageColumn | undefined;
  let languages: ReadonlySet<string> | undefined;
  let documents: RowNumbers = new Float64Array(0);
  /** Those on their way. */
  let arriving = new Float64Array(0);
  /** Chunks whose documents were read. */
  let placed = 0;
  const ids = createIdReader(keys, source);
  const facts = createFactsReader(keys, source);
  const lists = createPostingsCache((term) => {
    const block = findBlock(index(), term);
    return block < 0 ? undefined : findPostings(file("postings", block), term);
  });
  takeState(row.state);

  function takeState(state: Uint8Array): void {
    const bytes = (size + 7) >> 3;
    if (state.length < 2 * bytes) damagedRow();
    live = unpackBits(state, size);
    present = unpackBits(state.subarray(bytes), size);
    liveCount = countBits(state.subarray(0, bytes));
    presentCount = countBits(state.subarray(bytes));
    const all = liveCount === size ? undefined : live;
    liveLengths = { text: sumLengths(textLengths, all), names: sumLengths(nameLengths, all) };
    languages = undefined;
  }

  const file = (name: string, part: number): Uint8Array => source.file(row.key, name, part) ?? missingPart(name, part);

  function index(): readonly string[] {
    return (firsts ??= readIndex(file("terms", 0)));
  }

  function languageColumn(): LanguageColumn {
    return (spoken ??= readLanguages(file("languages", 0)));
  }

  function readDocuments(): boolean {
    if (placed === size) return false;
    if (placed === 0) {
      const kept = source.names?.(row.key);
      if (kept !== undefined) {
        documents = narrowRows(readStoredDocuments(kept, size));
        placed = size;
        return false;
      }
      arriving = new Float64Array(size);
    }
    const to = Math.min(size, placed + placedAtOnce);
    arriving.set(source.chunkDocuments(Array.from(keys.subarray(placed, to))), placed);
    placed = to;
    if (placed < size) return true;
    documents = narrowRows(arriving);
    arriving = new Float64Array(0);
    return false;
  }

  function load(column: number): VectorColumn {
    let loaded = columns.get(column);
    if (loaded === undefined)
      columns.set(column, (loaded = readColumn(headers[column]!, column, file, ...partsOf(source, row.key))));
    return loaded;
  }

  return {
    scope,
    row: row.key,
    size,
    textLengths,
    nameLengths,
    admitted,
    get stamp() {
      return stamp;
    },
    get live() {
      return live;
    },
    get present() {
      return present;
    },
    get liveCount() {
      return liveCount;
    },
    get liveLengths() {
      return liveLengths;
    },
    get presentCount() {
      return presentCount;
    },
    key: (ordinal) => keys[ordinal]!,
    chunkId: (ordinal) => ids.chunkId(ordinal),
    chunkIds: (ordinals) => ids.chunkIds(ordinals),
    documents() {
      while (readDocuments());
      return documents;
    },
    readDocuments,
    storedNames() {
      const kept = source.names?.(row.key);
      return kept && readStoredNames(kept, size);
    },
    places: (ordinals) => source.chunkPlaces(ordinals.map((ordinal) => keys[ordinal]!)),
    postings: (term) => lists.get(term),
    expect: source.expect && ((terms) => source.expect!(row.key, "postings", blocksOf(index(), terms))),
    frequencyOf: (term) => source.frequency?.(row.key, term),
    *terms(prefix) {
      for (let block = Math.max(0, findBlock(index(), prefix)); block < index().length; block++) {
        if ((yield* termsOf(file("postings", block), prefix)) === "done") return;
      }
    },
    languages: () => (languages ??= liveLanguages(languageColumn(), live)),
    languageOf: (ordinal) => languageAt(languageColumn(), ordinal),
    column(version, kind, form) {
      const column = headers.findIndex(
        (header) => header.version === version && header.kind === kind && (header.form ?? "float32") === form,
      );
      return column < 0 ? undefined : load(column);
    },
    *columns(isWanted = () => true) {
      for (const [column, { version }] of headers.entries())
        if (version !== "" && isWanted(version)) yield load(column);
    },
    facts: () => facts.column(present),
    readFacts: () => facts.read(present),
    find: createKeyFinder(keys),
    languageColumn,
    headers: () => headers,
    *blocks() {
      for (let block = 0; block < index().length; block++) yield file("postings", block);
    },
    restate(changed, newStamp) {
      takeState(changed.state);
      if (changed.columns !== columnsText) {
        columnsText = changed.columns;
        headers = readHeaders(columnsText);
        for (const [at, { version, rows }] of columns) {
          if (headers[at]?.version !== version || headers[at].rows !== rows) columns.delete(at);
        }
      }
      stamp = newStamp;
      facts.forget();
      placed = 0;
      admitted.clear();
    },
  };
}

function readHeaders(columns: string): readonly ColumnHeader[] {
  const headers = parseStored(columns);
  if (!Array.isArray(headers) || !headers.every((header: unknown) => typeof header === "object" && header !== null))
    damagedRow();
  return headers as readonly ColumnHeader[];
}

/** **Errors** `store-corrupt`, always. */
function damagedRow(): never {
  throw new IbidError("store-corrupt", "The row of a segment has not the size that it should have.", {
    hint: "Run ibid doctor. Restore the database from a backup, or ingest the documents again into a new one.",
  });
}

/** Finds the ordinal of a key, or -1. **Cost** a scan the first few times, then a search in an order that is made once. */
function createKeyFinder(keys: RowNumbers): (key: number) => number {
  let scans = 0;
  let byKey: Uint32Array | undefined;
  return (key) => {
    if (byKey === undefined && scans < mostScans) {
      scans++;
      return keys.indexOf(key);
    }
    byKey ??= new Uint32Array(keys.length).map((_, i) => i).sort((a, b) => keys[a]! - keys[b]!);
    let low = 0;
    let high = byKey.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (keys[byKey[middle]!]! < key) low = middle + 1;
      else high = middle;
    }
    return low < byKey.length && keys[byKey[low]!] === key ? byKey[low]! : -1;
  };
}

/** How a segment's columns read parts of their files. */
function partsOf(
  source: SegmentSource,
  key: number,
): readonly [bytes: (name: string) => ReadBytes | undefined, expect: ExpectParts | undefined] {
  const bytes = (name: string): ReadBytes | undefined => source.bytes?.(key, name);
  const expect: ExpectParts | undefined = source.expect && ((...parts) => source.expect!(key, ...parts));
  return [bytes, expect];
}

/** The blocks of postings that terms lie in. */
function blocksOf(firsts: readonly string[], terms: Iterable<string>): readonly number[] {
  const blocks = new Set<number>();
  for (const term of terms) blocks.add(findBlock(firsts, term));
  blocks.delete(-1);
  return [...blocks];
}

/** **Errors** `store-corrupt`, always. */
function missingPart(name: string, part: number): never {
  throw new IbidError("store-corrupt", `A part of the index is missing: ${name}, part ${part}.`, {
    hint: "Restore the file from a backup, or ingest the documents again into a new one.",
  });
}

/** Facts by ordinal, in pieces. A deleted chunk has no row, and is never looked up. */
function createFactsReader(keys: RowNumbers, source: SegmentSource) {
  let whole: MetadataColumn | undefined;
  /** Facts on their way. */
  let growing: GrowingFacts | undefined;

  function read(present: Uint8Array): boolean {
    if (whole !== undefined) return false;
    growing ??= createFactsColumn(keys.length);
    const from = growing.size;
    const to = Math.min(keys.length, from + factsAtOnce);
    const asked: number[] = [];
    for (let i = from; i < to; i++) if (present[i] === 1) asked.push(keys[i]!);
    const found = source.chunkFacts(asked).values();
    for (let i = from; i < to; i++) growing.add(present[i] === 1 ? found.next().value! : nothing);
    if (to < keys.length) return true;
    whole = growing.column();
    growing = undefined;
    return false;
  }

  return {
    read,
    column(present: Uint8Array): MetadataColumn {
      while (read(present));
      return whole!;
    },
    forget() {
      whole = undefined;
      growing = undefined;
    },
  };
}

const nothing = { metadata: "{}", origin: "user-content" } as const;

/** Sum over the ordinals whose flag is not 0; over all without flags. */
function sumLengths(lengths: Uint32Array, flags: Uint8Array | undefined): number {
  let sum = 0;
  // By number: a process that asks once runs this before it is compiled, and going through an iterator then takes several times as long.
  if (flags === undefined) for (let i = 0; i < lengths.length; i++) sum += lengths[i]!;
  else for (let i = 0; i < lengths.length; i++) sum += flags[i]! * lengths[i]!;
  return sum;
}
