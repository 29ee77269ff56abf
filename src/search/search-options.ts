import type { Metric } from "../contracts/embedding.ts";
import type { FindOptions, VectorSearchOptions } from "../contracts/vector-store.ts";
import type { RetrieveOptions, SearchOptions } from "../contracts/retriever.ts";
import {
  aFunction,
  aSignal,
  byHand,
  byRequest,
  everywhere,
  inCode,
  type RulesOf,
  type ValueKind,
} from "../runtime/plan-options.ts";
import { isTime } from "../runtime/read-time.ts";
import { fusions } from "./fusions.ts";
import { areWeights, isFusion, readWeights, weightsExpected } from "./fusion-settings.ts";

/** The kind of a scope's name. */
export const aScope = {
  type: "string",
  pattern: /^(?:platform|deployment|(?:team|user):.*\S.*)$/su,
  expects: "platform, deployment, team:<id> or user:<id>",
} as const;

/** The kind of one receipt, or of a list of them. */
const someReceipts = {
  type: "value",
  expects: "a receipt of a write, or a list of them",
  check: (value: unknown): boolean => (Array.isArray(value) ? value : [value]).every(isReceipt),
} as const satisfies ValueKind;

function isReceipt(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { scope, life, stamp } = value as Readonly<Record<string, unknown>>;
  return typeof scope === "string" && typeof life === "string" && Number.isSafeInteger(stamp);
}

/** Every metric, as an option lists its values. */
export const everyMetric = {
  cosine: true,
  "cosine-distance": true,
  dot: true,
  "negative-dot": true,
  euclidean: true,
  "squared-euclidean": true,
  hamming: true,
  manhattan: true,
} as const satisfies Readonly<Record<Metric, true>>;

const everyOrigin = { "user-content": true, narrative: true, note: true, synthetic: true } as const;

/** The time as of which something is searched or shown. */
export const asOfOption = {
  doc: "Time as of which to search, by today's rights: a date such as `2026-11-23`, or with its hour. Needs [history](history.md).",
  kind: { type: "string", check: isTime, expects: "a date in ISO 8601, such as 2026-11-23 or 2026-11-23T14:00:00Z" },
  otherwise: "the present",
} as const;

