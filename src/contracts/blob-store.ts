/** What is known of a blob without reading it. */
export interface BlobListing {
  readonly key: string;
  /** **Units** bytes. */
  readonly size: number;
}

/** A blob's size and version. */
export interface BlobFacts extends BlobListing {
  /** Names this version, for `ifMatch`. Opaque: compare it, never take it apart. The same bytes may have the same one. */
  readonly etag: string;
}

/** A blob whole. `bytes` are the caller's own. */
export interface StoredBlob extends BlobFacts {
  readonly bytes: Uint8Array;
}

/** On what condition a blob is written; at most one. Without any, it takes the place of what is there. */
export interface PutBlobOptions {
  /** Only where there is nothing under the key. */
  readonly ifNoneMatch?: "*";
  /** Only where what is there is still this version. */
  readonly ifMatch?: string;
  readonly signal?: AbortSignal;
}

/** What became of a write. A condition that did not hold is a value: somebody else was faster, and the caller decides what that means. */
export type PutBlobResult =
  | { readonly status: "written"; readonly etag: string }
  | { readonly status: "conflict"; readonly etag?: undefined };

/** Which keys are listed; everything has a default. */
export interface ListBlobsOptions {
  /** Only keys that begin so. Not a folder: `a` lists `ab/c`. */
  readonly prefix?: string;
  /** Only keys after this one, which need not exist: where a list that was left is taken up again. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

/**
 * Bytes under keys: what was uploaded, as it came.
 *
 * **Shape** a key is parts joined by `/`: none of them empty, `.` or `..`, no control characters, 1,024 bytes of UTF-8 in all. Keys are told apart by their
 * code units: `a` and `A` are two. A put that has returned is read by every later call, in every process; a reader sees one version whole, never a mixture.
 * **Errors** `invalid-argument` for a key or an option that is none; `too-large` beyond the store's limit, in and out; `store-busy` when it was asked to wait
 * too long; `store-failed` with `details.status` where a server answered; `aborted`, `timeout`. Not finding something is a value.
 * **Source** ToolUp `IBlobStorage`; the conditions are RFC 9110's, 13.1, as S3 has them.
 */
export interface BlobStore {
  /** Version and size of what is there. **Cost** a file system reads the blob for it. */
  head(key: string, options?: { readonly signal?: AbortSignal }): Promise<BlobFacts | undefined>;
  get(key: string, options?: { readonly signal?: AbortSignal }): Promise<StoredBlob | undefined>;
  put(key: string, bytes: Uint8Array, options?: PutBlobOptions): Promise<PutBlobResult>;
  /** Takes it out for good. What is not there is as good as deleted. */
  delete(key: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** By key, in the order of UTF-8 bytes. What is written or deleted meanwhile may be in it or not; everything else is in it once. */
  list(options?: ListBlobsOptions): AsyncIterable<BlobListing>;
}
