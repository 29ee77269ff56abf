import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** A package that something is measured beside, from where `npm --prefix bench/peers ci` puts it; `undefined` where that was not run. */
export async function loadPeer<Module>(name: string): Promise<Module | undefined> {
  try {
    const require = createRequire(new URL("peers/package.json", import.meta.url));
    return (await import(pathToFileURL(require.resolve(name)).href)) as Module;
  } catch {
    return undefined;
  }
}
