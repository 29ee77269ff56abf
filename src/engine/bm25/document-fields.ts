import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Postings, Segment } from "../segments/segment.ts";

/** The names of a document: its title, and its file's name as words. */
export interface DocumentNames {
  readonly title: string;
  readonly file: string;
}

/**
 * Names of the documents of some segments, in the languages of their live chunks.
 *
 * An *entry* is a document in one language: its names have the terms that the words of its chunks have. All counts are over live chunks and their documents.
 */
export interface DocumentFields {
  /** Entry of each chunk, by ordinal; `noEntry` for one that is not live. */
  entriesOf(segment: Segment): Uint32Array;
  /** Document of each entry, from 0. */
  readonly documentOf: Uint32Array;
  readonly entries: number;
  readonly documents: number;
  /** Terms of the file's name, by entry. */
  readonly fileLengths: Uint32Array;
  /** Mean of these over live chunks. */
  readonly averageFile: number;
  /** Terms of the text of each document's live chunks, overlaps counted twice. */
  readonly documentLengths: Float64Array;
  /** The distinct terms of an entry's title or file. */
  termsOf(entry: number, name: keyof DocumentNames): ReadonlySet<string>;
  /** Entries whose title or file has a term. */
  entriesWith(term: string): readonly number[];
  /** Documents whose title or file has a term. */
  documentsWith(term: string): number;
  /** Whether any file's name has a term. */
  hasFile(term: string): boolean;
  /** Chunks whose file's name has one of the terms: `names` is absent, `counts` are occurrences in the file's name. */
  filePostings(segment: Segment, terms: readonly string[]): Pick<Postings, "ordinals" | "counts"> | undefined;
}

export const noEntry = 0xffff_ffff;

interface Entry {
  readonly title: ReadonlySet<string>;
  readonly file: ReadonlyMap<string, number>;
  readonly fileTerms: ReadonlySet<string>;
}

/**
 * Builds the fields of some segments.
 *
 * **Cost** linear in the chunks; names are analysed once for each document and language.
 */
export function createDocumentFields(
  segments: readonly Segment[],
  namesOf: (documents: readonly number[]) => ReadonlyMap<number, DocumentNames>,
  analyzer: Analyzer,
): DocumentFields {
  const rows = new Set<number>();
  for (const segment of segments) {
    const documents = segment.documents();
    for (let i = 0; i < segment.size; i++) if (segment.live[i] === 1) rows.add(documents[i]!);
  }
  const names = namesOf([...rows]);
  const places = new Map<number, number>();
  for (const row of rows) places.set(row, places.size);

  const bySegment = new Map<Segment, Uint32Array>();
  const entries: Entry[] = [];
  const documentOf: number[] = [];
  const known = new Map<string, number>();
  const lengths = new Float64Array(places.size);
  let chunks = 0;
  let fileTerms = 0;
  for (const segment of segments) {
    const documents = segment.documents();
    const own = new Uint32Array(segment.size).fill(noEntry);
    for (let i = 0; i < segment.size; i++) {
      if (segment.live[i] !== 1) continue;
      const row = documents[i]!;
      const language = segment.languageOf(i);
      const key = `${row} ${language}`;
      let entry = known.get(key);
      if (entry === undefined) {
        known.set(key, (entry = entries.length));
        entries.push(analyzeNames(analyzer, names.get(row) ?? { title: "", file: "" }, language));
        documentOf.push(places.get(row)!);
      }
      own[i] = entry;
      lengths[documentOf[entry]!]! += segment.textLengths[i]!;
      chunks++;
      fileTerms += lengthOf(entries[entry]!);
    }
    bySegment.set(segment, own);
  }

  const withTerm = new Map<string, number[]>();
  const withFile = new Map<string, number[]>();
  entries.forEach(({ title, file, fileTerms: own }, entry) => {
    for (const term of file.keys()) add(withFile, term, entry);
    for (const term of new Set([...title, ...own])) add(withTerm, term, entry);
  });
  const documentCounts = new Map<string, number>();
  const inverted = new Map<Segment, { readonly starts: Uint32Array; readonly ordinals: Uint32Array }>();

  function chunksOf(segment: Segment): { readonly starts: Uint32Array; readonly ordinals: Uint32Array } {
    let made = inverted.get(segment);
    if (made !== undefined) return made;
    const own = bySegment.get(segment)!;
    const starts = new Uint32Array(entries.length + 1);
    for (const entry of own) if (entry !== noEntry) starts[entry + 1]!++;
    for (let i = 0; i < entries.length; i++) starts[i + 1]! += starts[i]!;
    const next = starts.slice();
    const ordinals = new Uint32Array(starts[entries.length]!);
    own.forEach((entry, ordinal) => {
      if (entry !== noEntry) ordinals[next[entry]!++] = ordinal;
    });
    inverted.set(segment, (made = { starts, ordinals }));
    return made;
  }

  return {
    entriesOf: (segment) => bySegment.get(segment)!,
    documentOf: Uint32Array.from(documentOf),
    entries: entries.length,
    documents: places.size,
    fileLengths: Uint32Array.from(entries, lengthOf),
    averageFile: chunks === 0 ? 0 : fileTerms / chunks,
    documentLengths: lengths,
    termsOf: (entry, name) => (name === "title" ? entries[entry]!.title : entries[entry]!.fileTerms),
    entriesWith: (term) => withTerm.get(term) ?? [],
    documentsWith(term) {
      let count = documentCounts.get(term);
      if (count === undefined) {
        count = new Set(withTerm.get(term)?.map((entry) => documentOf[entry]!)).size;
        documentCounts.set(term, count);
      }
      return count;
    },
    hasFile: (term) => withFile.has(term),
    filePostings(segment, terms) {
      const counts = new Map<number, number>();
      for (const term of terms) {
        for (const entry of withFile.get(term) ?? [])
          counts.set(entry, (counts.get(entry) ?? 0) + entries[entry]!.file.get(term)!);
      }
      if (counts.size === 0) return undefined;
      const { starts, ordinals } = chunksOf(segment);
      const found: number[] = [];
      for (const entry of counts.keys()) {
        for (let i = starts[entry]!; i < starts[entry + 1]!; i++) found.push(ordinals[i]!);
      }
      if (found.length === 0) return undefined;
      const own = bySegment.get(segment)!;
      const sorted = Uint32Array.from(found).sort();
      return { ordinals: sorted, counts: sorted.map((ordinal) => counts.get(own[ordinal]!)!) };
    },
  };
}

function add(lists: Map<string, number[]>, term: string, entry: number): void {
  const list = lists.get(term);
  if (list === undefined) lists.set(term, [entry]);
  else list.push(entry);
}

function analyzeNames(analyzer: Analyzer, { title, file }: DocumentNames, language: string): Entry {
  const counts = new Map<string, number>();
  for (const term of analyzer.analyze(file, language)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { title: new Set(analyzer.analyze(title, language)), file: counts, fileTerms: new Set(counts.keys()) };
}

function lengthOf({ file }: Entry): number {
  let length = 0;
  for (const count of file.values()) length += count;
  return length;
}

/** Text postings with the chunks of named files among them. **Cost** linear in both. */
export function joinFiles(
  list: Postings | undefined,
  files: Pick<Postings, "ordinals" | "counts"> | undefined,
): Postings | undefined {
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
