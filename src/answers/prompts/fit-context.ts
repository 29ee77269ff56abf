import type { ContextOptions } from "../../contracts/answer.ts";
import type { LengthFunction } from "../../contracts/chunker.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { heuristicTokens } from "../../text/length.ts";
import { findSentences } from "../../text/find-sentences.ts";
import type { TableOf } from "../citations/hit-tables.ts";
import { createFence, renderSource } from "../citations/grounding.ts";

/**
 * Default budget of tokens for the sources of an answer.
 *
 * **Source** ibid's own choice: some 25 chunks of the usual size, or a quarter of the smallest context of hosted models (32k).
 */
const defaultContextTokens = 8000;

/** Hits as they go into a prompt. */
export interface FittedContext {
  /** Best first. One that was cut ends earlier: `text` is still the document from `source.start` to `source.end`. */
  readonly hits: readonly Hit[];
  readonly tokens: number;
  readonly maxTokens: number;
  /** Ids of chunks that are there in part. */
  readonly cut: readonly string[];
  /** Ids of chunks that are not there. */
  readonly leftOut: readonly string[];
}

/** **Errors** `invalid-argument`. */
export function checkContext(options: ContextOptions): { readonly maxTokens: number; readonly count: LengthFunction } {
  checkOptions("context", options, { maxTokens: true, count: true, wholeCorpus: true });
  const { maxTokens = defaultContextTokens, count = heuristicTokens, wholeCorpus = false } = options;
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new IbidError("invalid-argument", `context.maxTokens is ${String(maxTokens)}.`, {
      hint: "Give a whole number above 0.",
    });
  }
  if (typeof count !== "function") {
    throw new IbidError("invalid-argument", "context.count is not a function.", {
      hint: "Give a function from a text to its number of tokens.",
    });
  }
  if (typeof wholeCorpus !== "boolean") {
    throw new IbidError("invalid-argument", "context.wholeCorpus must be true or false.", {
      hint: "Set true to send the whole corpus when it fits.",
    });
  }
  return { maxTokens, count };
}

/**
 * Fits hits into a budget, best first: each whole where it fits, else its first sentences, else not at all. Smaller hits behind it still get their turn.
 *
 * **Shape** `tokens <= maxTokens`, counted by `count` over `render`'s text of each hit, delimiters included. Cuts fall between sentences.
 * **Cost** one count for each hit, and about ten for one that is cut.
 */
export function fitContext(
  hits: readonly Hit[],
  options: ContextOptions,
  render: (hit: Hit, index: number) => string = renderNumbered(() => undefined),
): FittedContext {
  const { maxTokens, count } = checkContext(options);
  const kept: Hit[] = [];
  const cut: string[] = [];
  const leftOut: string[] = [];
  let tokens = 0;
  for (const hit of hits) {
    const cost = (candidate: Hit): number => tokensOf(count, render(candidate, kept.length));
    const room = maxTokens - tokens;
    const fitting = cost(hit) <= room ? hit : cutHit(hit, (candidate) => cost(candidate) <= room);
    if (fitting === undefined) {
      leftOut.push(hit.chunkId);
      continue;
    }
    if (fitting !== hit) cut.push(hit.chunkId);
    tokens += cost(fitting);
    kept.push(fitting);
  }
  return { hits: kept, tokens, maxTokens, cut, leftOut };
}

/** Sources by their numbers, with the columns of their tables. */
export function renderNumbered(tableOf: TableOf): (hit: Hit, index: number) => string {
  return (hit, index) => renderSource(hit, `number="${index + 1}"`, fenceToCount, tableOf(hit));
}

/** The fence that is sent is another, and as long. */
const fenceToCount = createFence([]);

/**
 * The longest beginning of a hit, in whole sentences, that fits; `undefined` when not even the first does.
 *
 * **Shape** `text` is the canonical text from `source.start` to `source.end`, as of every hit.
 */
export function cutHit(hit: Hit, fits: (candidate: Hit) => boolean): Hit | undefined {
  const ends = findSentences(hit.text).map(({ end }) => end);
  let low = 0;
  let high = ends.length;
  // How many sentences fit: `low` do, `high + 1` do not.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(endAt(hit, ends[middle - 1] ?? 0))) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? undefined : endAt(hit, ends[low - 1] ?? 0);
}

/** A hit that ends earlier. **Units** `length` UTF-16. */
export function endAt(hit: Hit, length: number): Hit {
  if (length >= hit.text.length) return hit;
  return {
    ...hit,
    text: hit.text.slice(0, length),
    source: { ...hit.source, end: hit.source.start + length },
  };
}

function tokensOf(count: LengthFunction, text: string): number {
  const tokens = count(text);
  if (Number.isFinite(tokens) && tokens >= 0) return tokens;
  throw new IbidError("invalid-argument", `context.count returned ${String(tokens)}; it must return a number from 0.`, {
    hint: "Return the number of tokens of the text.",
  });
}
