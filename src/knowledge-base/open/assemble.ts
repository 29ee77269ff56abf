import { checkNotRevoked } from "../../runtime/check-options.ts";
import { createAutoChunker } from "../../chunkers/auto-chunker.ts";
import { systemAuthority } from "../../access/gate.ts";
import type { BlobStore } from "../../contracts/blob-store.ts";
import type { ChatModel } from "../../contracts/chat.ts";
import type { AsyncChunker, Chunker, CustomChunker } from "../../contracts/chunker.ts";
import type { CorpusModel } from "../../contracts/corpus-model.ts";
import type { Embedder, EmbeddingModel } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { EventRetention, EventStore } from "../../contracts/event-store.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Engine } from "../../contracts/engine.ts";
import type { Store } from "../../contracts/store.ts";
import type { MediaTypeHandler } from "../../contracts/media-type-handler.ts";
import type { CustomReader, Reader } from "../../contracts/reader.ts";
import type { AccessPolicy } from "../../contracts/scope.ts";
import { latentSemanticModel } from "../../engine/latent/latent-semantic-model.ts";
import { setUnnamed } from "../../contracts/embedding.ts";
import { withFingerprint } from "../../models/embedder/with-fingerprint.ts";
import type { IngestStages } from "../../ingest/stages.ts";
import { checkReadLimits } from "../../readers/read-limits.ts";
import { createMemoryStore } from "../../stores/memory/memory-store.ts";
import type { StoreOptions } from "../../stores/segments/store-options.ts";
import type { SnapshotOptions } from "../../stores/snapshot/snapshot-options.ts";
import { defaultAnalyzer } from "../../text/analyzer.ts";
import { inSpan } from "../operations/observer.ts";
import type { KnowledgeBaseParts } from "../parts.ts";
import { parseSynonyms } from "../../text/parse-synonyms.ts";
import { createKnowledgeBase } from "./create-knowledge-base.ts";
import type { OpenSource } from "../../ingest/to-arrivals.ts";
import type { OpenModels, OpenOperations, OpenOptions, OpenSearch } from "./open-options.ts";

/** Sorts the arguments of `openKnowledgeBase`. **Errors** `invalid-argument` for options in both places. */
export function readOpenArguments<Options extends object>(
  first: string | Options | undefined,
  second: Options | undefined,
): { readonly location: string | undefined; readonly options: Options } {
  checkNotRevoked("openKnowledgeBase", "the first argument", first);
  checkNotRevoked("openKnowledgeBase", "options", second);
  if (typeof first !== "object" || first === null) return { location: first, options: second ?? ({} as Options) };
  if (second === undefined) return { location: undefined, options: first };
  throw new IbidError("invalid-argument", "openKnowledgeBase got options twice.", {
    hint: "Call openKnowledgeBase(location, options) or openKnowledgeBase(options).",
  });
}

/** Options that decide how a store is made. */
interface StoreWishes {
  readonly models?: { readonly embedding?: unknown } | undefined;
  readonly search?: OpenSearch | undefined;
  readonly access?: AccessPolicy | undefined;
  readonly operations?: OpenOperations | undefined;
  readonly snapshots?: SnapshotOptions | undefined;
  readonly engine?: Engine | undefined;
}

/**
 * Options of the store that a knowledge base is opened over: it has a model of its own unless `models.embedding` is given or `null`.
 *
 * **Errors** `invalid-argument` for snapshots, which {@link openMemory} alone takes.
 */
export function storeChoices({
  models,
  search,
  access,
  operations,
  snapshots,
  engine,
}: StoreWishes): Pick<StoreOptions, "analyzer" | "bm25" | "corpusModel" | "now" | "engine"> {
  const { analyzer, bm25 } = search ?? {};
  if (snapshots !== undefined) {
    throw new IbidError("invalid-argument", "A knowledge base in a folder has no need of snapshots.", {
      hint: "Leave out the folder, or the snapshots.",
    });
  }
  return {
    ...(analyzer && { analyzer }),
    ...(bm25 && { bm25 }),
    ...(engine && { engine }),
    ...(operations?.now && { now: operations.now }),
    ...(models?.embedding === undefined && {
      corpusModel: access?.deployment === false ? neverFitted : latentSemanticModel,
    }),
  };
}

/**
 * Checks the store that is given, if one is.
 *
 * **Errors** `invalid-argument` for an incomplete store, by the missing method, and for options that only a store that is made here can follow.
 */
export async function takeStore({ store, search, snapshots, engine }: OpenOptions): Promise<Store | undefined> {
  if (store === undefined) return undefined;
  const { checkStore } = await import("../../stores/compose/check-store.ts");
  const checked = checkStore(store);
  for (const [name, value] of Object.entries({ bm25: search?.bm25, snapshots, engine })) {
    if (value === undefined) continue;
    throw new IbidError("invalid-argument", `${name} is given beside store.`, {
      hint: `Open the store itself with ${name}, and leave it out here.`,
    });
  }
  return checked;
}

