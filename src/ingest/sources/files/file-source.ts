import { lstatSync, realpathSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, isAbsolute, resolve } from "node:path";
import { IbidError } from "../../../contracts/errors.ts";
import type { FolderRules, SkippedKind } from "../../../contracts/knowledge-base.ts";
import type { Source, SourceItem, SourceRefusal } from "../../../contracts/reader.ts";
import { throwIfAborted } from "../../../runtime/abort.ts";
import { checkGiven, checkOptions, checkText } from "../../../runtime/check-options.ts";
import { classifyInput, type ClassifiedInput, matchesNothing } from "./classify-input.ts";
import { toAbsoluteUri, toDocumentUri, type UriPlace, uriBelow } from "./document-uri.ts";
import { type Glob, matchAny } from "./glob.ts";
import { openIgnoreChain } from "./ignore-rules.ts";
import { readFileBytes, readFilePieces, toReadError, tooLarge } from "./read-file.ts";
import { type FoundFile, isWithin, leadsOut, walkFolder } from "./walk-folder.ts";

export { toDocumentUri };

/**
 * Options of a file source: rules for files, and the base of their uris.
 *
 * @experimental
 */
export interface FileSourceOptions extends UriPlace, FolderRules {
  /** Largest file, in bytes. Default: 10 MiB for what is found in a folder or by a glob, 64 MiB for a file named outright. */
  readonly maxFileBytes?: number | undefined;
  /** Paths that no walk enters, such as the knowledge base's own folder. */
  readonly ignore?: readonly string[] | undefined;
  /** Called for each file, folder and link that a rule leaves out, with its uri; what is in such a folder is not looked at. */
  readonly onSkip?: ((uri: string, kind: SkippedKind) => void) | undefined;
}

const optionNames = {
  base: true,
  cwd: true,
  include: true,
  exclude: true,
  maxDepth: true,
  maxFiles: true,
  maxFileBytes: true,
  oversized: true,
  symlinks: true,
  junk: true,
  media: true,
  ignore: true,
  onSkip: true,
} as const;

/** More files than any intended walk finds. */
const defaultMaxFiles = 1_000_000;

/** **Source** Embabel's `maxFileSize`. */
const maxFoundBytes = 10 * 1024 * 1024;
const maxNamedBytes = 64 * 1024 * 1024;

/**
 * Folders that hold what programs made, not what people wrote. One is walked all the same when it is named outright, or in a glob.
 *
 * **Source** Embabel's excluded folders, with Python's.
 */
const excludedNames: ReadonlySet<string> = new Set([
  ".git",
  ".ibid",
  "node_modules",
  "bower_components",
  "target",
  "build",
  "dist",
  "venv",
  "__pycache__",
]);

/**
 * Opens files, folders and globs as a source.
 *
 * An input that exists is a path, even when it looks like a glob. Folders are walked whole. `.gitignore` files bind folders and globs,
 * also those above them up to the root of the repository (outside of one, up to `base` or `cwd`). A folder named outright is walked even
 * when they leave it out. Left out too, unless named outright or by a glob: names that begin with a dot, `node_modules`, `build`, `dist`,
 * `target` and their like. A file named outright is always tried.
 *
 * **Shape** uris as {@link toDocumentUri}; each file once: folders first, then single files, then globs, in each the order of paths.
 * `folders` loses an unreadable folder, because its content is unknown.
 * **Errors** at once: `invalid-argument`. As refusals: `not-found` for a missing path and for a glob without a match;
 * `too-large` (for the folder itself, when it holds more than `maxFiles`), `unreadable` for a file without permission, one that vanished, or a device. While iterating: `aborted`.
 * **Cost** lazy; memory for one listing per level, and for one file while it is read.
 *
 * @experimental
 */
