/**
 * Bytes under keys that several processes share and that may be lost at any time: Redis, Memcached, a bucket.
 *
 * **Shape** keys are 64 hexadecimal digits, made by the core, and tell nothing of what they stand for. An entry is read whole as it was written, or not at all.
 * **Errors** whatever it throws is taken for "not there": a cache that fails costs a request, never an answer; but for `deleteMany`. **Source** ToolUp.
 *
 * @experimental
 */
export interface SharedCache {
  /** **Shape** one for each key, in order; `undefined` for what is not there. */
  getMany(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>;
  setMany(entries: readonly (readonly [key: string, bytes: Uint8Array])[]): Promise<void>;
  /**
   * Deletes entries, of those that are there, so that nothing is left of a document that was deleted. Without it they stay until they expire.
   * **Errors** whatever it throws makes the delete of the document fail, before anything was deleted.
   */
  deleteMany?(keys: readonly string[]): Promise<void>;
}
