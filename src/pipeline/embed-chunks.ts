import type { Chunk } from "../contracts/chunk.ts";
import type { Embedder } from "../contracts/embedding-model.ts";
import type { EmbeddingVersion } from "../contracts/embedding.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import type { ChunkEntry } from "../contracts/store.ts";
import { takeGivenEmbedding } from "../embeddings/check-embedding.ts";
import type { IngestStages } from "./stages.ts";

export interface EmbeddedChunks {
  readonly entries: readonly ChunkEntry[];
  /** Ids of the chunks that count on the vectors which the store has for them. */
  readonly keeps: readonly string[];
  /** Texts really sent to the model, or that needed a vector: see `IngestStages.counts`. */
  readonly sent: number;
}

/**
 * Gives every chunk its vector: the one it came with, the one that the store already has for the same text and version, or a new one.
 *
 * **Shape** an entry without embeddings keeps the vectors that the store has for its id. **Errors** as {@link Embedder}.
 * **Source** law 7: a changed document embeds only its changed chunks; W5: given vectors are taken as they are, checked.
 */
export async function embedChunks(
  parts: Pick<IngestStages, "embedder" | "store" | "counts">,
  into: AuthorizedScopes<"write">,
  documentId: string,
  chunks: readonly Chunk[],
  signal: AbortSignal | undefined,
): Promise<EmbeddedChunks> {
  const { embedder, store } = parts;
  if (embedder === undefined || chunks.length === 0) {
    return { entries: chunks.map((chunk) => ({ chunk, embeddings: [] })), keeps: [], sent: 0 };
  }
  const options = { purpose: "document" as const, ...(signal === undefined ? {} : { signal }) };
  let sent = 0;

  const version = await knownVersion();
  const held = await store.held(into, documentId, version);
  const wanting = chunks.filter((chunk) => chunk.embedding === undefined && held.get(chunk.id) !== chunk.text);
  const embedded = wanting.length === 0 ? undefined : await embedder.embed(wanting, options);
  sent += embedded?.sent ?? 0;
  const vectors = new Map(wanting.map((chunk, i) => [chunk.id, embedded?.embeddings[i]]));

  const entries = chunks.map((chunk): ChunkEntry => {
    const embedding = takeGivenEmbedding(chunk, version) ?? vectors.get(chunk.id);
    if (embedding === undefined) return { chunk, embeddings: [] };
    return { chunk, embeddings: [{ version, embedding }] };
  });
  const keeps = entries.filter(({ embeddings }) => embeddings.length === 0).map(({ chunk }) => chunk.id);
  return { entries, keeps, sent: parts.counts === "needed" ? wanting.length : sent };

  /** Some models say their dimensions only by answering: the first chunk asks them. The cache keeps it from being sent again. */
  async function knownVersion(): Promise<EmbeddingVersion> {
    if (embedder?.version !== undefined) return embedder.version;
    const probe = await (embedder as Embedder).embed(chunks.slice(0, 1), options);
    sent += probe.sent;
    return probe.version;
  }
}
