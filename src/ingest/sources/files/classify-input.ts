import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { IbidError } from "../../../contracts/errors.ts";
import { isWithinEdits } from "../../../runtime/edit-distance.ts";
import { toDocumentUri, type UriPlace } from "./document-uri.ts";
import { type Glob, isGlob, parseGlob } from "./glob.ts";
import { notAFile, toReadError } from "./read-file.ts";

/** The kind of an input, and its parts. `path` is absolute. */
export type ClassifiedInput =
  | { readonly kind: "folder" | "file"; readonly path: string; readonly uri: string }
  | { readonly kind: "glob"; readonly glob: Glob; readonly uri: string }
  | { readonly kind: "refused"; readonly error: IbidError; readonly uri: string };

/**
 * Tells folders, files and globs apart. An input that exists is a path, whatever characters are in its name.
 *
 * **Errors** `invalid-argument` for what can be neither; what is not there, or cannot be looked at, comes back as refused.
 */
export function classifyInput(input: string, place: UriPlace & { readonly cwd: string }): ClassifiedInput {
  if (typeof input !== "string" || input.trim() === "" || input.includes("\0")) {
    throw new IbidError("invalid-argument", "A path to ingest is blank or holds a NUL character.", {
      hint: "Name a file, a folder or a glob.",
    });
  }
  const path = resolve(place.cwd, /^file:\/\//iu.test(input) ? pathOfUrl(input) : input);
  const uri = toDocumentUri(path, place);
  try {
    const facts = statSync(path);
    if (facts.isDirectory()) return { kind: "folder", path, uri };
    if (facts.isFile()) return { kind: "file", path, uri };
    return { kind: "refused", uri, error: notAFile(uri, facts) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const missing = code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG";
    if (missing && isGlob(input) && !isLink(path))
      return { kind: "glob", glob: parseGlob(input, place.cwd), uri: input };
    return { kind: "refused", uri, error: missing ? notFound(path, uri) : toReadError(error, uri) };
  }
}

/** A glob without a match is an input that is not there. */
export function matchesNothing(pattern: string): IbidError {
  return new IbidError("not-found", `Nothing matches ${pattern}.`, {
    uri: pattern,
    hint: "Check the pattern; what .gitignore leaves out and names that begin with a dot do not match unless they are named.",
  });
}

function notFound(path: string, uri: string): IbidError {
  if (isLink(path)) {
    return new IbidError("not-found", `${uri} is a symbolic link that leads nowhere.`, {
      uri,
      hint: "Repair the link, or name the file itself.",
    });
  }
  const near = siblingNear(path);
  return new IbidError("not-found", `There is no file or folder at ${uri}.`, {
    uri,
    hint:
      near === undefined
        ? "Check the path; put a glob in quotes so that the shell leaves it alone."
        : `Did you mean ${uri.slice(0, Math.max(uri.lastIndexOf("/"), uri.lastIndexOf("\\")) + 1)}${near}?`,
  });
}

/** Names of a folder that are compared with a missing one. */
const mostSiblings = 10_000;

/** The name beside a missing path that differs from it in the fewest letters, at most in a quarter of them. */
function siblingNear(path: string): string | undefined {
  const wanted = basename(path).toLowerCase();
  let names: readonly string[];
  try {
    names = readdirSync(dirname(path)).slice(0, mostSiblings);
  } catch {
    return undefined;
  }
  for (let edits = 1; edits <= Math.ceil(wanted.length / 4) && wanted.length > 2; edits++) {
    const found = names.find((name) => isWithinEdits(name.toLowerCase(), wanted, edits));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}

function pathOfUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw new IbidError("invalid-argument", `${url} is not the address of a local file.`, {
      hint: "Use file:///absolute/path, or a path.",
      cause,
    });
  }
}
