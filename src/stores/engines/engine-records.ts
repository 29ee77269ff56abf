import type { Engine, EngineCondition, EngineEntry, EngineIndex, EngineIndexSpec } from "../../contracts/engine.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Filter } from "../../contracts/filter.ts";
import type { JsonValue, Metadata } from "../../contracts/metadata.ts";
import type { Scope } from "../../contracts/scope.ts";
import { compileFilter } from "../../engine/filters/compile-filter.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkRecords, everyCondition } from "./check-engine.ts";
import { addMetadata, createEngineTags, decodeRef, encodeRef, toUuid } from "./engine-tags.ts";
import { translateRestriction } from "./translate-filter.ts";
import { waitUntil } from "./wait-until.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

/** One vector of a record: that of a field, or `""` for the other text fields together. */
export interface RecordPart {
  readonly name: string;
  /** `undefined` for a part without text. */
  readonly vector: Float32Array | undefined;
  readonly text: string;
}

/** A record on its way into an engine. */
export interface RecordRow {
  readonly scope: Scope;
  readonly key: string;
  readonly json: string;
  readonly metadata: Metadata;
  /** One for each part of the table. */
  readonly parts: readonly RecordPart[];
}

/** A record as it is kept. */
export interface KeptRow {
  readonly scope: Scope;
  readonly key: string;
  readonly json: string;
}

/** A record that was found, by its best part. */
export interface FoundRow extends KeptRow {
  readonly score: number;
  readonly part: string;
}

/** A search for records by a vector, in scopes that the caller may read. */
export interface RecordRequest {
  readonly scopes: readonly Scope[];
  /** Parts to search, which share one index. */
  readonly parts: readonly string[];
  readonly vector: Float32Array;
  readonly wanted: number | "all";
  readonly filter?: Filter | undefined;
  readonly words?: string | undefined;
  readonly options?: JsonValue | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Vectors of one record by its parts. */
export type PartVectors = ReadonlyMap<string, Float32Array>;

/** The records of one collection in an engine. */
export interface RecordTable {
  put(rows: readonly RecordRow[], signal?: AbortSignal): Promise<void>;
  /**
   * Waits until the engine shows records that were put. A record that took the place of another is shown when it no longer reads as in `before`.
   *
   * **Errors** `store-busy`. **Cost** no request to an engine that shows a write when it ends.
   */
  shown(
    scope: Scope,
    keys: readonly string[],
    before: ReadonlyMap<string, string>,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Records that are there, in no order. */
  read(scopes: readonly Scope[], keys: readonly string[], signal?: AbortSignal): Promise<readonly KeptRow[]>;
  /** Removes records for good. **Shape** how many were there. **Errors** `store-busy` while the engine still shows one. */
  delete(scope: Scope, keys: readonly string[], signal?: AbortSignal): Promise<number>;
  /** How many entries each index has of a scope, by its name. */
  counts(scope: Scope, signal?: AbortSignal): Promise<ReadonlyMap<string, number>>;
  /**
   * Vectors of records that are there, by their keys and parts, as the engine gives them back.
   *
   * **Errors** `unsupported` for an engine that gives none.
   */
  vectors(scope: Scope, keys: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, PartVectors>>;
  /** Every record of some scopes, in no order. */
  rows(scopes: readonly Scope[], signal?: AbortSignal): AsyncIterable<KeptRow>;
  /**
   * The nearest records, best first.
   *
   * **Cost** one search and one read; where fewer than are wanted pass the filter, every record of the scopes is read.
   */
  search(request: RecordRequest): Promise<readonly FoundRow[]>;
}

/** The same in every process: the engine has the records anyway. */
const tags = createEngineTags(new TextEncoder().encode("ibid/records"));

/** Facts of an entry that no field of a record can be named like. */
const partKey = "_part";
const blankKey = "_blank";
const wordsKey = "_words";

/** Candidates for each record that is wanted, at first, at least, and the growth of their number. */
const [inflation, leastCandidates, growth] = [4, 64, 4];

/** Records that one search names by their keys. */
const namedAtOnce = 128;

/** How long a write or a delete is waited for at least. **Units** milliseconds. */
const waitMs = 10_000;

/** The name of an index of a collection. All of them begin with {@link beginningOf}. */
export function indexName(collection: string, spec: Omit<EngineIndexSpec, "name">): string {
  const { version, metric, kind = "dynamic" } = spec;
  return beginningOf(collection) + tags.digest(["index", version, metric, kind]).slice(0, 8);
}

/** Beginning of the names of a collection's indexes, with what can be read of its name. */
export function beginningOf(collection: string): string {
  const readable = collection
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/gu, "")
    .slice(0, 12);
  return `r_${readable}_${tags.digest(["collection", collection]).slice(0, 8)}_`;
}

/**
 * The records of a collection whose parts lie in the given indexes. The first part carries the record.
 *
 * **Errors** `unsupported` for an engine that keeps no records, for a metric and for a kind of index that it lacks, with those that it has.
 */
export function openRecordTable(engine: Engine, specs: ReadonlyMap<string, EngineIndexSpec>): RecordTable {
  for (const spec of specs.values()) checkRecords(engine, spec.kind);
  const { batch, visibleAfterMs } = engine.capabilities;
  const withinMs = Math.max(waitMs, 2 * visibleAfterMs);
  const [main] = specs.keys();
  /** A record is there when its first part is. A process that dies before leaves a record that is written, or deleted, again. */
  const mainLast = [...specs.keys()].reverse();
  const opened = new Map<string, Promise<EngineIndex>>();
  const open = (part: string): Promise<EngineIndex> => {
    const spec = specs.get(part)!;
    const opening = opened.get(spec.name) ?? engine.open({ ...spec, records: true });
    opened.set(spec.name, opening);
    opening.catch(() => opened.delete(spec.name));
    return opening;
  };
  const idOf = (scope: Scope, key: string): string => rowId(scope, key, main!);
  /** Scopes and indexes whose records all have their words. */
  const worded = new Set<string>();

  async function checkWords(scopes: readonly Scope[], part: string, signal?: AbortSignal): Promise<void> {
    const index = await open(part);
    for (const scope of scopes) {
      const place = JSON.stringify([scope, specs.get(part)!.name]);
      if (worded.has(place)) continue;
      const [all, said] = [await index.count(tags.scope(scope), signal), await index.count(wordsIn(scope), signal)];
      if (said < all) {
        throw new IbidError("unsupported", `${engine.name} has records in ${scope} without their words.`, {
          hint: "An earlier version wrote them. Call rebuild() of the collection, which writes them again.",
          details: { store: engine.name, scope, records: all - said },
        });
      }
      worded.add(place);
    }
  }

  async function* inBatches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
    for (let from = 0; from < items.length; from += batch) yield items.slice(from, from + batch);
  }

