import { narrowProof, operator } from "../access/gate.ts";
import { homeScope, parseScope } from "../access/scopes.ts";
import { type CollectionPlan, fieldsOf } from "./records/check-definition.ts";
import { collectionUri, keyOfRecord, recordKeys, recordsUri, recordUri } from "./records/collection-uri.ts";
import type {
  CollectionAddress,
  CollectionFilter,
  CollectionListOptions,
  CollectionWriteOptions,
  ReadyOptions,
} from "../contracts/collection.ts";
import type { StoredDocument } from "../contracts/document-store.ts";
import type { Engine } from "../contracts/engine.ts";
import { IbidError } from "../contracts/errors.ts";
import type { DeletedSummary } from "../contracts/store.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { compileFilter } from "../engine/filters/compile-filter.ts";
import { anySignal, untilAborted } from "../runtime/abort.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { findDeletedScopes } from "./deleted-scopes.ts";
import type { ApartEmbedders } from "./apart-embedders.ts";
import type { AnyCollection, CollectionParts, RecordTarget } from "./parts.ts";
import type { CollectionMark } from "./collection-mark.ts";
import type { RecordsInEngine } from "./write-records.ts";
import type { EngineCollectionParts } from "./engine-records/engine-places.ts";
import type { EngineVerbs } from "./engine-records/engine-verbs.ts";

type Key = string | number;
const writeOptions = { scope: true, signal: true, timeoutMs: true } as const;
type AnyFilter = CollectionFilter<Record<string, unknown>, string>;

/** How long a store is waited for by those that wait for its start, and by a write. **Units** milliseconds. */
const [defaultReadyMs, writeReadyMs] = [60_000, 10_000];

/** The parts that write and search are loaded at their first use. */
const marking = () => import("./collection-mark.ts");
const writing = () => import("./write-records.ts");
const searching = () => import("./search-records.ts");

