import { classOf, dense, digit, latin, letter, mark, number } from "./patterns/character-class.ts";

/** A word, and where it stands. **Units** UTF-16 code units, half open. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /**
   * `"word"` for what spaces or punctuation set apart; `"run"` for an unbroken stretch of a script in which they do not
   * (Chinese, Japanese, Thai, Lao, Khmer, Myanmar …; Hangul, whose spaces stand between phrases).
   */
  readonly kind: "word" | "run";
}

/**
 * Finds the words of a text in any script, in order.
 *
 * A word holds letters, digits and marks. Inside it may stand one apostrophe between letters (`don't`), one full stop
 * between digits (`3.14`), or a comma between thousands (`1,234`). Underscores (`snake_case`), joiners and soft hyphens
 * may too. All other characters separate.
 *
 * **Shape** words do not overlap; what lies between them holds no letter or digit. **Cost** linear in the text, whatever it holds.
 * **Source** close to the default word boundaries of UAX 29 (WB6, WB7, WB11 to WB13b), but for runs. Their division needs a dictionary,
 * which differs between ICU versions, so it is left to the caller.
 */
export function* segmentWords(text: string): Generator<Word, undefined> {
  const words = new WordList();
  words.read(text);
  for (let i = 0; i < words.count; i++) {
    const [start, end] = [words.starts[i]!, words.ends[i]!];
    yield { text: text.slice(start, end), start, end, kind: words.isRun(i) ? "run" : "word" };
  }
  return undefined;
}

/** State from which the hash of a word begins. **Source** FNV-1a, 32 bits, as the prime. */
const hashSeed = Math.imul(0x811c9dc5 ^ 1, 0x01000193);
const hashPrime = 0x01000193;

/** Set beside the classes of a word of ASCII. */
const ascii = 128;

/** Longest list that stays allocated from one text to the next. **Units** UTF-16 code units. */
const mostKept = 1 << 16;

/**
 * The words of one text as numbers, for loops that look at every word of a corpus: nothing is allocated for any of them.
 *
 * A text is copied into an array first. Reading a string's code units one by one asks each time how the string is
 * stored. A chunk's text is a slice of its document's, which makes that slow.
 *
 * **Shape** arrays are valid up to `count`, and until the next text is read; `units` ends with a zero. **Cost** linear; memory for the longest text, which is freed
 * after a long one.
 */
export class WordList {
  count = 0;
  starts = new Int32Array(256);
  ends = new Int32Array(256);
  /** FNV-1a over the code units of each word. */
  hashes = new Int32Array(256);
  /** All classes of each word's characters or-ed, joiners left out (`character-class.ts`). */
  classes = new Uint8Array(256);
  /** The text. */
  units = new Uint16Array(1024);

  /** Whether a word is an unbroken stretch, in which no spaces stand between words. */
  isRun(i: number): boolean {
    return (this.classes[i]! & dense) !== 0;
  }

  isAscii(i: number): boolean {
    return (this.classes[i]! & ascii) !== 0;
  }

  read(text: string): void {
    const { length } = text;
    if (length >= this.units.length || this.units.length > mostKept) {
      this.units = new Uint16Array(Math.max(1024, 2 ** Math.ceil(Math.log2(length + 1))));
      if (this.starts.length > mostKept) this.#allocate(256);
    }
    const { units } = this;
    for (let at = 0; at < length; at++) units[at] = text.charCodeAt(at);
    units[length] = 0;
    this.#find(length);
  }

