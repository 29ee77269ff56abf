import type { Embedding } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { FieldConditions, FilterInput } from "../../contracts/filter.ts";
import type { DocumentAddress, DocumentView, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Hit, HitSource, SearchMode } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";
import { thresholdScore } from "./threshold-score.ts";
import { keepNote } from "../memory/keep-note.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { checkSaid, defaultCollection, memoryUri } from "./memory-address.ts";

/** Metadata of a memory's document. */
const collectionKey = "memoryCollection";
const keyKey = "memoryKey";
const descriptionKey = "memoryDescription";
const sourceKey = "memorySource";

/**
 * Scope and mode of a memory. All have defaults.
 *
 * @experimental
 */
export interface TextMemoryOptions {
  /** Scope of the memories. Default: written where the view ingests to, searched wherever it may read. */
  readonly scope?: Scope | undefined;
  /** Default `"hybrid"`. */
  readonly mode?: SearchMode | undefined;
  /** Effect of saving into a collection that is not there: it is made, or the call is a `not-found` error. Default `"create"`. */
  readonly onMissingCollection?: "create" | "error" | undefined;
}

/**
 * Collection and abort signal of a call.
 *
 * @experimental
 */
export interface MemoryCallOptions {
  /** Default `"generic"`. */
  readonly collection?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Description and metadata beside the text.
 *
 * @experimental
 */
export interface SaveOptions extends MemoryCallOptions {
  readonly description?: string | undefined;
  /** Metadata that searches can filter by. */
  readonly metadata?: Metadata | undefined;
}

/**
 * A reference to an object elsewhere, and the words that find it.
 *
 * @experimental
 */
export interface MemoryReference {
  readonly text: string;
  readonly externalId: string;
  readonly externalSource: string;
}

/**
 * Options of a search in a memory. All have defaults.
 *
 * @experimental
 */
export interface MemorySearchOptions extends MemoryCallOptions {
  /** Memories at most. Default 1; 0 or less: none. */
  readonly limit?: number | undefined;
  /** Least score, inclusive. Default 0. */
  readonly minRelevanceScore?: number | undefined;
  readonly filter?: FilterInput | undefined;
  /** Default false. */
  readonly includeEmbeddings?: boolean | undefined;
}

/**
 * One memory.
 *
 * @experimental
 */
export interface RememberedText {
  readonly collection: string;
  readonly key: string;
  /** The whole text; `""` for a reference, whose object is elsewhere. */
  readonly text: string;
  readonly description: string;
  readonly isReference: boolean;
  /** Name of the system that holds the object of a reference; the key is its id there. */
  readonly externalSource?: string;
  readonly metadata: Metadata;
  /** 1 for a memory retrieved by key, else the hit's score. */
  readonly relevance: number;
  readonly scope: Scope;
  readonly uri: string;
  /** Place of a hit within its memory. */
  readonly source?: HitSource;
  readonly embedding?: Embedding;
}

/**
 * Texts under keys, in collections.
 *
 * **Shape** a collection exists while it holds a memory. Saving creates it; searching a collection that does not exist finds nothing.
 * **Errors** `invalid-argument` for a blank key, collection, text or query; `access-denied`; `ambiguous` where several scopes hold the key.
 * **Source** Semantic Kernel's `SemanticTextMemory` and `VolatileMemoryStore`.
 *
 * @experimental
 */
export interface TextMemory {
  /** Saves a text, and replaces the memory with the same key. **Shape** the key. */
  save(key: string, text: string, options?: SaveOptions): Promise<string>;
  /** Saves a reference under the object's own id. Its words are kept like any text, but are never shown as the memory's text. */
  saveReference(reference: MemoryReference, options?: SaveOptions): Promise<string>;
  /** `undefined` for a memory that does not exist or may not be read. */
  get(key: string, options?: MemoryCallOptions): Promise<RememberedText | undefined>;
  /** Best first, each memory once; ties as in `search`. */
  search(query: string, options?: MemorySearchOptions): Promise<readonly RememberedText[]>;
  /** Deletes a memory; without one, nothing happens. With `purge` it cannot be restored. */
  remove(key: string, options?: MemoryCallOptions & { readonly purge?: boolean }): Promise<void>;
  /** Makes an empty collection. One that is there stays as it is. */
  createCollection(collection: string): Promise<void>;
  /** Whether a collection was made, or holds a memory. */
  collectionExists(collection: string): Promise<boolean>;
  /** Names of the collections, sorted. */
  collections(): Promise<readonly string[]>;
  /** **Errors** `not-found` for a collection that does not exist. */
  deleteCollection(collection: string, options?: { readonly purge?: boolean }): Promise<void>;
}

/**
 * Makes a memory in a knowledge base.
 *
 * Each memory is a document of origin `note` under `memory:<collection>/<key>`. A secret and a text beyond 65,536 characters are refused. It is found, cited, deleted and purged like any other, and only readers of its scope see it.
 *
 * **Cost** one ingestion for each `save`; one search for each `search`, or a few if long texts were saved.
 *
 * @experimental
 */
export function createTextMemory(kb: KnowledgeBase, options: TextMemoryOptions = {}): TextMemory {
  checkOptions("createTextMemory", options, { scope: true, mode: true, onMissingCollection: true });
  const { scope, mode, onMissingCollection = "create" } = options;
  checkOnMissing(onMissingCollection);
  const address = scope === undefined ? {} : { scope };

  const put = async (collection: string, key: string, text: string, metadata: Metadata, given: SaveOptions) => {
    const uri = memoryUri(collection, key);
    checkSaid("text", text);
    if (onMissingCollection === "error" && !(await exists(collection)))
      throw new IbidError("not-found", `There is no collection "${collection}".`, {
        hint: "Create it first: createCollection(name).",
      });
    const ours = {
      ...given.metadata,
      [collectionKey]: collection,
      [keyKey]: key,
      ...(given.description !== undefined && { [descriptionKey]: given.description }),
      ...metadata,
    };
    await keepNote(kb, { uri, text, title: key, metadata: ours }, { scope, signal: given.signal });
    return key;
  };

  const isMade = async (collection: string): Promise<boolean> =>
    (await onlyOne(() => kb.document(collectionUri(collection), address)))?.metadata[madeKey] === collection;

  async function exists(collection: string): Promise<boolean> {
    checkSaid("collection", collection);
    if (await isMade(collection)) return true;
    for await (const _ of kept(collection)) return true;
    return false;
  }

  /** Memories by their uri. A document that only claims to be one, in its metadata, does not count. */
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

    async saveReference(reference, given = {}) {
      checkGiven("saveReference", "reference", reference, "object");
      checkOptions("saveReference", given, saveOptions);
      const { text, externalId, externalSource } = reference;
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
        explain: true,
      };
      // A long memory has several chunks; it counts once.
      for (let topK = limit; ; topK *= 4) {
        const hits = await kb.search(query, { ...asked, topK });
        const best = [...new Map(hits.toReversed().map((hit) => [`${hit.scope} ${hit.source.uri}`, hit])).values()];
        if (best.length < limit && hits.length === topK) continue;
        const chosen = best
          .toReversed()
          .filter((hit) => minRelevanceScore <= 0 || thresholdScore(hit) >= minRelevanceScore);
        const remembered = await Promise.all(chosen.slice(0, limit).map((hit) => whole(kb, hit)));
        return remembered.filter((one) => one !== undefined);
      }
    },