/** One collection, in one caller's view. */
export function createRecordCollection(parts: CollectionParts, plan: CollectionPlan): AnyCollection {
  const { store, gate, caller, readable } = parts;
  const { name } = plan;
  const ownUri = collectionUri(name);
  const prefix = recordsUri(name);
  let loading: Promise<ApartEmbedders> | undefined;
  const apart = (): Promise<ApartEmbedders> => (loading ??= loadApart());

  const scopesOf = (address: CollectionAddress): Promise<AuthorizedScopes> =>
    readable(address.scope === undefined ? undefined : [parseScope(address.scope)]);
  const target = (given: Scope | undefined): RecordTarget => {
    const scope = parseScope(given ?? homeScope(caller === operator ? undefined : caller));
    return { scope, into: gate.write(caller, scope), from: gate.read(caller, [scope], [scope]) };
  };

  async function recordOf({ document: { metadata, uri } }: StoredDocument): Promise<unknown> {
    const { readRecord } = await import("./records/check-against-schema.ts");
    return readRecord(plan, metadata[recordKeys.record], uri);
  }

  const find = (scopes: AuthorizedScopes, key: Key): Promise<StoredDocument | undefined> =>
    findRecord(store, name, scopes, key);

  async function* stored(scopes: AuthorizedScopes): AsyncGenerator<StoredDocument> {
    for await (const { id, scope } of store.documents(scopes, { under: prefix })) {
      const found = await store.document(narrowProof(scopes, [scope]), id);
      if (found !== undefined) yield found;
    }
  }

  async function waitUntilReady({ timeoutMs = defaultReadyMs, signal }: ReadyOptions = {}): Promise<void> {
    if (!(timeoutMs >= 0 && timeoutMs <= 2 ** 31 - 1)) {
      throw new IbidError("invalid-argument", `timeoutMs is ${String(timeoutMs)}.`, {
        hint: "Give milliseconds, from 0 to 2,147,483,647.",
      });
    }
    await readable([]);
    const limit = anySignal([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]);
    await untilAborted(store.ready(limit), limit, `Waiting for the store of ${name}`);
    if (plan.keptIn !== "engine") return;
    await (await engineVerbs()).waitUntilReady(limit);
  }

  /** The same for a write: a caller stands behind it, and a server that is gone is said soon. */
  const waitToWrite = async ({ timeoutMs = writeReadyMs, signal }: ReadyOptions): Promise<void> =>
    waitUntilReady({ timeoutMs, signal });

  const search = { ...parts, embedder: parts.stages.embedder, plan, apart, ownUri, prefix, recordOf };
  const current: CollectionMark = { fingerprint: plan.fingerprint, models: plan.modelsFingerprint };
  let inEngine: Promise<EngineVerbs> | undefined;
  const engine = plan.keptIn === "engine" ? engineOf(parts, plan) : undefined;
  const engineVerbs = (): Promise<EngineVerbs> =>
    (inEngine ??= loadEngineVerbs({ ...parts, engine: engine!, plan, ownUri, apart, scopesOf, target, markIn }));

  const collection: AnyCollection = {
    name,
    uriOf: (key: unknown) => recordUri(name, key),

    async waitUntilReady(options = {}) {
      checkOptions("waitUntilReady", options, { timeoutMs: true, signal: true });
      await waitUntilReady(options);
    },

    async exists(address = {}) {
      checkOptions("exists", address, { scope: true });
      return (await store.find(await scopesOf(address), ownUri)).length > 0;
    },

    async ensure(options = {}) {
      checkOptions("ensure", options, { scope: true, timeoutMs: true, signal: true });
      const { scope, into, from } = target(options.scope);
      const { timeoutMs, signal } = options;
      await waitUntilReady({ ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) });
      if (!(await (await marking()).checkCollection(store, from, ownUri, plan))) return markIn(into, scope);
      if (plan.keptIn !== "engine") return;
      // A mark of an earlier version does not say the fields.
      for (const { document } of await store.find(from, ownUri)) {
        const { [recordKeys.indexes]: indexes, [recordKeys.fields]: fields } = document.metadata;
        if (typeof indexes === "string" && fields === undefined) await markIn(into, scope, indexes);
      }
    },

    drop,

    get: (async (keys: unknown, address: CollectionAddress = {}) => {
      checkOptions("get", address, { scope: true });
      const scopes = await scopesOf(address);
      if (!Array.isArray(keys)) {
        const found = await find(scopes, keys as Key);
        return found && recordOf(found);
      }
      const records = [];
      for (const key of keys as readonly Key[]) {
        const found = await find(scopes, key);
        if (found !== undefined) records.push(await recordOf(found));
      }
      return records;
    }) as AnyCollection["get"],

    async scopesOf(key: unknown) {
      return (await store.find(await readable(), recordUri(name, key))).map(({ summary }) => summary.scope);
    },

    async *keys(options = {}) {
      checkOptions("keys", options, { scope: true, keyPrefix: true, deleted: true });
      const { keyPrefix, deleted = false } = options;
      const under = keyPrefix === undefined ? prefix : recordUri(name, keyPrefix);
      const found = deleted ? deletedUnder(parts, under, options) : store.documents(await scopesOf(options), { under });
      for await (const { uri, scope } of found) yield { key: keyOfRecord(uri), scope };
    },

    async *list(options: CollectionListOptions<AnyFilter> = {}) {
      checkOptions("list", options, { scope: true, filter: true, orderBy: true, skip: true, topK: true });
      const { parseCollectionFilter, pageOf } = await searching();
      const filter = parseCollectionFilter(plan, options.filter);
      const matches = filter === undefined ? () => true : compileFilter(filter);
      const scopes = await scopesOf(options);
      async function* matching(): AsyncGenerator<Record<string, unknown>> {
        for await (const found of stored(scopes))
          if (matches(found.document.metadata)) yield (await recordOf(found)) as Record<string, unknown>;
      }
      yield* pageOf(matching(), options);
    },

    async upsert(records: unknown, options: CollectionWriteOptions & ReadyOptions = {}) {
      checkOptions("upsert", options, writeOptions);
      const where = target(options.scope);
      const { signal } = options;
      await waitToWrite(options);
      const exists = await (await marking()).checkCollection(store, where.from, ownUri, plan);
      const begin = async (): Promise<void> => {
        if (!exists) await markIn(where.into, where.scope);
      };
      const { embedders } = await apart();
      const given: readonly unknown[] = Array.isArray(records) ? records : [records];
      return (await writing()).writeRecords(parts, plan, embedders, given, where, { signal, begin });
    },

    async delete(given: unknown, options = {}) {
      checkOptions("delete", options, { scope: true, onMissing: true, purge: true });
      const { onMissing, ...rest } = options;
      const keys = [...new Set(Array.isArray(given) ? (given as readonly Key[]) : [given as Key])];
      const uris = keys.map((key) => recordUri(name, key));
      const scopes = await scopesOf(rest);
      for (const key of keys) {
        if ((await find(scopes, key)) !== undefined || onMissing !== "error") continue;
        throw new IbidError("not-found", `${name}: there is no record ${JSON.stringify(key)}.`, {
          uri: recordUri(name, key),
          hint: "Nothing was deleted; see which there are with list().",
        });
      }
      let gone = 0;
      for (const uri of uris) gone += (await parts.deleteDocument(uri, rest)).length;
      return gone;
    },

    search: async (query, options) => (await searching()).searchRecords(search, "dense", query, options),
    vectorSearch: async (vector, options) => (await searching()).searchRecordsByVector(search, vector, options),
    hybridSearch: async (query, options) => (await searching()).searchRecords(search, "hybrid", query, options),
    regexSearch: async (pattern, options) => (await searching()).searchRecords(search, "regex", pattern, options),
    textSearch: async (query, options) => (await searching()).searchRecords(search, "lexical", query, options),

    rebuild,
  };
  if (plan.keptIn === "documents") return collection;
  return overEngine(collection, engineVerbs, waitToWrite);

  async function drop(options: CollectionAddress & { readonly purge?: boolean } = {}): Promise<number> {
    checkOptions("drop", options, { scope: true, purge: true });
    const { scope: named, purge = false } = options;
    const scopes = await scopesOf(options);
    const emptied = purge ? ((await findDeletedScopes(parts, named))?.scopes ?? []) : [];
    const wanted =
      named === undefined ? new Set([...gate.writable(caller, scopes.scopes), ...emptied]) : [parseScope(named)];
    let gone = 0;
    for (const scope of wanted) {
      const { from } = target(scope);
      const uris = [];
      for await (const { uri } of store.documents(from, { under: prefix })) uris.push(uri);
      // With a purge, what was only deleted goes too.
      if (purge) for await (const { uri } of deletedUnder(parts, prefix, { scope })) uris.push(uri);
      for (const uri of new Set(uris)) gone += (await parts.deleteDocument(uri, { scope, purge })).length;
      await parts.deleteDocument(ownUri, { scope, purge });
    }
    return gone;
  }

  async function markIn(into: AuthorizedScopes<"write">, scope: Scope, indexes?: string): Promise<void> {
    const { markCollection } = await marking();
    const fields = indexes === undefined ? undefined : fieldsOf(plan);
    await markCollection(store, into, { uri: ownUri, name, scope }, { ...current, indexes, fields });
  }

  async function loadApart(): Promise<ApartEmbedders> {
    return (await import("./apart-embedders.ts")).createApartEmbedders(plan, parts.embed);
  }

  /** Writes every kept record again, as the definition is now. */
  async function rebuild(options: CollectionWriteOptions & ReadyOptions = {}) {
    checkOptions("rebuild", options, writeOptions);
    const where = target(options.scope);
    const { signal } = options;
    await waitToWrite(options);
    const { embedders } = await apart();
    const kept = () => stored(where.from);
    const inEngine = await recordsInEngine(where, signal);
    return (await writing()).rebuildRecords(parts, plan, embedders, kept, inEngine, where, { signal });
  }

  /** The records that the mark of a scope places in an engine. **Errors** `configuration-missing` without that engine. */
  async function recordsInEngine(
    { from, scope }: RecordTarget,
    signal: AbortSignal | undefined,
  ): Promise<RecordsInEngine | undefined> {
    const [mark] = await store.find(from, ownUri);
    if (mark?.document.metadata[recordKeys.indexes] === undefined) return undefined;
    const { createEnginePlaces } = await import("./engine-records/engine-places.ts");
    const of = engineOf(parts, plan);
    const { placesOf } = createEnginePlaces({ ...parts, engine: of, plan, ownUri, apart, scopesOf, target, markIn });
    const places = await placesOf(from);
    return {
      async *records() {
        for (const { table } of places) for await (const { json } of table.rows([scope], signal)) yield json;
      },
      async delete() {
        for (const { table } of places) {
          const keys: string[] = [];
          for await (const { key } of table.rows([scope], signal)) keys.push(key);
          await table.delete(scope, keys, signal);
        }
      },
    };
  }
}

