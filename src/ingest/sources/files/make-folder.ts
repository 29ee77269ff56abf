import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes a folder and those around it. One at a time: where the system lets nobody make any (`/proc`), Node's own recursion does not end. */
export async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: unknown) => {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error;
  });
}
