import { loadPackage } from "../../runtime/packages.ts";

/**
 * The part of a connection of the package `@duckdb/node-api` that is used here.
 *
 * @experimental
 */
export interface DuckDbConnection {
  runAndReadAll(
    sql: string,
    values?: readonly (string | number | null)[],
  ): Promise<{ getRowObjectsJson(): readonly Readonly<Record<string, unknown>>[] }>;
  closeSync(): void;
}

/** The part of the package `@duckdb/node-api` that is used here. */
interface DuckDbLibrary {
  readonly DuckDBInstance: {
    create(
      path: string,
      options: Readonly<Record<string, string>>,
    ): Promise<{ connect(): Promise<DuckDbConnection>; closeSync(): void }>;
  };
}

/** **Errors** `dependency-missing`. */
export const loadDuckDb = (): DuckDbLibrary =>
  loadPackage<DuckDbLibrary>(
    "@duckdb/node-api",
    "holds DuckDB",
    ({ DuckDBInstance }) => typeof DuckDBInstance?.create === "function",
  );
