import type { NameScore } from "../../contracts/leg.ts";
import { windowSize } from "../kernels/impact-sums.ts";
import type { DocumentFields } from "./document-fields.ts";
import { rarityOf } from "./name-lists.ts";
import { type DocumentList, documentGain, saturate, type WordIndex } from "./word-index.ts";
import { countAt, entryOf, impactStep, lowerBound, mostImpact } from "./word-list.ts";

/** A word of a query: its terms, how often the query says it, and the documents that have it. */
interface CountedWord {
  readonly terms: readonly string[];
  readonly count: number;
  readonly documents: DocumentList | undefined;
}

/** Parts that all chunks of a document share, as a search adds them up. */
export interface SharedParts {
  /** Parts of names by entry; `undefined` where the query says no name. */
  readonly names: Float64Array | undefined;
  /** The most that its text gives, by document; `undefined` where it does not count, or was not asked for. */
  readonly documents: Float64Array | undefined;
  /** Nearly the most by which {@link documents} are too large. */
  readonly slack: number;
  /** No chunk gets more of names. */
  readonly mostNamed: number;
  /** No chunk gets more of both together. */
  readonly mostShared: number;
}

export interface DocumentParts {
  /** The parts, for the time of `work`. **Cost** linear in the named entries and, with documents, in those that have the words. */
  withParts<Result>(withDocuments: boolean, work: (parts: SharedParts) => Result): Result;
  /** One document's part; `undefined` where it does not count. **Cost** a look-up for each word, the quicker the nearer the last document was before it. */
  document(document: number): number | undefined;
  explainName(entry: number): NameScore | undefined;
}

/**
 * Scores the names and the whole texts of documents.
 *
 * - name: `naming` times the larger, over title and file, of `M * (M / A)`. `M` sums the rarity of the name's terms that the query says, `A` that
 *   of all its terms. Rarity is Lucene's idf over documents by their names. A name that is wholly said counts fully.
 * - document: `document` times BM25 over the text of all the document's live chunks, with frequencies and lengths of documents.
 *
 * **Source** our own: docs/decisions/0121.
 */
export function scoreDocuments(
  fields: DocumentFields,
  words: readonly CountedWord[],
  { settings }: WordIndex,
): DocumentParts {
  const { naming, document: weight, k1, b } = settings;
  const terms = naming === 0 ? [] : findSaid(fields, words);
  const { entries, values } = scoreNames(fields, terms, naming);
  const texts = words.flatMap(({ count, documents: list }): WeighedText[] => {
    if (list === undefined) return [];
    const worth = weight * (rarityOf(fields.documents, list.length) * count);
    return [{ list, worth, unit: (worth * documentGain(k1)) / mostImpact, at: 0 }];
  });
  const slack = texts.reduce((sum, { unit }) => sum + unit * impactStep, 0);
  let last = 0;
  return {
    withParts(withDocuments, work) {
      const names = entries.length === 0 ? undefined : (room.names = roomFor(room.names, fields.entries));
      const documents =
        withDocuments && weight > 0 ? (room.documents = roomFor(room.documents, fields.documents)) : undefined;
      let [named, most] = [0, 0];
      for (let i = 0; i < entries.length; i++) {
        names![entries[i]!] = values[i]!;
        if (values[i]! > named) named = values[i]!;
      }
      if (documents !== undefined) {
        for (const text of texts) addTexts(documents, text);
        for (let i = 0; i < fields.documents; i++) if (documents[i]! > most) most = documents[i]!;
      }
      try {
        return work({ names, documents, slack, mostNamed: named, mostShared: named + most });
      } finally {
        for (const entry of entries) names![entry] = 0;
        documents?.fill(0, 0, fields.documents);
      }
    },
    document(document) {
      if (weight === 0) return undefined;
      const norm = fields.documentNorms(b)[document]!;
      let score = 0;
      for (const text of texts) {
        const at = entryOf(text.list, document, document < last ? 0 : text.at);
        text.at = at < 0 ? ~at : at;
        if (at >= 0) score += text.worth * saturate(countAt(text.list, at), norm, k1);
      }
      last = document;
      return score;
    },
    explainName: (entry) => explainName(fields, terms, entry, naming),
  };
}

