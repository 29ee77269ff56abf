import { classOf, dense, letter } from "../patterns/character-class.ts";
import { type FunctionWordIndex, indexFunctionWords } from "./function-word-index.ts";
import { mostWordsKept, WordMap } from "../word-map.ts";
import { WordList } from "../words.ts";

/** Changes whenever the same text and words would give another language. */
export const detectorVersion = 1;

/** Texts to languages, by their scripts and function words. **Shape** `""` when it does not show. */
export type LanguageDetector = (text: string) => string;

/** Length read from each of the beginning, middle and end of a long text. **Units** UTF-16 code units. */
const stretch = 1500;
/** Function words must make up this share of a text's words … */
const leastShare = 0.12;
/** … and so many different ones of them be there; single letters do not count, for they are names and numbers more often than words. */
const leastDistinct = 3;
/** A short sentence that is made of them to this share needs one less. */
const plainShare = 0.3;
/** A script other than Latin decides from this share of the letters on: code, names and addresses are Latin everywhere. */
const leastOfScript = 0.3;
/** Text with kana is Japanese, however much of it is Han; Chinese has none. */
const leastKana = 0.03;

/** Scripts that several languages with function words share: words decide. */
const sharedScripts: ReadonlySet<string> = new Set(["latin", "cyrillic", "arabic", "hebrew", "devanagari"]);

/** From this code point on letters are of this script, or, where only one language is widely written in it, of this language. */
const blocks: readonly (readonly [from: number, script: string])[] = [
  [0x0000, "latin"],
  [0x0370, "el"],
  [0x0400, "cyrillic"],
  [0x0530, "hy"],
  [0x0590, "hebrew"],
  [0x0600, "arabic"],
  [0x0700, ""],
  [0x0750, "arabic"],
  [0x0780, ""],
  [0x08a0, "arabic"],
  [0x0900, "devanagari"],
  [0x0980, "bn"],
  [0x0a00, "pa"],
  [0x0a80, "gu"],
  [0x0b00, "or"],
  [0x0b80, "ta"],
  [0x0c00, "te"],
  [0x0c80, "kn"],
  [0x0d00, "ml"],
  [0x0d80, "si"],
  [0x0e00, "th"],
  [0x0e80, "lo"],
  [0x0f00, "bo"],
  [0x1000, "my"],
  [0x10a0, "ka"],
  [0x1100, "ko"],
  [0x1200, "am"],
  [0x13a0, ""],
  [0x1780, "km"],
  [0x1800, ""],
  [0x1c80, "cyrillic"],
  [0x1c90, "ka"],
  [0x1cc0, ""],
  [0x1e00, "latin"],
  [0x1f00, "el"],
  [0x2000, ""],
  [0x2c60, "latin"],
  [0x2c80, ""],
  [0x2de0, "cyrillic"],
  [0x2e00, ""],
  [0x3040, "kana"],
  [0x3100, "zh"],
  [0x3130, "ko"],
  [0x3190, ""],
  [0x31f0, "kana"],
  [0x3200, ""],
  [0x3400, "zh"],
  [0xa000, ""],
  [0xa640, "cyrillic"],
  [0xa6a0, ""],
  [0xac00, "ko"],
  [0xd7b0, ""],
  [0xf900, "zh"],
  [0xfb00, "latin"],
  [0xfb1d, "hebrew"],
  [0xfb50, "arabic"],
  [0xff00, "latin"],
  [0xff66, "kana"],
  [0xffa0, "ko"],
  [0xffe0, ""],
  [0x20000, "zh"],
  [0x40000, ""],
];

/**
 * Detects a language by its script, and among languages with the same script by its function words.
 *
 * A few hundred words are enough; a title of three words is often not, and gives no answer. Function words survive
 * where n-grams of letters do not: among code, names and numbers.
 *
 * **Shape** `functionWords` as in `function-words.ts`; where several languages have the same share, the first wins. It returns `""` for a text whose words are not
 * in the lists, for one that is mixed evenly, and for one without words.
 * **Cost** linear up to some 4,500 characters, the same beyond.
 * **Source** function words: Grefenstette, Comparing Two Language Identification Schemes (JADT 1995); blocks: Unicode's Blocks.txt. Measured in
 * `docs/decisions/0014-languages.md`.
 */
