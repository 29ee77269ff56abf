import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { IbidError } from "../../contracts/errors.ts";
import { throwIfAborted } from "../../text/abort.ts";
import type { PathMatcher } from "./glob.ts";
import { type IgnoreChain, isIgnored, readIgnoreFile } from "./ignore-rules.ts";
import { notAFile, toReadError } from "./read-file.ts";

/** What a walk takes and leaves out. */
export interface WalkRules {
  /** From the folders above the root. */
  readonly ignored: IgnoreChain | undefined;
  /** Names of folders that are left out. */
  readonly excludedNames: ReadonlySet<string>;
  /** Absolute paths that are left out. */
  readonly excludedPaths: ReadonlySet<string>;
  /** Whether names that begin with a dot are considered at all. */
  readonly dot: boolean;
  readonly maxDepth: number;
  /** On paths relative to the root; of files. */
  readonly include: PathMatcher;
  /** On paths relative to the root; of files and folders. */
  readonly exclude: PathMatcher;
}

export interface FoundFile {
  readonly path: string;
  /** `/`-separated, relative to the root; `""` for the root itself. */
  readonly relative: string;
  readonly size: number;
  readonly modified: Date;
}

export interface FoundTrouble {
  readonly relative: string;
  /** Made with the uri that the path has. */
  readonly error: (uri: string) => IbidError;
  /** A folder that could not be listed: what is in it is not known to be gone. */
  readonly isFolder: boolean;
}

interface Level {
  readonly folder: string;
  readonly relative: string;
  readonly ignored: IgnoreChain | undefined;
  readonly entries: readonly Dirent[];
  next: number;
}

/**
 * Every file below a folder, in the order of their `/`-separated paths by UTF-16 code unit.
 *
 * **Shape** symbolic links are left alone: what they point to inside the folder is read under its own name, what lies outside is not the
 * folder's, and loops cannot arise. **Errors** none but `aborted`; what cannot be read is handed out as trouble. **Cost** memory for one listing per level.
 */
export async function* walkFolder(
  root: string,
  rules: WalkRules,
  signal: AbortSignal | undefined,
): AsyncGenerator<FoundFile | FoundTrouble, void> {
  const levels: Level[] = [];

  async function enter(
    folder: string,
    relative: string,
    above: IgnoreChain | undefined,
  ): Promise<FoundTrouble | undefined> {
    try {
      const entries = await readdir(folder, { withFileTypes: true });
      const names = new Set(entries.map((entry) => entry.name));
      // The root has been asked already which lists above it bind it.
      const inherited = relative !== "" && names.has(".git") ? undefined : above;
      const ignored = names.has(".gitignore") ? await readIgnoreFile(folder, inherited) : inherited;
      levels.push({ folder, relative, ignored, entries: sortAsPaths(entries), next: 0 });
      return undefined;
    } catch (cause) {
      return { relative, error: (uri) => toReadError(cause, uri), isFolder: true };
    }
  }

  const trouble = await enter(root, "", rules.ignored);
  if (trouble !== undefined) yield trouble;

  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    throwIfAborted(signal, "Reading");
    const entry = level.entries[level.next++];
    if (entry === undefined) {
      levels.pop();
      continue;
    }
    const { name } = entry;
    const isFolder = entry.isDirectory();
    if (entry.isSymbolicLink() || (name.startsWith(".") && !rules.dot)) continue;
    if (isFolder && (rules.excludedNames.has(name) || levels.length > rules.maxDepth)) continue;

    const path = join(level.folder, name);
    const relative = level.relative === "" ? name : `${level.relative}/${name}`;
    if (rules.excludedPaths.has(path) || rules.exclude(relative) || isIgnored(level.ignored, path, isFolder)) continue;
    if (isFolder) {
      const trouble = await enter(path, relative, level.ignored);
      if (trouble !== undefined) yield trouble;
      continue;
    }
    if (!rules.include(relative)) continue;
    yield await inspect(path, relative);
  }
}

async function inspect(path: string, relative: string): Promise<FoundFile | FoundTrouble> {
  try {
    const facts = await lstat(path);
    if (!facts.isFile()) return { relative, error: (uri) => notAFile(uri, facts), isFolder: false };
    return { path, relative, size: facts.size, modified: facts.mtime };
  } catch (cause) {
    return { relative, error: (uri) => toReadError(cause, uri), isFolder: false };
  }
}

/** Folders sort as if their name ended in `/`, so that files come in the order of their whole paths. */
function sortAsPaths(entries: readonly Dirent[]): readonly Dirent[] {
  const key = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name);
  return entries.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
