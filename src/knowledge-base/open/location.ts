import { resolve } from "node:path";
import { isPostgresAddress, readPostgresAddress } from "../../stores/postgres/postgres-address.ts";

/** The folder of a location; `undefined` for the address of a database. */
export function folderOf(location: string): string | undefined {
  return isPostgresAddress(location) ? undefined : resolve(location);
}

/** A location as messages and outputs show it: a whole path, or an address without user and password. **Errors** `invalid-argument` for an address that cannot be read. */
export function showLocation(location: string): string {
  if (!isPostgresAddress(location)) return resolve(location);
  const { name, schema } = readPostgresAddress(location);
  return `postgres://${name}${schema === undefined ? "" : `?schema=${schema}`}`;
}
