import type { Analyzer } from "../contracts/analyzer.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { Embedding } from "../contracts/embedding.ts";
import type { ChunkRef, QueryTerm, Why } from "../contracts/leg.ts";
import type { HitCopies, LegScore } from "../contracts/retriever.ts";
import { type ChunkPlace, compareChunkPlaces, compareCodePoints } from "../runtime/compare-text.ts";
import { type Maybe, wait, type Waits } from "../runtime/waits.ts";

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
  /** Chunks of its document, where they were counted. */
  readonly total?: number | undefined;
  readonly rootLabel?: string | undefined;
  readonly path?: string | undefined;
  /** Other chunks with its text; absent where they were not looked for, or there are none. */
  readonly copies?: HitCopies | undefined;
  /** Score and rank before a reranker. */
  readonly before?: LegScore | undefined;
}

/** The distinct words of a query with their rarity in the searched scopes. */
export type QueryTerms = readonly QueryTerm[];

/** Language of a chunk: its own, the indexed one, or the one that its words show. **Cost** about 20 µs where the words are read. */
export function languageOf({ chunk, language }: Candidate, analyzer: Analyzer): string {
  return chunk.language ?? language ?? analyzer.languageOf?.(chunk.text) ?? "";
}

/** The terms and parts that the lexical leg found in a chunk; `undefined` when it found none. */
export function termsFound({
  legs,
}: Pick<FusedChunk, "legs">):
  | ({ readonly leg: string; readonly score: number } & Omit<Extract<Why, { kind: "terms" }>, "kind">)
  | undefined {
  for (const [leg, { score, why }] of legs) if (why.kind === "terms") return { leg, score, ...why };
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

/** **Shape** best first, equal scores by uri, start, scope and id. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return b.score - a.score || compareChunkPlaces(placeOf(a, a.chunk), placeOf(b, b.chunk));
}

function placeOf({ scope, id }: ChunkRef, { uri, start }: Pick<Chunk, "uri" | "start">): ChunkPlace {
  return { uri, start, scope, id };
}

/** Reads the chunks of some candidates. **Shape** `undefined` for one that is gone. */
export type ReadPlaces = (
  refs: readonly ChunkRef[],
) => Maybe<readonly ({ readonly chunk: Pick<Chunk, "uri" | "start"> } | undefined)[]>;

/**
 * Orders candidates, the first `wanted` of them wholly: by score, equal scores by uri, start, scope and id.
 *
 * **Cost** one read, of the candidates whose scores are equal and that may be among the first `wanted`.
 */
export function* orderCandidates(
  candidates: readonly FusedChunk[],
  wanted: number | "all",
  readPlaces: ReadPlaces,
): Waits<readonly FusedChunk[]> {
  const sorted = candidates.toSorted(
    (a, b) => b.score - a.score || compareCodePoints(a.id, b.id) || compareCodePoints(a.scope, b.scope),
  );
  const last = wanted === "all" ? -Infinity : (sorted[wanted - 1]?.score ?? -Infinity);
  const tied = sorted.filter(
    ({ score }, i) => score >= last && (sorted[i - 1]?.score === score || sorted[i + 1]?.score === score),
  );
  if (tied.length === 0) return sorted;
  const read = yield* wait(readPlaces(tied.map(({ scope, id }) => ({ scope, id }))));
  const places = new Map(
    tied.map((candidate, i) => [candidate, placeOf(candidate, read[i]?.chunk ?? { uri: "", start: 0 })]),
  );
  return sorted.sort((a, b) => {
    const [one, other] = [places.get(a), places.get(b)];
    return b.score - a.score || (one === undefined || other === undefined ? 0 : compareChunkPlaces(one, other));
  });
}

/** Adds from left to right, so that the parts shown add up to the score exactly. */
export function sumParts(parts: readonly ScorePart[]): number {
  let sum = 0;
  for (const part of parts) sum += part.value;
  return sum;
}
