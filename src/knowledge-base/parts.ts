import type { Caller, Gate } from "../access/gate.ts";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { RecordCollection } from "../contracts/collection.ts";
import type { ChatModel } from "../contracts/chat.ts";
import type { Metric } from "../contracts/embedding.ts";
import type { Embedder, EmbeddingModel } from "../contracts/embedding-model.ts";
import type { Engine } from "../contracts/engine.ts";
import type { EventStore } from "../contracts/event-store.ts";
import type { IngestResult, IngestSummary, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { SynonymRule } from "../contracts/leg.ts";
import type {
  Reranker,
  RetrieveOptions,
  Retriever,
  SearchMode,
  SearchWarning,
  WrapRetriever,
} from "../contracts/retriever.ts";
import type {
  AccessContext,
  AccessPolicy,
  AuthorizedScopes,
  Scope,
  ScopeStrategy,
  SystemAuthority,
} from "../contracts/scope.ts";
import type { Store } from "../contracts/store.ts";
import type { Telemetry } from "../contracts/telemetry.ts";
import type { Tracer } from "../contracts/tracer.ts";
import type { AnswerLimits } from "../models/limit-answers.ts";
import type { IngestStages } from "../ingest/stages.ts";
import type { OpenSource } from "../ingest/to-arrivals.ts";
import type { Observer } from "./operations/observer.ts";
import type { Settler } from "./settle-later.ts";

/** Parts of a knowledge base, chosen by the composition root. */
export interface KnowledgeBaseParts extends IngestStages {
  readonly analyzer: Analyzer;
  /** Makes an embedder of a model that a collection brings. Default: checks and batches, without a cache. */
  readonly embed?: ((model: EmbeddingModel) => Embedder | Promise<Embedder>) | undefined;
  /** Whether bytes of pictures, recordings or files may be kept. */
  readonly holdsMedia?: (() => boolean) | undefined;
  /** Whether searches by words alone were asked for, so that vectors of other models need no warning. Default false. */
  readonly wordsAlone?: boolean | undefined;
  /** Default: the built-in retriever over the store, the embedder and the reranker. A function wraps that one. */
  readonly retriever?: Retriever | WrapRetriever | undefined;
  /** Rules whose words a search adds. Default: none. */
  readonly synonyms?: readonly SynonymRule[] | undefined;
  /** Metric of searches by vector. Default: the store's own. */
  readonly metric?: Metric | undefined;
  /** Hash by which traces name queries. Default `"keyed"`. */
  readonly queryHash?: "keyed" | "sha256" | undefined;
  /** Names of documents in events. Default `"keyed"`. */
  readonly documentIds?: "keyed" | "plain" | undefined;
  readonly reranker?: Reranker | "proximity" | undefined;
  readonly chatModel?: ChatModel | undefined;
  readonly judge?: ChatModel | undefined;
  /** Limits of a judge that one call brings. The other models have theirs already. */
  readonly answerLimits?: AnswerLimits | undefined;
  /** Finds the name by which a model can be opened again: the folder's record may have it with an address. Default: `provider/model`. */
  readonly findName?: ((model: string) => Promise<string | undefined>) | undefined;
  readonly tracer?: Tracer | undefined;
  readonly telemetry?: Telemetry | undefined;
  /** Store of events. Default: none. */
  readonly events?: EventStore | undefined;
  readonly access?: AccessPolicy | undefined;
  readonly openSource?: OpenSource | undefined;
  /** Turns a path into the uri of its document. Default: unchanged. */
  readonly resolveUri?: ((uri: string) => string) | undefined;
  /** The engine under the store, which keeps collections itself where they ask for it. Default: none. */
  readonly engine?: Engine | undefined;
  /** Closes the readers, with the knowledge base. */
  readonly closeReaders?: (() => Promise<void>) | undefined;
  /** Closes the store of events, after its last event. */
  readonly closeEvents?: (() => Promise<void>) | undefined;
}

/** Parts that all views of a knowledge base share. The composition root makes each of them once. */
export interface SharedParts extends KnowledgeBaseParts {
  readonly gate: Gate;
  readonly authority: SystemAuthority;
  readonly observer: Observer;
  readonly settler: Settler;
  readonly modelCheck: ModelCheck;
  /** The store of the present, where these are the parts of a view of the past. */
  readonly present?: Store;
  /** The store as searches see it. */
  readonly searched: Store;
  /** Stages of an ingestion whose writes are timed. */
  readonly watched: IngestStages;
  /** Scopes that a re-embedding is at work on here. */
  readonly reembedded: Set<Scope>;
  /** Makes an embedder of a collection's own model. */
  readonly embedOwn: (model: EmbeddingModel) => Promise<Embedder>;
  /** **Errors** `store-closed` after `close`. */
  readonly checkOpen: () => void;
  readonly close: KnowledgeBase["close"];
}

/** Compares the models of stored vectors with those that the knowledge base is open with. */
export interface ModelCheck {
  /** One warning for each stored model that no configured one matches. */
  warnings(scopes: AuthorizedScopes): Promise<readonly SearchWarning[]>;
  /** Warnings for a search. **Errors** `unsupported` for a dense search, which cannot see such vectors. **Cost** a status for the first hybrid search of a scope. */
  forSearch(scopes: AuthorizedScopes, mode: SearchMode): Promise<readonly SearchWarning[]>;
  /** Warnings for a search that found nothing. **Cost** a status for a dense search by the store's own model; else none. */
  forNothing(scopes: AuthorizedScopes, mode: SearchMode): Promise<readonly SearchWarning[]>;
}

/** One caller and the scopes that the gate lets them through to. */
export interface ViewScopes {
  readonly caller: Caller;
  readonly access: AccessContext | "operator";
  readonly readable: (requested?: readonly Scope[]) => Promise<AuthorizedScopes>;
  /** Scopes of a search: those that it names, else those of the view's strategy. An operator's every scope is listed in a state that is as fresh as the search asks for. */
  readonly searched: (
    scopes: readonly Scope[] | undefined,
    strategy: ScopeStrategy | undefined,
    freshness?: Freshness,
  ) => Promise<AuthorizedScopes>;
  readonly writable: (scope: Scope | undefined) => Promise<readonly AuthorizedScopes<"write">[]>;
}

/** The state that a search asks for. */
export type Freshness = Pick<RetrieveOptions, "after" | "atMostMs" | "consistency">;

/** A request about the past. */
export interface PastRequest {
  /** ISO 8601. */
  readonly asOf: string;
  /** Scopes of the request. Default: all that the caller may read. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Refused: they speak of the newest state. */
  readonly after?: unknown;
  readonly atMostMs?: unknown;
  readonly consistency?: unknown;
}

/** The view of the same caller over the knowledge base as it was. */
export type OpenPast = (request: PastRequest) => Promise<KnowledgeBase>;

/** The parts that the verbs about documents and about keeping use. */
export interface KeepingParts {
  readonly store: Store;
  readonly gate: Gate;
  readonly caller: Caller;
  readonly authority: SystemAuthority;
  readonly readable: (requested?: readonly Scope[]) => Promise<AuthorizedScopes>;
  readonly resolveUri: ((uri: string) => string) | undefined;
  readonly embedder: Embedder | undefined;
  readonly isReembedding: (scope: Scope) => boolean;
  readonly modelCheck: ModelCheck;
  readonly past: OpenPast;
}

/** A collection of any schema: fields are names. */
export type AnyCollection = RecordCollection<unknown, Record<string, unknown>, string, string>;

/** A scope that is written, with the proofs of it. */
export interface RecordTarget {
  readonly scope: Scope;
  readonly into: AuthorizedScopes<"write">;
  readonly from: AuthorizedScopes;
}

/** The parts of one caller's view that collections use. */
export interface CollectionParts {
  readonly store: Store;
  readonly stages: IngestStages;
  readonly gate: Gate;
  readonly caller: Caller;
  readonly authority: SystemAuthority;
  readonly readable: (requested?: readonly Scope[]) => Promise<AuthorizedScopes>;
  readonly deleteDocument: KnowledgeBase["delete"];
  /** The view's own retriever. */
  readonly retriever: Retriever;
  /** One that searches by an embedder of a collection's own, or by another metric. */
  readonly retrieverBy: (embedder?: Embedder, metric?: Metric) => Retriever;
  /** A model, with what is around every model of the knowledge base. */
  readonly embed: (model: Embedder["model"]) => Promise<Embedder>;
  readonly watch: (
    scope: Scope,
    run: AsyncGenerator<IngestResult, IngestSummary>,
  ) => AsyncGenerator<IngestResult, IngestSummary>;
  readonly settleLater: () => void;
  readonly metric?: Metric | undefined;
  readonly engine?: Engine | undefined;
}
