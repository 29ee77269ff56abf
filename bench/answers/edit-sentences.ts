import { createRandom } from "./random.ts";

export type EditKind = "number" | "name" | "date" | "negation" | "quantifier";
export const editKinds: readonly EditKind[] = ["number", "name", "date", "negation", "quantifier"];

export interface EditInput {
  readonly sentence: string;
  /** Texts from which numbers and names may be taken that stand close by. */
  readonly nearby: string;
  /** Names from elsewhere. */
  readonly names: readonly string[];
}

/**
 * Changes one detail of a sentence so that its source no longer supports it.
 *
 * The detail is found by patterns of its own, so that the generator and the model share no code. A third of new names and numbers come from the evidence itself.
 *
 * **Shape** `undefined` for a sentence without such a detail.
 */
export function editSentence(kind: EditKind, input: EditInput, seed: number): string | undefined {
  const random = createRandom(seed);
  const edited = edits[kind](input, random);
  return edited === undefined || edited.toLowerCase() === input.sentence.toLowerCase() ? undefined : edited;
}

type Random = () => number;
const pick = <T>(list: readonly T[], random: Random): T | undefined => list[Math.floor(random() * list.length)];
const months = "January February March April May June July August September October November December".split(" ");
const numerals = "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty".split(
  " ",
);

