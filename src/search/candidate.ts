import type { Analyzer } from "../contracts/analyzer.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Embedding } from "../contracts/embedding.ts";
import type { ChunkRef, QueryTerm, TermScore, Why } from "../contracts/leg.ts";
import type { LegScore } from "../contracts/retriever.ts";
import { compareCodePoints } from "../runtime/compare-text.ts";

/** A named share of a score. */
export interface ScorePart {
  readonly name: string;
  readonly value: number;
}

/** How one leg found a chunk. */
export interface FoundByLeg extends LegScore {
  readonly why: Why;
}

/** A chunk that some legs found, with its fused score. It carries no text. */
export interface FusedChunk extends ChunkRef {
  readonly revision: number;
  readonly score: number;
  /** Added in this order, these give the score. */
  readonly parts: readonly ScorePart[];
  /** By the leg's name, in the order of the legs. */
  readonly legs: ReadonlyMap<string, FoundByLeg>;
}

/** A fused chunk that was read. */
export interface Candidate extends FusedChunk {
  readonly chunk: Chunk;
  readonly embedding?: Embedding | undefined;
  /** The language that the chunk is indexed in, where the store tells and the chunk does not. */
  readonly language?: string | undefined;
  /** Score and rank before a reranker. */
  readonly before?: LegScore | undefined;
}

/** The distinct words of a query with their rarity in the searched scopes. */
export type QueryTerms = readonly QueryTerm[];

/** Language of a chunk: its own, the indexed one, or the one that its words show. **Cost** about 20 µs where the words are read. */
export function languageOf({ chunk, language }: Candidate, analyzer: Analyzer): string {
  return chunk.language ?? language ?? analyzer.languageOf?.(chunk.text) ?? "";
}

/** The terms that the lexical leg found in a chunk; `undefined` when it found none. */
export function termsFound({
  legs,
}: Pick<FusedChunk, "legs">):
  | { readonly leg: string; readonly score: number; readonly terms: readonly TermScore[] }
  | undefined {
  for (const [leg, { score, why }] of legs) if (why.kind === "terms") return { leg, score, terms: why.terms };
  return undefined;
}

/** Where a pattern matched; `undefined` when none did. */
export function rangesFound({
  legs,
}: Pick<FusedChunk, "legs">): readonly { readonly start: number; readonly end: number }[] | undefined {
  for (const { why } of legs.values()) if (why.kind === "ranges") return why.ranges;
  return undefined;
}

/** One string per chunk: ids repeat across scopes. */
export function chunkKey({ scope, id }: ChunkRef): string {
  return `${scope}\u0000${id}`;
}

/** **Shape** best first, ties by chunk id, then scope, by code point. */
export function compareCandidates(
  a: ChunkRef & { readonly score: number },
  b: ChunkRef & { readonly score: number },
): number {
  if (a.score !== b.score) return b.score - a.score;
  return compareCodePoints(a.id, b.id) || compareCodePoints(a.scope, b.scope);
}

/** Adds from left to right, so that the parts shown add up to the score exactly. */
export function sumParts(parts: readonly ScorePart[]): number {
  let sum = 0;
  for (const part of parts) sum += part.value;
  return sum;
}
