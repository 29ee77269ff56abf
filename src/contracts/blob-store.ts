/**
 * Facts about a blob that need no read of its bytes.
 *
 * @experimental
 */
export interface BlobListing {
  readonly key: string;
  /** **Units** bytes. */
  readonly size: number;
}

/**
 * A blob's size and version.
 *
 * @experimental
 */
export interface BlobFacts extends BlobListing {
  /** Names this version, for `ifMatch`. Opaque: compare it, never take it apart. The same bytes may have the same one. */
  readonly etag: string;
}

/**
 * A blob whole. `bytes` are the caller's own.
 *
 * @experimental
 */
export interface StoredBlob extends BlobFacts {
  readonly bytes: Uint8Array;
}

/**
 * On what condition a blob is written; at most one. Without any, it takes the place of what is there.
 *
 * @experimental
 */
export interface PutBlobOptions {
  /** Only where there is nothing under the key. */
  readonly ifNoneMatch?: "*" | undefined;
  /** Only where what is there is still this version. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Result of a write. A failed condition is a value: another writer came first, and the caller decides.
 *
 * @experimental
 */
export type PutBlobResult =
  | { readonly status: "written"; readonly etag: string }
  | { readonly status: "conflict"; readonly etag?: undefined };

/**
 * Restricts a listing of keys; everything has a default.
 *
 * @experimental
 */
export interface ListBlobsOptions {
  /** Only keys that begin so. Not a folder: `a` lists `ab/c`. */
  readonly prefix?: string | undefined;
  /** Only keys after this one, which need not exist: where a list that was left is taken up again. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Bytes under keys: uploads as they came.
 *
 * **Shape** a key is parts joined by `/`: no part is empty, `.` or `..`; no control characters; at most 1,024 bytes of UTF-8. Keys differ by their
 * code units: `a` and `A` are two. Every later call, in every process, reads a put that has returned. A reader sees one whole version.
 * **Errors** `invalid-argument` for an invalid key or option; `too-large` beyond the store's limit, in and out; `store-busy` after too long a `Retry-After`.
 * Also `store-failed`, with `details.status` from a server; `aborted`, `timeout`. A missing blob is a value, not an error.
 * **Source** ToolUp `IBlobStorage`; conditions as in RFC 9110, 13.1, and S3.
 *
 * @experimental
 */
export interface BlobStore {
  /** Version and size of what is there. **Cost** a file system reads the blob for it. */
  head(key: string, options?: { readonly signal?: AbortSignal }): Promise<BlobFacts | undefined>;
  get(key: string, options?: { readonly signal?: AbortSignal }): Promise<StoredBlob | undefined>;
  put(key: string, bytes: Uint8Array, options?: PutBlobOptions): Promise<PutBlobResult>;
  /** Deletes the blob for good. A missing blob is as good as deleted. */
  delete(key: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Lists by key, in the order of UTF-8 bytes. A blob that is written or deleted meanwhile may appear or not; every other appears once. */
  list(options?: ListBlobsOptions): AsyncIterable<BlobListing>;
}
