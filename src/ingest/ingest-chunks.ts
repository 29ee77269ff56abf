import { checkChunkIds } from "../chunkers/check-chunk-ids.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { IngestProgress, IngestResult, IngestSummary } from "../contracts/knowledge-base.ts";
import type { Metadata } from "../contracts/metadata.ts";
import type { AuthorizedScopes, Scope } from "../contracts/scope.ts";
import { embedChunks } from "./embed-chunks.ts";
import { createEmbeddingUsage } from "./embedding-usage.ts";
import { withLanguages } from "./find-language.ts";
import { createReport } from "./settle-store.ts";
import type { IngestStages } from "./stages.ts";

export interface ChunkJob {
  readonly chunks: readonly Chunk[];
  readonly scope: Scope;
  readonly into: AuthorizedScopes<"write">;
  readonly metadata: Metadata;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: IngestProgress) => void) | undefined;
  /** As in `IngestJob`. */
  readonly settle: (onFit: (share: number) => void) => Promise<void>;
}

/**
 * Takes in chunks that somebody else has cut: embed all that need it, then one write, so that a failure stores nothing (B36).
 *
 * **Shape** one result per document that the chunks name, in order of first appearance; the same id replaces.
 * Such documents can be searched and cited, but not shown: their whole text is not here.
 * **Errors** `invalid-id` before anything is embedded (W16), and those of the embedder and the store.
 */
export async function* ingestChunks(
  stages: Pick<IngestStages, "embedder" | "formerEmbedders" | "store" | "counts" | "analyzer" | "prices">,
  job: ChunkJob,
): AsyncGenerator<IngestResult, IngestSummary> {
  const started = performance.now();
  checkChunkIds(job.chunks);
  const chunks = withLanguages(
    job.chunks.map((chunk) => ({ ...chunk, metadata: { ...chunk.metadata, ...job.metadata } })),
    stages.analyzer,
  );
  const usage = createEmbeddingUsage(stages);
  const { entries, ...counted } = await embedChunks(stages, job.into, [], chunks, job.signal);
  usage.add(counted);
  await stages.store.upsert(job.into, entries);
  const byDocument = Map.groupBy(chunks, (chunk) => chunk.documentId);
  const documents = byDocument.size;
  const progress = { documents, chunks: chunks.length, found: documents, complete: true };
  const report = createReport(job.onProgress);
  report(progress);
  await job.settle((fit) => report({ ...progress, fit }));
  for (const [documentId, own] of byDocument) {
    yield { uri: own[0]?.uri ?? "", scope: job.scope, status: "added", documentId, chunks: own.length };
  }
  return {
    added: byDocument.size,
    updated: 0,
    unchanged: 0,
    removed: 0,
    failed: 0,
    chunks: chunks.length,
    embedded: counted.sent,
    ...usage.total(),
    ms: Math.round(performance.now() - started),
  };
}
