#!/usr/bin/env node
// The executable. It imports nothing at first, so that an old Node gets a sentence and not a syntax error.

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
