import type { Analyzer } from "../contracts/analyzer.ts";
import { addBigrams } from "./bigrams.ts";
import { number, upper } from "./character-class.ts";
import { checkOptions } from "./check-options.ts";
import { createLanguageDetector, detectorVersion } from "./detect-language.ts";
import { foldAscii, foldWord, maxTermLength } from "./fold-word.ts";
import { hashParts } from "./hash.ts";
import { coreLanguages, type LanguageRules } from "./language-rules.ts";
import { ownCopy } from "./own-copy.ts";
import { createStemmers, type Stemmer } from "./stemmers.ts";
import { unicodeVersion } from "./unicode-version.ts";
import { type WordScanner, scanWords } from "./words.ts";

/** Changes whenever the same text would give other terms. */
const version = 2;

/** What an analyzer can be told; see {@link createAnalyzer}. */
export interface AnalyzerOptions {
  /**
   * `"language"` (default): words lose their endings by the rules of the text's language; where there are none, a plural ending. `"light"`: in every
   * language words of the Latin script lose a plural ending, Arabic ones article, particle and endings. `"none"`: words stay.
   */
  readonly stem?: "language" | "light" | "none";
  /** Rules by language (`de`), in place of the core's own or beside them. On Node `snowballLanguages` has them for some thirty. */
  readonly languages?: Readonly<Record<string, LanguageRules>>;
  /** Words that are no terms, compared after folding and before stemming. Default: none; BM25's idf makes frequent words weigh little. */
  readonly stopWords?: readonly string[];
}

/**
 * An analyzer for text in any script.
 *
 * - Words are folded (`fold-word.ts`) and stemmed by the rules of the text's language (`stemmers.ts`), which is found by its function words when nobody
 *   names it (`detect-language.ts`); a possessive `'s` and an elided article (`l'`, `dell'`) go too.
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
 * **Source** pairs of characters: Lee and Ahn, Using n-Grams for Korean Text Retrieval (SIGIR 1996); they do as well as a dictionary and
 * do not change with the ICU version (law 11).
 */
export function createAnalyzer(options: AnalyzerOptions = {}): Analyzer {
  checkOptions("createAnalyzer", options, ["stem", "languages", "stopWords"]);
  const languages = { ...coreLanguages, ...options.languages };
  const kind = options.stem ?? "language";
  const stemmers = createStemmers(kind, languages);
  const functionWords = collectFunctionWords(languages);
  const detect = createLanguageDetector(functionWords);
  const stopWords = new Set(options.stopWords?.map(foldWord));
  const known = new Map<Stemmer, Map<string, readonly string[]>>();
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
        single(word, classes, ascii) {
          const found = known.get(word);
          if (found !== undefined) {
            for (const term of found) terms.push(term);
            return;
          }
          const from = terms.length;
          const kept = word.length > maxTermLength || known.size >= mostKept ? undefined : ownCopy(word);
          addWord(kept ?? word, classes, ascii, sink);
          if (kept !== undefined) known.set(kept, terms.slice(from));
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
        single: (word, classes, ascii) => addWord(word, classes, ascii, sink),
        word: (folded, classes) => groups.push([...new Set(stems.map((stem) => stem(folded, classes)))]),
        run(start, end) {
          const terms: string[] = [];
          addBigrams(text, start, end, terms);
          for (const term of terms) groups.push([term]);
        },
      };
      walk(text, sink);
      return groups;
    },
  });

  /** Most words of a text have stood in one before: what such a word gives is looked up, and neither folded, split nor stemmed again. */
  function knownTo(stem: Stemmer): Map<string, readonly string[]> {
    let words = known.get(stem);
    if (words === undefined) known.set(stem, (words = new Map()));
    if (words.size >= mostKept) words.clear();
    return words;
  }

  /** Finds the words of a text, whatever its language. */
  function walk(text: string, sink: Sink): void {
    const scanner = scanWords(text);
    let more = scanner.next();
    while (more) {
      const { start, end, classes } = scanner;
      const ascii = scanner.units < 0x80;
      if (scanner.run) {
        sink.run(start, end);
        more = scanner.next();
        continue;
      }
      more = scanner.next();
      if (more && isJoined(text, end, scanner)) {
        const parts: Part[] = [{ start, end, classes, ascii }];
        let last = end;
        do {
          parts.push({
            start: scanner.start,
            end: scanner.end,
            classes: scanner.classes,
            ascii: scanner.units < 0x80,
          });
          last = scanner.end;
          more = scanner.next();
        } while (more && isJoined(text, last, scanner));
        addCompound(text, parts, sink);
      } else {
        const sign = end - start <= 2 ? signAfter(text, end) : "";
        const word = text.slice(start, end);
        if (sign === "") sink.single(word, classes, ascii);
        else add((ascii ? foldAscii : foldWord)(word) + sign, number, sink);
      }
    }
  }

  /** Adds a folded word; `classes` tell whether it is one that can have endings. */
  function add(folded: string, classes: number, sink: Sink): void {
    if (folded === "" || (stopWords.size > 0 && stopWords.has(folded))) return;
    sink.word(folded, classes);
  }

  /** Words that single signs join: an identifier, a date, an address, an acronym; or plain words with a hyphen between them. */
  function addCompound(text: string, parts: readonly Part[], sink: Sink): void {
    const first = parts[0]!;
    const last = parts[parts.length - 1]!;
    const whole =
      last.end - first.start <= maxTermLength ? text.slice(first.start, last.end).replaceAll(/[‐‑]/g, "-") : "";
    const fold = parts.every((part) => part.ascii) ? foldAscii : foldWord;
    if (acronym.test(whole)) {
      add(fold(whole.replaceAll(".", "")), number, sink);
      return;
    }
    const identifier =
      whole !== "" && (parts.some((part) => (part.classes & number) !== 0) || identifierSign.test(whole));
    const prefixed =
      !identifier && whole !== "" && parts.length === 2 && first.end - first.start === 1 && whole[1] === "-";
    if (identifier) add(fold(whole), number, sink);
    if (prefixed) add(fold(whole.replace("-", "")), last.classes, sink);
    for (const part of parts) {
      // A single letter of something that was added whole says nothing by itself.
      if ((identifier || prefixed) && part.end - part.start === 1 && (part.classes & number) === 0) continue;
      sink.single(text.slice(part.start, part.end), part.classes, part.ascii);
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

/** What documents and queries share unless somebody configures another. */
export const defaultAnalyzer: Analyzer = createAnalyzer();

/** Who takes the words that are found. */
interface Sink {
  /** A word as it stands in the text. */
  single(word: string, classes: number, ascii: boolean): void;
  /** A term to be, folded. */
  word(folded: string, classes: number): void;
  run(start: number, end: number): void;
}

interface Part {
  readonly start: number;
  readonly end: number;
  readonly classes: number;
  readonly ascii: boolean;
}

/** Words that are kept for each way of stemming; when there are more, all are forgotten. */
const mostKept = 20_000;

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

/** Whether the scanner's word follows on what ended at `end`, with only a joining sign between. */
function isJoined(text: string, end: number, scanner: WordScanner): boolean {
  return scanner.start === end + 1 && !scanner.run && "-./@&‐‑".includes(text[end]!);
}

/** The sign that makes `C` or `F` a language's name. */
function signAfter(text: string, end: number): "" | "++" | "#" {
  const unit = text.charCodeAt(end);
  if (unit === 0x23) return "#";
  return unit === 0x2b && text.charCodeAt(end + 1) === 0x2b ? "++" : "";
}

function isDigit(text: string): boolean {
  return text >= "0" && text <= "9" && text.length === 1;
}
