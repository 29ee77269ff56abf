import { type Dirent, lstatSync } from "node:fs";
import { opendir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { IbidError } from "../../../contracts/errors.ts";
import type { FolderRules, SkippedKind } from "../../../contracts/knowledge-base.ts";
import { throwIfAborted } from "../../../runtime/abort.ts";
import type { PathMatcher } from "./glob.ts";
import { type IgnoreChain, isIgnored, readIgnoreFile } from "./ignore-rules.ts";
import { isJunk } from "./junk-files.ts";
import { notAFile, toReadError } from "./read-file.ts";

/** Files and folders that a walk takes and leaves out. */
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
  /** Limit for the whole walk, and for the names in one folder. */
  readonly maxFiles: number;
  readonly symlinks: NonNullable<FolderRules["symlinks"]>;
  /** Whether files that programs write for programs are read. */
  readonly junk: boolean;
  /** Called for each file and folder that a rule leaves out. */
  readonly onSkip?: ((relative: string, kind: SkippedKind) => void) | undefined;
  /** On paths relative to the root; of files. */
  readonly include: PathMatcher;
  /** On paths relative to the root; of files and folders. */
  readonly exclude: PathMatcher;
}

export interface FoundFile {
  /** Where it lies; of a link that is followed, where that leads. */
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
  /** The walk ends here, and nothing is known of what it has not come to. */
  readonly isEnd?: true;
}

interface Level {
  readonly folder: string;
  readonly relative: string;
  readonly ignored: IgnoreChain | undefined;
  /** Path to this folder, links in it resolved. */
  readonly real: string;
  readonly entries: readonly Entry[];
  next: number;
}

/** An entry of a folder: its name and kind, with links resolved where they are followed. */
interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
  /** The path that a followed link leads to. */
  readonly target?: string;
  readonly trouble?: (uri: string) => IbidError;
}

/**
 * Every file below a folder, in the order of their `/`-separated paths by UTF-16 code unit.
 *
 * **Shape** symbolic links are left alone unless the rules say otherwise, so loops cannot arise. A target inside the folder is read under its own name;
 * a target outside is not the folder's. A followed link is a file or folder of its own name. A folder is entered through links once, and
 * never through one that lies in it, so that loops end. **Errors** none but `aborted`; what cannot be read is handed out as trouble.
 * **Cost** memory for one listing per level, of `maxFiles` names at most.
 */
