import type { CollectionAddress } from "../../contracts/collection.ts";
import type { Embedding, EmbeddingVersion, Metric } from "../../contracts/embedding.ts";
import type { Embedder } from "../../contracts/embedding-model.ts";
import type { Engine, EngineIndexSpec } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { AuthorizedScopes, Scope } from "../../contracts/scope.ts";
import { checkRecords, engineMetric } from "../../stores/engines/check-engine.ts";
import { indexName, type KeptRow, openRecordTable, type RecordTable } from "../../stores/engines/engine-records.ts";
import { toEngineVector } from "../../stores/engines/engine-vector.ts";
import type { ApartEmbedders } from "../apart-embedders.ts";
import type { CollectionParts, RecordTarget } from "../parts.ts";
import { type KeptRecord, readRecord } from "../records/check-against-schema.ts";
import type { CollectionPlan } from "../records/check-definition.ts";
import { recordKeys, recordUri } from "../records/collection-uri.ts";
import { partText } from "../records/compose-record.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

type Key = string | number;

/** Parts of a collection in an engine: those of a collection in documents, and the engine. */
export interface EngineCollectionParts extends CollectionParts {
  readonly engine: Engine;
  readonly plan: CollectionPlan;
  readonly ownUri: string;
  readonly apart: () => Promise<ApartEmbedders>;
  readonly scopesOf: (address: CollectionAddress) => Promise<AuthorizedScopes>;
  readonly target: (scope: Scope | undefined) => RecordTarget;
  readonly markIn: (into: AuthorizedScopes<"write">, scope: Scope, indexes?: string) => Promise<void>;
}

/** Indexes of a collection by the parts of its records. */
export type PartSpecs = ReadonlyMap<string, EngineIndexSpec>;

/** Scopes whose records lie in the same indexes. */
export interface RecordPlace {
  readonly scopes: readonly Scope[];
  readonly specs: PartSpecs;
  readonly table: RecordTable;
}

/** Where the records of a collection lie in an engine, and what they are made of. */
export interface EnginePlaces {
  /** Parts of a record that have a vector each: fields, and `""` for the other text fields together. */
  readonly fields: readonly string[];
  /** **Errors** `configuration-missing` without a model. */
  readonly embedderOf: (field: string) => Promise<Embedder>;
  /** The indexes for new records. */
  readonly currentSpecs: (signal?: AbortSignal) => Promise<PartSpecs>;
  /** **Errors** `unsupported` for a metric or a kind of index that the engine lacks, with those that it has. */
  readonly checkFields: () => void;
  readonly tableOf: (specs: PartSpecs) => RecordTable;
  /** Forgets the indexes, which were dropped. */
  readonly forget: () => void;
  /** Indexes in which scopes have their records. */
  readonly placesOf: (scopes: AuthorizedScopes) => Promise<readonly RecordPlace[]>;
  readonly readAll: (scopes: AuthorizedScopes, keys: readonly Key[]) => Promise<readonly KeptRow[]>;
  /** The one record of a key. **Errors** `ambiguous`. */
  readonly oneOf: (rows: readonly KeptRow[], key: Key) => KeptRow | undefined;
  readonly toRecord: (row: KeptRow) => Promise<Record<string, unknown>>;
  readonly partText: (record: KeptRecord, field: string) => string;
  readonly denseOf: (embedding: Embedding, dimensions: number) => Float32Array;
  readonly lacks: (what: string, hint: string) => IbidError;
}

