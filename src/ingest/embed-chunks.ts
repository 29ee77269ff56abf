import type { Chunk } from "../contracts/chunk.ts";
import { type EmbeddedTexts, type Embedder, makesVersion } from "../contracts/embedding-model.ts";
import {
  type Embedding,
  type EmbeddingVersion,
  isUnnamed,
  pictureFingerprint,
  type VersionedEmbedding,
} from "../contracts/embedding.ts";
import type { Store } from "../contracts/store.ts";
import type { ChunkEntry } from "../contracts/document-store.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import { throwIfAborted } from "../runtime/abort.ts";
import { embeddedText } from "../text/embedded-text.ts";
import type { ApartEmbedder, IngestStages } from "./stages.ts";

export interface EmbeddedChunks {
  readonly entries: readonly ChunkEntry[];
  /** Ids of the chunks that count on the vectors which the store has for them. */
  readonly keeps: readonly string[];
  /** Ids of the chunks whose batch failed, and its error. */
  readonly failed: ReadonlyMap<string, unknown>;
  /** Texts really sent to the model, or that needed a vector: see `IngestStages.counts`. */
  readonly sent: number;
  /** Tokens that the model counted for all texts sent; absent when some are unknown, none was sent, or `counts` is `"needed"`. */
  readonly tokens?: number | undefined;
}

type EmbeddingParts = Pick<IngestStages, "embedder" | "formerEmbedders" | "apart" | "store" | "counts">;

/** {@link createChunkEmbedding} for chunks that are all here. */
export async function embedChunks(
  parts: EmbeddingParts,
  into: AuthorizedScopes<"write">,
  documentIds: readonly string[],
  chunks: readonly Chunk[],
  signal: AbortSignal | undefined,
  onFailedBatch: "error" | "skip" = "error",
): Promise<EmbeddedChunks> {
  return createChunkEmbedding(parts, into, documentIds, signal, onFailedBatch)(chunks);
}

/**
 * Gives every chunk its vector: the one it came with, the store's for the same text and version, or a new one. In a scope that is
 * on its way from one model to another, or may be led back, a chunk has one of each.
 *
 * **Shape** may be called for a batch of the documents' chunks after the other: what the store has is asked once. An entry without embeddings keeps the vectors
 * that the store has for its id. **Errors** as {@link Embedder}.
 * **Source** a changed document embeds only its changed chunks. Given vectors are checked, then used as they are (Wesichain).
 */
