import type { Analyzer } from "../../contracts/analyzer.ts";
import { defaultAnalyzer } from "../../text/analyzer.ts";
import { createWordReader, type ReadWord, type WordReader } from "./read-words.ts";

/** A sentence of a source, and the title or headings over it. */
export interface EvidenceSentence {
  readonly text: string;
  readonly title?: string | undefined;
  /** A row of a table, whose columns the title names. */
  readonly isRow?: boolean | undefined;
  /** Place in its source: sentences in a row have numbers in a row. Default: the place among those given. */
  readonly position?: number | undefined;
}

export interface SupportOptions {
  /** Default: the core's analyzer. */
  readonly analyzer?: Analyzer | undefined;
  /** Language of the evidence. Default: the language that the analyzer detects. */
  readonly language?: string | undefined;
  /**
   * Rarity of a term in a collection, from 0 in every sentence to 1 in none; see {@link rarityAmong}. Default: an estimate by the word's form.
   */
  readonly weigh?: ((term: string) => number) | undefined;
}

/**
 * A term's place as one number: its sentence times this, and behind it how many content words end with it there.
 *
 * Places of two terms can so be walked side by side, and a small difference tells neighbours.
 */
export const sentenceStride = 2 ** 21;

/** A sentence of the evidence, read. */
export interface ReadSentence {
  readonly words: readonly ReadWord[];
  /** Words that tell, in order. */
  readonly content: readonly ReadWord[];
}

/** Evidence, read once for all sentences that are judged against it. */
export interface SupportEvidence {
  readonly reader: WordReader;
  readonly sentences: readonly ReadSentence[];
  /** Beside the sentences; see {@link EvidenceSentence}. */
  readonly positions: readonly number[];
  /** Where each term stands, ascending; see {@link sentenceStride}. */
  readonly places: ReadonlyMap<string, readonly number[]>;
  readonly titleKeys: ReadonlySet<string>;
  /** Title and headings of each sentence, line by line: the keys of their words. */
  readonly titles: readonly (readonly ReadonlySet<string>[])[];
  /** Beside the sentences: whether it is a row of a table. */
  readonly rows: readonly boolean[];
  /** Capitals of names in a row, such as `us` of `United States`. */
  readonly initials: ReadonlySet<string>;
  /** First five letters of its words. */
  readonly prefixes: ReadonlySet<string>;
  /** Greatest likeness of a word to any of the evidence. */
  readonly likeness: (word: string) => number;
  readonly weigh: (word: ReadWord) => number;
}

/**
 * Reads evidence, so that sentences can be judged against it.
 *
 * **Cost** linear in the evidence.
 */
export function readEvidence(sentences: readonly EvidenceSentence[], options: SupportOptions = {}): SupportEvidence {
  const { analyzer = defaultAnalyzer, weigh } = options;
  const language = options.language ?? analyzer.languageOf?.(sentences.map(({ text }) => text).join("\n")) ?? "";
  const reader = createWordReader(analyzer, language);
  const places = new Map<string, number[]>();
  const initials = new Set<string>();
  const vocabulary = new Set<string>();
  const read = sentences.map(({ text }, sentence): ReadSentence => {
    const words = reader.read(text);
    const content = words.filter(({ isContent }) => isContent);
    let at = 0;
    for (const word of words) {
      if (word.isContent) at += 1;
      const place = sentence * sentenceStride + at;
      const held = places.get(word.key);
      if (held) held.push(place);
      else places.set(word.key, [place]);
      if (word.isContent && !word.isNumber) vocabulary.add(word.word);
    }
    addInitials(words, text, initials);
    return { words, content };
  });
  const lines = new Map<string, ReadonlySet<string>>();
  const keysOf = (line: string): ReadonlySet<string> => {
    const keys = lines.get(line) ?? new Set(reader.read(line).map(({ key }) => key));
    lines.set(line, keys);
    return keys;
  };
  const titles = sentences.map(({ title = "" }) =>
    title
      .split("\n")
      .filter((line) => line !== "")
      .map(keysOf),
  );
  const titleKeys = new Set([...lines.values()].flatMap((keys) => [...keys]));
  return {
    reader,
    sentences: read,
    positions: sentences.map(({ position }, at) => position ?? at),
    places,
    titleKeys,
    titles,
    rows: sentences.map(({ isRow = false }) => isRow),
    initials,
    prefixes: new Set([...vocabulary].flatMap((word) => (word.length >= 5 ? word.slice(0, 5) : []))),
    likeness: createLikeness(vocabulary),
    weigh: weigh === undefined ? rarityOfForm : ({ key }) => Math.min(1, Math.max(0, weigh(key))),
  };
}

/**
 * Rarity among the sentences of a collection, from how many hold a term.
 *
 * **Shape** `ln((n + 1) / (df + .5)) / ln((n + 1) / .5)`.
 * **Source** Spärck Jones, A statistical interpretation of term specificity (1972), divided by its greatest value.
 */
export function rarityAmong(sentences: number, holding: (term: string) => number): (term: string) => number {
  const greatest = Math.log((sentences + 1) / 0.5);
  return (term) => Math.max(0, Math.log((sentences + 1) / (holding(term) + 0.5)) / greatest);
}

/**
 * Rarity by the form of a word: longer words, numbers and names are rarer.
 *
 * **Source** our own choice. On WiCE it does as well as rarity measured over 62,557 sentences; see `docs/decisions/0096-support-by-words.md`.
 */
function rarityOfForm({ word, isNumber, isName }: ReadWord): number {
  return 0.4 + 0.03 * Math.min(12, word.length) + (isNumber ? 0.1 : 0) + (isName ? 0.15 : 0);
}

/** Adds initials of each row of words with capitals: `United States of America` gives `us` and `usa`. */
function addInitials(words: readonly ReadWord[], text: string, initials: Set<string>): void {
  let row = "";
  let end = 0;
  for (const word of words) {
    const joins = row !== "" && /^\s*$/u.test(text.slice(end, word.start));
    if (word.isCapital && word.word.length > 1) row = (joins ? row : "") + word.word[0]!;
    else if (!(joins && /^(?:of|and|the|for|de|la|du)$/u.test(word.word))) row = "";
    end = word.end;
    for (let from = 0; from < row.length - 1; from += 1) initials.add(row.slice(from));
  }
}

/** Greatest Jaccard coefficient of trigrams between a word and any of a vocabulary. **Cost** linear in the words that share a trigram with it. */
function createLikeness(vocabulary: ReadonlySet<string>): (word: string) => number {
  let index: Map<string, number[]> | undefined;
  const sizes: number[] = [];
  return (word) => {
    if (index === undefined) {
      index = new Map();
      for (const each of vocabulary) {
        const own = trigramsOf(each);
        for (const trigram of own) {
          const held = index.get(trigram);
          if (held) held.push(sizes.length);
          else index.set(trigram, [sizes.length]);
        }
        sizes.push(own.size);
      }
    }
    const own = trigramsOf(word);
    const shared = new Map<number, number>();
    for (const trigram of own) for (const at of index.get(trigram) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
    let best = 0;
    for (const [at, count] of shared) best = Math.max(best, count / (own.size + sizes[at]! - count));
    return best;
  };
}

function trigramsOf(word: string): ReadonlySet<string> {
  const padded = `^${word}$`;
  const trigrams = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at += 1) trigrams.add(padded.slice(at, at + 3));
  return trigrams;
}