export function openFileSource(inputs: readonly string[], options: FileSourceOptions): Source {
  checkGiven("openFileSource", "inputs", inputs, "list");
  checkGiven("openFileSource", "options", options, "object");
  checkOptions("openFileSource", options, optionNames);
  for (const [at, input] of inputs.entries()) checkText("openFileSource", `inputs[${at}]`, input);
  checkText("openFileSource", "base", options.base);
  if (options.cwd !== undefined) checkText("openFileSource", "cwd", options.cwd);
  const cwd = resolve(options.cwd ?? process.cwd());
  const place = { base: resolve(options.base), cwd };
  const limit = checkNumber("maxFileBytes", options.maxFileBytes, 1);
  const maxDepth = checkNumber("maxDepth", options.maxDepth, 0) ?? Infinity;
  const maxFiles = checkNumber("maxFiles", options.maxFiles, 1) ?? defaultMaxFiles;
  const symlinks = checkSymlinks(options.symlinks ?? "skip");
  const { onSkip } = options;
  const include = options.include === undefined ? () => true : matchAny(options.include, "include");
  const exclude = matchAny(options.exclude ?? [], "exclude");
  const excludedPaths = new Set((options.ignore ?? []).map((path) => resolve(cwd, path)));

  const plan = inputs
    .map((input) => classifyInput(input, place))
    .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const named = new Set(plan.flatMap((input) => (input.kind === "file" ? [input.path] : [])));
  const folders = [...new Set(plan.flatMap((input) => (input.kind === "folder" ? [input.uri] : [])))];

  function toItem(
    file: Omit<FoundFile, "relative">,
    uri: string,
    folder: string | undefined,
  ): SourceItem | SourceRefusal {
    const outright = named.has(file.path);
    const maxBytes = limit ?? (outright ? maxNamedBytes : maxFoundBytes);
    if (file.size > maxBytes) {
      const isSkipped = !outright && options.oversized === "skip";
      return {
        uri,
        error: tooLarge(uri, file.size, maxBytes, !outright && limit === undefined),
        ...(isSkipped && { oversized: true }),
      };
    }
    return {
      uri,
      size: file.size,
      metadata: { fileName: basename(file.path), fileSize: file.size, modifiedAt: file.modified.toISOString() },
      ...(folder === undefined ? {} : { folder }),
      ...((outright || options.media === true) && { keepsMedia: true }),
      bytes: (signal) => readFileBytes(file.path, { uri, maxBytes, followLink: outright, signal }),
      pieces: (signal) => readFilePieces(file.path, { uri, maxBytes, followLink: outright, signal }),
    };
  }

  async function* walk(
    root: string,
    folder: string | undefined,
    glob: Glob | undefined,
    signal: AbortSignal | undefined,
  ) {
    const rootUri = toDocumentUri(root, place);
    // A walk that starts outside of the base may lead into it, where uris are relative.
    const baseUri = rootUri === "." || !isAbsolute(rootUri) ? undefined : toAbsoluteUri(place.base);
    const rules = {
      ignored: await openIgnoreChain(root, { bounds: [place.base, cwd], rootIsNamed: glob === undefined }),
      excludedNames:
        glob === undefined ? excludedNames : new Set([...excludedNames].filter((name) => !glob.words.has(name))),
      excludedPaths,
      dot: glob?.dot ?? false,
      maxDepth: Math.min(maxDepth, glob?.maxDepth ?? Infinity),
      maxFiles,
      symlinks,
      junk: options.junk === true || glob !== undefined,
      onSkip: onSkip && ((path: string, kind: SkippedKind) => onSkip(uriBelow(rootUri, path, baseUri), kind)),
      include: glob === undefined ? include : (path: string) => glob.matches(path) && include(path),
      exclude,
    };
    for await (const found of walkFolder(root, rules, signal)) {
      const uri = uriBelow(rootUri, found.relative, baseUri);
      if (!("error" in found)) {
        yield toItem(found, uri, folder);
        continue;
      }
      if (found.relative === "" && folders.includes(uri)) folders.splice(folders.indexOf(uri), 1);
      yield { uri, error: found.error(uri) };
    }
  }

  async function* open(
    input: ClassifiedInput,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<SourceItem | SourceRefusal> {
    switch (input.kind) {
      case "refused":
        yield { uri: input.uri, error: input.error, named: isMissing(input.error) };
        return;
      case "folder":
        yield* walk(input.path, input.uri, undefined, signal);
        return;
      case "file": {
        const facts = await stat(input.path).catch((error: unknown) => toReadError(error, input.uri));
        yield facts instanceof Error
          ? { uri: input.uri, error: facts, named: isMissing(facts) }
          : toItem({ path: input.path, size: facts.size, modified: facts.mtime }, input.uri, undefined);
        return;
      }
      case "glob": {
        if (symlinks !== "anywhere" && leavesAny(input.glob.root, [cwd, place.base])) {
          yield { uri: input.uri, error: leadsOut(input.uri) };
          return;
        }
        let matched = false;
        if (isFolder(input.glob.root)) {
          for await (const item of walk(input.glob.root, undefined, input.glob, signal)) {
            matched = true;
            yield item;
          }
        }
        if (!matched) yield { uri: input.uri, error: matchesNothing(input.uri), named: true };
        return;
      }
    }
  }

  return {
    folders,
    has: (uri) => lstatSync(resolve(place.base, uri), { throwIfNoEntry: false }) !== undefined,
    async *items(signal) {
      const seen = new Set<string>();
      for (const input of plan) {
        for await (const item of open(input, signal)) {
          throwIfAborted(signal, "Reading");
          if (seen.has(item.uri)) continue;
          // One input alone never finds a file twice.
          if (plan.length > 1) seen.add(item.uri);
          yield item;
        }
      }
    },
  };
}

/** Folders first, so that what they hold is known to come from them, whatever else names it. */
const order: readonly ClassifiedInput["kind"][] = ["folder", "file", "glob", "refused"];

const isMissing = (error: Error): boolean => IbidError.isInstance(error, "not-found");

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function checkNumber(name: string, value: number | undefined, least: number): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return value;
  throw new IbidError("invalid-argument", `${name} is ${String(value)}; it must be a whole number, ${least} or more.`, {
    hint: "Leave it out for the default.",
  });
}

function checkSymlinks(value: NonNullable<FolderRules["symlinks"]>): NonNullable<FolderRules["symlinks"]> {
  if (["skip", "inside", "anywhere"].includes(value)) return value;
  throw new IbidError("invalid-argument", `symlinks is ${JSON.stringify(value)}.`, {
    hint: 'It is "skip", "inside" or "anywhere".',
  });
}

/** Whether the literal part of a glob lies in one of the folders by its name, and out of it by a symbolic link. */
function leavesAny(root: string, folders: readonly string[]): boolean {
  const real = realPath(root);
  return real !== undefined && folders.some((folder) => isWithin(root, folder) && !isWithin(real, realPath(folder)!));
}

/** **Shape** `undefined` for a path that is not there. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
