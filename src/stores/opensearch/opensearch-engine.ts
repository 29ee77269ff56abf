import type {
  Engine,
  EngineCondition,
  EngineEntry,
  EngineIndex,
  EngineIndexSpec,
  EngineMetric,
} from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkDimensions, checkPrefix, everyCondition } from "../engines/check-engine.ts";
import { addressOptions, createEngineClient, type EngineAddress, type EngineClient } from "../engines/engine-client.ts";
import { failedInPart, fromSquare, pageOf } from "../engines/engine-scores.ts";
import { writeCondition } from "../engines/translate-filter.ts";

/**
 * Options of {@link createOpenSearchEngine} and {@link createElasticsearchEngine}.
 *
 * @experimental
 */
export interface OpenSearchOptions extends EngineAddress {
  /** Key of Elasticsearch: it travels as `Authorization: ApiKey …`. */
  readonly apiKey?: string | undefined;
  /** Beginning of the names of indexes. Default `"ibid"`. */
  readonly prefix?: string | undefined;
  /** `settings.index` of new indexes, such as `number_of_shards`. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** `"wait_for"` waits for the next refresh of the index; `"true"` makes one, which costs more. Default `"wait_for"`. */
  readonly refresh?: "wait_for" | "true" | undefined;
}

/** The parts in which the two servers differ. */
interface Flavour {
  readonly name: string;
  vectorField(spec: EngineIndexSpec): object;
  readonly settings: object;
  search(vector: readonly number[], limit: number, filter: object | undefined): object;
  /** Words beside the vector: the scores of both are added. Absent where the server does not add them. */
  readonly addWords?: (search: object, words: string, filter: object | undefined) => object;
  dimensionsOf(field: Readonly<Record<string, unknown>> | undefined): unknown;
}

/** Neighbours that each segment looks at: more find more. **Source** recall of .99 in `createEnginePack`; Lucene looks at `k` otherwise. */
const searchedNeighbours = 400;

const openSearch: Flavour = {
  name: "opensearch",
  vectorField: ({ dimensions, metric }) => ({
    type: "knn_vector",
    dimension: dimensions,
    method: {
      name: "hnsw",
      engine: "lucene",
      space_type: { cosine: "cosinesimil", dot: "innerproduct", euclidean: "l2" }[metric],
      parameters: { m: 16, ef_construction: 200 },
    },
  }),
  settings: { knn: true },
  search: (vector, limit, filter) => ({
    query: {
      knn: { vector: { vector, k: Math.max(limit, searchedNeighbours), ...(filter !== undefined && { filter }) } },
    },
  }),
  dimensionsOf: (field) => field?.["dimension"],
};

const elasticsearch: Flavour = {
  name: "elasticsearch",
  vectorField: ({ dimensions, metric }) => ({
    type: "dense_vector",
    dims: dimensions,
    index: true,
    similarity: { cosine: "cosine", dot: "max_inner_product", euclidean: "l2_norm" }[metric],
    index_options: { type: "hnsw", m: 16, ef_construction: 200 },
  }),
  settings: {},
  search: (vector, k, filter) => ({
    knn: {
      field: "vector",
      query_vector: vector,
      k,
      num_candidates: Math.min(10_000, Math.max(2 * k, searchedNeighbours)),
      ...(filter !== undefined && { filter }),
    },
  }),
  addWords: (search, words, filter) => ({
    ...search,
    query: { bool: { must: [{ match: { text: words } }], ...(filter !== undefined && { filter: [filter] }) } },
  }),
  dimensionsOf: (field) => field?.["dims"],
};

const pageSize = 1_000;

/**
 * An engine over OpenSearch 2.13 or later with its k-NN plugin: an index for each base and embedding version.
 *
 * **Errors** `invalid-argument` for options; others as those of an `Engine`.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createOpenSearchEngine({ url: "http://127.0.0.1:9200" }) });
 *
 * @experimental
 */
export function createOpenSearchEngine(options: OpenSearchOptions): Engine {
  return createLuceneEngine(openSearch, options);
}

