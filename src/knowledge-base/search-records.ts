import { narrowProof } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import type { CollectionPlan } from "./records/check-definition.ts";
import type {
  CollectionFilter,
  CollectionHit,
  CollectionListOptions,
  CollectionSearchOptions,
  CollectionVectorOptions,
  RecordOrder,
} from "../contracts/collection.ts";
import type { StoredDocument } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Filter, FilterInput } from "../contracts/filter.ts";
import type { Store } from "../contracts/store.ts";
import type { Hit, Retriever } from "../contracts/retriever.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { type Embedding, fingerprintVectors, type Metric } from "../contracts/embedding.ts";
import type { Embedder } from "../contracts/embedding-model.ts";
import { parseFilter } from "../engine/filters/parse-filter.ts";
import { recordKeys } from "./records/collection-uri.ts";
import { checkOptions } from "../runtime/check-options.ts";
import type { ApartEmbedders } from "./apart-embedders.ts";
import { checkCollection } from "./collection-mark.ts";
import { checkEmbedding, dimensionsOf } from "../models/embedder/check-embedding.ts";
import { compareCodePoints } from "../runtime/compare-text.ts";
import { everyMetric } from "../search/search-options.ts";

export interface RecordSearch {
  readonly store: Store;
  readonly plan: CollectionPlan;
  readonly ownUri: string;
  readonly prefix: string;
  readonly readable: (requested?: readonly Scope[]) => Promise<AuthorizedScopes>;
  readonly retriever: Retriever;
  readonly retrieverBy: (embedder?: Embedder, metric?: Metric) => Retriever;
  /** The knowledge base's own. */
  readonly embedder?: Embedder | undefined;
  readonly apart: () => Promise<ApartEmbedders>;
  readonly recordOf: (stored: StoredDocument) => Promise<unknown>;
}

type AnyRecord = Record<string, unknown>;
type SearchOptions = CollectionSearchOptions<CollectionFilter<AnyRecord, string>, string>;
type VectorOptions = CollectionVectorOptions<CollectionFilter<AnyRecord, string>, string>;
type ListOptions = CollectionListOptions<CollectionFilter<AnyRecord, string>>;

export const optionNames = {
  topK: true,
  skip: true,
  filter: true,
  vectorProperty: true,
  keywords: true,
  storeOptions: true,
  minScore: true,
  includeEmbeddings: true,
  scopes: true,
  signal: true,
} as const;

/** Ways of searching, by the verb that asks for each. */
const verbs = { dense: "search", hybrid: "hybridSearch", lexical: "textSearch", regex: "regexSearch" } as const;

/** Default number of records, as in the retriever. */
export const defaultTopK = 5;

/**
 * Chunks that match, as records: each once, where its best chunk stands.
 *
 * **Cost** a search for as many chunks as records are wanted; where several were of one record, another one for twice as many.
 */
export async function searchRecords(
  search: RecordSearch,
  mode: keyof typeof verbs,
  query: string,
  options: SearchOptions = {},
): Promise<readonly CollectionHit<AnyRecord, never>[]> {
  checkOptions(verbs[mode], options, optionNames);
  const { plan } = search;
  const { vectorProperty } = options;
  const own = (await search.apart()).of(vectorProperty);
  const metric = plan.metrics.get(vectorProperty ?? "");
  const usual = own === undefined && metric === undefined;
  return findRecords(search, mode, query, usual ? search.retriever : search.retrieverBy(own, metric), options);
}

/** As {@link searchRecords}, by a vector in place of a query. */
export async function searchRecordsByVector(
  search: RecordSearch,
  vector: Embedding,
  given: VectorOptions = {},
): Promise<readonly CollectionHit<AnyRecord, never>[]> {
  const { keywords: _, storeOptions: __, ...known } = optionNames;
  checkOptions("vectorSearch", given, { ...known, metric: true });
  const { plan } = search;
  const { metric, ...options } = given;
  if (metric !== undefined && !(metric in everyMetric)) {
    throw new IbidError("invalid-argument", `vectorSearch: metric is "${metric}".`, {
      hint: `Give one of: ${Object.keys(everyMetric).join(", ")}.`,
    });
  }
  const by = (await search.apart()).of(options.vectorProperty) ?? search.embedder;
  if (by === undefined) {
    throw new IbidError(
      "configuration-missing",
      `${plan.name} has no embedding model, so that no vector fits its own.`,
      {
        hint: "Open the knowledge base with models.embedding, or give the collection an embeddingModel.",
      },
    );
  }
  const serving = search.retrieverBy(answerWith(vector, by), metric ?? plan.metrics.get(options.vectorProperty ?? ""));
  // A reranker reads words, and there are none.
  return findRecords(search, "dense", "(a vector)", serving, options, false);
}

