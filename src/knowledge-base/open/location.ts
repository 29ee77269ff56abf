import { resolve } from "node:path";
import { isPostgresAddress, readPostgresAddress } from "../../stores/postgres/postgres-address.ts";
import { checkLocation } from "../../stores/sqlite/knowledge-base-folder.ts";

/** The folder of a location; `undefined` for the address of a database. */
export function folderOf(location: string): string | undefined {
  return isPostgresAddress(location) ? undefined : resolve(location);
}

/** A location from a base folder on. **Shape** a whole path, or the address of a database. **Errors** as `checkLocation`: an address that is nearly right is no path. */
export function placeFrom(base: string, location: string): string {
  return isPostgresAddress(location) ? location : resolve(base, checkLocation(location));
}

/** A location as messages and outputs show it: a whole path, or an address without user and password. **Errors** `invalid-argument` for an address that cannot be read. */
export function showLocation(location: string): string {
  if (!isPostgresAddress(location)) return resolve(location);
  const { name, schema } = readPostgresAddress(location);
  return `postgres://${name}${schema === undefined ? "" : `?schema=${schema}`}`;
}
