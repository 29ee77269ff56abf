import type { Engine, EngineCondition } from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { inBytes } from "../engines/batches.ts";
import { checkDimensions } from "../engines/check-engine.ts";
import { createEngine, type MeasuredSpec, type OwnIndex, pageSize } from "../engines/create-engine.ts";
import { type EngineClient, type EngineService, serviceOptions } from "../engines/engine-client.ts";
import { asItIs, failedInPart, type NamedMeasure } from "../engines/engine-scores.ts";
import { checkOneOf } from "../engines/optional-client.ts";
import { type BearerToken, createTokenClient } from "../engines/token-client.ts";
import { writeCondition } from "../engines/translate-filter.ts";

/**
 * Options of {@link createAzureSearchEngine}.
 *
 * @experimental
 */
export interface AzureSearchOptions extends EngineService {
  /** A token of Entra ID in place of a key, or a function that gives one before each request. */
  readonly token?: BearerToken | undefined;
  /** Version of the interface. Default `"2024-07-01"`. */
  readonly apiVersion?: string | undefined;
  /** `"hnsw"` is a graph; `"exhaustiveKnn"` compares every entry. Default `"hnsw"`. */
  readonly algorithm?: "hnsw" | "exhaustiveKnn" | undefined;
  /** Parameters of the graph, such as `{ m: 8, efConstruction: 800, efSearch: 1000 }`. Default: the service's own. */
  readonly hnsw?: Readonly<Record<string, number>> | undefined;
  /** Fields of the service's request to create an index, such as `semantic` or `encryptionKey`. */
  readonly index?: Readonly<Record<string, unknown>> | undefined;
  /** Fields of the service's vector query, such as `{ exhaustive: true }` or `{ oversampling: 4 }`. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Longest usual wait until a write is found. **Units** milliseconds. Default 2,000. */
  readonly visibleAfterMs?: number | undefined;
}

/**
 * **Source** "Relevance in vector search": 1 divided by 1 and the distance, which for the cosine is 1 minus it. The service's `hamming` takes vectors of packed bits
 * alone.
 */
const measures = {
  cosine: { name: "cosine", score: (score: number): number => 2 - 1 / score },
  dot: { name: "dotProduct", score: asItIs },
  euclidean: { name: "euclidean", score: asItIs },
};

/** Documents of one answer. **Source** "Service limits in Azure AI Search". */
const mostFound = 1_000;

/** Bytes of one write: the service takes 16 MB. */
const mostBytes = 12_000_000;

/**
 * An engine over Azure AI Search, by its REST interface: an index for each base and embedding version.
 *
 * **Shape** names of indexes have `-` where those of ibid have `_`. The score of a product is the service's own, and orders only.
 * **Errors** `invalid-argument` for options; others as those of an `Engine`.
 * **Source** "Azure AI Search REST API reference", version 2024-07-01, read in November 2026.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createAzureSearchEngine({ url: "https://demo.search.windows.net", apiKey }) });
 *
 * @experimental
 */
