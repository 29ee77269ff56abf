import type { Chunker, LengthFunction } from "../contracts/chunker.ts";
import { IbidError } from "../contracts/errors.ts";
import { checkGiven, checkOptions } from "../runtime/check-options.ts";
import { lengthKey } from "../text/length-key.ts";
import { heuristicTokens } from "../text/length.ts";
import { checkSizes } from "./check-sizes.ts";
import { findUnits } from "./document-units.ts";
import { createMeasure, type Measure } from "./measure.ts";
import { createPiecesChunker } from "./pieces-chunker.ts";
import { createSectionPlan, rankOf } from "./section-plan.ts";
import { type Cut, type SplitPlan, splitRange } from "./split-range.ts";
import { createTextDocument } from "./text-document.ts";
import { trimEndAt } from "./white-space.ts";

/**
 * Sizes, in tokens. **Source** ToolUp `ChunkingConfig`.
 *
 * @experimental
 */
export interface TokenChunkerOptions {
  /** The hard limit of a chunk's `text`, overlap and repeated table header included. Default 500. */
  readonly maxTokens?: number | undefined;
  /** Largest overlap of neighbouring chunks. Default 50. */
  readonly overlapTokens?: number | undefined;
  /** Smallest chunk, where possible. Default 100. */
  readonly minTokens?: number | undefined;
  /** Whether a chunk below `minTokens` is left out, so that no search finds its text. Default false. **Source** ToolUp. */
  readonly dropShort?: boolean | undefined;
  /** How tokens are counted. Default `heuristicTokens`: one for every four characters. A tokenizer goes here, through `countInPieces`. */
  readonly length?: LengthFunction | undefined;
}

const version = 1;

/**
 * Cuts a document to a budget of tokens, whatever its sections.
 *
 * **Shape** cuts come between blocks, at blank lines and between sentences, as far as the budget reaches. None comes before a chunk holds `minTokens`, where sentences allow.
 * A rest below the minimum joins the chunk before, or takes sentences from it. A smaller chunk remains only for a smaller document, or
 * where a sentence exceeds the rest of the budget. Tables are cut between rows, with their header
 * repeated; code between lines.
 * **Errors** `invalid-argument` at construction: `maxTokens` below 1, `overlapTokens` or `minTokens` below 0, `overlapTokens` not below `maxTokens`, `minTokens` above it.
 * The same for a number that is not whole; `unsupported-input` for a document without text.
 * **Cost** linear. **Source** ToolUp `ChunkingConfig` and `splitByTokens`; its code has 512, 64 and 16.
 * @example createTokenChunker({ maxTokens: 256, overlapTokens: 32, minTokens: 64, length: countInPieces(countTokens, { name: "o200k" }) })
 */
export function createTokenChunker(options: TokenChunkerOptions = {}): Chunker {
  checkOptions("createTokenChunker", options, {
    maxTokens: true,
    overlapTokens: true,
    minTokens: true,
    dropShort: true,
    length: true,
  });
  const { maxTokens = 500, overlapTokens = 50, minTokens = 100, dropShort = false, length = heuristicTokens } = options;
  checkSizes("createTokenChunker", maxTokens, overlapTokens, length, ["maxTokens", "overlapTokens"]);
  if (!Number.isSafeInteger(minTokens) || minTokens < 0 || minTokens > maxTokens) {
    throw new IbidError(
      "invalid-argument",
      `createTokenChunker: minTokens must be a whole number from 0 to maxTokens (${maxTokens}), not ${String(minTokens)}.`,
      {
        hint: `Give minTokens: 0 for none; the default does not follow maxTokens.`,
        details: { minTokens, maxTokens },
      },
    );
  }
  const fingerprint = ["token", version, maxTokens, overlapTokens, minTokens, lengthKey(length)];
  return createPiecesChunker(dropShort ? [...fingerprint, "drop"] : fingerprint, (document) => {
    const { text } = document;
    const measure = createMeasure(text, length);
    const to = trimEndAt(text, 0, text.length);
    const settings = { maxSize: maxTokens, overlap: overlapTokens, respectSentences: true };
    const plan = createSectionPlan(text, to, findUnits(document), measure, settings);
    const pieces = splitRange(text, 0, to, minTokens === 0 ? plan : withMinimum(plan, to, measure, minTokens));
    if (!dropShort) return pieces;
    return Array.from(pieces).filter(({ start, end }) => length(text.slice(start, end)) >= minTokens);
  });
}

/** A plan that looks for a cut beyond the minimum first, and leaves no rest below it. */
function withMinimum(plan: SplitPlan, to: number, measure: Measure, minimum: number): SplitPlan {
  const isWhole = ({ rank }: Cut): boolean => rank <= rankOf.sentence;
  const cutBeyond = (start: number, after: number, limit?: number): Cut | undefined => {
    const least = measure.reach(start, to, minimum);
    const cut = least > after ? plan.cut(start, least, limit) : undefined;
    return cut !== undefined && isWhole(cut) ? cut : undefined;
  };
  /** A little more than the minimum: a measure may stop short by 1/64. */
  const enough = minimum + (minimum >> 5) + 1;
  return {
    ...plan,
    cut(start, after, limit) {
      const cut = cutBeyond(start, after, limit) ?? plan.cut(start, after, limit);
      const isShortRest = cut !== undefined && cut.end < to && measure.reach(cut.end, to, minimum - 1) >= to;
      if (!isShortRest) return cut;
      const latest = measure.reachBack(start, to, enough);
      return (latest > after ? cutBeyond(start, after, latest) : undefined) ?? cut;
    },
  };
}

/**
 * **Source** ToolUp `ChunkingConfig`.
 *
 * @experimental
 */
export type ChunkingConfig = Pick<TokenChunkerOptions, "maxTokens" | "overlapTokens" | "minTokens" | "dropShort">;

/**
 * Cuts a bare text to a budget of tokens.
 *
 * **Errors** as {@link createTokenChunker}. **Source** ToolUp `Chunking.splitByTokens config counter text`.
 *
 * @experimental
 */
export function splitByTokens(config: ChunkingConfig, counter: LengthFunction, text: string): string[] {
  checkGiven("splitByTokens", "text", text, "text");
  const chunker = createTokenChunker({ ...config, length: counter });
  return Array.from(chunker.chunk(createTextDocument(text)), (chunk) => chunk.text);
}
