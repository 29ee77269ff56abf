import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { IbidError } from "../../contracts/errors.ts";

/**
 * Loads an optional package.
 *
 * Node's own lookup, from the place where ibid is installed, comes first. It would miss packages of the user's project
 * if ibid is installed globally or run by `npx` from a cache, so `folder` comes next.
 *
 * **Errors** `dependency-missing` for a package that is missing or broken.
 */
export async function loadPeer(packageName: string, folder: string = process.cwd()): Promise<unknown> {
  try {
    // Not a literal, so that no bundler and no compiler insists on a package that few installations have.
    return await import(/* @vite-ignore */ packageName);
  } catch (error) {
    if (!isMissing(error, packageName)) throw brokenPeer(packageName, error);
  }
  let path: string;
  try {
    path = createRequire(join(folder, "package.json")).resolve(packageName);
  } catch {
    throw new IbidError("dependency-missing", `The package ${packageName} is not installed.`, {
      hint: `npm install ${packageName}`,
      details: { package: packageName },
    });
  }
  try {
    return await import(/* @vite-ignore */ pathToFileURL(path).href);
  } catch (error) {
    throw brokenPeer(packageName, error);
  }
}

/** Whether the package itself was not found, rather than something that it needs. */
function isMissing(error: unknown, packageName: string): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" && String(message).includes(`'${packageName}'`);
}

function brokenPeer(packageName: string, cause: unknown): IbidError {
  return new IbidError("dependency-missing", `The package ${packageName} is installed but cannot be loaded.`, {
    hint: `Install it again: npm install ${packageName}`,
    details: { package: packageName },
    cause,
  });
}
