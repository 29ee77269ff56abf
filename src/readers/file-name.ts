/**
 * The last part of a uri, as a person would name the file: `docs/a%20b.md?raw=1` is `a%20b.md` when a path, `a b.md` when a URL.
 *
 * **Shape** the whole uri when it has no last part.
 */
export function fileNameOf(uri: string): string {
  const isUrl = /^[a-z][a-z0-9+.-]+:\/\//i.test(uri);
  const path = isUrl ? (uri.split(/[?#]/, 1)[0] ?? uri).replace(/^[^/]*\/\/[^/]*/, "") : uri;
  const trimmed = path.replaceAll("\\", "/").replace(/\/$/, "");
  const name = trimmed.slice(trimmed.lastIndexOf("/") + 1);
  if (name === "") return uri;
  return isUrl ? decodeName(name) : name;
}

/** Extension of a file name: the text after the last dot, in lower case; `""` when there is none. A leading dot starts a name, not an extension. */
export function extensionOf(fileName: string): string {
  const dot = fileName.lastIndexOf(".");
  return dot < 1 ? "" : fileName.slice(dot + 1).toLowerCase();
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
