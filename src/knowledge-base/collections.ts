import { collectionsPrefix, collectionUri, nameOfCollection, recordUri } from "../collections/collection-uri.ts";
import { type AnyDefinition, type CollectionPlan, planCollection } from "../collections/check-definition.ts";
import type { Collections, CollectionSummary } from "../contracts/collection.ts";
import type { AnyCollection, CollectionParts } from "./record-collection.ts";

/** The verbs about collections, behind the same gate as every other. */
export function createCollections(parts: CollectionParts): Collections {
  return {
    // The types of a definition were checked where it was written; from here on fields are names.
    collection: ((name: string, definition: AnyDefinition) =>
      loadLater(parts, planCollection(name, definition))) as unknown as Collections["collection"],
    async collections() {
      const found: CollectionSummary[] = [];
      for await (const { uri, scope } of parts.store.documents(await parts.readable(), { under: collectionsPrefix }))
        found.push({ name: nameOfCollection(uri), scope });
      return found;
    },
  };
}

/** A page that has no collections need not load what keeps and finds their records. */
function loadLater(parts: CollectionParts, plan: CollectionPlan): AnyCollection {
  let loading: Promise<AnyCollection> | undefined;
  const load = (): Promise<AnyCollection> =>
    (loading ??= import("./record-collection.ts").then((its) => its.createRecordCollection(parts, plan)));
  const { name } = plan;
  // What is wrong with a name is said at once.
  collectionUri(name);
  return {
    name,
    uriOf: (key: unknown) => recordUri(name, key),
    waitUntilReady: async (options) => (await load()).waitUntilReady(options),
    exists: async (address) => (await load()).exists(address),
    ensure: async (options) => (await load()).ensure(options),
    drop: async (options) => (await load()).drop(options),
    get: (async (keys: never, address) => (await load()).get(keys, address)) as AnyCollection["get"],
    scopesOf: async (key) => (await load()).scopesOf(key),
    keys: async function* (options) {
      yield* (await load()).keys(options);
    },
    list: async function* (options) {
      yield* (await load()).list(options);
    },
    upsert: async (records, options) => (await load()).upsert(records, options),
    delete: async (keys, options) => (await load()).delete(keys, options),
    search: async (query, options) => (await load()).search(query, options),
    hybridSearch: async (query, options) => (await load()).hybridSearch(query, options),
    textSearch: async (query, options) => (await load()).textSearch(query, options),
    rebuild: async (options) => (await load()).rebuild(options),
  };
}