export function createEnginePlaces(parts: EngineCollectionParts): EnginePlaces {
  const { store, plan, engine, ownUri } = parts;
  const { name } = plan;
  const fields = [...plan.vectors, ...(plan.vectors.length < plan.text.length ? [""] : [])];
  const tables = new Map<string, RecordTable>();

  async function embedderOf(field: string): Promise<Embedder> {
    const own = (await parts.apart()).of(field) ?? parts.stages.embedder;
    if (own !== undefined) return own;
    throw new IbidError("configuration-missing", `${name} has no embedding model, and ${engine.name} keeps vectors.`, {
      hint: "Open the knowledge base with models.embedding, or give the collection an embeddingModel.",
    });
  }

  /** The indexes for new records. */
  async function currentSpecs(signal?: AbortSignal): Promise<PartSpecs> {
    const specs = new Map<string, EngineIndexSpec>();
    for (const field of fields) {
      const by = await embedderOf(field);
      const version: EmbeddingVersion =
        by.version ?? (await by.embed(["dimensions"], { purpose: "document", ...(signal && { signal }) })).version;
      const metric = engineMetric(engine, metricOf(field));
      const { dimensions } = version;
      const spec = { version, dimensions, metric, kind: plan.kinds.get(field) };
      specs.set(field, { ...spec, name: indexName(name, spec) });
    }
    return specs;
  }

  function checkFields(): void {
    for (const field of fields) {
      engineMetric(engine, metricOf(field));
      checkRecords(engine, plan.kinds.get(field));
    }
  }

  const metricOf = (field: string): Metric => plan.metrics.get(field) ?? parts.metric ?? "cosine";

  function tableOf(specs: PartSpecs): RecordTable {
    const key = JSON.stringify([...specs].map(([field, spec]) => [field, spec.name]));
    const found = tables.get(key) ?? openRecordTable(engine, specs);
    tables.set(key, found);
    return found;
  }

  async function placesOf(scopes: AuthorizedScopes): Promise<readonly RecordPlace[]> {
    const places = new Map<string, Scope[]>();
    for (const { document, summary } of await store.find(scopes, ownUri)) {
      const indexes = document.metadata[recordKeys.indexes];
      if (typeof indexes === "string") places.set(indexes, [...(places.get(indexes) ?? []), summary.scope]);
    }
    return [...places].map(([indexes, held]) => {
      const specs: PartSpecs = new Map(parseStored(indexes) as readonly (readonly [string, EngineIndexSpec])[]);
      return { scopes: held, specs, table: tableOf(specs) };
    });
  }

  async function readAll(scopes: AuthorizedScopes, keys: readonly Key[]): Promise<readonly KeptRow[]> {
    for (const key of keys) recordUri(name, key);
    const found = (await placesOf(scopes)).map((place) => place.table.read(place.scopes, keys.map(String)));
    return (await Promise.all(found)).flat();
  }

  /** The one record of a key. **Errors** `ambiguous`. */
  function oneOf(rows: readonly KeptRow[], key: Key): KeptRow | undefined {
    const [found, ...others] = rows.filter((row) => row.key === String(key));
    if (found === undefined || others.length === 0) return found;
    const held = [found, ...others].map(({ scope }) => scope).sort();
    throw new IbidError(
      "ambiguous",
      `${name}: record ${JSON.stringify(key)} is in several scopes: ${held.join(", ")}.`,
      {
        uri: recordUri(name, key),
        hint: `Say which: scope "${held[0]}", for example.`,
        details: { scopes: held },
      },
    );
  }

  const toRecord = async ({ key, json }: KeptRow): Promise<Record<string, unknown>> =>
    (await readRecord(plan, json, recordUri(name, key))) as Record<string, unknown>;

  function denseOf(embedding: Embedding, dimensions: number): Float32Array {
    const vector = toEngineVector(embedding, dimensions);
    if (vector !== undefined) return vector;
    throw new IbidError("unsupported", `${engine.name} keeps dense vectors of ${dimensions} dimensions alone.`, {
      hint: "Use an embedding model that makes dense vectors of one length.",
    });
  }

  function lacks(what: string, hint: string): IbidError {
    return new IbidError("unsupported", `${engine.name} has not ${what}.`, { hint, details: { store: engine.name } });
  }

  return {
    fields,
    embedderOf,
    currentSpecs,
    checkFields,
    tableOf,
    forget: () => tables.clear(),
    placesOf,
    readAll,
    oneOf,
    toRecord,
    partText: (record, field) => partText(plan, record, field),
    denseOf,
    lacks,
  };
}
