import {
  type Embedding,
  type EmbeddingKind,
  kindOf,
  type VersionedEmbedding,
  versionKey,
} from "../contracts/embedding.ts";
import { asFloat32, asUint32, bytesOf, createByteReader, createByteWriter } from "./bytes.ts";
import { type DenseVector, formOf } from "./dense-rows.ts";

/** One chunk's vector of one version, as the engine keeps it. */
export interface StoredVector {
  /** As `versionKey` writes it. */
  readonly version: string;
  readonly kind: EmbeddingKind;
  readonly dense: DenseVector;
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

const kinds: readonly EmbeddingKind[] = ["dense", "sparse", "hybrid"];

/** Copies an embedding into 32-bit form; dense bytes stay bytes. */
export function toStoredVector(version: string, embedding: Embedding): StoredVector {
  const kind = kindOf(embedding);
  const dense = "dense" in embedding ? embedding.dense : "indices" in embedding ? [] : embedding;
  const sparse =
    "dense" in embedding ? embedding.sparse : "indices" in embedding ? embedding : { indices: [], values: [] };
  return {
    version,
    kind,
    dense: dense instanceof Int8Array ? dense.slice() : new Float32Array(dense),
    indices: new Uint32Array(sparse.indices),
    values: new Float32Array(sparse.values),
  };
}

/** **Shape** one of each version and kind: the last. */
export function toStoredVectors(embeddings: readonly VersionedEmbedding[]): StoredVector[] {
  const vectors = embeddings.map(({ version, embedding }) => toStoredVector(versionKey(version), embedding));
  if (vectors.length < 2) return vectors;
  return [...new Map(vectors.map((vector) => [`${vector.kind} ${vector.version}`, vector])).values()];
}

/** The embedding as it is handed out: a copy. */
export function toEmbedding({ kind, dense, indices, values }: StoredVector): Embedding {
  if (kind === "dense") return dense.slice();
  const sparse = { indices: indices.slice(), values: values.slice() };
  return kind === "sparse" ? sparse : { dense: dense.slice(), sparse };
}

/** Reads a version back from its key. */
export function parseVersionKey(key: string): VersionedEmbedding["version"] {
  const [provider, model, dimensions, fingerprint] = JSON.parse(key) as [string, string, number, string];
  return { provider, model, dimensions, fingerprint };
}

export function sameVectors(a: readonly StoredVector[], b: readonly StoredVector[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((left) => {
    const right = b.find(({ version, kind }) => version === left.version && kind === left.kind);
    return (
      right !== undefined &&
      formOf(left.dense) === formOf(right.dense) &&
      sameNumbers(left.dense, right.dense) &&
      sameNumbers(left.indices, right.indices) &&
      sameNumbers(left.values, right.values)
    );
  });
}

function sameNumbers(a: DenseVector | Uint32Array, b: DenseVector | Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * **Shape** how many; for each: version, kind (three more when the dense part is bytes), lengths of the dense and the sparse part, then
 * their bytes.
 */
export function encodeVectors(vectors: readonly StoredVector[]): Uint8Array {
  const writer = createByteWriter(
    64 + vectors.reduce((sum, { dense, values }) => sum + 64 + 4 * dense.length + 8 * values.length, 0),
  );
  writer.varint(vectors.length);
  for (const { version, kind, dense, indices, values } of vectors) {
    writer.text(version);
    writer.varint(kinds.indexOf(kind) + (formOf(dense) === "int8" ? kinds.length : 0));
    writer.varint(dense.length);
    writer.varint(values.length);
    writer.bytes(bytesOf(dense));
    writer.bytes(bytesOf(indices));
    writer.bytes(bytesOf(values));
  }
  return writer.take();
}

export function decodeVectors(bytes: Uint8Array): StoredVector[] {
  const reader = createByteReader(bytes);
  return Array.from({ length: reader.varint() }, () => {
    const version = reader.text();
    const form = reader.varint();
    const kind = kinds[form % kinds.length]!;
    const dimensions = reader.varint();
    const entries = reader.varint();
    return {
      version,
      kind,
      dense:
        form < kinds.length
          ? asFloat32(reader.bytes(4 * dimensions).slice())
          : new Int8Array(reader.bytes(dimensions).slice().buffer),
      indices: asUint32(reader.bytes(4 * entries).slice()),
      values: asFloat32(reader.bytes(4 * entries).slice()),
    };
  });
}
