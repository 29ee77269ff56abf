import type { Engine, EngineCondition } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkDimensions } from "../engines/check-engine.ts";
import { createEngine, type MeasuredSpec, type OwnIndex } from "../engines/create-engine.ts";
import {
  createServiceClient,
  type EngineClient,
  type EngineService,
  serviceOptions,
} from "../engines/engine-client.ts";
import { asItIs, fromDistance, type NamedMeasure } from "../engines/engine-scores.ts";
import { writeCondition } from "../engines/translate-filter.ts";
import { sparseQuestion, sparseText } from "./sparse-words.ts";

/**
 * Options of {@link createQdrantEngine}.
 *
 * @experimental
 */
export interface QdrantOptions extends EngineService {
  /** Fields of Qdrant's request to create a collection, such as `hnsw_config`, `quantization_config`, `shard_number` or `replication_factor`. */
  readonly collection?: Readonly<Record<string, unknown>> | undefined;
  /** Fields of Qdrant's request for points, such as `params: { hnsw_ef: 256 }` or `params: { exact: true }`. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** **Source** "Collections" of qdrant.tech, all four. A distance is given as it is. */
const measures = {
  cosine: { name: "Cosine", score: asItIs },
  dot: { name: "Dot", score: asItIs },
  euclidean: { name: "Euclid", score: fromDistance },
  manhattan: { name: "Manhattan", score: fromDistance },
};

const pageSize = 1_000;

/**
 * An engine over Qdrant, by its REST interface: a collection for each base and embedding version.
 *
 * **Shape** words are a sparse vector beside the dense one, with Qdrant's `idf`; its reciprocal rank fusion joins both.
 * **Errors** `invalid-argument` for options; others as those of an `Engine`.
 * **Source** Qdrant 1.15, "REST API" of qdrant.tech, read in November 2026.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createQdrantEngine({ url: "http://127.0.0.1:6333" }) });
 *
 * @experimental
 */
export function createQdrantEngine(options: QdrantOptions): Engine {
  checkGiven("createQdrantEngine", "the options", options, "object");
  checkOptions("createQdrantEngine", options, { ...serviceOptions, collection: true, query: true });
  const client = createServiceClient("qdrant", options, (key) => ({ "api-key": key }));
  return createEngine({
    name: "qdrant",
    native: client,
    prefix: options.prefix,
    measures,
    query: options.query,
    capabilities: { records: { kinds: ["flat", "hnsw"], words: true } },
    async open(name, spec, signal) {
      const path = `/collections/${name}`;
      const isWorded = await makeCollection(client, path, spec, options.collection, signal);
      return createIndex(client, path, spec, isWorded);
    },
    async names(_, signal) {
      type Found = { result: { collections: { name: string }[] } };
      const call = { method: "GET", path: "/collections", signal } as const;
      const { body } = await client.call<Found>("list collections", call);
      return body.result.collections.map(({ name }) => name);
    },
    drop: (name, signal) =>
      client.call("delete a collection", { method: "DELETE", path: `/collections/${name}`, expects: [404], signal }),
  });
}

async function makeCollection(
  client: EngineClient,
  path: string,
  spec: MeasuredSpec<NamedMeasure>,
  more: QdrantOptions["collection"],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  type Params = { vectors: { size: number }; sparse_vectors?: Readonly<Record<string, unknown>> };
  type Info = { result?: { config: { params: Params } } };
  const look = (): Promise<{ status: number; body: Info }> =>
    client.call<Info>("read a collection", { method: "GET", path, expects: [404], signal });
  let found = await look();
  if (found.status === 404) {
    const vectors = { size: spec.dimensions, distance: spec.measure.name };
    // Without links there is no graph, and every vector is compared.
    const flat = spec.kind === "flat" && { hnsw_config: { m: 0 } };
    const sparse = spec.records === true && { sparse_vectors: { words: { modifier: "idf" } } };
    const body = { ...more, ...flat, ...sparse, vectors };
    // 409: another process has just made it.
    await client.call("create a collection", { method: "PUT", path, body, expects: [409], signal });
    const index = { field_name: "tags", field_schema: "keyword" };
    await client.call("index the tags", { method: "PUT", path: `${path}/index?wait=true`, body: index, signal });
    found = await look();
  }
  const { vectors, sparse_vectors: sparse } = found.body.result?.config.params ?? {};
  checkDimensions("qdrant", spec, vectors?.size ?? spec.dimensions);
  return sparse?.["words"] !== undefined;
}

function createIndex(
  client: EngineClient,
  path: string,
  { name, measure }: MeasuredSpec<NamedMeasure>,
  isWorded: boolean,
): OwnIndex {
  const points = `${path}/points`;
  return {
    async put(entries, signal) {
      const body = {
        points: entries.map(({ key, ref, vector, tags, numbers, record }) => ({
          id: key,
          vector: isWorded && record ? { "": [...vector], words: sparseText(record.text) } : [...vector],
          payload: { ref, tags, numbers, ...(record && { record: record.json, fields: record.fields }) },
        })),
      };
      await client.call("write points", { method: "PUT", path: `${points}?wait=true`, body, signal });
    },
    async delete(keys, signal) {
      await client.post("delete points", `${points}/delete?wait=true`, { points: keys }, signal);
    },
    async count(tag, signal) {
      const body = { filter: { must: [match(tag)] }, exact: true };
      type Found = { result: { count: number } };
      return (await client.post<Found>("count points", `${points}/count`, body, signal)).result.count;
    },
    async list(tag, from, signal) {
      const body = {
        filter: { must: [match(tag)] },
        limit: pageSize,
        with_payload: false,
        with_vector: false,
        ...(from !== undefined && { offset: from }),
      };
      type Page = { result: { points: { id: string }[]; next_page_offset: string | null } };
      const { result } = await client.post<Page>("list points", `${points}/scroll`, body, signal);
      return { keys: result.points.map(({ id }) => id), next: result.next_page_offset ?? undefined };
    },
    async read(keys, signal) {
      const body = { ids: keys, with_payload: ["ref", "record"], with_vector: false };
      type Found = { result: { id: string; payload?: { ref: string; record?: string } }[] };
      const { result } = await client.post<Found>("read points", points, body, signal);
      return result.map(({ id, payload: { ref, record } = { ref: "" } }) => ({ key: id, ref, json: record }));
    },
    async readVectors(keys, signal) {
      const body = { ids: keys, with_payload: false, with_vector: true };
      // Beside a sparse vector the dense one has a name, which is empty.
      type Found = { result: { id: string; vector: readonly number[] | { "": readonly number[] } }[] };
      const { result } = await client.post<Found>("read vectors", points, body, signal);
      return result.map(({ id, vector }) => ({ key: id, vector: "" in vector ? vector[""] : vector }));
    },
    async nearest({ vector, condition, limit, words, options, signal }) {
      if (words !== undefined && !isWorded) {
        throw new IbidError("unsupported", `qdrant: ${name} was made by an earlier version, without words.`, {
          hint: "Read the records with list(), call drop() of the collection, and write them again.",
          details: { store: "qdrant", operation: "search" },
        });
      }
      const found = writeFilter(condition);
      const filter = found !== undefined && { filter: found };
      const nearest = { ...options, query: [...vector], limit, ...filter };
      const asked = sparseQuestion(words ?? "");
      const isHybrid = asked.indices.length > 0;
      const both = {
        prefetch: [nearest, { query: asked, using: "words", limit, ...filter }],
        query: { fusion: "rrf" },
        limit,
      };
      const body = { ...(isHybrid ? both : nearest), with_payload: ["ref"] };
      type Found = { result: { points: { score: number; payload?: { ref?: string } }[] } };
      const { result } = await client.post<Found>("search", `${points}/query`, body, signal);
      return result.points.map(({ score, payload }) => ({
        ref: payload?.ref ?? "",
        score: isHybrid ? score : measure.score(score),
      }));
    },
  };
}

const match = (tag: string): object => ({ key: "tags", match: { value: tag } });

function writeFilter(condition: EngineCondition | undefined): object | undefined {
  return writeCondition<object>(condition, {
    has: (tag) => ({ must: [match(tag)] }),
    lacks: (tag) => ({ must_not: [match(tag)] }),
    number: (key, is, value) => ({ must: [{ key: `numbers.${key}`, range: { [is]: value } }] }),
    and: (parts) => ({ must: parts }),
    or: (parts) => ({ should: parts }),
    nothing: () => ({ must: [{ has_id: [] }] }),
  });
}
