import type { Analyzer } from "../../contracts/analyzer.ts";
import type { ChatModel, Prices } from "../../contracts/chat.ts";
import type { ChunkTransformer, CustomChunker } from "../../contracts/chunker.ts";
import type { EmbeddingCache, EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { EventRetention, EventStore } from "../../contracts/event-store.ts";
import type { Store } from "../../contracts/store.ts";
import type { MediaTypeHandler } from "../../contracts/media-type-handler.ts";
import type { CustomReader, ReadLimits } from "../../contracts/reader.ts";
import type { Reranker, Retriever, WrapRetriever } from "../../contracts/retriever.ts";
import type { AccessPolicy } from "../../contracts/scope.ts";
import type { Telemetry } from "../../contracts/telemetry.ts";
import type { Tracer } from "../../contracts/tracer.ts";
import type { Bm25Options } from "../../engine/bm25/bm25-settings.ts";
import { checkReadLimits } from "../../readers/read-limits.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { decideRetention } from "../../stores/memory/check-events.ts";
import type { SnapshotOptions } from "../../stores/snapshot/snapshot-options.ts";

/** Models of a knowledge base. A runtime decides in which forms it takes them. */
export interface OpenModels<Chat = ChatModel, Embedding = EmbeddingModel, Ranking = Reranker> {
  /** Embedding model. Default: the store's own, which is fitted on the stored chunks and needs no key and no download. `null`: words alone. */
  readonly embedding?: Embedding | null | undefined;
  /**
   * Embedding models that were used before. A scope with vectors of one of them is searched by it until the scope is re-embedded; new chunks get vectors
   * of both models. Default: none, so such a scope is searched by words.
   */
  readonly formerEmbeddings?: readonly Embedding[] | undefined;
  /** Chat model that writes answers. Default: none; an answer consists of sentences of the documents. */
  readonly chat?: Chat | undefined;
  /** Chat model that compares an answer with its citations and decides whether it is grounded. Default: none; words decide. */
  readonly judge?: Chat | undefined;
  /** Reranker. `"proximity"` ranks chunks higher that have the query's words close together, and needs no model. Default: none. */
  readonly reranker?: Ranking | "proximity" | undefined;
  /** Prices by `provider/model`; summaries and answers then report costs. Default: none. */
  readonly prices?: Prices | undefined;
  /** Cache of embeddings. Default: the 10,000 most recent, in memory. */
  readonly cache?: EmbeddingCache | undefined;
  /** Size of requests to the embedding model. */
  readonly batch?: OpenBatch | undefined;
}

/** Size of requests to the embedding model. */
export interface OpenBatch {
  /** Most texts in one request. Default 128, or the model's own limit where that is smaller. */
  readonly texts?: number | undefined;
  /** Most estimated tokens in one request; a longer text travels alone. Default 100,000. */
  readonly tokens?: number | undefined;
  /** Most requests at one time. Default 4. */
  readonly concurrency?: number | undefined;
}

/** How files become documents. */
export interface OpenReading {
  /** Handlers are asked before any reader and turn data of one media type straight into chunks. */
  readonly handlers?: readonly MediaTypeHandler[] | undefined;
  /** Limits for one file. Default: `defaultReadLimits`. */
  readonly limits?: Partial<ReadLimits> | undefined;
}

/** How chunks are indexed and found. */
export interface OpenSearch {
  /** Analyzer of words. Default: languages are recognised and words are stemmed where the runtime can; see `languageAnalyzer`. */
  readonly analyzer?: Analyzer | undefined;
  /** Weights of words. Default: BM25F. */
  readonly bm25?: Bm25Options | undefined;
  /** A retriever in place of the built-in one, or a function that wraps it: `(base, { documents }) => mergeAdjacent(base, { documents })`. */
  readonly retriever?: Retriever | WrapRetriever | undefined;
}

/** Who is notified of searches, writes and failures. */
export interface OpenOperations {
  /**
   * Store of events: your own, or one that is made with the given retention. Default: beside a durable knowledge base, for a week and 100,000 events at
   * most; none in memory. `false`: none. Events are written in the background, so a `kill -9` can lose those of the last second.
   */
  readonly events?: boolean | EventStore | EventRetention | undefined;
  /** Receiver of spans and events as they happen; see `createOpenTelemetry`. */
  readonly telemetry?: Telemetry | undefined;
  /** Receiver of one trace per search. */
  readonly tracer?: Tracer | undefined;
}

/** Options of `openKnowledgeBase` on any runtime. Everything has a default. */
export interface OpenOptions {
  /** Store that keeps everything, in place of one that is made for the location. The knowledge base closes it; relative paths still follow the location. */
  readonly store?: Store | undefined;
  /** Models for embeddings, answers and ranking. */
  readonly models?: OpenModels | undefined;
  /** Readers that are asked before the built-in ones. */
  readonly readers?: readonly CustomReader[] | undefined;
  /** How files become documents. */
  readonly reading?: OpenReading | undefined;
  /** Chunker. Default: `createAutoChunker()`, which cuts sheets between rows and other documents along sections: 1,000 characters, 125 overlap. */
  readonly chunker?: CustomChunker | undefined;
  /** Transformers of chunks, in order. Default: none. */
  readonly transformers?: readonly ChunkTransformer[] | undefined;
  /** How chunks are indexed and found. */
  readonly search?: OpenSearch | undefined;
  /** Shared scopes that callers may read. Default: deployment, not platform. */
  readonly access?: AccessPolicy | undefined;
  /** Listeners for searches, writes and failures. */
  readonly operations?: OpenOperations | undefined;
  /** Place where a knowledge base in memory is kept; see `openSnapshotStore`. Default: none. */
  readonly snapshots?: SnapshotOptions | undefined;
}

/** Names of all options of `Options`: TypeScript reports one that is missing or too many. */
type Names<Options> = Readonly<Record<keyof Options, true>>;

const options: Names<OpenOptions> = {
  store: true,
  models: true,
  readers: true,
  reading: true,
  chunker: true,
  transformers: true,
  search: true,
  access: true,
  operations: true,
  snapshots: true,
};
const models: Names<OpenModels> = {
  embedding: true,
  formerEmbeddings: true,
  chat: true,
  judge: true,
  reranker: true,
  prices: true,
  cache: true,
  batch: true,
};
const batch: Names<OpenBatch> = { texts: true, tokens: true, concurrency: true };
const reading: Names<OpenReading> = { handlers: true, limits: true };
const search: Names<OpenSearch> = { analyzer: true, bm25: true, retriever: true };
const operations: Names<OpenOperations> = { events: true, telemetry: true, tracer: true };

/** Option of a flat list, to its place in a group. */
const places: Readonly<Record<string, string>> = {
  embeddingModel: "models.embedding",
  formerEmbeddingModels: "models.formerEmbeddings",
  model: "models.chat",
  chatModel: "models.chat",
  judge: "models.judge",
  reranker: "models.reranker",
  prices: "models.prices",
  embeddingCache: "models.cache",
  embedding: "models.batch",
  handlers: "reading.handlers",
  limits: "reading.limits",
  readInWorker: "reading.worker",
  maxFileBytes: "sources.maxFileBytes",
  allowAddress: "sources.allowAddress",
  analyzer: "search.analyzer",
  bm25: "search.bm25",
  retriever: "search.retriever",
  events: "operations.events",
  telemetry: "operations.telemetry",
  tracer: "operations.tracer",
};

/**
 * Checks options by name, in every group; `own` has the names that only one runtime knows.
 *
 * **Errors** `invalid-argument` for an unknown name; the hint of an option that stands in a group names the group.
 */
export function checkOpenOptions(
  given: OpenOptions,
  own: { readonly options?: readonly string[]; readonly reading?: readonly string[] } = {},
): void {
  const known = [...Object.keys(options), ...(own.options ?? [])];
  const moved = Object.keys(Object(given)).find((name) => !known.includes(name) && Object.hasOwn(places, name));
  if (moved !== undefined) {
    const [group, name] = places[moved]!.split(".");
    throw new IbidError("invalid-argument", `openKnowledgeBase has no option "${moved}".`, {
      hint: `Write ${group}: { ${name}: … }. Known options: ${known.join(", ")}.`,
    });
  }
  checkOptions("openKnowledgeBase", given, known);
  checkOptions("models", given.models, Object.keys(models));
  checkOptions("models.batch", given.models?.batch, Object.keys(batch));
  checkOptions("reading", given.reading, [...Object.keys(reading), ...(own.reading ?? [])]);
  checkOptions("search", given.search, Object.keys(search));
  checkOptions("access", given.access, ["platform", "deployment"]);
  checkOptions("operations", given.operations, Object.keys(operations));
  checkReadLimits(given.reading?.limits);
  checkEvents(given.operations?.events);
}

/** **Errors** `invalid-argument` unless the value is a boolean, a store of events or a retention. */
function checkEvents(events: OpenOperations["events"]): void {
  if (events === undefined || typeof events === "boolean") return;
  if (typeof events !== "object") {
    throw new IbidError("invalid-argument", `operations.events is ${String(events)}.`, {
      hint: "Give true, false, a retention such as { maxEvents: 1000 }, or an event store.",
    });
  }
  if ("append" in events) return;
  checkOptions("operations.events", events, ["maxAgeMs", "maxEvents"]);
  decideRetention(events);
}

/** Sorts the arguments of `openKnowledgeBase`. **Errors** `invalid-argument` for options in both places. */
export function readOpenArguments<Options extends object>(
  first: string | Options | undefined,
  second: Options | undefined,
): { readonly location: string | undefined; readonly options: Options } {
  if (typeof first !== "object" || first === null) return { location: first, options: second ?? ({} as Options) };
  if (second === undefined) return { location: undefined, options: first };
  throw new IbidError("invalid-argument", "openKnowledgeBase got options twice.", {
    hint: "Call openKnowledgeBase(location, options) or openKnowledgeBase(options).",
  });
}
