import { createLateAutoChunker } from "../chunkers/late-auto-chunker.ts";
import type { CorpusModel } from "../contracts/corpus-model.ts";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { ChatModel, Prices } from "../contracts/chat.ts";
import type { AsyncChunker, ChunkTransformer, Chunker } from "../contracts/chunker.ts";
import type { Embedder, EmbeddingCache, EmbeddingModel } from "../contracts/embedding-model.ts";
import type { EventRetention, EventStore } from "../contracts/event-store.ts";
import type { KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { KnowledgeStore } from "../contracts/knowledge-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { MediaTypeHandler } from "../contracts/media-type-handler.ts";
import type { Reader, ReadLimits } from "../contracts/reader.ts";
import type { Reranker, Retriever, WrapRetriever } from "../contracts/retriever.ts";
import type { AccessPolicy } from "../contracts/scope.ts";
import type { Telemetry } from "../contracts/telemetry.ts";
import type { Tracer } from "../contracts/tracer.ts";
import { checkReadLimits } from "../readers/read-limits.ts";
import type { EmbedderOptions } from "../models/embedder/create-embedder.ts";
import { latentSemanticModel } from "../engine/latent/latent-semantic-model.ts";
import type { Bm25Options } from "../engine/bm25/bm25-settings.ts";
import { decideRetention } from "../stores/guard/check-events.ts";
import { checkStore } from "../stores/compose/check-store.ts";
import { createMemoryStore } from "../stores/memory/memory-store.ts";
import type { SnapshotOptions } from "../stores/snapshot/snapshot-options.ts";
import type { StoreOptions } from "../stores/segments/store-options.ts";
import { defaultAnalyzer } from "../text/analyzer.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { createKnowledgeBase, type KnowledgeBaseParts } from "./create-knowledge-base.ts";
import type { OpenSource } from "./ingest-items.ts";

/** What can be chosen when a knowledge base is opened, on any runtime. Everything has a default. */
export interface AssembleOptions {
  /** Default: none but the store's own, which is fitted on what it holds and needs no key and no download. `null`: not even that, words alone. */
  readonly embeddingModel?: EmbeddingModel | null;
  /**
   * Models that were used before. A scope whose vectors are still of one of them is searched by it until it is re-embedded, and what comes meanwhile gets
   * vectors of both. Default: none; such a scope is then found by its words, and by what was ingested since.
   */
  readonly formerEmbeddingModels?: readonly EmbeddingModel[];
  /** Who writes the answers. Default: nobody; answers are made of the documents' own sentences. */
  readonly model?: ChatModel;
  /** Reads what the model answered beside what it cites, and decides whether the answer is grounded. Default: nobody; words decide. */
  readonly judge?: ChatModel;
  /** `"proximity"`: what has the query's words near one another ranks higher; needs no model. Default: none. */
  readonly reranker?: Reranker | "proximity";
  /** In place of the built-in retriever; or a function that makes one around it: `(base, { documents }) => mergeAdjacent(base, { documents })`. */
  readonly retriever?: Retriever | WrapRetriever;
  /** Asked before the built-in readers. */
  readonly readers?: readonly Reader[];
  /** Asked before any reader: they turn data of a media type straight into chunks. */
  readonly handlers?: readonly MediaTypeHandler[];
  /** How much one file may ask for. Default: `defaultReadLimits`. */
  readonly limits?: Partial<ReadLimits>;
  /** Default: `createAutoChunker()`: sheets by row, everything else by section, 1,000 characters, 125 overlap. */
  readonly chunker?: Chunker | AsyncChunker;
  readonly transformers?: readonly ChunkTransformer[];
  readonly analyzer?: Analyzer;
  /** How words are weighed. Default: BM25F. */
  readonly bm25?: Bm25Options;
  /** Default: the 10,000 most recent, in memory. */
  readonly embeddingCache?: EmbeddingCache;
  /** How much is sent to the embedding model at once. Default: 128 texts and 100,000 tokens a request, 4 requests at a time. */
  readonly embedding?: Pick<EmbedderOptions, "batchSize" | "maxBatchTokens" | "concurrency">;
  /** What models cost, by `provider/model`, so that summaries and answers say it. Default: nobody knows. */
  readonly prices?: Prices;
  readonly tracer?: Tracer;
  /** Told of spans and events as they happen; see `createOpenTelemetry`. */
  readonly telemetry?: Telemetry;
  /**
   * Where events are kept: a store of your own, or one that is made for you, with how much it keeps. Default: beside a durable knowledge base for a week,
   * 100,000 at most; nowhere for one in memory. `false`: nowhere. They are written in the background: a `kill -9` can take the last second's.
   */
  readonly events?: boolean | EventStore | EventRetention;
  /** Which shared scopes callers can read at all. Default: deployment, not platform. */
  readonly access?: AccessPolicy;
  /** Where a knowledge base in memory is kept; see {@link openSnapshotStore}. Default: nowhere. */
  readonly snapshots?: SnapshotOptions;
  /**
   * The store that keeps everything, in place of one that is made for the location. The knowledge base closes it. Relative paths still follow the location.
   */
  readonly store?: KnowledgeStore;
}

export const assembleOptions = [
  "embeddingModel",
  "formerEmbeddingModels",
  "model",
  "judge",
  "reranker",
  "retriever",
  "readers",
  "handlers",
  "limits",
  "chunker",
  "transformers",
  "analyzer",
  "bm25",
  "embeddingCache",
  "embedding",
  "prices",
  "tracer",
  "telemetry",
  "events",
  "access",
  "snapshots",
  "store",
] as const satisfies readonly (keyof AssembleOptions)[];

/** What a store is asked of all that can be chosen. */
type StoreWishes = { readonly [Name in StoreWish]?: Name extends "embeddingModel" ? unknown : AssembleOptions[Name] };
type StoreWish = "analyzer" | "bm25" | "embeddingModel" | "access" | "snapshots";

/**
 * What of it a store is told: it has a model of its own where nobody chose another, or none.
 *
 * **Errors** `invalid-argument` for snapshots: they are of a store in memory, which is opened by {@link openMemory}.
 */
export function storeChoices(wishes: StoreWishes): Pick<StoreOptions, "analyzer" | "bm25" | "corpusModel"> {
  const { analyzer, bm25, embeddingModel, access, snapshots } = wishes;
  if (snapshots !== undefined) {
    throw new IbidError("invalid-argument", "A knowledge base in a folder has no need of snapshots.", {
      hint: "Leave out the folder, or the snapshots.",
    });
  }
  return {
    ...(analyzer && { analyzer }),
    ...(bm25 && { bm25 }),
    ...(embeddingModel === undefined && {
      corpusModel: access?.deployment === false ? neverFitted : latentSemanticModel,
    }),
  };
}

/**
 * The store that was given, checked.
 *
 * **Errors** `invalid-argument` for an incomplete store, by the missing method, and for options that only a store that is made here can follow.
 */
export function takeStore(options: Pick<AssembleOptions, "store" | "bm25" | "snapshots">): KnowledgeStore | undefined {
  if (options.store === undefined) return undefined;
  const store = checkStore(options.store);
  for (const name of ["bm25", "snapshots"] as const) {
    if (options[name] === undefined) continue;
    throw new IbidError("invalid-argument", `${name} is given beside store.`, {
      hint: `Open the store itself with ${name}, and leave it out here.`,
    });
  }
  return store;
}

/** A store in memory, and where that is wanted, one that is kept. */
export async function openMemory({ snapshots, ...wishes }: StoreWishes): Promise<KnowledgeStore> {
  const choices = storeChoices(wishes);
  if (snapshots === undefined) return createMemoryStore(choices);
  const { openSnapshotStore } = await import("../stores/snapshot/snapshot-store.ts");
  return openSnapshotStore({ ...choices, snapshots });
}

/** A model is fitted on the deployment's chunks, and would show in the scores of those who may not read them (law 3). */
const neverFitted: CorpusModel = { ...latentSemanticModel, leastChunks: Infinity };

/** What only the runtime knows: its own readers, and how paths become documents. */
export interface RuntimeParts {
  readonly readers: readonly Reader[];
  readonly openSource?: OpenSource;
  readonly resolveUri?: (uri: string) => string;
  /** Ends what the readers hold. */
  readonly closeReaders?: () => Promise<void>;
  /** Makes what events are kept in, where nobody gave a store. Default: a memory's. */
  readonly openEvents?: (retention: EventRetention) => EventStore;
  /** Whether that is done without being asked. Default false. */
  readonly keepsEvents?: boolean;
}

/** Puts defaults where nothing was chosen, and the knowledge base together. What was not chosen is not loaded. */
export async function assembleKnowledgeBase(
  store: KnowledgeStore,
  options: AssembleOptions,
  runtime: RuntimeParts,
): Promise<KnowledgeBase> {
  const { prices } = options;
  const pricing = prices && (await import("../models/price-usage.ts"));
  pricing?.checkPrices(prices);
  const priced = (model: ChatModel | undefined): ChatModel | undefined =>
    model && pricing ? pricing.withPrice(model, prices) : model;
  checkOptions("embedding", options.embedding, ["batchSize", "maxBatchTokens", "concurrency"]);
  const readers = [...(options.readers ?? []), ...runtime.readers];
  const chunker = options.chunker ?? createLateAutoChunker();
  const events = await chooseEvents(options.events ?? runtime.keepsEvents ?? false, runtime.openEvents);
  return createKnowledgeBase({
    store,
    ...(await chooseEmbedders(store, options)),
    ...(await chooseHandlers(options.handlers ?? [], readers, chunker)),
    limits: checkReadLimits(options.limits),
    transformers: options.transformers ?? [],
    analyzer: options.analyzer ?? defaultAnalyzer,
    chatModel: priced(options.model),
    judge: priced(options.judge),
    prices,
    reranker: options.reranker,
    retriever: options.retriever,
    tracer: options.tracer,
    telemetry: options.telemetry,
    events,
    // One that was given is closed by whoever gave it.
    closeEvents: events === options.events ? undefined : async () => events?.close(),
    access: options.access,
    openSource: runtime.openSource,
    resolveUri: runtime.resolveUri,
    closeReaders: runtime.closeReaders,
  });
}

/** All of them with one cache, also those of models that a collection brings. */
async function chooseEmbedders(
  store: KnowledgeStore,
  { embedding, embeddingCache, embeddingModel = null, formerEmbeddingModels = [] }: AssembleOptions,
): Promise<Pick<KnowledgeBaseParts, "embed" | "embedder" | "formerEmbedders">> {
  const load = async (): Promise<(model: EmbeddingModel) => Embedder> => {
    const { createCachedEmbedders } = await import("../models/embedder/cached-embedders.ts");
    return createCachedEmbedders({ ...embedding, cache: embeddingCache, secret: store.secret });
  };
  let loaded: ReturnType<typeof load> | undefined;
  const embed = async (model: EmbeddingModel): Promise<Embedder> => (await (loaded ??= load()))(model);
  return {
    embed,
    embedder: embeddingModel === null ? undefined : await embed(embeddingModel),
    formerEmbedders: await Promise.all(formerEmbeddingModels.map(embed)),
  };
}

/** Handlers are asked before any reader, and cut what they read. */
async function chooseHandlers(
  handlers: readonly MediaTypeHandler[],
  readers: readonly Reader[],
  chunker: Chunker | AsyncChunker,
): Promise<Pick<KnowledgeBaseParts, "readers" | "chunker">> {
  if (handlers.length === 0) return { readers, chunker };
  const [{ createHandlerReader }, { withHandlers }] = await Promise.all([
    import("../readers/handler-reader.ts"),
    import("../chunkers/handler-chunker.ts"),
  ]);
  return { readers: [...handlers.map(createHandlerReader), ...readers], chunker: withHandlers(chunker, handlers) };
}

async function chooseEvents(
  wanted: boolean | EventStore | EventRetention,
  open: RuntimeParts["openEvents"],
): Promise<EventStore | undefined> {
  if (wanted === false) return undefined;
  if (wanted !== true && "append" in wanted) return wanted;
  const retention = wanted === true ? {} : wanted;
  if (open !== undefined) return open(retention);
  const { createMemoryEventStore } = await import("../stores/memory/memory-event-store.ts");
  return createMemoryEventStore(retention);
}

/** **Errors** `invalid-argument` for what is neither a switch, nor a store of events, nor a retention. */
export function checkEventsOption(wanted: AssembleOptions["events"]): void {
  if (wanted === undefined || typeof wanted === "boolean") return;
  if (typeof wanted !== "object") {
    throw new IbidError("invalid-argument", `events is ${String(wanted)}.`, {
      hint: "Say true or false, how much is kept, or give an event store.",
    });
  }
  if ("append" in wanted) return;
  checkOptions("events", wanted, ["maxAgeMs", "maxEvents"]);
  decideRetention(wanted);
}
