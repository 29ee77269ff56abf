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

/** A collection without its schema. */
export interface CollectionReader {
  get(key: string, scope?: Scope): Promise<StoredRecord | undefined>;
  /** Records after a key, by key, then scope. */
  list(page: { readonly limit: number; readonly after?: string | undefined }): Promise<readonly StoredRecord[]>;
  search(
    query: string,
    options: {
      readonly mode?: SearchMode | undefined;
      readonly topK?: number | undefined;
      readonly filter?: FilterInput | undefined;
    },
    signal?: AbortSignal,
  ): Promise<readonly StoredRecordHit[]>;
}

type Readable = Pick<KnowledgeBase, "collections" | "document" | "list" | "search">;

/** The record as JSON, which its document keeps beside the text. */
const textOf = ({ _record: json }: Metadata): string => (typeof json === "string" ? json : "null");

/** Records are documents below this uri. */
const uriOf = (collection: string, key: string): string =>
  `ibid:collection/${encodeURIComponent(collection)}/${encodeURIComponent(key)}`;

/**
 * Reads a collection without its schema, over a caller's view. Its records come as JSON, as they were written.
 *
 * **Errors** `not-found` for a collection that is not there or may not be read; the message names those that are.
 */
export async function readCollection(kb: Readable, name: string): Promise<CollectionReader> {
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
    record: JSON.parse(textOf(metadata)) as JsonValue,
  });
  const open = async (uri: string, scope?: Scope): Promise<StoredRecord | undefined> => {
    const found = await kb.document(uri, { ...(scope !== undefined && { scope }), start: 0, end: 0 });
    return found && toRecord(uri, found.scope, found.metadata);
  };
  return {
    get: (key: string, scope?: Scope) => open(uriOf(name, key), scope),

    async list({ limit, after }) {
      const records: StoredRecord[] = [];
      const start = after === undefined ? undefined : { uri: uriOf(name, after), scope: "user:\uffff" as Scope };
      for await (const { uri, scope } of kb.list({ under: uriOf(name, ""), limit, ...(start && { after: start }) })) {
        const record = await open(uri, scope);
        if (record !== undefined) records.push(record);
      }
      return records;
    },

    async search(query, { mode = "hybrid", topK = 5, filter }, signal) {
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
