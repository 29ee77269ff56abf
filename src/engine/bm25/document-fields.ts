import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Postings, Segment } from "../segments/segment.ts";
import {
  type AnalysedNames,
  analyseNames,
  type DocumentNames,
  type KeptNames,
  mapNumbers,
  type NamedEntries,
  type NamePostings,
  rarityOf,
  type StoredNames,
  sumMasses,
  weighTerms,
} from "./name-lists.ts";
import { createGrowingNumbers } from "../kernels/growing-numbers.ts";
import { encodeNames } from "./stored-names.ts";
import { lowerBound } from "./word-list.ts";

/** Chunks whose file's name has a term, and how often: `ordinals` ascend. */
export type FilePostings = Pick<Postings, "ordinals" | "counts">;

/**
 * Names of the documents of some segments, in the languages of their live chunks.
 *
 * An *entry* is a document in one language: its names have the terms that the words of its chunks have. All counts are over live chunks and their documents.
 */
export interface DocumentFields {
  /** Entry of each chunk, by ordinal; `noEntry` for one that is not live. */
  entriesOf(segment: Segment): Uint32Array;
  /** Document of each chunk, by ordinal; `noEntry` for one that is not live. */
  documentsOf(segment: Segment): Uint32Array;
  /** Document of each entry, from 0. */
  readonly documentOf: Uint32Array;
  readonly entries: number;
  readonly documents: number;
  /** Worth of one occurrence in the file's name, by entry. **Cost** computed once for the settings that were asked for last. */
  fileNorms(weight: number, b: number): Float64Array;
  /** `1 - b + b * length / mean` of each document, by the terms of its live chunks' text; overlaps count twice. **Cost** as `fileNorms`. */
  documentNorms(b: number): Float64Array;
  /** Sum of {@link rarity} over the distinct terms of each entry's title or file. */
  mass(name: keyof DocumentNames): Float64Array;
  holding(name: keyof DocumentNames, term: string): NamePostings | undefined;
  /** Lucene's idf over documents by title and file together. */
  rarity(term: string): number;
  /** Whether any file's name has a term. */
  hasFile(term: string): boolean;
  /** Whether a term of some file's name begins with the first three letters of a word. */
  mayHaveFile(word: string): boolean;
  filePostings(segment: Segment, terms: readonly string[]): FilePostings | undefined;
  /** Live chunks that have a term in any field, counted once. **Shape** kept for every term of a name, and for {@link mostKnown} others. */
  countOf(term: string, count: () => number): number;
  /** For the fields of a later state. */
  readonly names: AnalysedNames;
  /** Memory that the fields take, nearly. */
  readonly bytes: number;
}

export const noEntry = 0xffff_ffff;

/** Counts of terms that no name has; when there are more, all are forgotten. */
const mostKnown = 16_384;

/** Chunks that are placed in one step. */
const placedAtOnce = 8192;

/** A segment that may keep the names of its documents. */
type NamedSegment = Segment & { readDocuments?(): boolean; storedNames?(): StoredNames | undefined };

/** The names of a segment's documents, to be kept in its files. **Cost** as {@link buildDocumentFields}. */
export function* nameSegment(
  segment: NamedSegment,
  namesOf: (documents: readonly number[]) => ReadonlyMap<number, DocumentNames>,
  analyzer: Analyzer,
): Generator<undefined, Uint8Array> {
  while (segment.readDocuments?.() === true) yield;
  const homes = yield* placeChunks([segment]);
  return encodeNames(segment.documents(), yield* analyseNames(homes, namesOf, analyzer, undefined));
}

/**
 * Builds the fields of some segments in steps of some milliseconds.
 *
 * **Cost** linear in the chunks. Names are read and analysed once for each document and language. Names in fields from `before`, or that segments keep, are not read
 * again: no document may have another one since.
 */
