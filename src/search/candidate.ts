import type { Analyzer } from "../contracts/analyzer.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Embedding } from "../contracts/embedding.ts";
import type { QueryTerm, TermScore } from "../contracts/leg.ts";
import type { LegScore } from "../contracts/retriever.ts";
import type { Scope } from "../contracts/scope.ts";

/** A named share of a score. */
export interface ScorePart {
  readonly name: string;
  readonly value: number;
}

/** A chunk on its way through the stages, with what each leg said of it. */
export interface Candidate {
  readonly scope: Scope;
  readonly chunk: Chunk;
  readonly dense?: LegScore;
  readonly lexical?: LegScore & { readonly terms: readonly TermScore[] };
  readonly regex?: LegScore & { readonly matches: readonly { readonly start: number; readonly end: number }[] };
  readonly embedding?: Embedding;
  /** What the store indexed the chunk in, when it said so and the chunk does not. */
  readonly language?: string;
  /** Added in this order they are the score before any rerank. */
  readonly parts: readonly ScorePart[];
  readonly score: number;
  /** When a reranker ordered the candidates anew: score and rank before. */
  readonly before?: LegScore;
}

/** What a chunk is written in: what it says, or what it was indexed in, which is what its words show. **Cost** of the last, some 20 µs. */
export function languageOf({ chunk, language }: Candidate, analyzer: Analyzer): string {
  return chunk.language ?? language ?? analyzer.languageOf?.(chunk.text) ?? "";
}

/** A query's distinct words with their rarity in the searched scopes. */
export type QueryTerms = readonly QueryTerm[];

/** One string per chunk: ids repeat across scopes. */
export function candidateKey(scope: Scope, chunkId: string): string {
  return `${scope} ${chunkId}`;
}

/** **Shape** best first, ties by chunk id, then scope, both by UTF-16 code unit. */
export function compareCandidates(
  a: Pick<Candidate, "score" | "chunk" | "scope">,
  b: Pick<Candidate, "score" | "chunk" | "scope">,
): number {
  if (a.score !== b.score) return b.score - a.score;
  return compareText(a.chunk.id, b.chunk.id) || compareText(a.scope, b.scope);
}

/** Adds from left to right, so that what is shown as the parts of a score adds up to it exactly. */
export function sumParts(parts: readonly ScorePart[]): number {
  let sum = 0;
  for (const part of parts) sum += part.value;
  return sum;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
