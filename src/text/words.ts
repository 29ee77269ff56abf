import { classOf, dense, digit, letter, mark, number } from "./character-class.ts";

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

/** Walks over a text word by word without allocating: `next()` moves on, the fields tell where it stands. */
export interface WordScanner {
  start: number;
  end: number;
  run: boolean;
  /** All its classes or-ed, joiners left out; see `character-class.ts`. */
  classes: number;
  /** All its UTF-16 code units or-ed: below 0x80, it is ASCII. */
  units: number;
  next(): boolean;
}

/**
 * The words of a text in any script, in order.
 *
 * A word holds letters, digits and marks. Inside it may stand: one apostrophe between letters (`don't`), underscores (`snake_case`), one full
 * stop between digits (`3.14`), a comma between thousands (`1,234`), joiners and soft hyphens. Everything else separates.
 *
 * **Shape** words do not overlap; what lies between them holds no letter or digit. **Cost** linear in the text, whatever it holds.
 * **Source** close to the default word boundaries of UAX 29 (WB6, WB7, WB11 to WB13b), but for runs: their division needs a dictionary,
 * which differs between ICU versions (law 11), so it is left to who reads them.
 */
export function* segmentWords(text: string): Generator<Word, undefined> {
  const scanner = scanWords(text);
  while (scanner.next()) {
    const { start, end, run } = scanner;
    yield { text: text.slice(start, end), start, end, kind: run ? "run" : "word" };
  }
  return undefined;
}

/** The scanner behind {@link segmentWords}, for loops that look at every word of a corpus. */
export function scanWords(text: string): WordScanner {
  const scanner: WordScanner = { start: 0, end: 0, run: false, classes: 0, units: 0, next };
  return scanner;

  function next(): boolean {
    let at = scanner.end;
    let found = 0;
    let code = 0;
    for (; at < text.length; at += code > 0xffff ? 2 : 1) {
      code = text.codePointAt(at)!;
      found = classOf(code);
      if ((found & (letter | number)) !== 0) break;
    }
    if (at >= text.length) {
      scanner.start = scanner.end = text.length;
      return false;
    }
    scanner.start = at;
    scanner.run = (found & dense) !== 0;
    scanner.classes = found;
    scanner.units = code;
    at += code > 0xffff ? 2 : 1;
    let before = found;
    while (at < text.length) {
      code = text.codePointAt(at)!;
      found = classOf(code);
      if (found === 0) {
        const after = skipJoiner(text, at, code, before, scanner.run, scanner.start);
        if (after === at) break;
        scanner.units |= code;
        at = after;
        continue;
      }
      if (found !== mark) {
        if (((found & dense) !== 0) !== scanner.run) break;
        before = found;
      }
      scanner.classes |= found;
      scanner.units |= code;
      at += code > 0xffff ? 2 : 1;
    }
    scanner.end = at;
    return true;
  }
}

/** Where the word goes on after a character that is none of its own, or `at` when the word ends here. */
function skipJoiner(text: string, at: number, code: number, before: number, run: boolean, start: number): number {
  switch (code) {
    // Soft hyphen, zero-width non-joiner, zero-width joiner.
    case 0xad:
    case 0x200c:
    case 0x200d:
      return goesOn(text, at + 1, letter | number | mark, run) ? at + 1 : at;
    // Apostrophes, typewriter's and printer's.
    case 0x27:
    case 0x2019:
      return !run && (before & letter) !== 0 && goesOn(text, at + 1, letter, false) ? at + 1 : at;
    case 0x2e:
      return !run && (before & digit) !== 0 && goesOn(text, at + 1, digit, false) ? at + 1 : at;
    case 0x2c:
      return !run && (before & digit) !== 0 && isThousands(text, start, at) ? at + 1 : at;
    case 0x5f: {
      if (run) return at;
      let after = at + 1;
      while (text.charCodeAt(after) === 0x5f) after++;
      return goesOn(text, after, letter | number, false) ? after : at;
    }
    default:
      return at;
  }
}

function goesOn(text: string, at: number, wanted: number, run: boolean): boolean {
  const code = text.codePointAt(at);
  if (code === undefined) return false;
  const found = classOf(code);
  return (found & wanted) !== 0 && (found === mark || ((found & dense) !== 0) === run);
}

/** Whether the comma at `at` groups thousands: up to three digits before it, groups of exactly three after. */
function isThousands(text: string, start: number, at: number): boolean {
  let before = at - 1;
  while (before >= start && at - before <= 4 && isAsciiDigit(text, before)) before--;
  const digits = at - 1 - before;
  if (digits < 1 || digits > 3 || (before >= start && !(digits === 3 && text[before] === ","))) return false;
  return (
    isAsciiDigit(text, at + 1) &&
    isAsciiDigit(text, at + 2) &&
    isAsciiDigit(text, at + 3) &&
    !isAsciiDigit(text, at + 4)
  );
}

function isAsciiDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39;
}
