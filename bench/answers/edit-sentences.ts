import { createRandom } from "./random.ts";

export type EditKind =
  | "number"
  | "name"
  | "date"
  | "negation"
  | "quantifier"
  | "unit"
  | "sign"
  | "currency"
  | "preposition"
  | "modal"
  | "role"
  | "name behind a title"
  | "phrase of another sentence";
export const editKinds: readonly EditKind[] = [
  "number",
  "name",
  "date",
  "negation",
  "quantifier",
  "unit",
  "sign",
  "currency",
  "preposition",
  "modal",
  "role",
  "name behind a title",
  "phrase of another sentence",
];

export interface EditInput {
  readonly sentence: string;
  /** Its evidence, sentence by sentence. */
  readonly sources: readonly string[];
  /** Texts from which numbers and names may be taken that stand close by. */
  readonly nearby: string;
  /** Names from elsewhere. */
  readonly names: readonly string[];
}

/** A sentence that is no longer supported, and the sources where the edit changes them too. */
export interface Edited {
  readonly sentence: string;
  readonly sources?: readonly string[];
}

/**
 * Changes one detail of a sentence so that its source no longer supports it.
 *
 * The detail is found by patterns of its own, so that the generator and the model share no code. A third of new names and numbers come from the evidence itself.
 *
 * **Shape** `undefined` for a sentence without such a detail.
 */
export function editSentence(kind: EditKind, input: EditInput, seed: number): Edited | undefined {
  const random = createRandom(seed);
  const found = edits[kind](input, random);
  const edited = typeof found === "string" ? { sentence: found } : found;
  return edited?.sentence.toLowerCase() === input.sentence.toLowerCase() ? undefined : edited;
}

type Random = () => number;
const pick = <T>(list: readonly T[], random: Random): T | undefined => list[Math.floor(random() * list.length)];
const months = "January February March April May June July August September October November December".split(" ");
const numerals = "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty".split(
  " ",
);

