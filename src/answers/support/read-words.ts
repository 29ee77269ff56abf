import type { Analyzer } from "../../contracts/analyzer.ts";
import { titles } from "../../text/languages/abbreviations.ts";
import { foldWord } from "../../text/languages/fold-word.ts";
import { plainFormOf } from "../../text/languages/irregular-forms.ts";
import { endsSentence } from "../../text/sentence-end.ts";
import { type Draft, draftWords } from "./draft-words.ts";
import { unitOf } from "./units.ts";
import { amounts, denials, foreignDenials, hedges, impliedDenials, quantifierKinds } from "./word-lists.ts";

/** A word of a sentence as the support model sees it. **Units** UTF-16 code units of the sentence, half open. */
export interface ReadWord {
  readonly start: number;
  readonly end: number;
  /** Folded, as spelled. */
  readonly word: string;
  /** Equal for words that mean the same: a stem, `#50` for a number by its value, `@7` for a month. */
  readonly key: string;
  readonly isContent: boolean;
  readonly isNumber: boolean;
  /** A word with a capital that does not have it for standing first, or an identifier. */
  readonly isName: boolean;
  readonly isCapital: boolean;
  /** A capital behind a colon or the end of a sentence: a name, or the first of a sentence. */
  readonly mayBeName: boolean;
  /** A title of the name behind it, such as `Dr`. */
  readonly isTitle: boolean;
  readonly isHedge: boolean;
  readonly isDenial: boolean;
  readonly impliesDenial: boolean;
  /** Kind of quantifier, or `""`. */
  readonly quantifier: string;
  /** Unit or currency that the word names, or `""`; see {@link unitOf}. */
  readonly unit: string;
  /** Whether a sign between clauses stands before the word, or it begins one. */
  readonly opensClause: boolean;
  /** Whether a sign between clauses stands before the word. */
  readonly isBehindSign: boolean;
}

export const isMonth = ({ key }: ReadWord): boolean => key.startsWith("@");

/** Rules by which the words of one language are read. */
export interface WordReader {
  readonly language: string;
  read(sentence: string): readonly ReadWord[];
}

const kindOf = new Map(
  Object.entries(quantifierKinds)
    .toReversed()
    .flatMap(([kind, words]) => words.map((word): [string, string] => [word, kind])),
);
const clauseWords = new Set(
  "and but which who where when while after before because with by for und aber weil".split(" "),
);
const foreignClauseWords = new Set("et mais y pero e ma".split(" "));
export const capitalisingLanguages: ReadonlySet<string> = new Set(["de", "lb"]);
/** In capitals these are names, and no pronouns. */
const acronyms: ReadonlySet<string> = new Set(["IT", "WHO"]);
/** A line with more capitals than this is a title, or written in capitals throughout. */
const titleShare = 0.6;
const mostRemembered = 20_000;

/**
 * Makes a reader for sentences of one language.
 *
 * **Cost** linear in the sentence; terms of words are remembered.
 */
