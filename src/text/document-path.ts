/** A document's place below the folder or site that it came from. */
export interface DocumentPath {
  /** Last part of the folder's uri, or the host; `""` for a document that was named outright. */
  readonly rootLabel: string;
  /** Path below it, with `/` on every system. */
  readonly path: string;
}

/**
 * Path of a document below the folder whose ingestion found it.
 *
 * **Shape** without a folder: of a file its name alone, of an address its path, of anything else the uri itself. The uri stays the document's identity.
 */
export function documentPath(uri: string, folder: string | null): DocumentPath {
  const [place, base] = [uri.replaceAll("\\", "/"), (folder ?? "").replaceAll("\\", "/").replace(/\/+$/u, "")];
  if (base !== "" && place.startsWith(`${base}/`) && place.length > base.length + 1) {
    const isUri = place.includes("://");
    const [rootLabel, path] = [base.split("/").at(-1)!, place.slice(base.length + 1)];
    return isUri ? { rootLabel: decode(rootLabel), path: decode(path) } : { rootLabel, path };
  }
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]+):\/\/(.*)$/isu.exec(uri) ?? [];
  if (scheme.toLowerCase() === "file") return { rootLabel: "", path: decode(rest.split("/").at(-1)!) };
  if (scheme === "") return { rootLabel: "", path: isAbsolute(place) ? place.split("/").at(-1)! : place };
  const [host = "", ...parts] = rest.split(/[?#]/u)[0]!.split("/");
  return { rootLabel: host, path: decode(parts.join("/")) };
}

/** The words of a path: without its extension, separators as spaces. */
export function pathWords(path: string): string {
  return path.replace(/\.[^./]{1,8}$/u, "").replaceAll(/[/_.]+/gu, " ");
}

const isAbsolute = (uri: string): boolean => /^(?:\/|[a-z]:\/)/iu.test(uri);

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
