import { type Caller, type Gate, narrowProof, operator } from "../access/gate.ts";
import { homeScope, parseScope } from "../access/scopes.ts";
import { readRecord, takeRecord } from "./records/check-against-schema.ts";
import type { CollectionPlan } from "./records/check-definition.ts";
import { collectionUri, keyOfRecord, recordsUri, recordUri } from "./records/collection-uri.ts";
import type {
  CollectionAddress,
  CollectionFilter,
  CollectionListOptions,
  CollectionWriteOptions,
  CollectionWriteResult,
  ReadyOptions,
  RecordCollection,
} from "../contracts/collection.ts";
import type { StoredDocument } from "../contracts/document-store.ts";
import type { TextDocument } from "../contracts/document.ts";
import type { Embedder } from "../contracts/embedding-model.ts";
import { IbidError } from "../contracts/errors.ts";
import type { IngestResult, IngestSummary, KnowledgeBase } from "../contracts/knowledge-base.ts";
import type { DeletedSummary, Store } from "../contracts/store.ts";
import type { Retriever } from "../contracts/retriever.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { compileFilter } from "../engine/filters/compile-filter.ts";
import { recordArrivals, recordKeys } from "./records/compose-record.ts";
import { type IngestJob, ingestArrivals } from "../ingest/ingest.ts";
import type { IngestStages } from "../ingest/stages.ts";
import { untilAborted } from "../runtime/abort.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { type ApartEmbedders, createApartEmbedders } from "./apart-embedders.ts";
import { checkCollection, type CollectionMark, markCollection } from "./collection-mark.ts";
import { parseCollectionFilter, searchRecords } from "./search-records.ts";

/** The parts of one caller's view that collections use. */
export interface CollectionParts {
  readonly store: Store;
  readonly stages: IngestStages;
  readonly gate: Gate;
  readonly caller: Caller;
  readonly readable: (requested?: readonly Scope[]) => Promise<AuthorizedScopes>;
  readonly deleteDocument: KnowledgeBase["delete"];
  /** The view's own retriever. */
  readonly retriever: Retriever;
  /** One that searches by an embedder of a collection's own. */
  readonly retrieverBy: (embedder: Embedder) => Retriever;
  /** A model, with what is around every model of the knowledge base. */
  readonly embed: (model: Embedder["model"]) => Promise<Embedder>;
  readonly watch: (
    scope: Scope,
    run: AsyncGenerator<IngestResult, IngestSummary>,
  ) => AsyncGenerator<IngestResult, IngestSummary>;
  readonly settleLater: () => void;
}

type Key = string | number;
/** A collection of any schema: from here on fields are names. */
export type AnyCollection = RecordCollection<unknown, Record<string, unknown>, string, string>;
type AnyFilter = CollectionFilter<Record<string, unknown>, string>;

/** How long a store is waited for. **Units** milliseconds. */
const defaultReadyMs = 60_000;

/** Records that are written again at a time. */
const rebuiltAtOnce = 256;

