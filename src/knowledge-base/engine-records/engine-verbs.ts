import type { CollectionAddress } from "../../contracts/collection.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { AuthorizedScopes, Scope } from "../../contracts/scope.ts";
import { compileFilter } from "../../engine/filters/compile-filter.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { untilReady } from "../../stores/engines/engine-ready.ts";
import type { KeptRow } from "../../stores/engines/engine-records.ts";
import type { AnyCollection } from "../parts.ts";
import { pageOf, parseCollectionFilter } from "../search-records.ts";
import { createEnginePlaces, type EngineCollectionParts } from "./engine-places.ts";
import { createEngineSearch } from "./search-engine-records.ts";
import { createEngineWriting } from "./write-engine-records.ts";
import { parseStored } from "../../runtime/parse-stored.ts";

type AnyRecord = Record<string, unknown>;
type Key = string | number;

/** The verbs of a collection that an engine does. */
export type EngineVerbs = Pick<AnyCollection, OwnVerb> & {
  readonly waitUntilReady: (signal: AbortSignal) => Promise<void>;
};
type OwnVerb = "drop" | "get" | "scopesOf" | "keys" | "list" | "upsert" | "delete" | "rebuild" | SearchVerb;
type SearchVerb = "search" | "vectorSearch" | "hybridSearch" | "textSearch";

/**
 * The verbs of a collection whose records an engine keeps.
 *
 * **Shape** the knowledge base keeps a mark of the collection with its indexes. Each record is one entry of the engine for each of its vectors; a text is embedded whole.
 * **Errors** `unsupported` for words without an engine that has them, for vectors to be handed out, and for words alone.
 */
export function createEngineVerbs(parts: EngineCollectionParts): EngineVerbs {
  const { plan, engine, readable, scopesOf } = parts;
  const places = createEnginePlaces(parts);
  const { placesOf, readAll, oneOf, toRecord } = places;

  async function* allRows(scopes: AuthorizedScopes): AsyncGenerator<KeptRow> {
    for (const place of await placesOf(scopes)) yield* place.table.rows(place.scopes);
  }

  return {
    ...createEngineWriting(parts, places),
    ...createEngineSearch(parts, places),

    async waitUntilReady(signal) {
      places.checkFields();
      await untilReady(engine, signal);
    },

    get: (async (keys: unknown, address: CollectionAddress = {}) => {
      checkOptions("get", address, { scope: true });
      const asked = (Array.isArray(keys) ? keys : [keys]) as readonly Key[];
      const rows = await readAll(await scopesOf(address), asked);
      const found = asked.map((key) => oneOf(rows, key)).filter((row) => row !== undefined);
      if (Array.isArray(keys)) return Promise.all(found.map(toRecord));
      return found[0] && toRecord(found[0]);
    }) as EngineVerbs["get"],

    async scopesOf(key: unknown) {
      return (await readAll(await readable(), [key as Key])).map(({ scope }) => scope).sort();
    },

    async *keys(options = {}) {
      checkOptions("keys", options, { scope: true, keyPrefix: true, deleted: true });
      // Deleting is final in an engine.
      if (options.deleted === true) return;
      const found = [];
      for await (const { key, scope } of allRows(await scopesOf(options)))
        if (key.startsWith(options.keyPrefix ?? "")) found.push({ key, scope });
      yield* found.sort(byKey);
    },

    async *list(options = {}) {
      checkOptions("list", options, { scope: true, filter: true, orderBy: true, skip: true, topK: true });
      const filter = parseCollectionFilter(plan, options.filter);
      const matches = filter === undefined ? () => true : compileFilter(filter);
      const scopes = await scopesOf(options);
      async function* matching(): AsyncGenerator<AnyRecord> {
        const found = [];
        for await (const row of allRows(scopes)) if (matches(parseStored(row.json) as Metadata)) found.push(row);
        for (const row of found.sort(byKey)) yield await toRecord(row);
      }
      yield* pageOf(matching(), options);
    },
  };
}

function byKey(a: KeptRow | { key: string; scope: Scope }, b: { key: string; scope: Scope }): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.scope < b.scope ? -1 : Number(a.scope > b.scope);
}
