/** A letter that each version of Unicode was the first to have, newest first. */
const firstLetters: readonly (readonly [version: number, codePoint: number])[] = [
  [17, 0x323b0],
  [16, 0x10d4a],
  [15.1, 0x2ebf0],
  [15, 0x11f04],
  [14, 0x1e290],
  [13, 0x10e80],
];

/**
 * The Unicode version of this runtime's regular expressions, as far as its letters tell: they decide what a word is made of.
 *
 * **Shape** a version such as `16`; the lowest listed one for anything older.
 */
export function unicodeVersion(): number {
  const found = firstLetters.find(([, codePoint]) => /\p{L}/u.test(String.fromCodePoint(codePoint)));
  return found?.[0] ?? 12;
}