export function createAzureSearchEngine(options: AzureSearchOptions): Engine {
  checkGiven("createAzureSearchEngine", "the options", options, "object");
  checkOptions("createAzureSearchEngine", options, {
    ...serviceOptions,
    token: true,
    apiVersion: true,
    algorithm: true,
    hnsw: true,
    index: true,
    query: true,
    visibleAfterMs: true,
  });
  const { apiVersion = "2024-07-01", algorithm = "hnsw", visibleAfterMs = 2_000 } = options;
  checkOneOf("azure-search", "algorithm", algorithm, ["hnsw", "exhaustiveKnn"]);
  const client = createTokenClient("azure-search", options, (key) => ({ "api-key": key }));
  const pathOf = (name: string): string => `/indexes('${name.replaceAll("_", "-")}')`;
  const version = `api-version=${encodeURIComponent(apiVersion)}`;
  const kinds = algorithm === "hnsw" ? (["flat", "hnsw"] as const) : (["flat"] as const);
  return createEngine({
    name: "azure-search",
    native: client,
    prefix: options.prefix,
    measures,
    query: options.query,
    capabilities: { visibleAfterMs, candidates: mostFound, records: { kinds, words: true } },
    async open(name, spec, signal) {
      const path = pathOf(name);
      const found = await readIndex(client, `${path}?${version}`, signal);
      if (found === undefined) {
        const body = {
          ...options.index,
          ...describeIndex(path, spec, spec.kind === "flat" ? "exhaustiveKnn" : algorithm, options.hnsw),
        };
        // 400: another process has just made it; the look tells.
        await client.call("create an index", { method: "PUT", path: `${path}?${version}`, body, signal });
      }
      const dimensions = found?.fields?.find(({ name }) => name === "vector")?.dimensions;
      checkDimensions("azure-search", spec, dimensions ?? spec.dimensions);
      return createIndex(client, path, version, spec.measure);
    },
    async names(_, signal) {
      const call = { method: "GET", path: `/indexes?$select=name&${version}`, signal } as const;
      const { body } = await client.call<{ value: { name: string }[] }>("list indexes", call);
      return body.value.map(({ name }) => name.replaceAll("-", "_"));
    },
    drop: (name, signal) =>
      client.call("delete an index", { method: "DELETE", path: `${pathOf(name)}?${version}`, expects: [404], signal }),
  });
}

type IndexFields = { readonly fields?: readonly { readonly name: string; readonly dimensions?: number }[] };

async function readIndex(client: EngineClient, path: string, signal?: AbortSignal): Promise<IndexFields | undefined> {
  const found = await client.call<IndexFields>("read an index", { method: "GET", path, expects: [404], signal });
  return found.status === 404 ? undefined : found.body;
}

/** Numbers are pairs of a name and a value, because an index has no fields that it was not made with. */
function describeIndex(
  path: string,
  { dimensions, measure, records = false }: MeasuredSpec<NamedMeasure>,
  kind: "hnsw" | "exhaustiveKnn",
  hnsw: AzureSearchOptions["hnsw"],
): object {
  const parameters = { ...(kind === "hnsw" && hnsw), metric: measure.name };
  const simple = { searchable: false, filterable: false, sortable: false, facetable: false };
  const text = { ...simple, type: "Edm.String" };
  return {
    name: path.slice("/indexes('".length, -2),
    fields: [
      { ...text, name: "key", key: true, filterable: true, sortable: true },
      { ...text, name: "ref" },
      ...(records
        ? [
            { ...text, name: "json" },
            { ...text, name: "text", searchable: true },
          ]
        : []),
      { ...simple, name: "tags", type: "Collection(Edm.String)", filterable: true },
      {
        name: "numbers",
        type: "Collection(Edm.ComplexType)",
        fields: [
          { ...text, name: "name", filterable: true },
          { ...simple, name: "value", type: "Edm.Double", filterable: true },
        ],
      },
      {
        name: "vector",
        type: "Collection(Edm.Single)",
        searchable: true,
        retrievable: true,
        dimensions,
        vectorSearchProfile: "ibid",
      },
    ],
    vectorSearch: {
      algorithms: [{ name: "ibid", kind, [`${kind}Parameters`]: parameters }],
      profiles: [{ name: "ibid", algorithm: "ibid" }],
    },
  };
}

interface ItemResult {
  readonly status: boolean;
  readonly statusCode: number;
  readonly errorMessage?: string | null;
}

type Found<Row> = { "@odata.count"?: number; value: (Row & { "@search.score": number })[] };

