import type { NameScore } from "../../contracts/leg.ts";
import type { Postings, Segment } from "../segments/segment.ts";
import type { Bm25Settings } from "./bm25-settings.ts";
import { type DocumentFields, noEntry, rarityOf } from "./document-fields.ts";

/** The terms of a word, and how often the query says it. */
interface CountedTerms {
  readonly terms: readonly string[];
  readonly count: number;
}

/** Parts that all chunks of a document share. */
export interface DocumentParts {
  /** Parts of names by entry, for the time of `work`; `undefined` where the query says no name. */
  withNames<Result>(work: (names: Float64Array | undefined) => Result): Result;
  /** By document; `undefined` where it does not count. */
  readonly document: Float64Array | undefined;
  explainName(entry: number): NameScore | undefined;
}

/**
 * Scores the names and the whole texts of documents.
 *
 * - name: `naming` times the larger, over title and file, of `M * (M / A)`. `M` sums the rarity of the name's terms that the query says, `A` that
 *   of all its terms. Rarity is Lucene's idf over documents by their names. A name that is wholly said counts fully.
 * - document: `document` times BM25 over the text of all the document's live chunks, with frequencies and lengths of documents.
 *
 * **Source** our own: docs/decisions/0121. **Cost** linear in the postings and in the named entries.
 */
export function scoreDocuments(
  fields: DocumentFields,
  words: readonly CountedTerms[],
  lists: ReadonlyMap<Segment, readonly (Postings | undefined)[]>,
  settings: Bm25Settings,
): DocumentParts {
  const { naming } = settings;
  const terms = [...new Set(words.flatMap((word) => word.terms))];
  const { entries, values } = scoreNames(fields, terms, naming);
  return {
    withNames(work) {
      if (entries.length === 0) return work(undefined);
      const names = (room.names = roomFor(room.names, fields.entries));
      for (let i = 0; i < entries.length; i++) names[entries[i]!] = values[i]!;
      try {
        return work(names);
      } finally {
        for (const entry of entries) names[entry] = 0;
      }
    },
    document: settings.document > 0 ? scoreTexts(fields, words, lists, settings) : undefined,
    explainName: (entry) => explainName(fields, terms, entry, naming),
  };
}

/** Room by entry or document, all 0 between searches; a search is over before the next begins. */
const room: Record<"names" | "said" | "often", Float64Array> = {
  names: new Float64Array(1024),
  said: new Float64Array(1024),
  often: new Float64Array(1024),
};

function roomFor(numbers: Float64Array, size: number): Float64Array {
  return numbers.length < size ? new Float64Array(size * 2) : numbers;
}

/** The entries whose names the query says, with what that gives. */
function scoreNames(
  fields: DocumentFields,
  terms: readonly string[],
  naming: number,
): { readonly entries: readonly number[]; readonly values: readonly number[] } {
  const entries: number[] = [];
  const values: number[] = [];
  if (naming === 0) return { entries, values };
  const best = (room.names = roomFor(room.names, fields.entries));
  const said = (room.said = roomFor(room.said, fields.entries));
  for (const by of ["title", "file"] as const) {
    const touched: number[] = [];
    // Added in the order of the query's terms, wherever it is asked.
    for (const term of terms) {
      const held = fields.holding(by, term)?.entries;
      if (held === undefined) continue;
      const rarity = fields.rarity(term);
      for (const entry of held) {
        if (said[entry] === 0) touched.push(entry);
        said[entry]! += rarity;
      }
    }
    const masses = fields.mass(by);
    for (const entry of touched) {
      const mass = said[entry]!;
      const value = naming * (mass * (mass / masses[entry]!));
      if (best[entry] === 0) entries.push(entry);
      if (value > best[entry]!) best[entry] = value;
      said[entry] = 0;
    }
  }
  for (const entry of entries) {
    values.push(best[entry]!);
    best[entry] = 0;
  }
  return { entries, values };
}

function explainName(
  fields: DocumentFields,
  terms: readonly string[],
  entry: number,
  naming: number,
): NameScore | undefined {
  let best: NameScore | undefined;
  if (naming === 0) return best;
  for (const by of ["title", "file"] as const) {
    const found = terms.filter((term) => fields.holding(by, term)?.entries.includes(entry) === true);
    const said = found.reduce((sum, term) => sum + fields.rarity(term), 0);
    const share = said / fields.mass(by)[entry]!;
    const value = naming * (said * share);
    if (found.length > 0 && value > (best?.value ?? 0)) best = { by, terms: found, share, value };
  }
  return best;
}

function scoreTexts(
  fields: DocumentFields,
  words: readonly CountedTerms[],
  lists: ReadonlyMap<Segment, readonly (Postings | undefined)[]>,
  { document: weight, k1, b }: Bm25Settings,
): Float64Array {
  const scores = new Float64Array(fields.documents);
  const norms = fields.documentNorms(b);
  const often = (room.often = roomFor(room.often, fields.documents));
  let found = new Uint32Array(64);
  const gain = k1 + 1;
  words.forEach(({ count }, at) => {
    let size = 0;
    const put = (document: number, occurrences: number): void => {
      if (often[document] === 0) {
        if (size === found.length) {
          const larger = new Uint32Array(size * 4);
          larger.set(found);
          found = larger;
        }
        found[size++] = document;
      }
      often[document]! += occurrences;
    };
    for (const [segment, listed] of lists) {
      const list = listed[at];
      if (list === undefined) continue;
      const homes = fields.documentsOf(segment);
      const { ordinals, counts } = list;
      // Chunks of a document stand together mostly, and are added up before they are put down.
      let [document, occurrences] = [noEntry, 0];
      for (let i = 0; i < ordinals.length; i++) {
        const home = homes[ordinals[i]!]!;
        if (home !== document) {
          if (occurrences > 0 && document !== noEntry) put(document, occurrences);
          document = home;
          occurrences = 0;
        }
        occurrences += counts[i]!;
      }
      if (occurrences > 0 && document !== noEntry) put(document, occurrences);
    }
    const worth = weight * (rarityOf(fields.documents, size) * count);
    for (let i = 0; i < size; i++) {
      const document = found[i]!;
      const frequency = often[document]! / norms[document]!;
      scores[document]! += worth * ((gain * frequency) / (k1 + frequency));
      often[document] = 0;
    }
  });
  return scores;
}