/** Opens a store in memory; with `snapshots`, one that is kept. */
export async function openMemory({ snapshots, ...wishes }: StoreWishes): Promise<Store> {
  const choices = storeChoices(wishes);
  if (snapshots === undefined && choices.engine !== undefined) {
    const { createEngineStore } = await import("../../stores/engines/engine-store.ts");
    const { engine, ...rest } = choices;
    return createEngineStore(engine, rest);
  }
  if (snapshots === undefined) return createMemoryStore(choices);
  const { openSnapshotStore } = await import("../../stores/snapshot/snapshot-store.ts");
  return openSnapshotStore({ ...choices, snapshots });
}

/** Never fitted: a model of the deployment's chunks would show in the scores of callers who may not read them. */
const neverFitted: CorpusModel = { ...latentSemanticModel, leastChunks: Infinity };

/** The parts that differ by runtime: its own readers, and how paths become documents. */
export interface RuntimeParts {
  readonly readers: readonly Reader[];
  readonly openSource?: OpenSource;
  /** Opens archives. Default: none, and an archive is refused. */
  readonly unpack?: IngestStages["unpack"];
  readonly resolveUri?: (uri: string) => string;
  /** Finds the name under which the location records a model. */
  readonly findName?: ((model: string) => Promise<string | undefined>) | undefined;
  /** Ends what the readers hold. */
  readonly closeReaders?: () => Promise<void>;
  /** Opens the place for bytes of pictures, recordings and files. Default: a memory's. */
  readonly openBlobs?: () => Promise<BlobStore>;
  /** Whether there may be such bytes. Default: once something was put there. */
  readonly mayHoldMedia?: () => boolean;
  /** Opens what is kept beside the knowledge base; where there is nothing, only for something that is written. */
  readonly openKept?: IngestStages["openKept"];
  /** Makes what events are kept in, where nobody gave a store. Default: a memory's. */
  readonly openEvents?: (retention: EventRetention & { readonly now?: () => number }) => EventStore;
}

/** Fills in defaults and makes the knowledge base. Parts that were not chosen are not loaded. */
export function assembleKnowledgeBase(
  store: Store,
  options: OpenOptions,
  runtime: RuntimeParts,
): Promise<KnowledgeBase> {
  const model = options.models?.embedding;
  const start = { operation: "create", model: model ? `${model.provider}/${model.model}` : undefined } as const;
  return inSpan(
    options.operations?.telemetry,
    start,
    () => assembleParts(store, options, runtime),
    () => ({}),
  );
}

async function assembleParts(store: Store, options: OpenOptions, runtime: RuntimeParts): Promise<KnowledgeBase> {
  const { models = {}, reading = {}, search = {}, operations = {} } = options;
  const { prices } = models;
  const pricing = prices && (await import("../../models/price-usage.ts"));
  pricing?.checkPrices(prices);
  const limiting = (models.chat ?? models.judge) && (await import("../../models/limit-answers.ts"));
  const prepared = (model: ChatModel | undefined): ChatModel | undefined =>
    model && limiting?.limitAnswers(pricing ? pricing.withPrice(model, prices) : model, models.limits);
  const readers = [...(await completeReaders(options.readers ?? [])), ...runtime.readers];
  const chunker = await chooseChunker(options.chunker);
  const events = await chooseEvents(operations.events, operations.now, runtime.openEvents);
  if (options.history !== undefined) {
    const { setHistory } = await import("../past.ts");
    await setHistory(store, systemAuthority(), options.history);
  }
  return createKnowledgeBase({
    store,
    ...(await chooseEmbedders(store, models)),
    ...(await chooseHandlers(reading.handlers ?? [], readers, chunker)),
    limits: checkReadLimits(reading.limits),
    keepsEmpty: reading.empty === "keep",
    unpack: runtime.unpack,
    ...chooseBlobs(options, runtime),
    openKept: runtime.openKept,
    imageEmbedder: models.image,
    wordsAlone: models.embedding === null,
    ...(await chooseTransformers(options)),
    analyzer: search.analyzer ?? defaultAnalyzer,
    chatModel: prepared(models.chat),
    judge: prepared(models.judge),
    prices,
    answerLimits: models.limits,
    reranker: models.reranker,
    retriever: search.retriever,
    synonyms: search.synonyms === undefined ? undefined : parseSynonyms(search.synonyms),
    metric: search.metric,
    queryHash: operations.queryHash,
    documentIds: operations.documentIds,
    tracer: operations.tracer,
    telemetry: operations.telemetry,
    now: operations.now,
    events,
    // A store of events that was given stays open.
    closeEvents: events === operations.events ? undefined : async () => events?.close(),
    access: options.access,
    findName: runtime.findName,
    engine: options.engine,
    openSource: runtime.openSource,
    resolveUri: runtime.resolveUri,
    closeReaders: runtime.closeReaders,
  });
}

