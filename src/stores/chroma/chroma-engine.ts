import type { Engine, EngineCondition } from "../../contracts/engine.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { createEngine, type OwnIndex } from "../engines/create-engine.ts";
import {
  createServiceClient,
  type EngineClient,
  type EngineService,
  serviceOptions,
} from "../engines/engine-client.ts";
import { fromOne, fromSquare, type NamedMeasure } from "../engines/engine-scores.ts";
import { writeCondition } from "../engines/translate-filter.ts";

/**
 * Options of {@link createChromaEngine}.
 *
 * @experimental
 */
export interface ChromaOptions extends EngineService {
  /** Default `"default_tenant"`, Chroma's own. */
  readonly tenant?: string | undefined;
  /** Default `"default_database"`, Chroma's own. */
  readonly database?: string | undefined;
  /** Fields of Chroma's `configuration.hnsw`, such as `ef_construction` or `max_neighbors`. */
  readonly hnsw?: Readonly<Record<string, unknown>> | undefined;
}

/** **Source** Chroma's documentation of `space`, all three: cosine and inner product as 1 minus the value, the squared Euclidean distance. */
const measures = {
  cosine: { name: "cosine", score: fromOne },
  dot: { name: "ip", score: fromOne },
  euclidean: { name: "l2", score: fromSquare },
};

/** Neighbours that a search looks at: more find more. **Source** recall of .99 in `createEnginePack`, where Chroma's own 100 gives less. */
const searchedNeighbours = 400;

const pageSize = 300;

/**
 * An engine over Chroma 1.x, by its HTTP interface: a collection for each base and embedding version.
 *
 * **Errors** `invalid-argument` for options; others as those of an `Engine`. **Source** the OpenAPI document that Chroma 1.5.9 serves.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createChromaEngine({ url: "http://127.0.0.1:8000" }) });
 *
 * @experimental
 */
export function createChromaEngine(options: ChromaOptions): Engine {
  checkGiven("createChromaEngine", "the options", options, "object");
  checkOptions("createChromaEngine", options, { ...serviceOptions, tenant: true, database: true, hnsw: true });
  const { tenant = "default_tenant", database = "default_database" } = options;
  const client = createServiceClient("chroma", options, (key) => ({ "x-chroma-token": key }));
  const collections = `/api/v2/tenants/${encodeURIComponent(tenant)}/databases/${encodeURIComponent(database)}/collections`;
  return createEngine({
    name: "chroma",
    native: client,
    prefix: options.prefix,
    measures,
    capabilities: { candidates: 4_096, batch: 300, records: { kinds: ["hnsw"], words: false } },
    async open(name, spec, signal) {
      const body = {
        name,
        get_or_create: true,
        configuration: { hnsw: { ef_search: searchedNeighbours, ...options.hnsw, space: spec.measure.name } },
      };
      const { id } = await client.post<{ id: string }>("open a collection", collections, body, signal);
      return createIndex(client, `${collections}/${id}`, spec.measure);
    },
    async names(_, signal) {
      const names: string[] = [];
      for (let offset = 0; ; offset += pageSize) {
        const path = `${collections}?limit=${pageSize}&offset=${offset}`;
        const { body } = await client.call<{ name: string }[]>("list collections", { method: "GET", path, signal });
        names.push(...body.map(({ name }) => name));
        if (body.length < pageSize) return names;
      }
    },
    drop: (name, signal) =>
      client.call("delete a collection", { method: "DELETE", path: `${collections}/${name}`, expects: [404], signal }),
  });
}

function createIndex(client: EngineClient, path: string, { score }: NamedMeasure): OwnIndex {
  /** Chroma counts whole collections alone, so a count of some entries lists them. */
  async function page(tag: string, offset: number, signal?: AbortSignal): Promise<readonly string[]> {
    const body = { where: { tags: { $contains: tag } }, include: [], limit: pageSize, offset };
    return (await client.post<{ ids: string[] }>("list records", `${path}/get`, body, signal)).ids;
  }
  return {
    score,
    async put(entries, signal) {
      const body = {
        ids: entries.map(({ key }) => key),
        embeddings: entries.map(({ vector }) => [...vector]),
        metadatas: entries.map(({ ref, tags, numbers, record }) => ({
          ref,
          tags,
          ...numbers,
          ...(record?.json !== undefined && { record: record.json }),
        })),
        ...(entries.some(({ record }) => record) && { documents: entries.map(({ record }) => record?.text ?? null) }),
      };
      await client.post("write records", `${path}/upsert`, body, signal);
    },
    async delete(keys, signal) {
      const call = { method: "POST", path: `${path}/delete`, body: { ids: keys }, expects: [404], signal } as const;
      await client.call("delete records", call);
    },
    async count(tag, signal) {
      for (let count = 0; ;) {
        const ids = await page(tag, count, signal);
        count += ids.length;
        if (ids.length < pageSize) return count;
      }
    },
    async list(tag, from, signal) {
      const offset = Number(from ?? 0);
      const keys = await page(tag, offset, signal);
      return { keys, next: keys.length < pageSize ? undefined : String(offset + pageSize) };
    },
    async read(keys, signal) {
      const body = { ids: keys, include: ["metadatas"] };
      type Found = { ids: string[]; metadatas: ({ ref: string; record?: string } | null)[] };
      const found = await client.post<Found>("read records", `${path}/get`, body, signal);
      return found.ids.map((key, i) => {
        const { ref, record } = found.metadatas[i] ?? { ref: "" };
        return { key, ref, json: record };
      });
    },
    async readVectors(keys, signal) {
      const body = { ids: keys, include: ["embeddings"] };
      type Found = { ids: string[]; embeddings: (readonly number[])[] };
      const { ids, embeddings } = await client.post<Found>("read vectors", `${path}/get`, body, signal);
      return ids.map((key, i) => ({ key, vector: embeddings[i]! }));
    },
    async nearest({ vector, condition, limit, options, signal }) {
      const where = writeWhere(condition);
      const body = {
        ...options,
        query_embeddings: [[...vector]],
        n_results: limit,
        include: ["metadatas", "distances"],
        ...(where !== undefined && { where }),
      };
      type Found = { distances: number[][]; metadatas: { ref?: string }[][] };
      const found = await client.post<Found>("search", `${path}/query`, body, signal);
      return (found.metadatas[0] ?? []).map((metadata, i) => ({
        ref: metadata?.ref ?? "",
        score: found.distances[0]?.[i] ?? Number.NaN,
      }));
    },
  };
}

function writeWhere(condition: EngineCondition | undefined): object | undefined {
  return writeCondition<object>(condition, {
    has: (tag) => ({ tags: { $contains: tag } }),
    lacks: (tag) => ({ tags: { $not_contains: tag } }),
    number: (key, is, value) => ({ [key]: { [`$${is}`]: value } }),
    and: (parts) => ({ $and: parts }),
    or: (parts) => ({ $or: parts }),
    // A tag that no entry has.
    nothing: () => ({ tags: { $contains: "none" } }),
  });
}
