import type { CollectionSummary } from "../../contracts/collection.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { FilterInput } from "../../contracts/filter.ts";
import type { JsonValue, Metadata } from "../../contracts/metadata.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Hit, SearchMode } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";

/** A record as it is stored, for those who have no schema of it. */
export interface StoredRecord {
  readonly key: string;
  readonly scope: Scope;
  readonly record: JsonValue;
}

/** A record that was found. */
export interface StoredRecordHit extends StoredRecord {
  readonly score: number;
  readonly hit: Hit;
}

type Readable = Pick<KnowledgeBase, "collections" | "document" | "list" | "search">;

/** Records are documents below this uri. */
const uriOf = (collection: string, key: string): string =>
  `ibid:collection/${encodeURIComponent(collection)}/${encodeURIComponent(key)}`;

/**
 * Reads a collection without its schema, over a caller's view. Its records come as JSON, as they were written.
 *
 * **Errors** `not-found` for a collection that is not there or may not be read; the message names those that are.
 */
export async function readCollection(kb: Readable, name: string) {
  const all: readonly CollectionSummary[] = await kb.collections();
  if (!all.some((one) => one.name === name)) {
    const names = [...new Set(all.map((one) => one.name))];
    throw new IbidError("not-found", `There is no collection "${name}".`, {
      hint: names.length === 0 ? "There is no collection at all." : `There are: ${names.join(", ")}.`,
    });
  }
  const toRecord = (uri: string, scope: Scope, metadata: Metadata): StoredRecord => ({
    key: decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1)),
    scope,
    record: JSON.parse(String(metadata["_record"] ?? "null")) as JsonValue,
  });
  const open = async (uri: string, scope?: Scope): Promise<StoredRecord | undefined> => {
    const found = await kb.document(uri, { ...(scope !== undefined && { scope }), start: 0, end: 0 });
    return found && toRecord(uri, found.scope, found.metadata);
  };
  return {
    get: (key: string, scope?: Scope) => open(uriOf(name, key), scope),

    /** Records after a key, by key, then scope. */
    async list({ limit, after }: { readonly limit: number; readonly after?: string | undefined }) {
      const records: StoredRecord[] = [];
      const start = after === undefined ? undefined : { uri: uriOf(name, after), scope: "user:\uffff" as Scope };
      for await (const { uri, scope } of kb.list({ under: uriOf(name, ""), limit, ...(start && { after: start }) })) {
        const record = await open(uri, scope);
        if (record !== undefined) records.push(record);
      }
      return records;
    },

    async search(
      query: string,
      {
        mode = "hybrid",
        topK = 5,
        filter,
      }: { mode?: SearchMode | undefined; topK?: number | undefined; filter?: FilterInput | undefined },
      signal?: AbortSignal,
    ): Promise<readonly StoredRecordHit[]> {
      const within: FilterInput = { and: [{ _collection: name }, ...(filter === undefined ? [] : [filter])] };
      for (let wanted = topK; ; wanted *= 2) {
        const hits = await kb.search(query, { mode, topK: wanted, filter: within, ...(signal && { signal }) });
        const best = new Map<string, Hit>();
        for (const hit of hits)
          if (!best.has(`${hit.scope} ${hit.source.uri}`)) best.set(`${hit.scope} ${hit.source.uri}`, hit);
        if (best.size < topK && hits.length === wanted) continue;
        const found: StoredRecordHit[] = [];
        for (const hit of [...best.values()].slice(0, topK)) {
          const record = await open(hit.source.uri, hit.scope);
          if (record !== undefined) found.push({ ...record, score: hit.score, hit });
        }
        return found;
      }
    },
  };
}
