/** `ibid/stores/qdrant`. */
export { createQdrantEngine, type QdrantOptions } from "./qdrant-engine.ts";
