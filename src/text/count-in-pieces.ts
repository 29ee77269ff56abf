import type { LengthFunction } from "../contracts/chunker.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { nameLength } from "./length-key.ts";

/**
 * Name of a tokenizer, and the longest piece that it gets.
 *
 * @experimental
 */
export interface CountInPiecesOptions {
  /** Name of the count in fingerprints: the tokenizer and its vocabulary, such as `"o200k_base"`. */
  readonly name: string;
  /** Longest piece for the tokenizer. Default 512. **Units** UTF-16. */
  readonly pieceSize?: number | undefined;
}

const SPACE = 0x20;

/**
 * Makes a length function of a tokenizer whose time is quadratic in a word's length, as with byte pairs, by pieces.
 *
 * **Shape** a piece ends before a space that follows another character, where byte-pair tokenizers begin anew. Such counts equal those of the whole text. A stretch
 * of more than `pieceSize` without such a place is cut between code points. Each such cut adds about one token.
 * **Errors** `invalid-argument` for a blank name, a piece below 2 or unknown options; errors of the tokenizer.
 * **Cost** the tokenizer's for a piece, times length over `pieceSize`: with quadratic cost, linear in the text and in `pieceSize`.
 * **Source** ToolUp's accurate counters as a drop-in; the pattern by which GPT's vocabularies split a text before pairs are joined.
 * @experimental
 * @example createTokenChunker({ length: countInPieces(countTokens, { name: "o200k_base" }) })
 */
export function countInPieces(count: (text: string) => number, options: CountInPiecesOptions): LengthFunction {
  checkGiven("countInPieces", "count", count, "object");
  checkGiven("countInPieces", "options", options, "object");
  checkOptions("countInPieces", options, { name: true, pieceSize: true });
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
