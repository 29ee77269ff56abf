import { accessOptions } from "./access-options.ts";
import type { Chosen } from "../../contracts/complete.ts";
import type { BlobStore } from "../../contracts/blob-store.ts";
import type { ImageEmbedder } from "../../contracts/extraction.ts";
import { everyMetric } from "../../search/search-options.ts";
import type { Metric } from "../../contracts/embedding.ts";
import type { Analyzer } from "../../contracts/analyzer.ts";
import type { ChatModel, Prices } from "../../contracts/chat.ts";
import type { ChunkTransformer, CustomChunker } from "../../contracts/chunker.ts";
import type { EmbeddingCache, EmbeddingModel } from "../../contracts/embedding-model.ts";
import type { Enhancer } from "../../contracts/enhancer.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Engine } from "../../contracts/engine.ts";
import type { EventRetention, EventStore } from "../../contracts/event-store.ts";
import type { Store } from "../../contracts/store.ts";
import type { MediaTypeHandler } from "../../contracts/media-type-handler.ts";
import type { CustomReader, ReadLimits } from "../../contracts/reader.ts";
import type { Reranker, Retriever, WrapRetriever } from "../../contracts/retriever.ts";
import type { AccessPolicy } from "../../contracts/scope.ts";
import type { Telemetry } from "../../contracts/telemetry.ts";
import type { Tracer } from "../../contracts/tracer.ts";
import type { Bm25Options } from "../../engine/bm25/bm25-settings.ts";
import { type AnswerLimits, answerLimits } from "../../models/limit-answers.ts";
import { checkReadLimits } from "../../readers/read-limits.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import {
  aFunction,
  byOperator,
  inCode,
  objectWith,
  planOptions,
  type RulesOf,
  type ValueKind,
} from "../../runtime/plan-options.ts";
import { decideRetention } from "../../stores/memory/check-events.ts";
import type { SnapshotOptions } from "../../stores/snapshot/snapshot-options.ts";

/** Models of a knowledge base. A runtime decides in which forms it takes them. */
export interface OpenModels<Chat = ChatModel, Embedding = EmbeddingModel, Ranking = Reranker> {
  /** Embeds pictures, and queries in their space. Default: none; pictures are found by their words. */
  readonly image?: ImageEmbedder | undefined;
  /** Embedding model. Default: the store's own, which is fitted on the stored chunks and needs no key and no download. `null`: words alone. */
  readonly embedding?: Embedding | null | undefined;
  /**
   * Embedding models that were used before. A scope with vectors of one of them is searched by it until the scope is re-embedded; new chunks get vectors
   * of both models. Default: none, so such a scope is searched by words.
   */
  readonly formerEmbeddings?: readonly Embedding[] | undefined;
  /** Chat model that writes answers. Default: none; an answer consists of quotations. */
  readonly chat?: Chat | undefined;
  /** Chat model that compares each sentence of an answer with its citations. Default: none; words decide, and under strict grounding the chat model. */
  readonly judge?: Chat | undefined;
  /** Reranker. `"proximity"` ranks chunks higher that have the query's words close together, and needs no model. Default: none. */
  readonly reranker?: Ranking | "proximity" | undefined;
  /** Prices by `provider/model`; summaries and answers then report costs. Default: none. */
  readonly prices?: Prices | undefined;
  /** Cache of embeddings. Default: the 10,000 most recent, in memory. */
  readonly cache?: EmbeddingCache | undefined;
  /**
   * Whether the title and the headings of a chunk are embedded with its text; for a record, its key and the name of the field. Default true. With `false`, the text alone:
   * that of an entity is its name and description, that of a fact its assertion. A change takes effect with `kb.reembed()`. **Source** Embabel's `embeddableValue`.
   */
  readonly embedNames?: boolean | undefined;
  /** Size of requests to the embedding model. */
  readonly batch?: OpenBatch | undefined;
  /** Limits of one answer of a chat model. An answer beyond them ends with an error, and its connection is closed. */
  readonly limits?: AnswerLimits | undefined;
}

