import type { Chunk } from "./chunk.ts";
import type { Origin } from "./document.ts";
import type { Embedding, EmbeddingVersion, Metric, VersionedEmbedding } from "./embedding.ts";
import type { Filter, FilterInput } from "./filter.ts";
import type { JsonValue, Metadata } from "./metadata.ts";
import type { Scope } from "./scope.ts";

/**
 * How the text of a lexical query is read. `"literal"`: as words, with nothing in it that could fail to parse. `"lucene"`: any of its words, `+word` needed,
 * `-word` excluded, `"words next to one another"`, `begin*`, and `word~` for what is written nearly so. **Source** Embabel's search interfaces.
 *
 * @experimental
 */
export type QuerySyntax = "literal" | "lucene";

/**
 * The share of one word of the query in a score. @experimental
 *
 * @experimental
 */
export interface TermScore {
  readonly term: string;
  /** Rarity in the searched scopes; by default `ln(1 + (N - df + 0.5) / (df + 0.5))`. */
  readonly idf: number;
  /** Occurrences in the chunk's text and names. */
  readonly frequency: number;
  /** idf, times occurrences in the query, times the saturated, length-normalised frequency. */
  readonly score: number;
  /** The part of `score` that text, title and headings give by themselves, which is what counts as evidence. Absent where the file's name gives nothing. */
  readonly stated?: number;
}

/**
 * The part of a score that the name of the document gives.
 *
 * @experimental
 */
export interface NameScore {
  readonly by: "title" | "file";
  readonly terms: readonly string[];
  /** Rarity of these terms over that of all terms of the name. **Units** from 0 to 1. */
  readonly share: number;
  readonly value: number;
}

/**
 * The part of a score that a chunk's innermost heading gives: the heading's terms that the query says, and their share of its rarity.
 *
 * @experimental
 */
export type HeadingScore = Omit<NameScore, "by">;

/**
 * The terms' scores by the field that gives them. **Shape** the three add up to their sum, but for rounding.
 *
 * @experimental
 */
export interface FieldScores {
  readonly text: number;
  /** Title and headings. */
  readonly names: number;
  /** The file's name. */
  readonly file: number;
}

/**
 * A word of a query, by the term that the index knows it by. @experimental
 *
 * @experimental
 */
export interface QueryTerm {
  readonly term: string;
  readonly idf: number;
  /** Occurrences in the query, from 1; of a synonym its weight. */
  readonly count: number;
  /** Phrase of the query that the word is a synonym of; absent for words of the query. */
  readonly synonymOf?: string | undefined;
  /** Chunks of the searched scopes that have it. */
  readonly chunks: number;
  /** A word that the query does not say: the year of `FY2018`, or neighbouring words as one. It is no evidence. */
  readonly added?: "year" | "joined";
}

/**
 * A phrase of a query, and a phrase whose words are looked for as well. @experimental
 *
 * @experimental
 */
export interface SynonymRule {
  readonly from: string;
  readonly to: string;
  /** Worth of a word of `to`, where a word of the query has 1. */
  readonly weight: number;
  /** Line of the list, from 1. */
  readonly line: number;
}

/**
 * Names one chunk of one scope. @experimental
 *
 * @experimental
 */
export interface ChunkRef {
  readonly scope: Scope;
  readonly id: string;
}

/**
 * Proof of a write: the scope and the commit that holds it. A search with `after` sees that commit.
 */
export interface Receipt {
  readonly scope: Scope;
  /** As in {@link Moment}; stamps of one life can be compared. */
  readonly life: string;
  readonly stamp: number;
}

/**
 * One state of some scopes. A store may attach to it what reading that state needs. @experimental
 *
 * @experimental
 */
export interface Moment {
  /** A scope that holds nothing is absent. A new `life` says: rebuild what was derived from the scope. */
  readonly stamps: ReadonlyMap<Scope, { readonly stamp: number; readonly life: string }>;
}

/**
 * The query in one embedding version, for the scopes that are searched by it. @experimental
 *
 * @experimental
 */
export interface QueryEmbedding {
  readonly embedding: Embedding;
  readonly version: EmbeddingVersion;
  readonly scopes: readonly Scope[];
  /** Whether closeness means a like meaning, or only a like form. Default `"meaning"`. */
  readonly similarity?: "meaning" | "form" | undefined;
  /** Default: the store's own. */
  readonly metric?: Metric | undefined;
}

/**
 * A query, prepared once and given to every leg. @experimental
 *
 * @experimental
 */
