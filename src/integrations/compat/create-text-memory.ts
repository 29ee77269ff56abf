import type { Embedding } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { FieldConditions, FilterInput } from "../../contracts/filter.ts";
import type { DocumentAddress, DocumentView, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Hit, HitSource, SearchMode } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { checkSaid, defaultCollection, memoryUri } from "./memory-address.ts";

/** What a memory's document says of it, in its metadata. */
const collectionKey = "memoryCollection";
const keyKey = "memoryKey";
const descriptionKey = "memoryDescription";
const sourceKey = "memorySource";

/**
 * Where memories are kept; everything has a default.
 *
 * @experimental
 */
export interface TextMemoryOptions {
  /** Where they are kept and looked for. Default: kept where the view ingests to, looked for wherever it may read. */
  readonly scope?: Scope;
  /** Default `"hybrid"`. */
  readonly mode?: SearchMode;
}

/**
 * Which collection, and until when.
 *
 * @experimental
 */
export interface MemoryCallOptions {
  /** Default `"generic"`. */
  readonly collection?: string;
  readonly signal?: AbortSignal;
}

/**
 * What is remembered beside the text.
 *
 * @experimental
 */
export interface SaveOptions extends MemoryCallOptions {
  readonly description?: string;
  /** By which searches can filter. */
  readonly metadata?: Metadata;
}

/**
 * Something that stands elsewhere, and by what words it is found.
 *
 * @experimental
 */
export interface MemoryReference {
  readonly text: string;
  readonly externalId: string;
  readonly externalSource: string;
}

/**
 * What is remembered how well; everything has a default.
 *
 * @experimental
 */
export interface MemorySearchOptions extends MemoryCallOptions {
  /** Default 1; 0 and less: nothing. */
  readonly limit?: number;
  /** Inclusive floor on the score. Default 0. */
  readonly minRelevanceScore?: number;
  readonly filter?: FilterInput;
  /** Default false. */
  readonly includeEmbeddings?: boolean;
}

/**
 * One memory.
 *
 * @experimental
 */
export interface RememberedText {
  readonly collection: string;
  readonly key: string;
  /** Whole; of a reference `""`: what it stands for is elsewhere. */
  readonly text: string;
  readonly description: string;
  readonly isReference: boolean;
  /** Of a reference; its key is the id there. */
  readonly externalSource?: string;
  readonly metadata: Metadata;
  /** 1 for what was asked for by its key, else the hit's score. */
  readonly relevance: number;
  readonly scope: Scope;
  readonly uri: string;
  /** Of what a search found: where in the memory. */
  readonly source?: HitSource;
  readonly embedding?: Embedding;
}

/**
 * Texts that are remembered under keys, in collections.
 *
 * **Shape** a collection is there while it holds something: saving makes it, and searching one that is not there finds nothing.
 * **Errors** `invalid-argument` for a blank key, collection, text or query; `access-denied`; `ambiguous` where several scopes hold the key.
 * **Source** Semantic Kernel's `SemanticTextMemory` and `VolatileMemoryStore` (S21, S22).
 *
 * @experimental
 */
export interface TextMemory {
  /** The same key replaces. **Shape** the key. */
  save(key: string, text: string, options?: SaveOptions): Promise<string>;
  /** Under the id that it has elsewhere. The words by which it is found are kept in the knowledge base like any text, but not shown as the memory's. */
  saveReference(reference: MemoryReference, options?: SaveOptions): Promise<string>;
  /** `undefined` for what is not there or may not be read. */
  get(key: string, options?: MemoryCallOptions): Promise<RememberedText | undefined>;
  /** Best first, each memory once; ties as in `search`. */
  search(query: string, options?: MemorySearchOptions): Promise<readonly RememberedText[]>;
  /** Nothing happens where nothing is. With `purge` for good, else until it is vacuumed. */
  remove(key: string, options?: MemoryCallOptions & { readonly purge?: boolean }): Promise<void>;
  /** Those that hold something, by name. */
  collections(): Promise<readonly string[]>;
  /** **Errors** `not-found` for a collection that is not there (S22). */
  deleteCollection(collection: string, options?: { readonly purge?: boolean }): Promise<void>;
}

/**
 * A memory in a knowledge base: each thing remembered is a document of origin `note` under `memory:<collection>/<key>`, found, cited, deleted and purged like any
 * other, and shown to nobody who may not read its scope (law 3).
 *
 * **Cost** one ingestion for each `save`, one search for each `search`, or a few where long texts were remembered.
 *
 * @experimental
 */