/** Size of requests to the embedding model. */
export interface OpenBatch {
  /** Most texts in one request. Default 128, or the model's own limit where that is smaller. */
  readonly texts?: number | undefined;
  /** Most estimated tokens in one request; a longer text travels alone. Default 100,000. */
  readonly tokens?: number | undefined;
  /** Most requests at one time. Texts that wait for one go together in the next. Default 4. */
  readonly concurrency?: number | undefined;
}

/** How files become documents. */
export interface OpenReading {
  /** Handlers are asked before any reader and turn data of one media type straight into chunks. */
  readonly handlers?: readonly MediaTypeHandler[] | undefined;
  /** Limits for one file. Default: `defaultReadLimits`. */
  readonly limits?: Chosen<ReadLimits> | undefined;
  /**
   * Fate of a file that shows no text: an error, or a document without text. `createSectionChunker({ emptyChunk: true })` makes one chunk of it, other chunkers none.
   * Default `"error"`.
   */
  readonly empty?: "error" | "keep" | undefined;
}

/** How chunks are indexed and found. */
export interface OpenSearch {
  /** Analyzer of words. Default: languages are recognised and words are stemmed where the runtime can; see `languageAnalyzer`. */
  readonly analyzer?: Analyzer | undefined;
  /** Weights of words. Default: BM25F. */
  readonly bm25?: Bm25Options | undefined;
  /**
   * Synonyms, in the format of Solr and Elasticsearch: `a, b` or `a => b, c` on each line, `b^0.5` for a weight, `#` for a comment. Default: `synonyms.txt` in the
   * folder of the knowledge base, where there is one.
   */
  readonly synonyms?: string | undefined;
  /** Metric of searches by vector: `score` is monotone for each, and higher is better. Default: the store's own, the cosine. */
  readonly metric?: Metric | undefined;
  /** A retriever in place of the built-in one, or a function that wraps it: `(base) => diversify(base)`. */
  readonly retriever?: Retriever | WrapRetriever | undefined;
}

/** Options for reports of searches, writes and failures. */
export interface OpenOperations {
  /**
   * Store of events: your own, or one that is made with the given retention. Default: beside a durable knowledge base, for a week and 100,000 events at
   * most; in memory the last 1,000. `false`: none. Events are written in the background, so a `kill -9` can lose those of the last second.
   */
  readonly events?: boolean | EventStore | EventRetention | undefined;
  /** Receiver of spans and events as they happen; see `createOpenTelemetry`. */
  readonly telemetry?: Telemetry | undefined;
  /** Hash by which traces and events name queries: under the knowledge base's own key, or the plain SHA-256, which can be guessed. Default `"keyed"`. */
  readonly queryHash?: "keyed" | "sha256" | undefined;
  /**
   * Names of documents in events: an HMAC under a key that ends with this opening, or the ids that `ingest` and `list` give. A plain id can be made of a guessed
   * uri, and a purge does not remove it from events. Default `"keyed"`.
   */
  readonly documentIds?: "keyed" | "plain" | undefined;
  /** Receiver of one trace per search. */
  readonly tracer?: Tracer | undefined;
  /**
   * Clock of dates, ages, retention and health: **Units** milliseconds since 1970. Default: the machine's. A store of your own, and a queue, have their own.
   */
  readonly now?: (() => number) | undefined;
}

