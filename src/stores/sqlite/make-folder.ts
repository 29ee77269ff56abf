import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those around it. One at a time: where the system lets nobody make any (`/proc`), Node's own recursion does not end.
 *
 * **Shape** `mode` holds for each folder that is made. **Errors** Node's own.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}