    async remove(key, given = {}) {
      checkOptions("remove", given, { ...callOptions, purge: true });
      const uri = memoryUri(given.collection ?? defaultCollection, key);
      const found = await onlyOne(() => kb.document(uri, address));
      if (found === undefined || !isMemory(found)) return;
      await kb.delete(uri, { scope: found.scope, purge: given.purge ?? false });
    },

    async createCollection(collection) {
      checkSaid("collection", collection);
      const made = {
        uri: collectionUri(collection),
        text: collection,
        title: collection,
        metadata: { [madeKey]: collection },
      };
      for await (const { error } of kb.ingest(made, { origin: "note", ...address })) if (error) throw error;
    },

    collectionExists: exists,

    async collections() {
      const names = new Set<string>();
      for await (const { uri } of kb.list()) {
        if (!uri.startsWith(collectionPrefix)) continue;
        const name = decodeURIComponent(uri.slice(collectionPrefix.length));
        if (await isMade(name)) names.add(name);
      }
      for await (const { name } of kept({ exists: true })) names.add(name);
      return [...names].toSorted();
    },

    async deleteCollection(collection, given = {}) {
      checkOptions("deleteCollection", given, { purge: true });
      checkSaid("collection", collection);
      const addresses = new Map<string, DocumentAddress & { readonly uri: string }>();
      for await (const { key, scope: its } of kept(collection))
        addresses.set(`${its} ${key}`, { uri: memoryUri(collection, key), scope: its });
      for (const { uri, ...its } of addresses.values()) await kb.delete(uri, { ...its, purge: given.purge ?? false });
      const wasMade = await isMade(collection);
      if (wasMade) await kb.delete(collectionUri(collection), { ...address, purge: given.purge ?? false });
      if (addresses.size > 0 || wasMade) return;
      throw new IbidError("not-found", `There is no collection "${collection}".`, {
        hint: "See collections() for the names.",
      });
    },
  };
}

function checkOnMissing(word: string): void {
  if (word === "create" || word === "error") return;
  throw new IbidError("invalid-argument", `createTextMemory: onMissingCollection cannot be "${word}".`, {
    hint: "Choose from create, error.",
  });
}

/** Marks the document that stands for a collection. Its text is the name, and no search of memories finds it. */
const madeKey = "_memoryCollectionMade";
const collectionPrefix = "memory-collection:";
const collectionUri = (collection: string): string => `${collectionPrefix}${encodeURIComponent(collection)}`;

const callOptions = { collection: true, signal: true } as const;
const saveOptions = { ...callOptions, description: true, metadata: true } as const;
const searchOptions = {
  ...callOptions,
  limit: true,
  minRelevanceScore: true,
  filter: true,
  includeEmbeddings: true,
} as const;

/** The error names no scopes, because a model may be the caller. */
async function onlyOne<Found>(ask: () => Promise<Found>): Promise<Found> {
  try {
    return await ask();
  } catch (error) {
    if (!IbidError.isInstance(error, "ambiguous")) throw error;
    throw new IbidError("ambiguous", "Several scopes keep a memory under this key.", {
      hint: "Name one scope: createTextMemory(kb, { scope }).",
    });
  }
}

/** A memory has both the address and the metadata of one; a document with only one of them is not a memory. */
function isMemory({ uri, metadata }: DocumentView): boolean {
  const { [collectionKey]: collection, [keyKey]: key } = metadata;
  return typeof collection === "string" && typeof key === "string" && uri === memoryUri(collection, key);
}

/** The memory that a hit belongs to. */
async function whole(kb: KnowledgeBase, hit: Hit): Promise<RememberedText | undefined> {
  const found = await kb.document(hit.source.uri, { scope: hit.scope });
  // Deleted since the search, or not a memory.
  if (found === undefined || !isMemory(found)) return undefined;
  const { source, embedding } = hit;
  const relevance = Math.max(thresholdScore(hit), 0);
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