export interface Query {
  /** The caller's words, unchanged. */
  readonly question: string;
  /** The words to look for: in literal syntax without function words. */
  readonly text: string;
  readonly syntax: QuerySyntax;
  /** One entry per embedding version in use. Empty without an embedding model. */
  readonly embeddings: readonly QueryEmbedding[];
  /** Rules whose words the lexical leg adds. Absent: none. */
  readonly synonyms?: readonly SynonymRule[] | undefined;
  readonly pattern?: { readonly source: string; readonly ignoreCase: boolean } | undefined;
  /** Options for an engine of the author's own, as the caller gave them. */
  readonly storeOptions?: JsonValue | undefined;
}

/**
 * Filter, origins and prefixes of uris as one test, compiled once per search. Engines read `filter`; the core calls `admits`. @experimental
 *
 * @experimental
 */
export interface Restriction {
  /** Restrictions with the same key admit the same chunks. */
  readonly key: string;
  readonly filter?: Filter | undefined;
  /** `[]` admits nothing. */
  readonly origins?: readonly Origin[] | undefined;
  /** Prefixes, one of which the uri of a chunk's document has; one with U+0000 behind it is a whole uri. `[]` admits nothing. */
  readonly under?: readonly string[] | undefined;
  /** Without a uri, `under` is left out. */
  admits(facts: { readonly metadata: Metadata; readonly origin: Origin; readonly uri?: string | undefined }): boolean;
}

/** A chunk that a leg found. */
export interface FoundRef extends ChunkRef {
  /** As in {@link LegMatch.revision}. */
  readonly revision?: number | undefined;
}

/**
 * Bounds of a leg's result. The gate has checked `scopes`; a leg never widens them. @experimental
 *
 * @experimental
 */
export interface Within {
  readonly scopes: readonly Scope[];
  /** Evaluated before ranking, so that a filter never starves a result. */
  readonly restriction?: Restriction | undefined;
  /** Score exactly these chunks and no others. Fusion completes scores with it. `[]` matches nothing. A leg of {@link LegCapabilities.rows} finds one whose id is `""` by its revision. */
  readonly only?: readonly FoundRef[] | undefined;
  /** Matches may come with `""` for their ids. A leg without {@link LegCapabilities.rows} ignores it. */
  readonly unnamed?: true | undefined;
  /** In place of a search: matches of these revisions with their ids, in no order, and without those that are gone. Their scores say nothing. */
  readonly naming?: readonly number[] | undefined;
  /** Inclusive threshold on `score`. */
  readonly minScore?: number | undefined;
  /** Keeps bounds of the scores of further chunks, for {@link Within.together}, until {@link LegResult.forget}. A leg that keeps none ignores it. */
  readonly keep?: true | undefined;
  /** In place of a search: gives chunks by the bounds that it kept, where they may count in the sum of all legs. Chunks that it gave already are left out. */
  readonly together?: TogetherBound | undefined;
  /** The state that every leg of one search sees. External engines ignore it. */
  readonly moment: Moment;
  readonly signal?: AbortSignal | undefined;
}

/** The least that a chunk needs in the sum of all legs. */
export interface TogetherBound {
  /** A chunk that gives less in sum may be left out. */
  readonly least: number;
  /** So may one that gives less than so many others. */
  readonly wanted: number;
  /** So may one that scores less in this leg: with the most that others give, it gives less in sum. */
  readonly leastScore: number;
  /** The part that a leg gives by a score. **Shape** a higher score gives no less. */
  part(this: void, leg: string, score: number): number;
  /** The other legs, and the most that each gives to a chunk whose score in it is not known. */
  readonly others: readonly { readonly leg: string; readonly most: number }[];
}

/**
 * Why a leg matched a chunk. @experimental
 *
 * @experimental
 */
export type Why =
  /** `terms` in the query's order. Their scores, then `name`, `document` and `heading` add up to the match's score. */
  | {
      readonly kind: "terms";
      readonly terms: readonly TermScore[];
      /** The document's name: which one, its terms that the query says, and their share of its rarity. */
      readonly name?: NameScore | undefined;
      /** BM25 over the whole document, weighed. */
      readonly document?: number | undefined;
      readonly heading?: HeadingScore | undefined;
      readonly fields?: FieldScores | undefined;
    }
  /** `rawScore` is the metric's own value: for `euclidean` the distance. */
  | { readonly kind: "vector"; readonly rawScore: number; readonly metric: Metric }
  /** Where a pattern matched, as positions in the document, ascending and apart. */
  | { readonly kind: "ranges"; readonly ranges: readonly { readonly start: number; readonly end: number }[] }
  | { readonly kind: "other"; readonly details: JsonValue };

/**
 * One chunk that a leg found. It carries no text. @experimental
 *
 * @experimental
 */
export interface LegMatch extends ChunkRef {
  /** Higher is better. Never NaN. */
  readonly score: number;
  /** Changes whenever the chunk is replaced. A chunk that is read later under another revision is dropped, and the search runs again. */
  readonly revision: number;
  readonly why: Why;
}

