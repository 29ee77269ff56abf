import { createDecipheriv, createHash, timingSafeEqual } from "node:crypto";

import { unreadable } from "../office/refusals.ts";
import { openCompoundFile } from "./compound-file.ts";

/**
 * Decrypts a DOCX, XLSX or PPTX that a password protects: as Office 2010 and later write them (agile), and as Office 2007 did (standard).
 *
 * **Shape** the package; `undefined` for a wrong password. **Errors** `unreadable` for another kind of protection, such as a rights server's.
 * **Cost** the iterations that the file asks for, ten million at most; commonly 100,000, some 0.1 s.
 * **Source** MS-OFFCRYPTO, 2.3.4.
 */
export function decryptPackage(bytes: Uint8Array, uri: string, password: string): Uint8Array | undefined {
  const file = openCompoundFile(bytes, uri);
  const info = file.stream("EncryptionInfo");
  const content = file.stream("EncryptedPackage");
  if (info === undefined || content === undefined || info.length < 8 || content.length < 8)
    throw unreadable(uri, "is protected in a way that is not known here");
  const view = new DataView(info.buffer);
  const minor = view.getUint16(2, true);
  const size = Number(new DataView(content.buffer).getBigUint64(0, true));
  const packed = content.subarray(8, content.length - ((content.length - 8) % 16));
  if (size > packed.length) throw unreadable(uri, "is protected, and cut off");
  const plain = minor === 4 ? decryptAgile(info, packed, uri, password) : decryptStandard(view, packed, uri, password);
  return plain?.subarray(0, size);
}

/** Keys of the steps of the agile kind. **Source** MS-OFFCRYPTO, 2.3.4.13. */
const blocks = {
  verifier: Buffer.from("fea7d2763b4b9e79", "hex"),
  verifierHash: Buffer.from("d7aa0f6d3061344e", "hex"),
  key: Buffer.from("146e0be7abacd0d6", "hex"),
};
const mostIterations = 10_000_000;
const segment = 4096;

interface Cipher {
  readonly hash: string;
  readonly blockSize: number;
  readonly keyBytes: number;
  readonly salt: Buffer;
}

function decryptAgile(info: Uint8Array, packed: Uint8Array, uri: string, password: string): Buffer | undefined {
  const xml = new TextDecoder().decode(info.subarray(8));
  const whole = cipherOf(/<keyData\b[^>]*>/u.exec(xml)?.[0] ?? "", uri);
  const element = /<(?:\w+:)?encryptedKey\b[^>]*>/u.exec(xml)?.[0] ?? "";
  const own = cipherOf(element, uri);
  const iterations = Number(attribute(element, "spinCount"));
  if (!(iterations >= 0 && iterations <= mostIterations))
    throw unreadable(uri, "asks for more work than any password needs");
  const hashed = stretch(own.hash, own.salt, password, iterations);
  const unlock = (name: string, block: Buffer): Buffer => {
    const key = fit(digest(own.hash, hashed, block), own.keyBytes);
    return decipher("cbc", key, fit(own.salt, own.blockSize), Buffer.from(attribute(element, name), "base64"), uri);
  };
  const verifier = digest(own.hash, unlock("encryptedVerifierHashInput", blocks.verifier));
  const expected = unlock("encryptedVerifierHashValue", blocks.verifierHash).subarray(0, verifier.length);
  if (expected.length !== verifier.length || !timingSafeEqual(verifier, expected)) return undefined;
  const key = unlock("encryptedKeyValue", blocks.key).subarray(0, whole.keyBytes);
  const plain: Buffer[] = [];
  for (let index = 0; index * segment < packed.length; index++) {
    const iv = fit(digest(whole.hash, whole.salt, number(index)), whole.blockSize);
    plain.push(decipher("cbc", key, iv, packed.subarray(index * segment, (index + 1) * segment), uri));
  }
  return Buffer.concat(plain);
}

function cipherOf(element: string, uri: string): Cipher {
  const hash = attribute(element, "hashAlgorithm").replace("-", "").toLowerCase();
  const keyBytes = Number(attribute(element, "keyBits")) / 8;
  const isKnown =
    ["sha1", "sha256", "sha384", "sha512"].includes(hash) &&
    attribute(element, "cipherAlgorithm") === "AES" &&
    attribute(element, "cipherChaining") === "ChainingModeCBC" &&
    [16, 24, 32].includes(keyBytes);
  if (!isKnown) throw unreadable(uri, "is protected with a cipher that is not known here");
  return { hash, keyBytes, blockSize: 16, salt: Buffer.from(attribute(element, "saltValue"), "base64") };
}

/** **Source** MS-OFFCRYPTO, 2.3.4.5 to 2.3.4.9. */
function decryptStandard(info: DataView, packed: Uint8Array, uri: string, password: string): Buffer | undefined {
  const header = 12;
  const verifier = header + info.getUint32(8, true);
  if (verifier + 72 > info.byteLength) throw unreadable(uri, "is protected in a way that is not known here");
  const keyBytes = info.getUint32(header + 16, true) / 8;
  const part = (at: number, length: number): Buffer =>
    Buffer.from(info.buffer, info.byteOffset + verifier + at, length);
  const hashed = digest("sha1", stretch("sha1", part(4, 16), password, 50_000), number(0));
  const derive = (pad: number): Buffer => {
    const mask = Buffer.alloc(64, pad);
    for (const [index, byte] of hashed.entries()) mask[index] = byte ^ pad;
    return digest("sha1", mask);
  };
  const key = Buffer.concat([derive(0x36), derive(0x5c)]).subarray(0, keyBytes);
  const expected = decipher("ecb", key, null, part(40, 32), uri).subarray(0, 20);
  if (!timingSafeEqual(digest("sha1", decipher("ecb", key, null, part(20, 16), uri)), expected)) return undefined;
  return decipher("ecb", key, null, packed, uri);
}

/** A password made slow to guess. */
function stretch(hash: string, salt: Buffer, password: string, iterations: number): Buffer {
  let hashed = digest(hash, salt, Buffer.from(password, "utf16le"));
  for (let index = 0; index < iterations; index++) hashed = digest(hash, number(index), hashed);
  return hashed;
}

function digest(name: string, ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash(name);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function decipher(mode: "cbc" | "ecb", key: Buffer, iv: Buffer | null, bytes: Uint8Array, uri: string): Buffer {
  try {
    const cipher = createDecipheriv(`aes-${key.length * 8}-${mode}`, key, iv).setAutoPadding(false);
    return Buffer.concat([cipher.update(bytes), cipher.final()]);
  } catch (cause) {
    throw unreadable(uri, "is protected, and its keys are broken", cause);
  }
}

function fit(bytes: Buffer, length: number): Buffer {
  return bytes.length >= length
    ? bytes.subarray(0, length)
    : Buffer.concat([bytes, Buffer.alloc(length - bytes.length, 0x36)]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function attribute(element: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`, "u").exec(element)?.[1] ?? "";
}
