const mark = /^\p{M}/u;

/** How far back a cut is moved for the sake of a grapheme, in code units: longer than any emoji in use. */
const PATIENCE = 64;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
const isRegionalIndicator = (point: number): boolean => point >= 0x1f1e6 && point <= 0x1f1ff;

/** Whether `position` lies inside a surrogate pair. */
function splitsPair(text: string, position: number): boolean {
  return isLowSurrogate(text.charCodeAt(position)) && isHighSurrogate(text.charCodeAt(position - 1));
}

function splitsFlag(text: string, position: number): boolean {
  if (!isRegionalIndicator(text.codePointAt(position) ?? 0)) return false;
  let before = 0;
  for (let at = position - 2; at >= 0 && before < PATIENCE; at -= 2, before += 1) {
    if (!isRegionalIndicator(text.codePointAt(at) ?? 0)) break;
  }
  return before % 2 === 1;
}

/**
 * Whether a text may be cut at `position` without tearing what a reader sees as one character.
 *
 * A cheap stand-in for grapheme segmentation: surrogate pairs, combining marks, joiners, emoji modifiers and tags, flags, Hangul syllables written
 * in parts. **Cost** constant. **Source** Unicode UAX #29, rules GB6 to GB13, simplified.
 */
export function isSafeCut(text: string, position: number): boolean {
  if (position <= 0 || position >= text.length) return true;
  const code = text.charCodeAt(position);
  if (code < 0x300) return text.charCodeAt(position - 1) !== 0x200d;
  if (splitsPair(text, position)) return false;
  if (text.charCodeAt(position - 1) === 0x200d) return false;
  if (code === 0x200d || code === 0x200c) return false;
  const point = text.codePointAt(position) ?? 0;
  if (point >= 0x1f3fb && point <= 0x1f3ff) return false;
  if (point >= 0xe0020 && point <= 0xe007f) return false;
  if (point >= 0x1160 && point <= 0x11ff) return false;
  if (splitsFlag(text, position)) return false;
  return !mark.test(String.fromCodePoint(point));
}

/**
 * The last position at or before `limit`, and after `after`, where a text may be cut.
 *
 * **Shape** prefers a place between graphemes; failing that within reach, one between code points; `undefined` when even a single code point does not fit.
 */
export function lastSafeCut(text: string, after: number, limit: number): number | undefined {
  const patience = Math.max(after, limit - PATIENCE);
  for (let position = limit; position > patience; position -= 1) {
    if (isSafeCut(text, position)) return position;
  }
  const position = splitsPair(text, limit) ? limit - 1 : limit;
  return position > after ? position : undefined;
}

/** The first position at or after `start` where a text may be cut; `end` when there is none before it. */
export function firstSafeCut(text: string, start: number, end: number): number {
  let position = start;
  while (position < end && position - start < PATIENCE && !isSafeCut(text, position)) position += 1;
  return position < end && splitsPair(text, position) ? position + 1 : position;
}

/** Just after the code point that begins at `position`. */
export function afterCodePoint(text: string, position: number): number {
  return position + ((text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1);
}