/** Options of `openKnowledgeBase` on any runtime. Everything has a default. */
export interface OpenOptions {
  /** Store that keeps everything, in place of one that is made for the location. The knowledge base closes it; relative paths still follow the location. */
  readonly store?: Store | undefined;
  /**
   * Vector engine that proposes candidates, such as that of `ibid/stores/qdrant`. Default: none; every vector is compared.
   */
  readonly engine?: Engine | undefined;
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
  /** Enhancers of documents, sections and chunks, in order: they add metadata, whatever the kind. Default: none. */
  readonly enhancers?: readonly Enhancer[] | undefined;
  /** How chunks are indexed and found. */
  readonly search?: OpenSearch | undefined;
  /** Shared scopes that callers may read. Default: deployment, not platform. */
  readonly access?: AccessPolicy | undefined;
  /** Listeners for searches, writes and failures. */
  readonly operations?: OpenOperations | undefined;
  /**
   * Whether former versions of documents are kept until a vacuum, so that searches can be `asOf` a time. `false` erases those that are kept. The knowledge base remembers it.
   * Default: as it was opened before; at first none. **Errors** `unsupported` for a store that keeps none.
   */
  readonly history?: boolean | undefined;
  /** Where the bytes of pictures, recordings and files are kept. Default: in the folder of the knowledge base, else in memory. */
  readonly blobs?: BlobStore | undefined;
  /** Place where a knowledge base in memory is kept; see `openSnapshotStore`. Default: none. */
  readonly snapshots?: SnapshotOptions | undefined;
}

const anObject = (expects: string): ValueKind => ({
  type: "value",
  expects,
  check: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
});
/** A model has one of the methods: our own, or that of an AI SDK model. */
const aModel = (what: string, ...methods: readonly string[]): ValueKind => ({
  type: "value",
  expects: `${what}, or its name where the runtime loads models by name`,
  check: (value) =>
    typeof value === "string" ? value.trim() !== "" : methods.some((name) => objectWith(what, name).check(value)),
});
/** An object with neither method would hear nothing, and nobody would notice. */
const aReceiver: ValueKind = {
  type: "value",
  expects: "an object with span or event",
  check: (value) => ["span", "event"].some((name) => objectWith("a receiver", name).check(value)),
};
/** How the command line names a model. */
const aName = "a provider and a model, such as ollama/llama3.2";
const anEmbeddingModel = aModel("an embedding model", "embed", "doEmbed");
/** A list of values of one kind. */
const aListOfKind = (expects: string, { check }: ValueKind): ValueKind => ({
  type: "value",
  expects,
  check: (value) => Array.isArray(value) && value.every(check),
});
const anEventStore = objectWith("an event store", "append", "read", "close");
/** A list of objects, of functions with properties, or of names. */
const aListOf = (what: string): ValueKind => ({
  type: "value",
  expects: `a list of ${what}`,
  check: (value) =>
    Array.isArray(value) &&
    value.every((each) => each !== null && ["object", "function", "string"].includes(typeof each)),
});

const batchOptions = {
  texts: { doc: "Most texts in one request.", kind: { type: "integer", min: 1 }, default: 128, for: inCode },
  tokens: {
    doc: "Most estimated tokens in one request.",
    kind: { type: "integer", min: 1 },
    default: 100_000,
    for: inCode,
  },
  concurrency: {
    doc: "Most requests at one time. Texts that wait for one go together in the next.",
    kind: { type: "integer", min: 1 },
    default: 4,
    for: inCode,
  },
} as const satisfies RulesOf<OpenBatch>;

const limitOptions = {
  characters: {
    doc: "Most characters of one answer of a chat model.",
    kind: { type: "integer", min: 1 },
    default: answerLimits.characters,
    for: inCode,
  },
  startMs: {
    doc: "Longest wait for the first characters of an answer that streams, or for a whole answer, in milliseconds.",
    kind: { type: "integer", min: 1 },
    default: answerLimits.startMs,
    for: inCode,
  },
  silenceMs: {
    doc: "Longest wait between two parts of an answer that streams, in milliseconds.",
    kind: { type: "integer", min: 1 },
    default: answerLimits.silenceMs,
    for: inCode,
  },
} as const satisfies RulesOf<AnswerLimits>;

