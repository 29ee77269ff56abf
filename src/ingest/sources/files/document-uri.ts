import { realpathSync } from "node:fs";
import native, { type PlatformPath } from "node:path";

/** The folders that a path is relative to. */
export interface UriPlace {
  /** The folder that holds the knowledge base. */
  readonly base: string;
  /** Where relative paths start. Default: the process's working folder. */
  readonly cwd?: string | undefined;
}

/**
 * The uri that a file or folder is ingested under: its `/`-separated path relative to `base`, or absolute when it lies outside.
 *
 * Links in the folders above it are resolved when that leads into `base`, so that a project reached through a link keeps its uris.
 * A link that is named itself keeps its own name.
 *
 * **Shape** `base` itself is `"."`. The path need not exist. `system` has the rules of paths; default: those of this machine.
 */
export function toDocumentUri(path: string, place: UriPlace, system: PlatformPath = native): string {
  const { full, base } = absolute(path, place, system);
  const written = uriWithin(full, base, system);
  if (!system.isAbsolute(written)) return written;
  const real = system.join(realpathOr(system.dirname(full), system), system.basename(full));
  const resolved = uriWithin(real, realpathOr(base, system), system);
  return system.isAbsolute(resolved) ? written : resolved;
}

/**
 * Every uri that a path may lead to, likeliest first: {@link toDocumentUri}, the path as it is written, and what it is a link to.
 *
 * **Shape** at least one, without repetition; never fails for what does not exist.
 */
export function findDocumentUris(path: string, place: UriPlace, system: PlatformPath = native): readonly string[] {
  const { full, base } = absolute(path, place, system);
  return [
    ...new Set([
      toDocumentUri(path, place, system),
      uriWithin(full, base, system),
      uriWithin(realpathOr(full, system), realpathOr(base, system), system),
    ]),
  ];
}

/** The uri of what lies at a `/`-separated path below a folder; relative where that is inside of `base`, an absolute uri. */
export function uriBelow(folder: string, path: string, base: string | undefined): string {
  if (path === "") return folder;
  if (folder === ".") return path;
  const uri = folder.endsWith("/") ? folder + path : `${folder}/${path}`;
  return base !== undefined && uri.startsWith(`${base}/`) ? uri.slice(base.length + 1) : uri;
}

/** An absolute path with `/` between its parts, links in it seen through. */
export function toAbsoluteUri(path: string, system: PlatformPath = native): string {
  return withSlashes(realpathOr(system.resolve(path), system), system);
}

function withSlashes(path: string, { sep }: PlatformPath): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}

function absolute(
  path: string,
  { base, cwd }: UriPlace,
  system: PlatformPath,
): { readonly full: string; readonly base: string } {
  return { full: system.resolve(cwd ?? process.cwd(), path), base: system.resolve(base) };
}

function uriWithin(full: string, base: string, system: PlatformPath): string {
  const path = system.relative(base, full);
  if (path === "") return ".";
  const outside = path === ".." || path.startsWith(`..${system.sep}`) || system.isAbsolute(path);
  return withSlashes(outside ? full : path, system);
}

/** Resolves links as far as the path exists; the rest is kept as it is written. */
function realpathOr(path: string, system: PlatformPath): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = system.dirname(path);
    return parent === path ? path : system.join(realpathOr(parent, system), system.basename(path));
  }
}
