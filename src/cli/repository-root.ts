import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Scope } from "../contracts/scope.ts";
import { sha256 } from "../runtime/hash.ts";

/**
 * Finds the root of the repository that a folder lies in.
 *
 * **Shape** the folder with `.git`, `.hg`, `.jj` or `.svn`. A worktree of Git has the root of its main checkout, so that all worktrees share one memory.
 * `undefined` outside any repository.
 */
export function findRepositoryRoot(folder: string): string | undefined {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    for (const name of [".git", ".hg", ".jj", ".svn"]) {
      const mark = join(at, name);
      const stats = statSync(mark, { throwIfNoEntry: false });
      if (stats?.isDirectory()) return at;
      if (stats?.isFile() && name === ".git") return mainCheckout(mark) ?? at;
    }
    if (dirname(at) === at) return undefined;
  }
}

/** The checkout that a worktree belongs to. **Source** gitrepository-layout: `gitdir: …/.git/worktrees/<name>`, with `commondir` in it. */
function mainCheckout(mark: string): string | undefined {
  try {
    const [, folder] = /^gitdir:\s*(.+?)\s*$/mu.exec(readFileSync(mark, "utf8")) ?? [];
    if (folder === undefined) return undefined;
    const own = resolve(dirname(mark), folder);
    const common = resolve(own, readFileSync(join(own, "commondir"), "utf8").trim());
    return basename(common) === ".git" ? realpathSync(dirname(common)) : undefined;
  } catch {
    // A submodule has no common folder: its own root is right.
    return undefined;
  }
}

/**
 * Scope of a repository's notes: its name for people, and a hash of its path.
 *
 * The path decides, and nothing inside the repository: a folder from a stranger cannot name the notes of another one.
 */
export function repositoryScope(root: string): Scope {
  const name = basename(root).replaceAll(/[^\p{L}\p{N}._-]+/gu, "-");
  return `team:repository-${name}-${sha256(root).slice(0, 12)}`;
}