/**
 * How scores of a leg compare with those of other legs, for one query. @experimental
 *
 * @experimental
 */
export interface Calibration {
  /** `absolute` fusion adds `weight * max(0, score) / scale`; a scale of 0 gives 0. */
  readonly weight: number;
  readonly scale: number;
  /** `weighted` and `halves` use `score / (score + half)`; without `half`, the score itself. */
  readonly half?: number | undefined;
  /** A chunk that no other leg found needs at least this score. */
  readonly aloneAbove?: number | undefined;
}

/** Bounds of the scores that a leg gives to some chunks, by their places. */
export interface ScoreBounds {
  /** The most. `-Infinity` for a chunk that surely does not match, `Infinity` for one that the leg does not know. */
  readonly most: ArrayLike<number>;
  /** The least. `-Infinity` for a chunk that may not match, or of which nothing is known. A leg whose matches all score above 0 may say 0 for one that does not match. */
  readonly least: ArrayLike<number>;
}

/**
 * Matches of one leg, and how to read their scores. @experimental
 *
 * @experimental
 */
export interface LegResult {
  /** Best first; equal scores by uri, start, scope and id, by code point. At least `k` where there are so many; a leg that has more at hand may give more. */
  readonly matches: readonly LegMatch[];
  /** No further chunk matches. */
  readonly complete: boolean;
  /** No chunk outside `matches` scores higher than the last match. False for approximate engines. */
  readonly exact: boolean;
  readonly calibration: Calibration;
  /** The least score of which the leg kept all chunks, for {@link Within.together}; absent where it kept none. */
  readonly kept?: number | undefined;
  /** Bounds of the scores of these chunks. `undefined` where they are gone; absent where the leg kept none. */
  readonly bounds?: ((chunks: readonly FoundRef[]) => ScoreBounds | undefined) | undefined;
  /** Forgets the bounds that the leg kept; absent where it kept none. */
  readonly forget?: (() => void) | undefined;
  /** The leg saw a later state than `within.moment`. The search runs again in a new session. */
  readonly stale?: boolean | undefined;
  /** The distinct words of the query with their rarity, words that no chunk has included. */
  readonly terms?: readonly QueryTerm[] | undefined;
  /** How the store's own model sees the query. **Units** `energy`: the captured share of the query, from 0 to 1. */
  readonly latent?:
    | { readonly fitted: boolean; readonly energy: number; readonly version: EmbeddingVersion }
    | undefined;
}

/**
 * How many matches a leg gives: at least so many, or all. @experimental
 *
 * @experimental
 */
export type MatchCount = number | "all";

/**
 * One way of searching: lexical, dense, latent, pattern, or an external engine.
 *
 * **Errors** `search` throws `aborted`, `store-failed`, and `invalid-argument` or `invalid-regex` for a query that does not parse.
 * @experimental
 */
export interface Leg {
  /** `lexical`, `dense`, `latent`, `pattern`, or a name of your own. Unique within a store. */
  readonly name: string;
  readonly capabilities: LegCapabilities;
  /** Whether this leg can answer the query: a dense leg needs an embedding, a pattern leg a pattern. */
  accepts(query: Query): boolean;
  search(query: Query, k: MatchCount, within: Within): Promise<LegResult>;
}

/**
 * Promises of a leg. @experimental
 *
 * @experimental
 */
export interface LegCapabilities {
  /** `min(k, matches)` chunks with true scores. False: candidates may be missed. */
  readonly exact: boolean;
  /** Filter operators that the leg evaluates itself before ranking. `"all"`: the whole filter language. The core checks others on candidates. */
  readonly filters: "all" | "none" | readonly Filter["op"][];
  /** Evaluates `Restriction.under` itself before ranking. Absent: the core checks candidates. */
  readonly under?: true | undefined;
  /** When a write is searchable: with the commit, on demand (a search `after` a receipt waits), or later (`after` is refused with `unsupported`). */
  readonly visibility: "commit" | "waits" | "later";
  /** Honours `within.only`. Without it only `rrf` fusion is offered. */
  readonly scoresGivenChunks: boolean;
  /**
   * Legs with the same name here give the same chunk the same revision, and no other chunk. They honour `within.unnamed` and `within.naming`. So a fusion by rank reads ids of
   * the first chunks alone. Absent: a fusion compares scopes and ids.
   */
  readonly rows?: string | undefined;
  /**
   * Ids and vectors are fetched from afar, so that a fusion by score asks for few of them, and for all in one turn. It counts beside `rows` alone. Absent: they are at
   * hand.
   */
  readonly isAfar?: true | undefined;
}

/**
 * Options of `readChunks`: the parts to read beside a chunk. @experimental
 *
 * @experimental
 */