/** **Errors** `ambiguous` for a key of several scopes. */
async function findRecord(
  store: CollectionParts["store"],
  name: string,
  scopes: AuthorizedScopes,
  key: Key,
): Promise<StoredDocument | undefined> {
  const uri = recordUri(name, key);
  const [found, ...others] = await store.find(scopes, uri);
  if (found === undefined || others.length === 0) return found;
  const held = [found, ...others].map(({ summary }) => summary.scope);
  throw new IbidError("ambiguous", `${name}: record ${JSON.stringify(key)} is in several scopes: ${held.join(", ")}.`, {
    uri,
    hint: `Say which: scope "${held[0]}", for example.`,
    details: { scopes: held },
  });
}

/** **Errors** `configuration-missing` for a knowledge base without an engine. */
function engineOf({ engine }: CollectionParts, { name }: CollectionPlan): Engine {
  if (engine !== undefined) return engine;
  throw new IbidError("configuration-missing", `${name} is kept in an engine, and the knowledge base has none.`, {
    hint: 'Open the knowledge base with engine: { name: "qdrant", url }, for example.',
  });
}

async function loadEngineVerbs(parts: EngineCollectionParts): Promise<EngineVerbs> {
  return (await import("./engine-records/engine-verbs.ts")).createEngineVerbs(parts);
}