const modelOptions = {
  embedding: {
    doc: 'Embedding model: your own, an AI SDK one, or [`"provider/model"`](library/models.md). `null`: words alone.',
    kind: anEmbeddingModel,
    beyond: { expects: "null", check: (value: unknown) => value === null },
    otherwise: "the store's own, fitted on the stored chunks from 256 on",
    for: byOperator,
    flag: "--embedding-model <provider/model>",
    spelling: {
      doc: "Embed with this model, such as local or ollama/nomic-embed-text; the knowledge base remembers it; none forgets it.",
      expects: aName,
    },
  },
  formerEmbeddings: {
    doc: "Models that were used before; see [another model](library/models.md#another-model).",
    kind: aListOfKind("a list of embedding models", anEmbeddingModel),
    for: byOperator,
    flag: "--former-embedding-model <provider/model...>",
    spelling: {
      doc: "Search chunks that still have vectors of this model; see reembed.",
      each: "item",
      expects: aName,
    },
  },
  embedNames: {
    doc: "Whether title and headings are embedded with a chunk's text, and the key and field of a record; see [another model](library/models.md#another-model).",
    kind: { type: "boolean" },
    default: true,
    for: inCode,
  },
  image: {
    doc: "Embedder of [pictures](library/media.md), and of queries in their space.",
    kind: objectWith("an embedder of pictures", "embedImage"),
    for: inCode,
  },
  chat: {
    doc: "Chat model that writes answers. Without one, answers consist of quotations.",
    kind: aModel("a chat model", "chat", "doGenerate"),
    for: byOperator,
    flag: "--model <provider/model>",
    spelling: {
      doc: "Chat model that writes the answer, such as openai/gpt-5-mini or ollama/llama3.2.",
      expects: aName,
    },
  },
  judge: {
    doc: "Chat model that gives each sentence of an answer its verdict.",
    kind: aModel("a chat model", "chat", "doGenerate"),
    otherwise: "none: words decide, and under strict grounding the chat model",
    for: byOperator,
    flag: "--judge <provider/model>",
    spelling: { doc: "Chat model that gives each sentence of an answer its verdict.", expects: aName },
  },
  reranker: {
    doc: 'Reranker, or `"proximity"`, which ranks chunks with close query words higher and needs no model.',
    kind: aModel("a reranker", "rerank", "doRerank"),
    for: byOperator,
    flag: "--reranker <provider/model>",
    spelling: { doc: "Order the hits with this model, or with proximity, which needs none.", expects: aName },
  },
  prices: {
    doc: 'Prices for a million tokens: `{ "openai/gpt-5-mini": { input, output } }`. Summaries and answers then report `cost`.',
    kind: anObject("prices by model"),
    for: inCode,
  },
  cache: {
    doc: "Cache of embeddings.",
    kind: objectWith("an embedding cache", "get", "set"),
    otherwise: "the 10,000 most recent, in memory",
    for: inCode,
  },
  batch: {
    doc: "Size of requests to the embedding model.",
    kind: { type: "group", options: batchOptions },
    for: inCode,
  },
  limits: {
    doc: "Limits of one answer of a chat model.",
    kind: { type: "group", options: limitOptions },
    for: inCode,
  },
} as const satisfies RulesOf<OpenModels>;

/** Options of how files become documents. */
export const readingOptions = {
  handlers: {
    doc: "Handlers of media types, asked before any reader; see [handlers of your own](library/own-parts.md).",
    kind: aListOf("handlers"),
    for: inCode,
  },
  limits: {
    doc: "[Limits](formats.md#limits) for one file.",
    kind: anObject("limits"),
    otherwise: "`defaultReadLimits`",
    for: inCode,
  },
  empty: {
    doc: "Fate of a file that shows no text: an error, or a document without text.",
    kind: { type: "choice", values: { error: true, keep: true } },
    default: "error",
    for: inCode,
  },
} as const satisfies RulesOf<OpenReading>;

