import { parseScope } from "../../access/scopes.ts";
import type {
  CollectionFilter,
  CollectionHit,
  CollectionSearchOptions,
  CollectionVectorOptions,
} from "../../contracts/collection.ts";
import type { Embedding, Metric } from "../../contracts/embedding.ts";
import type { Embedder } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import { dimensionsOf } from "../../models/embedder/check-embedding.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { hashParts } from "../../runtime/hash.ts";
import { engineMetric } from "../../stores/engines/check-engine.ts";
import type { FoundRow } from "../../stores/engines/engine-records.ts";
import { checkCollection } from "../collection-mark.ts";
import type { AnyCollection } from "../parts.ts";
import type { KeptRecord } from "../records/check-against-schema.ts";
import { recordUri } from "../records/collection-uri.ts";
import { filterableOf } from "../records/compose-record.ts";
import { checkPage, defaultTopK, optionNames, parseCollectionFilter } from "../search-records.ts";
import type { EngineCollectionParts, EnginePlaces } from "./engine-places.ts";
import { parseStoredValue } from "../../runtime/parse-stored.ts";

type AnyRecord = Record<string, unknown>;
type AnyFilter = CollectionFilter<AnyRecord, string>;
type SearchOptions = CollectionSearchOptions<AnyFilter, string>;

/** The verbs that search records of an engine. */
export function createEngineSearch(
  parts: EngineCollectionParts,
  places: EnginePlaces,
): Pick<AnyCollection, "search" | "vectorSearch" | "hybridSearch" | "textSearch"> {
  const { store, plan, engine, ownUri, readable } = parts;
  const { fields, embedderOf, placesOf, toRecord, partText, denseOf, lacks } = places;
  const { name } = plan;

  async function find(
    verb: string,
    options: SearchOptions,
    vectorOf: (by: Embedder) => Promise<Embedding>,
    more: { readonly metric?: Metric | undefined; readonly words?: string },
  ): Promise<readonly CollectionHit<AnyRecord, never>[]> {
    const { topK = defaultTopK, skip = 0, vectorProperty, minScore, includeEmbeddings, storeOptions, signal } = options;
    checkPage(topK, skip);
    if (includeEmbeddings === true) throw lacks(`${verb} with includeEmbeddings`, `Ask kb.native("${engine.name}").`);
    const filter = parseCollectionFilter(plan, options.filter);
    const scopes = await readable(options.scopes?.map(parseScope));
    if (!(await checkCollection(store, scopes, ownUri, plan))) return [];
    const asked = vectorProperty === undefined ? fields : [vectorProperty];
    if (vectorProperty !== undefined && !plan.vectors.includes(vectorProperty)) {
      throw new IbidError("invalid-argument", `${name} has no vectors of "${vectorProperty}".`, {
        hint: plan.vectors.length === 0 ? "Declare vectors for the field." : `There are: ${plan.vectors.join(", ")}.`,
      });
    }
    const vector = await vectorOf(await embedderOf(asked[0]!));
    const found: FoundRow[] = [];
    for (const { scopes: held, specs, table } of await placesOf(scopes)) {
      const spec = specs.get(asked[0]!)!;
      if (asked.some((field) => specs.get(field)?.name !== spec.name) || (plan.strict && asked.length > 1)) {
        throw new IbidError("invalid-argument", `${name} has several text fields, and the search names none.`, {
          hint: `Give vectorProperty, one of: ${plan.vectors.join(", ")}.`,
        });
      }
      if (more.metric !== undefined && engineMetric(engine, more.metric) !== spec.metric)
        throw lacks(`the metric "${more.metric}" for this index`, `The index was made for "${spec.metric}".`);
      const wanted = topK === "all" ? topK : skip + topK;
      const request = { scopes: held, parts: asked, vector: denseOf(vector, spec.dimensions), wanted };
      found.push(...(await table.search({ ...request, filter, words: more.words, options: storeOptions, signal })));
    }
    found.sort((a, b) => b.score - a.score);
    const passing = found.filter(({ score }) => minScore === undefined || score >= minScore);
    const page = passing.slice(skip, topK === "all" ? undefined : skip + topK);
    return Promise.all(page.map((row, i) => toHit(row, skip + i + 1)));
  }

  async function toHit(row: FoundRow, rank: number): Promise<CollectionHit<AnyRecord, never>> {
    const { scope, score } = row;
    const record = await toRecord(row);
    const uri = recordUri(name, row.key);
    const kept: KeptRecord = { key: row.key, json: row.json, value: parseStoredValue(row.json) as KeptRecord["value"] };
    const text = partText(kept, row.part);
    const documentId = hashParts(scope, uri);
    const source = { uri, title: row.key, headings: row.part === "" ? [] : [row.part], start: 0, end: text.length };
    const metadata = filterableOf(plan, kept);
    const chunkId = hashParts(documentId, row.part);
    const hit = { rank, score, chunkId, documentId, scope, text, snippet: text, source, metadata } as const;
    return { rank, score, key: record[plan.key] as never, record, scope, hit: { ...hit, origin: "user-content" } };
  }

  const embedQuery =
    (query: string, signal: AbortSignal | undefined) =>
    async (by: Embedder): Promise<Embedding> =>
      (await by.embed([query], { purpose: "query", ...(signal && { signal }) })).embeddings[0]!;

  return {
    async search(query, options = {}) {
      checkOptions("search", options, optionNames);
      return find("search", options, embedQuery(query, options.signal), {});
    },

    async vectorSearch(vector, options = {}) {
      const { keywords: _, storeOptions: __, ...known } = optionNames;
      checkOptions("vectorSearch", options, { ...known, metric: true });
      const { metric } = options as CollectionVectorOptions<AnyFilter, string>;
      return find("vectorSearch", options, async () => checkedVector(vector), { metric });
    },

    async hybridSearch(query, options = {}) {
      checkOptions("hybridSearch", options, optionNames);
      if (engine.capabilities.records?.words !== true)
        throw lacks("a hybrid search of its own", "Call search(), or keep the collection in documents.");
      const words = options.keywords?.join(" ") ?? query;
      return find("hybridSearch", options, embedQuery(query, options.signal), { words });
    },

    async textSearch() {
      throw lacks("a search by words alone that ibid asks for", "Keep the collection in documents.");
    },
  };

  function checkedVector(vector: Embedding): Embedding {
    if (dimensionsOf(vector) !== undefined && Array.from(vector as readonly number[]).every(Number.isFinite))
      return vector;
    throw new IbidError("invalid-argument", `${name}: the vector is no list of finite numbers.`, {
      hint: "Give a dense vector of the model that serves the field.",
    });
  }
}
