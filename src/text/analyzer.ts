import type { Analyzer } from "../contracts/analyzer.ts";
import { addBigrams } from "./languages/bigrams.ts";
import { number, upper } from "./patterns/character-class.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { createLanguageDetector, detectorVersion } from "./languages/detect-language.ts";
import { foldAscii, foldWord, maxTermLength } from "./languages/fold-word.ts";
import { hashParts } from "../runtime/hash.ts";
import { coreLanguages, type LanguageRules } from "./languages/language-rules.ts";
import { createStemmers, type Stemmer } from "./languages/stemmers.ts";
import { unicodeVersion } from "./patterns/unicode-version.ts";
import { mostWordsKept, WordMap } from "./word-map.ts";
import { WordList } from "./words.ts";

/** Changes whenever the same text would give other terms. */
const version = 2;

/**
 * Options of an analyzer; see {@link createAnalyzer}.
 *
 * @experimental
 */
export interface AnalyzerOptions {
  /**
   * `"language"` (default): words lose their endings by the rules of the text's language; where there are none, a plural ending. `"light"`: in every
   * language words of the Latin script lose a plural ending, Arabic ones article, particle and endings. `"none"`: words stay.
   */
  readonly stem?: "language" | "light" | "none" | undefined;
  /** Rules by language (`de`), in place of the core's own or beside them. On Node `snowballLanguages` has them for some thirty. */
  readonly languages?: Readonly<Record<string, LanguageRules>> | undefined;
  /** Words that are no terms, compared after folding and before stemming. Default: none; BM25's idf makes frequent words weigh little. */
  readonly stopWords?: readonly string[] | undefined;
  /** Whether a word that a query says twice counts twice. Default true; ToolUp's formula counts distinct words. */
  readonly queryTermFrequency?: boolean | undefined;
  /**
   * How words are found. Default `"words"`: with signs, identifiers and scripts. `"plain"`: runs of letters and digits in lower case and nothing else, unstemmed.
   * **Source** ToolUp's tokens.
   */
  readonly tokens?: "words" | "plain" | undefined;
}

/**
 * An analyzer for text in any script.
 *
 * - Words are folded (`fold-word.ts`) and stemmed by the rules of the text's language (`stemmers.ts`), which its function words show when it
 *   is not named (`detect-language.ts`). A possessive `'s` and an elided article (`l'`, `dell'`) go too.
 * - Identifiers are kept whole and split: `getUserById` also gives `get`, `user`, `by`, `id`; `SKU-1234` also `sku`, `1234`;
 *   so do `snake_case`, `dotted.names`, `src/paths.ts` and addresses. Words that only a hyphen or a slash joins (`well-known`, `and/or`) are
 *   split and not kept, so that prose does not grow; `e-mail` gives `email` and `mail`. `U.S.` gives `us`; `C++` and `C#` keep their signs.
 * - Runs of a script without spaces give overlapping pairs of characters, and each ideograph (`bigrams.ts`).
 *
 * A query's word has one term for each way in which the searched languages stem it. Where words begin and end does not depend on the language, so that
 * the same words stand on both sides.
 *
 * **Shape** terms in order of appearance, none blank, none longer than 64 code units. `analyzeQuery(text, [language])` gives the terms of
 * `analyze(text, language)`, each by itself. **Cost** linear in the text, whatever it holds; stems of some ten thousand words a language are remembered.
 * **Errors** `invalid-argument` for an unknown option.
 * **Source** pairs of characters: Lee and Ahn, Using n-Grams for Korean Text Retrieval (SIGIR 1996). They do as well as a dictionary and
 * do not change with the ICU version.
 *
 * @experimental
 */
