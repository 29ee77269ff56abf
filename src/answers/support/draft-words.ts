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

/** A word or a sign as it is spelled, with its value where it counts. **Units** UTF-16 code units of the sentence, half open. */
export interface Draft {
  start: number;
  end: number;
  text: string;
  isRun: boolean;
  value?: string;
  isMonth?: boolean;
}

/** Words of a sentence, its numbers joined and read: `two hundred` is one, `5 pm` is 17, and `9:00` is 9. */
export function draftWords(sentence: string, language: string): readonly Draft[] {
  return joinClocks(joinNumbers(cutWords(sentence, language), sentence, language), sentence);
}

/** Words as the text room finds them; acronyms are joined, and runs without spaces are cut into overlapping pairs. */
function cutWords(sentence: string, language: string): readonly Draft[] {
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
    const figure = measure === null ? undefined : valueOfDigits(measure[1]!, language);
    if (measure !== null && figure !== undefined) {
      const scale = /[$€£¥]\s?$/u.test(sentence.slice(0, start)) ? scaleOfSuffix[measure[2]!.toLowerCase()] : undefined;
      if (scale !== undefined) {
        const value = Number((Number(figure) * scale).toPrecision(15));
        drafts.push({ start, end, text, isRun: false, value: `#${value}` });
        continue;
      }
      const middle = start + measure[1]!.length;
      if (unitOf(measure[2]!, true) !== "" && measure[2] !== "s") {
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

/** Letters behind an amount of money. */
const scaleOfSuffix: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, mn: 1e6, b: 1e9, bn: 1e9 };

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

/** Hours of twelve get their value of twenty-four with the word behind them, and full hours lose their minutes. */
function joinClocks(drafts: readonly Draft[], sentence: string): readonly Draft[] {
  const joined: Draft[] = [];
  for (let at = 0; at < drafts.length; at += 1) {
    const hour = drafts[at]!;
    const minutes = minutesBehind(drafts, at, sentence);
    const isClock = /^\d\d?$/u.test(hour.text) && Number(hour.text) <= 24;
    const half = halfOfDay.exec(drafts[minutes === undefined ? at + 1 : at + 2]?.text ?? "")?.[1]?.toLowerCase();
    if (!isClock || (minutes === undefined && half === undefined)) {
      joined.push(hour);
      continue;
    }
    const value = half === undefined ? Number(hour.text) : (Number(hour.text) % 12) + (half === "p" ? 12 : 0);
    const last = drafts[at + (minutes === undefined ? 0 : 1) + (half === undefined ? 0 : 1)]!;
    const isFull = minutes === undefined || Number(minutes.text) === 0;
    joined.push({ ...hour, value: `#${value}`, end: isFull ? last.end : hour.end });
    if (!isFull) joined.push({ ...minutes, end: last.end });
    at = drafts.indexOf(last);
  }
  return joined;
}

const halfOfDay = /^([ap])\.?m$/iu;

function minutesBehind(drafts: readonly Draft[], at: number, sentence: string): Draft | undefined {
  const [hour, minutes, behind] = drafts.slice(at, at + 3);
  if (minutes === undefined || !/^[0-5]\d$/u.test(minutes.text)) return undefined;
  const isTime = sentence.slice(hour!.end, minutes.start) === ":" && sentence.slice(minutes.end, behind?.start) !== ":";
  return isTime ? minutes : undefined;
}
