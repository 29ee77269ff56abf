import type { Analyzer } from "../../contracts/analyzer.ts";
import { createGrowingNumbers } from "../kernels/growing-numbers.ts";
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
const copiedAtOnce = 2048;

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
  holding(term: number): NamePostings | undefined;
  readonly bytes: number;
}

/** Names of entries as terms of one vocabulary. */
export interface AnalysedNames {
  readonly entries: NamedEntries;
  /** Numbers of terms. May hold more than the lists have: terms that came before or after. */
  readonly vocabulary: TermNumbers;
  readonly title: NameLists;
  readonly file: NameLists;
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
  for (const [entry, place] of places.entries()) if (place < 0) unread.add(rows[documentOf[entry]!]!);
  const names = new Map<number, DocumentNames>();
  const wanted = [...unread];
  for (let at = 0; at < wanted.length; at += namedAtOnce) {
    for (const [row, named] of namesOf(wanted.slice(at, at + namedAtOnce))) names.set(row, named);
    yield;
  }

  const titles = createNameLists(vocabulary);
  const files = createNameLists(vocabulary);
  let work = 0;
  for (let entry = 0; entry < documentOf.length; entry++) {
    const place = places[entry]!;
    if (place >= 0) {
      const { title, file, numbers } = known[sources[entry]!]!;
      titles.copy(title, place, numbers);
      files.copy(file, place, numbers);
    } else {
      const { title, file } = names.get(rows[documentOf[entry]!]!) ?? { title: "", file: "" };
      titles.add(analyzer.analyze(title, languageOf[entry]));
      files.add(analyzer.analyze(file, languageOf[entry]));
    }
    work += place < 0 ? copiedAtOnce / namedAtOnce : 1;
    if (work >= copiedAtOnce) {
      work = 0;
      yield;
    }
  }
  return { entries, vocabulary, title: yield* titles.build(), file: yield* files.build() };
}

/** Whether most of a vocabulary stands in no name any more: the next one begins anew. */
function isWorn({ vocabulary, title, file }: AnalysedNames): boolean {
  return vocabulary.count() > 1024 && vocabulary.count() > 2 * (title.terms.length + file.terms.length);
}

/** Finds entries among former ones. Most stand in the same order, with new ones behind them. */
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
  let strays: Map<string, Map<number, number>> | undefined;
  for (let entry = from; entry < to; entry++) {
    if (entry % countedAtOnce === 0) yield;
    if (places[entry]! >= 0) continue;
    let place: number | undefined = next;
    if (!isSame(entry, place)) {
      strays ??= yield* entriesByRow(former);
      place = strays.get(entries.languageOf[entry]!)?.get(entries.rows[entries.documentOf[entry]!]!);
      if (place === undefined) continue;
    }
    places[entry] = place;
    next = place + 1;
  }
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

function createNameLists(vocabulary: TermNumbers) {
  const lengths = createGrowingNumbers();
  const starts = createGrowingNumbers();
  const terms = createGrowingNumbers();
  const counts = createGrowingNumbers();
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
    /** Adds the name that an entry has in other lists, with the numbers that their terms have here. */
    copy(from: NameTerms, entry: number, numbers: Uint32Array | undefined): void {
      for (let at = from.starts[entry]!; at < from.starts[entry + 1]!; at++) {
        const term = from.terms[at]!;
        terms.push(numbers === undefined ? term : numbers[term]!);
        counts.push(from.counts[at]!);
      }
      lengths.push(from.lengths[entry]!);
      starts.push(terms.length);
    },
    *build(): Generator<undefined, NameLists> {
      const byEntry = {
        lengths: lengths.take(),
        starts: starts.take(),
        terms: terms.take(),
        counts: narrowCounts(counts.view()),
      };
      const size = vocabulary.count();
      const begins = new Uint32Array(size + 1);
      for (const id of byEntry.terms) begins[id + 1]!++;
      for (let id = 0; id < size; id++) begins[id + 1]! += begins[id]!;
      yield;
      const next = begins.slice();
      const entries = new Uint32Array(byEntry.terms.length);
      const often = byEntry.counts.slice();
      for (let entry = 0; entry < byEntry.lengths.length; entry++) {
        if (entry % countedAtOnce === 0) yield;
        for (let i = byEntry.starts[entry]!; i < byEntry.starts[entry + 1]!; i++) {
          const at = next[byEntry.terms[i]!]!++;
          entries[at] = entry;
          often[at] = byEntry.counts[i]!;
        }
      }
      return toNameLists(byEntry, { begins, entries, often });
    },
  };
}

/** The same counts in as few bytes as they fit in, for good. */
function narrowCounts(counts: Uint32Array): Counts {
  for (const count of counts) if (count > 0xff) return counts.slice();
  return Uint8Array.from(counts);
}

/** Where each term begins in the entries that have it, and how often these do. */
interface EntriesByTerm {
  readonly begins: Uint32Array;
  readonly entries: Uint32Array;
  readonly often: Counts;
}

/** A function of its own: one inside `createNameLists` would keep the growing lists. */
function toNameLists(byEntry: NameTerms, { begins, entries, often }: EntriesByTerm): NameLists {
  return {
    ...byEntry,
    holding(id) {
      const [from = 0, to = 0] = [begins[id], begins[id + 1]];
      return from === to ? undefined : { entries: entries.subarray(from, to), counts: often.subarray(from, to) };
    },
    bytes:
      4 * (2 * byEntry.lengths.length + 2 * byEntry.terms.length + begins.length - 1) + 2 * byEntry.counts.byteLength,
  };
}

/** Lucene's idf of each term, over documents: a document has a term when one of its names does, in any of its languages. */
export function* weighTerms(names: AnalysedNames): Generator<undefined, Float64Array> {
  const { documentOf, rows } = names.entries;
  const size = names.vocabulary.count();
  const inOrder = documentOf.every((document, i) => i === 0 || documentOf[i - 1]! <= document);
  const order = inOrder
    ? undefined
    : Uint32Array.from(documentOf.keys()).sort((a, b) => documentOf[a]! - documentOf[b]!);
  const having = new Uint32Array(size);
  /** The document, from 1, that was counted last. */
  const last = new Uint32Array(size);
  for (let i = 0; i < documentOf.length; i++) {
    if (i % countedAtOnce === 0) yield;
    const entry = order?.[i] ?? i;
    for (const { starts, terms } of [names.title, names.file]) {
      for (let at = starts[entry]!; at < starts[entry + 1]!; at++) {
        const term = terms[at]!;
        if (last[term] === documentOf[entry]! + 1) continue;
        last[term] = documentOf[entry]! + 1;
        having[term]!++;
      }
    }
  }
  return Float64Array.from(having, (count) => rarityOf(rows.length, count));
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