  #find(length: number): void {
    const { units } = this;
    let count = 0;
    let at = 0;
    while (at < length) {
      let unit = units[at]!;
      let wide = isHigh(unit) && isLow(units[at + 1]!);
      let found = wide ? classOfPair(unit, units[at + 1]!) : classOf(unit);
      if ((found & (letter | number)) === 0) {
        at += wide ? 2 : 1;
        continue;
      }
      const start = at;
      const run = found & dense;
      let classes = 0;
      let before = 0;
      let all = 0;
      let hash = hashSeed;
      for (;;) {
        // Most characters of most texts, in a loop of their own.
        if (run === 0 && isSmall(unit)) {
          found = before = letter | latin;
          do {
            hash = Math.imul(hash ^ unit, hashPrime);
            unit = units[++at]!;
          } while (isSmall(unit));
          classes |= found;
          all |= 1;
        } else if (found === 0) {
          const after = skipJoiner(units, at, before, run, start);
          if (after === at) break;
          for (; at < after; at++) {
            all |= units[at]!;
            hash = Math.imul(hash ^ units[at]!, hashPrime);
          }
        } else {
          if (found !== mark) {
            if ((found & dense) !== run) break;
            before = found;
          }
          classes |= found;
          all |= unit;
          hash = Math.imul(hash ^ unit, hashPrime);
          at++;
          if (wide) hash = Math.imul(hash ^ units[at++]!, hashPrime);
        }
        if (at >= length) break;
        unit = units[at]!;
        wide = isHigh(unit) && isLow(units[at + 1]!);
        found = wide ? classOfPair(unit, units[at + 1]!) : classOf(unit);
      }
      if (count === this.starts.length) this.#allocate(2 * count);
      this.starts[count] = start;
      this.ends[count] = at;
      this.hashes[count] = hash;
      this.classes[count] = all < 0x80 ? classes | ascii : classes;
      count++;
    }
    this.count = count;
  }

  #allocate(words: number): void {
    const { starts, ends, hashes, classes } = this;
    this.starts = new Int32Array(words);
    this.ends = new Int32Array(words);
    this.hashes = new Int32Array(words);
    this.classes = new Uint8Array(words);
    if (words < starts.length) return;
    this.starts.set(starts);
    this.ends.set(ends);
    this.hashes.set(hashes);
    this.classes.set(classes);
  }
}

/** Small letters of ASCII. */
const isSmall = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;
const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;

function classOfPair(high: number, low: number): number {
  return classOf(((high - 0xd800) << 10) + (low - 0xdc00) + 0x10000);
}

/** Where the word goes on after a character that is none of its own, or `at` when the word ends here. */
function skipJoiner(units: Uint16Array, at: number, before: number, run: number, start: number): number {
  switch (units[at]) {
    // Soft hyphen, zero-width non-joiner, zero-width joiner.
    case 0xad:
    case 0x200c:
    case 0x200d:
      return goesOn(units, at + 1, letter | number | mark, run) ? at + 1 : at;
    // Apostrophes, typewriter's and printer's.
    case 0x27:
    case 0x2019:
      return run === 0 && (before & letter) !== 0 && goesOn(units, at + 1, letter, 0) ? at + 1 : at;
    case 0x2e:
      return run === 0 && (before & digit) !== 0 && goesOn(units, at + 1, digit, 0) ? at + 1 : at;
    case 0x2c:
      return run === 0 && (before & digit) !== 0 && isThousands(units, start, at) ? at + 1 : at;
    case 0x5f: {
      if (run !== 0) return at;
      let after = at + 1;
      while (units[after] === 0x5f) after++;
      return goesOn(units, after, letter | number, 0) ? after : at;
    }
    default:
      return at;
  }
}

function goesOn(units: Uint16Array, at: number, wanted: number, run: number): boolean {
  const unit = units[at]!;
  const found = isHigh(unit) && isLow(units[at + 1]!) ? classOfPair(unit, units[at + 1]!) : classOf(unit);
  return (found & wanted) !== 0 && (found === mark || (found & dense) === run);
}

/** Whether the comma at `at` groups thousands: up to three digits before it, groups of exactly three after. */
function isThousands(units: Uint16Array, start: number, at: number): boolean {
  let before = at - 1;
  while (before >= start && at - before <= 4 && isAsciiDigit(units[before]!)) before--;
  const digits = at - 1 - before;
  if (digits < 1 || digits > 3 || (before >= start && !(digits === 3 && units[before] === 0x2c))) return false;
  return (
    isAsciiDigit(units[at + 1]!) &&
    isAsciiDigit(units[at + 2]!) &&
    isAsciiDigit(units[at + 3]!) &&
    !isAsciiDigit(units[at + 4]!)
  );
}

const isAsciiDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
