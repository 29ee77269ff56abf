import type { Analyzer } from "../contracts/analyzer.ts";
import { addBigrams } from "./bigrams.ts";
import { latin, number, upper } from "./character-class.ts";
import { checkOptions } from "./check-options.ts";
import { foldAscii, foldWord, maxTermLength } from "./fold-word.ts";
import { isArabic, stemArabic } from "./stem-arabic.ts";
import { stemPlural } from "./stem-plural.ts";
import { unicodeVersion } from "./unicode-version.ts";
import { type WordScanner, scanWords } from "./words.ts";

/** Changes whenever the same text would give other terms. */
const version = 1;

/** What an analyzer can be told; see {@link createAnalyzer}. */
export interface AnalyzerOptions {
  /** `"light"` (default): words of the Latin script lose a plural ending, Arabic ones article, particle and endings. `"none"`: they stay. */
  readonly stem?: "light" | "none";
  /** Words that are no terms, compared after folding and before stemming. Default: none; BM25's idf makes frequent words weigh little. */
  readonly stopWords?: readonly string[];
}

/**
 * An analyzer for text in any script.
 *
 * - Words are folded (`fold-word.ts`) and lightly stemmed (`stem-plural.ts`, `stem-arabic.ts`); a possessive `'s` and an elided article (`l'`,
 *   `dell'`) go too.
 * - Identifiers are kept whole and split: `getUserById` also gives `get`, `user`, `by`, `id`; `SKU-1234` also `sku`, `1234`;
 *   so do `snake_case`, `dotted.names`, `src/paths.ts` and addresses. Words that only a hyphen or a slash joins (`well-known`, `and/or`) are
 *   split and not kept, so that prose does not grow; `e-mail` gives `email` and `mail`. `U.S.` gives `us`; `C++` and `C#` keep their signs.
 * - Runs of a script without spaces give overlapping pairs of characters, and each ideograph (`bigrams.ts`).
 *
 * **Shape** terms in order of appearance, none blank, none longer than 64 code units. **Cost** linear in the text, whatever it holds.
 * **Errors** `invalid-argument` for an unknown option.
 * **Source** pairs of characters: Lee and Ahn, Using n-Grams for Korean Text Retrieval (SIGIR 1996); they do as well as a dictionary and
 * do not change with the ICU version (law 11).
 */
export function createAnalyzer(options: AnalyzerOptions = {}): Analyzer {
  checkOptions("createAnalyzer", options, ["stem", "stopWords"]);
  const stems = (options.stem ?? "light") === "light";
  const stopWords = new Set(options.stopWords?.map(foldWord));
  const settings = JSON.stringify([stems ? "light" : "none", ...[...stopWords].toSorted()]);

  return Object.freeze({
    fingerprint: `ibid-words/${version}/unicode-${unicodeVersion()}/${settings}`,
    analyze(text: string): readonly string[] {
      const terms: string[] = [];
      const scanner = scanWords(text);
      let more = scanner.next();
      while (more) {
        const { start, end, classes } = scanner;
        const ascii = scanner.units < 0x80;
        if (scanner.run) {
          addBigrams(text, start, end, terms);
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
          addCompound(text, parts, terms);
        } else {
          const sign = end - start <= 2 ? signAfter(text, end) : "";
          if (sign === "") addWord(text.slice(start, end), classes, ascii, terms);
          else add(foldWord(text.slice(start, end)) + sign, number, terms);
        }
      }
      return terms;
    },
  });

  /** Adds a folded word; `classes` tell whether it is one that can be in the plural. */
  function add(folded: string, classes: number, terms: string[]): void {
    if (folded === "" || (stopWords.size > 0 && stopWords.has(folded))) return;
    terms.push(stems ? stem(folded, classes) : folded);
  }

  /** Words that single signs join: an identifier, a date, an address, an acronym; or plain words with a hyphen between them. */
  function addCompound(text: string, parts: readonly Part[], terms: string[]): void {
    const first = parts[0]!;
    const last = parts[parts.length - 1]!;
    const whole =
      last.end - first.start <= maxTermLength ? text.slice(first.start, last.end).replaceAll(/[‐‑]/g, "-") : "";
    if (acronym.test(whole)) {
      add(foldWord(whole.replaceAll(".", "")), number, terms);
      return;
    }
    const identifier =
      whole !== "" && (parts.some((part) => (part.classes & number) !== 0) || identifierSign.test(whole));
    const prefixed =
      !identifier && whole !== "" && parts.length === 2 && first.end - first.start === 1 && whole[1] === "-";
    if (identifier) add(foldWord(whole), number, terms);
    if (prefixed) add(foldWord(whole.replace("-", "")), last.classes, terms);
    for (const part of parts) {
      // A single letter of something that was added whole says nothing by itself.
      if ((identifier || prefixed) && part.end - part.start === 1 && (part.classes & number) === 0) continue;
      addWord(text.slice(part.start, part.end), part.classes, part.ascii, terms);
    }
  }

  function addWord(word: string, classes: number, ascii: boolean, terms: string[]): void {
    const fold = ascii ? foldAscii : foldWord;
    if ((classes & number) !== 0 && word.includes(",")) {
      add(fold(word.replaceAll(",", "")), classes, terms);
      return;
    }
    const apostrophe = word.search(/['’]/);
    if (apostrophe > 0) {
      if (/['’][sS]$/.test(word)) addWord(word.slice(0, -2), classes, ascii, terms);
      else if (elided.has(foldWord(word.slice(0, apostrophe))))
        addWord(word.slice(apostrophe + 1), classes, ascii, terms);
      else add(foldWord(word), number, terms);
      return;
    }
    const long = word.length > maxTermLength;
    if (word.includes("_")) {
      if (!long) add(fold(word), number, terms);
      for (const part of word.split(/_+/)) if (part.length > 1 || isDigit(part)) addWord(part, classes, ascii, terms);
      return;
    }
    add(fold(word), classes, terms);
    if (long || (classes & upper) === 0 || !/\p{Lu}/u.test(word.slice(1))) return;
    const humps = word.split(hump).filter((part) => part.length > 1);
    if (humps.length > 1) for (const part of humps) add(fold(part), classes, terms);
  }
}

/** What documents and queries share unless somebody configures another. */
export const defaultAnalyzer: Analyzer = createAnalyzer();

interface Part {
  readonly start: number;
  readonly end: number;
  readonly classes: number;
  readonly ascii: boolean;
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

function stem(folded: string, classes: number): string {
  if ((classes & number) !== 0) return folded;
  if ((classes & latin) !== 0) return stemPlural(folded);
  return isArabic(folded) ? stemArabic(folded) : folded;
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
