import type { BlobStore } from "../../contracts/blob-store.ts";
import type { SharedCache } from "../../contracts/shared-cache.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";

/**
 * A cache that can be emptied.
 *
 * @experimental
 */
export interface BlobCache extends SharedCache {
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Deletes every entry, also those of purged documents. */
  clear(): Promise<void>;
}

/** So many requests at a time. */
const atOnce = 16;

/**
 * Makes a {@link SharedCache} of blobs, for processes that share a folder or a bucket and nothing faster.
 *
 * **Shape** a blob for each entry. No entry expires: let rules of the bucket delete old ones below the prefix, or call `clear`.
 * **Cost** a request for each entry, sixteen at a time.
 *
 * @experimental
 */
export function createBlobCache(blobs: BlobStore, options: { readonly prefix?: string | undefined } = {}): BlobCache {
  checkGiven("createBlobCache", "blobs", blobs, "object");
  checkOptions("createBlobCache", options, { prefix: true });
  const { prefix = "embeddings/" } = options;
  // Some file systems are slow where one folder has very many files.
  const blobKey = (key: string): string => `${prefix}${key.slice(0, 2)}/${key}`;

  return {
    getMany: (keys) => inTurns(keys, async (key) => (await blobs.get(blobKey(key)))?.bytes),
    async setMany(entries) {
      await inTurns(entries, ([key, bytes]) => blobs.put(blobKey(key), bytes));
    },
    async deleteMany(keys) {
      await inTurns(keys, (key) => blobs.delete(blobKey(key)));
    },
    async clear() {
      const keys: string[] = [];
      for await (const { key } of blobs.list({ prefix })) keys.push(key);
      await inTurns(keys, (key) => blobs.delete(key));
    },
  };
}

async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += atOnce) {
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))));
  }
  return results;
}
