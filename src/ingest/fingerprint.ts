import type { DocumentSummary } from "../contracts/document-store.ts";
import { type Embedder, makesVersion } from "../contracts/embedding-model.ts";
import { type EmbeddingVersion, fingerprintVectors } from "../contracts/embedding.ts";
import type { Store } from "../contracts/store.ts";
import type { AuthorizedScopes } from "../contracts/scope.ts";
import { hashParts } from "../runtime/hash.ts";
import type { IngestStages } from "./stages.ts";

/**
 * A hash of the stages that decide a document's chunks and vectors: reader, limits, chunker, transformers, model, and the analyzer that finds languages.
 *
 * **Shape** the same stages give the same string, in every process; the model is what follows a hyphen.
 */
export function fingerprintPipeline(
  stages: Pick<IngestStages, "readers" | "limits" | "chunker" | "transformers" | "embedder" | "analyzer">,
  mediaType: string,
): string {
  const cut = hashParts(
    stages.readers.find((reader) => reader.accepts(mediaType))?.name ?? "",
    stages.chunker.fingerprint,
    JSON.stringify(stages.transformers.map((transformer) => transformer.name)),
    stages.analyzer?.languageOf === undefined ? "" : stages.analyzer.fingerprint,
    ...contentLimits(stages.limits),
  );
  const model = stages.embedder?.model;
  if (model === undefined) return cut;
  const { provider, model: name, kind, dimensions = 0, fingerprint } = model;
  return `${cut}-${hashParts(provider, name, kind, String(dimensions), fingerprintVectors(fingerprint))}`;
}

/**
 * Whether a document is as this pipeline would make it.
 * True also when another model made it and a re-embedding has since given every chunk a vector of this model.
 *
 * **Shape** the caller notes the fingerprint in the second case, so that it is not asked again. **Cost** reads the document's chunks in that case alone.
 */
export async function isMadeBy(
  stages: Parameters<typeof fingerprintPipeline>[0] & Pick<IngestStages, "store">,
  into: AuthorizedScopes<"write">,
  before: DocumentSummary,
  wanted = fingerprintPipeline(stages, before.mediaType),
): Promise<boolean> {
  if (before.fingerprint === wanted) return true;
  if (stages.embedder === undefined || cutOf(before.fingerprint) !== cutOf(wanted)) return false;
  const version = stages.embedder.version ?? (await versionUsed(stages.embedder, stages.store, into));
  return version !== undefined && (await stages.store.held(into, before.id, version)).size === before.chunks;
}

/** The version of a model whose vector length is unknown until it answers: the scope's current version, if the model makes it. */
async function versionUsed(
  embedder: Embedder,
  store: Store,
  into: AuthorizedScopes<"write">,
): Promise<EmbeddingVersion | undefined> {
  const current = (await store.versions?.versions(into))?.[0]?.current;
  return current !== undefined && makesVersion(embedder, current) ? current : undefined;
}

/** All of a fingerprint but the model. */
const cutOf = (fingerprint: string): string => fingerprint.split("-")[0]!;

/** A reader may cut a file at a limit and say so; where it cuts decides the text. Time and memory only decide whether there is one. */
function contentLimits(limits: IngestStages["limits"]): readonly string[] {
  if (limits === undefined) return [];
  const { timeoutMs: _, maxMemoryBytes: __, ...rest } = limits;
  const said = Object.entries(rest).filter(([, value]) => value !== undefined);
  return said.length === 0 ? [] : [JSON.stringify(said.toSorted(([a], [b]) => (a < b ? -1 : 1)))];
}
