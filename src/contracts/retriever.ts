import type { Store } from "./store.ts";
import type { Analyzer } from "./analyzer.ts";
import type { ChatModel, OnUsage } from "./chat.ts";
import type { ChunkStructure } from "./chunk.ts";
import type { Origin, PlaceLabels } from "./document.ts";
import type { Embedding } from "./embedding.ts";
import type { IbidErrorCode } from "./errors.ts";
import type { FilterInput } from "./filter.ts";
import type {
  Consistency,
  FieldScores,
  HeadingScore,
  NameScore,
  QuerySyntax,
  QueryTerm,
  Receipt,
  TermScore,
} from "./leg.ts";
import type { JsonValue, Metadata } from "./metadata.ts";
import type { AuthorizedScopes, Scope, ScopeStrategy } from "./scope.ts";

/** The legs that search. **Source** ToolUp `MergeStrategy`, Embabel's search interfaces. */
export type SearchMode = "hybrid" | "dense" | "lexical" | "regex";

/** How the legs of a hybrid search become one ranking; `src/search/fusions.ts` has the formulas. `halves` is Embabel's. */
export type FusionName = "best" | "absolute" | "weighted" | "halves" | "rrf";

/**
 * Weights by a leg's name: `{ lexical: 0.6, dense: 0.4 }`.
 *
 * @experimental
 */
export type FusionWeights = Readonly<Record<string, number>>;

/**
 * A fusion with its constants.
 *
 * @experimental
 */
export interface FusionSettings {
  readonly name: FusionName;
  /** From 0; a leg that is not named keeps the fusion's own weight. Names: `lexical`, `dense`, `latent`, `pattern`, or a leg of your own. */
  readonly weights?: FusionWeights | undefined;
  /** The BM25 score that `halves` reads as one half. Default 3, Embabel's; 20 measured best. */
  readonly half?: number | undefined;
}

/**
 * Options of a retrieval; each has a default. `searchOptions` of `ibid/search` holds the same options as a table.
 *
 * @experimental
 */
export interface RetrieveOptions {
  /** Words that the lexical leg looks for in place of the query, which the other legs search. Default: the query's own. **Source** Semantic Kernel's hybrid search. */
  readonly keywords?: readonly string[] | undefined;
  /** Options that one store alone knows; its legs receive them as they are. Default: none. **Source** Semantic Kernel's `AdditionalProperty`. */
  readonly storeOptions?: JsonValue | undefined;
  /** Number of hits. `"all"` for every match. Default 5. */
  readonly topK?: number | "all" | undefined;
  /** Legs that search. Default `"hybrid"`; `"lexical"` for a query in Lucene's syntax, which no other mode takes. */
  readonly mode?: SearchMode | undefined;
  /** Syntax of the query. Default `"literal"`. */
  readonly syntax?: QuerySyntax | undefined;
  /** Only chunks whose metadata match. */
  readonly filter?: FilterInput | undefined;
  /**
   * Inclusive threshold of the dense leg. Default: none; a hybrid search with a model that sees form only needs .25 of a chunk that no word matches, because
   * less is chance.
   */
  readonly minScore?: number | undefined;
  /**
   * Inclusive threshold of the fused score, or of the one leg that searches. Default: none. A hybrid search needs a named fusion whose scores compare
   * between queries.
   *
   * **Errors** `invalid-argument` under the fusion `best`, which is the default.
   */
  readonly minFusedScore?: number | undefined;
  /**
   * Regular expression beside the query, as a further leg of a hybrid search: its matches rank higher, and are hits without the other legs.
   * To search by a pattern alone, give it as the query, with `mode: "regex"`.
   */
  readonly pattern?: string | undefined;
  /** Whether a pattern treats capitals and small letters alike. Default false. */
  readonly ignoreCase?: boolean | undefined;
  /** Only documents whose uri has this prefix, or one of several: a folder. It holds before ranking, as `filter` does. Default: all. */
  readonly under?: string | readonly string[] | undefined;
  /** Only the documents of these uris, whole. With `under`, those of them that have its prefix. It holds before ranking, as `filter` does. Default: all; `[]` matches nothing. */
  readonly uris?: readonly string[] | undefined;
  /** Only chunks of these origins. Default: all. */
  readonly origins?: readonly Origin[] | undefined;
  /** Fusion of the legs: a name, or a name with its constants. Default `best`; `rrf` where a leg cannot score given chunks. */
  readonly fusion?: FusionName | FusionSettings | undefined;
  /** Weights of the fusion, where `fusion` is a name or is left out. */
  readonly weights?: FusionWeights | undefined;
  /** Whether the configured reranker orders the hits. Default true. */
  readonly rerank?: boolean | undefined;
  /** Characters of `snippet`; 0 for none, which is faster with many hits. Default 240. `text` is never cut. */
  readonly snippetLength?: number | undefined;
  /**
   * Chunks with the same text: the first of the ranking with a count and places of the others, or all. White space does not count.
   * Default `"first"`.
   */
  readonly copies?: "first" | "all" | undefined;
  /**
   * Whether hits that touch in their document are one hit with `parts`. Then `topK` counts joined hits: the first hits of the ranking are shown, as long as they
   * make at most `topK`. A larger `topK` keeps the order, and may add parts to the last ones. Default false.
   */
  readonly merge?: boolean | undefined;
  /** Whether each hit explains its score. Default false. */
  readonly explain?: boolean | undefined;
  /** Whether each hit carries its embedding. Default false. */
  readonly includeEmbeddings?: boolean | undefined;
  /** Receipts of writes that the search must see, such as `summary.receipt`. **Errors** `unsupported` where a leg of the store sees writes later. */
  readonly after?: Receipt | readonly Receipt[] | undefined;
  /**
   * How old a state may be that a store with copies, such as Postgres, answers from without asking. Other stores always answer from the newest.
   * **Units** milliseconds. Default: as the store was opened. **Errors** `store-busy` where the copy cannot catch up.
   */
  readonly atMostMs?: number | undefined;
  /**
   * `"latest"`: the answer is of the newest state that there was when the search began. Default: as the store was opened, which is the latest too unless it names
   * an `atMostMs`. **Errors** `invalid-argument` beside an `atMostMs` above 0; `store-busy` where the copy cannot catch up.
   */
  readonly consistency?: Consistency | undefined;
  /** Stops the search. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Receives the usage of each model call of the retrieval. The usage of the query's embedding goes to the operator alone: a count that the cache changes
   * would show which questions others have asked.
   */
  readonly onUsage?: OnUsage | undefined;
}

