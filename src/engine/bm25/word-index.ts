import type { Bm25Settings } from "./bm25-settings.ts";
import { type Bm25Formula, bm25Formulas } from "./bm25-variants.ts";
import { type DocumentFields, joinFiles, noEntry } from "./document-fields.ts";
import { mostImpact, packPostings, type WordList } from "./word-list.ts";
import { createNorms, type Norms } from "../segments/field-norms.ts";
import { joinPostings } from "../segments/join-postings.ts";
import type { Postings, Segment } from "../segments/segment.ts";

/** The terms under which chunks may have a word, or the lists of a phrase in their stead. */
export interface WordKey {
  readonly terms: readonly string[];
  readonly phrase?: { readonly lists: ReadonlyMap<Segment, Postings | undefined> };
}

/**
 * Documents whose text has a word, packed as chunks are. An impact is the saturated, length-normalised frequency in the document, in shares of the most that
 * it could be, and rounded up.
 */
export type DocumentList = WordList;

/** A word over all segments of an index. */
export interface IndexedWord {
  readonly lists: ReadonlyMap<Segment, WordList>;
  /** Live chunks that have it. */
  readonly frequency: number;
  /** `undefined` where whole documents do not count. */
  readonly documents: DocumentList | undefined;
  readonly bytes: number;
}

/**
 * Words of some segments that are searched together, as of one moment. Nothing here depends on what other segments hold.
 *
 * **Cost** a word is read and packed when it is first asked for, linear in its postings. Those that were asked for last are kept.
 */
export interface WordIndex {
  readonly settings: Bm25Settings;
  readonly formula: Bm25Formula;
  /** Names of documents; `undefined` where they do not count. */
  readonly fields: DocumentFields | undefined;
  /** Live chunks. */
  readonly chunks: number;
  norms(this: void, segment: Segment): Norms;
  /** Says which terms are asked for next; see {@link Segment.expect}. */
  expect(this: void, terms: Iterable<string>): void;
  /** The same of terms whose {@link idf} alone is asked for. */
  expectCounts(this: void, terms: ReadonlySet<string>): void;
  /** A word, in steps: one for each segment that it is read from. Other searches may run in between. */
  word(key: WordKey): Generator<undefined, IndexedWord>;
  /** Rarity of a term over live chunks, which have it in any field. */
  idf(this: void, term: string): number;
  /** Rarity of a word of a phrase by its text and names, under whichever of its terms. */
  phraseIdf(terms: readonly string[]): number;
  /** Memory that the words take, nearly. */
  readonly bytes: number;
}

/** Bytes of words that one index keeps: so many for each of its chunks, and the least. */
export interface WordRoom {
  readonly perChunk: number;
  readonly least: number;
}

/** **Source** a choice: the words of 93 questions over a million abstracts take 91 bytes a chunk. With less room than a round of them, none would stay. */
const usualRoom: WordRoom = { perChunk: 104, least: 64_000_000 };

