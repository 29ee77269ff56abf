import type { Analyzer } from "../../contracts/analyzer.ts";
import { titles } from "../../text/languages/abbreviations.ts";
import { foldWord } from "../../text/languages/fold-word.ts";
import { endsSentence } from "../../text/sentence-end.ts";
import { segmentWords } from "../../text/words.ts";
import {
  ambiguousMonths,
  numberOfMonth,
  valueOfDigits,
  valueOfNumeral,
  valueOfRoman,
  valueOfScale,
} from "./read-numbers.ts";
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
  /** Whether a sign between clauses stands before the word. */
  readonly opensClause: boolean;
}

export const isMonth = ({ key }: ReadWord): boolean => key.startsWith("@");

/** Rules by which the words of one language are read. */
export interface WordReader {
  readonly language: string;
  read(sentence: string): readonly ReadWord[];
}

interface Draft {
  start: number;
  end: number;
  text: string;
  isRun: boolean;
  value?: string;
  isMonth?: boolean;
}

const kindOf = new Map(
  Object.entries(quantifierKinds)
    .toReversed()
    .flatMap(([kind, words]) => words.map((word): [string, string] => [word, kind])),
);
const clauseWords = new Set(
  "and but which who where while when after before because with by for und aber weil et mais y pero e ma".split(" "),
);
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
  const terms = new Map<string, string>();
  const termOf = (word: string): string => {
    let term = terms.get(word);
    if (term === undefined) {
      term = analyzer.analyze(word, language)[0] ?? foldWord(word);
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
      const drafts = joinNumbers(draftWords(sentence, language), sentence, language);
      const capitals = drafts.filter(({ text, isRun }) => !isRun && /^\p{Lu}/u.test(text)).length;
      const marksNames = !capitalisingLanguages.has(language) && capitals <= Math.max(2, titleShare * drafts.length);
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
        const isCapital = /^\p{Lu}/u.test(text);
        const isIdentifier = !isRun && /\p{Ll}\p{Lu}|_|\p{L}\p{Nd}|\p{Nd}\p{L}/u.test(text) && value === undefined;
        const isAcronym = marksNames && acronyms.has(text);
        const isFunction = (functionWords.has(word) && !isAcronym) || word.length < 2;
        const unit = value === undefined && !isRun ? unitOf(text, isCounted(drafts, at)) : "";
        const isMeasure = unit !== "" && isCounted(drafts, at);
        const isTitle = isCapital && (titles.has(word) || germanTitles.has(word));
        const isBeginning = isCapital && at > 0 && begins(sentence, from, start);
        const isName =
          !isRun &&
          value === undefined &&
          draft.isMonth !== true &&
          text.length > 1 &&
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
          key: value ?? (isRun ? word : termOf(isMeasure ? unit : text)),
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
          opensClause: at > 0 && (/[,;:–—()]/u.test(gap) || clauseWords.has(word)),
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
  };
}

