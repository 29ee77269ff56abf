import { createHash, createHmac } from "node:crypto";

import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { hashParts, hmacSha256, sha256, sha256Here } from "../../src/runtime/hash.ts";

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"));

describe("sha256", () => {
  it("gives the digests of NIST's examples", () => {
    expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")).toBe(
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    );
    const million = new Uint8Array(1_000_000).fill(0x61);
    const expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    expect([sha256(million), sha256Here(million)]).toEqual([expected, expected]);
  });

  it("agrees with the platform at every length around the block size", () => {
    for (let length = 0; length < 200; length++) {
      const data = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 0xff);
      const expected = createHash("sha256").update(data).digest("hex");
      expect(sha256(data)).toBe(expected);
      expect(sha256Here(data)).toBe(expected);
    }
  });

  it("hashes text as UTF-8, short or long", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.nat({ max: 100 }), (text, repeats) => {
        const long = text.repeat(repeats);
        const expected = createHash("sha256").update(long, "utf8").digest("hex");
        expect([sha256(long), sha256Here(long)]).toEqual([expected, expected]);
      }),
      { numRuns: 40 },
    );
  });

  it("tells a lone surrogate from the replacement character", () => {
    expect(new Set(["\ud800", "\udc00", "\ufffd", "a\ud800b", "a\ufffdb"].map(sha256)).size).toBe(5);
  });
});

describe("sha256Here", () => {
  it("is what runs where the platform has no hash that answers at once", async () => {
    vi.resetModules();
    vi.stubGlobal("process", { ...process, getBuiltinModule: undefined });
    const { sha256: here } = await import("../../src/runtime/hash.ts");
    expect(here("\ud800")).toBe(sha256("\ud800"));
    vi.unstubAllGlobals();
    expect(here("abc")).toBe(sha256("abc"));
  });
});

describe("hashing in pieces", () => {
  it("does not depend on where the pieces end", () => {
    const piece = fc.integer({ min: 0, max: 140 }).map((length) => "x".repeat(length));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const whole = pieces.map((text) => `${text.length}:${text}`).join("");
        expect(hashParts(...pieces)).toBe(createHash("sha256").update(whole).digest("hex").slice(0, 32));
      }),
    );
  });
});

describe("hmacSha256", () => {
  it("gives the codes of RFC 4231 [L10]", () => {
    expect(hmacSha256(bytes("0b".repeat(20)), "Hi There")).toBe(
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    );
    expect(hmacSha256(new TextEncoder().encode("Jefe"), "what do ya want for nothing?")).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
    expect(hmacSha256(bytes("aa".repeat(131)), "Test Using Larger Than Block-Size Key - Hash Key First")).toBe(
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    );
  });

  it("agrees with the platform for keys of any length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 150 }), fc.string({ maxLength: 100 }), (key, text) => {
        expect(hmacSha256(key, text)).toBe(createHmac("sha256", key).update(text, "utf8").digest("hex"));
      }),
    );
  });
});

describe("hashParts", () => {
  it("is half a digest of the parts with their lengths", () => {
    expect(hashParts("ab", "c")).toBe(sha256("2:ab1:c").slice(0, 32));
  });

  it("depends on where the parts are divided", () => {
    const parts = fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(hashParts(...a) === hashParts(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
    expect(hashParts("ab", "c")).not.toBe(hashParts("a", "bc"));
  });
});