export function createWordIndex(
  segments: readonly Segment[],
  settings: Bm25Settings,
  fields?: DocumentFields,
  room = usualRoom,
): WordIndex {
  const formula = bm25Formulas[settings.variant];
  const held = segments.filter(({ liveCount }) => liveCount > 0);
  const sum = (of: (segment: Segment) => number): number => held.reduce((total, each) => total + of(each), 0);
  const chunks = sum(({ liveCount }) => liveCount);
  const budget = Math.max(room.least, room.perChunk * chunks);
  const averages = {
    text: chunks === 0 ? 0 : sum(({ liveLengths }) => liveLengths.text) / chunks,
    names: chunks === 0 ? 0 : sum(({ liveLengths }) => liveLengths.names) / chunks,
  };
  const norms = createNorms(held, averages, formula, settings);
  const words = new Map<string, IndexedWord>();
  let bytes = 0;
  /** A term's count in a segment, as far as it is known without postings. */
  const known = (segment: Segment, term: string): number | undefined =>
    settings.fileWeight > 0 ? segment.frequencyOf?.(term) : undefined;
  const index: WordIndex = {
    settings,
    formula,
    fields,
    chunks,
    norms,
    expect(terms) {
      for (const segment of held) segment.expect?.(terms);
    },
    expectCounts(terms) {
      if (terms.size === 0) return;
      for (const segment of held) {
        const isKnown = (term: string): boolean => known(segment, term) !== undefined;
        if (segment.expect !== undefined)
          segment.expect([...terms].filter((term) => !words.has(term) && !isKnown(term)));
      }
    },
    *word(key) {
      // A phrase belongs to one query.
      if (key.phrase !== undefined) return yield* indexWord(index, held, key);
      const name = key.terms.join("\u0000");
      const read = words.get(name) ?? (yield* indexWord(index, held, key));
      // Another search may have read it meanwhile.
      const word = words.get(name) ?? read;
      // The word that was asked for last stands last, and goes last.
      if (!words.delete(name)) bytes += word.bytes;
      words.set(name, word);
      for (const [other, { bytes: own }] of words) {
        if (bytes <= budget || other === name) break;
        words.delete(other);
        bytes -= own;
      }
      return word;
    },
    idf(term) {
      const countIn = (segment: Segment): number =>
        known(segment, term) ?? countLive(joined(index, segment, { terms: [term] }), segment);
      const count = (): number => sum(countIn);
      const frequency = words.get(term)?.frequency ?? fields?.countOf(term, count) ?? count();
      return formula.idf(chunks, frequency);
    },
    phraseIdf: (terms) =>
      formula.idf(
        chunks,
        sum((segment) => countLive(postingsOf(segment, { terms }), segment)),
      ),
    get bytes() {
      return bytes;
    },
  };
  return index;
}

/** Where a segment has a word, under whichever of its terms. */
export function postingsOf(segment: Segment, { terms, phrase }: WordKey): Postings | undefined {
  if (phrase !== undefined) return phrase.lists.get(segment);
  let found: Postings | undefined;
  for (const term of terms) {
    const list = segment.postings(term);
    if (list !== undefined) found = found === undefined ? list : joinPostings(found, list);
  }
  return found;
}

/** The same, with the chunks of files whose names have the word. */
function joined({ fields, settings }: WordIndex, segment: Segment, key: WordKey): Postings | undefined {
  const files = settings.fileWeight > 0 ? fields?.filePostings(segment, key.terms) : undefined;
  return joinFiles(postingsOf(segment, key), files);
}

function* indexWord(index: WordIndex, segments: readonly Segment[], key: WordKey): Generator<undefined, IndexedWord> {
  const lists = new Map<Segment, WordList>();
  const { fields, settings } = index;
  let frequency = 0;
  let bytes = 200;
  const read: SegmentPostings[] = [];
  for (const segment of segments) {
    const list = joined(index, segment, key);
    if (list === undefined) continue;
    read.push({ segment, list });
    frequency += countLive(list, segment);
    const packed = packPostings(list, segment.size, impactsOf(index, segment, list));
    lists.set(segment, packed);
    bytes += packed.bytes;
    yield undefined;
  }
  const documents = fields !== undefined && settings.document > 0 ? listDocuments(fields, read, settings) : undefined;
  return { lists, frequency, documents, bytes: bytes + (documents?.bytes ?? 0) };
}

/** Room for impacts of one list. */
let impacts = new Uint32Array(1024);

function impactRoom(size: number): Uint32Array {
  if (impacts.length < size) impacts = new Uint32Array(size + (size >> 3));
  return impacts;
}