/** Words as the text room finds them; acronyms are joined, and runs without spaces are cut into overlapping pairs. */
function draftWords(sentence: string, language: string): readonly Draft[] {
  const drafts: Draft[] = [];
  for (const { text, start, end, kind } of segmentWords(sentence)) {
    if (kind === "run") {
      const signs = Array.from(text);
      let at = start;
      for (const [index, sign] of signs.entries()) {
        const pair = sign + (signs[index + 1] ?? "");
        if (index === 0 || index < signs.length - 1)
          drafts.push({ start: at, end: at + pair.length, text: pair, isRun: true });
        at += sign.length;
      }
      continue;
    }
    const last = drafts.at(-1);
    const joinsAcronym =
      last !== undefined &&
      !last.isRun &&
      start === last.end + 1 &&
      sentence[last.end] === "." &&
      /^\p{L}$/u.test(text) &&
      /^\p{L}(?:\.?\p{L})*$/u.test(last.text) &&
      (last.text.length === 1 || sentence.slice(last.start, last.end).includes("."));
    if (joinsAcronym) {
      last.text += text;
      last.end = end;
      continue;
    }
    const measure = /^(\p{Nd}[\p{Nd}.,]*)(\p{L}{1,4})$/u.exec(text);
    if (measure !== null && unitOf(measure[2]!, true) !== "" && measure[2] !== "s") {
      const figure = valueOfDigits(measure[1]!, language);
      const middle = start + measure[1]!.length;
      if (figure !== undefined) {
        const value = isNegative(sentence, start) ? `#-${figure}` : `#${figure}`;
        drafts.push({ start, end: middle, text: measure[1]!, isRun: false, value });
        drafts.push({ start: middle, end, text: measure[2]!, isRun: false });
        continue;
      }
    }
    const digits = /\p{Nd}/u.test(text) ? valueOfDigits(text.replace(/['’]s$/u, ""), language) : undefined;
    const century =
      /^\d\d$/u.test(text) &&
      last !== undefined &&
      /^\d{4}$/u.test(last.text) &&
      /^[–-]$/u.test(sentence.slice(last.end, start));
    const value = century ? last.text.slice(0, 2) + text : (digits ?? valueOfRoman(text)?.toString());
    const draft: Draft = { start, end, text, isRun: false };
    if (value !== undefined) draft.value = isNegative(sentence, start) ? `#-${value}` : `#${value}`;
    drafts.push(draft);
  }
  return drafts;
}

function isNegative(sentence: string, start: number): boolean {
  return /(?:^|[\s(])(?:[-−][$€£¥]?|[$€£¥][-−]|minus\s)$/iu.test(sentence.slice(Math.max(0, start - 8), start));
}

/** Spelled numbers get values, together with the scales behind them; months get numbers. */
function joinNumbers(drafts: readonly Draft[], sentence: string, language: string): readonly Draft[] {
  const joined: Draft[] = [];
  for (let at = 0; at < drafts.length; at += 1) {
    const draft = drafts[at]!;
    const month = draft.isRun ? undefined : readMonth(drafts, at);
    if (month !== undefined) {
      joined.push({ ...draft, value: `@${month}`, isMonth: true });
      continue;
    }
    const iso = readIsoMonth(drafts, at, sentence);
    if (iso !== undefined) {
      joined.push({ ...draft, value: `@${iso}`, isMonth: true });
      continue;
    }
    const number = draft.isRun ? undefined : readNumber(drafts, at, sentence, language);
    if (number === undefined) {
      joined.push(draft);
      continue;
    }
    const last = drafts[number.last]!;
    joined.push({
      start: draft.start,
      end: last.end,
      text: sentence.slice(draft.start, last.end),
      isRun: false,
      value: `#${number.value}`,
    });
    at = number.last;
  }
  return joined;
}

/** Months that are also words: a word of time before them tells, as in "in May". */
const datable: ReadonlySet<string> = new Set(["may", "march", "mai"]);
const datedBy: ReadonlySet<string> = new Set(
  "in since until till by from before after during early late mid im seit bis ab vor nach anfang mitte ende".split(" "),
);

function readMonth(drafts: readonly Draft[], at: number): number | undefined {
  const { text, value } = drafts[at]!;
  if (value !== undefined || !/^\p{L}{3,}$/u.test(text)) return undefined;
  const word = text.toLowerCase();
  const month = numberOfMonth(word);
  if (month === undefined) return undefined;
  if (!ambiguousMonths.has(word)) return month;
  const isDated =
    drafts[at - 1]?.value !== undefined ||
    drafts[at + 1]?.value !== undefined ||
    (datable.has(word) && datedBy.has(drafts[at - 1]?.text.toLowerCase() ?? ""));
  return isDated && /^\p{Lu}/u.test(text) ? month : undefined;
}

/** The month in `2017-10-31`. */
function readIsoMonth(drafts: readonly Draft[], at: number, sentence: string): number | undefined {
  const [year, month, day] = [drafts[at - 1], drafts[at], drafts[at + 1]];
  if (!year || !month || !day || !/^\d{4}$/u.test(year.text) || !/^(?:0[1-9]|1[0-2])$/u.test(month.text))
    return undefined;
  const isDate =
    sentence[year.end] === "-" &&
    year.end + 1 === month.start &&
    /^\d\d/u.test(day.text) &&
    sentence[month.end] === "-";
  return isDate ? Number(month.text) : undefined;
}

interface FoundNumber {
  readonly value: string;
  readonly last: number;
}

/** Reads the number that begins at a word: `fifty-two`, `two hundred and six`, `1.5 million`. */
function readNumber(drafts: readonly Draft[], at: number, sentence: string, language: string): FoundNumber | undefined {
  const first = drafts[at]!;
  const given = first.value?.startsWith("#") ? Number(first.value.slice(1)) : undefined;
  const spelled = first.value === undefined ? valueOfNumeral(first.text.toLowerCase(), language) : undefined;
  const begin = given ?? spelled;
  if (begin === undefined || Number.isNaN(begin)) return undefined;
  let total = 0;
  let current = begin;
  let last = at;
  for (let next = at + 1; next < drafts.length; next += 1) {
    const draft = drafts[next]!;
    const between = sentence.slice(drafts[next - 1]!.end, draft.start);
    if (draft.isRun || !/^[\s-]*$/u.test(between)) break;
    const word = draft.text.toLowerCase();
    const scale = valueOfScale(word);
    const numeral = draft.value === undefined ? valueOfNumeral(word, language) : undefined;
    if (scale === 100) current *= 100;
    else if (scale !== undefined) {
      total += current * scale;
      current = 0;
    } else if (word === "and" && (current >= 100 || total > 0) && given === undefined) {
      const after = valueOfNumeral(drafts[next + 1]?.text.toLowerCase() ?? "", language);
      if (after === undefined) break;
      continue;
    } else if (
      numeral !== undefined &&
      given === undefined &&
      ((current % 100 === 0 && (current > 0 || total > 0)) ||
        (current % 10 === 0 && current % 100 >= 20 && numeral < 10 && numeral > 0))
    )
      current += numeral;
    else break;
    last = next;
  }
  // "one" alone is a pronoun more often than a number, and "second" is a time.
  if (
    last === at &&
    given === undefined &&
    (begin === 1 || (first.text.toLowerCase() === "second" && isTime(drafts, at)))
  )
    return undefined;
  if (last === at && given !== undefined) return undefined;
  return { value: String(total + current), last };
}

function isTime(drafts: readonly Draft[], at: number): boolean {
  const before = drafts[at - 1];
  return before !== undefined && (before.value !== undefined || /^(?:per|a|each|every)$/iu.test(before.text));
}