/**
 * As {@link createOpenSearchEngine}, for Elasticsearch 8.11 or later.
 *
 * @experimental
 */
export function createElasticsearchEngine(options: OpenSearchOptions): Engine {
  return createLuceneEngine(elasticsearch, options);
}

function createLuceneEngine(flavour: Flavour, options: OpenSearchOptions): Engine {
  checkGiven(flavour.name, "the options", options, "object");
  checkOptions(flavour.name, options, {
    ...addressOptions,
    apiKey: true,
    prefix: true,
    settings: true,
    refresh: true,
  });
  const headers = {
    ...options.headers,
    ...(options.apiKey !== undefined && { authorization: `ApiKey ${options.apiKey}` }),
  };
  const client = createEngineClient(flavour.name, { ...options, headers });
  const prefix = `${checkPrefix(flavour.name, options.prefix ?? "ibid")}_`;
  return {
    name: flavour.name,
    native: client,
    capabilities: {
      exhaustive: false,
      conditions: everyCondition,
      metrics: ["cosine", "dot", "euclidean"],
      visibleAfterMs: 0,
      candidates: 10_000,
      batch: 500,
      records: { kinds: ["hnsw"], words: flavour.addWords !== undefined },
    },
    async open(spec, signal) {
      const path = `/${prefix}${spec.name}`;
      await makeIndex(client, flavour, path, spec, options.settings, signal);
      return createIndex(client, flavour, path, spec.metric, options.refresh ?? "wait_for");
    },
    async indexes(beginning, signal) {
      const path = `/_cat/indices/${prefix}${beginning}*?format=json&h=index`;
      const { body } = await client.call<{ index: string }[]>("list indexes", {
        method: "GET",
        path,
        expects: [404],
        signal,
      });
      return Array.isArray(body) ? body.map(({ index }) => index.slice(prefix.length)) : [];
    },
    async drop(name, signal) {
      await client.call("delete an index", { method: "DELETE", path: `/${prefix}${name}`, expects: [404], signal });
    },
  };
}

async function makeIndex(
  client: EngineClient,
  flavour: Flavour,
  path: string,
  spec: EngineIndexSpec,
  settings: OpenSearchOptions["settings"],
  signal: AbortSignal | undefined,
): Promise<void> {
  type Mapping = Record<string, { mappings: { properties?: Record<string, Record<string, unknown>> } }>;
  const look = () =>
    client.call<Mapping>("read an index", { method: "GET", path: `${path}/_mapping`, expects: [404], signal });
  let found = await look();
  if (found.status === 404) {
    const body = {
      settings: { index: { ...flavour.settings, ...settings } },
      mappings: {
        dynamic: "false",
        properties: {
          key: { type: "keyword" },
          ref: { type: "keyword", index: false, doc_values: false },
          tags: { type: "keyword" },
          numbers: { type: "object", dynamic: "true" },
          vector: flavour.vectorField(spec),
          ...(spec.records === true && {
            record: { type: "keyword", index: false, doc_values: false },
            text: { type: "text" },
          }),
        },
        dynamic_templates: [{ numbers: { path_match: "numbers.*", mapping: { type: "double" } } }],
      },
    };
    // 400: another process has just made it; the look tells.
    await client.call("make an index", { method: "PUT", path, body, expects: [400], signal });
    found = await look();
    if (found.status === 404) await client.call("make an index", { method: "PUT", path, body, signal });
  }
  const field = Object.values(found.body)[0]?.mappings.properties?.["vector"];
  checkDimensions(flavour.name, spec, Number(flavour.dimensionsOf(field) ?? spec.dimensions));
}

type Answer<Source> = { hits: { hits: { _score: number; _source: Source; sort?: [string] }[] } };