/** Transformers, and enhancers as such after them. */
async function chooseTransformers({
  transformers = [],
  enhancers = [],
}: Pick<OpenOptions, "transformers" | "enhancers">): Promise<Pick<IngestStages, "transformers" | "enhancers">> {
  if (enhancers.length === 0) return { transformers };
  const { checkEnhancers, toTransformer } = await import("../../ingest/enhance.ts");
  return { transformers: [...transformers, ...checkEnhancers(enhancers).map(toTransformer)], enhancers };
}

/** Readers of the caller's own, with complete results. */
export async function completeReaders(readers: readonly CustomReader[]): Promise<readonly Reader[]> {
  if (readers.length === 0) return [];
  const { completeReader } = await import("../../readers/custom-reader.ts");
  return readers.map(completeReader);
}

async function chooseChunker(chunker: CustomChunker | undefined): Promise<Chunker | AsyncChunker> {
  if (chunker === undefined) return createAutoChunker();
  const { completeChunker } = await import("../../chunkers/custom-chunker.ts");
  return completeChunker(chunker);
}

/** Embedders with one cache, also for models that a collection brings. */
async function chooseEmbedders(
  store: Store,
  { batch, cache, embedding = null, formerEmbeddings = [], embedNames = true }: OpenModels,
): Promise<Pick<KnowledgeBaseParts, "embed" | "embedder" | "formerEmbedders">> {
  const load = async (): Promise<(model: EmbeddingModel) => Embedder> => {
    const { createCachedEmbedders } = await import("../../models/embedder/cached-embedders.ts");
    return createCachedEmbedders({
      batchSize: batch?.texts,
      maxBatchTokens: batch?.tokens,
      concurrency: batch?.concurrency,
      cache,
      secret: store.secret,
    });
  };
  let loaded: ReturnType<typeof load> | undefined;
  const embed = async (model: EmbeddingModel): Promise<Embedder> => (await (loaded ??= load()))(model);
  // Vectors with names and without are of the same models. The other kind serves as a former version until a re-embedding.
  const inKind = (model: EmbeddingModel, named: boolean): Promise<Embedder> =>
    embed(named ? model : withFingerprint(model, setUnnamed(model.fingerprint)));
  const models = embedding === null ? formerEmbeddings : [embedding, ...formerEmbeddings];
  return {
    embed,
    embedder: embedding === null ? undefined : await inKind(embedding, embedNames),
    formerEmbedders: await Promise.all([
      ...formerEmbeddings.map((model) => inKind(model, embedNames)),
      ...models.map((model) => inKind(model, !embedNames)),
    ]),
  };
}

/** A place for bytes, opened when it is first needed. */
function chooseBlobs(
  { blobs: given }: OpenOptions,
  { openBlobs, mayHoldMedia }: RuntimeParts,
): Pick<KnowledgeBaseParts, "blobs" | "holdsMedia"> {
  let opened: Promise<BlobStore> | undefined;
  const openMemoryBlobs = async (): Promise<BlobStore> =>
    (await import("../../stores/memory/memory-blob-store.ts")).createMemoryBlobStore();
  return {
    blobs: () => (opened ??= given === undefined ? (openBlobs ?? openMemoryBlobs)() : Promise.resolve(given)),
    holdsMedia: () => opened !== undefined || given !== undefined || mayHoldMedia?.() === true,
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
    import("../../readers/handler-reader.ts"),
    import("../../chunkers/handler-chunker.ts"),
  ]);
  return { readers: [...handlers.map(createHandlerReader), ...readers], chunker: withHandlers(chunker, handlers) };
}

/** Events that a knowledge base in memory keeps without being asked. */
const keptInMemory = { maxEvents: 1000 };

async function chooseEvents(
  given: boolean | EventStore | EventRetention | undefined,
  now: (() => number) | undefined,
  open: RuntimeParts["openEvents"],
): Promise<EventStore | undefined> {
  if (given === false) return undefined;
  const wanted = given ?? (open === undefined ? keptInMemory : true);
  if (wanted !== true && "append" in wanted) return wanted;
  const retention = { ...(wanted !== true && wanted), ...(now && { now }) };
  if (open !== undefined) return open(retention);
  const { createMemoryEventStore } = await import("../../stores/memory/memory-event-store.ts");
  return createMemoryEventStore(retention);
}
