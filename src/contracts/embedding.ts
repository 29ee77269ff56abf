/**
 * Dense coordinates. Every value is finite.
 *
 * **Shape** an `Int8Array` is stored at one byte a coordinate, compared by whole numbers, and returned as one. All others are stored
 * at 32 bits and returned as a `Float32Array`.
 *
 * @experimental
 */
export type Vector = Float32Array | Int8Array | readonly number[];

/**
 * Coordinates of the few dimensions that are not zero. **Shape** `indices` ascend, are unique, and run beside `values`.
 *
 * @experimental
 */
export interface SparseVector {
  readonly indices: readonly number[] | Uint32Array;
  readonly values: Vector;
}

/**
 * A dense and a sparse view of one text.
 *
 * @experimental
 */
export interface HybridVector {
  readonly dense: Vector;
  readonly sparse: SparseVector;
}

/**
 * A text as numbers, in one of three kinds.
 *
 * **Source** Ballerina `Embedding = Vector|SparseVector|HybridVector`.
 *
 * @experimental
 */
export type Embedding = Vector | SparseVector | HybridVector;

/**
 * The three kinds of {@link Embedding}, by name.
 *
 * @experimental
 */
export type EmbeddingKind = "dense" | "sparse" | "hybrid";

/**
 * Names a set of comparable vectors: only those of one version are ever compared.
 *
 * **Source** ToolUp `EmbeddingVersion`, with a fingerprint for all else that changes vectors: prefixes, a fit.
 *
 * @experimental
 */
export interface EmbeddingVersion {
  readonly provider: string;
  readonly model: string;
  /** Dense dimensions; for a sparse-only model, the size of its vocabulary or 0 when open. */
  readonly dimensions: number;
  /** `""` when provider, model and dimensions say it all. */
  readonly fingerprint: string;
}

/**
 * An embedding that says which version it is of.
 *
 * @experimental
 */
export interface VersionedEmbedding {
  readonly version: EmbeddingVersion;
  readonly embedding: Embedding;
}

/** One string per version, for keys and comparisons. */
export function versionKey(version: EmbeddingVersion): string {
  return JSON.stringify([version.provider, version.model, version.dimensions, version.fingerprint]);
}

const apart = "apart ";

/** Name of the way in which titles and headings join the text that is embedded. */
const inputVersion = "named/1";

const unnamed = "unnamed ";

/**
 * Fingerprint of vectors: the model's own, and the way in which texts are composed. Vectors of another composition are of another version.
 *
 * **Shape** a fingerprint that is {@link setApart} stays as it is: a field is embedded without names. One that is {@link setUnnamed} becomes the model's own.
 */
export function fingerprintVectors(model: string | undefined): string {
  if (model === undefined || model === "") return inputVersion;
  if (isUnnamed(model)) return ownFingerprint(model);
  return model.startsWith(apart) ? model : `${model} ${inputVersion}`;
}

/** Fingerprint for a model that embeds the text of a chunk alone, as all did before names were part of it. Its vectors serve until a re-embedding. */
export function setUnnamed(fingerprint: string | undefined): string {
  return `${unnamed}${fingerprint ?? ""}`;
}

/** Whether a model's fingerprint is one of {@link setUnnamed}. */
export function isUnnamed(fingerprint: string | undefined): boolean {
  return fingerprint?.startsWith(unnamed) === true;
}

/** Fingerprint of a model, without the mark of {@link setUnnamed}: a query is embedded alike. */
export function ownFingerprint(fingerprint: string | undefined): string {
  return isUnnamed(fingerprint) ? fingerprint!.slice(unnamed.length) : (fingerprint ?? "");
}

/** Whether the vectors of a version hold the names of their chunks. */
export function holdsNames({ fingerprint }: EmbeddingVersion): boolean {
  return fingerprint === inputVersion || fingerprint.endsWith(` ${inputVersion}`);
}

/** Fingerprint for vectors beside those that a scope is searched by: a collection asked for a model of its own for some chunks. A re-embedding leaves them alone. */
export function setApart(fingerprint: string): string {
  return `${apart}${fingerprint}`;
}

/** Fingerprint for vectors of pictures, which stand beside those of a chunk's text. */
export const pictureFingerprint = setApart("picture");

/** Whether a fingerprint was set apart. */
export function isApart(fingerprint: unknown): boolean {
  return typeof fingerprint === "string" && fingerprint.startsWith(apart);
}

/** Returns the kind of an embedding. */
export function kindOf(embedding: Embedding): EmbeddingKind {
  if ("dense" in embedding) return "hybrid";
  return "indices" in embedding ? "sparse" : "dense";
}

/**
 * How a similarity is computed. `score` is monotone for each: higher is better; the metric's own value stands beside it.
 *
 * **Shape** the score is the cosine for the two cosines, the product for the two products, and `1 / (1 + distance)` for the others. `"squared-euclidean"` has
 * the score of `"euclidean"`. `"hamming"` counts coordinates that differ. **Source** the eight distance functions of Semantic Kernel.
 *
 * @experimental
 */
export type Metric =
  | "cosine"
  | "cosine-distance"
  | "dot"
  | "negative-dot"
  | "euclidean"
  | "squared-euclidean"
  | "hamming"
  | "manhattan";

/** Every metric, by the one that computes its score. */
export const metrics = {
  cosine: "cosine",
  "cosine-distance": "cosine",
  dot: "dot",
  "negative-dot": "dot",
  euclidean: "euclidean",
  "squared-euclidean": "euclidean",
  hamming: "hamming",
  manhattan: "manhattan",
} as const satisfies Readonly<Record<Metric, Metric>>;

/** The metrics that compute a score of their own. */
export type ScoringMetric = (typeof metrics)[Metric];

/**
 * Names the model of a vector that a caller brings: a name of the caller's own, or a whole version.
 *
 * **Shape** a name stands for the provider `given`. Vectors of one name have one length.
 *
 * @experimental
 */
export type VersionName = string | EmbeddingVersion;
