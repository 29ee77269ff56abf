import { hashParts } from "../text/hash.ts";
import type { IngestStages } from "./stages.ts";

/**
 * What, beside bytes and metadata, decides which chunks and vectors a document gets: reader, chunker, transformers, model, and the analyzer that
 * tells languages (law 7).
 *
 * **Shape** the same stages give the same string, in every process.
 */
export function fingerprintPipeline(
  stages: Pick<IngestStages, "readers" | "limits" | "chunker" | "transformers" | "embedder" | "analyzer">,
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
    ...contentLimits(stages.limits),
  );
}

/** A reader may cut a file at a limit and say so; where it cuts decides the text. Time and memory only decide whether there is one. */
function contentLimits(limits: IngestStages["limits"]): readonly string[] {
  if (limits === undefined) return [];
  const { timeoutMs: _, maxMemoryBytes: __, ...rest } = limits;
  const said = Object.entries(rest).filter(([, value]) => value !== undefined);
  return said.length === 0 ? [] : [JSON.stringify(said.toSorted(([a], [b]) => (a < b ? -1 : 1)))];
}
