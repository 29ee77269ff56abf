/** `ibid/stores/weaviate`. */
export { createWeaviateEngine, type WeaviateOptions } from "./weaviate-engine.ts";