function createIndex(client: EngineClient, path: string, version: string, { score }: NamedMeasure): OwnIndex {
  /** Some documents of a write can fail while others are kept: status 207, with a result for each. */
  async function write(operation: string, documents: readonly object[], signal?: AbortSignal): Promise<void> {
    const texts = documents.map((document) => JSON.stringify(document));
    for (const some of inBytes(texts, mostBytes)) {
      const at = `${path}/docs/search.index?${version}`;
      type Results = { value: readonly ItemResult[] };
      const { value } = await client.post<Results>(operation, at, `{"value":[${some.join(",")}]}`, signal);
      // A document that is not there cannot be deleted, and that is as wanted.
      const failed = value.find(({ status, statusCode }) => !status && statusCode !== 404);
      if (failed === undefined) continue;
      const { errorMessage, statusCode } = failed;
      throw failedInPart("azure-search", operation, errorMessage ?? `status ${statusCode}`, statusCode);
    }
  }

  async function search<Row>(operation: string, body: object, signal?: AbortSignal): Promise<Found<Row>> {
    return client.post<Found<Row>>(operation, `${path}/docs/search.post.search?${version}`, body, signal);
  }

  return {
    score,
    async put(entries, signal) {
      const documents = entries.map(({ key, ref, tags, numbers, vector, record }) => ({
        "@search.action": "upload",
        key,
        ref,
        tags,
        numbers: Object.entries(numbers).map(([name, value]) => ({ name, value })),
        ...(record && { json: record.json ?? null, text: record.text }),
        vector: [...vector],
      }));
      await write("write documents", documents, signal);
    },
    async delete(keys, signal) {
      const documents = keys.map((key) => ({ "@search.action": "delete", key }));
      await write("delete documents", documents, signal);
    },
    async count(tag, signal) {
      return (await search("count", { filter: has(tag), count: true, top: 0 }, signal))["@odata.count"] ?? 0;
    },
    async list(tag, from, signal) {
      const filter = from === undefined ? has(tag) : `${has(tag)} and key gt '${from}'`;
      const body = { filter, orderby: "key asc", select: "key", top: pageSize };
      const { value } = await search<{ key: string }>("list", body, signal);
      return value.map(({ key }) => key);
    },
    async read(keys, signal) {
      const body = { filter: `search.in(key, '${keys.join(",")}', ',')`, select: "key,ref,json", top: pageSize };
      return (await search<{ key: string; ref: string; json: string | null }>("read", body, signal)).value;
    },
    async readVectors(keys, signal) {
      // An index of an earlier version gives no vectors back, and the service says so.
      const body = { filter: `search.in(key, '${keys.join(",")}', ',')`, select: "key,vector", top: pageSize };
      return (await search<{ key: string; vector: readonly number[] }>("read vectors", body, signal)).value;
    },
    async nearest({ vector, condition, limit, words, options, signal }) {
      const filter = writeFilter(condition);
      const body = {
        vectorQueries: [{ ...options, kind: "vector", vector: [...vector], fields: "vector", k: limit }],
        ...(filter !== undefined && { filter, vectorFilterMode: "preFilter" }),
        ...(words !== undefined && { search: plainWords(words), searchFields: "text" }),
        select: "ref",
        top: limit,
      };
      const { value } = await search<{ ref: string }>("search", body, signal);
      return value.map((row) => ({ ref: row.ref, score: row["@search.score"] }));
    },
  };
}

/** Words without the signs of the service's simple query syntax. */
const plainWords = (words: string): string => words.replaceAll(/[-+|"()*~\\]/gu, " ");

const has = (tag: string): string => `tags/any(t: t eq '${tag}')`;

/** Tags and keys are hexadecimal digits, so that they stand in the filter as they are. */
function writeFilter(condition: EngineCondition | undefined): string | undefined {
  return writeCondition<string>(condition, {
    has,
    lacks: (tag) => `tags/all(t: t ne '${tag}')`,
    number: (key, is, value) => `numbers/any(n: n/name eq '${key}' and n/value ${comparisons[is]} ${value})`,
    and: (parts) => `(${parts.join(" and ")})`,
    or: (parts) => `(${parts.join(" or ")})`,
    nothing: () => has("none"),
  });
}

const comparisons = { gt: "gt", gte: "ge", lt: "lt", lte: "le" } as const;
