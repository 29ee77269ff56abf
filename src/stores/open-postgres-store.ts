import { openPostgresStore as openPlain } from "./postgres/postgres-store.ts";
import { languageAnalyzer } from "../text/languages/snowball/language-analyzer.ts";

/**
 * A store over Postgres, analysed like a knowledge base's. See `postgres/postgres-store.ts`.
 *
 * @experimental
 */
export const openPostgresStore: typeof openPlain = (database, options) =>
  openPlain(database, { analyzer: languageAnalyzer, ...options });
