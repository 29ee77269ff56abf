import { closeSync, openSync, readSync } from "node:fs";

/** Names of what programs write for programs: lock files, search indexes of sites, source maps, minified code. */
const names =
  /^(?:package-lock|npm-shrinkwrap|composer\.lock|packages\.lock)\.json$|^(?:yarn|cargo|poetry|pdm|uv|gemfile|composer|mix|flake|pubspec|podfile|deno|bun)\.lock$|^(?:pnpm-lock\.ya?ml|bun\.lockb|pipfile\.lock|go\.sum|package\.resolved|gradle\.lockfile)$|^(?:search[-_]?index|searchindex|search[-_]data|lunr[-_.]?index)\.(?:js|json)$|\.(?:js|mjs|cjs|css|ts)\.map$|[.-]min\.(?:js|mjs|cjs|css)$/iu;

/** Code whose lines tell whether a program wrote it. */
const code = /\.(?:js|mjs|cjs|css)$/iu;

/** Bytes at the beginning of a file that are looked at. */
const looked = 32 * 1024;

/** Nobody writes code in lines that are so long on average. **Units** bytes. **Source** a choice: hand-written code has lines of 30 to 50. */
const longLine = 1000;

const newline = 10;

/**
 * Whether a file is made by a program for a program: by its name, and for scripts and styles by its shape.
 *
 * **Cost** one read of 32 KB for a script or style that is large enough. A file that cannot be read is none.
 */
export function isJunk(name: string, path: string, size: number): boolean {
  if (names.test(name)) return true;
  return size > 2 * longLine && code.test(name) && hasLongLines(path);
}

function hasLongLines(path: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const bytes = new Uint8Array(looked);
    const length = readSync(file, bytes, 0, looked, 0);
    let lines = 1;
    for (let i = 0; i < length; i++) if (bytes[i] === newline) lines++;
    return length / lines > longLine;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
