/**
 * SHA-256 and HMAC that run synchronously everywhere, because ids and cache keys are made within synchronous work. Node, Bun and Deno have a
 * synchronous hash of their own, which takes a sixth of the time; browsers have none.
 *
 * Text is hashed as UTF-8. A lone surrogate, which UTF-8 cannot encode, keeps its own three bytes, so that two texts never hash alike.
 *
 * **Source** FIPS 180-4 (SHA-256), RFC 2104 (HMAC).
 */

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const roundConstants = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);

/** The first 32 bits of the fractional parts of the square roots of the first 8 primes (FIPS 180-4, 5.3.3). */
const initialState = new Int32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

const blockBytes = 64;
const encoder = new TextEncoder();
const schedule = new Int32Array(64);

/** A platform's synchronous hash. */
interface PlatformHash {
  hash?(algorithm: "sha256", data: string | Uint8Array, encoding: "hex"): string;
}

/**
 * SHA-256 of bytes, or of a text's UTF-8.
 *
 * **Shape** 64 lower-case hexadecimal digits. **Cost** linear; about 150 MB/s, and a multiple of that where the platform does it. **Source** FIPS 180-4.
 */
export function sha256(data: string | Uint8Array): string {
  return digest(typeof data !== "string" || data.isWellFormed() ? data : encodeIllFormed(data));
}

/** As the platform has it, or by ourselves. It is asked for when first needed, and not imported: this file is read in browsers too. */
let digest = (data: string | Uint8Array): string => {
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => PlatformHash | undefined };
  };
  const platform = process?.getBuiltinModule?.("crypto");
  digest = platform?.hash === undefined ? sha256Here : (given) => platform.hash!("sha256", given, "hex");
  return digest(data);
};

/**
 * HMAC-SHA-256 of a text under a key: without the key it can neither be made nor used to guess short texts.
 *
 * **Shape** 64 lower-case hexadecimal digits. **Source** RFC 2104; vectors of RFC 4231.
 */
export function hmacSha256(key: Uint8Array, text: string): string {
  const short = key.length > blockBytes ? fromHex(sha256(key)) : key;
  const bytes = text.isWellFormed() ? encoder.encode(text) : encodeIllFormed(text);
  return sha256(behindPad(short, 0x5c, fromHex(sha256(behindPad(short, 0x36, bytes)))));
}

function behindPad(key: Uint8Array, pad: number, bytes: Uint8Array): Uint8Array {
  const message = new Uint8Array(blockBytes + bytes.length).fill(pad, 0, blockBytes);
  for (let i = 0; i < key.length; i++) message[i] = key[i]! ^ pad;
  message.set(bytes, blockBytes);
  return message;
}

/**
 * An id from what identifies something. Each part is preceded by its length, so `("ab", "c")` and `("a", "bc")` differ.
 *
 * **Shape** 32 hexadecimal digits: the first half of a SHA-256, so an accidental collision needs some 2^64 ids.
 */
export function hashParts(...parts: string[]): string {
  let message = "";
  for (const part of parts) message += `${part.length}:${part}`;
  return sha256(message).slice(0, 32);
}

/** SHA-256 in plain words: what runs where the platform has none. **Shape** hexadecimal; texts must be well formed. */
export function sha256Here(data: string | Uint8Array): string {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  const state = initialState.slice();
  let at = 0;
  for (; at + blockBytes <= bytes.length; at += blockBytes) compress(state, bytes, at);
  const rest = bytes.length - at;
  const tail = new Uint8Array(rest < blockBytes - 8 ? blockBytes : 2 * blockBytes);
  tail.set(bytes.subarray(at));
  tail[rest] = 0x80;
  const view = new DataView(tail.buffer);
  const bits = bytes.length * 8;
  view.setUint32(tail.length - 8, Math.floor(bits / 2 ** 32));
  view.setUint32(tail.length - 4, bits >>> 0);
  for (let from = 0; from < tail.length; from += blockBytes) compress(state, tail, from);
  let hex = "";
  for (const word of state) hex += (word >>> 0).toString(16).padStart(8, "0");
  return hex;
}

function compress(state: Int32Array, bytes: Uint8Array, at: number): void {
  const w = schedule;
  for (let i = 0, p = at; i < 16; i++, p += 4) {
    w[i] = (bytes[p]! << 24) | (bytes[p + 1]! << 16) | (bytes[p + 2]! << 8) | bytes[p + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (s1 + w[i - 7]! + s0 + w[i - 16]!) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + (g ^ (e & (f ^ g))) + roundConstants[i]! + w[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) | (c & (a | b)))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = (state[0]! + a) | 0;
  state[1] = (state[1]! + b) | 0;
  state[2] = (state[2]! + c) | 0;
  state[3] = (state[3]! + d) | 0;
  state[4] = (state[4]! + e) | 0;
  state[5] = (state[5]! + f) | 0;
  state[6] = (state[6]! + g) | 0;
  state[7] = (state[7]! + h) | 0;
}

function encodeIllFormed(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code >= 0xd800 && code <= 0xdfff) {
      bytes[length++] = 0xe0 | (code >>> 12);
      bytes[length++] = 0x80 | ((code >>> 6) & 0x3f);
      bytes[length++] = 0x80 | (code & 0x3f);
    } else {
      length += encoder.encodeInto(character, bytes.subarray(length)).written;
    }
  }
  return bytes.subarray(0, length);
}

/** The result of {@link sha256}, as bytes. */
function fromHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < hex.length; i++) {
    const code = hex.charCodeAt(i);
    bytes[i >> 1] = (bytes[i >> 1]! << 4) | (code - (code < 0x61 ? 0x30 : 0x57));
  }
  return bytes;
}