/** The impact of each entry, as {@link WordList} has it. **Shape** valid until the next call. **Cost** a loop that calls nothing: a function for each entry takes twice as long. */
function impactsOf(
  { settings: { k1 }, formula, fields, norms, settings }: WordIndex,
  segment: Segment,
  { ordinals, counts, names, files }: Postings,
): Uint32Array {
  const own = norms(segment);
  const { shift, bonus } = formula;
  const gain = formula.gain(k1);
  const unit = mostImpact / (gain + bonus);
  const entries = files && fields!.entriesOf(segment);
  const fileNorms = files && fields!.fileNorms(settings.fileWeight, settings.fileB);
  const { text, textLengths, nameLengths } = own;
  const { length } = ordinals;
  const room = impactRoom(length);
  for (let at = 0; at < length; at++) {
    const ordinal = ordinals[at]!;
    let frequency = counts[at]! * text[textLengths[ordinal]!]! + shift;
    if (names !== undefined && names[at]! > 0) frequency += names[at]! * own.names[nameLengths[ordinal]!]!;
    if (files !== undefined && files[at]! > 0) frequency += files[at]! * fileNorms![entries![ordinal]!]!;
    const impact = Math.ceil(unit * ((gain * frequency) / (k1 + frequency) + bonus));
    room[at] = impact >= 1 && impact < mostImpact ? impact : mostImpact;
  }
  return room;
}

/** Room by document, all 0 between words. */
let often = new Float64Array(1024);

/** Documents of the word that is counted, in order of first appearance. */
let listed = new Uint32Array(1024);

/** The most that {@link saturate} gives. */
export function documentGain(k1: number): number {
  return k1 + 1;
}

/** Saturated frequency of a word that a document has so often. */
export function saturate(count: number, norm: number, k1: number): number {
  const frequency = count / norm;
  return (documentGain(k1) * frequency) / (k1 + frequency);
}

interface SegmentPostings {
  readonly segment: Segment;
  readonly list: Postings;
}

/** Counts a word in the texts of documents. */
function listDocuments(
  fields: DocumentFields,
  read: readonly SegmentPostings[],
  { k1, b }: Bm25Settings,
): DocumentList {
  if (often.length < fields.documents) {
    const size = fields.documents + (fields.documents >> 3);
    often = new Float64Array(size);
    listed = new Uint32Array(size);
  }
  const [counted, found] = [often, listed];
  let length = 0;
  const put = (document: number, occurrences: number): void => {
    if (occurrences === 0 || document === noEntry) return;
    if (counted[document] === 0) found[length++] = document;
    counted[document]! += occurrences;
  };
  try {
    for (const { segment, list } of read) {
      const { ordinals, counts } = list;
      const homes = fields.documentsOf(segment);
      // Chunks of a document stand together mostly, and are added up before they are put down.
      let [document, occurrences] = [noEntry, 0];
      for (let i = 0; i < ordinals.length; i++) {
        const home = homes[ordinals[i]!]!;
        if (home !== document) {
          put(document, occurrences);
          document = home;
          occurrences = 0;
        }
        occurrences += counts[i]!;
      }
      put(document, occurrences);
    }
    const norms = fields.documentNorms(b);
    const unit = mostImpact / documentGain(k1);
    const documents = found.subarray(0, length).sort();
    const counts = new Uint32Array(length);
    for (let at = 0; at < length; at++) counts[at] = counted[documents[at]!]!;
    const room = impactRoom(length);
    for (let at = 0; at < length; at++) {
      const impact = Math.ceil(unit * saturate(counts[at]!, norms[documents[at]!]!, k1));
      room[at] = impact >= 1 && impact < mostImpact ? impact : mostImpact;
    }
    return packPostings({ ordinals: documents, counts, names: undefined }, fields.documents, room);
  } finally {
    for (let at = 0; at < length; at++) counted[found[at]!] = 0;
  }
}

export function countLive(list: Postings | undefined, { live, liveCount, size }: Segment): number {
  if (list === undefined) return 0;
  if (liveCount === size) return list.ordinals.length;
  let count = 0;
  for (const ordinal of list.ordinals) count += live[ordinal]!;
  return count;
}
