/** A value that survives a round trip through JSON unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * Facts about a document or chunk besides its text: open keys, JSON values.
 *
 * The keys that ibid itself writes are typed; every other key belongs to the caller, and filters can use it.
 *
 * **Shape** plain and serialisable. `Date`s become ISO 8601 strings, which compare correctly as strings.
 * **Source** Ballerina `DocumentMetaData`: typed well-known keys with an open rest.
 */
export interface Metadata {
  readonly mimeType?: string;
  readonly fileName?: string;
  /** Bytes of the source as it was read. */
  readonly fileSize?: number;
  /** ISO 8601. */
  readonly createdAt?: string;
  /** ISO 8601. */
  readonly modifiedAt?: string;
  /** Time from which the statements of a document hold. ISO 8601. */
  readonly validFrom?: string;
  /** Time at which they end. ISO 8601. */
  readonly validTo?: string;
  /** Uri of the document in whose place it stands. */
  readonly supersedes?: string;
  /** BCP 47 tag of the main language, when the source states it. */
  readonly language?: string;
  /** Version of a chunk's vector, in a listing with `stamps`. */
  readonly _embedProvider?: string;
  readonly _embedModel?: string;
  readonly _embedDim?: number;
  /** Kept for embeddings of pictures: who made it, with which model, of how many dimensions. */
  readonly _imageProvider?: string;
  readonly _imageModel?: string;
  readonly _imageDim?: number;
  readonly [key: string]: JsonValue | undefined;
}

/** A value of metadata on its way in: a `Date` is kept as an ISO 8601 string. */
export type MetadataInputValue =
  | JsonValue
  | Date
  | readonly MetadataInputValue[]
  | { readonly [key: string]: MetadataInputValue | undefined };

/**
 * Metadata as they are given. A key without a value is left out.
 *
 * **Errors** `invalid-argument`, naming the key, for a function, a symbol, a bigint, a number that is not finite, and an object that holds itself.
 */
export type MetadataInput = { readonly [key: string]: MetadataInputValue | undefined };
