/** What of this room is public. Only the doors read it. */
export { createEmbedder, type EmbedderOptions } from "./embedder/create-embedder.ts";
export { createEmbeddingCache } from "./embedder/embedding-cache.ts";
export { createHashingModel } from "./hashing/hashing-model.ts";
export { latentSemanticModel } from "../engine/latent/latent-semantic-model.ts";
export { createSharedEmbeddingCache } from "./embedder/shared-embedding-cache.ts";