const edits: Readonly<Record<EditKind, (input: EditInput, random: Random) => string | undefined>> = {
  number({ sentence, nearby }, random) {
    const found = [...sentence.matchAll(/(?<![\p{L}\p{N}_.,-])\d(?:[\d,]*\d)?(?:\.\d+)?(?![\p{L}\p{N}_–-])/gu)].filter(
      (match) => !isYear(match[0]) && !isDay(match, sentence),
    );
    const spelled = [...sentence.matchAll(new RegExp(`\\b(?:${numerals.join("|")})\\b`, "giu"))];
    const chosen = pick([...found, ...spelled], random);
    if (!chosen) return undefined;
    const [old] = chosen;
    const others = [...nearby.matchAll(/(?<![\p{L}\p{N}_.,-])\d(?:[\d,]*\d)?(?![\p{L}\p{N}_.,–-])/gu)]
      .map(([text]) => text)
      .filter((text) => text !== old && !isYear(text));
    if (!/\d/u.test(old)) {
      const other = pick(
        numerals.filter((word) => word !== old.toLowerCase()),
        random,
      )!;
      return replaceAt(sentence, chosen, /^\p{Lu}/u.test(old) ? other[0]!.toUpperCase() + other.slice(1) : other);
    }
    if (others.length > 0 && random() < 1 / 3) return replaceAt(sentence, chosen, pick(others, random)!);
    const value = Number(old.replaceAll(",", ""));
    const next = pick(
      [value + 1, value + 2, Math.max(0, value - 1), value * 10, value * 2 + 1, Math.round(value * 1.3) + 3],
      random,
    )!;
    const plain = old.includes(",") ? Math.round(next).toLocaleString("en-US") : String(Number(next.toFixed(2)));
    return plain === old ? undefined : replaceAt(sentence, chosen, plain);
  },
  date({ sentence }, random) {
    const month = [...sentence.matchAll(new RegExp(`\\b(?:${months.join("|")})\\b(?=\\s+\\d|,? \\d{4}|$)`, "gu"))];
    const year = [...sentence.matchAll(/(?<![\p{L}\p{N}_.,-])(?:1[5-9]|20)\d\d(?![\p{L}\p{N}_])/gu)];
    const day = [...sentence.matchAll(new RegExp(`(?<=\\b(?:${months.join("|")})\\s)\\d{1,2}\\b`, "gu"))];
    const chosen = pick([...month, ...year, ...day], random);
    if (!chosen) return undefined;
    const [old] = chosen;
    if (months.includes(old))
      return replaceAt(
        sentence,
        chosen,
        pick(
          months.filter((name) => name !== old),
          random,
        )!,
      );
    if (old.length === 4)
      return replaceAt(sentence, chosen, String(Number(old) + pick([-11, -2, -1, 1, 2, 3, 10], random)!));
    return replaceAt(sentence, chosen, String((Number(old) % 28) + 1));
  },
  name({ sentence, nearby, names }, random) {
    const found = [...sentence.matchAll(namePattern)].filter(([name]) => !months.some((month) => name.includes(month)));
    const chosen = pick(found, random);
    if (!chosen) return undefined;
    const [old] = chosen;
    const words = new Set(old.split(/\s+/u));
    const isOther = (name: string): boolean =>
      !name.split(/\s+/u).some((word) => words.has(word)) &&
      !sentence.includes(name) &&
      !months.some((month) => name.includes(month));
    const near = [...nearby.matchAll(namePattern)].map(([text]) => text).filter((name) => isOther(name));
    const from = near.length > 0 && random() < 1 / 3 ? near : names.filter((name) => isOther(name));
    return replaceAt(sentence, chosen, pick(from, random)!);
  },
  negation({ sentence }, random) {
    const denied = [
      ...sentence.matchAll(
        /\b(?:not|never)\s(?!only\b)|(?<=\b(?:is|are|was|were|has|had|does|did|would|could|should))n['’]t\b|(?<=\bcan)not\b/gu,
      ),
    ];
    if (denied.length > 0) {
      const chosen = pick(denied, random)!;
      return replaceAt(sentence, chosen, "");
    }
    const auxiliaries = [
      ...sentence.matchAll(
        /(?<!\bto )\b(?:is|are|was|were|has|had|can|could|will|would|must|should|does|did)\b(?! (?:no|not|never|n't)\b)/gu,
      ),
    ];
    const chosen = pick(auxiliaries, random);
    if (chosen) return replaceAt(sentence, chosen, `${chosen[0]} ${random() < 0.75 ? "not" : "never"}`);
    const past = [...sentence.matchAll(/(?<=\s)\p{Ll}{3,}ed(?=\s)/gu)];
    const verb = pick(past, random);
    return verb && replaceAt(sentence, verb, `never ${verb[0]}`);
  },
  quantifier({ sentence }, random) {
    const found = Object.keys(exchanges).flatMap((word) => [...sentence.matchAll(new RegExp(`\\b${word}\\b`, "giu"))]);
    const chosen = pick(found, random);
    if (!chosen) return undefined;
    const [old] = chosen;
    const other = pick(exchanges[old.toLowerCase()]!.split("|"), random)!;
    return replaceAt(sentence, chosen, /^\p{Lu}/u.test(old) ? other[0]!.toUpperCase() + other.slice(1) : other);
  },
};

/** Names in a text, by the pattern that edits use. */
export function findNames(text: string): readonly string[] {
  return [...text.matchAll(namePattern)]
    .map(([name]) => name)
    .filter((name) => !months.some((month) => name.includes(month)));
}

/** A row of words with capitals behind a small letter or a comma. */
const namePattern = /(?<=[\p{Ll},] )\p{Lu}[\p{L}’'-]+(?: \p{Lu}[\p{L}’'-]+)*/gu;

const isYear = (text: string): boolean => /^(?:1[5-9]|20)\d\d$/u.test(text);

/** A day beside a month is changed as a date. */
function isDay({ index, 0: text }: RegExpExecArray, sentence: string): boolean {
  const [before, after] = [sentence.slice(0, index), sentence.slice(index + text.length)];
  return months.some((month) => before.trimEnd().endsWith(month) || after.trimStart().startsWith(month));
}

const exchanges: Readonly<Record<string, string>> = {
  all: "some|few|most",
  every: "hardly any|only the first",
  each: "only one",
  some: "all|no|most",
  many: "few|all|no",
  most: "some|few|all",
  few: "many|all|most",
  several: "all|no|few",
  various: "all|few",
  multiple: "few|all",
  only: "not only|usually",
  always: "sometimes|never|rarely",
  often: "never|always|rarely",
  usually: "always|never|rarely",
  sometimes: "always|never",
  first: "last|second",
  last: "first",
  largest: "smallest|second largest",
  highest: "lowest",
  lowest: "highest",
  best: "worst",
  both: "neither|only one",
  "more than": "less than|fewer than",
  "less than": "more than",
  "at least": "at most",
  "up to": "at least|more than",
  majority: "minority",
  any: "no|every",
};

function replaceAt(sentence: string, { index, 0: old }: RegExpExecArray, replacement: string): string {
  return (sentence.slice(0, index) + replacement + sentence.slice(index + old.length)).replaceAll(/ {2,}/gu, " ");
}
