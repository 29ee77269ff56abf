import type { Embedder, EmbeddingCache, EmbeddingModel } from "../../contracts/embedding-model.ts";
import { createEmbedder, type EmbedderOptions } from "./create-embedder.ts";
import { createEmbeddingCache } from "./embedding-cache.ts";

/** Embedders that share a cache: the one that was given, or one of their own. */
export function createCachedEmbedders({
  cache = createEmbeddingCache(),
  ...options
}: Omit<EmbedderOptions, "cache"> & { readonly cache?: EmbeddingCache | undefined }): (
  model: EmbeddingModel,
) => Embedder {
  return (model) => createEmbedder(model, { ...options, cache });
}