export function createWordReader(analyzer: Analyzer, language: string): WordReader {
  const listed = analyzer.functionWords?.[language] ?? analyzer.functionWords?.["en"] ?? "";
  const functionWords = foldList(listed);
  const foreign = foreignDenials[language];
  const isEnglish = language === "en";
  const terms = new Map<string, string>();
  const termOf = (word: string): string => {
    let term = terms.get(word);
    if (term === undefined) {
      term = analyzer.analyze(isEnglish ? plainFormOf(foldWord(word)) : word, language)[0] ?? foldWord(word);
      if (terms.size >= mostRemembered) terms.clear();
      terms.set(word, term);
    }
    return term;
  };
  const denies = (word: string): boolean =>
    (denials.has(word) || /n['’]t$/u.test(word)) && !(foreign?.has(word) ?? false);

  return {
    language,
    read(sentence) {
      const drafts = draftWords(sentence, language);
      const capitals = drafts.filter(({ text, isRun }) => !isRun && /^\p{Lu}/u.test(text)).length;
      // "Ann Lee met Bo Berg." has a verb in small letters, and a title has none.
      const isSentence =
        /[.!?]\s*$/u.test(sentence) &&
        drafts.some(({ text }) => /^\p{Ll}{3,}$/u.test(text) && !functionWords.has(foldWord(text)));
      const isTitled = capitals > Math.max(2, titleShare * drafts.length) && !isSentence;
      const marksNames = !capitalisingLanguages.has(language) && !isTitled;
      const read: ReadWord[] = [];
      let from = 0;
      for (const [at, draft] of drafts.entries()) {
        const { start, end, text, value, isRun } = draft;
        const gap = sentence.slice(from, start);
        const word = foldWord(text).replace(/['’]s$/u, "");
        const next = drafts[at + 1];
        // "No. 5" counts, and "not only" affirms.
        const isDenial = isRun
          ? denyingRun.test(text)
          : denies(word) &&
            !(word === "no" && next?.value !== undefined && /^\.?\s*$/u.test(sentence.slice(end, next.start))) &&
            !(word === "not" && next !== undefined && /^(?:only|just|least)$/iu.test(next.text));
        const isBehindSign = at > 0 && /[,;:–—()]/u.test(gap);
        const isCapital = /^\p{Lu}/u.test(text);
        const isIdentifier = !isRun && /\p{Ll}\p{Lu}|_|\p{L}\p{Nd}|\p{Nd}\p{L}/u.test(text) && value === undefined;
        const isAcronym = marksNames && acronyms.has(text);
        // "Plan B" is not "plan A".
        const isLetter = isCapital && text.length === 1 && /^\s+$/u.test(gap) && isLabel(sentence, end, read.at(-1));
        const isFunction = !isLetter && ((functionWords.has(word) && !isAcronym) || word.length < 2);
        const unit = value === undefined && !isRun ? unitOf(text, isCounted(drafts, at)) : "";
        const isMeasure = unit !== "" && isCounted(drafts, at);
        const isTitle = isCapital && (titles.has(word) || germanTitles.has(word));
        const isBeginning = isCapital && at > 0 && begins(sentence, from, start);
        const isName =
          !isRun &&
          value === undefined &&
          draft.isMonth !== true &&
          (text.length > 1 || isLetter) &&
          !isMeasure &&
          !isTitle &&
          (isIdentifier ||
            (isCapital && (read.at(-1)?.isTitle ?? false)) ||
            (isCapital && marksNames && !isFunction && at > 0 && !isBeginning));
        const isNumber = isRun
          ? countingRun.test(text)
          : value !== undefined
            ? value.startsWith("#")
            : /\p{Nd}/u.test(text);
        // "not only" and "not all" say the contrary of their second word.
        const isTurned = at > 0 && foldWord(drafts[at - 1]!.text) === "not";
        const quantifier = isRun || isDenial ? "" : isTurned ? turnedKind(word) : (kindOf.get(word) ?? "");
        read.push({
          start,
          end,
          word,
          key: value ?? (isRun ? word : isLetter && !isMeasure ? text : termOf(isMeasure ? unit : text)),
          isContent: !isDenial && (value !== undefined || isNumber || isRun || isMeasure || !isFunction),
          isNumber,
          isName,
          isCapital: isCapital && !isFunction,
          mayBeName: isBeginning && marksNames && !isFunction,
          isTitle,
          isHedge: hedges.has(word),
          isDenial,
          impliesDenial: isDenial || impliedDenials.has(word),
          unit,
          quantifier: quantifier === "some" ? (amounts[word] ?? "several") : quantifier,
          opensClause:
            at > 0 && (isBehindSign || clauseWords.has(word) || (!isEnglish && foreignClauseWords.has(word))),
          isBehindSign,
        });
        const sign = sentence.slice(end, end + 2).trimStart()[0] ?? "";
        const currency = /([$€£¥])\s?[-−]?$/u.exec(gap)?.[1] ?? sign;
        if (isNumber && sign === "%") read.push(unitAfter(end, "percent", termOf));
        else if (isNumber && currencies[currency] !== undefined)
          read.push(unitAfter(end, currencies[currency], termOf));
        from = end;
      }
      return read;
    },
  };
}

/** Whether a capital alone labels the word before it, as in `drug A`: no initial, no article and no pronoun. */
function isLabel(sentence: string, end: number, before: ReadWord | undefined): boolean {
  if (before?.isContent !== true || before.isNumber) return false;
  return !before.isName && !/^\.\s+\p{Lu}/u.test(sentence.slice(end, end + 4));
}

const folded = new Map<string, ReadonlySet<string>>();

/** Words of a list as they are compared; a few lists serve all readers. */
function foldList(list: string): ReadonlySet<string> {
  const words = folded.get(list) ?? new Set(list.split(/\s+/u).map((word) => foldWord(word)));
  if (folded.size < mostLists) folded.set(list, words);
  return words;
}

const mostLists = 100;

/** Pairs of signs that deny, and those that count, in Chinese and Japanese. */
const denyingRun = /^(?:[不没沒未無无].?|ない|なか|せん)$/u;
const countingRun = /[二三四五六七八九十百千万億亿]/u;

/** Behind these a capital begins a sentence. */
const endsBefore = /[.:!?…]["“”„«»'’)\]]*\s+["“„«'(]*$/u;
const currencies: Readonly<Record<string, string>> = { $: "dollar", "€": "euro", "£": "pound", "¥": "yen" };

/** Whether a sentence begins behind a gap. A full stop that abbreviates ends none: the name behind `Dr.` is one. */
function begins(sentence: string, from: number, start: number): boolean {
  const gap = sentence.slice(from, start);
  if (!endsBefore.test(gap)) return false;
  const stop = /^\.\s+$/u.test(gap) ? from : -1;
  return (
    stop < 0 || (!initialed.test(sentence.slice(Math.max(0, stop - 8), stop)) && endsSentence(sentence, stop, stop + 1))
  );
}

/** A capital and at most four letters, such as `Cllr`: a title or a name cut short, whatever the list of abbreviations. */
const initialed = /(?<![\p{L}\p{N}])\p{Lu}\p{L}{0,4}$/u;

const germanTitles: ReadonlySet<string> = new Set(["herr", "herrn", "frau"]);

/** Whether a number stands beside a draft: `5 kg`, `90-day`, `EUR 40`. */
function isCounted(drafts: readonly Draft[], at: number): boolean {
  return isFigure(drafts[at - 1]) || isFigure(drafts[at + 1]);
}

function isFigure(draft: Draft | undefined): boolean {
  return draft?.value?.startsWith("#") === true;
}

function turnedKind(word: string): string {
  return kindOf.get(word) === "only" || word === "just" ? "not only" : "";
}

/** A sign beside a number, as its word: found where the other side spells it, and never asked for. */
function unitAfter(at: number, word: string, termOf: (word: string) => string): ReadWord {
  return {
    start: at,
    end: at,
    word,
    key: termOf(word),
    isContent: false,
    isNumber: false,
    isName: false,
    isCapital: false,
    mayBeName: false,
    isTitle: false,
    isHedge: false,
    isDenial: false,
    impliesDenial: false,
    unit: word,
    quantifier: "",
    opensClause: false,
    isBehindSign: false,
  };
}
