import {
  type Embedding,
  type EmbeddingKind,
  kindOf,
  type Vector,
  type VersionedEmbedding,
  versionKey,
} from "../../contracts/embedding.ts";
import { parseStored } from "../../runtime/parse-stored.ts";
import {
  asFloat32,
  asInt8,
  asUint32,
  type ByteReader,
  bytesOf,
  createByteReader,
  createByteWriter,
  decodeText,
  encodeText,
  torn,
} from "../segments/bytes.ts";
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

/** A shared empty sparse part, which no caller changes. */
const nothing = { indices: new Uint32Array(0), values: new Float32Array(0) };

const kinds: readonly EmbeddingKind[] = ["dense", "sparse", "hybrid"];

/** Converts an embedding to 32-bit form; dense bytes stay bytes. **Shape** a vector in that form is returned as it is, not copied. */
export function toStoredVector(version: string, embedding: Embedding): StoredVector {
  const kind = kindOf(embedding);
  const dense = "dense" in embedding ? embedding.dense : "indices" in embedding ? [] : embedding;
  const sparse = "dense" in embedding ? embedding.sparse : "indices" in embedding ? embedding : nothing;
  return {
    version,
    kind,
    dense: dense instanceof Int8Array ? dense : toFloat32(dense),
    indices: sparse.indices instanceof Uint32Array ? sparse.indices : Uint32Array.from(sparse.indices),
    values: toFloat32(sparse.values),
  };
}

function toFloat32(values: Vector): Float32Array {
  return values instanceof Float32Array ? values : new Float32Array(values);
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
  const [provider, model, dimensions, fingerprint] = parseStored(key) as [string, string, number, string];
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

/** Before rows were aligned, the first number was how many vectors there are; none is 0 in both. */
const aligned = 0;

const headWriter = createByteWriter();
let lastVersion = "";
let lastVersionBytes = encodeText(lastVersion);

/**
 * **Shape** 0 for no vectors; else their number, then the heads and the numbers. A vector's head has its kind (plus 3
 * when the dense part is bytes) and the lengths of the dense and the sparse part. The length of the version and the
 * version end it. A vector's numbers begin at a multiple of four: dense, indices, values.
 */
export function encodeVectors(vectors: readonly StoredVector[]): Uint8Array {
  headWriter.varint(aligned);
  if (vectors.length > 0) headWriter.varint(vectors.length);
  let length = 0;
  for (const { version, kind, dense, values } of vectors) {
    headWriter.varint(kinds.indexOf(kind) + (formOf(dense) === "int8" ? kinds.length : 0));
    headWriter.varint(dense.length);
    headWriter.varint(values.length);
    // One after the other is mostly of one version.
    if (version !== lastVersion) {
      lastVersion = version;
      lastVersionBytes = encodeText(version);
    }
    headWriter.varint(lastVersionBytes.length);
    headWriter.bytes(lastVersionBytes);
    length += toAligned(dense.byteLength) + 8 * values.length;
  }
  const head = headWriter.take();
  if (vectors.length === 0) return head;
  const bytes = new Uint8Array(toAligned(head.length) + length);
  bytes.set(head);
  let at = toAligned(head.length);
  for (const { dense, indices, values } of vectors) {
    bytes.set(bytesOf(dense), at);
    at += toAligned(dense.byteLength);
    bytes.set(bytesOf(indices), at);
    at += indices.byteLength;
    bytes.set(bytesOf(values), at);
    at += values.byteLength;
  }
  return bytes;
}

function toAligned(length: number): number {
  return (length + 3) & ~3;
}

/** **Shape** the numbers are views on the bytes, where they can be. */
export function decodeVectors(bytes: Uint8Array): StoredVector[] {
  if (bytes[0] !== aligned) return decodeBeforeAligned(bytes);
  if (bytes.length === 1) return [];
  const reader = createByteReader(bytes, 1);
  const heads = Array.from({ length: reader.count() }, () => {
    const form = reader.varint();
    return { form, dimensions: reader.varint(), entries: reader.varint(), version: readVersion(reader) };
  });
  let at = toAligned(reader.position);
  const take = (length: number): Uint8Array => {
    if (length > bytes.length - at) throw torn();
    return bytes.subarray(at, (at += toAligned(length)));
  };
  return heads.map(({ form, dimensions, entries, version }) => ({
    version,
    kind: kinds[form % kinds.length]!,
    dense: form < kinds.length ? asFloat32(take(4 * dimensions)) : asInt8(take(dimensions)).subarray(0, dimensions),
    indices: asUint32(take(4 * entries)),
    values: asFloat32(take(4 * entries)),
  }));
}

function readVersion(reader: ByteReader): string {
  const bytes = reader.bytes(reader.varint());
  if (bytes.length === lastVersionBytes.length && bytes.every((byte, i) => byte === lastVersionBytes[i]))
    return lastVersion;
  lastVersionBytes = bytes.slice();
  return (lastVersion = decodeText(bytes));
}

/** Version, kind, lengths and numbers of each vector, without a gap. */
function decodeBeforeAligned(bytes: Uint8Array): StoredVector[] {
  const reader = createByteReader(bytes);
  return Array.from({ length: reader.count() }, () => {
    const version = reader.text();
    const kind = kinds[reader.varint()]!;
    const dimensions = reader.varint();
    const entries = reader.varint();
    return {
      version,
      kind,
      dense: asFloat32(reader.bytes(4 * dimensions)),
      indices: asUint32(reader.bytes(4 * entries)),
      values: asFloat32(reader.bytes(4 * entries)),
    };
  });
}
