import type { EmbeddingVersion } from "../../src/contracts/embedding.ts";
import { IbidError } from "../../src/contracts/errors.ts";
import type { Filter } from "../../src/contracts/filter.ts";
import type { Store } from "../../src/contracts/store.ts";
import type {
  LegMatch,
  LegResult,
  Query,
  QuerySyntax,
  QueryTerm,
  ReadChunk,
  TermScore,
} from "../../src/contracts/leg.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { Origin } from "../../src/contracts/document.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";
import type { VectorMatch, VectorQuery } from "../../src/contracts/vector-store.ts";
import { searchByVector } from "../../src/search/search-by-vector.ts";

/** A store whose legs are searched one by one. */
export type SearchedStore = Pick<Store, "session" | "chunks">;

interface Restricted {
  readonly filter?: Filter | undefined;
  readonly origins?: readonly Origin[] | undefined;
  readonly chunkIds?: readonly string[] | undefined;
  /** Default 5. */
  readonly topK?: number | "all" | undefined;
  readonly minScore?: number | undefined;
}

export interface FoundChunk {
  readonly scope: Scope;
  readonly chunk: Chunk;
  readonly score: number;
}

const defaultTopK = 5;
const noQuery: Query = { question: "", text: "", syntax: "literal", embeddings: [] };

interface LegFinds {
  readonly result: LegResult;
  readonly matches: readonly (readonly [match: LegMatch, read: ReadChunk])[];
}

/** The best matches of one leg with their chunks. **Errors** `unsupported` when the store lacks the leg. */
async function searchLeg(
  store: Pick<SearchedStore, "session">,
  scopes: AuthorizedScopes,
  name: string,
  query: Query,
  { filter, origins, chunkIds, topK = defaultTopK, minScore, ...others }: Restricted,
): Promise<LegFinds> {
  const session = await store.session(scopes);
  const leg = session.legs.find((one) => one.name === name);
  if (leg === undefined) throw new IbidError("unsupported", `The store has no ${name} leg.`);
  const only = chunkIds && session.scopes.flatMap((scope) => chunkIds.map((id) => ({ scope, id })));
  // An option that nobody knows is refused by the session, not here.
  const within = { restriction: session.restrict(filter, origins), only, minScore, ...others };
  const embedded = query.embeddings.map((each) => ({ ...each, scopes: session.scopes }));
  const result = await leg.search({ ...query, embeddings: embedded }, topK, within);
  const matches = topK === "all" ? result.matches : result.matches.slice(0, topK);
  const read = await session.readChunks(matches);
  return { result, matches: matches.flatMap((match, i) => (read[i] === undefined ? [] : [[match, read[i]] as const])) };
}

/** Nearest vectors; without an embedding, every chunk that the filter admits, at score 0. */
export function searchVectors(
  store: SearchedStore,
  scopes: AuthorizedScopes,
  query: VectorQuery,
): Promise<readonly VectorMatch[]> {
  return searchByVector(store, scopes, { topK: defaultTopK, ...query });
}

export interface WordQuery extends Restricted {
  readonly text: string;
  readonly syntax?: QuerySyntax | undefined;
}

export interface WordMatch extends FoundChunk {
  readonly terms: readonly TermScore[];
  /** What the document's name, the document and the innermost heading give; 0 where they give nothing. */
  readonly name: number;
  readonly document: number;
  readonly heading: number;
  readonly language?: string | undefined;
}

export interface WordFinds {
  readonly matches: readonly WordMatch[];
  readonly terms: readonly QueryTerm[];
}

/** Chunks that share words with the query, by the lexical leg. */
export async function searchWords(
  store: SearchedStore,
  scopes: AuthorizedScopes,
  { text, syntax = "literal", ...restricted }: WordQuery,
): Promise<WordFinds> {
  const query = { ...noQuery, question: text, text, syntax };
  const { result, matches } = await searchLeg(store, scopes, "lexical", query, restricted);
  return {
    terms: result.terms ?? [],
    matches: matches.map(([{ scope, score, why }, { chunk, language }]) => ({
      scope,
      chunk,
      score,
      ...partsOf(why),
      ...(language !== undefined && { language }),
    })),
  };
}

/** The terms' scores together, which is what counts as evidence but for the file's name. */
export function lexicalOf({ terms }: Pick<WordMatch, "terms">): number {
  return terms.reduce((sum, { score }) => sum + score, 0);
}

function partsOf(why: LegMatch["why"]): Pick<WordMatch, "terms" | "name" | "document" | "heading"> {
  if (why.kind !== "terms") return { terms: [], name: 0, document: 0, heading: 0 };
  const { terms, name, document = 0, heading } = why;
  return { terms, name: name?.value ?? 0, document, heading: heading?.value ?? 0 };
}

export interface PatternQuery extends Restricted {
  readonly pattern: string;
  readonly ignoreCase?: boolean | undefined;
}

export interface PatternMatch extends FoundChunk {
  readonly matches: readonly { readonly start: number; readonly end: number }[];
}

/** Chunks that a pattern matches, by the pattern leg. */
export async function searchPattern(
  store: SearchedStore,
  scopes: AuthorizedScopes,
  { pattern, ignoreCase = false, ...restricted }: PatternQuery,
): Promise<readonly PatternMatch[]> {
  const query = { ...noQuery, question: pattern, pattern: { source: pattern, ignoreCase } };
  const { matches } = await searchLeg(store, scopes, "pattern", query, restricted);
  return matches.map(([{ scope, score, why }, { chunk }]) => ({
    scope,
    chunk,
    score,
    matches: why.kind === "ranges" ? why.ranges : [],
  }));
}

export interface LatentFinds {
  readonly matches: readonly VectorMatch[];
  readonly version: EmbeddingVersion;
  readonly fitted: boolean;
  readonly energy: number;
  readonly weight: number;
}

/** Nearest chunks by the store's own model, by the latent leg. */
export async function searchLatent(
  store: SearchedStore,
  scopes: AuthorizedScopes,
  { text, ...restricted }: WordQuery,
): Promise<LatentFinds> {
  const { result, matches } = await searchLeg(
    store,
    scopes,
    "latent",
    { ...noQuery, question: text, text },
    restricted,
  );
  if (result.latent === undefined)
    throw new IbidError("unsupported", "The latent leg returned no facts about the query.");
  return {
    ...result.latent,
    weight: result.calibration.weight,
    matches: matches.map(([{ scope, score, why }, { chunk, embeddings }]) => ({
      scope,
      chunk,
      score,
      rawScore: why.kind === "vector" ? why.rawScore : score,
      ...(embeddings?.[0] && { embedding: embeddings[0].embedding }),
    })),
  };
}
