/** `ibid/stores/pgvector`. */
export { createPgvectorEngine, type PgvectorOptions } from "./pgvector-engine.ts";
