import type { Alphabet, SignScript } from "../languages/alphabets.ts";

/** Costs of a character beyond ASCII in an unlikely place. **Units** natural logarithms of probabilities, as everywhere here. */
const mark = -4.6;
const symbol = -4.9;
const stranger = -9;
const control = -16;
/** An ASCII letter in a word of another script. */
const foreignLetter = -3.3;
/** From one script to another within a word. */
const scriptChange = 4;

const marks = new Set("“”‘’„‚–—…•«»°·§©®€\u00A0№‹›");
/** Letters that only end a word, in Hebrew, Greek and Arabic. */
const finals = new Set("ךםןףץςةى");
const symbols = new Set("£¥¢±²³µ¶×÷¼½¾¬ªº¿¡¹†‡‰™");

/** A run of ASCII letters and bytes beyond ASCII, with at least one of the latter. In encodings of one byte a character the runs are the same. */
export interface WordSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Likelihood of a text's characters beyond ASCII in one alphabet, each by its frequency and its neighbours.
 *
 * A capital after a small letter, a sign inside a word, or letters of two scripts in one word speak against an
 * alphabet. Wrong encodings make all of them.
 *
 * **Source** a Bayes classifier over characters, as in Dunning, Statistical Identification of Language (1994), with frequencies falling as 1 / rank.
 */
export function weighLetters(text: string, words: readonly WordSpan[], alphabet: Alphabet): number {
  const known = frequenciesOf(alphabet);
  let log = 0;
  for (const { start, end } of words) log += weighWord(text.slice(start, end), alphabet, known);
  return log;
}

/** The order of letters in English: what stands in ASCII between words of other scripts. */
const english = rank("etaoinshrdlcumwfgypbvkjxqz", 0.8, 4);
/** The words around speak for a language as much as so many letters do: they may be of another. */
const mostContext = 20;

/** How much better the words that are ASCII alone go with a language than with English, whose words stand in every other text. */
export function weighContext(letterCounts: ReadonlyMap<string, number>, alphabet: Alphabet): number {
  if (alphabet.ascii === undefined) return 0;
  const known = frequenciesOf(alphabet);
  let log = 0;
  let count = 0;
  for (const [letter, times] of letterCounts) {
    log += ((known.get(letter) ?? stranger) - (english.get(letter) ?? stranger)) * times;
    count += times;
  }
  return count === 0 ? 0 : (log / count) * Math.min(count / 2, mostContext);
}

function weighWord(word: string, { ascii }: Alphabet, known: ReadonlyMap<string, number>): number {
  const isMixed = ascii !== undefined;
  // A single letter is a word here and there; a wrong encoding makes one of every sign that stands alone.
  let log = word.length > 1 ? 0 : isMixed ? -1.5 : -1;
  let before = "";
  for (let at = 0; at < word.length; at++) {
    const character = word[at]!;
    const lower = character.toLowerCase();
    const frequency = known.get(lower) ?? known.get(character);
    if (frequency === undefined) {
      log += character < "\x80" ? foreignLetter : costOf(character);
      if (character < "\x80") {
        if (isLetter(before)) log -= scriptChange;
      } else if (disturbs(character, before, word[at + 1] ?? "")) log -= 3;
    } else {
      log += frequency;
      if (character !== lower) {
        if (before === "") log -= 2;
        else log -= before !== before.toLowerCase() ? 0.2 : isLetter(before) ? 6.5 : 2.5;
      }
      if (finals.has(before)) log -= scriptChange;
      if (character >= "\x80" && before >= "\x80" && isLetter(before) && isMixed) log -= 1.5;
      else if (!isMixed && isAsciiLetter(before)) log -= scriptChange;
    }
    before = character;
  }
  return log;
}

/** As {@link weighLetters}, for scripts of many signs. */
export function weighSigns(bytes: Uint8Array, words: readonly WordSpan[], text: string, script: SignScript): number {
  const ranks = ranksOf(script);
  const foreign = new Uint8Array(bytes.length + 1);
  for (const { start, end } of words) foreign.fill(1, start, end);
  let log = 0;
  let at = 0;
  let before = 0;
  for (const character of text) {
    const lead = bytes[at]!;
    if (lead < 0x80) {
      if (foreign[at] === 1) log += before >= 0x80 ? foreignLetter - scriptChange : foreignLetter;
      at++;
    } else {
      if (before < 0x80 && foreign[at - 1] === 1) log -= scriptChange;
      const length = lengthAt(bytes, at, script.encoding);
      at += length;
      log += weighSign(character, lead, length, script, ranks);
    }
    before = lead;
  }
  return log;
}

