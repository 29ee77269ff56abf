import type { Engine, EngineCondition, EngineIndex, EngineIndexSpec } from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { inBytes } from "../engines/batches.ts";
import { checkPrefix, everyCondition, measureOf, metricsOf } from "../engines/check-engine.ts";
import { nameUnknownAnswers } from "../engines/name-unknown-answers.ts";
import { createEngineClient, type EngineClient, type EngineService, serviceOptions } from "../engines/engine-client.ts";
import { answers } from "../engines/engine-ready.ts";
import { asItIs, fromSquare } from "../engines/engine-scores.ts";
import { writeCondition } from "../engines/translate-filter.ts";
import { waitForIndex } from "../engines/wait-until.ts";

/**
 * Options of {@link createPineconeEngine}.
 *
 * @experimental
 */
export interface PineconeOptions extends Omit<EngineService, "url"> {
  /** Key of the project. It travels as a header. */
  readonly apiKey: string;
  /** Address of the control plane. Default `"https://api.pinecone.io"`. */
  readonly url?: string | undefined;
  /** Version of the interface. Default `"2025-10"`, the first with fetching by metadata. */
  readonly apiVersion?: string | undefined;
  /** `spec` of new indexes. Default `{ serverless: { cloud: "aws", region: "us-east-1" } }`. */
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
  /** Further fields of Pinecone's request to create an index, such as `deletion_protection` or `tags`. */
  readonly index?: Readonly<Record<string, unknown>> | undefined;
  /** Fields of Pinecone's query. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Longest usual wait until a write is found. **Units** milliseconds. Default 10,000. */
  readonly visibleAfterMs?: number | undefined;
}

/** **Source** "Indexing overview" of docs.pinecone.io, all three; the Euclidean distance is given as its square. */
const measures = {
  cosine: { name: "cosine", score: asItIs },
  dot: { name: "dotproduct", score: asItIs },
  euclidean: { name: "euclidean", score: fromSquare },
};

/** Records of one page. **Source** the usual limit of "Fetch records by metadata". */
const pageSize = 100;

/** Bytes of one upsert: Pinecone takes 2 MB, and 1,000 records. **Source** "Operation limits". */
const mostBytes = 1_800_000;

/** How long a new index is waited for. **Units** milliseconds. */
const readyWithinMs = 120_000;

/**
 * An engine over serverless indexes of Pinecone, by its REST interface: a namespace for each base and embedding version.
 *
 * **Shape** one index holds the namespaces of one number of dimensions and one metric.
 *
 * **Errors** `invalid-argument` for options; others as those of an `Engine`.
 * **Cost** a count reads its records, a hundred in a request, because Pinecone counts whole namespaces alone.
 * **Source** "Pinecone Database API", version 2025-10, read in November 2026.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createPineconeEngine({ apiKey: process.env.PINECONE_API_KEY }) });
 *
 * @experimental
 */