const edits: Readonly<Record<EditKind, (input: EditInput, random: Random) => string | Edited | undefined>> = {
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
  quantifier: ({ sentence }, random) => exchange(sentence, exchanges, random),
  unit({ sentence }, random) {
    const found = unitDimensions.flatMap((dimension) =>
      [
        ...sentence.matchAll(new RegExp(`(?<=(?:\\d|${numerals.join("|")})[ -]?)(?:${dimension.join("|")})\\b`, "gu")),
      ].map((match) => ({ match, dimension })),
    );
    const chosen = pick(found, random);
    if (!chosen) return undefined;
    const other = pick(
      chosen.dimension.filter(
        (unit) => unit !== chosen.match[0] && unit.endsWith("s") === chosen.match[0].endsWith("s"),
      ),
      random,
    );
    return other && replaceAt(sentence, chosen.match, other);
  },
  sign({ sentence }, random) {
    const signed = [...sentence.matchAll(/(?<=\s)[-−](?=\d)/gu)];
    const plain = [...sentence.matchAll(/(?<=[\p{L},] )[$€£]?\d[\d,.]*(?= \p{Ll}| ?%)/gu)].filter(
      (match) => !isYear(match[0]) && !isDay(match, sentence),
    );
    const chosen = pick([...signed, ...plain], random);
    return chosen && replaceAt(sentence, chosen, /\d/u.test(chosen[0]) ? `-${chosen[0]}` : "");
  },
  currency({ sentence, nearby }, random) {
    const signs = [...sentence.matchAll(/[$€£](?= ?\d)/gu)];
    const words = [...sentence.matchAll(/(?<=\d (?:million |billion )?)(?:dollars|euros|pounds|USD|EUR|GBP)\b/gu)];
    const chosen = pick([...signs, ...words], random);
    if (!chosen) return undefined;
    const [old] = chosen;
    const list = ["$€£".split(""), ["dollars", "euros", "pounds"], ["USD", "EUR", "GBP"]].find((each) =>
      each.includes(old),
    )!;
    const edited = replaceAt(
      sentence,
      chosen,
      pick(
        list.filter((each) => each !== old),
        random,
      )!,
    );
    // A source may have the same figure in two currencies.
    const figure = /[\d.,]*\d/u.exec(sentence.slice(chosen.index))?.[0] ?? "";
    return nearby.split(figure).length > 2 && /[$€£].*[$€£]/su.test(nearby) ? undefined : edited;
  },
  preposition: ({ sentence }, random) => exchange(sentence, prepositions, random),
  modal: ({ sentence }, random) => (/\bMay\b/u.test(sentence) ? undefined : exchange(sentence, modals, random)),
  role({ sentence }, random) {
    const side = "(?:\\p{Lu}[\\p{L}’'-]+(?: \\p{Lu}[\\p{L}’'-]+)*|[Tt]he \\p{Ll}[\\p{L}-]+)";
    const between = "(?:\\p{Ll}+ly )?\\p{Ll}{3,}(?:ed|es|s) (?:to |from )?";
    const behind = "(?= (?:in|on|at|for|with|to|as|after|before|during|because|when|from|until|since|by)\\b| ?[.,;])";
    const found = [
      ...sentence.matchAll(new RegExp(`(?<=^|, |\\b[Tt]hat )(${side}) (${between})(${side})${behind}`, "gu")),
    ].filter(
      ([, one = "", verb = "", other = ""]) =>
        !/^(?:He|She|It|They|We|You|After|Before|When|While|If|Since|Although|Use|Various)\b/u.test(one) &&
        one.toLowerCase() !== other.toLowerCase() &&
        !/\b(?:is|was|has|as|its|his|others|and|or)\b/u.test(verb),
    );
    const chosen = pick(found, random);
    if (!chosen) return undefined;
    const [, one = "", verb = "", other = ""] = chosen;
    return replaceAt(sentence, chosen, `${matchCase(other, one)} ${verb}${matchCase(one, other)}`);
  },
  "name behind a title"({ sentence, sources, names }, random) {
    const found = [...sentence.matchAll(/(?<=\p{Ll} )\p{Lu}[\p{L}’'-]{3,}(?= \p{Ll})/gu)].filter(
      ([name]) => !months.includes(name) && sources.some((text) => text.includes(name)),
    );
    const chosen = pick(found, random);
    if (!chosen) return undefined;
    const [old] = chosen;
    const title = pick(["Dr.", "Mrs.", "St.", "Prof.", "Gen.", "Capt.", "Rev.", "Sen.", "Cllr.", "Sgt."], random)!;
    const others = names.filter((name) => !name.includes(" ") && !sources.some((text) => text.includes(name)));
    const other = pick(others, random);
    if (other === undefined) return undefined;
    const put = (text: string): string =>
      text.replaceAll(new RegExp(`(?<!\\p{L})${old}(?!\\p{L})`, "gu"), `${title} ${old}`);
    return { sentence: replaceAt(sentence, chosen, `${title} ${other}`), sources: sources.map(put) };
  },
  "phrase of another sentence"({ sentence, sources }, random) {
    const own = sentence.slice(0, 30);
    const phrases = sources
      .filter((text) => !text.includes(own) && !sentence.includes(text.slice(0, 30)))
      .flatMap(
        (text) =>
          /\s((?:at|in|on|for|with|from|by|during|near) (?:[^\s,.;:]+ ){0,5}[^\s,.;:]+)\s?\.\s*$/u.exec(text)?.[1] ??
          [],
      );
    const phrase = pick(phrases, random);
    return phrase && `${sentence.replace(/\s?[.!]\s*$/u, "")} ${phrase}.`;
  },
};

/** Puts another word of a table into the place of one that it has. */
function exchange(sentence: string, table: Readonly<Record<string, string>>, random: Random): string | undefined {
  const found = Object.keys(table).flatMap((word) => [...sentence.matchAll(new RegExp(`\\b${word}\\b`, "giu"))]);
  const chosen = pick(found, random);
  if (!chosen) return undefined;
  const [old] = chosen;
  const others = table[old.toLowerCase()];
  if (others === undefined) return undefined;
  return replaceAt(sentence, chosen, matchCase(pick(others.split("|"), random)!, old));
}

function matchCase(word: string, like: string): string {
  if (/^[Tt]he /u.test(word)) return (/^\p{Lu}/u.test(like) ? "T" : "t") + word.slice(1);
  return /^\p{Lu}/u.test(like) ? word[0]!.toUpperCase() + word.slice(1) : word;
}

const unitDimensions = [
  "seconds second minutes minute hours hour days day weeks week months month years year",
  "metres metre kilometres kilometre miles mile feet foot",
  "meters meter kilometers kilometer yards yard inches inch",
  "grams gram kilograms kilogram tonnes tonne tons ton",
  "KB MB GB TB",
  "kilobytes megabytes gigabytes terabytes",
].map((words) => words.split(" "));

const prepositions: Readonly<Record<string, string>> = {
  after: "before",
  before: "after",
  within: "after",
  until: "since|after",
  since: "until|before",
  "at least": "at most",
  "at most": "at least",
  "more than": "less than",
  "less than": "more than",
  "up to": "at least",
  above: "below",
  below: "above",
};

const modals: Readonly<Record<string, string>> = {
  must: "may|should",
  may: "must|should",
  should: "must|may",
  can: "must|should",
  could: "must",
  "has to": "may",
  "have to": "may",
  "need to": "may",
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
