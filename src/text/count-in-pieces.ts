import type { LengthFunction } from "../contracts/chunker.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { nameLength } from "./length-key.ts";

/** What a tokenizer is called, and how much of a text it is shown at once. */
export interface CountInPiecesOptions {
  /** What the count is called in fingerprints: the tokenizer and its vocabulary, such as `"o200k_base"`. */
  readonly name: string;
  /** What the tokenizer is shown at once at most. Default 512. **Units** UTF-16. */
  readonly pieceSize?: number;
}

const SPACE = 0x20;

/**
 * Makes a length function of a tokenizer that takes a time quadratic in the length of a word, as those of byte pairs do: it is shown a piece at a time.
 *
 * **Shape** a piece ends before a space that follows something else, where byte-pair tokenizers begin anew by themselves: such counts are exactly those of the whole text. Only a stretch
 * of more than `pieceSize` without such a place is cut inside, between code points, and each such cut adds what the tokenizer would have joined there, a token as a rule.
 * **Errors** `invalid-argument` for a blank name, a piece below 2 or unknown options; what the tokenizer throws.
 * **Cost** the tokenizer's for a piece, times length over `pieceSize`: with quadratic cost, linear in the text and in `pieceSize`.
 * **Source** ToolUp's accurate counters as a drop-in; the pattern by which GPT's vocabularies split a text before pairs are joined.
 * @example createTokenChunker({ length: countInPieces(countTokens, { name: "o200k_base" }) })
 */
export function countInPieces(count: (text: string) => number, options: CountInPiecesOptions): LengthFunction {
  checkOptions("countInPieces", options, ["name", "pieceSize"]);
  const { name, pieceSize = 512 } = options;
  if (typeof name !== "string" || name.trim() === "" || !Number.isSafeInteger(pieceSize) || pieceSize < 2) {
    throw new IbidError("invalid-argument", "countInPieces needs a name, and pieces of at least 2.", {
      hint: "Name the tokenizer and its vocabulary: the name tells pipelines apart.",
      details: { pieceSize },
    });
  }
  const inPieces = (text: string): number => {
    let total = 0;
    for (let start = 0; start < text.length;) {
      const end = pieceEnd(text, start, pieceSize);
      total += count(text.slice(start, end));
      start = end;
    }
    return total;
  };
  return nameLength(inPieces, pieceSize === 512 ? name : `${name}/${pieceSize}`);
}

function pieceEnd(text: string, start: number, pieceSize: number): number {
  const limit = start + pieceSize;
  if (limit >= text.length) return text.length;
  for (let end = limit; end > start; end -= 1) {
    if (text.charCodeAt(end) === SPACE && !/\s/.test(text[end - 1]!)) return end;
  }
  const isInPair = /[\ud800-\udbff]/.test(text[limit - 1]!) && /[\udc00-\udfff]/.test(text[limit]!);
  return isInPair ? limit - 1 : limit;
}
