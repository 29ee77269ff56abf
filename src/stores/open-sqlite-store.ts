import type { Store } from "../contracts/store.ts";
import { checkGiven } from "../runtime/check-options.ts";
import { languageAnalyzer } from "../text/languages/snowball/language-analyzer.ts";
import { openSqliteStore as openSqliteDirectory, type SqliteStoreOptions } from "./sqlite/sqlite-store.ts";

/** A store in one SQLite file, analysed like a knowledge base's: each opens what the other wrote. */
export async function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  checkGiven("openSqliteStore", "options", options, "object");
  return openSqliteDirectory(path, { ...options, analyzer: options.analyzer ?? languageAnalyzer });
}
