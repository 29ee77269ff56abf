import type { CharacterSet } from "./regex-syntax.ts";

/** Bits of a symbol that assertions ask about. */
export const lineTerminator = 1;
export const wordSymbol = 2;

/**
 * Characters that a pattern cannot tell apart, as one number: what the automaton reads instead of code points.
 */
export interface RegexSymbols {
  /** The symbol of a code point. **Cost** a look-up after the first time. */
  of(codePoint: number): number;
  /** The same for ASCII, by code point. */
  readonly ascii: Int32Array;
  /** Whether the set at `index` of the program's sets holds the characters of `symbol`. */
  has(symbol: number, index: number): boolean;
  /** Traits of each symbol for assertions, as sums of this module's bits. */
  readonly traits: readonly number[];
}

const maxAstral = 10_000;

/**
 * **Shape** the runtime itself tests each set on one code point, so classes, properties and case folding are JavaScript's own.
 * `asksTraits` is true where line ends and word characters need symbols of their own.
 */
export function createRegexSymbols(
  sets: readonly CharacterSet[],
  ignoreCase: boolean,
  asksTraits: boolean,
): RegexSymbols {
  const flags = ignoreCase ? "iu" : "u";
  const tests = sets.map(({ source, literal }): ((character: string) => boolean) => {
    if (literal !== undefined && !ignoreCase) return (character) => character === literal;
    const pattern = new RegExp(`^${source}$`, flags);
    return (character) => pattern.test(character);
  });
  const word = new RegExp("^\\w$", flags);
  const members: Uint8Array[] = [];
  const traits: number[] = [];
  const bySignature = new Map<string, number>();
  const ascii = Int32Array.from({ length: 0x80 }, (_, codePoint) => classify(codePoint));
  let basic: Int32Array | undefined;
  const astral = new Map<number, number>();

  return {
    ascii,
    of(codePoint) {
      if (codePoint < 0x80) return ascii[codePoint]!;
      if (codePoint < 0x10000) {
        basic ??= new Int32Array(0x10000).fill(-1);
        const seen = basic[codePoint]!;
        return seen >= 0 ? seen : (basic[codePoint] = classify(codePoint));
      }
      let symbol = astral.get(codePoint);
      if (symbol === undefined) {
        if (astral.size >= maxAstral) astral.clear();
        symbol = classify(codePoint);
        astral.set(codePoint, symbol);
      }
      return symbol;
    },
    has: (symbol, index) => members[symbol]![index] === 1,
    traits,
  };

  function classify(codePoint: number): number {
    const character = String.fromCodePoint(codePoint);
    const row = Uint8Array.from(tests, (test) => (test(character) ? 1 : 0));
    const trait = asksTraits
      ? (/[\n\r\u2028\u2029]/.test(character) ? lineTerminator : 0) | (word.test(character) ? wordSymbol : 0)
      : 0;
    const signature = `${trait}:${row.join("")}`;
    let symbol = bySignature.get(signature);
    if (symbol === undefined) {
      symbol = members.push(row) - 1;
      traits.push(trait);
      bySignature.set(signature, symbol);
    }
    return symbol;
  }
}
