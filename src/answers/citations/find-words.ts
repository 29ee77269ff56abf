import type { Quote } from "./find-quote.ts";

/** Engines refuse a regular expression of some tens of thousands of signs. **Units** UTF-16 of a pattern. */
const longestPattern = 8_000;

/** How words are found: the pattern of one, and the borders before the first and behind the last. */
interface WordPatterns {
  readonly patternOf: (word: string) => string;
  readonly before: string;
  readonly after: string;
}

/** Finds words with white space between them, however many they are: a long list is compared in parts, one behind the other. **Shape** the first place. */
export function findWords(
  text: string,
  words: readonly string[],
  from: number,
  { patternOf, before, after }: WordPatterns,
): Quote | undefined {
  const parts = [before];
  for (const [index, word] of words.entries()) {
    for (const [at, piece] of (word.match(/.{1,1000}/gsu) ?? [""]).entries()) {
      if (parts.at(-1)!.length > longestPattern) parts.push("");
      parts.push(`${parts.pop()!}${index > 0 && at === 0 ? "\\s+" : ""}${patternOf(piece)}`);
    }
  }
  parts.push(parts.pop()! + after);
  const [first, ...others] = parts.map((part, at) => new RegExp(part, at === 0 ? "gu" : "yu"));
  first!.lastIndex = from;
  for (let match = first!.exec(text); match !== null; match = first!.exec(text)) {
    let end = first!.lastIndex;
    const isWhole = others.every((other) => {
      other.lastIndex = end;
      const found = other.test(text);
      end = other.lastIndex;
      return found;
    });
    if (isWhole) return { start: match.index, end };
    first!.lastIndex = match.index + 1;
  }
  return undefined;
}
