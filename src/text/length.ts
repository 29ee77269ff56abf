import type { LengthFunction } from "../contracts/chunker.ts";
import { nameLength } from "./length-key.ts";

/**
 * UTF-16 code units, the unit of every `start` and `end`. **Cost** constant.
 *
 * @experimental
 */
export const characters: LengthFunction = nameLength((text) => text.length, "characters");

/**
 * Unicode code points; an emoji outside the basic plane counts once. **Cost** linear, without allocation.
 *
 * @experimental
 */
export const codePoints: LengthFunction = nameLength((text) => {
  let pairs = 0;
  for (let i = 1; i < text.length; i++) {
    if (isHigh(text.charCodeAt(i - 1)) && isLow(text.charCodeAt(i))) {
      pairs++;
      i++;
    }
  }
  return text.length - pairs;
}, "code-points");

/**
 * Tokens as a rule of thumb: one for every four characters, rounded up. Good for English prose; other scripts have more tokens.
 *
 * **Source** ToolUp's `HeuristicTokenCounter`.
 *
 * @experimental
 */
export const heuristicTokens: LengthFunction = nameLength((text) => Math.ceil(text.length / 4), "heuristic-tokens");

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
