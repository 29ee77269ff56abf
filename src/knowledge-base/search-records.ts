import { narrowProof } from "../access/gate.ts";
import { parseScope } from "../access/scopes.ts";
import type { CollectionPlan } from "./records/check-definition.ts";
import type { CollectionFilter, CollectionHit, CollectionSearchOptions } from "../contracts/collection.ts";
import type { StoredDocument } from "../contracts/document-store.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Filter, FilterInput } from "../contracts/filter.ts";
import type { Store } from "../contracts/store.ts";
import type { Hit, Retriever } from "../contracts/retriever.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import type { Embedder } from "../contracts/embedding-model.ts";
import { parseFilter } from "../engine/filters/parse-filter.ts";
import { recordKeys } from "./records/collection-uri.ts";
import { checkOptions } from "../runtime/check-options.ts";
import type { ApartEmbedders } from "./apart-embedders.ts";
import { checkCollection } from "./collection-mark.ts";

export interface RecordSearch {
  readonly store: Store;
  readonly plan: CollectionPlan;
  readonly ownUri: string;
  readonly prefix: string;
  readonly readable: (requested?: readonly Scope[]) => Promise<AuthorizedScopes>;
  readonly retriever: Retriever;
  readonly retrieverBy: (embedder: Embedder) => Retriever;
  readonly apart: () => Promise<ApartEmbedders>;
  readonly recordOf: (stored: StoredDocument) => Promise<unknown>;
}

type AnyRecord = Record<string, unknown>;
type SearchOptions = CollectionSearchOptions<CollectionFilter<AnyRecord, string>, string>;

const optionNames = {
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
const verbs = { dense: "search", hybrid: "hybridSearch", lexical: "textSearch" } as const;

/** Default number of records, as in the retriever. */
const defaultTopK = 5;

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
  const { store, plan, apart } = search;
  checkOptions(verbs[mode], options, optionNames);
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
  const filter = restrict(plan, vectorProperty, parseCollectionFilter(plan, options.filter));
  const scopes = await search.readable(options.scopes?.map(parseScope));
  if (!(await checkCollection(store, scopes, search.ownUri, plan))) return [];

  const own = (await apart()).of(vectorProperty);
  const retriever = own === undefined ? search.retriever : search.retrieverBy(own);
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
function checkPage(topK: number | "all", skip: number): void {
  if (!Number.isSafeInteger(skip) || skip < 0) {
    throw new IbidError("invalid-argument", `skip is ${String(skip)}.`, { hint: "Give a whole number from 0." });
  }
  if (topK === "all" || (Number.isSafeInteger(topK) && topK >= 1)) return;
  throw new IbidError("invalid-argument", `topK is ${String(topK)}.`, {
    hint: 'Give a whole number from 1 up, or "all" for every match.',
  });
}