export async function* walkFolder(
  root: string,
  rules: WalkRules,
  signal: AbortSignal | undefined,
): AsyncGenerator<FoundFile | FoundTrouble, void> {
  const levels: Level[] = [];
  /** Real paths of the folders that were entered through a link. */
  const linked = new Set<string>();
  const realRoot = rules.symlinks === "skip" ? root : await realpath(root).catch(() => root);
  let files = 0;

  async function enter(
    folder: string,
    relative: string,
    above: IgnoreChain | undefined,
    real: string,
  ): Promise<FoundTrouble | undefined> {
    try {
      const listed = await listFolder(folder, rules.maxFiles);
      if (listed === undefined) return { relative, error: (uri) => tooMany(uri, rules.maxFiles), isFolder: true };
      const names = new Set(listed.map((entry) => entry.name));
      // The root has been asked already which lists above it bind it.
      const inherited = relative !== "" && names.has(".git") ? undefined : above;
      const ignored = names.has(".gitignore") ? await readIgnoreFile(folder, inherited) : inherited;
      const entries: Entry[] = [];
      for (const entry of listed) {
        const { name } = entry;
        if (!entry.isSymbolicLink()) entries.push({ name, isFolder: entry.isDirectory() });
        else if (rules.symlinks === "skip") skip(relative, name, "link");
        else entries.push(await seeThrough(join(folder, name), name));
      }
      levels.push({ folder, relative, ignored, real, entries: sortAsPaths(entries), next: 0 });
      return undefined;
    } catch (cause) {
      return { relative, error: (uri) => toReadError(cause, uri), isFolder: true };
    }
  }

  async function seeThrough(path: string, name: string): Promise<Entry> {
    try {
      const target = await realpath(path);
      const isFolder = (await stat(target)).isDirectory();
      if (rules.symlinks === "inside" && !isWithin(target, realRoot))
        return { name, isFolder: false, trouble: leadsOut };
      return { name, isFolder, target };
    } catch (cause) {
      return { name, isFolder: false, trouble: (uri) => leadsNowhere(uri, cause) };
    }
  }

  const below = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);
  const skip = (folder: string, name: string, kind: SkippedKind): void => rules.onSkip?.(below(folder, name), kind);

  const trouble = await enter(root, "", rules.ignored, realRoot);
  if (trouble !== undefined) yield trouble;

  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    throwIfAborted(signal, "Reading");
    const entry = level.entries[level.next++];
    if (entry === undefined) {
      levels.pop();
      continue;
    }
    const { name, isFolder, target } = entry;
    const path = join(level.folder, name);
    const relative = below(level.relative, name);
    const isLeftOut =
      (name.startsWith(".") && !rules.dot) ||
      (isFolder && (rules.excludedNames.has(name) || levels.length > rules.maxDepth)) ||
      rules.excludedPaths.has(path) ||
      rules.exclude(relative) ||
      isIgnored(level.ignored, path, isFolder) ||
      (!isFolder && !rules.include(relative));
    if (isLeftOut) {
      skip(level.relative, name, isFolder ? "folder" : "file");
      continue;
    }
    if (entry.trouble !== undefined) {
      yield { relative, error: entry.trouble, isFolder: false };
      continue;
    }
    if (isFolder) {
      if (target !== undefined) {
        if (linked.has(target) || levels.some(({ real }) => isWithin(real, target))) {
          skip(level.relative, name, "folder");
          continue;
        }
        linked.add(target);
      }
      const trouble = await enter(path, relative, level.ignored, target ?? join(level.real, name));
      if (trouble !== undefined) yield trouble;
      continue;
    }
    if (++files > rules.maxFiles) {
      yield { relative: "", error: (uri) => tooMany(uri, rules.maxFiles), isFolder: true, isEnd: true };
      return;
    }
    const found = inspect(target ?? path, relative);
    if (!rules.junk && "size" in found && isJunk(name, found.path, found.size)) {
      skip(level.relative, name, "junk");
      continue;
    }
    yield found;
  }
}

/** The names in a folder; `undefined` when there are more than anybody wants in memory. */
async function listFolder(folder: string, maxNames: number): Promise<readonly Dirent[] | undefined> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: 1024 })) {
    if (entries.length >= maxNames) return undefined;
    entries.push(entry);
  }
  return entries;
}

/** Whether a path is a folder or lies in it, by their names alone. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export function leadsOut(uri: string): IbidError {
  return new IbidError("unreadable", `${uri} is a symbolic link that leads out of the folder.`, {
    uri,
    hint: 'Name what it leads to outright; in a program, symlinks: "anywhere" follows it.',
  });
}

function leadsNowhere(uri: string, cause: unknown): IbidError {
  return new IbidError("unreadable", `${uri} is a symbolic link that leads nowhere.`, {
    uri,
    hint: "Repair the link, or remove it.",
    cause,
  });
}

function tooMany(uri: string, max: number): IbidError {
  return new IbidError("too-large", `${uri} holds more than ${max.toLocaleString("en")} files; the rest was left.`, {
    uri,
    hint: "Ingest its folders one by one, leave some out, or raise maxFiles.",
    details: { limit: "maxFiles", max },
  });
}

/** At once: asking a thread takes several times as long as the look. */
function inspect(path: string, relative: string): FoundFile | FoundTrouble {
  try {
    const facts = lstatSync(path);
    if (!facts.isFile()) return { relative, error: (uri) => notAFile(uri, facts), isFolder: false };
    return { path, relative, size: facts.size, modified: facts.mtime };
  } catch (cause) {
    return { relative, error: (uri) => toReadError(cause, uri), isFolder: false };
  }
}

/** Folders sort as if their name ended in `/`, so that files come in the order of their whole paths. */
function sortAsPaths(entries: readonly Entry[]): readonly Entry[] {
  const key = (entry: Entry): string => (entry.isFolder ? `${entry.name}/` : entry.name);
  return entries.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
