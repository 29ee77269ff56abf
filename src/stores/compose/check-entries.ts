import type { Chunk } from "../../contracts/chunk.ts";
import type { Origin, TextDocument } from "../../contracts/document.ts";
import {
  type Embedding,
  type EmbeddingKind,
  type EmbeddingVersion,
  kindOf,
  versionKey,
  type SparseVector,
} from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { ChunkEntry, DocumentWrite } from "../../contracts/document-store.ts";
import type { MatchCount } from "../../contracts/leg.ts";
import { isOwnVersion } from "../segments/own-version.ts";

/** **Errors** `invalid-id` for an id that is blank, that cannot be written as UTF-8, or that holds U+0000, where some databases end a string. */
export function checkId(id: string, what: string): void {
  if (typeof id === "string" && id.trim() !== "" && id.isWellFormed() && !id.includes("\0")) return;
  throw new IbidError("invalid-id", `invalid ${what} id: ${JSON.stringify(id)}`, {
    hint: "Ids and uris are strings that are not blank, without lone surrogates and U+0000.",
  });
}

/** The kinds of embedding that a store keeps, and the store's name in error messages. */
export interface EmbeddingPolicy {
  readonly embeddings: readonly EmbeddingKind[];
  readonly name: string;
}

/**
 * Everything that can be wrong with what comes in, before anything is stored.
 *
 * **Errors** `invalid-id`, `unsupported` for a kind that is not kept, `dimension-mismatch`, `invalid-argument` for numbers that are none.
 * **Source** Ballerina, Wesichain.
 */
export function checkEntries(entries: readonly ChunkEntry[], policy: EmbeddingPolicy): void {
  for (const { chunk, embeddings } of entries) {
    checkChunk(chunk);
    for (const { version, embedding } of embeddings) {
      checkEmbedding(embedding, version, policy, `chunk ${chunk.id}`);
      checkNotOwn(version, chunk.id);
    }
  }
}

/** A given vector of the store's own model would be hidden from callers and dropped by the next fit, so it is refused. */
export function checkNotOwn(version: EmbeddingVersion, id: string): void {
  if (!isOwnVersion(versionKey(version))) return;
  throw new IbidError("invalid-argument", `The embeddings of ${version.model} are the store's own (chunk ${id}).`, {
    hint: "Call the model something else.",
  });
}

const origins: Readonly<Record<Origin, true>> = { "user-content": true, narrative: true, note: true, synthetic: true };

/** **Errors** `invalid-argument` for an origin that is none of the four. */
export function checkOrigin(origin: Origin, where: string): void {
  if (Object.hasOwn(origins, origin)) return;
  throw new IbidError("invalid-argument", `The origin of ${where} is ${JSON.stringify(origin)}.`, {
    hint: `Give one of ${Object.keys(origins).join(", ")}.`,
  });
}

/** **Errors** `invalid-argument` for a time of a copied document that is written otherwise. */
export function checkTimes({ document: { uri }, ...times }: DocumentWrite): void {
  for (const name of ["ingestedAt", "checkedAt"] as const) {
    const given = times[name];
    if (given === undefined || isStoredTime(given)) continue;
    throw new IbidError("invalid-argument", `${name} of ${uri} is ${JSON.stringify(given)}.`, {
      uri,
      hint: "Give ISO 8601 in UTC, as toISOString writes it, or leave it out.",
    });
  }
}

function isStoredTime(given: string): boolean {
  const time = Date.parse(given);
  return !Number.isNaN(time) && new Date(time).toISOString() === given;
}

/** **Errors** `invalid-argument` for a map whose lines are counted in no known way. */
export function checkSourceMap({ sourceMap, uri }: TextDocument): void {
  if (["text", "anchors", "none"].includes(sourceMap.lines)) return;
  throw new IbidError("invalid-argument", `sourceMap.lines of ${uri} is ${JSON.stringify(sourceMap.lines)}.`, {
    uri,
    hint: "Give text, anchors or none.",
  });
}