  async function readIds(ids: readonly string[], signal?: AbortSignal): Promise<readonly KeptRow[]> {
    const index = await open(main!);
    const found: KeptRow[] = [];
    for await (const some of inBatches(ids)) {
      for (const { ref, json } of await index.read!(some, signal)) {
        const named = decodeRow(ref);
        if (named !== undefined) found.push({ scope: named.scope, key: named.key, json });
      }
    }
    return found;
  }

  const readRows: OpenTable["readRows"] = (some, signal) =>
    readIds(
      some.map(({ scope, key }) => idOf(scope, key)),
      signal,
    );

  const read: RecordTable["read"] = async (scopes, keys, signal) => {
    const found = await readIds(
      scopes.flatMap((scope) => keys.map((key) => idOf(scope, key))),
      signal,
    );
    return found.filter(({ scope, key }) => scopes.includes(scope) && keys.includes(key));
  };

  async function* rows(scopes: readonly Scope[], signal?: AbortSignal): AsyncGenerator<KeptRow> {
    const index = await open(main!);
    for (const scope of scopes) {
      for (let from: string | undefined; ;) {
        throwIfAborted(signal, "The listing");
        const page = await index.list(tags.scope(scope), from, signal);
        for (const row of await readIds(page.keys, signal)) if (row.scope === scope) yield row;
        // A page that names itself again would never end.
        if (page.next === undefined || page.next === from) break;
        from = page.next;
      }
    }
  }

