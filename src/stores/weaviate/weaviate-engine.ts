import type { Engine, EngineCondition } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkDimensions, engineFailed } from "../engines/check-engine.ts";
import { createEngine, type MeasuredSpec, type OwnIndex, pageSize } from "../engines/create-engine.ts";
import {
  createServiceClient,
  type EngineClient,
  type EngineService,
  serviceOptions,
} from "../engines/engine-client.ts";
import {
  failedInPart,
  fromDistance,
  fromNegative,
  fromOne,
  fromSquare,
  type NamedMeasure,
} from "../engines/engine-scores.ts";
import { findOrMake } from "../engines/find-or-make.ts";
import { createNumberFields } from "../engines/number-fields.ts";
import { writeCondition } from "../engines/translate-filter.ts";

/**
 * Options of {@link createWeaviateEngine}.
 *
 * @experimental
 */
export interface WeaviateOptions extends EngineService {
  /** Fields of Weaviate's request to create a collection, such as `replicationConfig` or `invertedIndexConfig`. */
  readonly collection?: Readonly<Record<string, unknown>> | undefined;
  /** `vectorIndexConfig` of a graph, such as `{ maxConnections: 64 }` or `{ bq: { enabled: true } }`. Default `{ ef: 400 }`. */
  readonly hnsw?: Readonly<Record<string, unknown>> | undefined;
  /** Fields of Weaviate's `nearVector` and `hybrid`, such as `{ alpha: 0.5, fusionType: "rankedFusion" }`. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/** **Source** "Distance metrics" of docs.weaviate.io, all five: 1 minus the cosine, the negative product, the squared Euclidean distance, and the others as they are. */
const measures = {
  cosine: { name: "cosine", score: fromOne },
  dot: { name: "dot", score: fromNegative },
  euclidean: { name: "l2-squared", score: fromSquare },
  hamming: { name: "hamming", score: fromDistance },
  manhattan: { name: "manhattan", score: fromDistance },
};

/** Neighbours that a search looks at. **Source** recall of .99 in `createEnginePack`. */
const searchedNeighbours = 400;

/**
 * An engine over Weaviate 1.33 or later, by its REST and GraphQL interfaces: a collection for each base and embedding version.
 *
 * **Shape** names of collections begin with a capital letter, as Weaviate's own rule is.
 * **Errors** `invalid-argument` for options; others as those of an `Engine`.
 * **Source** Weaviate 1.35, documentation of docs.weaviate.io, read in November 2026.
 *
 * @example
 * const kb = await openKnowledgeBase("./kb", { engine: createWeaviateEngine({ url: "http://127.0.0.1:8080" }) });
 *
 * @experimental
 */
export function createWeaviateEngine(options: WeaviateOptions): Engine {
  checkGiven("createWeaviateEngine", "the options", options, "object");
  checkOptions("createWeaviateEngine", options, { ...serviceOptions, collection: true, hnsw: true, query: true });
  const client = createServiceClient("weaviate", options, (key) => ({ authorization: `Bearer ${key}` }));
  return createEngine({
    name: "weaviate",
    native: client,
    prefix: options.prefix,
    measures,
    query: options.query,
    capabilities: { records: { kinds: ["flat", "hnsw"], words: true } },
    async open(name, spec, signal) {
      const numbers = await makeCollection(client, capital(name), spec, options, signal);
      return createIndex(client, capital(name), spec.measure, numbers);
    },
    async names(_, signal) {
      const call = { method: "GET", path: "/v1/schema", signal } as const;
      const { body } = await client.call<{ classes?: Collection[] }>("list collections", call);
      return (body.classes ?? []).map((one) => one.class[0]!.toLowerCase() + one.class.slice(1));
    },
    // A collection that is not there is dropped in silence.
    drop: (name, signal) =>
      client.call("delete a collection", { method: "DELETE", path: `/v1/schema/${capital(name)}`, signal }),
  });
}

const capital = (name: string): string => name[0]!.toUpperCase() + name.slice(1);

interface Collection {
  readonly class: string;
  readonly description?: string;
  readonly properties?: readonly { readonly name: string; readonly dataType: readonly string[] }[];
}

async function readCollection(
  client: EngineClient,
  name: string,
  signal?: AbortSignal,
): Promise<Collection | undefined> {
  const call = { method: "GET", path: `/v1/schema/${name}`, expects: [404], signal } as const;
  const { status, body } = await client.call<Collection>("read a collection", call);
  return status === 404 ? undefined : body;
}

/** Keys of numbers that a collection knows. */
const numbersOf = (found: Collection | undefined): readonly string[] =>
  (found?.properties ?? []).flatMap(({ name, dataType }) => (dataType[0] === "number" ? [name] : []));

/** Makes the collection where it is not there. **Shape** the keys of numbers that it knows. */
async function makeCollection(
  client: EngineClient,
  name: string,
  spec: MeasuredSpec<NamedMeasure>,
  { collection, hnsw }: WeaviateOptions,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const look = () => readCollection(client, name, signal);
  const found = await findOrMake("weaviate", "create a collection", look, () => {
    const kept = { dataType: ["text"], indexFilterable: false, indexSearchable: false };
    const distance = spec.measure.name;
    const body = {
      ...collection,
      class: name,
      // Weaviate takes the dimensions of the first vector; the description tells them before.
      description: `${spec.dimensions} dimensions`,
      vectorizer: "none",
      vectorIndexType: spec.kind === "flat" ? "flat" : "hnsw",
      vectorIndexConfig: spec.kind === "flat" ? { distance } : { ef: searchedNeighbours, ...hnsw, distance },
      properties: [
        { ...kept, name: "ref" },
        { ...kept, name: "tags", dataType: ["text[]"], tokenization: "field", indexFilterable: true },
        ...(spec.records === true
          ? [
              { ...kept, name: "json" },
              { ...kept, name: "text", tokenization: "word", indexSearchable: true },
            ]
          : []),
      ],
    };
    return client.post("create a collection", "/v1/schema", body, signal);
  });
  checkDimensions("weaviate", spec, Number(/^\d+/u.exec(found.description ?? "")?.[0] ?? spec.dimensions));
  return numbersOf(found);
}

function createIndex(client: EngineClient, name: string, { score }: NamedMeasure, known: readonly string[]): OwnIndex {
  const look = async (signal?: AbortSignal) => numbersOf(await readCollection(client, name, signal));
  // A filter names properties of the collection alone, so that each new key of a number becomes one.
  const numbers = createNumberFields(known, look, async (keys, signal) => {
    for (const key of keys) {
      const body = { name: key, dataType: ["number"], indexFilterable: true, indexRangeFilters: true };
      const path = `/v1/schema/${name}/properties`;
      const call = { method: "POST", path, body, expects: [422], signal } as const;
      const { status } = await client.call("index a number", call);
      // 422: another process has just made it, or it cannot be made.
      if (status === 422 && !(await look(signal)).includes(key))
        await client.post("index a number", path, body, signal);
    }
  });

  async function ask<Answer>(operation: string, text: string, signal?: AbortSignal): Promise<Answer> {
    type Found = { data?: unknown; errors?: readonly { readonly message: string }[] };
    const { data, errors } = await client.post<Found>(operation, "/v1/graphql", { query: text }, signal);
    // A query that fails comes with status 200.
    if (errors !== undefined) throw engineFailed("weaviate", operation, new Error(errors[0]?.message));
    return data as Answer;
  }

  async function get<Row>(operation: string, given: object, fields: string, signal?: AbortSignal): Promise<Row[]> {
    const text = `{ Get { ${name}(${writeArguments(given)}) { ${fields} } } }`;
    return (await ask<{ Get: Record<string, Row[] | null> }>(operation, text, signal)).Get[name] ?? [];
  }

  const byKeys = (keys: readonly string[]): object => ({
    where: { path: ["id"], operator: "ContainsAny", valueText: keys },
    limit: keys.length,
  });

  type Identified = { readonly _additional: { readonly id: string } };

  return {
    score,
    numbers,
    async put(entries, signal) {
      const objects = entries.map((entry) => ({
        class: name,
        id: entry.key,
        vector: [...entry.vector],
        properties: {
          ref: entry.ref,
          tags: entry.tags,
          ...entry.numbers,
          ...(entry.record && { text: entry.record.text }),
          ...(entry.record?.json !== undefined && { json: entry.record.json }),
        },
      }));
      type Results = { result?: { errors?: { error?: { message: string }[] } } }[];
      const written = await client.post<Results>("write", "/v1/batch/objects", { objects }, signal);
      const failed = written.find(({ result }) => result?.errors !== undefined);
      if (failed !== undefined)
        throw failedInPart("weaviate", "write", failed.result?.errors?.error?.[0]?.message ?? "");
    },
    async delete(keys, signal) {
      const body = { match: { class: name, where: { path: ["id"], operator: "ContainsAny", valueTextArray: keys } } };
      const call = { method: "DELETE", path: "/v1/batch/objects", body, signal } as const;
      const { results } = (await client.call<{ results: { failed: number } }>("delete", call)).body;
      if (results.failed > 0) throw failedInPart("weaviate", "delete", `${results.failed} objects are still there`);
    },
    async count(tag, signal) {
      const text = `{ Aggregate { ${name}(${writeArguments({ where: has(tag) })}) { meta { count } } } }`;
      type Found = { Aggregate: Record<string, { meta: { count: number } }[]> };
      return (await ask<Found>("count", text, signal)).Aggregate[name]?.[0]?.meta.count ?? 0;
    },
    async list(tag, from, signal) {
      const after = { path: ["_id"], operator: "GreaterThan", valueText: from };
      const where = from === undefined ? has(tag) : { operator: "And", operands: [has(tag), after] };
      const given = { where, sort: [{ path: ["_id"], order: "asc" }], limit: pageSize };
      const rows = await get<Identified>("list", given, "_additional { id }", signal);
      return rows.map(({ _additional }) => _additional.id);
    },
    async read(keys, signal) {
      type Row = Identified & { readonly ref: string; readonly json: string | null };
      const rows = await get<Row>("read", byKeys(keys), "ref json _additional { id }", signal);
      return rows.map(({ _additional, ...row }) => ({ ...row, key: _additional.id }));
    },
    async readVectors(keys, signal) {
      type Row = { readonly _additional: { readonly id: string; readonly vector: readonly number[] } };
      const rows = await get<Row>("read vectors", byKeys(keys), "_additional { id vector }", signal);
      return rows.map(({ _additional: { id, vector } }) => ({ key: id, vector }));
    },
    async nearest({ vector, condition, limit, words, options, signal }) {
      const where = writeWhere(condition);
      const one = { ...options, vector: [...vector] };
      const given = {
        ...(words === undefined ? { nearVector: one } : { hybrid: { ...one, query: words, properties: ["text"] } }),
        limit,
        ...(where !== undefined && { where }),
      };
      type Row = {
        readonly ref: string;
        readonly _additional: { readonly distance?: number; readonly score?: string };
      };
      const fields = `ref _additional { ${words === undefined ? "distance" : "score"} }`;
      const rows = await get<Row>("search", given, fields, signal);
      return rows.map(({ ref, _additional: { distance, score: fused } }) => ({
        ref,
        score: Number(distance ?? fused),
      }));
    },
  };
}

function checkName(name: string): string {
  if (/^\w+$/u.test(name)) return name;
  throw new IbidError("invalid-argument", `weaviate: the field ${JSON.stringify(name)} is no name.`, {
    hint: "Give fields of Weaviate's nearVector and hybrid, such as alpha.",
  });
}

/** Fields whose texts are names of Weaviate's own. */
const enumerated = new Set(["operator", "order", "fusionType"]);

/** Arguments of a query in GraphQL, whose keys have no quotation marks. */
function writeArguments(given: object): string {
  const write = (value: unknown, key: string): string => {
    if (enumerated.has(key) && /^\w+$/u.test(String(value))) return String(value);
    if (Array.isArray(value)) return `[${value.map((each) => write(each, "")).join(",")}]`;
    if (typeof value === "object" && value !== null) return `{${writeArguments(value)}}`;
    return JSON.stringify(value);
  };
  return Object.entries(given)
    .map(([key, value]) => `${checkName(key)}:${write(value, key)}`)
    .join(",");
}

const tagged = (operator: string, tag: string): object => ({ path: ["tags"], operator, valueText: [tag] });

const has = (tag: string): object => tagged("ContainsAny", tag);

const comparisons = { gt: "GreaterThan", gte: "GreaterThanEqual", lt: "LessThan", lte: "LessThanEqual" } as const;

function writeWhere(condition: EngineCondition | undefined): object | undefined {
  return writeCondition<object>(condition, {
    has,
    lacks: (tag) => tagged("ContainsNone", tag),
    number: (key, is, value) => ({ path: [key], operator: comparisons[is], valueNumber: value }),
    and: (operands) => ({ operator: "And", operands }),
    or: (operands) => ({ operator: "Or", operands }),
    nothing: () => has("none"),
  });
}
