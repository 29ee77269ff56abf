import type {
  Engine,
  EngineCondition,
  EngineIndex,
  EngineIndexSpec,
  EngineMetric,
  EngineRow,
} from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import { pause } from "../../runtime/abort.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { platformNow } from "../../runtime/platform-clock.ts";
import { checkPrefix, everyCondition } from "../engines/check-engine.ts";
import { addressOptions, createEngineClient, type EngineAddress, type EngineClient } from "../engines/engine-client.ts";
import { fromSquare } from "../engines/engine-scores.ts";
import { writeCondition } from "../engines/translate-filter.ts";

/**
 * Options of {@link createPineconeEngine}.
 *
 * @experimental
 */
export interface PineconeOptions extends Omit<EngineAddress, "url"> {
  /** Key of the project. It travels as a header. */
  readonly apiKey: string;
  /** Address of the control plane. Default `"https://api.pinecone.io"`. */
  readonly url?: string | undefined;
  /** Version of the interface. Default `"2025-10"`, the first with fetching by metadata. */
  readonly apiVersion?: string | undefined;
  /** Beginning of the names of indexes. Default `"ibid"`. */
  readonly prefix?: string | undefined;
  /** `spec` of new indexes. Default `{ serverless: { cloud: "aws", region: "us-east-1" } }`. */
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
  /** Further fields of Pinecone's request to create an index, such as `deletion_protection` or `tags`. */
  readonly index?: Readonly<Record<string, unknown>> | undefined;
  /** Fields of Pinecone's query. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Longest usual wait until a write is found. **Units** milliseconds. Default 10,000. */
  readonly visibleAfterMs?: number | undefined;
}

const metrics = { cosine: "cosine", dot: "dotproduct", euclidean: "euclidean" } as const satisfies Record<
  EngineMetric,
  string
>;

/** Records of one page. **Source** the usual limit of "Fetch records by metadata". */
const pageSize = 100;

/** Records and bytes of one upsert. **Source** "Operation limits". */
const [mostRecords, mostBytes] = [1_000, 1_800_000];

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
    ...addressOptions,
    apiKey: true,
    apiVersion: true,
    prefix: true,
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
  return {
    name: "pinecone",
    native: control,
    capabilities: {
      exhaustive: false,
      conditions: everyCondition,
      metrics: ["cosine", "dot", "euclidean"],
      visibleAfterMs,
      candidates: 10_000,
      batch: 500,
      records: { kinds: [], words: false },
    },
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
  };
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
  const name = `${prefix}${dimensions}-${metrics[metric]}`;
  const path = `/indexes/${name}`;
  const until = platformNow() + readyWithinMs;
  for (let tries = 0; ; tries++) {
    const { status, body } = await control.call<Description>("read an index", {
      method: "GET",
      path,
      expects: [404],
      signal,
    });
    if (status === 404) {
      const given = { ...more, name, dimension: dimensions, metric: metrics[metric] };
      // 409: another process has just made it.
      const call = { method: "POST", path: "/indexes", body: given, expects: [409], signal } as const;
      await control.call("create an index", call);
    } else if (body.status.ready) return body.host;
    if (platformNow() > until) {
      throw new IbidError("store-busy", `pinecone: the index ${name} is not ready after ${readyWithinMs / 1000} s.`, {
        hint: "Look at the index in Pinecone's console, and open the knowledge base again.",
        details: { store: "pinecone", operation: "create an index" },
      });
    }
    await pause(Math.min(2_000, 50 * 2 ** tries), signal, "pinecone: create an index");
  }
}

interface Page {
  readonly vectors?: Readonly<Record<string, unknown>>;
  readonly pagination?: { readonly next?: string } | null;
}

function createIndex(
  client: EngineClient,
  { name: namespace, dimensions, metric }: EngineIndexSpec,
  query: PineconeOptions["query"],
): EngineIndex {
  async function page(tag: string, from: string | undefined, signal: AbortSignal | undefined) {
    const body = {
      namespace,
      filter: has(tag),
      limit: pageSize,
      ...(from !== undefined && { paginationToken: from }),
    };
    const call = { method: "POST", path: "/vectors/fetch_by_metadata", body, signal } as const;
    const { vectors = {}, pagination } = (await client.call<Page>("list records", call)).body;
    return { keys: Object.keys(vectors), next: pagination?.next === "" ? undefined : pagination?.next };
  }

  return {
    async put(entries, signal) {
      // A coordinate takes 12 characters at most, a tag 20.
      const bytes = Math.max(
        ...entries.map(
          ({ tags, record }) => dimensions * 12 + tags.length * 20 + 500 + 3 * (record?.json?.length ?? 0),
        ),
      );
      const size = Math.max(1, Math.min(mostRecords, Math.floor(mostBytes / bytes)));
      for (let from = 0; from < entries.length; from += size) {
        const vectors = entries.slice(from, from + size).map(({ key, ref, tags, numbers, vector, record }) => ({
          id: key,
          values: [...vector],
          metadata: { ref, tags, ...numbers, ...(record?.json !== undefined && { json: record.json }) },
        }));
        const body = { namespace, vectors };
        await client.call("write records", { method: "POST", path: "/vectors/upsert", body, signal });
      }
    },
    async delete(ids, signal) {
      const body = { namespace, ids };
      await client.call("delete records", {
        method: "POST",
        path: "/vectors/delete",
        body,
        expects: [404],
        signal,
      });
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
      const rows: EngineRow[] = [];
      for (let from = 0; from < keys.length; from += pageSize) {
        const ids = keys.slice(from, from + pageSize).map((key) => `&ids=${encodeURIComponent(key)}`);
        const path = `/vectors/fetch?namespace=${encodeURIComponent(namespace)}${ids.join("")}`;
        type Found = { vectors?: Record<string, { metadata?: { ref?: string; json?: string } }> };
        const { body } = await client.call<Found>("read records", { method: "GET", path, signal });
        for (const [key, { metadata: { ref = "", json } = {} }] of Object.entries(body.vectors ?? {}))
          if (json !== undefined) rows.push({ key, ref, json });
      }
      return rows;
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
      const found = await client.call<Found>("search", { method: "POST", path: "/query", body, signal });
      return (found.body.matches ?? []).map(({ score = 0, metadata }) => ({
        ref: metadata?.ref ?? "",
        // Pinecone gives the square of the Euclidean distance.
        score: metric === "euclidean" ? fromSquare(score) : score,
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