export function createTextMemory(kb: KnowledgeBase, options: TextMemoryOptions = {}): TextMemory {
  checkOptions("createTextMemory", options, ["scope", "mode"]);
  const { scope, mode } = options;
  const address = scope === undefined ? {} : { scope };

  const put = async (collection: string, key: string, text: string, metadata: Metadata, given: SaveOptions) => {
    const uri = memoryUri(collection, key);
    checkSaid("text", text);
    const ours = {
      ...given.metadata,
      [collectionKey]: collection,
      [keyKey]: key,
      ...(given.description !== undefined && { [descriptionKey]: given.description }),
      ...metadata,
    };
    const ingesting = { origin: "note" as const, ...address, ...(given.signal && { signal: given.signal }) };
    for await (const { error } of kb.ingest({ uri, text, title: key, metadata: ours }, ingesting))
      if (error) throw error;
    return key;
  };

  /** Which memories there are; what only says to be one, in metadata of its own, is none. */
  async function* kept(collection: FieldConditions | string) {
    for await (const { chunk, scope: its } of kb.chunks({ ...address, filter: { [collectionKey]: collection } })) {
      const { [collectionKey]: name, [keyKey]: key } = chunk.metadata;
      if (chunk.origin !== "note" || typeof name !== "string" || typeof key !== "string") continue;
      yield { name, key, scope: its };
    }
  }

  return {
    async save(key, text, given = {}) {
      checkOptions("save", given, saveOptions);
      return put(given.collection ?? defaultCollection, key, text, {}, given);
    },

    async saveReference({ text, externalId, externalSource }, given = {}) {
      checkOptions("saveReference", given, saveOptions);
      const source = { [sourceKey]: checkSaid("external source", externalSource) };
      return put(given.collection ?? defaultCollection, externalId, text, source, given);
    },

    async get(key, given = {}) {
      checkOptions("get", given, callOptions);
      const uri = memoryUri(given.collection ?? defaultCollection, key);
      const found = await onlyOne(() => kb.document(uri, address));
      return found && isMemory(found) ? toRemembered(found) : undefined;
    },

    async search(query, given = {}) {
      checkOptions("search", given, searchOptions);
      checkSaid("query", query);
      const { collection = defaultCollection, limit = 1, minRelevanceScore = 0, filter, includeEmbeddings } = given;
      checkSaid("collection", collection);
      if (limit < 1) return [];
      const filters: readonly FilterInput[] = [
        { [collectionKey]: collection },
        ...(filter === undefined ? [] : [filter]),
      ];
      const asked = {
        ...(mode !== undefined && { mode }),
        ...(scope !== undefined && { scopes: [scope] }),
        ...(includeEmbeddings === true && { includeEmbeddings }),
        ...(given.signal && { signal: given.signal }),
        filter: { and: filters } as FilterInput,
        origins: ["note" as const],
        snippetLength: 0,
      };
      // A long memory is several chunks; each counts once.
      for (let topK = limit; ; topK *= 4) {
        const hits = await kb.search(query, { ...asked, topK });
        const best = [...new Map(hits.toReversed().map((hit) => [`${hit.scope} ${hit.source.uri}`, hit])).values()];
        if (best.length < limit && hits.length === topK) continue;
        const chosen = best.toReversed().filter(({ score }) => score >= minRelevanceScore);
        const remembered = await Promise.all(chosen.slice(0, limit).map((hit) => whole(kb, hit)));
        return remembered.filter((one) => one !== undefined);
      }
    },

    async remove(key, given = {}) {
      checkOptions("remove", given, [...callOptions, "purge"]);
      const uri = memoryUri(given.collection ?? defaultCollection, key);
      const found = await onlyOne(() => kb.document(uri, address));
      if (found === undefined || !isMemory(found)) return;
      await kb.delete(uri, { scope: found.scope, purge: given.purge ?? false });
    },

    async collections() {
      const names = new Set<string>();
      for await (const { name } of kept({ exists: true })) names.add(name);
      return [...names].toSorted();
    },

    async deleteCollection(collection, given = {}) {
      checkOptions("deleteCollection", given, ["purge"]);
      checkSaid("collection", collection);
      const addresses = new Map<string, DocumentAddress & { readonly uri: string }>();
      for await (const { key, scope: its } of kept(collection))
        addresses.set(`${its} ${key}`, { uri: memoryUri(collection, key), scope: its });
      for (const { uri, ...its } of addresses.values()) await kb.delete(uri, { ...its, purge: given.purge ?? false });
      if (addresses.size > 0) return;
      throw new IbidError("not-found", `There is no collection "${collection}".`, {
        hint: "collections() names those that there are.",
      });
    },
  };
}

const callOptions = ["collection", "signal"] as const satisfies readonly (keyof MemoryCallOptions)[];
const saveOptions = [...callOptions, "description", "metadata"] as const satisfies readonly (keyof SaveOptions)[];
const searchOptions = [
  ...callOptions,
  "limit",
  "minRelevanceScore",
  "filter",
  "includeEmbeddings",
] as const satisfies readonly (keyof MemorySearchOptions)[];

/** Several scopes are told of without their names: a model may be the one who asks. */
async function onlyOne<Found>(ask: () => Promise<Found>): Promise<Found> {
  try {
    return await ask();
  } catch (error) {
    if (!IbidError.isInstance(error, "ambiguous")) throw error;
    throw new IbidError("ambiguous", "Several scopes keep a memory under this key.", {
      hint: "Say which: createTextMemory(kb, { scope }).",
    });
  }
}

/** Not what merely stands under such an address, or says to be one and stands elsewhere. */
function isMemory({ uri, metadata }: DocumentView): boolean {
  const { [collectionKey]: collection, [keyKey]: key } = metadata;
  return typeof collection === "string" && typeof key === "string" && uri === memoryUri(collection, key);
}

/** What a hit is a part of. */
async function whole(kb: KnowledgeBase, hit: Hit): Promise<RememberedText | undefined> {
  const found = await kb.document(hit.source.uri, { scope: hit.scope });
  // Deleted since, or not one of ours.
  if (found === undefined || !isMemory(found)) return undefined;
  const { score: relevance, source, embedding } = hit;
  return { ...toRemembered(found), relevance, source, ...(embedding && { embedding }) };
}

function toRemembered({ text, metadata, scope, uri }: DocumentView): RememberedText {
  const said = (key: string): string => (typeof metadata[key] === "string" ? metadata[key] : "");
  const { [collectionKey]: _c, [keyKey]: _k, [descriptionKey]: _d, [sourceKey]: external, ...rest } = metadata;
  const isReference = typeof external === "string";
  return {
    collection: said(collectionKey),
    key: said(keyKey),
    text: isReference ? "" : text,
    description: said(descriptionKey),
    isReference,
    ...(isReference && { externalSource: external }),
    metadata: rest,
    relevance: 1,
    scope,
    uri,
  };
}
