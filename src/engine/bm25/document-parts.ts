import type { NameScore } from "../../contracts/leg.ts";
import type { Segment } from "../segments/segment.ts";
import type { Bm25Settings } from "./bm25-settings.ts";
import { type DocumentFields, type DocumentNames, noEntry } from "./document-fields.ts";
import type { Postings } from "../segments/segment.ts";

/** The terms of a word, and how often the query says it. */
interface CountedTerms {
  readonly terms: readonly string[];
  readonly count: number;
}

/** Parts that all chunks of a document share. */
export interface DocumentParts {
  /** By entry; see {@link DocumentFields}. */
  readonly name: Float64Array;
  /** By document. */
  readonly document: Float64Array;
  explainName(entry: number): NameScore | undefined;
}

/**
 * Scores the names and the whole texts of documents.
 *
 * - name: `naming` times the larger, over title and file, of `M * (M / A)`. `M` sums the rarity of the name's terms that the query says, `A` that
 *   of all its terms. Rarity is Lucene's idf over documents by their names. A name that is wholly said counts fully.
 * - document: `document` times BM25 over the text of all the document's live chunks, with frequencies and lengths of documents.
 *
 * **Source** our own: docs/decisions/0107. **Cost** linear in the postings and in the named entries.
 */
export function scoreDocuments(
  fields: DocumentFields,
  words: readonly CountedTerms[],
  lists: ReadonlyMap<Segment, readonly (Postings | undefined)[]>,
  { naming, document: weight, k1, b }: Bm25Settings,
): DocumentParts {
  const terms = new Set(words.flatMap((word) => word.terms));
  const explainName = (entry: number): NameScore | undefined => {
    let best: NameScore | undefined;
    for (const by of ["title", "file"] as const) {
      const part = scoreName(fields, terms, entry, by, naming);
      if (part !== undefined && part.value > (best?.value ?? 0)) best = part;
    }
    return best;
  };
  const name = new Float64Array(fields.entries);
  if (naming > 0) {
    const named = new Set<number>();
    for (const term of terms) for (const entry of fields.entriesWith(term)) named.add(entry);
    for (const entry of named) name[entry] = explainName(entry)?.value ?? 0;
  }
  const document = new Float64Array(fields.documents);
  if (weight > 0) words.forEach((word, at) => addWord(document, fields, word, at, lists, { weight, k1, b }));
  return { name, document, explainName };
}

function scoreName(
  fields: DocumentFields,
  terms: ReadonlySet<string>,
  entry: number,
  by: keyof DocumentNames,
  naming: number,
): NameScore | undefined {
  let said = 0;
  let all = 0;
  const found: string[] = [];
  for (const term of fields.termsOf(entry, by)) {
    const idf = rarity(fields.documents, fields.documentsWith(term));
    all += idf;
    if (!terms.has(term)) continue;
    said += idf;
    found.push(term);
  }
  return said > 0 ? { by, terms: found, share: said / all, value: naming * (said * (said / all)) } : undefined;
}

/** `ln(1 + (N - n + 0.5) / (n + 0.5))`. **Source** Lucene's `BM25Similarity`. */
function rarity(documents: number, having: number): number {
  return Math.log(1 + (documents - having + 0.5) / (having + 0.5));
}

let frequencies = new Float64Array(1024);

function addWord(
  scores: Float64Array,
  fields: DocumentFields,
  { count }: CountedTerms,
  at: number,
  lists: ReadonlyMap<Segment, readonly (Postings | undefined)[]>,
  { weight, k1, b }: { readonly weight: number; readonly k1: number; readonly b: number },
): void {
  const { documents, documentOf, documentLengths } = fields;
  if (frequencies.length < documents) frequencies = new Float64Array(documents * 2);
  const having: number[] = [];
  for (const [segment, found] of lists) {
    const list = found[at];
    if (list === undefined) continue;
    const entries = fields.entriesOf(segment);
    const { ordinals, counts } = list;
    for (let i = 0; i < ordinals.length; i++) {
      const entry = entries[ordinals[i]!]!;
      if (entry === noEntry || counts[i] === 0) continue;
      const document = documentOf[entry]!;
      if (frequencies[document] === 0) having.push(document);
      frequencies[document]! += counts[i]!;
    }
  }
  let total = 0;
  for (let i = 0; i < documents; i++) total += documentLengths[i]!;
  const average = total / documents;
  const idf = rarity(documents, having.length) * count;
  for (const document of having) {
    const frequency = frequencies[document]! / (1 - b + (b * documentLengths[document]!) / average);
    scores[document]! += weight * (idf * (((k1 + 1) * frequency) / (k1 + frequency)));
    frequencies[document] = 0;
  }
}