/** One collection, in one caller's view. */
export function createRecordCollection(parts: CollectionParts, plan: CollectionPlan): AnyCollection {
  const { store, gate, caller, readable } = parts;
  const { name } = plan;
  const ownUri = collectionUri(name);
  const prefix = recordsUri(name);
  let loading: Promise<ApartEmbedders> | undefined;
  const apart = (): Promise<ApartEmbedders> => (loading ??= createApartEmbedders(plan, parts.embed));

  const scopesOf = (address: CollectionAddress): Promise<AuthorizedScopes> =>
    readable(address.scope === undefined ? undefined : [parseScope(address.scope)]);
  const target = (given: Scope | undefined) => {
    const scope = parseScope(given ?? homeScope(caller === operator ? undefined : caller));
    return { scope, into: gate.write(caller, scope), from: gate.read(caller, [scope], [scope]) };
  };
  const markIn = (into: AuthorizedScopes<"write">, scope: Scope, mark: CollectionMark): Promise<unknown> =>
    markCollection(store, into, { uri: ownUri, name, scope }, mark);
  const recordOf = ({ document: { metadata, uri } }: StoredDocument): Promise<unknown> =>
    readRecord(plan, metadata[recordKeys.record], uri);

  async function find(scopes: AuthorizedScopes, key: Key): Promise<StoredDocument | undefined> {
    const uri = recordUri(name, key);
    const [found, ...others] = await store.find(scopes, uri);
    if (found === undefined || others.length === 0) return found;
    const held = [found, ...others].map(({ summary }) => summary.scope);
    throw new IbidError(
      "ambiguous",
      `${name}: record ${JSON.stringify(key)} is in several scopes: ${held.join(", ")}.`,
      {
        uri,
        hint: `Say which: scope "${held[0]}", for example.`,
        details: { scopes: held },
      },
    );
  }

  async function* stored(scopes: AuthorizedScopes): AsyncGenerator<StoredDocument> {
    for await (const { id, scope } of store.documents(scopes, { under: prefix })) {
      const found = await store.document(narrowProof(scopes, [scope]), id);
      if (found !== undefined) yield found;
    }
  }

  async function write(records: readonly unknown[], where: Target, options: WriteOptions) {
    return writeRecords(parts, plan, (await apart()).embedders, records, where, options);
  }

  async function waitUntilReady({ timeoutMs = defaultReadyMs, signal }: ReadyOptions = {}): Promise<void> {
    if (!(timeoutMs >= 0 && timeoutMs <= 2 ** 31 - 1)) {
      throw new IbidError("invalid-argument", `timeoutMs is ${String(timeoutMs)}.`, {
        hint: "Give milliseconds, from 0 to 2,147,483,647.",
      });
    }
    await readable([]);
    const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]);
    await untilAborted(store.ready(limit), limit, `Waiting for the store of ${name}`);
  }

  const searching = { ...parts, plan, apart, ownUri, prefix, recordOf };
  const current: CollectionMark = { fingerprint: plan.fingerprint, models: plan.modelsFingerprint };

  return {
    name,
    uriOf: (key: unknown) => recordUri(name, key),

    async waitUntilReady(options = {}) {
      checkOptions("waitUntilReady", options, ["timeoutMs", "signal"]);
      await waitUntilReady(options);
    },

    async exists(address = {}) {
      checkOptions("exists", address, ["scope"]);
      return (await store.find(await scopesOf(address), ownUri)).length > 0;
    },

    async ensure(options = {}) {
      checkOptions("ensure", options, ["scope", "timeoutMs", "signal"]);
      const { scope, into, from } = target(options.scope);
      const { timeoutMs, signal } = options;
      await waitUntilReady({ ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) });
      if (await checkCollection(store, from, ownUri, plan)) return;
      await markIn(into, scope, current);
    },

    async drop(options = {}) {
      checkOptions("drop", options, ["scope", "purge"]);
      const scopes = await scopesOf(options);
      const wanted = options.scope === undefined ? gate.writable(caller, scopes.scopes) : [parseScope(options.scope)];
      let gone = 0;
      for (const scope of wanted) {
        const { from } = target(scope);
        const purge = options.purge ?? false;
        const uris = [];
        for await (const { uri } of store.documents(from, { under: prefix })) uris.push(uri);
        // With a purge, what was only deleted goes too.
        if (purge) for await (const { uri } of deletedUnder(prefix, { scope })) uris.push(uri);
        for (const uri of new Set(uris)) gone += (await parts.deleteDocument(uri, { scope, purge })).length;
        await parts.deleteDocument(ownUri, { scope, purge });
      }
      return gone;
    },

    get: (async (keys: unknown, address: CollectionAddress = {}) => {
      checkOptions("get", address, ["scope"]);
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
      checkOptions("keys", options, ["scope", "keyPrefix", "deleted"]);
      const { keyPrefix, deleted = false } = options;
      const under = keyPrefix === undefined ? prefix : recordUri(name, keyPrefix);
      const found = deleted ? deletedUnder(under, options) : store.documents(await scopesOf(options), { under });
      for await (const { uri, scope } of found) yield { key: keyOfRecord(uri), scope };
    },

    async *list(options: CollectionListOptions<AnyFilter> = {}) {
      checkOptions("list", options, ["scope", "filter"]);
      const filter = parseCollectionFilter(plan, options.filter);
      const matches = filter === undefined ? () => true : compileFilter(filter);
      for await (const found of stored(await scopesOf(options)))
        if (matches(found.document.metadata)) yield (await recordOf(found)) as Record<string, unknown>;
    },

    async upsert(records: unknown, options: CollectionWriteOptions = {}) {
      checkOptions("upsert", options, ["scope", "signal"]);
      const where = target(options.scope);
      const { signal } = options;
      await waitUntilReady(signal === undefined ? {} : { signal });
      const exists = await checkCollection(store, where.from, ownUri, plan);
      const begin = async (): Promise<void> => {
        if (!exists) await markIn(where.into, where.scope, current);
      };
      return write(Array.isArray(records) ? records : [records], where, { signal, begin });
    },

    async delete(given: unknown, options = {}) {
      checkOptions("delete", options, ["scope", "onMissing", "purge"]);
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

    search: (query, options) => searchRecords(searching, "dense", query, options),
    hybridSearch: (query, options) => searchRecords(searching, "hybrid", query, options),
    textSearch: (query, options) => searchRecords(searching, "lexical", query, options),

    rebuild,
  };

  /** Writes every kept record again, as the definition is now. */
  async function rebuild(options: CollectionWriteOptions = {}) {
    checkOptions("rebuild", options, ["scope", "signal"]);
    const where = target(options.scope);
    const { signal } = options;
    await waitUntilReady(signal === undefined ? {} : { signal });
    // A record that cannot be written again throws before anything is written.
    for await (const { document } of stored(where.from)) await checkKept(document);
    const [mark] = await store.find(where.from, ownUri);
    const fresh = mark !== undefined && mark.document.metadata[recordKeys.models] !== plan.modelsFingerprint;
    // Until it is through, neither definition answers.
    if (mark !== undefined && mark.document.metadata[recordKeys.definition] !== plan.fingerprint)
      await markIn(where.into, where.scope, { fingerprint: "", models: fresh ? "" : current.models });
    const totals = { keys: [] as Key[], added: 0, updated: 0, unchanged: 0, embedded: 0 };
    for await (const page of pagesOf(stored(where.from), rebuiltAtOnce)) {
      const records = page.map(({ document }) => parseKept(document));
      const { keys, ...counts } = await write(records, where, { fresh, signal, begin: async () => {} });
      totals.keys.push(...keys);
      for (const count of ["added", "updated", "unchanged", "embedded"] as const) totals[count] += counts[count];
    }
    await markIn(where.into, where.scope, current);
    return totals;
  }

  /** Records that can be restored, in scopes that the caller may write. */
  async function* deletedUnder(under: string, address: CollectionAddress): AsyncGenerator<DeletedSummary> {
    const { scope } = address;
    // A scope of which everything was deleted is not among those that hold something.
    const looked: readonly Scope[] =
      scope === undefined ? [...(await readable()).scopes, "deployment", "platform"] : [parseScope(scope)];
    const own = gate.writable(caller, (await readable(looked)).scopes);
    if (store.trash === undefined || own.length === 0) return;
    for await (const summary of store.trash.deleted(await readable(own)))
      if (summary.uri.startsWith(under)) yield summary;
  }

  /** **Errors** `invalid-argument` for a kept record that the schema does not allow any more, or that would have another key now. */
  async function checkKept({ uri, metadata }: TextDocument): Promise<void> {
    const { key } = await takeRecord(plan, parseKept({ metadata }), 0);
    if (recordUri(name, key) === uri) return;
    throw new IbidError("invalid-argument", `${name}: ${uri} would be record ${JSON.stringify(key)} now.`, {
      uri,
      hint: "A collection's key stays; write the records into another collection.",
    });
  }
}