/** An embedder that knows the vector of the one query that it is asked for. **Errors** `dimension-mismatch`. */
function answerWith(vector: Embedding, by: Embedder): Embedder {
  const { provider, model, fingerprint } = by.model;
  const dimensions = by.version?.dimensions ?? dimensionsOf(vector) ?? 0;
  const version = by.version ?? { provider, model, dimensions, fingerprint: fingerprintVectors(fingerprint) };
  checkEmbedding(vector, version, "The vector");
  return { ...by, version, embed: async () => ({ version, embeddings: [vector], sent: 0 }) };
}

async function findRecords(
  search: RecordSearch,
  mode: keyof typeof verbs,
  query: string,
  retriever: Retriever,
  options: SearchOptions,
  rerank = true,
): Promise<readonly CollectionHit<AnyRecord, never>[]> {
  const { store, plan } = search;
  const {
    topK = defaultTopK,
    skip = 0,
    vectorProperty,
    minScore,
    includeEmbeddings,
    signal,
    keywords,
    storeOptions,
  } = options;
  checkPage(topK, skip);
  if (plan.strict) checkStrictly(plan, vectorProperty, includeEmbeddings);
  const filter = restrict(plan, vectorProperty, parseCollectionFilter(plan, options.filter));
  const scopes = await search.readable(options.scopes?.map(parseScope));
  if (!(await checkCollection(store, scopes, search.ownUri, plan))) return [];

  const retrieve = (chunks: number | "all"): Promise<readonly Hit[]> =>
    retriever.retrieve(scopes, query, {
      mode,
      filter,
      topK: chunks,
      ...(keywords !== undefined && { keywords }),
      ...(storeOptions !== undefined && { storeOptions }),
      ...(minScore !== undefined && { minScore }),
      ...(includeEmbeddings !== undefined && { includeEmbeddings }),
      ...(signal !== undefined && { signal }),
      ...(!rerank && { rerank }),
    });
  const wanted = topK === "all" ? "all" : skip + topK;
  const best = await bestOfEach(retrieve, wanted, ({ source }) => source.uri.startsWith(search.prefix));
  const found: CollectionHit<AnyRecord, never>[] = [];
  for (const [index, hit] of best.entries()) {
    if (index < skip) continue;
    const stored = await store.document(narrowProof(scopes, [hit.scope]), hit.documentId);
    // Deleted since it was found.
    if (stored === undefined) continue;
    const record = (await search.recordOf(stored)) as AnyRecord;
    found.push({ rank: index + 1, score: hit.score, key: record[plan.key] as never, record, scope: hit.scope, hit });
  }
  return found;
}

/** **Source** Semantic Kernel: one field is searched at a time, and vectors that a model made stay inside. */
function checkStrictly({ name, text }: CollectionPlan, field: string | undefined, embeddings = false): void {
  if (field === undefined && text.length > 1) {
    throw new IbidError("invalid-argument", `${name} has several text fields, and the search names none.`, {
      hint: `Give vectorProperty, one of: ${text.join(", ")}; or define the collection without strict.`,
    });
  }
  if (embeddings) {
    throw new IbidError("invalid-argument", `${name}: includeEmbeddings is set, and a model makes the vectors.`, {
      hint: "Leave it out, or define the collection without strict.",
    });
  }
}

/** A page of records, in the order that is asked for. */
export async function* pageOf(
  records: AsyncIterable<AnyRecord>,
  { orderBy, skip = 0, topK = "all" }: Pick<ListOptions, "orderBy" | "skip" | "topK">,
): AsyncGenerator<AnyRecord> {
  checkPage(topK, skip);
  const end = topK === "all" ? Infinity : skip + topK;
  const orders = orderBy === undefined ? [] : [orderBy].flat();
  for (const order of orders) checkOptions("list: orderBy", order, { field: true, direction: true });
  let at = 0;
  for await (const record of orders.length === 0 ? records : await ordered(records, orders)) {
    if (at >= skip) yield record;
    at += 1;
    if (at >= end) return;
  }
}

