/** `ibid/models` on Node. */
export * from "./index.ts";
export { createTransformersEmbeddingModel, resolveEmbeddingModel, resolveReranker } from "./choose-models.ts";
export { resolveChatModel } from "./hosted/resolve-model.ts";
export { createTransformersReranker } from "./transformers/transformers-reranker.ts";
export { openLocalEmbeddingModel, openLocalReranker } from "./transformers/local-model.ts";
