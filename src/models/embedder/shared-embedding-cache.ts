import type { EmbeddingCache } from "../../contracts/embedding-model.ts";
import type { Embedding } from "../../contracts/embedding.ts";
import type { SharedCache } from "../../contracts/shared-cache.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { sha256 } from "../../runtime/hash.ts";
import { createEmbeddingCache } from "./embedding-cache.ts";
import { decodeEmbedding, encodeEmbedding } from "./encode-embedding.ts";

/** A read that waits for the others of its turn. */
interface Asked {
  readonly key: string;
  readonly resolve: (found: Embedding | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * An {@link EmbeddingCache} that several processes share, with one of this process in front of it.
 *
 * **Shape** the embedder hashes keys under the knowledge base's own key, and this cache hashes them once more. A reader of the cache learns neither texts nor queries, and only
 * processes over one knowledge base find each other's entries. Requests of one turn share one `getMany`; writes share one `setMany`.
 * A damaged entry counts as missing. `hitRate` is this process's.
 * **Errors** errors of the shared cache, which an embedder takes for a missing entry. `invalid-argument` for a capacity below 1.
 * **Cost** entries that this process had before are answered at once. **Source** ToolUp's distributed cache, which it leaves to a companion.
 *
 * @experimental
 */
export function createSharedEmbeddingCache(
  shared: SharedCache,
  options: { readonly capacity?: number | undefined } = {},
): EmbeddingCache {
  checkGiven("createSharedEmbeddingCache", "shared", shared, "object");
  checkOptions("createSharedEmbeddingCache", options, { capacity: true });
  const near = createEmbeddingCache(options);
  let asked: Asked[] = [];
  let given: (readonly [string, Uint8Array])[] = [];
  let writing: Promise<void> | undefined;
  /** Ends when everything that was sent to be written has; never rejects. */
  let underWay: Promise<unknown> = Promise.resolve();
  let reads = 0;
  let hits = 0;

  async function readAll(turn: readonly Asked[]): Promise<void> {
    try {
      const keys = [...new Set(turn.map(({ key }) => key))];
      const found = await shared.getMany(keys);
      const byKey = new Map(keys.map((key, i) => [key, found[i]]));
      for (const { key, resolve } of turn) {
        const bytes = byKey.get(key);
        resolve(bytes && decodeEmbedding(bytes));
      }
    } catch (error) {
      for (const { reject } of turn) reject(error);
    }
  }

  function ask(key: string): Promise<Embedding | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Embedding | undefined>();
    asked.push({ key, resolve, reject });
    if (asked.length === 1) {
      queueMicrotask(() => {
        const turn = asked;
        asked = [];
        void readAll(turn);
      });
    }
    return promise;
  }

  return {
    get(key) {
      reads++;
      const own = near.get(key);
      if (own !== undefined) {
        hits++;
        return own;
      }
      return ask(sha256(key)).then((found) => {
        if (found === undefined) return undefined;
        hits++;
        near.set(key, found);
        return found;
      });
    },
    set(key, embedding) {
      near.set(key, embedding);
      given.push([sha256(key), encodeEmbedding(embedding)]);
      return (writing ??= Promise.resolve().then(() => {
        const turn = given;
        given = [];
        writing = undefined;
        const written = shared.setMany(turn);
        underWay = Promise.allSettled([underWay, written]);
        return written;
      }));
    },
    ...(shared.deleteMany && {
      async delete(keys: readonly string[]) {
        near.delete(keys);
        // A pending write would otherwise land after the delete.
        await writing?.catch(() => {});
        await underWay;
        await shared.deleteMany?.(keys.map((key) => sha256(key)));
      },
    }),
    get hitRate() {
      return reads === 0 ? 0 : hits / reads;
    },
  };
}