function checkChunk({ id, documentId, start, end, index, origin }: Chunk): void {
  checkId(id, "chunk");
  checkId(documentId, "document");
  checkOrigin(origin, `chunk ${id}`);
  const whole = [start, end, index].every((value) => Number.isSafeInteger(value) && value >= 0);
  if (whole && start <= end) return;
  throw new IbidError("invalid-argument", `Chunk ${id} runs from ${start} to ${end}, at index ${index}.`, {
    hint: "Positions are whole numbers from 0, and a chunk does not end before it starts.",
  });
}

/** **Errors** as {@link checkEntries}. */
export function checkEmbedding(
  embedding: Embedding,
  version: EmbeddingVersion,
  policy: EmbeddingPolicy,
  where: string,
): void {
  const kind = kindOf(embedding);
  checkKind(kind, policy, where);
  const dense = "dense" in embedding ? embedding.dense : "indices" in embedding ? undefined : embedding;
  const sparse = "dense" in embedding ? embedding.sparse : "indices" in embedding ? embedding : undefined;
  if (dense !== undefined) {
    if (dense.length !== version.dimensions) {
      const facts = { expected: version.dimensions, got: dense.length };
      throw new IbidError(
        "dimension-mismatch",
        `dimension mismatch: expected ${facts.expected}, got ${facts.got} (${where})`,
        {
          hint: "A vector has as many dimensions as its version says.",
          details: facts,
        },
      );
    }
    checkNumbers(dense, where);
  }
  if (sparse !== undefined) checkSparse(sparse, kind === "sparse" ? version.dimensions : 0, where);
}

/** **Errors** `unsupported` for a kind that the store does not keep. */
export function checkKind(kind: EmbeddingKind, { embeddings, name }: EmbeddingPolicy, where: string): void {
  if (embeddings.includes(kind)) return;
  throw new IbidError("unsupported", `${name} supports ${embeddings.join(" and ")} vectors exclusively`, {
    hint: `Got a ${kind} one, with ${where}.`,
  });
}

/** Also finite once rounded to 32 bits. */
function checkNumbers(values: ArrayLike<number>, where: string): void {
  if (values instanceof Int8Array) return;
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(Math.fround(values[i]!))) continue;
    throw new IbidError("invalid-argument", `Coordinate ${i} is ${values[i]} (${where}).`, {
      hint: "Every coordinate is a finite 32-bit number.",
    });
  }
}

function checkSparse({ indices, values }: SparseVector, dimensions: number, where: string): void {
  const invalid = (what: string): IbidError =>
    new IbidError("invalid-argument", `${what} (${where}).`, {
      hint: "Indices of a sparse vector ascend, are unique, and run beside its values.",
    });
  if (indices.length !== values.length) throw invalid(`${indices.length} indices beside ${values.length} values`);
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i]!;
    if (!Number.isInteger(index) || index < 0 || index > 0xffff_ffff)
      throw invalid(`Index ${index} of a sparse vector`);
    if (i > 0 && indices[i - 1]! >= index) throw invalid(`Index ${index} after ${indices[i - 1]!}`);
    if (dimensions > 0 && index >= dimensions) {
      throw new IbidError(
        "dimension-mismatch",
        `dimension mismatch: expected ${dimensions}, got index ${index} (${where})`,
        {
          details: { expected: dimensions, got: index + 1 },
        },
      );
    }
  }
  checkNumbers(values, where);
}

/** **Errors** `invalid-argument` for a number below 1, a fraction, or anything but a number or `"all"`. */
export function checkCount(k: MatchCount): void {
  if (k === "all" || (Number.isInteger(k) && k >= 1)) return;
  throw new IbidError("invalid-argument", `A search asks for ${String(k)} matches.`, {
    hint: 'Ask for a whole number from 1, or "all".',
  });
}

/** **Errors** `invalid-argument` for anything but a number. */
export function checkScore(minScore: number | undefined): void {
  if (minScore === undefined || (typeof minScore === "number" && !Number.isNaN(minScore))) return;
  throw new IbidError("invalid-argument", `minScore is ${String(minScore)}.`, { hint: "minScore is a number." });
}