const searchSetup = {
  analyzer: {
    doc: "Analyzer of words.",
    kind: objectWith("an analyzer", "analyze"),
    otherwise: "recognises languages and stems",
    for: inCode,
  },
  bm25: {
    doc: "Weights of words. Variants: `bm25f`, `lucene`, `robertson`, `atire`, `bm25l`, `bm25+`, `toolup`. [Names](library/search.md#ranking) count in `bm25f`. A word that a query [repeats](library/search.md#ranking) counts as often.",
    kind: anObject("an object"),
    otherwise:
      '`{ variant: "bm25f", k1: 1.2, b: 0.5, nameWeight: 2, nameB: 0.5, fileWeight: 10, fileB: 0.5, naming: 0.5, document: 0.3, heading: 0.5 }`',
    for: inCode,
  },
  synonyms: {
    doc: "[Synonyms](library/search.md#synonyms), as the text of a list: `a, b` or `a => b, c` on each line.",
    kind: { type: "string", pattern: /[^]*/u, expects: "the text of a list" },
    otherwise: "`synonyms.txt` in the folder of the knowledge base",
    for: byOperator,
    flag: "--synonyms <file>",
    spelling: { doc: "Search by the synonyms in this file.", expects: "the path of a list" },
  },
  metric: {
    doc: "Metric of searches by vector; `score` is monotone for each, and higher is better.",
    kind: { type: "choice", values: everyMetric },
    otherwise: "the store's own, the cosine",
    for: inCode,
  },
  retriever: {
    doc: "[Retriever](library/retrievers.md) in place of the built-in one, or a function that wraps it.",
    kind: {
      type: "value",
      expects: "a retriever, or a function that makes one",
      check: (value) => typeof value === "function" || (typeof value === "object" && value !== null),
    },
    otherwise: "built-in",
    for: inCode,
  },
} as const satisfies RulesOf<OpenSearch>;

const operationsOptions = {
  events: {
    doc: "Store of [events](operations.md): your own, a retention such as `{ maxEvents: 1000 }`, or `false`.",
    kind: {
      type: "value",
      expects: "true, false, a retention such as { maxEvents: 1000 }, or an event store",
      check: (value) =>
        typeof value === "boolean" ||
        (typeof value === "object" && value !== null && (!("append" in value) || anEventStore.check(value))),
    },
    otherwise: "beside a folder: a week, 100,000 events; in memory the last 1,000",
    for: inCode,
  },
  telemetry: { doc: "Receiver of spans and events; see `createOpenTelemetry`.", kind: aReceiver, for: inCode },
  tracer: { doc: "Receiver of one trace per search.", kind: objectWith("a tracer", "trace"), for: inCode },
  queryHash: {
    doc: "Hash by which traces and events name queries: under the knowledge base's own key, or the plain SHA-256, which can be guessed.",
    kind: { type: "choice", values: { keyed: true, sha256: true } },
    default: "keyed",
    for: inCode,
  },
  documentIds: {
    doc: "Names of documents in events: an HMAC of their ids, or the ids of `ingest` and `list`, which a guessed uri gives.",
    kind: { type: "choice", values: { keyed: true, plain: true } },
    default: "keyed",
    for: inCode,
  },
  now: {
    doc: "Clock of dates, ages, retention and health, in milliseconds since 1970.",
    kind: aFunction,
    otherwise: "the machine's",
    for: inCode,
  },
} as const satisfies RulesOf<OpenOperations>;

/** Recommended models at once, where local models can be loaded. */
export interface QualityOptions {
  /**
   * Recommended models at once, where `models` gives none. `"local"`: the embedding model and the reranker `"local"`, which are downloaded once and run on this machine.
   * Default: the store's own model, and no reranker.
   */
  readonly quality?: "local" | undefined;
}

/** Option that stands for several models. */
export const qualityOptions = {
  quality: {
    doc: 'Recommended models at once: `"local"` is `models: { embedding: "local", reranker: "local" }` where these are not given; see [on this machine](library/models.md#on-this-machine).',
    kind: { type: "choice", values: { local: true } },
    otherwise: "the store's own model, no reranker",
    for: byOperator,
    spelling: {
      doc: "With local, --embedding-model local and --reranker local: small models that are downloaded once and run on this machine.",
    },
  },
} as const satisfies RulesOf<QualityOptions>;

