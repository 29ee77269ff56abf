/** What of this room is public. Only the doors read it. */
export { createEmbedder, type EmbedderOptions } from "./create-embedder.ts";
export { createEmbeddingCache } from "./embedding-cache.ts";
export { createHashingModel } from "./hashing-model.ts";
export { latentSemanticModel } from "./latent-semantic/latent-semantic-model.ts";
export { createSharedEmbeddingCache } from "./shared-embedding-cache.ts";
