import type { Places } from "./store.ts";

/**
 * Options of {@link History.at}.
 */
export interface PastOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Former versions of documents, and the store as it was at a time.
 *
 * **Shape** a former version is kept when its document is replaced, until a vacuum. A purge takes the versions of a document along.
 */
export interface History<By extends Places, Past> {
  /** Whether versions that are replaced from now on are kept. Turning it off erases those that are kept. */
  keep(...call: [...by: By["maintain"], wanted: boolean]): Promise<void>;
  /**
   * The scopes as they were after the last write at or before a time, in milliseconds since 1970.
   *
   * **Errors** `unsupported` where no former versions are kept; `not-found` for a time before them, or before the last vacuum; `too-large` for more chunks than
   * fit into memory. **Cost** the chunks of the scopes, once for each state; the last ones are kept.
   */
  at(scopes: By["read"], time: number, options?: PastOptions): Promise<Past>;
}