  return {
    read,
    rows,
    async search(request) {
      const { scopes, parts, words, signal } = request;
      if (words !== undefined && engine.capabilities.records?.mayLackWords === true)
        await checkWords(scopes, parts[0]!, signal);
      return searchTable({ engine, specs, open, readRows, rows }, request);
    },
    async put(given, signal) {
      for (const part of mainLast) {
        const entries = given.flatMap((row) =>
          row.parts
            .filter(({ name }) => name === part)
            .map((one) => entryOf(row, one, specs.get(part)!.dimensions, part === main)),
        );
        const index = await open(part);
        for await (const some of inBatches(entries)) await index.put(some, signal);
      }
    },
    async shown(scope, keys, before, signal) {
      if (visibleAfterMs === 0) return;
      let waiting = keys;
      const look = async (): Promise<true | undefined> => {
        const found = new Map((await read([scope], waiting, signal)).map(({ key, json }) => [key, json]));
        waiting = waiting.filter((key) => !found.has(key) || found.get(key) === before.get(key));
        return waiting.length === 0 ? true : undefined;
      };
      await waitUntil({ what: `${engine.name}: write`, withinMs, signal }, look, () => {
        const message = `${engine.name} has not shown ${waiting.length} of ${keys.length} records that were written.`;
        const hint = "They are stored and may be found later. Write them again to be sure.";
        const details = { store: engine.name, operation: "write", scope, pending: waiting.length };
        return new IbidError("store-busy", message, { hint, details });
      });
    },
    async counts(scope, signal) {
      const counts = new Map<string, number>();
      for (const [part, { name }] of specs)
        if (!counts.has(name)) counts.set(name, await (await open(part)).count(tags.scope(scope), signal));
      return counts;
    },
    async vectors(scope, keys, signal) {
      const found = new Map(keys.map((key) => [key, new Map<string, Float32Array>()]));
      for (const part of specs.keys()) {
        const index = await open(part);
        if (index.readVectors === undefined) {
          throw new IbidError("unsupported", `${engine.name} gives no vectors back.`, {
            hint: "Read the records with list(), and write them with upsert() over the other engine: they are embedded again.",
            details: { store: engine.name, operation: "read vectors" },
          });
        }
        const ids = new Map(keys.map((key) => [rowId(scope, key, part), key]));
        for await (const some of inBatches([...ids.keys()])) {
          for (const { key: id, vector } of await index.readVectors(some, signal))
            found.get(ids.get(id) ?? "")?.set(part, vector);
        }
      }
      return found;
    },
    async delete(scope, keys, signal) {
      const there = (await read([scope], keys, signal)).length;
      for (const part of mainLast) {
        const index = await open(part);
        for await (const some of inBatches(keys.map((key) => rowId(scope, key, part))))
          await index.delete(some, signal);
      }
      const isGone = async (): Promise<true | undefined> =>
        (await read([scope], keys, signal)).length === 0 ? true : undefined;
      await waitUntil({ what: `${engine.name}: delete`, withinMs, signal }, isGone, () => {
        const message = `${engine.name} still shows a record that was deleted.`;
        const details = { store: engine.name, operation: "delete", scope };
        return new IbidError("store-busy", message, { hint: "Delete again later.", details });
      });
      return there;
    },
  };
}

/** A table's indexes, for its search. */
interface OpenTable {
  readonly engine: Engine;
  readonly specs: ReadonlyMap<string, EngineIndexSpec>;
  readonly open: (part: string) => Promise<EngineIndex>;
  readonly readRows: (
    rows: readonly Pick<KeptRow, "scope" | "key">[],
    signal?: AbortSignal,
  ) => Promise<readonly KeptRow[]>;
  readonly rows: RecordTable["rows"];
}

const nameOf = ({ scope, key }: Pick<KeptRow, "scope" | "key">): string => `${scope} ${key}`;

/** The best part of each record that an engine proposes, in the scopes and parts of the request. */
async function propose(
  { open }: OpenTable,
  { scopes, parts, vector, words, options, signal }: RecordRequest,
  condition: EngineCondition,
  limit: number,
): Promise<{ readonly found: Map<string, Omit<FoundRow, "json">>; readonly isAll: boolean }> {
  const index = await open(parts[0]!);
  const given = await index.nearest({ vector, condition, limit, words, options, signal });
  throwIfAborted(signal, "The search");
  const found = new Map<string, Omit<FoundRow, "json">>();
  for (const { ref, score } of given) {
    const row = decodeRow(ref);
    if (row === undefined || !scopes.includes(row.scope) || !parts.includes(row.part)) continue;
    const id = nameOf(row);
    if ((found.get(id)?.score ?? -Infinity) < score) found.set(id, { ...row, score });
  }
  return { found, isAll: given.length < limit };
}

/** Asks the engine, checks each record that it proposes, and reads all records where too few pass. */
async function searchTable(table: OpenTable, request: RecordRequest): Promise<readonly FoundRow[]> {
  const { engine, specs, rows } = table;
  const { candidates: most, exhaustive } = engine.capabilities;
  const { scopes, parts, filter, signal } = request;
  if (scopes.length === 0) return [];
  const wanted = request.wanted === "all" ? Infinity : request.wanted;
  const inParts: readonly Filter[] = [
    { op: "in", key: partKey, values: parts },
    { op: "ne", key: blankKey, value: true },
  ];
  const filters = [...inParts, ...(filter === undefined ? [] : [filter])];
  const { condition } = translateRestriction(scopes, { filter: { op: "and", filters } }, tags, everyCondition);
  const matches = filter === undefined ? () => true : compileFilter(filter);
  const admits = ({ json }: KeptRow): boolean => matches(parseStored(json) as Metadata);
  const kept = new Map<string, KeptRow>();
  const admitted = async (found: ReadonlyMap<string, Omit<FoundRow, "json">>): Promise<FoundRow[]> => {
    const unread = [...found].filter(([id]) => !kept.has(id)).map(([, row]) => row);
    for (const row of await table.readRows(unread, signal)) kept.set(nameOf(row), row);
    return [...found].flatMap(([id, row]) => {
      const whole = kept.get(id);
      return whole !== undefined && admits(whole) ? [{ ...row, json: whole.json }] : [];
    });
  };

  const first = wanted === Infinity ? most : Math.min(most, Math.max(leastCandidates, wanted * inflation));
  for (let asked = first; ; asked = Math.min(most, asked * growth)) {
    const { found, isAll } = await propose(table, request, condition, asked);
    const best = await admitted(found);
    const isEnough = best.length >= wanted || (isAll && exhaustive) || request.words !== undefined;
    if (isEnough) return best.sort(byScore).slice(0, wanted);
    if (!isAll && asked < most) continue;
    // The engine has no more of itself: what matches is asked for by name.
    const missing: KeptRow[] = [];
    for await (const row of rows(scopes, signal)) if (!found.has(nameOf(row)) && admits(row)) missing.push(row);
    for (let at = 0; at < missing.length; at += namedAtOnce) {
      const some = missing.slice(at, at + namedAtOnce);
      const named: EngineCondition = {
        op: "or",
        of: some.map(({ scope, key }) => ({ op: "has", tag: tags.document(scope, key) })),
      };
      const { condition: place } = translateRestriction(
        scopes,
        { filter: { op: "and", filters: inParts } },
        tags,
        everyCondition,
      );
      const more = await propose(table, request, { op: "and", of: [place, named] }, some.length * specs.size);
      best.push(...(await admitted(more.found)));
    }
    return best.sort(byScore).slice(0, wanted);
  }
}

/** The entry of one part. The first part of a table carries the record. */
function entryOf(
  { scope, key, json, metadata }: RecordRow,
  { name, text, vector }: RecordPart,
  dimensions: number,
  isFirst: boolean,
): EngineEntry {
  const all = [tags.base, tags.scope(scope), tags.document(scope, key), wordsIn(scope)];
  const numbers: Record<string, number> = {};
  addMetadata(tags, { ...metadata, [partKey]: name, ...(vector === undefined && { [blankKey]: true }) }, all, numbers);
  return {
    key: rowId(scope, key, name),
    ref: encodeRef({ scope, id: JSON.stringify([key, name]) }),
    vector: vector ?? unit(dimensions),
    tags: [...new Set(all)],
    numbers,
    record: {
      ...(isFirst && { json }),
      text,
      fields: metadata as Readonly<Record<string, JsonValue>>,
    },
  };
}

/** The fact that an entry was written with its words. */
const wordsIn = (scope: Scope): string => tags.equal(wordsKey, scope);

const rowId = (scope: Scope, key: string, part: string): string => toUuid(tags.digest(["row", scope, key, part]));

/** Better first; equal scores by scope, then key. */
function byScore(a: FoundRow, b: FoundRow): number {
  return b.score - a.score || compare(a.scope, b.scope) || compare(a.key, b.key);
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function unit(dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[0] = 1;
  return vector;
}

/** The record that an engine names; `undefined` for anything that ibid did not write. */
function decodeRow(ref: unknown): { readonly scope: Scope; readonly key: string; readonly part: string } | undefined {
  const named = decodeRef(ref);
  if (named === undefined) return undefined;
  try {
    const [key, part] = JSON.parse(named.id) as readonly unknown[];
    return typeof key === "string" && typeof part === "string" ? { scope: named.scope, key, part } : undefined;
  } catch {
    return undefined;
  }
}
