/** Any character that says nothing about sentences. */
export const plain = 1;
export const space = 2;
/** A character that may end a sentence. */
export const terminator = 3;
/** Half of a character beyond the basic plane; the whole must be looked at. */
export const surrogate = 4;

const table = new Uint8Array(0x10000);

/** Role of a code unit in a sentence. **Cost** a look-up after the first time. */
export function signOf(unit: number): number {
  const seen = table[unit]!;
  if (seen !== 0) return seen;
  const found = classify(unit);
  table[unit] = found;
  return found;
}

function classify(unit: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) return surrogate;
  const character = String.fromCharCode(unit);
  if (/\s/.test(character)) return space;
  return isTerminator(character) ? terminator : plain;
}

/** Whether a character is `Sentence_Terminal` in Unicode's sense, or an ellipsis. */
export function isTerminator(character: string): boolean {
  return /[\p{Sentence_Terminal}…]/u.test(character);
}

/** Where the terminators that begin at `at` end: `?!`, `...`. */
export function endOfTerminators(text: string, at: number): number {
  let end = at;
  while (end < text.length) {
    const sign = signOf(text.charCodeAt(end));
    if (sign === terminator) {
      end++;
    } else if (sign === surrogate) {
      const character = String.fromCodePoint(text.codePointAt(end)!);
      if (!isTerminator(character)) break;
      end += character.length;
    } else {
      break;
    }
  }
  return end;
}

const closers = "\"'”’»›)]}」』】〉》）］｝〕〗｣*_~`";
const citation = /\[\d{1,4}\]/y;

/** Where what closes a sentence behind its terminator ends: quotes, brackets, emphasis, and numbers of notes such as `[1]`. */
export function endOfClosers(text: string, at: number): number {
  let end = at;
  while (end < text.length) {
    const character = text[end]!;
    if (closers.includes(character)) {
      end++;
      continue;
    }
    // A German closing quote is an English opening one; space behind tells.
    if (character === "“" && (end + 1 >= text.length || signOf(text.charCodeAt(end + 1)) === space)) {
      end++;
      continue;
    }
    citation.lastIndex = character === " " ? end + 1 : end;
    if (!citation.test(text)) break;
    end = citation.lastIndex;
  }
  return end;
}