function weighSign(
  character: string,
  lead: number,
  length: number,
  { encoding, everyday }: SignScript,
  ranks: ReadonlyMap<string, number>,
): number {
  const frequent = ranks.get(character);
  if (frequent !== undefined) return frequent;
  const point = character.codePointAt(0)!;
  const isJapanese = encoding === "shift_jis" || encoding === "euc-jp";
  if (point >= 0x3041 && point <= 0x30fe) return isJapanese ? (point <= 0x3096 || point === 0x30fc ? -4.6 : -6.2) : -14;
  if (point >= 0x3000 && point <= 0x301f) return -5;
  if (point >= 0xff01 && point <= 0xff5e) return "，。：；？！（）".includes(character) ? -5 : -9;
  if (point >= 0xff61 && point <= 0xff9f) return isJapanese ? -8 : -14;
  if (marks.has(character)) return -6;
  if (length > 2) return -18;
  const isSign = /[\p{Script=Han}\p{Script=Hangul}]/u.test(character);
  if (!isSign) return -14;
  if (encoding === "euc-kr" && point < 0xac00) return -14;
  return lead >= everyday[0] && lead <= everyday[1] ? -9.5 : -13;
}

/** How many bytes the character takes whose first byte is beyond ASCII. **Source** the Encoding Standard's decoders. */
function lengthAt(bytes: Uint8Array, at: number, encoding: string): number {
  const lead = bytes[at]!;
  if (encoding === "shift_jis" && ((lead >= 0xa1 && lead <= 0xdf) || lead === 0x80)) return 1;
  if (encoding === "euc-jp" && lead === 0x8f) return 3;
  const next = bytes[at + 1] ?? 0;
  if (encoding === "gb18030") return lead === 0x80 ? 1 : next >= 0x30 && next <= 0x39 ? 4 : 2;
  return 2;
}

function costOf(character: string): number {
  if (marks.has(character)) return mark;
  if (symbols.has(character)) return symbol;
  return /[\p{Cc}\p{Cn}\p{Co}]/u.test(character) ? control : stranger;
}

/** Whether a sign stands where none does: inside a word, or a superscript or closing quotation mark at a word that nothing opened. */
function disturbs(character: string, before: string, after: string): boolean {
  if (character === "’") return false;
  if (isLetter(before) && isLetter(after)) return true;
  return isLetter(before) && (character === "»" || (symbols.has(character) && character !== "™"));
}

function isAsciiLetter(character: string): boolean {
  const unit = character.charCodeAt(0) | 0x20;
  return unit >= 0x61 && unit <= 0x7a;
}

function isLetter(character: string): boolean {
  return character < "\x80" ? isAsciiLetter(character) : /[\p{L}\p{M}]/u.test(character);
}

const frequencyTables = new WeakMap<Alphabet, ReadonlyMap<string, number>>();

/** Each letter's share, falling as one over its rank; capitals are looked up by their small letters. */
function frequenciesOf(alphabet: Alphabet): ReadonlyMap<string, number> {
  const known = frequencyTables.get(alphabet);
  if (known !== undefined) return known;
  const isMixed = alphabet.ascii !== undefined;
  const table = rank(alphabet.letters, isMixed ? 0.2 : 1, 3);
  for (const [letter, log] of rank(alphabet.ascii ?? "", 0.8, 4)) table.set(letter, log);
  for (const character of alphabet.seldom ?? "") table.set(character, -6);
  frequencyTables.set(alphabet, table);
  return table;
}

const rankTables = new WeakMap<SignScript, ReadonlyMap<string, number>>();

function ranksOf(script: SignScript): ReadonlyMap<string, number> {
  const known = rankTables.get(script);
  if (known !== undefined) return known;
  const table = rank(script.frequent, script.encoding === "shift_jis" || script.encoding === "euc-jp" ? 0.3 : 0.55, 10);
  rankTables.set(script, table);
  return table;
}

function rank(characters: string, share: number, flattening: number): Map<string, number> {
  const distinct = [...new Set(characters)];
  const total = distinct.reduce((sum, _, index) => sum + 1 / (index + flattening), 0);
  return new Map(distinct.map((character, index) => [character, Math.log(share / (index + flattening) / total)]));
}
