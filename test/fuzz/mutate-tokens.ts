import type { Random } from "../../src/testing/random.ts";

/** A language as its mutations know it: its tokens, and what else may stand in it. */
export interface Language {
  /** Splits a source; what lies between two matches is a token too. Global. */
  readonly token: RegExp;
  /** Pieces that are allowed, unusual, or almost right. */
  readonly words: readonly string[];
  /** Begin and end of what can hold itself. */
  readonly nests: readonly (readonly [open: string, close: string])[];
}

/** Where a number stands, these are tried. */
export const numbers = [
  "0",
  "-1",
  "1",
  "65536",
  "2147483647",
  "4294967296",
  "1048577",
  "99999999999999999999",
  "1e308",
  "NaN",
  "0.5",
  "",
];
/** Longer than this, a file says nothing new about its reader. */
const longest = 300_000;

/** A source changed where it still looks like its language. **Shape** one to six changes of tokens; the same random gives the same. */
export function mutateTokens(source: string, language: Language, random: Random): string {
  let tokens = split(source, language.token);
  for (let count = 1 + random.below(6); count > 0; count--) tokens = change(tokens, language, random);
  return tokens.join("").slice(0, longest);
}

function split(source: string, token: RegExp): string[] {
  const tokens: string[] = [];
  let reached = 0;
  for (const { index, 0: match } of source.matchAll(token)) {
    if (index > reached) tokens.push(source.slice(reached, index));
    tokens.push(match);
    reached = index + match.length;
  }
  if (reached < source.length) tokens.push(source.slice(reached));
  return tokens;
}

function change(tokens: readonly string[], { words, nests }: Language, random: Random): string[] {
  const at = random.below(tokens.length + 1);
  const run = 1 + random.below(random.pick([1, 3, 12, 60]));
  const piece = tokens.slice(at, at + run);
  switch (random.below(10)) {
    case 0:
      return tokens.toSpliced(at, run);
    case 1:
      return tokens.toSpliced(at, 0, ...piece);
    case 2:
      return tokens.toSpliced(
        at,
        0,
        piece
          .join("")
          .slice(0, 400)
          .repeat(1 + random.below(random.pick([3, 50, 400]))),
      );
    case 3:
      return tokens.toSpliced(random.below(tokens.length + 1), 0, ...piece);
    case 4:
      return tokens.toSpliced(at, 1, random.pick(words));
    case 5:
      return tokens.toSpliced(at, 0, random.pick(words));
    case 6: {
      const [open, close] = random.pick(nests);
      const depth = 1 + random.below(random.pick([3, 40, 400, 6000]));
      // Half of the time what was opened is never closed.
      return tokens.toSpliced(at, run, open.repeat(depth), ...piece, random.below(2) === 0 ? close.repeat(depth) : "");
    }
    case 7:
    case 8: {
      const place = tokens.findIndex((token, i) => i >= at && /\d/u.test(token));
      const token = tokens[place];
      return token === undefined ? [...tokens] : tokens.with(place, token.replace(/\d+/u, random.pick(numbers)));
    }
    default:
      return random.below(3) === 0
        ? tokens.slice(0, at)
        : tokens.toSpliced(at, 0, random.pick(words), random.pick(words));
  }
}
