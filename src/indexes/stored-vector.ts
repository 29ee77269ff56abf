import {
  type Embedding,
  type EmbeddingKind,
  kindOf,
  type VersionedEmbedding,
  versionKey,
} from "../contracts/embedding.ts";
import { asFloat32, asUint32, bytesOf, createByteReader, createByteWriter } from "./bytes.ts";

/** One chunk's vector of one version, as the engine keeps it. */
export interface StoredVector {
  /** As `versionKey` writes it. */
  readonly version: string;
  readonly kind: EmbeddingKind;
  readonly dense: Float32Array;
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

const kinds: readonly EmbeddingKind[] = ["dense", "sparse", "hybrid"];

/** Copies an embedding into 32-bit form. */
export function toStoredVector(version: string, embedding: Embedding): StoredVector {
  const kind = kindOf(embedding);
  const dense = "dense" in embedding ? embedding.dense : "indices" in embedding ? [] : embedding;
  const sparse =
    "dense" in embedding ? embedding.sparse : "indices" in embedding ? embedding : { indices: [], values: [] };
  return {
    version,
    kind,
    dense: Float32Array.from(dense),
    indices: Uint32Array.from(sparse.indices),
    values: Float32Array.from(sparse.values),
  };
}

export function toStoredVectors(embeddings: readonly VersionedEmbedding[]): StoredVector[] {
  return embeddings.map(({ version, embedding }) => toStoredVector(versionKey(version), embedding));
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
      sameNumbers(left.dense, right.dense) &&
      sameNumbers(left.indices, right.indices) &&
      sameNumbers(left.values, right.values)
    );
  });
}

function sameNumbers(a: Float32Array | Uint32Array, b: Float32Array | Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** **Shape** how many; for each: version, kind, lengths of the dense and the sparse part, then their bytes. */
export function encodeVectors(vectors: readonly StoredVector[]): Uint8Array {
  const writer = createByteWriter(
    64 + vectors.reduce((sum, { dense, values }) => sum + 64 + 4 * dense.length + 8 * values.length, 0),
  );
  writer.varint(vectors.length);
  for (const { version, kind, dense, indices, values } of vectors) {
    writer.text(version);
    writer.varint(kinds.indexOf(kind));
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
    const kind = kinds[reader.varint()]!;
    const dimensions = reader.varint();
    const entries = reader.varint();
    return {
      version,
      kind,
      dense: asFloat32(reader.bytes(4 * dimensions).slice()),
      indices: asUint32(reader.bytes(4 * entries).slice()),
      values: asFloat32(reader.bytes(4 * entries).slice()),
    };
  });
}
