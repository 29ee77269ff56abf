import type { Engine, EngineCondition } from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkDimensions } from "../engines/check-engine.ts";
import { createEngine, type MeasuredSpec, type OwnIndex, pageSize } from "../engines/create-engine.ts";
import {
  createServiceClient,
  type EngineClient,
  type EngineService,
  serviceOptions,
} from "../engines/engine-client.ts";
import { failedInPart, fromSquare, type Measures, type NamedMeasure } from "../engines/engine-scores.ts";
import { findOrMake } from "../engines/find-or-make.ts";
import { createNumberFields } from "../engines/number-fields.ts";
import { writeCondition } from "../engines/translate-filter.ts";

/**
 * Options of {@link createOpenSearchEngine} and {@link createElasticsearchEngine}.
 *
 * @experimental
 */
export interface OpenSearchOptions extends EngineService {
  /** `settings.index` of new indexes, such as `number_of_shards`. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** `"wait_for"` waits for the next refresh of the index; `"true"` makes one, which costs more. Default `"wait_for"`. */
  readonly refresh?: "wait_for" | "true" | undefined;
}

/** A search as the server takes it. */
interface Search {
  readonly query?: object;
  readonly knn?: object;
}

/** The parts in which the two servers differ. */
interface Flavour {
  readonly name: string;
  readonly measures: Measures<NamedMeasure>;
  vectorField(spec: MeasuredSpec<NamedMeasure>): object;
  readonly settings: object;
  search(vector: readonly number[], limit: number, filter: object | undefined): Search;
  /** Words beside the vector: the scores of both are added. */
  addWords(search: Search, words: string, filter: object | undefined): object;
  dimensionsOf(field: Readonly<Record<string, unknown>> | undefined): unknown;
}

/** Neighbours that each segment looks at: more find more. **Source** recall of .99 in `createEnginePack`; Lucene looks at `k` otherwise. */
const searchedNeighbours = 400;

/** Scores of Lucene back into those of the metric. **Source** "Spaces" in OpenSearch's k-NN documentation, `similarity` in Elasticsearch's of dense_vector. */
const scores = {
  cosine: (score: number): number => 2 * score - 1,
  dot: (score: number): number => (score >= 1 ? score - 1 : 1 - 1 / score),
  euclidean: (score: number): number => fromSquare(1 / score - 1),
};

const openSearch: Flavour = {
  name: "opensearch",
  // The spaces that Lucene's graph has. Others are for scripts, or for bits.
  measures: {
    cosine: { name: "cosinesimil", score: scores.cosine },
    dot: { name: "innerproduct", score: scores.dot },
    euclidean: { name: "l2", score: scores.euclidean },
  },
  vectorField: ({ dimensions, measure }) => ({
    type: "knn_vector",
    dimension: dimensions,
    method: {
      name: "hnsw",
      engine: "lucene",
      space_type: measure.name,
      parameters: { m: 16, ef_construction: 200 },
    },
  }),
  settings: { knn: true },
  search: (vector, limit, filter) => ({
    query: {
      knn: { vector: { vector, k: Math.max(limit, searchedNeighbours), ...(filter !== undefined && { filter }) } },
    },
  }),
  addWords: ({ query }, words, filter) => ({
    query: {
      bool: {
        should: [query, { match: { text: words } }],
        minimum_should_match: 1,
        ...(filter !== undefined && { filter: [filter] }),
      },
    },
  }),
  dimensionsOf: (field) => field?.["dimension"],
};

