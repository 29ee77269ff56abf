import type { Analyzer } from "../../contracts/analyzer.ts";
import { createGrowingNumbers } from "../kernels/growing-numbers.ts";
import { decodeText } from "../segments/bytes.ts";
import { createTermNumbers, type TermNumbers } from "../segments/term-numbers.ts";

/** The names of a document: its title, and its file's name as words. */
export interface DocumentNames {
  readonly title: string;
  readonly file: string;
}

/** Entries that have a term. `counts` are occurrences. */
export interface NamePostings {
  readonly entries: Uint32Array;
  readonly counts: Counts;
}

/** Occurrences: a byte each, where all fit in one. */
export type Counts = Uint8Array | Uint32Array;

/** Entries or terms that are counted in one step. */
export const countedAtOnce = 8192;

/** Entries that are analysed, and documents whose names are read, in one step. */
const namedAtOnce = 128;

/** Entries whose terms are copied in one step. */
const copiedAtOnce = 16_384;

/** Entries of former names that are looked through for one that stands elsewhere, and how many of these are looked for so. */
const [lookedAhead, lookedFor] = [32, 64];

/** `ln(1 + (N - n + 0.5) / (n + 0.5))`. **Source** Lucene's `BM25Similarity`. */
export function rarityOf(all: number, having: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** Documents in their languages, each an *entry*: a document's row, and a language of its chunks. */
export interface NamedEntries {
  /** Document of each entry, from 0. */
  readonly documentOf: Uint32Array;
  readonly languageOf: readonly string[];
  /** Row of each document. */
  readonly rows: readonly number[];
}

/** Terms of the names of all entries, by entry. */
export interface NameTerms {
  /** Terms, repetitions included, by entry. */
  readonly lengths: Uint32Array;
  /** Entry `e` has the distinct terms `terms[starts[e] … starts[e + 1])`, in order of first appearance. */
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  /** How often the entry has the term at the same place of `terms`. */
  readonly counts: Counts;
}

/** The same, by term too. */
export interface NameLists extends NameTerms {
  /** Whether any entry has a term. */
  has(this: void, term: number): boolean;
  holding(this: void, term: number): NamePostings | undefined;
  readonly bytes: number;
}

/** Names of entries as terms of one vocabulary. */
export interface AnalysedNames {
  readonly entries: NamedEntries;
  /** Numbers of terms. May hold more than the lists have: terms that came before or after. */
  readonly vocabulary: TermNumbers;
  /** Terms of files begin with them. Former names do too, as in the vocabulary. */
  readonly beginnings: Beginnings;
  readonly title: NameLists;
  readonly file: NameLists;
}

/** The first three letters of terms. */
interface Beginnings {
  /** Whether a term begins as a word does. */
  has(this: void, word: string): boolean;
  add(term: number): void;
}

/** Names of a segment's documents as they were analysed when they were kept. */
export interface StoredNames {
  readonly entries: NamedEntries;
  /** Terms by the numbers that the lists give them. */
  readonly terms: StoredTerms;
  readonly title: NameTerms;
  readonly file: NameTerms;
}

/** Terms as bytes of UTF-8: term `t` has `bytes[starts[t] … ends[t])`. */
export interface StoredTerms {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Names that were analysed when they were kept, of the entries `from … to`. */
export interface KeptNames {
  readonly from: number;
  readonly to: number;
  /** **Shape** `undefined` where none are kept. */
  read(this: void): StoredNames | undefined;
}

/** Names that are known, and the numbers of their terms in the new vocabulary where those are others. */
interface KnownNames extends Readonly<Record<"title" | "file", NameTerms>> {
  readonly numbers: Uint32Array | undefined;
}

/**
 * Analyses the names of entries in steps of some milliseconds. An entry that was analysed `before`, or that is `kept`, is not read again: its names must be the same.
 *
 * **Cost** linear in the entries; reading and analysing, which cost ten times the rest, only for those that are new.
 */
export function* analyseNames(
  entries: NamedEntries,
  namesOf: (documents: readonly number[]) => ReadonlyMap<number, DocumentNames>,
  analyzer: Analyzer,
  before: AnalysedNames | undefined,
  kept: readonly KeptNames[] = [],
): Generator<undefined, AnalysedNames> {
  const { documentOf, languageOf, rows } = entries;
  const former = before !== undefined && !isWorn(before) ? before : undefined;
  const vocabulary = former?.vocabulary ?? createTermNumbers({ remembers: false });
  /** Where each entry stands among the names that are known, and among which of these; -1 for one that is new. */
  const places = new Int32Array(documentOf.length).fill(-1);
  const sources = new Uint32Array(documentOf.length);
  const known: (KnownNames | undefined)[] = [former && { ...former, numbers: undefined }];
  if (former !== undefined) yield* findEntries(entries, former.entries, places);
  for (const { from, to, read } of kept) {
    const stored = places.subarray(from, to).includes(-1) ? read() : undefined;
    if (stored === undefined) continue;
    for (let entry = from; entry < to; entry++) if (places[entry]! < 0) sources[entry] = known.length;
    yield* findEntries(entries, stored.entries, places, from, to);
    const { bytes, starts, ends } = stored.terms;
    known.push({ ...stored, numbers: starts.map((start, term) => vocabulary.number(bytes, start, ends[term]!)) });
    yield;
  }

  const unread = new Set<number>();
  for (let entry = 0; entry < places.length; entry++) if (places[entry]! < 0) unread.add(rows[documentOf[entry]!]!);
  const names = new Map<number, DocumentNames>();
  const wanted = [...unread];
  for (let at = 0; at < wanted.length; at += namedAtOnce) {
    for (const [row, named] of namesOf(wanted.slice(at, at + namedAtOnce))) names.set(row, named);
    yield;
  }

  const titles = createNameLists(vocabulary, former?.title);
  const files = createNameLists(vocabulary, former?.file);
  let work = 0;
  for (let entry = 0; entry < documentOf.length;) {
    const place = places[entry]!;
    const from = entry++;
    if (place >= 0) {
      const source = sources[from]!;
      // Entries that stood together are copied together.
      const last = Math.min(documentOf.length, from + copiedAtOnce);
      while (entry < last && sources[entry] === source && places[entry] === place + entry - from) entry++;
      const { title, file, numbers } = known[source]!;
      titles.copy(title, place, place + entry - from, numbers);
      files.copy(file, place, place + entry - from, numbers);
    } else {
      const { title, file } = names.get(rows[documentOf[from]!]!) ?? { title: "", file: "" };
      titles.add(analyzer.analyze(title, languageOf[from]));
      files.add(analyzer.analyze(file, languageOf[from]));
    }
    work += place < 0 ? copiedAtOnce / namedAtOnce : entry - from;
    if (work >= copiedAtOnce) {
      work = 0;
      yield;
    }
  }
  const [title, file] = [yield* titles.build(), yield* files.build()];
  const beginnings = former?.beginnings ?? createBeginnings(vocabulary);
  for (let term = 0; term < vocabulary.count(); term++) {
    if (file.has(term)) beginnings.add(term);
    if (term % countedAtOnce === 0) yield;
  }
  return { entries, vocabulary, beginnings, title, file };
}

function createBeginnings(vocabulary: TermNumbers): Beginnings {
  const known = new Set<string>();
  /** 1 for terms that were added. */
  let added = new Uint8Array(0);
  return {
    has: (word) => known.has(word.slice(0, 3)),
    add(term) {
      if (added[term] === 1) return;
      if (term >= added.length) {
        const grown = new Uint8Array(Math.max(vocabulary.count(), 2 * added.length));
        grown.set(added);
        added = grown;
      }
      added[term] = 1;
      // No letter takes more than four bytes, and none that is cut off is among the first three.
      known.add(decodeText(vocabulary.slice(term).subarray(0, 12)).slice(0, 3));
    },
  };
}

/** Whether most of a vocabulary stands in no name any more: the next one begins anew. */
function isWorn({ vocabulary, title, file }: AnalysedNames): boolean {
  return vocabulary.count() > 1024 && vocabulary.count() > 2 * (title.terms.length + file.terms.length);
}

/** Finds entries among former ones. Most stand in the same order, with some that are gone between them and new ones behind them. */
function* findEntries(
  entries: NamedEntries,
  former: NamedEntries,
  places: Int32Array,
  from = 0,
  to = places.length,
): Generator<undefined, void> {
  const isSame = (entry: number, place: number): boolean =>
    former.rows[former.documentOf[place]!] === entries.rows[entries.documentOf[entry]!] &&
    former.languageOf[place] === entries.languageOf[entry];
  let next = 0;
  let missed = 0;
  let strays: Map<string, Map<number, number>> | undefined;
  for (let entry = from; entry < to; entry++) {
    if (entry % countedAtOnce === 0) yield;
    if (places[entry]! >= 0) continue;
    let place: number | undefined = next;
    if (!isSame(entry, place)) {
      const last = Math.min(next + lookedAhead, former.documentOf.length);
      while (place < last && !isSame(entry, place)) place++;
      if (place >= last) place = undefined;
    }
    if (place === undefined) {
      const row = entries.rows[entries.documentOf[entry]!]!;
      if (missed++ < lookedFor) place = findStray(former, row, entries.languageOf[entry]!);
      else {
        strays ??= yield* entriesByRow(former);
        place = strays.get(entries.languageOf[entry]!)?.get(row);
      }
      if (place === undefined) continue;
    }
    places[entry] = place;
    next = place + 1;
  }
}

/** **Cost** linear in the documents, and small beside a table of them. */
function findStray({ documentOf, languageOf, rows }: NamedEntries, row: number, language: string): number | undefined {
  const document = rows.indexOf(row);
  if (document < 0) return undefined;
  for (let at = documentOf.indexOf(document); at >= 0; at = documentOf.indexOf(document, at + 1))
    if (languageOf[at] === language) return at;
  return undefined;
}

function* entriesByRow({
  documentOf,
  languageOf,
  rows,
}: NamedEntries): Generator<undefined, Map<string, Map<number, number>>> {
  const known = new Map<string, Map<number, number>>();
  for (let entry = 0; entry < documentOf.length; entry++) {
    if (entry % countedAtOnce === 0) yield;
    let own = known.get(languageOf[entry]!);
    if (own === undefined) known.set(languageOf[entry]!, (own = new Map()));
    own.set(rows[documentOf[entry]!]!, entry);
  }
  return known;
}

/** Lists that become about as long as former ones. */
function createNameLists(vocabulary: TermNumbers, former: NameTerms | undefined) {
  const entries = (former?.lengths.length ?? 0) + 256;
  const lengths = createGrowingNumbers(entries);
  const starts = createGrowingNumbers(entries);
  const most = (former?.terms.length ?? 0) + 1024;
  const terms = createGrowingNumbers(most);
  const counts = createGrowingNumbers(most);
  starts.push(0);
  /** The place of a term among those from a place on; -1 where it is not. */
  function findTerm(term: number, from: number): number {
    for (let at = from; at < terms.length; at++) if (terms.at(at) === term) return at;
    return -1;
  }
  return {
    add(name: readonly string[]): void {
      const from = terms.length;
      for (const term of name) {
        const id = vocabulary.numberText(term);
        const at = findTerm(id, from);
        if (at >= 0) counts.set(at, counts.at(at) + 1);
        else {
          terms.push(id);
          counts.push(1);
        }
      }
      lengths.push(name.length);
      starts.push(terms.length);
    },
    /** Adds the names that entries `first … last` have in other lists, with the numbers that their terms have here. */
    copy(from: NameTerms, first: number, last: number, numbers: Uint32Array | undefined): void {
      const [begin, end] = [from.starts[first]!, from.starts[last]!];
      const moved = terms.length - begin;
      const own = from.terms.subarray(begin, end);
      terms.append(numbers === undefined ? own : own.map((term) => numbers[term]!));
      counts.append(from.counts.subarray(begin, end));
      lengths.append(from.lengths.subarray(first, last));
      for (let entry = first + 1; entry <= last; entry++) starts.push(from.starts[entry]! + moved);
    },
    *build(): Generator<undefined, NameLists> {
      const byEntry = {
        lengths: lengths.take(),
        starts: starts.take(),
        terms: terms.take(),
        counts: narrowCounts(counts.view()),
      };
      const byTerm = beginByTerm(byEntry, vocabulary.count());
      for (let first = 0; first < byEntry.lengths.length; first += countedAtOnce) {
        yield;
        groupByTerm(byEntry, byTerm, first, Math.min(first + countedAtOnce, byEntry.lengths.length));
      }
      return toNameLists(byEntry, byTerm);
    },
  };
}

/** The same counts in as few bytes as they fit in, for good. */
function narrowCounts(counts: Uint32Array): Counts {
  for (let i = 0; i < counts.length; i++) if (counts[i]! > 0xff) return counts.slice();
  return new Uint8Array(counts);
}

/** Term `t` is in the entries `entries[begins[t] … begins[t + 1])`, `often` times each. */
interface EntriesByTerm {
  readonly begins: Uint32Array;
  readonly entries: Uint32Array;
  readonly often: Counts;
}

function beginByTerm({ terms, counts }: NameTerms, size: number): EntriesByTerm {
  // A term's place is one on from its own: there it begins, and there it ends when its entries are in place.
  const begins = new Uint32Array(size + 2);
  for (let at = 0; at < terms.length; at++) begins[terms[at]! + 2]!++;
  for (let id = 1; id <= size; id++) begins[id + 1]! += begins[id]!;
  return { begins, entries: new Uint32Array(terms.length), often: counts.slice() };
}

function groupByTerm({ starts, terms, counts }: NameTerms, to: EntriesByTerm, first: number, last: number): void {
  const { begins, entries, often } = to;
  for (let entry = first; entry < last; entry++) {
    for (let i = starts[entry]!; i < starts[entry + 1]!; i++) {
      const at = begins[terms[i]! + 1]!++;
      entries[at] = entry;
      often[at] = counts[i]!;
    }
  }
}

/** A function of its own: one inside `createNameLists` would keep the growing lists. */
function toNameLists(byEntry: NameTerms, { begins, entries, often }: EntriesByTerm): NameLists {
  const has = (id: number): boolean => begins[id]! < begins[id + 1]!;
  return {
    ...byEntry,
    has,
    holding(id) {
      if (!has(id)) return undefined;
      const [from, to] = [begins[id], begins[id + 1]];
      return { entries: entries.subarray(from, to), counts: often.subarray(from, to) };
    },
    bytes:
      4 * (2 * byEntry.lengths.length + 2 * byEntry.terms.length + begins.length - 1) + 2 * byEntry.counts.byteLength,
  };
}

/** Lucene's idf of each term, over documents: a document has a term when one of its names does, in any of its languages. */
export function* weighTerms(names: AnalysedNames): Generator<undefined, Float64Array> {
  const { documentOf, rows } = names.entries;
  const order = orderByDocument(documentOf);
  const having = new Uint32Array(names.vocabulary.count());
  /** The document, from 1, that was counted last. */
  const last = new Uint32Array(having.length);
  const count = ({ starts, terms }: NameTerms, entry: number): void => {
    const document = documentOf[entry]! + 1;
    for (let at = starts[entry]!; at < starts[entry + 1]!; at++) {
      const term = terms[at]!;
      if (last[term] === document) continue;
      last[term] = document;
      having[term]!++;
    }
  };
  for (let i = 0; i < documentOf.length; i++) {
    if (i % countedAtOnce === 0) yield;
    const entry = order?.[i] ?? i;
    count(names.title, entry);
    count(names.file, entry);
  }
  // Most terms are as rare as many others.
  const known = new Float64Array(1024);
  for (let having = 0; having < known.length; having++) known[having] = rarityOf(rows.length, having);
  return mapNumbers(having, (count) => known[count] ?? rarityOf(rows.length, count));
}

/** Entries in the order of their documents. **Shape** `undefined` where they are in it. */
function orderByDocument(documentOf: Uint32Array): Uint32Array | undefined {
  for (let i = 1; i < documentOf.length; i++)
    if (documentOf[i - 1]! > documentOf[i]!)
      return Uint32Array.from(documentOf.keys()).sort((a, b) => documentOf[a]! - documentOf[b]!);
  return undefined;
}

/** **Cost** a tenth of `Float64Array.from`. */
export function mapNumbers(numbers: Uint32Array, change: (number: number) => number): Float64Array {
  const changed = new Float64Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) changed[i] = change(numbers[i]!);
  return changed;
}

export function* sumMasses(
  { starts, terms, lengths }: NameLists,
  rarities: Float64Array,
): Generator<undefined, Float64Array> {
  const masses = new Float64Array(lengths.length);
  for (let entry = 0; entry < masses.length; entry++) {
    if (entry % countedAtOnce === 0) yield;
    for (let at = starts[entry]!; at < starts[entry + 1]!; at++) masses[entry]! += rarities[terms[at]!]!;
  }
  return masses;
}