export function* buildDocumentFields(
  segments: readonly NamedSegment[],
  namesOf: (documents: readonly number[]) => ReadonlyMap<number, DocumentNames>,
  analyzer: Analyzer,
  before?: DocumentFields,
): Generator<undefined, DocumentFields> {
  for (const segment of segments) while (segment.readDocuments?.() === true) yield;
  const homes = yield* placeChunks(segments, before?.entries);
  const { documentOf, rows, chunkCounts } = homes;
  const entries = documentOf.length;
  const documents = rows.length;
  const kept = segments.map((segment, i): KeptNames => ({
    from: homes.firsts[i]!,
    to: homes.firsts[i + 1] ?? entries,
    read: () => segment.storedNames?.(),
  }));
  const names = yield* analyseNames(homes, namesOf, analyzer, before?.names, kept);
  const { vocabulary, title: byTitle, file: byFile } = names;
  const rarities = yield* weighTerms(names);
  const masses = { title: yield* sumMasses(byTitle, rarities), file: yield* sumMasses(byFile, rarities) };
  let chunks = 0;
  let fileTerms = 0;
  let words = 0;
  for (let entry = 0; entry < entries; entry++) {
    chunks += chunkCounts[entry]!;
    fileTerms += chunkCounts[entry]! * byFile.lengths[entry]!;
  }
  for (const length of homes.documentLengths) words += length;
  let fileNorms: { readonly key: string; readonly norms: Float64Array } | undefined;
  let documentNorms: { readonly b: number; readonly norms: Float64Array } | undefined;
  /** One more than the count of each term of a name; 0 before it is counted. */
  const counts = new Uint32Array(vocabulary.count());
  const others = new Map<string, number>();
  const inverted = new Map<Segment, EntryChunks>();
  const chunksOf = (segment: Segment): EntryChunks => {
    let made = inverted.get(segment);
    if (made === undefined) inverted.set(segment, (made = groupChunks(homes.entriesOf(segment))));
    return made;
  };

  return {
    entriesOf: homes.entriesOf,
    documentsOf: homes.documentsOf,
    documentOf,
    entries,
    documents,
    fileNorms(weight, b) {
      if (fileNorms?.key !== `${weight} ${b}`) {
        const average = fileTerms / chunks;
        const normOf = (length: number): number => weight * (1 / (1 - b + (b * length) / average));
        fileNorms = { key: `${weight} ${b}`, norms: mapNumbers(byFile.lengths, normOf) };
      }
      return fileNorms.norms;
    },
    documentNorms(b) {
      if (documentNorms?.b !== b) {
        const average = words / documents;
        const normOf = (length: number): number => 1 - b + (b * length) / average;
        documentNorms = { b, norms: mapNumbers(homes.documentLengths, normOf) };
      }
      return documentNorms.norms;
    },
    mass: (name) => masses[name],
    holding(name, term) {
      const at = vocabulary.findText(term);
      return at < 0 ? undefined : (name === "title" ? byTitle : byFile).holding(at);
    },
    rarity: (term) => rarities[vocabulary.findText(term)] ?? rarityOf(documents, 0),
    hasFile: (term) => byFile.holding(vocabulary.findText(term)) !== undefined,
    mayHaveFile: (word) => names.beginnings.has(word),
    filePostings(segment, terms) {
      const found = terms.flatMap((term) => byFile.holding(vocabulary.findText(term)) ?? []);
      return found.length === 0 ? undefined : spreadOver(chunksOf(segment), found);
    },
    countOf(term, count) {
      const at = vocabulary.findText(term);
      if (at >= 0) return (counts[at] ||= count() + 1) - 1;
      let number = others.get(term);
      if (number !== undefined) return number;
      number = count();
      if (others.size >= mostKnown) others.clear();
      others.set(term, number);
      return number;
    },
    names,
    bytes:
      homes.bytes * 2 +
      entries * 56 +
      documents * 24 +
      byTitle.bytes +
      byFile.bytes +
      vocabulary.bytes +
      vocabulary.count() * 12 +
      mostKnown * 90,
  };
}

interface PlacedChunks extends NamedEntries {
  readonly entriesOf: (segment: Segment) => Uint32Array;
  readonly documentsOf: (segment: Segment) => Uint32Array;
  /** The first entry that begins in each segment, or in a later one. */
  readonly firsts: readonly number[];
  /** Live chunks, by entry. */
  readonly chunkCounts: Uint32Array;
  readonly documentLengths: Uint32Array;
  readonly bytes: number;
}

