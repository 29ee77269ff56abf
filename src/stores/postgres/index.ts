/** `ibid/stores/postgres`. */
export { openPostgresStore } from "../open-postgres-store.ts";
export type { PostgresClient } from "./postgres-client.ts";
export type { PostgresStoreOptions } from "./postgres-store.ts";
export type { ReplicaOptions } from "./replica-options.ts";
export { grantScopes, type GrantOptions } from "./row-security.ts";