export function createLanguageDetector(functionWords: Readonly<Record<string, string>>): LanguageDetector {
  const words = new WordList();
  const known = new WordMap<FunctionWord>();
  let index: FunctionWordIndex | undefined;

  return (text) => {
    const read = text.length <= 3 * stretch ? text : sample(text);
    words.read(read);
    // Never during a text: entries are compared by identity.
    if (known.size >= mostWordsKept) known.clear();
    const letters = new Map<string, number>();
    /** The words of each shared script, but for those of ASCII. */
    const others = new Map<string, number[]>();
    const plain: number[] = [];
    let latin = 0;
    for (let i = 0; i < words.count; i++) {
      const start = words.starts[i]!;
      const end = words.ends[i]!;
      if (words.isRun(i)) {
        countRun(read, start, end, letters);
        continue;
      }
      if ((words.classes[i]! & letter) === 0) continue;
      if (words.isAscii(i)) {
        latin += end - start;
        plain.push(i);
        continue;
      }
      const script = scriptOf(read.codePointAt(start)!);
      letters.set(script, (letters.get(script) ?? 0) + (end - start));
      if (!sharedScripts.has(script)) continue;
      const held = others.get(script);
      if (held === undefined) others.set(script, [i]);
      else held.push(i);
    }
    letters.set("latin", (letters.get("latin") ?? 0) + latin);

    const script = decideScript(letters);
    if (!sharedScripts.has(script)) return script;
    index ??= indexFunctionWords(functionWords);
    const own = others.get(script) ?? [];
    return decideLanguage(read, script === "latin" ? plain.concat(own) : own, index);
  };

  function decideLanguage(text: string, places: readonly number[], index: FunctionWordIndex): string {
    const { languages } = index;
    const found: FunctionWord[] = [];
    const distinct: FunctionWord[] = [];
    for (const i of places) {
      const word = known.get(words, i) ?? learn(text, i, index);
      if (word.languages.length === 0) continue;
      found.push(word);
      if (word.count++ === 0) distinct.push(word);
    }
    const hits = new Float64Array(languages.length);
    for (const word of distinct) {
      for (const at of word.languages) hits[at]! += word.count;
      word.count = 0;
    }
    /** Between equals, what fewer languages have tells more. */
    const tellingOf = (language: number): number => {
      let sum = 0;
      for (const word of found) if (word.languages.includes(language)) sum += 1 / word.languages.length;
      return sum;
    };
    let best = -1;
    for (let at = 0; at < hits.length; at++) {
      const lead = best < 0 ? 1 : hits[at]! - hits[best]! || (hits[at] === 0 ? 0 : tellingOf(at) - tellingOf(best));
      if (lead > 0) best = at;
    }
    if (best < 0 || hits[best]! < leastShare * places.length) return "";
    const needed = hits[best]! >= plainShare * places.length ? leastDistinct - 1 : leastDistinct;
    const own = distinct.filter((word) => !word.isLetter && word.languages.includes(best));
    return own.length < needed ? "" : languages[best]!;
  }

  function learn(text: string, i: number, index: FunctionWordIndex): FunctionWord {
    const spelled = text.slice(words.starts[i], words.ends[i]);
    const held = index.languagesOf(spelled, words.isAscii(i));
    const word = { languages: held, isLetter: /^[a-z]$/iu.test(spelled), count: 0 };
    known.set(words, i, word);
    return word;
  }
}

/** A word as it is spelled, and the languages that have it as a function word. */
interface FunctionWord {
  readonly languages: readonly number[];
  readonly isLetter: boolean;
  /** How often the text that is being looked at has it. */
  count: number;
}

/** Beginning, middle and end: a licence or a table of contents in front does not decide for the whole. */
function sample(text: string): string {
  const middle = (text.length - stretch) >> 1;
  return [text.slice(0, stretch), text.slice(middle, middle + stretch), text.slice(text.length - stretch)].join("\n");
}

function countRun(text: string, start: number, end: number, letters: Map<string, number>): void {
  for (let at = start; at < end;) {
    const code = text.codePointAt(at)!;
    at += code > 0xffff ? 2 : 1;
    if ((classOf(code) & dense) === 0) continue;
    const script = scriptOf(code);
    // An ideograph or a syllable says as much as two or three letters.
    letters.set(script, (letters.get(script) ?? 0) + 2);
  }
}

function decideScript(letters: ReadonlyMap<string, number>): string {
  let total = 0;
  let most = 0;
  let found = "latin";
  const kana = letters.get("kana") ?? 0;
  const ideographs = (letters.get("zh") ?? 0) + kana;
  for (const [script, count] of letters) {
    total += count;
    const weight = script === "zh" || script === "kana" ? ideographs : count;
    if (script !== "latin" && weight > most) {
      most = weight;
      found = script;
    }
  }
  if (most === 0 || most < leastOfScript * total) return "latin";
  if (found === "zh" || found === "kana") return kana >= leastKana * ideographs ? "ja" : "zh";
  return found;
}

function scriptOf(code: number): string {
  let low = 0;
  let high = blocks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (blocks[middle]![0] <= code) low = middle;
    else high = middle - 1;
  }
  return blocks[low]![1];
}
