import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system may not be written",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is a file",
};

/** The reason of an error of the file system, in words. */
export function fileReason(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? message;
}

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
