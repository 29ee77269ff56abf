import { createDecipheriv, createHash, pbkdf2Sync, timingSafeEqual } from "node:crypto";
import { inflateRawSync } from "node:zlib";

import { unreadable } from "./refusals.ts";
import { findAll, type XmlElement } from "./read-xml.ts";

/** A part of an OpenDocument file that a password protects, as the manifest describes it. */
export interface LockedPart {
  /** Unpacked, as declared. **Units** bytes. */
  readonly size: number;
  /** **Shape** the unpacked part; `undefined` for a wrong password. **Errors** `unreadable` for a broken one. */
  readonly open: (bytes: Uint8Array, password: string) => Uint8Array<ArrayBuffer> | undefined;
}

const mostIterations = 1_000_000;
/** The checksum is that of so many bytes. */
const checked = 1024;

/**
 * Parts that the manifest says are encrypted, by name: AES-256 with PBKDF2, as LibreOffice and OpenOffice 3.4 and later write them.
 *
 * **Errors** `unreadable` for another kind of protection. **Cost** each `open` takes the iterations that the file asks for, a million at most.
 * Commonly they are 100,000, some 0.05 s.
 * **Source** OASIS OpenDocument 1.3, part 2, 3.4 and 4.8.
 */
export function lockedParts(manifest: XmlElement | undefined, uri: string): ReadonlyMap<string, LockedPart> {
  const parts = new Map<string, LockedPart>();
  for (const entry of findAll(manifest, "file-entry")) {
    const [data] = findAll(entry, "encryption-data");
    if (data === undefined) continue;
    if (!isKnown(data))
      throw unreadable(uri, "is protected in a way that is not known here, such as LibreOffice's since 24.2");
    const size = Number(entry.attributes.get("size") ?? 0);
    // Sizes are added up against a limit, which a negative one would raise.
    if (!Number.isSafeInteger(size) || size < 0) throw unreadable(uri, "is protected, and broken");
    parts.set(entry.attributes.get("full-path") ?? "", {
      size,
      open: (bytes, password) => decrypt(data, bytes, password, size, uri),
    });
  }
  return parts;
}

function statedIn(data: XmlElement, element: string, name: string): string {
  return findAll(data, element)[0]?.attributes.get(name) ?? "";
}

function isKnown(data: XmlElement): boolean {
  const iterations = Number(statedIn(data, "key-derivation", "iteration-count"));
  return (
    statedIn(data, "algorithm", "algorithm-name").endsWith("#aes256-cbc") &&
    /PBKDF2$/iu.test(statedIn(data, "key-derivation", "key-derivation-name")) &&
    data.attributes.get("checksum-type")?.endsWith("sha256-1k") === true &&
    iterations >= 1 &&
    iterations <= mostIterations
  );
}

function decrypt(
  data: XmlElement,
  bytes: Uint8Array,
  password: string,
  size: number,
  uri: string,
): Uint8Array<ArrayBuffer> | undefined {
  const stated = (element: string, name: string): string => statedIn(data, element, name);
  const iterations = Number(stated("key-derivation", "iteration-count"));
  const start = stated("start-key-generation", "start-key-generation-name");
  const seed = createHash(start.endsWith("sha256") ? "sha256" : "sha1")
    .update(password, "utf8")
    .digest();
  const key = pbkdf2Sync(seed, Buffer.from(stated("key-derivation", "salt"), "base64"), iterations, 32, "sha1");
  const iv = Buffer.from(stated("algorithm", "initialisation-vector"), "base64");
  if (iv.length !== 16 || bytes.length % 16 !== 0 || bytes.length === 0)
    throw unreadable(uri, "is protected, and broken");
  const cipher = createDecipheriv("aes-256-cbc", key, iv).setAutoPadding(false);
  const padded = Buffer.concat([cipher.update(bytes), cipher.final()]);
  // The last byte counts the padding; a wrong key makes it any number.
  const packed = padded.subarray(0, Math.max(0, padded.length - padded[padded.length - 1]!));
  const sum = createHash("sha256").update(packed.subarray(0, checked)).digest();
  const expected = Buffer.from(data.attributes.get("checksum") ?? "", "base64");
  if (sum.length !== expected.length || !timingSafeEqual(sum, expected)) return undefined;
  try {
    return Uint8Array.from(inflateRawSync(packed, { maxOutputLength: Math.max(1, size) }));
  } catch (cause) {
    throw unreadable(uri, "is protected, and broken", cause);
  }
}