export interface ReadChunksOptions {
  /** Default false. */
  readonly embeddings?: boolean | undefined;
  /** Whether to count the chunks of each document. Default false. */
  readonly totals?: boolean | undefined;
  /** Whether to name the other chunks of the session's scopes that have the same text. Default false. */
  readonly copies?: boolean | undefined;
}

/**
 * Another chunk with the text of one that was read, white space aside. @experimental
 *
 * @experimental
 */
export interface ChunkCopy extends ChunkRef {
  readonly documentId: string;
  readonly uri: string;
  readonly start: number;
  readonly end: number;
  readonly metadata: Metadata;
  readonly origin: Origin;
}

/**
 * A chunk that was read by its reference. @experimental
 *
 * @experimental
 */
export interface ReadChunk {
  readonly chunk: Chunk;
  /** As in {@link LegMatch.revision}. */
  readonly revision: number;
  /** The language that the chunk is indexed in, where the chunk names none; `""` when unknown. Absent from stores that do not keep it. */
  readonly language?: string | undefined;
  /** Where the document came from, as in {@link DocumentSummary}. Absent from stores that keep no folder. */
  readonly rootLabel?: string | undefined;
  readonly path?: string | undefined;
  /** Live chunks of its document, in the same state. Only when asked for; absent from stores that count by `chunkCounts` alone. */
  readonly total?: number | undefined;
  /** Only when asked for; ascending by version. */
  readonly embeddings?: readonly VersionedEmbedding[] | undefined;
  /**
   * Only when asked for, in no order. A store that keeps a key of each text gives them for every chunk, an empty list where there are none. Other stores
   * leave them out, and the chunks that were read are compared by text. **Cost** one look-up; no text is read.
   */
  readonly copies?: readonly ChunkCopy[] | undefined;
  /** The scope is in a later state than the session's moment. The search runs again in a new session. */
  readonly stale?: boolean | undefined;
}

/**
 * The newest state that there is when a call begins.
 *
 * @experimental
 */
export type Consistency = "latest";

/**
 * Options of a session. @experimental
 *
 * @experimental
 */
export interface SessionOptions {
  /** The session's moment holds these commits. */
  readonly after?: readonly Receipt[] | undefined;
  /** How old a state may be that a store with copies answers from. **Units** milliseconds. Default: the store's own choice. */
  readonly atMostMs?: number | undefined;
  /** As `atMostMs: 0`. **Errors** `invalid-argument` beside another one. */
  readonly consistency?: Consistency | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One search of a store: one proof check, one moment. @experimental
 *
 * @experimental
 */
export interface StoreSession {
  readonly scopes: readonly Scope[];
  readonly moment: Moment;
  /** In the order of their parts in a fused score. */
  readonly legs: readonly SessionLeg[];
  /** Compiles a filter, origins and prefixes of uris for `search`; `undefined` when there is none. **Errors** `invalid-filter`. */
  restrict(filter?: FilterInput, origins?: readonly Origin[], under?: readonly string[]): Restriction | undefined;
  /**
   * Chunks in the order of `refs`; `undefined` where one is gone, or lies outside the session's scopes.
   *
   * **Cost** the bytes of the slices, never of whole documents.
   */
  readChunks(refs: readonly ChunkRef[], options?: ReadChunksOptions): Promise<readonly (ReadChunk | undefined)[]>;
  /**
   * Runs `work` in one transaction: everything that it searches and reads is of one state, which may be later than the session's moment.
   *
   * **Shape** `work` is synchronous, and may run again. `undefined` where a leg or the reading is none of the store's own. Absent from stores without transactions.
   * **Cost** holds up this thread until `work` is done.
   */
  atOnce?<Result>(work: (now: SessionNow) => Result): Promise<Result | undefined>;
}

/**
 * A session inside one transaction: the same calls, whose results are there at once. @experimental
 *
 * @experimental
 */
export interface SessionNow {
  readonly legs: readonly LegNow[];
  readChunks(this: void, refs: readonly ChunkRef[], options?: ReadChunksOptions): readonly (ReadChunk | undefined)[];
}

/**
 * A leg inside one transaction. @experimental
 *
 * @experimental
 */
export interface LegNow extends Pick<Leg, "name" | "capabilities" | "accepts"> {
  search(query: Query, k: MatchCount, within?: Omit<Within, "scopes" | "moment">): LegResult;
}

/**
 * A leg within a session: scopes and moment are the session's. @experimental
 *
 * @experimental
 */
export interface SessionLeg extends Pick<Leg, "name" | "capabilities" | "accepts"> {
  search(query: Query, k: MatchCount, within?: Omit<Within, "scopes" | "moment">): Promise<LegResult>;
}
