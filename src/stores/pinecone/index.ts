/** `ibid/stores/pinecone`. */
export { createPineconeEngine, type PineconeOptions } from "./pinecone-engine.ts";