export function createPineconeEngine(options: PineconeOptions): Engine {
  checkGiven("createPineconeEngine", "the options", options, "object");
  checkOptions("createPineconeEngine", options, {
    ...serviceOptions,
    apiVersion: true,
    spec: true,
    index: true,
    query: true,
    visibleAfterMs: true,
  });
  checkGiven("createPineconeEngine", "apiKey", options.apiKey, "text");
  const { url = "https://api.pinecone.io", apiKey, apiVersion = "2025-10", visibleAfterMs = 10_000 } = options;
  const headers = { ...options.headers, "api-key": apiKey, "x-pinecone-api-version": apiVersion };
  const control = createEngineClient("pinecone", { ...options, url, headers });
  const prefix = `${checkPrefix("pinecone", options.prefix ?? "ibid").replaceAll("_", "-")}-`;
  const { protocol } = new URL(url);
  const hosts = new Map<string, EngineClient>();
  /** The client of an index. A host comes without a protocol. */
  const at = (host: string): EngineClient => {
    const found =
      hosts.get(host) ?? createEngineClient("pinecone", { ...options, url: `${protocol}//${host}`, headers });
    hosts.set(host, found);
    return found;
  };
  return nameUnknownAnswers({
    name: "pinecone",
    native: control,
    capabilities: {
      exhaustive: false,
      conditions: everyCondition,
      metrics: metricsOf(measures),
      visibleAfterMs,
      candidates: 10_000,
      batch: 500,
      records: { kinds: [], words: false },
    },
    ready: (signal, onFailure) => answers(() => listIndexes(control, prefix, signal), onFailure),
    async open(spec, signal) {
      const body = { spec: { serverless: { cloud: "aws", region: "us-east-1" } }, ...spread(options) };
      const client = at(await openIndex(control, prefix, spec, body, signal));
      const made = { name: spec.name };
      const call = { method: "POST", path: "/namespaces", body: made, expects: [409], signal } as const;
      await client.call("create a namespace", call);
      return createIndex(client, spec, options.query);
    },
    async indexes(beginning, signal) {
      const names: string[] = [];
      for (const { host } of await listIndexes(control, prefix, signal)) {
        for (let from = ""; ;) {
          const path = `/namespaces?limit=${pageSize}${from}`;
          type Page = { namespaces?: { name: string }[]; pagination?: { next?: string } };
          const { body } = await at(host).call<Page>("list namespaces", { method: "GET", path, signal });
          names.push(...(body.namespaces ?? []).map(({ name }) => name));
          const next = body.pagination?.next;
          if (next === undefined || next === "") break;
          from = `&paginationToken=${encodeURIComponent(next)}`;
        }
      }
      return names.filter((name) => name.startsWith(beginning));
    },
    async drop(name, signal) {
      const path = `/namespaces/${encodeURIComponent(name)}`;
      for (const { host } of await listIndexes(control, prefix, signal))
        await at(host).call("delete a namespace", { method: "DELETE", path, expects: [404], signal });
    },
  });
}

const spread = ({ spec, index }: PineconeOptions): object => ({ ...index, ...(spec !== undefined && { spec }) });

interface Description {
  readonly name: string;
  readonly host: string;
  readonly status: { readonly ready: boolean; readonly state: string };
}

async function listIndexes(
  control: EngineClient,
  prefix: string,
  signal?: AbortSignal,
): Promise<readonly Description[]> {
  type Found = { indexes?: Description[] };
  const { body } = await control.call<Found>("list indexes", { method: "GET", path: "/indexes", signal });
  return (body.indexes ?? []).filter(({ name, status }) => name.startsWith(prefix) && status.ready);
}

/** The host of an index, which is made where it is not there, and waited for. */
async function openIndex(
  control: EngineClient,
  prefix: string,
  { dimensions, metric }: EngineIndexSpec,
  more: object,
  signal?: AbortSignal,
): Promise<string> {
  const { name: measure } = measureOf("pinecone", measures, metric);
  const name = `${prefix}${dimensions}-${measure}`;
  const look = { method: "GET", path: `/indexes/${name}`, expects: [404], signal } as const;
  const wait = {
    engine: "pinecone",
    operation: "create an index",
    state: `the index ${name} is not ready`,
    hint: "Look at the index in Pinecone's console, and open the knowledge base again.",
    withinMs: readyWithinMs,
    pauseMs: 2_000,
    signal,
  };
  const find = async (): Promise<string | undefined> => {
    const { status, body } = await control.call<Description>("read an index", look);
    if (status !== 404) return body.status.ready ? body.host : undefined;
    const given = { ...more, name, dimension: dimensions, metric: measure };
    // 409: another process has just made it.
    const call = { method: "POST", path: "/indexes", body: given, expects: [409], signal } as const;
    await control.call("create an index", call);
    return undefined;
  };
  return waitForIndex(wait, find);
}

interface Page {
  readonly vectors?: Readonly<Record<string, unknown>>;
  readonly pagination?: { readonly next?: string } | null;
}

