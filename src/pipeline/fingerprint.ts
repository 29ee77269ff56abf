import { hashParts } from "../text/hash.ts";
import type { IngestStages } from "./stages.ts";

/**
 * What, beside bytes and metadata, decides which chunks and vectors a document gets: reader, chunker, transformers, model, and the analyzer that
 * tells languages (law 7).
 *
 * **Shape** the same stages give the same string, in every process.
 */
export function fingerprintPipeline(
  stages: Pick<IngestStages, "readers" | "chunker" | "transformers" | "embedder" | "analyzer">,
  mediaType: string,
): string {
  const model = stages.embedder?.model;
  return hashParts(
    stages.readers.find((reader) => reader.accepts(mediaType))?.name ?? "",
    stages.chunker.fingerprint,
    JSON.stringify(stages.transformers.map((transformer) => transformer.name)),
    model === undefined
      ? ""
      : JSON.stringify([model.provider, model.model, model.kind, model.dimensions ?? 0, model.fingerprint ?? ""]),
    stages.analyzer?.languageOf === undefined ? "" : stages.analyzer.fingerprint,
  );
}