/** Numbers the documents and entries of live chunks. `about` as many entries are expected. */
function* placeChunks(segments: readonly Segment[], about = 0): Generator<undefined, PlacedChunks> {
  const places = createRowPlaces(segments);
  const rows: number[] = [];
  const documentOf = createGrowingNumbers(about + 256);
  const languageOf: string[] = [];
  /** The last entry of each document. */
  const lastOf = createGrowingNumbers(about + 256);
  /** The entry before each one in its document; `noEntry` for its first. */
  const before = createGrowingNumbers(about + 256);
  const lengths = createGrowingNumbers(about + 256);
  const counts = createGrowingNumbers(about + 256);
  const bySegment = new Map<Segment, Uint32Array>();
  const firsts: number[] = [];
  let bytes = 0;

  function entryIn(row: number, language: string): number {
    let document = places.get(row);
    if (document < 0) {
      places.set(row, (document = rows.length));
      rows.push(row);
      lastOf.push(noEntry);
      lengths.push(0);
    }
    for (let entry = lastOf.at(document); entry !== noEntry; entry = before.at(entry))
      if (languageOf[entry] === language) return entry;
    before.push(lastOf.at(document));
    lastOf.set(document, documentOf.length);
    documentOf.push(document);
    languageOf.push(language);
    counts.push(0);
    return documentOf.length - 1;
  }

  /** Places chunks `from … to`. Chunks of a document stand together mostly, and are counted together. */
  function placeSome(segment: Segment, own: Uint32Array, only: string | undefined, from: number, to: number): void {
    const { live, textLengths } = segment;
    const documents = segment.documents();
    for (let i = from; i < to;) {
      if (live[i] !== 1) {
        i++;
        continue;
      }
      const row = documents[i]!;
      const language = only ?? segment.languageOf(i);
      const entry = entryIn(row, language);
      let words = 0;
      let count = 0;
      do {
        own[i] = entry;
        words += textLengths[i]!;
        count++;
        i++;
      } while (i < to && live[i] === 1 && documents[i] === row && (only ?? segment.languageOf(i)) === language);
      const document = documentOf.at(entry);
      lengths.set(document, lengths.at(document) + words);
      counts.set(entry, counts.at(entry) + count);
    }
  }

  for (const segment of segments) {
    firsts.push(documentOf.length);
    const { size } = segment;
    const languages = [...segment.languages()];
    const only = languages.length === 1 ? languages[0] : undefined;
    const own = new Uint32Array(size).fill(noEntry);
    for (let from = 0; from < size; from += placedAtOnce) {
      yield;
      placeSome(segment, own, only, from, Math.min(from + placedAtOnce, size));
    }
    bySegment.set(segment, own);
    bytes += own.byteLength;
  }
  const homes = documentOf.take();
  const isOneEach = homes.length === rows.length;
  const documentsBySegment = new Map<Segment, Uint32Array>();
  const entriesOf = (segment: Segment): Uint32Array => bySegment.get(segment)!;
  return {
    entriesOf,
    documentsOf: (segment) => {
      // Documents in one language each are numbered as their entries are.
      if (isOneEach) return entriesOf(segment);
      let made = documentsBySegment.get(segment);
      if (made === undefined) {
        made = entriesOf(segment).map((entry) => (entry === noEntry ? noEntry : homes[entry]!));
        documentsBySegment.set(segment, made);
      }
      return made;
    },
    documentOf: homes,
    languageOf,
    rows,
    firsts,
    chunkCounts: counts.take(),
    documentLengths: lengths.take(),
    bytes,
  };
}

/** A number of each row; -1 for one that has none. **Shape** a list where rows are dense, as those of a catalog mostly are. */
function createRowPlaces(segments: readonly Segment[]): {
  get(row: number): number;
  set(row: number, n: number): void;
} {
  let [most, chunks] = [0, 0];
  for (const segment of segments) {
    const documents = segment.documents();
    chunks += segment.size;
    for (let i = 0; i < segment.size; i++) if (documents[i]! > most) most = documents[i]!;
  }
  if (most > 1024 + 2 * chunks) {
    const places = new Map<number, number>();
    return { get: (row) => places.get(row) ?? -1, set: (row, n) => void places.set(row, n) };
  }
  const places = new Int32Array(most + 1).fill(-1);
  return { get: (row) => places[row]!, set: (row, n) => void (places[row] = n) };
}