function createIndex(
  client: EngineClient,
  { name: namespace, metric }: EngineIndexSpec,
  query: PineconeOptions["query"],
): EngineIndex {
  const measure = measureOf("pinecone", measures, metric);

  async function page(tag: string, from: string | undefined, signal: AbortSignal | undefined) {
    const body = {
      namespace,
      filter: has(tag),
      limit: pageSize,
      ...(from !== undefined && { paginationToken: from }),
    };
    const path = "/vectors/fetch_by_metadata";
    const { vectors = {}, pagination } = await client.post<Page>("list records", path, body, signal);
    return { keys: Object.keys(vectors), next: pagination?.next === "" ? undefined : pagination?.next };
  }

  async function fetchRecords(operation: string, keys: readonly string[], signal?: AbortSignal) {
    type Kept = { values?: readonly number[]; metadata?: { ref?: string; json?: string } };
    const found: [string, Kept][] = [];
    for (let from = 0; from < keys.length; from += pageSize) {
      const ids = keys.slice(from, from + pageSize).map((key) => `&ids=${encodeURIComponent(key)}`);
      const path = `/vectors/fetch?namespace=${encodeURIComponent(namespace)}${ids.join("")}`;
      const call = { method: "GET", path, signal } as const;
      const { body } = await client.call<{ vectors?: Record<string, Kept> }>(operation, call);
      found.push(...Object.entries(body.vectors ?? {}));
    }
    return found;
  }

  return {
    async put(entries, signal) {
      const vectors = entries.map(({ key, ref, tags, numbers, vector, record }) => {
        const metadata = { ref, tags, ...numbers, ...(record?.json !== undefined && { json: record.json }) };
        return JSON.stringify({ id: key, values: [...vector], metadata });
      });
      for (const some of inBytes(vectors, mostBytes)) {
        const body = `{"namespace":${JSON.stringify(namespace)},"vectors":[${some.join(",")}]}`;
        await client.post("write records", "/vectors/upsert", body, signal);
      }
    },
    async delete(ids, signal) {
      const call = {
        method: "POST",
        path: "/vectors/delete",
        body: { namespace, ids },
        expects: [404],
        signal,
      } as const;
      await client.call("delete records", call);
    },
    async count(tag, signal) {
      let count = 0;
      for (let from: string | undefined; ;) {
        const { keys, next } = await page(tag, from, signal);
        count += keys.length;
        if (next === undefined || next === from) return count;
        from = next;
      }
    },
    list: page,
    async read(keys, signal) {
      const found = await fetchRecords("read records", keys, signal);
      return found.flatMap(([key, { metadata: { ref = "", json } = {} }]) =>
        json === undefined ? [] : [{ key, ref, json }],
      );
    },
    async readVectors(keys, signal) {
      const found = await fetchRecords("read vectors", keys, signal);
      return found.map(([key, { values = [] }]) => ({ key, vector: Float32Array.from(values) }));
    },
    async nearest({ vector, condition, limit, options, signal }) {
      const filter = writeFilter(condition);
      const body = {
        ...query,
        ...(options as object | undefined),
        namespace,
        vector: [...vector],
        topK: limit,
        includeMetadata: true,
        includeValues: false,
        ...(filter !== undefined && { filter }),
      };
      type Found = { matches?: { score?: number; metadata?: { ref?: string } }[] };
      const { matches = [] } = await client.post<Found>("search", "/query", body, signal);
      return matches.map(({ score = 0, metadata }) => ({
        ref: metadata?.ref ?? "",
        score: measure.score(score),
      }));
    },
  };
}

const has = (tag: string): object => ({ tags: { $in: [tag] } });

function writeFilter(condition: EngineCondition | undefined): object | undefined {
  return writeCondition<object>(condition, {
    has,
    lacks: (tag) => ({ tags: { $nin: [tag] } }),
    number: (key, is, value) => ({ [key]: { [`$${is}`]: value } }),
    and: (parts) => ({ $and: parts }),
    or: (parts) => ({ $or: parts }),
    // A tag that no entry has.
    nothing: () => has("none"),
  });
}
