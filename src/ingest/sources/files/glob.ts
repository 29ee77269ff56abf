import { resolve, sep } from "node:path";
import picomatch from "picomatch";
import { IbidError } from "../../../contracts/errors.ts";

/** Whether a `/`-separated path matches. */
export type PathMatcher = (path: string) => boolean;

/** A glob, taken apart: where the walk starts, and which paths below match. */
export interface Glob {
  /** The longest part without wildcards, absolute. */
  readonly root: string;
  /** On paths relative to `root`. */
  readonly matches: PathMatcher;
  /** Folders below `root` that can hold a match are at most this deep. */
  readonly maxDepth: number;
  /** Whether the pattern names something that begins with a dot. */
  readonly dot: boolean;
  /** The words that the pattern is made of: a folder that it names is not left out by default. */
  readonly words: ReadonlySet<string>;
}

/** Whether an input that is no existing path can be meant as a glob: `*`, `?`, `[…]`, `{a,b}` or `(a|b)`. */
export function isGlob(input: string): boolean {
  return scan(input).isGlob;
}

/** Reads a glob. **Errors** `invalid-argument` for one that cannot be compiled. */
export function parseGlob(input: string, cwd: string): Glob {
  const pattern = sep === "\\" ? input.replaceAll("\\", "/") : input;
  const { base, glob } = scan(pattern);
  const segments = glob.split("/");
  // A slash inside braces or parentheses, or `**`, may stand for any number of folders.
  const bounded = !glob.includes("**") && !/[{(][^})]*\//u.test(glob);
  return {
    root: resolve(cwd, base.replaceAll(/\\(.)/gu, "$1")),
    matches: compile(glob),
    maxDepth: bounded ? segments.length - 1 : Infinity,
    dot: /(?:^|[/{(,|])\./u.test(glob),
    words: new Set(glob.split(/[/{}(),|]+/u)),
  };
}

/**
 * Matches paths relative to a folder against any of several globs. A pattern without `/` is held against the name alone, at any depth.
 */
export function matchAny(patterns: readonly string[], option: string): PathMatcher {
  const matchers = patterns.map((pattern) => {
    if (typeof pattern !== "string" || pattern === "") {
      throw new IbidError("invalid-argument", `"${option}" holds a pattern that is blank.`, {
        hint: 'Patterns are globs, such as "**/*.md".',
      });
    }
    const tidy = pattern.replace(/^\.?\//u, "").replace(/\/$/u, "");
    const matches = compile(tidy);
    return tidy.includes("/") ? matches : (path: string) => matches(path.slice(path.lastIndexOf("/") + 1));
  });
  return (path) => matchers.some((matches) => matches(path));
}

function compile(glob: string): PathMatcher {
  try {
    const matches = picomatch(glob, { nonegate: true, windows: false });
    return (path) => matches(path);
  } catch (error) {
    throw new IbidError("invalid-argument", `"${glob.slice(0, 200)}" is not a glob that can be read.`, {
      hint: "Use *, **, ?, {a,b} and [ab].",
      cause: error,
    });
  }
}

function scan(input: string): { readonly base: string; readonly glob: string; readonly isGlob: boolean } {
  return picomatch.scan(input, { nonegate: true });
}
