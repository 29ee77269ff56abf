import { createRows, measures, Refusal, type Rows, serve, type StandIn } from "./serve.ts";

/**
 * Pinecone's control plane and the hosts of its indexes behind one loopback server: a stand-in for tests.
 *
 * Shapes: "Pinecone Database API" of docs.pinecone.io, version 2025-10, and its pages on operation limits and metadata filters, read on 24 November 2026.
 * The routes are those that src/stores/pinecone calls, and no others. Every vector is compared.
 */
export async function startPinecone({ lateMs = 0, apiKey = "key", readyAfterMs = 0 } = {}): Promise<StandIn> {
  const indexes = new Map<string, Index>();
  const server = await serve(({ method, url, headers, body }) => {
    if (headers["api-key"] !== apiKey) return { status: 401, body: "Unauthorized" };
    if (headers["x-pinecone-api-version"] === undefined) throw wrong(400, 3, "The API version is missing.");
    const [, plane, name = ""] = /^\/(indexes|of)(?:\/([^/]+))?/u.exec(url.pathname) ?? [];
    if (plane === "indexes") return { status: 200, ...answerControl(method, name, body) };
    const index = indexes.get(name);
    if (index === undefined) return { status: 404, body: "" };
    return { status: 200, body: {}, ...answerData(index, method, url, body) };
  });
  const { host } = new URL(server.url);

  function answerControl(method: string, name: string, body: unknown) {
    if (method === "GET" && name === "") return { body: { indexes: [...indexes.values()].map(describe) } };
    if (method === "POST") {
      const given = body as Omit<Index, "from" | "namespaces">;
      if (!/^[a-z0-9](?:[a-z0-9-]{0,43}[a-z0-9])?$/u.test(given.name))
        throw refused(400, "INVALID_ARGUMENT", `The name ${given.name} is not allowed.`);
      if (indexes.has(given.name)) throw refused(409, "ALREADY_EXISTS", "Resource already exists");
      const made = { ...given, from: Date.now() + readyAfterMs, namespaces: new Map() };
      indexes.set(given.name, made);
      return { status: 201, body: describe(made) };
    }
    const index = indexes.get(name);
    if (index === undefined) throw refused(404, "NOT_FOUND", `Resource ${name} not found`);
    return { body: describe(index) };
  }

  const describe = ({ name, dimension, metric, spec, from }: Index) => {
    const ready = Date.now() >= from;
    const status = { ready, state: ready ? "Ready" : "Initializing" };
    return { name, dimension, metric, spec, status, host: `${host}/of/${name}`, deletion_protection: "disabled" };
  };

  function answerData(index: Index, method: string, url: URL, body: unknown) {
    const { namespaces } = index;
    const [, action = "", rest] = /^\/of\/[^/]+\/([^/]+)(?:\/(.+))?$/u.exec(url.pathname) ?? [];
    if (action === "namespaces") {
      if (method === "POST") {
        const { name } = body as { name: string };
        if (namespaces.has(name)) throw wrong(409, 6, "Namespace already exists");
        namespaces.set(name, createRows(lateMs));
        return { body: { name, record_count: "0" } };
      }
      if (method === "DELETE") {
        if (!namespaces.delete(decodeURIComponent(rest ?? ""))) throw wrong(404, 5, "Namespace not found");
        return {};
      }
      const names = [...namespaces.keys()].sort();
      return { body: pageOf(names, url.searchParams, (name) => ({ name, record_count: "0" }), "namespaces") };
    }
    const given = (body ?? { namespace: url.searchParams.get("namespace") }) as Body;
    const rows = namespaces.get(given.namespace) ?? createRows<Row>(0);
    namespaces.set(given.namespace, rows);
    switch (rest ?? action) {
      case "upsert": {
        if (given.vectors!.length > 1_000 || JSON.stringify(body).length > 2_000_000)
          throw wrong(400, 3, "The request is larger than 1000 records or 2 MB.");
        for (const row of given.vectors!) {
          if (row.values.length !== index.dimension)
            throw wrong(400, 3, `Vector dimension ${row.values.length} does not match the dimension of the index`);
          checkMetadata(row.metadata);
          rows.put(row.id, { ...row, values: row.values.map(Math.fround) });
        }
        return { body: { upsertedCount: given.vectors!.length } };
      }
      case "delete": {
        if (given.ids!.length > 1_000) throw wrong(400, 3, "More than 1000 ids.");
        for (const id of given.ids!) rows.delete(id);
        return {};
      }
      case "fetch": {
        const ids = url.searchParams.getAll("ids");
        const found = rows.all().filter(({ id }) => ids.includes(id));
        return { body: { vectors: Object.fromEntries(found.map((row) => [row.id, row])), namespace: given.namespace } };
      }
      case "fetch_by_metadata": {
        const { filter, limit = 100, paginationToken } = given;
        const all = rows
          .all()
          .filter(({ metadata }) => meets(metadata, filter!))
          .sort((a, b) => (a.id < b.id ? -1 : 1));
        const from = paginationToken === undefined ? 0 : Number(atob(paginationToken));
        const some = all.slice(from, from + limit);
        const next = from + limit < all.length ? { pagination: { next: btoa(String(from + limit)) } } : {};
        const vectors = Object.fromEntries(some.map((row) => [row.id, row]));
        return { body: { namespace: given.namespace, vectors, usage: { readUnits: 1 }, ...next } };
      }
      case "query": {
        const { vector, topK, filter, includeMetadata } = given;
        if (topK! < 1 || topK! > 10_000) throw wrong(400, 3, "topK is from 1 to 10000.");
        const admitted = rows.all().filter(({ metadata }) => filter === undefined || meets(metadata, filter));
        const scored = admitted.map(({ id, values, metadata }) => ({
          id,
          score: scoreOf(index.metric, vector!, values),
          values: [],
          ...(includeMetadata === true && { metadata }),
        }));
        const isDistance = index.metric === "euclidean";
        scored.sort((a, b) => (isDistance ? a.score - b.score : b.score - a.score));
        return { body: { matches: scored.slice(0, topK), namespace: given.namespace, usage: { readUnits: 1 } } };
      }
      default:
        throw wrong(404, 5, `There is no ${url.pathname}.`);
    }
  }
  return server;
}

