import type { Chunk } from "../../contracts/chunk.ts";
import {
  type Embedding,
  type EmbeddingKind,
  type EmbeddingVersion,
  kindOf,
  type SparseVector,
  type Vector,
} from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import { copyEmbedding } from "./copy-embedding.ts";

function isVector(value: unknown): value is Vector {
  return value instanceof Float32Array || value instanceof Int8Array || Array.isArray(value);
}

/** Describes the fault in a vector's values; `undefined` without one. */
function findValueFault(values: Vector): string | undefined {
  if (values instanceof Int8Array) return undefined;
  for (let index = 0; index < values.length; index += 1) {
    const value: unknown = values[index];
    if (typeof value !== "number") return `value ${index} is not a number but ${typeof value}`;
    if (!Number.isFinite(value)) return `value ${index} is ${String(value)}`;
  }
  return undefined;
}

function findSparseFault(sparse: SparseVector, vocabulary: number): string | undefined {
  const { indices, values } = sparse;
  if (!(indices instanceof Uint32Array || Array.isArray(indices)) || !isVector(values)) {
    return "a sparse vector needs lists of indices and values";
  }
  if (indices.length !== values.length) return `${indices.length} indices stand beside ${values.length} values`;
  let before = -1;
  for (const index of indices) {
    if (!Number.isSafeInteger(index) || index < 0) return `index ${String(index)} is not a whole number of at least 0`;
    if (index <= before) return `index ${index} comes after ${before}: indices must ascend`;
    if (vocabulary > 0 && index >= vocabulary) return `index ${index} is beyond the ${vocabulary} dimensions`;
    before = index;
  }
  return findValueFault(values);
}

/** Whether a value has the outline of an embedding; what it holds is {@link checkEmbedding}'s. */
export function isEmbedding(value: unknown): value is Embedding {
  if (typeof value !== "object" || value === null) return false;
  if ("dense" in value) {
    return isVector(value.dense) && "sparse" in value && typeof value.sparse === "object" && value.sparse !== null;
  }
  return isVector(value) || "indices" in value;
}

/** The dense dimensions of an embedding; `undefined` for a sparse one, whose vocabulary it does not tell. */
export function dimensionsOf(embedding: Embedding): number | undefined {
  if ("dense" in embedding) return embedding.dense.length;
  return "indices" in embedding ? undefined : embedding.length;
}

/**
 * Refuses an embedding that contradicts its version or that no search could use.
 *
 * **Shape** `where` names the embedding in the message: `"chunk 5f2a…"`, `"the answer of openai/text-embedding-3-small"`.
 * **Errors** `dimension-mismatch`, `details` `{ expected, got, where }`, for a dense vector of another length than its version; `invalid-response` for any other
 * invalid embedding: values that are not finite, no dimensions, a sparse vector whose indices do not ascend.
 * **Cost** linear in the values. **Source** Wesichain `StoreError::DimensionMismatch`.
 */
export function checkEmbedding(
  embedding: Embedding,
  version: Pick<EmbeddingVersion, "dimensions">,
  where: string,
): void {
  if (!isEmbedding(embedding)) throw invalid("it is neither a dense, nor a sparse, nor a hybrid vector", where);
  const kind = kindOf(embedding);
  const got = dimensionsOf(embedding);
  if (got !== undefined && got !== version.dimensions) {
    throw new IbidError("dimension-mismatch", `dimension mismatch: expected ${version.dimensions}, got ${got}`, {
      hint: "Embed again with the model that this version names, or store under a version of its own.",
      details: { expected: version.dimensions, got, where },
    });
  }
  if (got === 0) throw invalid("it has no dimensions", where);
  let fault: string | undefined;
  if ("dense" in embedding) fault = findValueFault(embedding.dense) ?? findSparseFault(embedding.sparse, 0);
  else if ("indices" in embedding) fault = findSparseFault(embedding, version.dimensions);
  else fault = findValueFault(embedding);
  if (fault !== undefined) throw invalid(fault, where, kind);
}

function invalid(fault: string, where: string, kind?: EmbeddingKind): IbidError {
  return new IbidError("invalid-response", `${where} is not a usable embedding: ${fault}`, {
    hint: "Every value must be a finite number, and the indices of a sparse vector must ascend.",
    ...(kind === undefined ? {} : { details: { kind } }),
  });
}

/**
 * The vector that came with a chunk, taken as it is and checked, or `undefined` when it brought none.
 *
 * **Shape** a copy. **Errors** as {@link checkEmbedding}. **Source** Wesichain's precomputed `Document.embedding`.
 */
export function takeGivenEmbedding(chunk: Chunk, version: EmbeddingVersion): Embedding | undefined {
  if (chunk.embedding === undefined) return undefined;
  checkEmbedding(chunk.embedding, version, `The embedding of chunk ${chunk.id}`);
  return copyEmbedding(chunk.embedding);
}