/** Options of a search: a retrieval, and its scopes. */
export interface SearchOptions extends RetrieveOptions {
  /** Only these scopes; those that the caller may not read are dropped. Default: all that the caller may read. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Chooses scopes by caller; with `scopes`, those that both name. Default: the view's own where `scopes` is not given; else `"all"`. */
  readonly strategy?: ScopeStrategy | undefined;
  /** `"document"`: the result has `groups`, the same hits by document. Default: none. */
  readonly groupBy?: "document" | undefined;
  /**
   * Searches the knowledge base as it was at this time, by the rights of today. ISO 8601. Default: the present. **Errors** as `History.at`. **Cost** the first
   * search of a state reads its chunks.
   */
  readonly asOf?: string | undefined;
  /** Whether hits of notes that hold no longer say so. Default true. **Cost** a listing for each statement among the hits. */
  readonly marks?: boolean | undefined;
  /**
   * `"unit"`: scores from 0 to 1 in every mode, in the same order. Words have `s / (s + 3)`, patterns `s / (s + 1)`; meanings below 0 have 0. Default `"own"`.
   * **Source** Embabel's normalised BM25.
   */
  readonly scores?: "own" | "unit" | undefined;
}

/**
 * The retriever that a knowledge base hands out: a caller's searches, with some options set.
 *
 * @experimental
 */
export interface HandedRetriever {
  /** As `search` of the knowledge base. Its filter narrows the one that was set, its scopes those that were set; its other options come before them. */
  retrieve(query: string, options?: SearchOptions): Promise<readonly Hit[]>;
}

/**
 * Hits of one document.
 *
 * @experimental
 */
export interface HitGroup {
  readonly scope: Scope;
  readonly documentId: string;
  readonly uri: string;
  readonly title: string;
  /** The best score of its hits. */
  readonly score: number;
  /** Best first. */
  readonly hits: readonly Hit[];
}

/**
 * A reason why a search may have found less than the knowledge base holds.
 *
 * @experimental
 */
export interface SearchWarning {
  /**
   * `unnamed-vectors`: vectors of the model from before titles and headings were embedded. Searches use them; only `status` says so.
   * `fit-set-aside`: a document of the store's own model was deleted, or the access policy changed, and the model is not made anew yet.
   * `fit-of-the-present`: the store's own model is of the present, so a search of the past goes by words and forms.
   */
  readonly code: "other-embedding-model" | "unnamed-vectors" | "fit-set-aside" | "fit-of-the-present";
  readonly message: string;
  /** The next action. */
  readonly hint: string;
  /** `provider/model` of the vectors concerned. */
  readonly model: string;
  readonly scopes: readonly Scope[];
}