interface Row {
  readonly id: string;
  readonly values: readonly number[];
  readonly metadata: Metadata;
}

type Metadata = Readonly<Record<string, unknown>>;
type Filter = Readonly<Record<string, unknown>>;

interface Index {
  readonly name: string;
  readonly dimension: number;
  readonly metric: string;
  readonly spec: unknown;
  readonly from: number;
  readonly namespaces: Map<string, Rows<Row>>;
}

interface Body {
  readonly namespace: string;
  readonly vectors?: readonly Row[];
  readonly ids?: readonly string[];
  readonly filter?: Filter;
  readonly limit?: number;
  readonly paginationToken?: string;
  readonly vector?: readonly number[];
  readonly topK?: number;
  readonly includeMetadata?: boolean;
}

/** Errors of the control plane have a code in words, those of an index a number of gRPC. */
const refused = (status: number, code: string, message: string): Refusal =>
  new Refusal({ status, body: { error: { code, message }, status } });
const wrong = (status: number, code: number, message: string): Refusal =>
  new Refusal({ status, body: { code, message, details: [] } });

function pageOf<Item>(names: readonly string[], given: URLSearchParams, show: (name: string) => Item, as: string) {
  const [limit, from] = [Number(given.get("limit") ?? 100), Number(atob(given.get("paginationToken") ?? btoa("0")))];
  const next = from + limit < names.length ? { pagination: { next: btoa(String(from + limit)) } } : {};
  return { [as]: names.slice(from, from + limit).map(show), total_count: names.length, ...next };
}

/** **Source** "Metadata": strings, numbers, booleans and lists of strings, 40 KB at most. */
function checkMetadata(metadata: Metadata): void {
  for (const [key, value] of Object.entries(metadata)) {
    const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
    if (!isList && !["string", "number", "boolean"].includes(typeof value))
      throw wrong(400, 3, `Metadata value must be a string, number, boolean or list of strings, got ${key}`);
  }
  if (JSON.stringify(metadata).length > 40_960) throw wrong(400, 3, "Metadata size exceeds the limit of 40960 bytes");
}

function scoreOf(metric: string, a: readonly number[], b: readonly number[]): number {
  if (metric === "euclidean") return measures.squared(a, b);
  return metric === "cosine" ? measures.cosine(a, b) : measures.dot(a, b);
}

/** **Source** "Metadata filter expressions": each operator on a value, or on an element of a list. */
function meets(metadata: Metadata, filter: Filter): boolean {
  return Object.entries(filter).every(([name, condition]) => {
    if (name === "$and") return (condition as Filter[]).every((part) => meets(metadata, part));
    if (name === "$or") return (condition as Filter[]).some((part) => meets(metadata, part));
    const value = metadata[name];
    const elements = Array.isArray(value) ? value : value === undefined ? [] : [value];
    return Object.entries(condition as Filter).every(([operator, wanted]) => {
      const isIn = (): boolean => elements.some((each) => (wanted as unknown[]).includes(each));
      const compares = (is: (each: number) => boolean): boolean =>
        elements.some((each) => typeof each === "number" && is(each));
      switch (operator) {
        case "$in":
          return isIn();
        case "$nin":
          return !isIn();
        case "$gt":
          return compares((each) => each > (wanted as number));
        case "$gte":
          return compares((each) => each >= (wanted as number));
        case "$lt":
          return compares((each) => each < (wanted as number));
        case "$lte":
          return compares((each) => each <= (wanted as number));
        default:
          throw wrong(400, 3, `The filter has an invalid operator: ${operator}`);
      }
    });
  });
}