const none = new Uint32Array(0);

/** A word in the texts of documents. */
interface WeighedText {
  readonly list: DocumentList;
  readonly worth: number;
  /** Worth of one impact. */
  readonly unit: number;
  /** Where it was looked up last. */
  at: number;
}

function addTexts(sums: Float64Array, { list: { packed, starts }, unit }: WeighedText): void {
  for (let window = 0; window + 1 < starts.length; window++) {
    const base = window * windowSize;
    for (let i = starts[window]!; i < starts[window + 1]!; i++) {
      const entry = packed[i]!;
      sums[base + (entry & 0xffff)]! += unit * (entry >>> 16);
    }
  }
}

/** Room by entry or document, all 0 between searches; a search is over before the next begins. */
const room: Record<"names" | "said" | "documents", Float64Array> = {
  names: new Float64Array(1024),
  said: new Float64Array(1024),
  documents: new Float64Array(1024),
};

/** Entries that are found while names are scored: those of all, and those by one kind of name. */
const listed = { all: new Uint32Array(1024), touched: new Uint32Array(1024) };

function roomFor(numbers: Float64Array, size: number): Float64Array {
  return numbers.length < size ? new Float64Array(size + (size >> 3)) : numbers;
}

function listFor(entries: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  return entries.length < size ? new Uint32Array(size + (size >> 3)) : entries;
}

const names = ["title", "file"] as const;

/** A term of the query, and the entries whose names have it. */
interface SaidTerm extends Readonly<Record<(typeof names)[number], Uint32Array | undefined>> {
  readonly term: string;
  readonly rarity: number;
}

/** Terms of the query that names have. **Shape** in its order, wherever it is asked. */
function findSaid(fields: DocumentFields, words: readonly CountedWord[]): SaidTerm[] {
  const said: SaidTerm[] = [];
  for (const term of new Set(words.flatMap(({ terms }) => terms))) {
    const [title, file] = [fields.holding("title", term)?.entries, fields.holding("file", term)?.entries];
    if (title !== undefined || file !== undefined) said.push({ term, rarity: fields.rarity(term), title, file });
  }
  return said;
}

/** The entries whose names the query says, with what that gives. */
function scoreNames(
  fields: DocumentFields,
  terms: readonly SaidTerm[],
  naming: number,
): { readonly entries: Uint32Array; readonly values: Float64Array } {
  if (terms.length === 0) return { entries: none, values: new Float64Array() };
  const best = (room.names = roomFor(room.names, fields.entries));
  const said = (room.said = roomFor(room.said, fields.entries));
  const all = (listed.all = listFor(listed.all, fields.entries));
  const touched = (listed.touched = listFor(listed.touched, fields.entries));
  let count = 0;
  for (const by of names) {
    let last = 0;
    for (const { rarity, [by]: held = none } of terms) {
      for (let i = 0; i < held.length; i++) {
        const entry = held[i]!;
        if (said[entry] === 0) touched[last++] = entry;
        said[entry]! += rarity;
      }
    }
    const masses = fields.mass(by);
    for (let i = 0; i < last; i++) {
      const entry = touched[i]!;
      const mass = said[entry]!;
      const value = naming * (mass * (mass / masses[entry]!));
      if (best[entry] === 0) all[count++] = entry;
      if (value > best[entry]!) best[entry] = value;
      said[entry] = 0;
    }
  }
  const entries = all.slice(0, count);
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    values[i] = best[entries[i]!]!;
    best[entries[i]!] = 0;
  }
  return { entries, values };
}

function explainName(
  fields: DocumentFields,
  terms: readonly SaidTerm[],
  entry: number,
  naming: number,
): NameScore | undefined {
  let best: NameScore | undefined;
  for (const by of names) {
    const found = terms.filter(({ [by]: held = none }) => held[lowerBound(held, entry)] === entry);
    if (found.length === 0) continue;
    const said = found.reduce((sum, { rarity }) => sum + rarity, 0);
    const share = said / fields.mass(by)[entry]!;
    const value = naming * (said * share);
    if (value > (best?.value ?? 0)) best = { by, terms: found.map(({ term }) => term), share, value };
  }
  return best;
}
