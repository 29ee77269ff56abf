import type { LengthFunction } from "../contracts/chunker.ts";
import { lengthKey } from "../text/length-key.ts";
import { heuristicTokens } from "../text/length.ts";

/** The budget of a chunk of rows. **Source** ToolUp's tabular configuration: 512 tokens, no overlap. */
export const defaultMaxTokens = 512;

const version = 1;

/** What a spreadsheet chunker is known by. */
export function spreadsheetFingerprint(
  maxTokens: number = defaultMaxTokens,
  length: LengthFunction = heuristicTokens,
): string {
  return JSON.stringify(["spreadsheet", version, maxTokens, lengthKey(length)]);
}