function createIndex(
  client: EngineClient,
  flavour: Flavour,
  path: string,
  metric: EngineMetric,
  refresh: string,
): EngineIndex {
  async function bulk(operation: string, lines: readonly object[], signal: AbortSignal | undefined): Promise<void> {
    const { body } = await client.call<{
      errors: boolean;
      items: Record<string, { status: number; error?: { reason?: string } }>[];
    }>(operation, {
      method: "POST",
      path: `${path}/_bulk?refresh=${refresh}`,
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
      contentType: "application/x-ndjson",
      signal,
    });
    if (!body.errors) return;
    const failed = body.items
      .flatMap((item) => Object.values(item))
      .find(({ status }) => status >= 300 && status !== 404);
    if (failed === undefined) return;
    const { error, status } = failed;
    throw failedInPart(flavour.name, operation, error?.reason ?? `status ${status}`, status);
  }

  return {
    put: (entries, signal) =>
      bulk(
        "write",
        entries.flatMap(({ key, ref, tags, numbers, vector, record }: EngineEntry) => [
          { index: { _id: key } },
          {
            key,
            ref,
            tags,
            numbers,
            vector: [...vector],
            ...(record && { record: record.json, text: record.text, fields: record.fields }),
          },
        ]),
        signal,
      ),
    delete: (keys, signal) =>
      bulk(
        "delete",
        keys.map((key) => ({ delete: { _id: key } })),
        signal,
      ),
    async count(tag, signal) {
      const body = { query: { term: { tags: tag } } };
      return (await client.call<{ count: number }>("count", { method: "POST", path: `${path}/_count`, body, signal }))
        .body.count;
    },
    async list(tag, from, signal) {
      const body = {
        query: { term: { tags: tag } },
        _source: ["key"],
        sort: [{ key: "asc" }],
        size: pageSize,
        ...(from !== undefined && { search_after: [from] }),
      };
      const found = await client.call<Answer<{ key: string }>>("list", {
        method: "POST",
        path: `${path}/_search`,
        body,
        signal,
      });
      return pageOf(
        found.body.hits.hits.map(({ _source }) => _source.key),
        pageSize,
      );
    },
    async read(keys, signal) {
      type Found = { docs: { _id: string; found?: boolean; _source?: { ref: string; record?: string } }[] };
      const found = await client.call<Found>("read", {
        method: "POST",
        path: `${path}/_mget?_source=ref,record`,
        body: { ids: keys },
        signal,
      });
      return found.body.docs.flatMap(({ _id, _source }) =>
        _source?.record === undefined ? [] : [{ key: _id, ref: _source.ref, json: _source.record }],
      );
    },
    async nearest({ vector, condition, limit, words, options, signal }) {
      const filter = writeQuery(condition);
      const search = flavour.search([...vector], limit, filter);
      const body = {
        ...(options as object | undefined),
        ...(words === undefined ? search : flavour.addWords?.(search, words, filter)),
        size: limit,
        _source: ["ref"],
      };
      const found = await client.call<Answer<{ ref: string }>>("search", {
        method: "POST",
        path: `${path}/_search`,
        body,
        signal,
      });
      return found.body.hits.hits.map(({ _score, _source }) => ({
        ref: _source.ref,
        score: words === undefined ? scores[metric](_score) : _score,
      }));
    },
  };
}

/** Scores of Lucene back into those of the metric. **Source** "Spaces" in OpenSearch's k-NN documentation, `similarity` in Elasticsearch's of dense_vector. */
const scores: Readonly<Record<EngineMetric, (score: number) => number>> = {
  cosine: (score) => 2 * score - 1,
  dot: (score) => (score >= 1 ? score - 1 : 1 - 1 / score),
  euclidean: (score) => fromSquare(1 / score - 1),
};

function writeQuery(condition: EngineCondition | undefined): object | undefined {
  return writeCondition<object>(condition, {
    has: (tag) => ({ term: { tags: tag } }),
    lacks: (tag) => ({ bool: { must_not: [{ term: { tags: tag } }] } }),
    number: (key, is, value) => ({ range: { [`numbers.${key}`]: { [is]: value } } }),
    and: (parts) => ({ bool: { filter: parts } }),
    or: (parts) => ({ bool: { should: parts, minimum_should_match: 1 } }),
    nothing: () => ({ match_none: {} }),
  });
}