export function createAnalyzer(options: AnalyzerOptions = {}): Analyzer {
  checkOptions("createAnalyzer", options, {
    stem: true,
    languages: true,
    stopWords: true,
    queryTermFrequency: true,
    tokens: true,
  });
  const { queryTermFrequency = true, tokens = "words" } = options;
  if (tokens === "plain") return createPlainAnalyzer(new Set(options.stopWords), queryTermFrequency);
  const languages = { ...coreLanguages, ...options.languages };
  const kind = options.stem ?? "language";
  const stemmers = createStemmers(kind, languages);
  const functionWords = collectFunctionWords(languages);
  const detect = createLanguageDetector(functionWords);
  const stopWords = new Set(options.stopWords?.map(foldWord));
  const known = new Map<Stemmer, WordMap<readonly string[]>>();
  /** A list to read into, while nobody does. */
  let spare: WordList | undefined = new WordList();
  const settings = JSON.stringify([kind, ...[...stopWords].toSorted()]);

  return Object.freeze({
    fingerprint: `ibid-words/${version}/unicode-${unicodeVersion()}/${nameLanguages(languages)}/${settings}`,
    functionWords,
    languageOf: detect,
    analyze(text: string, language?: string): readonly string[] {
      const stem = stemmers.of(language ?? detect(text));
      const known = knownTo(stem);
      const terms: string[] = [];
      const sink: Sink = {
        single(words, i) {
          const found = known.get(words, i);
          if (found !== undefined) {
            for (const term of found) terms.push(term);
            return;
          }
          const from = terms.length;
          addWord(ownCopy(text.slice(words.starts[i], words.ends[i])), words.classes[i]!, words.isAscii(i), sink);
          if (known.size < mostWordsKept) known.set(words, i, terms.slice(from));
        },
        word: (folded, classes) => terms.push(stem(folded, classes)),
        run: (start, end) => addBigrams(text, start, end, terms),
      };
      walk(text, sink);
      return terms;
    },
    analyzeQuery(text: string, searched: readonly string[]): readonly (readonly string[])[] {
      const detected = detect(text);
      // The query's own language first, so that its stem is the one that is shown.
      const ordered = detected !== "" && searched.includes(detected) ? [detected, ...searched] : searched;
      const stems = [...new Set((ordered.length === 0 ? [detected] : ordered).map((each) => stemmers.of(each)))];
      const groups: (readonly string[])[] = [];
      const sink: Sink = {
        single: (words, i) =>
          addWord(text.slice(words.starts[i], words.ends[i]), words.classes[i]!, words.isAscii(i), sink),
        word: (folded, classes) => groups.push([...new Set(stems.map((stem) => stem(folded, classes)))]),
        run(start, end) {
          const terms: string[] = [];
          addBigrams(text, start, end, terms);
          for (const term of terms) groups.push([term]);
        },
      };
      walk(text, sink);
      return queryTermFrequency ? groups : distinct(groups);
    },
  });

  /** Terms of a known word are looked up, instead of folding, splitting and stemming it again. */
  function knownTo(stem: Stemmer): WordMap<readonly string[]> {
    let words = known.get(stem);
    if (words === undefined) known.set(stem, (words = new WordMap()));
    if (words.size >= mostWordsKept) words.clear();
    return words;
  }

  /** Finds the words of a text, whatever its language. */
  function walk(text: string, sink: Sink): void {
    const words = spare ?? new WordList();
    spare = undefined;
    words.read(text);
    const { count, starts, ends } = words;
    for (let i = 0; i < count; i++) {
      const start = starts[i]!;
      const end = ends[i]!;
      if (words.isRun(i)) {
        sink.run(start, end);
        continue;
      }
      let last = i;
      while (last + 1 < count && areJoined(words, last)) last++;
      if (last > i) {
        addCompound(text, words, i, last, sink);
        i = last;
        continue;
      }
      const sign = end - start <= 2 ? signAt(words.units, end) : "";
      if (sign === "") sink.single(words, i);
      else add((words.isAscii(i) ? foldAscii : foldWord)(text.slice(start, end)) + sign, number, sink);
    }
    spare = words;
  }

  /** Adds a folded word; `classes` tell whether it is one that can have endings. */
  function add(folded: string, classes: number, sink: Sink): void {
    if (folded === "" || (stopWords.size > 0 && stopWords.has(folded))) return;
    sink.word(folded, classes);
  }

  /** Words that single signs join: an identifier, a date, an address, an acronym; or plain words with a hyphen between them. */
  function addCompound(text: string, words: WordList, first: number, last: number, sink: Sink): void {
    const start = words.starts[first]!;
    const end = words.ends[last]!;
    const whole = end - start <= maxTermLength ? text.slice(start, end).replaceAll(/[‐‑]/g, "-") : "";
    let ascii = true;
    let numbers = false;
    for (let i = first; i <= last; i++) {
      if (!words.isAscii(i)) ascii = false;
      if ((words.classes[i]! & number) !== 0) numbers = true;
    }
    const fold = ascii ? foldAscii : foldWord;
    if (acronym.test(whole)) {
      add(fold(whole.replaceAll(".", "")), number, sink);
      return;
    }
    const identifier = whole !== "" && (numbers || identifierSign.test(whole));
    const prefixed =
      !identifier && whole !== "" && last === first + 1 && words.ends[first]! - start === 1 && whole[1] === "-";
    if (identifier) add(fold(whole), number, sink);
    if (prefixed) add(fold(whole.replace("-", "")), words.classes[last]!, sink);
    for (let i = first; i <= last; i++) {
      // A single letter of something that was added whole says nothing by itself.
      const isLetter = words.ends[i] === words.starts[i]! + 1 && (words.classes[i]! & number) === 0;
      if ((identifier || prefixed) && isLetter) continue;
      sink.single(words, i);
    }
  }

  function addWord(word: string, classes: number, ascii: boolean, sink: Sink): void {
    const fold = ascii ? foldAscii : foldWord;
    if ((classes & number) !== 0 && word.includes(",")) {
      add(fold(word.replaceAll(",", "")), classes, sink);
      return;
    }
    const apostrophe = word.search(/['’]/);
    if (apostrophe > 0) {
      if (/['’][sS]$/.test(word)) addWord(word.slice(0, -2), classes, ascii, sink);
      else if (elided.has(foldWord(word.slice(0, apostrophe))))
        addWord(word.slice(apostrophe + 1), classes, ascii, sink);
      else add(foldWord(word), classes, sink);
      return;
    }
    const long = word.length > maxTermLength;
    if (word.includes("_")) {
      if (!long) add(fold(word), number, sink);
      for (const part of word.split(/_+/)) if (part.length > 1 || isDigit(part)) addWord(part, classes, ascii, sink);
      return;
    }
    add(fold(word), classes, sink);
    if (long || (classes & upper) === 0 || !/\p{Lu}/u.test(word.slice(1))) return;
    const humps = word.split(hump).filter((part) => part.length > 1);
    if (humps.length > 1) for (const part of humps) add(fold(part), classes, sink);
  }
}

/**
 * Analyzer of documents and queries unless the configuration names another.
 *
 * @experimental
 */
export const defaultAnalyzer: Analyzer = createAnalyzer();

/** Receiver of the words found. */
interface Sink {
  /** The word at `i`, as it stands in the text. */
  single(words: WordList, i: number): void;
  /** A term to be, folded. */
  word(folded: string, classes: number): void;
  run(start: number, end: number): void;
}

/** Single letters with full stops between them. */
const acronym = /^\p{L}(?:\.\p{L})+$/u;
/** A full stop, an at sign, an underscore, or an ampersand between capitals: `AT&T`. */
const identifierSign = /[.@_]|\p{Lu}&\p{Lu}/u;
/** Where a capital begins a word inside a word: after a small letter or digit, or as the last of several before two small letters. */
const hump = /(?<=[\p{Ll}\p{Nd}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;
/** Articles, pronouns and conjunctions that lose their vowel before another in French, Italian and Catalan. */
const elided: ReadonlySet<string> = new Set(
  "l d j m n s t c qu jusqu lorsqu puisqu quoiqu un gl all dall dell nell sull coll quell quest".split(" "),
);

function collectFunctionWords(languages: Readonly<Record<string, LanguageRules>>): Readonly<Record<string, string>> {
  const words: [string, string][] = [];
  for (const [language, rules] of Object.entries(languages)) {
    if (rules.functionWords !== undefined) words.push([language, rules.functionWords]);
  }
  return Object.freeze(Object.fromEntries(words));
}

/** All that the languages bring into the terms, as one short name. */
function nameLanguages(languages: Readonly<Record<string, LanguageRules>>): string {
  const known = Object.entries(languages).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hashParts(
    String(detectorVersion),
    ...known.flatMap(([language, rules]) => [language, rules.version, rules.script, rules.functionWords ?? ""]),
  ).slice(0, 16);
}

/** Whether the word after the one at `i` follows on it, with only a joining sign between. */
function areJoined(words: WordList, i: number): boolean {
  const end = words.ends[i]!;
  return words.starts[i + 1] === end + 1 && !words.isRun(i + 1) && joins(words.units[end]!);
}

/** Hyphen-minus, full stop, slash, at sign, ampersand, hyphen and its non-breaking kind. */
function joins(unit: number): boolean {
  return (
    unit === 0x2d ||
    unit === 0x2e ||
    unit === 0x2f ||
    unit === 0x40 ||
    unit === 0x26 ||
    unit === 0x2010 ||
    unit === 0x2011
  );
}

/** The sign that makes `C` or `F` a language's name. */
function signAt(units: Uint16Array, end: number): "" | "++" | "#" {
  if (units[end] === 0x23) return "#";
  return units[end] === 0x2b && units[end + 1] === 0x2b ? "++" : "";
}

function isDigit(text: string): boolean {
  return text >= "0" && text <= "9" && text.length === 1;
}

/** V8 copies slices that are shorter; a longer one is a view, which keeps the whole text in memory. **Units** UTF-16 code units. */
const shortestView = 13;

/** A word of a text, to be kept when the text is not. */
export function ownCopy(word: string): string {
  return word.length < shortestView ? word : ` ${word}`.slice(1);
}

/** **Source** ToolUp's tokens: lower-case runs of Unicode letters and digits. */
function createPlainAnalyzer(stopWords: ReadonlySet<string>, queryTermFrequency: boolean): Analyzer {
  const analyze = (text: string): readonly string[] =>
    Array.from(text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu), ([term]) => ownCopy(term.slice(0, 64))).filter(
      (term) => !stopWords.has(term),
    );
  return Object.freeze({
    fingerprint: `ibid-plain/1/unicode-${unicodeVersion()}/${JSON.stringify([...stopWords].toSorted())}`,
    analyze,
    analyzeQuery(text: string): readonly (readonly string[])[] {
      const groups = analyze(text).map((term): readonly string[] => [term]);
      return queryTermFrequency ? groups : distinct(groups);
    },
  });
}

function distinct(groups: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(groups.map((group) => [group.join("\u0000"), group])).values()];
}
