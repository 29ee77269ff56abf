/** `ibid/stores/chroma`. */
export { createChromaEngine, type ChromaOptions } from "./chroma-engine.ts";
