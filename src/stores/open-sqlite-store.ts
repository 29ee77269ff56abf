import type { Store } from "../contracts/store.ts";
import { languageAnalyzer } from "../text/languages/snowball/language-analyzer.ts";
import { openSqliteStore as openSqliteDirectory, type SqliteStoreOptions } from "./sqlite/sqlite-store.ts";

/** A store in one SQLite file, analysed like a knowledge base's: each opens what the other wrote. */
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const given = { ...options };
  return openSqliteDirectory(path, { ...given, analyzer: given.analyzer ?? languageAnalyzer });
}