/** Where a hit stands, for people and for programs. */
export interface HitSource extends PlaceLabels {
  readonly uri: string;
  /** As in {@link DocumentSummary}: the folder or host that the document came from, and its path below that. */
  readonly rootLabel?: string;
  readonly path?: string;
  readonly title: string;
  /** Outermost first; the document's root is left out. */
  readonly headings: readonly string[];
  /** UTF-16, into the document's canonical text. */
  readonly start: number;
  readonly end: number;
  /** Language of the document as a BCP 47 tag such as `en`. Absent when unknown. */
  readonly language?: string;
}

/**
 * Where the text of a hit stands once more.
 *
 * @experimental
 */
export interface HitCopy {
  readonly scope: Scope;
  readonly documentId: string;
  readonly chunkId: string;
  readonly uri: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Other chunks with the text of a hit, white space aside, that the caller may read and the filter admits.
 *
 * @experimental
 */
export interface HitCopies {
  /** From 1: the hit itself does not count. */
  readonly count: number;
  /** The first ten, by uri, start, scope and chunk id. */
  readonly places: readonly HitCopy[];
}

/**
 * A chunk of a joined hit.
 *
 * @experimental
 */
export interface HitPart extends HitCopy, PlaceLabels {
  /** Among the hits before they were joined, from 1. */
  readonly rank: number;
  readonly score: number;
  /** As in {@link HitSource}. */
  readonly headings: readonly string[];
  readonly evidence?: boolean | undefined;
  readonly copies?: HitCopies | undefined;
  readonly explain?: HitExplanation;
}

/** The end of a statement. */
export interface Replaced {
  /** ISO 8601. */
  readonly at: string;
  /** Uri of the document that stands in its place. Absent where the statement ended without one. */
  readonly by?: string | undefined;
}

/** A chunk that was found, and where it came from; with `merge`, chunks that touch. */
export interface Hit {
  /** From 1. */
  readonly rank: number;
  readonly score: number;
  readonly chunkId: string;
  readonly documentId: string;
  readonly scope: Scope;
  /** The canonical text from `source.start` to `source.end`, whole. */
  readonly text: string;
  /** The part of `text` that answers best, cut at word boundaries; for display only. Empty when none was asked for. */
  readonly snippet: string;
  readonly source: HitSource;
  /** On every hit of a knowledge base; of a retriever by itself, where it knows. */
  readonly structure?: ChunkStructure;
  readonly metadata: Metadata;
  readonly origin: Origin;
  /** When a note ended that holds no longer, and the uri of the note that replaced it. Absent for every other hit. */
  readonly replaced?: Replaced | undefined;
  /** Whether the hit counts as evidence that the question can be answered. Absent: a retriever that does not tell; it counts. */
  readonly evidence?: boolean | undefined;
  /** Where a pattern matched, in the document; absent when none was given, or it did not. */
  readonly matches?: readonly { readonly start: number; readonly end: number }[];
  /** Absent where the text stands once, and with `copies: "all"`. */
  readonly copies?: HitCopies | undefined;
  /**
   * Chunks of a joined hit, in order of `start`; absent where the hit is one chunk. The hit has the text, place, matches and evidence of all of them, and no vector.
   * Its other facts are those of the best part.
   */
  readonly parts?: readonly HitPart[] | undefined;
  readonly explain?: HitExplanation;
  /** With `includeEmbeddings`. **Shape** lists of numbers, which survive JSON. */
  readonly embedding?: Embedding;
}

/**
 * How one leg saw a hit. A leg that did not find it among its candidates is absent.
 *
 * @experimental
 */
export interface LegScore {
  /** The leg's own score, before fusion. */
  readonly score: number;
  /** Among the leg's candidates, from 1. */
  readonly rank: number;
}

/** How each leg saw a hit, by the leg's name. */
export interface LegScores {
  readonly lexical?: LegScore | undefined;
  readonly dense?: LegScore | undefined;
  /** The store's own model. */
  readonly latent?: LegScore | undefined;
  readonly pattern?: LegScore | undefined;
  /** A leg of your own. */
  readonly [leg: string]: LegScore | undefined;
}

/**
 * The store's own model and a query.
 *
 * @experimental
 */
export interface LatentExplanation {
  /** Whether it was fitted on the corpus; before that it sees how words are written. */
  readonly fitted: boolean;
  /** The share of the query that it captures, from 0 to 1. */
  readonly energy: number;
  /** Weight of its cosine in the fused score. */
  readonly weight: number;
}

/** Why a hit has the score it has. */
export interface HitExplanation {
  /** The fusion, or the one leg that searched. */
  readonly fusion: string;
  readonly legs: LegScores;
  /** Added in this order, these give the score shown (or, after a rerank, the fused score before it). */
  readonly parts: readonly { readonly name: string; readonly value: number }[];
  /** Each query term's share of the lexical leg's score; these, then `name`, `document` and `heading`, added in this order give it. */
  readonly terms: readonly TermScore[];
  /** The sum of the terms' scores. Absent when no lexical leg found the hit. */
  readonly lexical?: number;
  /** The part of the document's name. Absent where names do not count, or the query says none of it. */
  readonly name?: NameScore;
  /** The part of the whole document. Absent where it does not count. */
  readonly document?: number;
  /** The part of the innermost heading. Absent where headings do not count, or the query says none of it. */
  readonly heading?: HeadingScore;
  /** `lexical` by field. Absent for variants other than `bm25f`. */
  readonly fields?: FieldScores;
  /** The distinct terms that the query was analysed into, with their idf; those that the hit lacks included. Absent when no lexical leg searched. */
  readonly queryTerms?: readonly QueryTerm[];
  /** Absent where an embedding model searched. */
  readonly latent?: LatentExplanation;
  /** How much of what was asked the lexical leg found here, on a scale that means the same for every query. Absent like `queryTerms`. */
  readonly strength?: number;
  /** When reranked: the fused score and rank before. */
  readonly rerank?: { readonly reranker: string; readonly before: LegScore };
  /** Effects of retrievers around the first one, the innermost first. Absent when there are none. */
  readonly steps?: readonly RetrieverStep[];
}

/**
 * Effect on a hit of a retriever around another one; it has no word that a model wrote.
 *
 * @experimental
 */
export interface RetrieverStep {
  /** The function that made the retriever: `multiQuery`. */
  readonly retriever: string;
  /** Score and rank before, where it ordered anew. */
  readonly before?: LegScore;
  /** Each search that found the hit, where there are several. Query 1 is the question itself. */
  readonly searches?: readonly (LegScore & { readonly query: number })[];
  /** Other chunks that went into this hit, or gave way to it, the better first. */
  readonly chunkIds?: readonly string[];
  /** Where it stood before it was widened or narrowed. */
  readonly from?: { readonly start: number; readonly end: number };
  /** Why the model's words were not used, and the question's own were. */
  readonly fallback?: IbidErrorCode | "empty";
  /** Searches that failed while others answered, and their errors' codes. Numbers as in `searches`. */
  readonly failed?: readonly { readonly query: number; readonly code: IbidErrorCode }[];
}

/**
 * Turns a query into hits. A custom one may add ranking logic, rerank with a model, or ask several others.
 *
 * **Shape** best first, equal scores by uri, start, scope and id; nothing found is `[]`. The gate has made `scopes`.
 * **Source** Ballerina `Retriever`, ToolUp `IRetrievalPipeline`.
 */
export interface Retriever {
  retrieve(scopes: AuthorizedScopes, query: string, options?: RetrieveOptions): Promise<readonly Hit[]>;
}

/**
 * Parts for a retriever around another one.
 *
 * @experimental
 */
export interface RetrieverParts {
  /** Documents and their chunks, to look around a hit: read with the proof of the search. */
  readonly documents: Pick<Store, "document" | "chunks">;
  readonly analyzer: Analyzer;
  /** The model that writes the answers, if any. */
  readonly model?: ChatModel | undefined;
}

/**
 * Makes a retriever around the built-in one: `(base) => diversify(base)`. Called once for each view.
 *
 * @experimental
 */
export type WrapRetriever = (base: Retriever, parts: RetrieverParts) => Retriever;

/**
 * Orders candidates anew by reading them beside the query.
 *
 * **Shape** one finite score per text, in order; higher is better. The core sorts, and appends texts beyond `maxBatchSize`.
 */
export interface Reranker {
  readonly name: string;
  readonly maxBatchSize?: number;
  rerank(
    query: string,
    texts: readonly string[],
    options?: { readonly signal?: AbortSignal; readonly onUsage?: OnUsage },
  ): Promise<readonly number[]>;
}
