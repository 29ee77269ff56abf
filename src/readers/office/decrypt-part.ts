import * as crypto from "node:crypto";
import { inflateRawSync } from "node:zlib";

import { otherwiseProtected, unreadable } from "./refusals.ts";
import { findAll, type XmlElement } from "./read-xml.ts";

/** A part of an OpenDocument file that a password protects, as the manifest describes it. */
export interface LockedPart {
  /** Unpacked, as declared. **Units** bytes. */
  readonly size: number;
  /** **Shape** the unpacked part; `undefined` for a wrong password. **Errors** `unreadable` for a broken one. */
  readonly open: (bytes: Uint8Array, password: string) => Uint8Array<ArrayBuffer> | undefined;
}

const mostIterations = 1_000_000;
/** Most that Argon2id may take; LibreOffice asks for 64 MiB and three passes. **Units** kibibytes. */
const mostMemory = 256 * 1024;
const mostPasses = 16;
const mostLanes = 16;
/** The checksum is that of so many bytes. */
const checked = 1024;
/** **Units** bytes. **Source** XML Encryption 1.1, 5.2.4: the vector stands before the text, the tag behind it. */
const gcm = { vector: 12, tag: 16 } as const;

/**
 * Parts that the manifest says are encrypted, by name: AES-256 with PBKDF2, as LibreOffice and OpenOffice 3.4 and later write them.
 * LibreOffice 24.8 and later has Argon2id in its place.
 *
 * **Errors** `encrypted` for another kind of protection, and for Argon2id where Node has none (before 24.7); `unreadable` for a broken manifest.
 * **Cost** each `open` takes the iterations or the memory that the file asks for: commonly 0.05 s, or 64 MiB and 0.2 s.
 * **Source** OASIS OpenDocument 1.3, part 2, 3.4 and 4.8; OASIS issue OFFICE-4153 for packages that are encrypted as a whole.
 */
export function lockedParts(manifest: XmlElement | undefined, uri: string): ReadonlyMap<string, LockedPart> {
  const parts = new Map<string, LockedPart>();
  for (const entry of findAll(manifest, "file-entry")) {
    const [data] = findAll(entry, "encryption-data");
    if (data === undefined) continue;
    const keyOf = findDerivation(data, uri);
    const decipher = findCipher(data);
    if (keyOf === undefined || decipher === undefined)
      throw otherwiseProtected(uri, "is protected in a way that is not known here, such as OpenOffice's before 3.4");
    const size = Number(entry.attributes.get("size") ?? 0);
    // Sizes are added up against a limit, which a negative one would raise.
    if (!Number.isSafeInteger(size) || size < 0) throw unreadable(uri, "is protected, and broken");
    parts.set(entry.attributes.get("full-path") ?? "", {
      size,
      open(bytes, password) {
        const packed = decipher(bytes, keyOf(password), uri);
        if (packed === undefined) return undefined;
        try {
          return Uint8Array.from(inflateRawSync(packed, { maxOutputLength: Math.max(1, size) }));
        } catch (cause) {
          throw unreadable(uri, "is protected, and broken", cause);
        }
      },
    });
  }
  return parts;
}

function statedIn(data: XmlElement, element: string, name: string): string {
  return findAll(data, element)[0]?.attributes.get(name) ?? "";
}

/** How the key comes from a password; `undefined` for a way that is not known. */
function findDerivation(data: XmlElement, uri: string): ((password: string) => Buffer) | undefined {
  const stated = (name: string): string => statedIn(data, "key-derivation", name);
  const count = (name: string, most: number): number | undefined => {
    const value = Number(stated(name));
    return Number.isInteger(value) && value >= 1 && value <= most ? value : undefined;
  };
  const start = statedIn(data, "start-key-generation", "start-key-generation-name");
  const seedOf = (password: string): Buffer =>
    crypto
      .createHash(start.endsWith("sha256") ? "sha256" : "sha1")
      .update(password, "utf8")
      .digest();
  const salt = Buffer.from(stated("salt"), "base64");
  const name = stated("key-derivation-name");
  if (/PBKDF2$/iu.test(name)) {
    const iterations = count("iteration-count", mostIterations);
    if (iterations === undefined) return undefined;
    return (password) => crypto.pbkdf2Sync(seedOf(password), salt, iterations, 32, "sha1");
  }
  if (!/argon2id$/iu.test(name)) return undefined;
  const passes = count("argon2-iterations", mostPasses);
  const memory = count("argon2-memory", mostMemory);
  const parallelism = count("argon2-lanes", mostLanes);
  if (passes === undefined || memory === undefined || parallelism === undefined) return undefined;
  if (salt.length < 8 || memory < 8 * parallelism) throw unreadable(uri, "is protected, and broken");
  // Absent in older versions of Node, whatever its types say.
  const derive = (crypto as Partial<Pick<typeof crypto, "argon2Sync">>).argon2Sync;
  if (derive === undefined)
    throw otherwiseProtected(
      uri,
      "is protected with Argon2id, which this version of Node does not have",
      "Run ibid with Node 24.7 or later. Or open the file with its password in LibreOffice, and save it without one.",
    );
  return (password) =>
    derive("argon2id", { message: seedOf(password), nonce: salt, parallelism, tagLength: 32, memory, passes });
}

/** **Shape** the packed text; `undefined` for a wrong key. */
type Decipher = (bytes: Uint8Array, key: Buffer, uri: string) => Buffer | undefined;

function findCipher(data: XmlElement): Decipher | undefined {
  const name = statedIn(data, "algorithm", "algorithm-name");
  if (name.endsWith("#aes256-gcm")) return openGcm;
  if (!name.endsWith("#aes256-cbc") || data.attributes.get("checksum-type")?.endsWith("sha256-1k") !== true)
    return undefined;
  const iv = Buffer.from(statedIn(data, "algorithm", "initialisation-vector"), "base64");
  const expected = Buffer.from(data.attributes.get("checksum") ?? "", "base64");
  return (bytes, key, uri) => openCbc(bytes, key, { uri, iv, expected });
}

function openCbc(
  bytes: Uint8Array,
  key: Buffer,
  { uri, iv, expected }: { readonly uri: string; readonly iv: Buffer; readonly expected: Buffer },
): Buffer | undefined {
  if (iv.length !== 16 || bytes.length % 16 !== 0 || bytes.length === 0)
    throw unreadable(uri, "is protected, and broken");
  const cipher = crypto.createDecipheriv("aes-256-cbc", key, iv).setAutoPadding(false);
  const padded = Buffer.concat([cipher.update(bytes), cipher.final()]);
  // The last byte counts the padding; a wrong key makes it any number.
  const packed = padded.subarray(0, Math.max(0, padded.length - padded[padded.length - 1]!));
  const sum = crypto.createHash("sha256").update(packed.subarray(0, checked)).digest();
  return sum.length === expected.length && crypto.timingSafeEqual(sum, expected) ? packed : undefined;
}

/** A tag that does not match is a wrong key or a changed text; nothing tells them apart. */
function openGcm(bytes: Uint8Array, key: Buffer, uri: string): Buffer | undefined {
  if (bytes.length <= gcm.vector + gcm.tag) throw unreadable(uri, "is protected, and broken");
  const cipher = crypto.createDecipheriv("aes-256-gcm", key, bytes.subarray(0, gcm.vector));
  cipher.setAuthTag(bytes.subarray(-gcm.tag));
  const packed = cipher.update(bytes.subarray(gcm.vector, -gcm.tag));
  try {
    return Buffer.concat([packed, cipher.final()]);
  } catch {
    return undefined;
  }
}