async function ordered(
  records: AsyncIterable<AnyRecord>,
  orders: readonly RecordOrder<string>[],
): Promise<AnyRecord[]> {
  const all: AnyRecord[] = [];
  for await (const record of records) all.push(record);
  return all.sort((a, b) => {
    for (const { field, direction = "asc" } of orders) {
      const order = compareValues(a[field], b[field], direction === "asc" ? 1 : -1);
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** Numbers by size, texts by their code units, and what is missing last in either direction. */
function compareValues(a: unknown, b: unknown, sign: 1 | -1): number {
  const [isA, isB] = [a, b].map((value) => value !== undefined && value !== null);
  if (!isA || !isB) return Number(isB) - Number(isA);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * compareCodePoints(String(a), String(b));
}

/** The first hit of each document, until there are enough documents or no more hits. */
async function bestOfEach(
  retrieve: (chunks: number | "all") => Promise<readonly Hit[]>,
  wanted: number | "all",
  belongs: (hit: Hit) => boolean,
): Promise<readonly Hit[]> {
  const firstOf = (hits: readonly Hit[]): readonly Hit[] => {
    const first = new Map<string, Hit>();
    for (const hit of hits.filter(belongs)) {
      const key = JSON.stringify([hit.scope, hit.documentId]);
      if (!first.has(key)) first.set(key, hit);
    }
    return [...first.values()];
  };
  if (wanted === "all") return firstOf(await retrieve("all"));
  for (let chunks = wanted; ; chunks *= 2) {
    const hits = await retrieve(chunks);
    const best = firstOf(hits);
    if (best.length >= wanted || hits.length < chunks) return best.slice(0, wanted);
  }
}

/**
 * A filter over declared fields, in the one form of the filter language.
 *
 * **Errors** `invalid-filter` as everywhere, and for a field that was not declared filterable: no record would match, whatever it holds.
 */
export function parseCollectionFilter(plan: CollectionPlan, given: unknown): Filter | undefined {
  if (given === undefined) return undefined;
  const filter = parseFilter(given as FilterInput);
  for (const key of keysOf(filter)) {
    if (plan.filterable.includes(key)) continue;
    throw new IbidError("invalid-filter", `${plan.name} cannot be filtered by "${key}".`, {
      hint:
        plan.filterable.length === 0 ? "Declare fields as filterable." : `Filterable: ${plan.filterable.join(", ")}.`,
    });
  }
  return filter;
}

function keysOf(filter: Filter): readonly string[] {
  if ("filters" in filter) return filter.filters.flatMap(keysOf);
  return "filter" in filter ? keysOf(filter.filter) : [filter.key];
}

function restrict(plan: CollectionPlan, field: string | undefined, filter: Filter | undefined): Filter {
  if (field !== undefined && !plan.vectors.includes(field)) {
    throw new IbidError("invalid-argument", `${plan.name} has no vectors of "${field}".`, {
      hint: plan.vectors.length === 0 ? "Declare vectors for the field." : `There are: ${plan.vectors.join(", ")}.`,
    });
  }
  const filters: Filter[] = [{ op: "eq", key: recordKeys.collection, value: plan.name }];
  if (field !== undefined) filters.push({ op: "eq", key: recordKeys.field, value: field });
  if (filter !== undefined) filters.push(filter);
  return { op: "and", filters };
}

/** **Source** Semantic Kernel: a top below 1 and a skip below 0 are errors. */
export function checkPage(topK: number | "all", skip: number): void {
  if (!Number.isSafeInteger(skip) || skip < 0) {
    throw new IbidError("invalid-argument", `skip is ${String(skip)}.`, { hint: "Give a whole number from 0." });
  }
  if (topK === "all" || (Number.isSafeInteger(topK) && topK >= 1)) return;
  throw new IbidError("invalid-argument", `topK is ${String(topK)}.`, {
    hint: 'Give a whole number from 1 up, or "all" for every match.',
  });
}
