import type { BlobStore } from "../../contracts/blob-store.ts";
import { throwIfAborted } from "../../runtime/abort.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { checkBlobKey, checkBlobList, checkBlobPut, checkMaxBlobBytes, isListed } from "../blobs/check-blob.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

/**
 * A {@link BlobStore} in memory, on any runtime, for tests and temporary data.
 *
 * **Shape** inputs and outputs are copies. **Errors** as the contract. **Cost** a list sorts the keys that it shows.
 *
 * @experimental
 */
export function createMemoryBlobStore(options: { readonly maxBytes?: number | undefined } = {}): BlobStore {
  checkOptions("createMemoryBlobStore", options, { maxBytes: true });
  const maxBytes = checkMaxBlobBytes("createMemoryBlobStore", options.maxBytes);
  const blobs = new Map<string, { readonly bytes: Uint8Array; readonly etag: string }>();
  let writes = 0;

  return {
    async head(key, asked = {}) {
      checkBlobKey(key, "head", asked);
      const found = blobs.get(key);
      return found && { key, size: found.bytes.length, etag: found.etag };
    },
    async get(key, asked = {}) {
      checkBlobKey(key, "get", asked);
      const found = blobs.get(key);
      return found && { key, size: found.bytes.length, etag: found.etag, bytes: new Uint8Array(found.bytes) };
    },
    async put(key, bytes, asked = {}) {
      checkBlobPut(key, bytes, asked, maxBytes);
      const found = blobs.get(key);
      if (asked.ifNoneMatch !== undefined && found !== undefined) return { status: "conflict" };
      if (asked.ifMatch !== undefined && found?.etag !== asked.ifMatch) return { status: "conflict" };
      const etag = `"${++writes}"`;
      blobs.set(key, { bytes: new Uint8Array(bytes), etag });
      return { status: "written", etag };
    },
    async delete(key, asked = {}) {
      checkBlobKey(key, "delete", asked);
      blobs.delete(key);
    },
    async *list(asked = {}) {
      checkBlobList(asked);
      const keys = [...blobs.keys()].filter((key) => isListed(key, asked)).toSorted(compareCodePoints);
      for (const key of keys) {
        throwIfAborted(asked.signal, "list");
        const size = blobs.get(key)?.bytes.length;
        if (size !== undefined) yield { key, size };
      }
    },
  };
}
