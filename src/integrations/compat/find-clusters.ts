import type { Chunk } from "../../contracts/chunk.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";

/**
 * Options of {@link findClusters}; everything has a default. **Source** Embabel `ClusterRetrievalRequest`.
 *
 * @experimental
 */
export interface ClusterOptions {
  /** Inclusive threshold of the cosine, from 0 to 1. Default 0.7. */
  readonly similarityThreshold?: number | undefined;
  /** Similar chunks of one anchor at most. Default 10. */
  readonly topK?: number | undefined;
  /** Default: all that the caller may read. */
  readonly scope?: Scope | undefined;
}

/**
 * A chunk, and those that are like it. **Source** Embabel `Cluster`.
 *
 * @experimental
 */
export interface ChunkCluster {
  readonly anchor: Chunk;
  /** The most similar first. */
  readonly similar: readonly { readonly match: Chunk; readonly score: number }[];
}

/**
 * Finds chunks that are like one another by their vectors.
 *
 * **Shape** one by one, in the order of `kb.chunks`. A pair is given once, under its chunk that comes first; a chunk without others is no anchor. Vectors of
 * different models or scopes are not compared. **Errors** `invalid-argument`. **Cost** a search for each chunk. **Source** Embabel's clusters.
 *
 * @experimental
 */
export async function* findClusters(
  kb: Pick<KnowledgeBase, "chunks" | "searchVector">,
  options: ClusterOptions = {},
): AsyncGenerator<ChunkCluster, undefined> {
  checkGiven("findClusters", "kb", kb, "object", { chunks: "function", searchVector: "function" });
  checkOptions("findClusters", options, { similarityThreshold: true, topK: true, scope: true });
  const { similarityThreshold: minScore = 0.7, topK = 10, scope: only } = options;
  if (!(minScore >= 0 && minScore <= 1))
    throw new IbidError("invalid-argument", `similarityThreshold is ${String(minScore)}.`, {
      hint: "Give a number from 0 to 1.",
    });
  checkGiven("findClusters", "topK", topK, "count");
  const seen = new Set<string>();
  for await (const { scope, chunk, embeddings = [] } of kb.chunks({
    includeEmbeddings: true,
    ...(only && { scope: only }),
  })) {
    const keyOf = (id: string): string => JSON.stringify([scope, id]);
    seen.add(keyOf(chunk.id));
    const [held] = embeddings;
    if (held === undefined) continue;
    const { embedding, version } = held;
    // Chunks that came before are left out of the count, so all that are similar are asked for.
    const asked = { version, minScore, metric: "cosine", scopes: [scope], topK: "all" } as const;
    const found = await kb.searchVector(embedding, asked);
    const similar = found.filter(({ chunk: { id } }) => !seen.has(keyOf(id))).slice(0, topK);
    if (similar.length === 0) continue;
    yield { anchor: chunk, similar: similar.map(({ chunk: match, score }) => ({ match, score })) };
  }
}
