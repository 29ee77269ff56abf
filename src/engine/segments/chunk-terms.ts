import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import { createByteReader, createByteWriter, decodeText, encodeText, torn } from "./bytes.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** The terms of one chunk, each once, with how often it occurs in each field. */
export interface ChunkTerms {
  readonly terms: readonly string[];
  /** Occurrences in the text, by term. */
  readonly counts: readonly number[];
  /** Occurrences in the names, by term. */
  readonly names: readonly number[];
  /** Assumed language of the text; `""` when unknown. */
  readonly language: string;
}

/** The part of a chunk that its terms are made of. */
export type Analyzed = Pick<Chunk, "title" | "headings" | "text" | "language">;

/** Terms of each field of one chunk, repetitions included. */
export interface FieldLengths {
  readonly text: number;
  readonly names: number;
}

/**
 * Terms of a chunk: the words of its text, and those of its names (its document's title and its headings), each once.
 *
 * A passage under "Opting out" has its page's subject, and seldom names it.
 */
export function analyzeChunk(analyzer: Analyzer, { title, headings, text, language: known }: Analyzed): ChunkTerms {
  const language = known ?? analyzer.languageOf?.(text) ?? "";
  const terms: string[] = [];
  const counts: number[] = [];
  const names: number[] = [];
  const places = new Map<string, number>();
  const placeOf = (term: string): number => {
    let place = places.get(term);
    if (place === undefined) {
      places.set(term, (place = terms.length));
      terms.push(term);
      counts.push(0);
      names.push(0);
    }
    return place;
  };
  for (const term of analyzer.analyze(text, language)) counts[placeOf(term)]!++;
  for (const name of new Set([title, ...headings])) {
    for (const term of termsOfName(analyzer, name, language)) names[placeOf(term)]!++;
  }
  return { terms, counts, names, language };
}

/** Terms of names, which the chunks of a document share, by language. */
const keptNames = new WeakMap<Analyzer, Map<string, Map<string, readonly string[]>>>();
/** Names that are kept of a language; when there are more, all are forgotten. */
const mostNames = 1024;

function termsOfName(analyzer: Analyzer, name: string, language: string): readonly string[] {
  let languages = keptNames.get(analyzer);
  if (languages === undefined) keptNames.set(analyzer, (languages = new Map()));
  let names = languages.get(language);
  if (names === undefined) languages.set(language, (names = new Map()));
  let terms = names.get(name);
  if (terms === undefined) {
    if (names.size >= mostNames) names.clear();
    names.set(name, (terms = analyzer.analyze(name, language)));
  }
  return terms;
}

export function lengthsOf({ counts, names }: Pick<ChunkTerms, "counts" | "names">): FieldLengths {
  let text = 0;
  let named = 0;
  for (const count of counts) text += count;
  for (const count of names) named += count;
  return { text, names: named };
}

/** Names what terms are made by, so that a store can tell when to make them again. Change it with {@link analyzeChunk} and {@link encodeTerms}. */
export function termsFingerprint({ fingerprint }: Analyzer): string {
  return `two fields/${fingerprint}`;
}

/** One for all: what it holds is taken before anybody else writes. */
const writer = createByteWriter();

/** **Shape** language, number of terms. For each, its count in the text, doubled, plus 1 when its count in the names follows; then the terms as a JSON list. */
export function encodeTerms({ terms, counts, names, language }: ChunkTerms): Uint8Array {
  writer.text(language);
  writer.varint(terms.length);
  for (let i = 0; i < terms.length; i++) {
    const named = names[i]!;
    writer.varint(counts[i]! * 2 + (named > 0 ? 1 : 0));
    if (named > 0) writer.varint(named);
  }
  writer.bytes(encodeText(JSON.stringify(terms)));
  return writer.take();
}

export function decodeTerms(bytes: Uint8Array): ChunkTerms {
  const reader = createByteReader(bytes);
  const language = reader.text();
  const counts: number[] = [];
  const names: number[] = [];
  for (let left = reader.count(); left > 0; left--) {
    const count = reader.varint();
    counts.push(count >>> 1);
    names.push((count & 1) === 1 ? reader.varint() : 0);
  }
  const terms = parseStored(decodeText(bytes.subarray(reader.position)));
  if (!Array.isArray(terms) || terms.length !== counts.length) throw torn();
  return { terms: terms as string[], counts, names, language };
}
