import { IbidError } from "../../contracts/errors.ts";
import type { Chunk } from "../../contracts/chunk.ts";
import type { TextDocument } from "../../contracts/document.ts";
import type { Embedding, SparseVector, Vector, VersionedEmbedding } from "../../contracts/embedding.ts";
import type { ChunkEntry } from "../../contracts/document-store.ts";

/**
 * Nothing taken in or handed out is shared with the caller. Strings, numbers and the like cannot be changed, so they are not copied.
 *
 * **Errors** `invalid-argument` for what JSON has no word for.
 */
export function copyPlain<Value>(value: Value): Value {
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") {
    throw new IbidError("invalid-argument", `A ${typeof value} cannot be stored.`, {
      hint: "Metadata holds what JSON can say.",
    });
  }
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(copyPlain) as Value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = copyPlain((value as Record<string, unknown>)[key]);
    // Assigned, it would become the copy's prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: inner, ...plain });
    else copy[key] = inner;
  }
  return copy as Value;
}

const plain = { configurable: true, enumerable: true, writable: true };

function copyVector(vector: Vector): Vector {
  return vector.slice();
}

function copySparse({ indices, values }: SparseVector): SparseVector {
  return { indices: indices.slice(), values: copyVector(values) };
}

export function copyEmbedding(embedding: Embedding): Embedding {
  if ("dense" in embedding) return { dense: copyVector(embedding.dense), sparse: copySparse(embedding.sparse) };
  return "indices" in embedding ? copySparse(embedding) : copyVector(embedding);
}

/** Without the vector that it came with: vectors are beside chunks, not in them. */
export function copyChunk(chunk: Chunk): Chunk {
  if ("embedding" in chunk || "embeddingVersion" in chunk) {
    const { embedding: _embedding, embeddingVersion: _version, ...bare } = chunk;
    return copyChunk(bare);
  }
  return { ...chunk, headings: chunk.headings.slice(), metadata: copyPlain(chunk.metadata) };
}

export function copyVersioned({ version, embedding }: VersionedEmbedding): VersionedEmbedding {
  return { version: { ...version }, embedding: copyEmbedding(embedding) };
}

export function copyEntry({ chunk, embeddings }: ChunkEntry): ChunkEntry {
  return { chunk: copyChunk(chunk), embeddings: embeddings.map(copyVersioned) };
}

/** Without its blocks, which are not kept. */
export function copyDocument({ blocks: _blocks, ...document }: TextDocument): TextDocument {
  return copyPlain(document);
}
