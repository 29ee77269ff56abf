import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { folderOf } from "../knowledge-base/open/location.ts";
import { IbidError } from "../contracts/errors.ts";

/** Files of a configuration, the preferred one first. */
export const configNames = ["ibid.config.ts", "ibid.config.js", "ibid.config.mjs", "ibid.config.json"] as const;

/** Name of a knowledge base's folder. */
export const usualFolder = ".ibid";

/** Places of a knowledge base and its configuration. */
export interface FoundPlaces {
  /** Folder of the knowledge base, as far as it is known without the configuration. */
  readonly kb?: string | undefined;
  /** File of the configuration. */
  readonly file?: string | undefined;
  /** Files and folders that were passed over, each with the reason. */
  readonly passedOver: readonly string[];
}

/**
 * Finds the configuration and the knowledge base, from a folder upwards.
 *
 * **Shape** the first folder with a configuration or with `.ibid` decides. A configuration above `.ibid` counts too. `kb` and `file` are the caller's own choices; a `kb` moves
 * the search to its folder, and `"none"` as file leaves out all configurations. Files and folders of other users are passed over, since a configuration may run code and names the servers that see the texts. `.ibid` in the first folder is exempt. **Errors** `not-found` for a `file` that is not there.
 */
export function findPlaces(start: string, kb?: string, file?: string): FoundPlaces {
  const passedOver: string[] = [];
  const isTaken = (path: string): boolean => {
    if (!existsSync(path)) return false;
    const reason = whyForeign(path);
    if (reason !== undefined) passedOver.push(`${path}: ${reason}`);
    return reason === undefined;
  };
  if (file !== undefined && file !== "none") {
    if (!isFile(resolve(start, file)))
      throw new IbidError("not-found", `There is no configuration ${file}.`, {
        uri: file,
        hint: "Check the path of --config, or of IBID_CONFIG; none leaves out all files.",
      });
    return { kb, file: resolve(start, file), passedOver };
  }
  let found: string | undefined;
  for (const folder of upwards(kb === undefined || isAddress(kb) ? start : dirname(resolve(start, kb)))) {
    const config = file === "none" ? undefined : configNames.map((name) => join(folder, name)).find(isTaken);
    // A configuration beside the knowledge base, or above it, is its own.
    if (config !== undefined) return { kb: kb ?? found, file: config, passedOver };
    const base = join(folder, usualFolder);
    if (found === undefined && existsSync(base) && statSync(base).isDirectory() && (folder === start || isTaken(base)))
      found = base;
  }
  return { kb: kb ?? found, passedOver };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Whether a knowledge base is in a database, and so in no folder. */
export function isAddress(kb: string): boolean {
  return folderOf(kb) === undefined;
}

/** Whether a file of a configuration runs code. */
export function runsCode(file: string): boolean {
  return !file.endsWith(".json");
}

/** **Errors** `access-denied` for a configuration with code of another user, and for one that stands neither beside the knowledge base nor above it. */
export function checkCode(file: string, kb: string): void {
  if (!runsCode(file)) return;
  const reason = whyForeign(file);
  const folder = dirname(resolve(file));
  const way = relative(folder, dirname(resolve(kb)));
  const isBelow = way === "" || (!way.startsWith(`..${sep}`) && way !== ".." && !isAbsolute(way));
  if (reason === undefined && isBelow) return;
  throw new IbidError(
    "access-denied",
    reason === undefined
      ? `${file} runs code and stands neither in the folder of ${kb} nor above it.`
      : `${file} runs code, and ${reason}.`,
    {
      uri: file,
      hint:
        reason === undefined
          ? "Move it there, or write ibid.config.json, which runs no code."
          : "Read it, and keep a copy as the user who runs ibid, in a folder that others cannot write.",
    },
  );
}

function upwards(start: string): readonly string[] {
  const above = dirname(start);
  return above === start ? [start] : [start, ...upwards(above)];
}

/** Says why a path, or its folder, may be written by others. **Shape** `undefined` for a path of this user, and where the system knows no owners. */
function whyForeign(path: string): string | undefined {
  const self = process.geteuid?.();
  if (self === undefined) return undefined;
  for (const each of [path, dirname(path)]) {
    const { uid, mode } = statSync(each);
    if (uid !== self) return `${each === path ? "it" : "its folder"} belongs to another user`;
    if ((mode & 0o002) !== 0) return `${each === path ? "it" : "its folder"} can be written by everybody`;
  }
  return undefined;
}