export function createChunkEmbedding(
  parts: EmbeddingParts,
  into: AuthorizedScopes<"write">,
  documentIds: readonly string[],
  signal: AbortSignal | undefined,
  onFailedBatch: "error" | "skip" = "error",
): (chunks: readonly Chunk[]) => Promise<EmbeddedChunks> {
  const { embedder, formerEmbedders = [], apart = [], store } = parts;
  const options = { purpose: "document" as const, ...(signal === undefined ? {} : { signal }) };
  let plans: Promise<readonly Plan[]> | undefined;
  return embed;

  async function embed(chunks: readonly Chunk[]): Promise<EmbeddedChunks> {
    if ((embedder === undefined && apart.length === 0) || chunks.length === 0) {
      return {
        entries: chunks.map((chunk) => ({ chunk, embeddings: ownVersions(chunk) })),
        keeps: [],
        failed: new Map(),
        sent: 0,
      };
    }
    let sent = 0;
    let needed = 0;
    let tokens: number | undefined = 0;
    const failed = new Map<string, unknown>();
    const count = (embedded: EmbeddedTexts | undefined): void => {
      if (embedded === undefined || embedded.sent === 0) return;
      sent += embedded.sent;
      tokens = tokens === undefined || embedded.tokens === undefined ? undefined : tokens + embedded.tokens;
    };
    const planned = await (plans ??= plan(chunks[0]!, count));
    // A vector of a version of its own stands in place of every other one: a given vector is never made again.
    const isOwn = (chunk: Chunk): boolean =>
      !isBeside(chunk) &&
      chunk.embedding !== undefined &&
      chunk.embeddingVersion !== undefined &&
      (embedder === undefined || !makesVersion(embedder, chunk.embeddingVersion));
    const isGiven = (chunk: Chunk, by: Embedder): boolean =>
      by === embedder && chunk.embedding !== undefined && !isOwn(chunk) && !isBeside(chunk);
    // Vectors are kept all together or not at all, so what lacks one is asked for each; the cache knows most of them.
    const isHeld = (chunk: Chunk, held: Plan["held"]): boolean => {
      const before = held.get(chunk.id);
      return before !== undefined && before === embeddedText(chunk);
    };
    const lacks = (chunk: Chunk): boolean =>
      chunk.embedding !== undefined || planned.some(({ embeds, held }) => embeds(chunk) && !isHeld(chunk, held));
    const vectors = new Map<Chunk, VersionedEmbedding[]>(chunks.map((chunk) => [chunk, []]));
    for (const { by, embeds, version } of planned) {
      const wanting = chunks.filter((chunk) => embeds(chunk) && lacks(chunk) && !isGiven(chunk, by) && !isOwn(chunk));
      needed += wanting.length;
      for (const batch of onFailedBatch === "skip" ? batchesOf(wanting, by) : wanting.length === 0 ? [] : [wanting]) {
        try {
          const embedded = await by.embed(batch, options);
          count(embedded);
          for (const [i, chunk] of batch.entries())
            vectors.get(chunk)?.push({ version, embedding: embedded.embeddings[i] as Embedding });
        } catch (error) {
          throwIfAborted(signal, "The ingestion");
          if (onFailedBatch === "error") throw error;
          for (const { id } of batch) failed.set(id, error);
        }
      }
      const given = chunks.filter((chunk) => isGiven(chunk, by));
      if (given.length === 0) continue;
      const { takeGivenEmbedding } = await import("../models/embedder/check-embedding.ts");
      for (const chunk of given) {
        const embedding = takeGivenEmbedding(chunk, version);
        if (embedding !== undefined) vectors.get(chunk)?.push({ version, embedding });
      }
    }
    for (const chunk of chunks) if (isOwn(chunk) || isBeside(chunk)) vectors.get(chunk)?.push(...ownVersions(chunk));
    const entries = chunks.map((chunk): ChunkEntry => ({ chunk, embeddings: vectors.get(chunk) ?? [] }));
    const keeps = entries
      .filter(({ chunk, embeddings }) => embeddings.length === 0 && !failed.has(chunk.id))
      .map(({ chunk }) => chunk.id);
    if (parts.counts === "needed") return { entries, keeps, failed, sent: needed };
    return { entries, keeps, failed, sent, ...(tokens === undefined || sent === 0 ? {} : { tokens }) };
  }

  async function plan(first: Chunk, count: (embedded: EmbeddedTexts) => void): Promise<readonly Plan[]> {
    const own = embedder === undefined ? [] : [embedder, ...(await stillUsed(store, into, formerEmbedders))];
    const used = [...own.map((by): ApartEmbedder => ({ embedder: by, embeds: () => true })), ...apart];
    return Promise.all(
      used.map(async ({ embedder: by, embeds }) => {
        const version = await knownVersion(by, first, count);
        return { by, embeds, version, held: await heldOf(version) };
      }),
    );
  }

  /** Ids of chunks tell them apart across documents too. */
  async function heldOf(version: EmbeddingVersion): Promise<ReadonlyMap<string, string>> {
    const held = await Promise.all(documentIds.map((id) => store.held(into, id, version)));
    return held.length === 1 ? held[0]! : new Map(held.flatMap((one) => [...one]));
  }

  /** Some models say their dimensions only by answering: the first chunk asks them. The cache keeps it from being sent again. */
  async function knownVersion(
    by: Embedder,
    first: Chunk,
    count: (embedded: EmbeddedTexts) => void,
  ): Promise<EmbeddingVersion> {
    if (by.version !== undefined) return by.version;
    const probe = await by.embed([first], options);
    count(probe);
    return probe.version;
  }
}

/** The batches that an embedder would send, one after the other, so that each can fail by itself. */
function batchesOf(chunks: readonly Chunk[], { batchSize = 128 }: Embedder): readonly (readonly Chunk[])[] {
  return Array.from({ length: Math.ceil(chunks.length / batchSize) }, (_, i) =>
    chunks.slice(i * batchSize, (i + 1) * batchSize),
  );
}

/** Whether a chunk's vector is of its picture, beside which its words have one. */
const isBeside = ({ embeddingVersion: version }: Chunk): boolean => version?.fingerprint === pictureFingerprint;

/** The vector that a chunk brought, of a version of its caller's own. */
function ownVersions({ embedding, embeddingVersion: version }: Chunk): readonly VersionedEmbedding[] {
  return embedding === undefined || version === undefined ? [] : [{ version, embedding }];
}

interface Plan {
  readonly by: Embedder;
  readonly embeds: (chunk: Chunk) => boolean;
  readonly version: EmbeddingVersion;
  /** The documents' chunks that have a vector of `version` in the store: chunk id to the text that was embedded. */
  readonly held: ReadonlyMap<string, string>;
}

/**
 * Former models by whose vectors the scope is searched, or may be again after a rollback. Vectors without names are made as long as the scope is searched by
 * them, and no longer.
 */
async function stillUsed(
  store: Store,
  into: AuthorizedScopes<"write">,
  formerEmbedders: readonly Embedder[],
): Promise<readonly Embedder[]> {
  if (formerEmbedders.length === 0 || store.versions === undefined) return [];
  const [versions] = await store.versions.versions(into);
  const isUsed = (by: Embedder, version: EmbeddingVersion | undefined): boolean =>
    version !== undefined && makesVersion(by, version);
  return formerEmbedders.filter(
    (one) => isUsed(one, versions?.current) || (!isUnnamed(one.model.fingerprint) && isUsed(one, versions?.previous)),
  );
}
