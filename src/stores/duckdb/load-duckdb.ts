import { join } from "node:path";
import { IbidError } from "../../contracts/errors.ts";
import { findPackage, loadModule } from "../../runtime/packages.ts";

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
export function loadDuckDb(): DuckDbLibrary {
  const path = findPackage("@duckdb/node-api", [import.meta.url, join(process.cwd(), "package.json")]);
  if (path !== undefined) {
    const loaded = loadModule(path) as Partial<DuckDbLibrary> & { readonly default?: DuckDbLibrary };
    const library = loaded.default ?? (loaded as DuckDbLibrary);
    if (typeof library.DuckDBInstance?.create === "function") return library;
  }
  throw new IbidError("dependency-missing", "The package @duckdb/node-api, which holds DuckDB, is not installed.", {
    hint: "npm install @duckdb/node-api",
    details: { package: "@duckdb/node-api" },
  });
}
