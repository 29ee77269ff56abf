import { lstatSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Ignore } from "ignore";

/** The `.gitignore` files that bind a folder, the nearest first. */
export interface IgnoreChain {
  readonly folder: string;
  readonly rules: Ignore;
  readonly above: IgnoreChain | undefined;
}

/** Larger than any list that a person wrote; a file of rules is compiled whole. */
const maxRulesBytes = 1 << 20;

/** Git's own default: case matters where file names keep it apart. */
const ignorecase = process.platform === "win32" || process.platform === "darwin";

/**
 * Whether the chain leaves a path out. As in git the nearest file that says anything decides, and its last matching line.
 *
 * **Shape** `path` is absolute and inside the folder of every link of the chain. Call it on the way down: what lies in a folder
 * that is left out cannot be taken back in.
 */
export function isIgnored(chain: IgnoreChain | undefined, path: string, isFolder: boolean): boolean {
  for (let link = chain; link !== undefined; link = link.above) {
    const verdict = link.rules.test(pathWithin(link.folder, path) + (isFolder ? "/" : ""));
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/**
 * The chain that applies to the entries of `root`, from the folders above it, up to the root of the repository that holds it.
 * Outside of any repository, it goes up to the first of `bounds` that holds `root`.
 *
 * With `rootIsNamed`, a list that would leave out `root` itself has no say: a caller who names a folder wants its files.
 */
export async function openIgnoreChain(
  root: string,
  options: { readonly bounds: readonly string[]; readonly rootIsNamed: boolean },
): Promise<IgnoreChain | undefined> {
  if (isRepository(root)) return undefined;
  const above: string[] = [];
  let top: number | undefined;
  for (let folder = dirname(root), last = root; folder !== last; last = folder, folder = dirname(folder)) {
    above.push(folder);
    if (isRepository(folder)) {
      top = above.length;
      break;
    }
  }
  if (top === undefined) {
    const bound = options.bounds.map((folder) => above.indexOf(folder)).find((index) => index !== -1);
    top = bound === undefined ? 0 : bound + 1;
  }
  let chain: IgnoreChain | undefined;
  for (const folder of above.slice(0, top).reverse()) {
    const link = await readIgnoreFile(folder, chain);
    const deniesRoot = link !== chain && isIgnored(link && { ...link, above: undefined }, root, true);
    if (!(options.rootIsNamed && deniesRoot)) chain = link;
  }
  return chain;
}

/** The chain with the folder's own `.gitignore` in front, if it has one that can be read. */
export async function readIgnoreFile(folder: string, above: IgnoreChain | undefined): Promise<IgnoreChain | undefined> {
  const path = join(folder, ".gitignore");
  try {
    const facts = await stat(path);
    if (!facts.isFile() || facts.size > maxRulesBytes) return above;
    const { default: ignore } = await import("ignore");
    return { folder, rules: ignore({ ignorecase }).add(await readFile(path, "utf8")), above };
  } catch {
    return above;
  }
}

/** Where a repository begins, rules from outside end. A worktree has a file there, not a folder. */
function isRepository(folder: string): boolean {
  try {
    return lstatSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function pathWithin(folder: string, path: string): string {
  const within = relative(folder, path);
  return sep === "/" ? within : within.replaceAll(sep, "/");
}