interface Target {
  readonly scope: Scope;
  readonly into: AuthorizedScopes<"write">;
  readonly from: AuthorizedScopes;
}

interface WriteOptions {
  readonly fresh?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called when only the store can fail any more. */
  readonly begin: () => Promise<void>;
}

/** Ingests records as documents of the collection. */
async function writeRecords(
  parts: CollectionParts,
  plan: CollectionPlan,
  apart: IngestStages["apart"],
  records: readonly unknown[],
  { scope, into, from }: Target,
  options: WriteOptions,
): Promise<CollectionWriteResult<Key>> {
  const taken = [];
  for (const [index, record] of records.entries()) taken.push(await takeRecord(plan, record, index));
  const { fresh, signal } = options;
  let begin: (() => Promise<void>) | undefined = options.begin;
  const beforeWriting = async (): Promise<void> => {
    await begin?.();
    begin = undefined;
  };
  const job: IngestJob = {
    arrivals: recordArrivals(plan, taken, scope, parts.stages.chunker),
    scope,
    into,
    from,
    fresh,
    signal,
    metadata: {},
    origin: "user-content",
    beforeWriting,
  };
  const run = parts.watch(scope, ingestArrivals({ ...parts.stages, apart }, job));
  for (;;) {
    const step = await run.next();
    if (step.done !== true) continue;
    await beforeWriting();
    const { added, updated, unchanged, embedded } = step.value;
    if (added + updated > 0) parts.settleLater();
    return { keys: taken.map(({ key }) => key), added, updated, unchanged, embedded };
  }
}

function parseKept({ metadata }: Pick<TextDocument, "metadata">): unknown {
  const json = metadata[recordKeys.record];
  return typeof json === "string" ? (JSON.parse(json) as unknown) : undefined;
}

async function* pagesOf<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<readonly Item[]> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
