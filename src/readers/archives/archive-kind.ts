import { extensionOf, fileNameOf } from "../file-name.ts";

/** Media types of archives that are unpacked. */
const kinds: ReadonlySet<string> = new Set(["application/zip", "application/x-tar", "application/gzip"]);

/** Extensions of archives. A package of a program, such as `.jar`, is a ZIP too, and no folder of documents. */
const extensions: ReadonlySet<string> = new Set(["zip", "tar", "gz", "tgz"]);

/** Whether bytes of this media type are an archive that is unpacked. */
export function isArchive(mediaType: string): boolean {
  return kinds.has(mediaType);
}

/** The answer of a file's name: `"unsaid"` for a name without an extension. */
export function saysArchive(uri: string): boolean | "unsaid" {
  const extension = extensionOf(fileNameOf(uri));
  return extension === "" ? "unsaid" : extensions.has(extension);
}

/** Whether a file of an archive is a program's own: a resource fork of macOS, or in a folder that a walk leaves out. */
export function isLeftOut(path: string): boolean {
  return /(?:^|\/)(?:\.[^/]+|__MACOSX|node_modules|__pycache__)(?:\/|$)/u.test(path);
}

/** Uri of a file in an archive: `reports.zip!/2026/march.pdf`. **Source** the `jar:` addresses of Java. */
export function memberUri(archive: string, path: string): string {
  return `${archive}!/${path}`;
}

/** Uris of the archives that a document lies within, the innermost first. **Shape** empty for a uri without `!/`. */
export function archivesOf(uri: string): readonly string[] {
  const found: string[] = [];
  for (let at = uri.lastIndexOf("!/"); at > 0; at = uri.lastIndexOf("!/", at - 1)) found.push(uri.slice(0, at));
  return found;
}
