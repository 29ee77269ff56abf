#!/usr/bin/env node
// The executable. It imports nothing at first, so that an old Node prints a sentence and no syntax error.

const required = "22.23.3";
const found = process.versions.node;

if (isOlder(found, required)) {
  process.stderr.write(
    "ibid needs Node.js " +
      required +
      " or newer and found " +
      found +
      ": install a current Node.js (https://nodejs.org) and run it again.\n",
  );
  process.exit(1);
}

keepCompiledCode();

import("./main.ts")
  .then((cli) => cli.main(process.argv.slice(2)))
  .then(
    (exitCode) => {
      process.exitCode = exitCode;
    },
    (error: unknown) => {
      process.stderr.write((error instanceof Error ? error.message : String(error)) + "\n");
      process.exitCode = 1;
    },
  );

function isOlder(version: string, floor: string): boolean {
  const have = version.split(".").map(Number);
  const want = floor.split(".").map(Number);
  for (let i = 0; i < want.length; i += 1) {
    const difference = (have[i] || 0) - (want[i] || 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/**
 * Lets Node keep compiled code for the next command, which saves a fifth of a short one. `NODE_DISABLE_COMPILE_CACHE=1` turns it off,
 * `NODE_COMPILE_CACHE` names another place.
 *
 * The cache lies in a folder of the user, never in a shared one: its content decides what code runs.
 */
function keepCompiledCode(): void {
  // Source files change often, so their code is not kept.
  if (import.meta.url.endsWith(".ts") || process.env["NODE_COMPILE_CACHE"] !== undefined) return;
  const fs = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path");
  const { XDG_CACHE_HOME: chosen = "", LOCALAPPDATA: local = "" } = process.env;
  try {
    const home = process.getBuiltinModule("node:os").homedir();
    const usual = process.platform === "darwin" ? path.join(home, "Library", "Caches") : path.join(home, ".cache");
    const caches = path.isAbsolute(chosen) ? chosen : process.platform === "win32" && local !== "" ? local : usual;
    // With `sudo`, the home may belong to another user.
    const owned = fs.existsSync(caches) ? caches : home;
    if (process.geteuid !== undefined && fs.statSync(owned).uid !== process.geteuid()) return;
    process.getBuiltinModule("node:module").enableCompileCache(path.join(caches, "ibid", "compiled"));
  } catch {
    // Without a home, nothing is kept.
  }
}