/** Chunks of one segment by entry, from its `first` on: entry `first + e` has `ordinals[starts[e] … starts[e + 1])`, ascending. */
interface EntryChunks {
  readonly first: number;
  readonly starts: Uint32Array;
  readonly ordinals: Uint32Array;
}

/** **Cost** memory follows the entries between the segment's first and its last. */
function groupChunks(own: Uint32Array): EntryChunks {
  let [first, last] = [noEntry, -1];
  for (const entry of own) {
    if (entry === noEntry) continue;
    if (entry < first) first = entry;
    if (entry > last) last = entry;
  }
  const entries = Math.max(0, last - first + 1);
  const starts = new Uint32Array(entries + 1);
  for (const entry of own) if (entry !== noEntry) starts[entry - first + 1]!++;
  for (let i = 0; i < entries; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice();
  const ordinals = new Uint32Array(starts[entries]!);
  own.forEach((entry, ordinal) => {
    if (entry !== noEntry) ordinals[next[entry - first]!++] = ordinal;
  });
  return { first, starts, ordinals };
}

/** The chunks of some entries, each with the sum of its entry's counts. */
function spreadOver(
  { first, starts, ordinals }: EntryChunks,
  named: readonly NamePostings[],
): FilePostings | undefined {
  const found = named.map(({ entries, counts }) => {
    const [from, to] = [lowerBound(entries, first), lowerBound(entries, first + starts.length - 1)];
    return { entries: entries.subarray(from, to).map((entry) => entry - first), counts: counts.subarray(from, to) };
  });
  let most = 0;
  for (const { entries } of found) for (const entry of entries) most += starts[entry + 1]! - starts[entry]!;
  if (most === 0) return undefined;
  const spread: Record<"ordinals" | "counts", Uint32Array> = {
    ordinals: new Uint32Array(most),
    counts: new Uint32Array(most),
  };
  let size = 0;
  let isSorted = true;
  for (const { entries, counts } of found) {
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!;
      for (let at = starts[entry]!; at < starts[entry + 1]!; at++) {
        if (size > 0 && ordinals[at]! <= spread.ordinals[size - 1]!) isSorted = false;
        spread.ordinals[size] = ordinals[at]!;
        spread.counts[size++] = counts[i]!;
      }
    }
  }
  if (isSorted) return spread;
  const sums = new Map<number, number>();
  for (let i = 0; i < size; i++) {
    sums.set(spread.ordinals[i]!, (sums.get(spread.ordinals[i]!) ?? 0) + spread.counts[i]!);
  }
  const sorted = Uint32Array.from(sums.keys()).sort();
  return { ordinals: sorted, counts: sorted.map((ordinal) => sums.get(ordinal)!) };
}

/** Text postings with the chunks of named files among them. **Cost** linear in both. */
export function joinFiles(list: Postings | undefined, files: FilePostings | undefined): Postings | undefined {
  if (files === undefined) return list;
  const none = new Uint32Array(0);
  const { ordinals: left, counts, names } = list ?? { ordinals: none, counts: none, names: undefined };
  const right = files.ordinals;
  const most = left.length + right.length;
  const joined = { ordinals: new Uint32Array(most), counts: new Uint32Array(most), files: new Uint32Array(most) };
  const joinedNames = names && new Uint32Array(most);
  let length = 0;
  for (let i = 0, j = 0; i < left.length || j < right.length; length++) {
    const [a, b] = [left[i] ?? Infinity, right[j] ?? Infinity];
    joined.ordinals[length] = Math.min(a, b);
    if (a <= b) {
      joined.counts[length] = counts[i]!;
      if (names !== undefined) joinedNames![length] = names[i]!;
      i++;
    }
    if (b <= a) joined.files[length] = files.counts[j++]!;
  }
  return {
    ordinals: joined.ordinals.subarray(0, length),
    counts: joined.counts.subarray(0, length),
    names: joinedNames?.subarray(0, length),
    files: joined.files.subarray(0, length),
  };
}
