import type { CollectionPlan } from "./records/check-definition.ts";
import { collectionUri, recordUri } from "./records/collection-uri.ts";
import type { AnyCollection, CollectionParts } from "./record-collection.ts";

/** A collection of which everything but its name is loaded when it is first asked for something: most pages have none. */
export function createLateCollection(parts: CollectionParts, plan: CollectionPlan): AnyCollection {
  // A name that cannot be is refused at once.
  collectionUri(plan.name);
  let loaded: Promise<AnyCollection> | undefined;
  const whole = (): Promise<AnyCollection> =>
    (loaded ??= import("./record-collection.ts").then(({ createRecordCollection }) =>
      createRecordCollection(parts, plan),
    ));
  return {
    name: plan.name,
    uriOf: (key: unknown) => recordUri(plan.name, key),
    waitUntilReady: async (...given) => (await whole()).waitUntilReady(...given),
    exists: async (...given) => (await whole()).exists(...given),
    ensure: async (...given) => (await whole()).ensure(...given),
    drop: async (...given) => (await whole()).drop(...given),
    get: (async (...given: Parameters<AnyCollection["get"]>) => (await whole()).get(...given)) as AnyCollection["get"],
    scopesOf: async (...given) => (await whole()).scopesOf(...given),
    async *keys(...given) {
      yield* (await whole()).keys(...given);
    },
    async *list(...given) {
      yield* (await whole()).list(...given);
    },
    upsert: async (...given: Parameters<AnyCollection["upsert"]>) => (await whole()).upsert(...given),
    delete: async (...given: Parameters<AnyCollection["delete"]>) => (await whole()).delete(...given),
    search: async (...given) => (await whole()).search(...given),
    hybridSearch: async (...given) => (await whole()).hybridSearch(...given),
    textSearch: async (...given) => (await whole()).textSearch(...given),
    rebuild: async (...given) => (await whole()).rebuild(...given),
  };
}
