/** `ibid/stores/duckdb`. */
export type { DuckDbConnection } from "./load-duckdb.ts";
export { createDuckDbEngine, type DuckDbOptions } from "./duckdb-engine.ts";