/** The collection with the verbs that an engine does. They are loaded at their first use. */
function overEngine(
  collection: AnyCollection,
  engineVerbs: () => Promise<EngineVerbs>,
  waitToWrite: (options: ReadyOptions) => Promise<void>,
): AnyCollection {
  return {
    ...collection,
    drop: async (options) => (await engineVerbs()).drop(options),
    get: (async (keys: never, address) => (await engineVerbs()).get(keys, address)) as AnyCollection["get"],
    scopesOf: async (key) => (await engineVerbs()).scopesOf(key),
    async *keys(options) {
      yield* (await engineVerbs()).keys(options);
    },
    async *list(options) {
      yield* (await engineVerbs()).list(options);
    },
    upsert: async (records, options = {}) => {
      checkOptions("upsert", options, writeOptions);
      await waitToWrite(options);
      return (await engineVerbs()).upsert(records, options);
    },
    delete: async (keys, options) => (await engineVerbs()).delete(keys, options),
    search: async (query, options) => (await engineVerbs()).search(query, options),
    vectorSearch: async (vector, options) => (await engineVerbs()).vectorSearch(vector, options),
    hybridSearch: async (query, options) => (await engineVerbs()).hybridSearch(query, options),
    textSearch: async (query, options) => (await engineVerbs()).textSearch(query, options),
    rebuild: async (options = {}) => {
      checkOptions("rebuild", options, writeOptions);
      await waitToWrite(options);
      return (await engineVerbs()).rebuild(options);
    },
  };
}

/** Records that can be restored, in scopes that the caller may write. */
async function* deletedUnder(
  parts: CollectionParts,
  under: string,
  { scope }: CollectionAddress,
): AsyncGenerator<DeletedSummary> {
  const own = await findDeletedScopes(parts, scope);
  const { trash } = parts.store;
  if (trash === undefined || own === undefined) return;
  for await (const summary of trash.deleted(own)) if (summary.uri.startsWith(under)) yield summary;
}
