/** `ibid/stores/hnsw`. */
export { createHnswEngine, type HnswOptions } from "./hnsw-engine.ts";
export type { UsearchLibrary } from "./load-usearch.ts";
