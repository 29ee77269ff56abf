import { isBlobKey } from "../blobs/check-blob.ts";

/**
 * Where a key's bytes lie: names of folders and a file that no file system reads as anything else.
 *
 * Everything but lower-case letters, digits, `-`, `_` and inner dots is written as `%` and two hexadecimal digits of its UTF-8: capitals too, for file systems
 * that do not tell them apart, and the first letter of names that Windows keeps for devices. A folder ends in `+`, so that `a` and `a/b` can both be kept;
 * a part longer than a file's name may be goes on in folders that end in `~`.
 *
 * **Shape** no part begins or ends with a dot, so none leaves the folder or meets the store's own files. Two keys never share a path.
 */
export function toBlobPath(key: string): readonly string[] {
  const parts = key.split("/").map(escapePart);
  return parts.flatMap((part, i) => {
    const pieces = part.match(/.{1,200}/gu) ?? [];
    const end = i === parts.length - 1 ? "" : "+";
    return pieces.map((piece, at) => (at === pieces.length - 1 ? piece + end : `${piece}~`));
  });
}

/** The key whose path that is; `undefined` for what no key has: files of somebody else. */
export function fromBlobPath(path: readonly string[]): string | undefined {
  const written = path.map((name) => (name.endsWith("~") ? name.slice(0, -1) : name.replace(/\+$/u, "/"))).join("");
  let key: string;
  try {
    key = decodeURIComponent(written);
  } catch {
    return undefined;
  }
  return isBlobKey(key) && toBlobPath(key).join("/") === path.join("/") ? key : undefined;
}

const encoder = new TextEncoder();
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/u;

function escapePart(part: string): string {
  const escaped = Array.from(part, (character) =>
    /^[a-z0-9_.-]$/u.test(character) ? character : escapeBytes(character),
  ).join("");
  const safe = escaped.replace(/^\./u, "%2E").replace(/\.$/u, "%2E");
  return devices.test(safe) ? escapeBytes(safe.slice(0, 1)) + safe.slice(1) : safe;
}

function escapeBytes(character: string): string {
  return Array.from(encoder.encode(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(
    "",
  );
}
