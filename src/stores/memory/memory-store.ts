import type { EmbeddingKind } from "../../contracts/embedding.ts";
import type { Store } from "../../contracts/store.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { composeStore } from "../compose/compose-store.ts";
import { createMemoryDirectory } from "./memory-directory.ts";
import { createSecret } from "../segments/create-secret.ts";
import { type CompleteParts, createSegmentStore } from "../segments/segment-store.ts";
import { decideStoreOptions, type StoreOptions, storeOptionNames } from "../segments/store-options.ts";

export interface MemoryStoreOptions extends Omit<StoreOptions, "engine"> {
  /** Kinds of embeddings that are kept. Default: all three. */
  readonly embeddings?: readonly EmbeddingKind[] | undefined;
}

/**
 * A store in this process's memory, for any JavaScript runtime: the same engine as the durable ones, gone when the process ends.
 *
 * **Errors** `invalid-argument` for an unknown option; see {@link Store}.
 * **Cost** searches are exact; the text of documents, an inverted index and the vectors are held.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return createNamedMemoryStore(options, "The memory store");
}

/** A memory store that messages call `name`. */
export function createNamedMemoryStore(options: MemoryStoreOptions, name: string): Store {
  checkOptions("createMemoryStore", options, memoryOptionNames);
  const parts = createMemoryParts(options);
  return composeStore(parts, { name });
}

const { engine: _engine, ...ownNames } = storeOptionNames;

/** Names of the options of a store in memory. */
export const memoryOptionNames = { ...ownNames, embeddings: true } as const;

/** The parts of a store in memory. */
export function createMemoryParts(options: MemoryStoreOptions): CompleteParts {
  return createSegmentStore(createMemoryDirectory(), {
    ...decideStoreOptions(options),
    embeddings: options.embeddings ?? ["dense", "sparse", "hybrid"],
    secret: createSecret(),
  });
}