/** Options of `openKnowledgeBase` on any runtime, in the order of the manual. */
export const openOptions = {
  models: { doc: "Models.", kind: { type: "group", options: modelOptions }, for: inCode },
  readers: {
    doc: "Readers that are asked before [the built-in ones](formats.md).",
    kind: aListOf("readers"),
    for: inCode,
  },
  reading: { doc: "How files become documents.", kind: { type: "group", options: readingOptions }, for: inCode },
  chunker: {
    doc: "[Chunker](chunking.md): sheets between rows, other documents along sections, 1,000 characters, 125 overlap.",
    kind: objectWith("a chunker", "chunk"),
    otherwise: "`createAutoChunker()`",
    for: inCode,
  },
  transformers: {
    doc: "[Transformers](chunking.md#transformers) of chunks, in order.",
    kind: aListOfKind("a list of transformers", objectWith("a transformer", "transform")),
    for: inCode,
  },
  enhancers: {
    doc: "[Enhancers](chunking.md#enhancers) of documents, sections and chunks, in order.",
    kind: aListOf("enhancers"),
    for: inCode,
  },
  search: { doc: "How chunks are indexed and found.", kind: { type: "group", options: searchSetup }, for: inCode },
  access: { doc: "Shared scopes that callers may read.", kind: { type: "group", options: accessOptions }, for: inCode },
  operations: {
    doc: "Listeners for searches, writes and failures.",
    kind: { type: "group", options: operationsOptions },
    for: inCode,
  },
  store: {
    doc: "Store that keeps everything, in place of one that is made for the location. A name with options is an `engine`.",
    // The store is checked by method where it is taken.
    kind: { type: "value", expects: "a store, or an engine's name and options", check: () => true },
    for: inCode,
  },
  blobs: {
    doc: "Store of the bytes of pictures, recordings and files.",
    kind: objectWith("a blob store", "put"),
    otherwise: "in the folder of the knowledge base, else in memory",
    for: inCode,
  },
  history: {
    doc: "Whether [former versions](history.md) of documents are kept until a vacuum; `false` erases them.",
    kind: { type: "boolean" },
    otherwise: "as it was opened before; at first none",
    for: byOperator,
    flag: "--history",
    spelling: { doc: "Keep former versions of documents from now on, for --as-of; the knowledge base remembers it." },
  },
  engine: {
    doc: 'Vector engine that proposes candidates: your own, or `{ name: "qdrant", url }`; see [engines](engines.md).',
    kind: {
      type: "value",
      expects: "an engine, or its name and options",
      check: (value) =>
        typeof value === "object" && value !== null && typeof (value as { name?: unknown }).name === "string",
    },
    otherwise: "none: every vector is compared",
    for: inCode,
  },
  snapshots: {
    doc: "Place where a knowledge base in memory is kept; see [in memory, and kept](library.md#in-memory-and-kept).",
    kind: anObject("an object"),
    for: inCode,
  },
} as const satisfies RulesOf<OpenOptions>;

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
 * Checks names and values, in every group.
 *
 * **Errors** `invalid-argument`; the hint of an option that stands in a group names the group.
 */
export function checkOpenOptions<Options extends OpenOptions>(given: Options, table: RulesOf<Options>): void {
  const moved = Object.keys(given).find((name) => !Object.hasOwn(table, name) && Object.hasOwn(places, name));
  if (moved !== undefined) {
    const [group, name] = places[moved]!.split(".");
    throw new IbidError("invalid-argument", `openKnowledgeBase has no option "${moved}".`, {
      hint: `Write ${group}: { ${name}: … }. Known options: ${Object.keys(table).join(", ")}.`,
    });
  }
  planOptions<Options, RulesOf<Options>>("openKnowledgeBase", table, given);
  checkReadLimits(given.reading?.limits);
  checkRetention(given.operations?.events);
}

/** **Errors** `invalid-argument` for a retention that is none. */
function checkRetention(events: OpenOperations["events"]): void {
  if (events === undefined || typeof events === "boolean" || "append" in events) return;
  checkOptions("operations.events", events, { maxAgeMs: true, maxEvents: true });
  decideRetention(events);
}