const elasticsearch: Flavour = {
  name: "elasticsearch",
  // Every similarity of floating-point numbers. Its `dot_product` is for vectors of length 1 alone.
  measures: {
    cosine: { name: "cosine", score: scores.cosine },
    dot: { name: "max_inner_product", score: scores.dot },
    euclidean: { name: "l2_norm", score: scores.euclidean },
  },
  vectorField: ({ dimensions, measure }) => ({
    type: "dense_vector",
    dims: dimensions,
    index: true,
    similarity: measure.name,
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
  checkOptions(flavour.name, options, { ...serviceOptions, settings: true, refresh: true });
  const { settings, refresh = "wait_for" } = options;
  const client = createServiceClient(flavour.name, options, (key) => ({ authorization: `ApiKey ${key}` }));
  return createEngine({
    name: flavour.name,
    native: client,
    prefix: options.prefix,
    measures: flavour.measures,
    capabilities: { records: { kinds: ["hnsw"], words: true, mayLackWords: true } },
    async open(name, spec, signal) {
      await makeIndex(client, flavour, `/${name}`, spec, settings, signal);
      return createIndex(client, flavour, `/${name}`, spec.measure, refresh);
    },
    async names(beginning, signal) {
      const path = `/_cat/indices/${beginning}*?format=json&h=index`;
      const call = { method: "GET", path, expects: [404], signal } as const;
      const { body } = await client.call<{ index: string }[]>("list indexes", call);
      return Array.isArray(body) ? body.map(({ index }) => index) : [];
    },
    drop: (name, signal) =>
      client.call("delete an index", { method: "DELETE", path: `/${name}`, expects: [404], signal }),
  });
}

async function makeIndex(
  client: EngineClient,
  flavour: Flavour,
  path: string,
  spec: MeasuredSpec<NamedMeasure>,
  settings: OpenSearchOptions["settings"],
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = await findOrMake(
    flavour.name,
    "make an index",
    () => readMapping(client, path, signal),
    () => {
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
      return client.call("make an index", { method: "PUT", path, body, signal });
    },
  );
  const fields = fieldsOf(found);
  checkDimensions(flavour.name, spec, Number(flavour.dimensionsOf(fields?.["vector"]) ?? spec.dimensions));
  // An index of an earlier version has no field for words.
  if (spec.records === true && fields !== undefined && fields["text"] === undefined) {
    const body = { properties: { text: { type: "text" } } };
    await client.call("index the words", { method: "PUT", path: `${path}/_mapping`, body, signal });
  }
}

type Fields = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type Mapping = Readonly<Record<string, { readonly mappings: { readonly properties?: Fields } }>>;

async function readMapping(client: EngineClient, path: string, signal?: AbortSignal): Promise<Mapping | undefined> {
  const call = { method: "GET", path: `${path}/_mapping`, expects: [404], signal } as const;
  const { status, body } = await client.call<Mapping>("read an index", call);
  return status === 404 ? undefined : body;
}

const fieldsOf = (mapping: Mapping | undefined): Fields | undefined =>
  Object.values(mapping ?? {})[0]?.mappings.properties;

type Answer<Source> = { hits: { hits: { _score: number; _source: Source; sort?: [string] }[] } };

function createIndex(
  client: EngineClient,
  flavour: Flavour,
  path: string,
  measure: NamedMeasure,
  refresh: string,
): OwnIndex {
  // A write maps each new number. OpenSearch 2.13 fails where a filter compares one that is not mapped.
  const look = async (signal?: AbortSignal): Promise<readonly string[]> => {
    const numbers = fieldsOf(await readMapping(client, path, signal))?.["numbers"]?.["properties"];
    return Object.keys(numbers ?? {});
  };
  const numbers = createNumberFields([], look, async () => {});

  async function bulk(operation: string, lines: readonly object[], signal: AbortSignal | undefined): Promise<void> {
    type Results = { errors: boolean; items: Record<string, { status: number; error?: { reason?: string } }>[] };
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const call = { method: "POST", path: `${path}/_bulk?refresh=${refresh}`, body: text, signal } as const;
    const { body } = await client.call<Results>(operation, { ...call, contentType: "application/x-ndjson" });
    if (!body.errors) return;
    const failed = body.items
      .flatMap((item) => Object.values(item))
      .find(({ status }) => status >= 300 && status !== 404);
    if (failed === undefined) return;
    const { error, status } = failed;
    throw failedInPart(flavour.name, operation, error?.reason ?? `status ${status}`, status);
  }

  return {
    score: measure.score,
    numbers,
    async put(entries, signal) {
      const lines = entries.flatMap(({ record, vector, ...entry }) => {
        const kept = record && { record: record.json, text: record.text, fields: record.fields };
        return [{ index: { _id: entry.key } }, { ...entry, vector: [...vector], ...kept }];
      });
      await bulk("write", lines, signal);
    },
    async delete(keys, signal) {
      const lines = keys.map((key) => ({ delete: { _id: key } }));
      await bulk("delete", lines, signal);
    },
    async count(tag, signal) {
      const body = { query: { term: { tags: tag } } };
      return (await client.post<{ count: number }>("count", `${path}/_count`, body, signal)).count;
    },
    async list(tag, from, signal) {
      const body = {
        query: { term: { tags: tag } },
        _source: ["key"],
        sort: [{ key: "asc" }],
        size: pageSize,
        ...(from !== undefined && { search_after: [from] }),
      };
      const { hits } = await client.post<Answer<{ key: string }>>("list", `${path}/_search`, body, signal);
      return hits.hits.map(({ _source }) => _source.key);
    },
    async read(keys, signal) {
      type Found = { docs: { _id: string; found?: boolean; _source?: { ref: string; record?: string } }[] };
      const at = `${path}/_mget?_source=ref,record`;
      const { docs } = await client.post<Found>("read", at, { ids: keys }, signal);
      return docs.map(({ _id, _source }) => ({ key: _id, ref: _source?.ref ?? "", json: _source?.record }));
    },
    async readVectors(keys, signal) {
      type Found = { docs: { _id: string; _source?: { vector?: readonly number[] } }[] };
      const { docs } = await client.post<Found>("read vectors", `${path}/_mget?_source=vector`, { ids: keys }, signal);
      return docs.flatMap(({ _id, _source }) =>
        _source?.vector === undefined ? [] : [{ key: _id, vector: _source.vector }],
      );
    },
    async nearest({ vector, condition, limit, words, options, signal }) {
      const filter = writeQuery(condition);
      const search = flavour.search([...vector], limit, filter);
      const body = {
        ...options,
        ...(words === undefined ? search : flavour.addWords(search, words, filter)),
        size: limit,
        _source: ["ref"],
      };
      const { hits } = await client.post<Answer<{ ref: string }>>("search", `${path}/_search`, body, signal);
      return hits.hits.map(({ _score, _source }) => ({ ref: _source.ref, score: _score }));
    },
  };
}

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
