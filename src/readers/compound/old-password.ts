import { createHash, timingSafeEqual } from "node:crypto";

import { asksForPassword, otherwiseProtected, passwordsToTry } from "../office/refusals.ts";

/** Decrypts what Word, Excel and PowerPoint before 2007 encrypted. */
export interface OldCipher {
  /**
   * The bytes of a stream from `at` on. The key changes with each block of `blockSize` bytes of the stream, whose number it depends on.
   *
   * **Shape** a copy.
   */
  decrypt(bytes: Uint8Array, blockSize: number, at?: number): Uint8Array<ArrayBuffer>;
  /** Bytes that the key of one block decrypts, whatever their place. */
  decryptBlock(bytes: Uint8Array, block: number): Uint8Array<ArrayBuffer>;
}

/**
 * Opens the encryption that a header describes. Office 97 and 2000 have RC4 with a key of 40 bits, Office XP and 2003 that of the CryptoAPI.
 *
 * **Errors** `encrypted` without the password or with a wrong one, and for another kind of protection.
 * **Cost** a hash for each block.
 * **Source** MS-OFFCRYPTO, 2.3.5 (CryptoAPI) and 2.3.6 (RC4).
 */
export function openOldCipher(header: Uint8Array, uri: string, password: string | undefined): OldCipher {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const [major, minor] = header.length < 52 ? [0, 0] : [view.getUint16(0, true), view.getUint16(2, true)];
  const isPlain = major === 1 && minor === 1;
  if (!isPlain && (minor !== 2 || major < 2 || major > 4))
    throw otherwiseProtected(uri, "is protected in a way that is not known here");
  const keys = passwordsToTry(password).map((one) =>
    isPlain ? plainKeys(header, one) : cryptoApiKeys(header, view, uri, one),
  );
  const found = keys.find(({ keyOf, verifier, verifierHash, hash }) => {
    const stream = createRc4(keyOf(0));
    const stated = stream(verifier);
    return timingSafeEqual(digest(hash, stated), stream(verifierHash));
  });
  if (found === undefined) throw asksForPassword(uri, password);
  const { keyOf } = found;
  return {
    decrypt(bytes, blockSize, at = 0) {
      const plain = new Uint8Array(bytes.length);
      for (let from = 0; from < bytes.length;) {
        const inBlock = (at + from) % blockSize;
        const to = Math.min(bytes.length, from + blockSize - inBlock);
        const next = createRc4(keyOf(Math.floor((at + from) / blockSize)));
        next(new Uint8Array(inBlock));
        plain.set(next(bytes.subarray(from, to)), from);
        from = to;
      }
      return plain;
    },
    decryptBlock: (bytes, block) => createRc4(keyOf(block))(bytes),
  };
}

interface Keys {
  readonly keyOf: (block: number) => Uint8Array;
  readonly verifier: Uint8Array;
  readonly verifierHash: Uint8Array;
  readonly hash: "md5" | "sha1";
}

function plainKeys(header: Uint8Array, password: string): Keys {
  const salt = header.subarray(4, 20);
  const short = digest("md5", Buffer.from(password, "utf16le")).subarray(0, 5);
  const mixed = digest("md5", ...Array.from({ length: 16 }, () => [short, salt]).flat()).subarray(0, 5);
  return {
    keyOf: (block) => digest("md5", mixed, number(block)),
    verifier: header.subarray(20, 36),
    verifierHash: header.subarray(36, 52),
    hash: "md5",
  };
}

function cryptoApiKeys(header: Uint8Array, view: DataView, uri: string, password: string): Keys {
  const verifierAt = 12 + view.getUint32(8, true);
  const algorithm = view.getUint32(20, true);
  const bits = view.getUint32(28, true) || 40;
  if (verifierAt + 60 > header.length || algorithm !== 0x6801 || bits % 8 !== 0 || bits < 40 || bits > 128)
    throw otherwiseProtected(uri, "is protected with a cipher that is not known here");
  const salt = header.subarray(verifierAt + 4, verifierAt + 20);
  const hashed = digest("sha1", salt, Buffer.from(password, "utf16le"));
  return {
    keyOf: (block) => {
      const key = digest("sha1", hashed, number(block)).subarray(0, bits / 8);
      // A key of 40 bits is filled up with zeros.
      return bits === 40 ? Buffer.concat([key, Buffer.alloc(11)]) : key;
    },
    verifier: header.subarray(verifierAt + 20, verifierAt + 36),
    verifierHash: header.subarray(verifierAt + 40, verifierAt + 60),
    hash: "sha1",
  };
}

/** Applies the next bytes of a key's stream. Node's OpenSSL no longer offers RC4. **Source** RFC 6229; Rivest's RC4 as published in 1994. */
function createRc4(key: Uint8Array): (bytes: Uint8Array) => Uint8Array<ArrayBuffer> {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (one: number, other: number): void => {
    [state[one], state[other]] = [state[other]!, state[one]!];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 0xff;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return (bytes) =>
    Uint8Array.from(bytes, (byte) => {
      i = (i + 1) & 0xff;
      j = (j + state[i]!) & 0xff;
      swap(i, j);
      return byte ^ state[(state[i]! + state[j]!) & 0xff]!;
    });
}

function digest(name: string, ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash(name);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
