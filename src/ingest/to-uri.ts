import { toDocumentUri } from "./sources/files/file-source.ts";
import { isUrl, normalizeUrl } from "./sources/web/normalize-url.ts";

/** Turns a path or address as typed into the uri that it is ingested under. */
export function toUri(base: string): (uri: string) => string {
  return (uri) => (isUrl(uri) ? normalizeUrl(uri) : toDocumentUri(uri, { base }));
}
