import { pathToFileURL } from "node:url";
import { type Database, openDatabase } from "./sqlite-database.ts";
import { isReadOnly } from "./sqlite-errors.ts";

/** Opens a database for those who only look. Where nobody may write, SQLite needs neither locks nor a log. */
export function openToRead(path: string): Database {
  try {
    return lookInto(openDatabase(path, { readOnly: true }));
  } catch (error) {
    if (!isReadOnly(error)) throw error;
    const address = pathToFileURL(path);
    address.searchParams.set("immutable", "1");
    return lookInto(openDatabase(path, { location: address, readOnly: true }));
  }
}

/** A log that cannot be made is missed at the first look, and not before. */
function lookInto(database: Database): Database {
  try {
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
