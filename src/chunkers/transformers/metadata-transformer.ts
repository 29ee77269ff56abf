import type { Chunk } from "../../contracts/chunk.ts";
import type { ChunkTransformer, TransformContext } from "../../contracts/chunker.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import { createTransformer } from "./create-transformer.ts";

/**
 * Metadata for every chunk, or for each its own.
 *
 * @experimental
 */
export type ChunkMetadata = Metadata | ((chunk: Chunk, context: TransformContext) => Metadata | Promise<Metadata>);

/**
 * Adds metadata to chunks.
 *
 * **Shape** added keys win over existing ones. The name is in the pipeline's fingerprint, so one that changes with the metadata makes documents anew.
 * **Errors** `invalid-argument` for a blank name. **Source** Embabel `additionalMetadata`.
 * @experimental
 * @example createMetadataTransformer("words", ({ text }) => ({ words: text.split(/\s+/).length }))
 */
export function createMetadataTransformer(name: string, metadata: ChunkMetadata): ChunkTransformer {
  return createTransformer({
    name,
    metadata: (chunk, context) => (typeof metadata === "function" ? metadata(chunk, context) : metadata),
  });
}
