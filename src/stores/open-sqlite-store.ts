import { openSqliteStore as openSqliteDirectory } from "./sqlite/sqlite-store.ts";
import { languageAnalyzer } from "../text/languages/snowball/language-analyzer.ts";

/** A store in one SQLite file, analysed like a knowledge base's: each opens what the other wrote. See `adapters/sqlite/sqlite-store.ts`. */
export const openSqliteStore: typeof openSqliteDirectory = (path, options = {}) =>
  openSqliteDirectory(path, { ...options, analyzer: options.analyzer ?? languageAnalyzer });