/** Options of a retrieval, in the order of the manual. **Source** bounds and defaults: ToolUp. */
export const retrieveOptions = {
  topK: {
    doc: 'Number of hits; `"all"` for every match.',
    kind: { type: "integer", min: 1, also: ["all"] },
    default: 5,
    for: everywhere,
    bounds: { http: { max: 100 }, tool: { max: 50 } },
    flag: "--top-k <n>",
  },
  mode: {
    doc: "Legs that search: all, by meaning, by words, or by the query as a pattern.",
    kind: { type: "choice", values: { hybrid: true, dense: true, lexical: true, regex: true } },
    default: "hybrid",
    for: byHand,
  },
  syntax: {
    doc: 'Syntax of the query; `lucene` knows `+word -word "a phrase" begin* near~` and searches by words.',
    kind: { type: "choice", values: { literal: true, lucene: true } },
    default: "literal",
    for: byHand,
  },
  filter: {
    doc: 'Only chunks whose metadata match: `{"department": "HR", "year": {"gte": 2024}}`.',
    kind: { type: "object" },
    for: byHand,
    flag: "--filter <json>",
  },
  under: {
    doc: "Only documents whose uri has this prefix, such as that of a folder.",
    kind: { type: "string" },
    beyond: {
      expects: "a list of prefixes",
      check: (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string"),
    },
    for: byHand,
    flag: "--under <prefix>",
  },
  uris: {
    doc: "Only the documents of these uris; with `under`, those of them that have its prefix.",
    kind: { type: "list", of: { type: "string", pattern: /\S/u, expects: "a uri" } },
    otherwise: "all",
    for: byRequest,
    bounds: { http: { max: 1000 } },
  },
  minScore: {
    doc: "Inclusive threshold of the dense leg.",
    kind: { type: "number" },
    otherwise: "none, or .25 where a model sees form only and no word matches",
    for: everywhere,
    bounds: { tool: { min: 0 } },
    flag: "--min-score <x>",
  },
  minFusedScore: {
    doc: "Inclusive threshold of the fused score, under a named fusion other than `best`; of the leg's, where one leg searches.",
    kind: { type: "number" },
    for: everywhere,
    bounds: { tool: { min: 0 } },
    flag: "--min-fused-score <x>",
  },
  pattern: {
    doc: "Regular expression beside the query: its matches are hits too, and rank higher.",
    kind: { type: "string", pattern: /[^]/u, expects: "a regular expression that is not empty" },
    for: byHand,
    flag: "--pattern <regex>",
  },
  ignoreCase: {
    doc: "Whether a pattern treats capitals and small letters alike.",
    kind: { type: "boolean" },
    default: false,
    for: byHand,
  },
  origins: {
    doc: "Only chunks of these origins.",
    kind: { type: "list", of: { type: "choice", values: everyOrigin } },
    otherwise: "all",
    for: byHand,
    flag: "--origins <origin,…>",
  },
  fusion: {
    doc: "Fusion of the legs.",
    kind: { type: "choice", values: fusions },
    beyond: { expects: "{ name, weights, half }", check: isFusion },
    otherwise: "best; rrf where a leg cannot score given chunks",
    for: byHand,
  },
  weights: {
    doc: 'Weights of the fusion by leg, such as `{"lexical": 0.6, "dense": 0.4}`; the legs are `lexical`, `dense`, `latent` and `pattern`.',
    kind: { type: "object", check: areWeights, expects: weightsExpected },
    otherwise: "the fusion's own",
    for: byHand,
    flag: "--weights <leg=weight,…>",
    spelling: { read: readWeights, expects: "such as lexical=0.6,dense=0.4" },
  },
  rerank: {
    doc: "Whether the configured reranker orders the hits.",
    kind: { type: "boolean" },
    default: true,
    for: byHand,
  },
  snippetLength: {
    doc: "Characters of `snippet`; 0 for none, which is faster with many hits. `text` is never cut.",
    kind: { type: "integer", min: 32, max: 8192, also: [0] },
    default: 240,
    for: byRequest,
    bounds: { http: { max: 2000 } },
  },
  copies: {
    doc: "Chunks with the same text: the first of the ranking with a count and places of the others, or all.",
    kind: { type: "choice", values: { first: true, all: true } },
    default: "first",
    for: byHand,
  },
  merge: {
    doc: "Whether hits that touch in their document are one hit with parts; `topK` counts joined hits.",
    kind: { type: "boolean" },
    default: false,
    defaults: { cli: true },
    for: everywhere,
  },
  explain: {
    doc: "Whether each hit explains its score.",
    kind: { type: "boolean" },
    default: false,
    for: byHand,
  },
  includeEmbeddings: {
    doc: "Whether each hit carries its embedding.",
    kind: { type: "boolean" },
    default: false,
    for: inCode,
  },
  after: { doc: "Receipts of writes that the search must see.", kind: someReceipts, for: inCode },
  atMostMs: {
    doc: "How old a state may be, in milliseconds, that a store with copies answers from without asking.",
    kind: { type: "integer", min: 0 },
    otherwise: "as the store was opened",
    for: inCode,
  },
  consistency: {
    doc: "`latest`: the answer is of the newest state that there was when the search began, whatever the store was opened with.",
    kind: { type: "choice", values: { latest: true } },
    otherwise: "as the store was opened",
    for: inCode,
  },
  signal: { doc: "Stops the search.", kind: aSignal, for: inCode },
  keywords: {
    doc: "Words that the lexical leg looks for in place of the query.",
    kind: { type: "list", of: { type: "string", pattern: /\S/u, expects: "a word" } },
    otherwise: "the query's own",
    for: inCode,
  },
  storeOptions: {
    doc: "Options that one store alone knows, passed to it as they are.",
    kind: { type: "value", expects: "JSON", check: () => true },
    for: inCode,
  },
  onUsage: { doc: "Receives the usage of each model call.", kind: aFunction, for: inCode },
} as const satisfies RulesOf<RetrieveOptions>;

/**
 * Options of `kb.search`: for each, its values, its default, one sentence, and the surfaces that take it.
 *
 * The library, the command line, HTTP, the tools and the manual are made from this table.
 *
 * @experimental
 */
export const searchOptions = {
  ...retrieveOptions,
  scopes: {
    doc: "Only these scopes; those that the caller may not read are dropped.",
    kind: { type: "list", of: aScope },
    otherwise: "all that the caller may read",
    for: byHand,
    bounds: { http: { max: 100 } },
    flag: "--scopes <scope,…>",
  },
  strategy: {
    doc: "Chooses scopes by caller.",
    kind: {
      type: "choice",
      values: { "active-team": true, "active-team-plus-user": true, "active-team-plus-platform": true, all: true },
    },
    beyond: { expects: "a function", check: (value: unknown) => typeof value === "function" },
    otherwise: "the view's own, else all",
    for: byHand,
  },
  asOf: { ...asOfOption, for: everywhere, flag: "--as-of <time>" },
  marks: {
    doc: "Whether hits of [notes](memory.md) that hold no longer say so.",
    kind: { type: "boolean" },
    default: true,
    for: inCode,
  },
  scores: {
    doc: "Scores as the legs give them, or from 0 to 1 in every mode.",
    kind: { type: "choice", values: { own: true, unit: true } },
    default: "own",
    for: inCode,
  },
  groupBy: {
    doc: "Whether the result has the same hits by document as well.",
    kind: { type: "choice", values: { document: true } },
    for: everywhere,
    flag: "--group-by <what>",
  },
} as const satisfies RulesOf<SearchOptions>;

const { filter, origins, under, includeEmbeddings, scopes } = searchOptions;

/** Options of `kb.find`. */
export const findOptions = {
  filter,
  origins,
  under,
  topK: { ...retrieveOptions.topK, doc: "Number of chunks.", default: "all", for: inCode },
  order: {
    doc: "Order of the chunks: by uri and place, or as they were written.",
    kind: { type: "choice", values: { place: true, inserted: true } },
    default: "place",
    for: inCode,
  },
  scopes,
  includeEmbeddings,
} as const satisfies RulesOf<FindOptions>;

/** Options of `kb.searchVector`. */
export const vectorSearchOptions = {
  filter,
  origins,
  under,
  topK: retrieveOptions.topK,
  version: {
    doc: "Version of the vector: the caller's name, or `{ provider, model, dimensions, fingerprint }`.",
    kind: {
      type: "value",
      expects: "a name or a version",
      check: (value: unknown) => typeof value === "string" || typeof value === "object",
    },
    otherwise: "the one version of the vector's length that the scopes hold",
    for: inCode,
  },
  minScore: retrieveOptions.minScore,
  asOf: { ...asOfOption, for: inCode },
  metric: {
    doc: "Metric of the scores.",
    kind: { type: "choice", values: everyMetric },
    otherwise: "the knowledge base's, else the cosine",
    for: inCode,
  },
  onMismatch: {
    doc: "Effect of a vector of another length than every stored one: an error, or each admitted chunk has the score 0.",
    kind: { type: "choice", values: { error: true, zero: true } },
    default: "error",
    for: inCode,
  },
  scopes,
  includeEmbeddings,
} as const satisfies RulesOf<VectorSearchOptions>;
