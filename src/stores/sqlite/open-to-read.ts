import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { isReadOnly } from "./sqlite-errors.ts";
import { loadSqlite } from "./sqlite-runtime.ts";

/** Opens a database for those who only look. Where nobody may write, SQLite needs neither locks nor a log. */
export function openToRead(path: string): DatabaseSync {
  const { DatabaseSync: Database } = loadSqlite();
  try {
    return lookInto(new Database(path, { readOnly: true }));
  } catch (error) {
    if (!isReadOnly(error)) throw error;
    const address = pathToFileURL(path);
    address.searchParams.set("immutable", "1");
    return lookInto(new Database(address, { readOnly: true }));
  }
}

/** A log that cannot be made is missed at the first look, and not before. */
function lookInto(database: DatabaseSync): DatabaseSync {
  try {
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
