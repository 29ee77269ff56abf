/** `ibid/stores/kusto`. */
export { createKustoEngine, type KustoOptions } from "./kusto-engine.ts";
