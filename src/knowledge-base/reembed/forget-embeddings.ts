import { type Gate, operator } from "../../access/gate.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type { Embedder } from "../../contracts/embedding-model.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { DeleteTarget, ListChunksOptions, Store } from "../../contracts/store.ts";
import type { ChunkEntry } from "../../contracts/document-store.ts";
import type { AuthorizedScopes } from "../../contracts/scope.ts";
import { embeddedText } from "../../text/embedded-text.ts";

/** Texts whose entries are let go of at one time. */
const forgottenAtOnce = 256;

/**
 * A store that also removes cached embeddings: those of deleted chunks, and those of texts that a changed document no longer has.
 *
 * **Shape** cache entries go before rows, so an acknowledged delete has left none. They go with the delete, not with the vacuum: a restored chunk has its vectors in its
 * rows. An embedding shared with another document goes too, and is made again when needed. Caches that cannot delete keep theirs.
 * **Errors** a delete throws `store-failed` where the cache fails, and deletes nothing. A change goes on when the cache fails.
 * **Cost** deleted chunks are read once more, without their vectors.
 */
export function forgetEmbeddings(store: Store, gate: Gate, embedders: readonly Embedder[]): Store {
  const forgetting = embedders.filter((embedder) => embedder.forget !== undefined);
  if (forgetting.length === 0) return store;

  async function* texts(from: AuthorizedScopes<"write">, which: ListChunksOptions): AsyncGenerator<string> {
    // The right to delete covers this read, whose result stays here.
    const proof = gate.read(operator, from.scopes, from.scopes);
    for await (const { chunk } of store.chunks(proof, which)) yield* textsOf(chunk);
  }
  const forget = async (batch: readonly string[]): Promise<void> => {
    for (const embedder of forgetting) await embedder.forget?.(batch);
  };

  /** Removes entries of texts that the document no longer has. */
  async function forgetLeft(
    into: AuthorizedScopes<"write">,
    documentId: string,
    replace: (stays: (entries: readonly ChunkEntry[]) => void) => ReturnType<Store["replace"]>,
  ): ReturnType<Store["replace"]> {
    const left = new Set<string>();
    for await (const text of texts(into, { documentId })) left.add(text);
    const result = await replace((entries) => {
      // A new document has left none.
      if (left.size > 0) entries.forEach(({ chunk }) => textsOf(chunk).forEach((text) => left.delete(text)));
    });
    if (left.size > 0) await forget([...left]).catch(() => {});
    return result;
  }

  return {
    ...store,
    async delete(from, target, options) {
      let batch: string[] = [];
      try {
        for (const which of listings(target)) {
          for await (const text of texts(from, which)) {
            batch.push(text);
            if (batch.length < forgottenAtOnce) continue;
            await forget(batch);
            batch = [];
          }
        }
        await forget(batch);
      } catch (cause) {
        if (IbidError.isInstance(cause)) throw cause;
        throw new IbidError("store-failed", "The embedding cache did not let go of what is to be deleted.", {
          hint: "Nothing was deleted. See to the cache, and ask again.",
          cause,
        });
      }
      return store.delete(from, target, options);
    },
    replace: (into, entry) =>
      forgetLeft(into, entry.document.id, async (stays) => {
        const { chunks } = entry;
        if (Symbol.asyncIterator in chunks) return store.replace(into, { ...entry, chunks: tell(chunks, stays) });
        const result = await store.replace(into, entry);
        stays(chunks);
        return result;
      }),
  };
}

/** Texts under which embeddings of a chunk may be cached: with its names and, by a model of a field, without. */
const textsOf = (chunk: Chunk): readonly string[] => [...new Set([embeddedText(chunk), chunk.text])];

async function* tell<Item>(items: AsyncIterable<Item>, told: (item: Item) => void): AsyncGenerator<Item> {
  for await (const item of items) {
    told(item);
    yield item;
  }
}

function listings(target: DeleteTarget): readonly ListChunksOptions[] {
  if ("ids" in target) return [{ ids: target.ids }];
  if ("documentIds" in target) return target.documentIds.map((documentId) => ({ documentId }));
  if ("filter" in target) return [{ filter: target.filter }];
  return [{}];
}
