import { createCipheriv, createHash } from "node:crypto";

/** How a test's PDF is protected. **Source** ISO 32000-1, 7.6: the standard security handler, revisions 3 (RC4) and 4 (AES). */
export interface PdfTestProtection {
  readonly user: string;
  readonly owner: string;
  readonly cipher: "rc4" | "aes";
}

export interface PdfTestLock {
  /** The encryption dictionary. */
  readonly dictionary: string;
  /** A stream of an object, encrypted. */
  encrypt(objectNumber: number, bytes: Uint8Array): Uint8Array;
}

const keyLength = 16;
const permissions = -4;
// Algorithm 2, step a: what fills a password up to 32 bytes.
const padding = Uint8Array.from(
  "28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A".match(/../g) ?? [],
  (hex) => parseInt(hex, 16),
);

export function lockPdf({ user, owner, cipher }: PdfTestProtection, id: Uint8Array): PdfTestLock {
  const ownerEntry = sealOwner(user, owner);
  const key = deriveKey(user, ownerEntry, id);
  const userEntry = sealUser(key, id);
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
  const common = `/Filter /Standard /Length 128 /P ${permissions} /O <${hex(ownerEntry)}> /U <${hex(userEntry)}>`;
  return {
    dictionary:
      cipher === "rc4"
        ? `<< ${common} /V 2 /R 3 >>`
        : `<< ${common} /V 4 /R 4 /CF << /StdCF << /CFM /AESV2 /Length 16 /AuthEvent /DocOpen >> >> /StmF /StdCF /StrF /StdCF >>`,
    encrypt(objectNumber, bytes) {
      // Algorithm 1: the object's number and generation, and for AES four bytes of salt.
      const salted = [...key, objectNumber & 255, (objectNumber >> 8) & 255, 0, 0, 0];
      const own = md5(Uint8Array.from(cipher === "aes" ? [...salted, 0x73, 0x41, 0x6c, 0x54] : salted));
      if (cipher === "rc4") return rc4(own, bytes);
      const start = new Uint8Array(16).fill(7);
      const aes = createCipheriv("aes-128-cbc", own, start);
      return Buffer.concat([start, aes.update(bytes), aes.final()]);
    },
  };
}

function pad(password: string): Uint8Array {
  const bytes = Uint8Array.from(password, (sign) => sign.charCodeAt(0));
  return Uint8Array.from([...bytes, ...padding].slice(0, 32));
}

/** Algorithm 2. */
function deriveKey(user: string, ownerEntry: Uint8Array, id: Uint8Array): Uint8Array {
  const flags = new Uint8Array(new Int32Array([permissions]).buffer);
  return stretch(md5(Uint8Array.from([...pad(user), ...ownerEntry, ...flags, ...id])));
}

/** Algorithm 3. */
function sealOwner(user: string, owner: string): Uint8Array {
  return seal(stretch(md5(pad(owner))), pad(user));
}

/** Algorithm 5. */
function sealUser(key: Uint8Array, id: Uint8Array): Uint8Array {
  return Uint8Array.from([...seal(key, md5(Uint8Array.from([...padding, ...id]))), ...new Uint8Array(16)]);
}

function stretch(hash: Uint8Array): Uint8Array {
  let stretched = hash;
  for (let round = 0; round < 50; round++) stretched = md5(stretched.subarray(0, keyLength));
  return stretched.subarray(0, keyLength);
}

function seal(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  let sealed = bytes;
  for (let round = 0; round < 20; round++)
    sealed = rc4(
      key.map((byte) => byte ^ round),
      sealed,
    );
  return sealed;
}

function md5(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("md5").update(bytes).digest());
}

function rc4(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, i) => i);
  const swap = (i: number, j: number): void => {
    [state[i], state[j]] = [state[j]!, state[i]!];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 255;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return bytes.map((byte) => {
    i = (i + 1) & 255;
    j = (j + state[i]!) & 255;
    swap(i, j);
    return byte ^ state[(state[i]! + state[j]!) & 255]!;
  });
}
