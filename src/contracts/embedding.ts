/**
 * Dense coordinates. Every value is finite.
 *
 * **Shape** an `Int8Array` is kept at one byte a coordinate, compared by whole numbers, and handed out as one again; everything else is kept
 * at 32 bits and handed out as a `Float32Array`.
 */
export type Vector = Float32Array | Int8Array | readonly number[];

/** Coordinates of the few dimensions that are not zero. **Shape** `indices` ascend, are unique, and run beside `values`. */
export interface SparseVector {
  readonly indices: readonly number[] | Uint32Array;
  readonly values: Vector;
}

/** A dense and a sparse view of one text. */
export interface HybridVector {
  readonly dense: Vector;
  readonly sparse: SparseVector;
}

/**
 * A text as numbers, in one of three kinds.
 *
 * **Source** Ballerina `Embedding = Vector|SparseVector|HybridVector`.
 */
export type Embedding = Vector | SparseVector | HybridVector;

/** The three kinds of {@link Embedding}, by name. */
export type EmbeddingKind = "dense" | "sparse" | "hybrid";

/**
 * Which vectors may be compared: only those of one version.
 *
 * **Source** ToolUp `EmbeddingVersion`, with a fingerprint for what else changes the vectors: prefixes, a fit.
 */
export interface EmbeddingVersion {
  readonly provider: string;
  readonly model: string;
  /** Dense dimensions; for a sparse-only model, the size of its vocabulary or 0 when open. */
  readonly dimensions: number;
  /** `""` when provider, model and dimensions say it all. */
  readonly fingerprint: string;
}

/** An embedding that says which version it is of. */
export interface VersionedEmbedding {
  readonly version: EmbeddingVersion;
  readonly embedding: Embedding;
}

/** One string per version, for keys and comparisons. */
export function versionKey(version: EmbeddingVersion): string {
  return JSON.stringify([version.provider, version.model, version.dimensions, version.fingerprint]);
}

const apart = "apart ";

/**
 * The fingerprint of vectors that stand beside those that a scope is searched by and never become them: of a model that only some of its chunks have, because a
 * collection asked for it. A re-embedding leaves them as they are.
 */
export function setApart(fingerprint: string): string {
  return `${apart}${fingerprint}`;
}

/** Whether a version, as {@link versionKey} writes it, was set apart. */
export function isApart(version: string): boolean {
  const [, , , fingerprint] = JSON.parse(version) as readonly unknown[];
  return typeof fingerprint === "string" && fingerprint.startsWith(apart);
}

/** Which of the three kinds a value is. */
export function kindOf(embedding: Embedding): EmbeddingKind {
  if ("dense" in embedding) return "hybrid";
  return "indices" in embedding ? "sparse" : "dense";
}
