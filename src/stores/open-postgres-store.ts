import type { Store } from "../contracts/store.ts";
import { latentSemanticModel } from "../engine/latent/latent-semantic-model.ts";
import { checkGiven } from "../runtime/check-options.ts";
import { languageAnalyzer } from "../text/languages/snowball/language-analyzer.ts";
import type { PostgresClient } from "./postgres/postgres-client.ts";
import { openPostgresStore as openPlain, type PostgresStoreOptions } from "./postgres/postgres-store.ts";

/**
 * Opens a store whose rows are in Postgres, for any number of processes on any number of machines. Each node searches a copy of its own in SQLite, brought up
 * to date before each read. Hits, order and scores are those of the SQLite store.
 *
 * **Shape** `database` is an address or a driver's pool, which stays open. A write is one statement in one transaction; when a call returns, it is committed, and
 * every later read of any node sees it.
 * **Errors** `invalid-argument`; `dependency-missing` without the package `pg`; `unsupported` before Postgres 15; `store-corrupt` for tables that are not ours
 * or of a later version; `store-failed` where the database cannot be reached or refuses; `store-busy`; `not-found` with `create: false`.
 * **Cost** the first opening on a node copies the base. Each search asks the database in one trip, an operator's in two.
 *
 * @experimental
 */
export async function openPostgresStore(
  database: string | PostgresClient,
  options: PostgresStoreOptions = {},
): Promise<Store> {
  checkGiven("openPostgresStore", "options", options, "object");
  const { analyzer = languageAnalyzer, corpusModel = options.ownModel === false ? undefined : latentSemanticModel } =
    options;
  return openPlain(database, { ...options, analyzer, corpusModel });
}
