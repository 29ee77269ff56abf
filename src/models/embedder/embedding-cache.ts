import type { EmbeddingCache } from "../../contracts/embedding-model.ts";
import type { Embedding } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { copyEmbedding } from "./copy-embedding.ts";

/** An {@link EmbeddingCache} that answers at once. */
export interface MemoryEmbeddingCache extends EmbeddingCache {
  get(key: string): Embedding | undefined;
  set(key: string, embedding: Embedding): void;
  delete(keys: readonly string[]): void;
}

/**
 * Embeddings in memory, the least recently used forgotten first.
 *
 * **Shape** a read or a write makes an entry recent; what goes in and out is copied, so that nobody can change what is kept.
 * **Errors** `invalid-argument` for a capacity below 1. **Cost** constant; 10,000 entries of 256 dimensions are some 12 MB.
 * **Source** ToolUp `InMemoryEmbeddingCache`: 10,000 entries, hit rate 0 while cold.
 *
 * @experimental
 */
export function createEmbeddingCache(options: { readonly capacity?: number | undefined } = {}): MemoryEmbeddingCache {
  checkOptions("createEmbeddingCache", options, { capacity: true });
  const { capacity = 10_000 } = options;
  if (!Number.isSafeInteger(capacity) || capacity < 1) {
    throw new IbidError(
      "invalid-argument",
      `createEmbeddingCache: capacity must be a whole number of at least 1, not ${String(capacity)}.`,
      {
        hint: "Leave the cache out for no caching.",
      },
    );
  }
  // A Map lists its keys in order of insertion, so its first key is the least recent.
  const entries = new Map<string, Embedding>();
  let reads = 0;
  let hits = 0;
  return {
    get(key) {
      reads += 1;
      const found = entries.get(key);
      if (found === undefined) return undefined;
      hits += 1;
      entries.delete(key);
      entries.set(key, found);
      return copyEmbedding(found);
    },
    set(key, embedding) {
      entries.delete(key);
      if (entries.size >= capacity) {
        for (const oldest of entries.keys()) {
          entries.delete(oldest);
          break;
        }
      }
      entries.set(key, copyEmbedding(embedding));
    },
    delete(keys) {
      for (const key of keys) entries.delete(key);
    },
    get hitRate() {
      return reads === 0 ? 0 : hits / reads;
    },
  };
}
