import { type FSWatcher, watch } from "node:fs";
import { join, relative, resolve, sep } from "node:path";

/** Changes in a watched folder. */
export interface FolderChanges {
  /** As it was named. */
  readonly folder: string;
  /** Absolute paths, of what is gone too; `undefined` when anything may have changed. */
  readonly paths: readonly string[] | undefined;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** Paths whose changes mean nothing, with all below them. */
  readonly ignore?: readonly string[];
  /** How long a folder must be quiet before its changes are reported. Default 200. */
  readonly quietMs?: number;
  /** Where the system cannot say what changed, how often it is to be looked at. Default 10,000. */
  readonly pollMs?: number;
  /** Look every so often in any case: network file systems tell nobody of changes. */
  readonly poll?: boolean;
}

/** A folder that never rests is reported after so many times `quietMs`. */
const longestQuiet = 10;

const ignoredNames: ReadonlySet<string> = new Set([".git", ".ibid", "node_modules"]);

/**
 * Tells what changes in folders, and everything below them, from the moment of the call.
 *
 * **Shape** changes that come close together are reported together. The signal ends it, after the changes that are seen and not yet reported.
 * A folder that the system cannot watch, or no longer, is reported as a whole every `pollMs`.
 */
export function watchFolders(folders: readonly string[], options: WatchOptions): AsyncIterable<FolderChanges> {
  const { signal, quietMs = 200, pollMs = 10_000, poll = false } = options;
  const ignored = (options.ignore ?? []).map((path) => resolve(path));
  const ready: FolderChanges[] = [];
  let wake: (() => void) | undefined;

  const watched = folders.map((folder) => {
    const root = resolve(folder);
    let paths: Set<string> | undefined = new Set();
    let first = 0;
    let timer: NodeJS.Timeout | undefined;
    let polling: NodeJS.Timeout | undefined;
    let watcher: FSWatcher | undefined;

    const tell = (): void => {
      clearTimeout(timer);
      if (paths === undefined || paths.size > 0) ready.push({ folder, paths: paths && [...paths].toSorted() });
      paths = new Set();
      first = 0;
      wake?.();
    };
    const see = (path: string | undefined): void => {
      if (path === undefined) paths = undefined;
      else paths?.add(path);
      const now = performance.now();
      if (first === 0) first = now;
      clearTimeout(timer);
      timer = setTimeout(tell, Math.max(0, Math.min(quietMs, first + longestQuiet * quietMs - now)));
    };
    const startPolling = (): void => {
      watcher?.close();
      watcher = undefined;
      polling ??= setInterval(() => see(undefined), pollMs);
    };
    const startWatching = (): void => {
      try {
        watcher = watch(root, { recursive: true }, (_, name) => {
          const path = name === null ? undefined : join(root, name);
          if (path === undefined || !isIgnored(root, path)) see(path);
        });
        // Too many folders, or one that is gone: from here on, look.
        watcher.on("error", () => {
          startPolling();
          see(undefined);
        });
      } catch {
        startPolling();
      }
    };
    if (poll) startPolling();
    else startWatching();
    return {
      stop() {
        watcher?.close();
        clearInterval(polling);
        tell();
      },
    };
  });

  function isIgnored(root: string, path: string): boolean {
    if (ignored.some((each) => path === each || path.startsWith(each + sep))) return true;
    return relative(root, path)
      .split(sep)
      .some((name) => ignoredNames.has(name));
  }

  const stop = (): void => {
    for (const each of watched) each.stop();
    wake?.();
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });

  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = ready.shift();
        if (next !== undefined) {
          yield next;
          continue;
        }
        if (signal.aborted) return;
        await new Promise<void>((done) => (wake = done));
      }
    },
  };
}
