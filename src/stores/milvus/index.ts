/** `ibid/stores/milvus`. */
export type { MilvusClient } from "./milvus-client.ts";
export { createMilvusEngine, type MilvusOptions } from "./milvus-engine.ts";
