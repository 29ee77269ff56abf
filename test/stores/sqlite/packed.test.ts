import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodePoints } from "../../../src/runtime/compare-text.ts";
import {
  firstPackedAfter,
  packDigits,
  packId,
  packOrigin,
  packTime,
  unpackDigits,
  unpackOrigin,
  unpackTime,
} from "../../../src/stores/sqlite/packed.ts";

const digits = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...Array.from("0123456789abcdef")), minLength: length, maxLength: length });
const id = digits(32);
/** Texts that begin as ids do. */
const near = fc
  .tuple(id, fc.nat(33), fc.constantFrom("", "g", "G", "/", ":", "`", "f", "0", "\u{1F989}", "z9"))
  .map(([text, length, rest]) => text.slice(0, length) + rest);

describe("packed values", () => {
  it("are what they were, and ids and hashes take half of their digits", () => {
    fc.assert(
      fc.property(fc.oneof(id, near, digits(64), fc.string()), (text) => {
        expect(unpackDigits(packDigits(text))).toBe(text);
        expect(unpackDigits(packId(text))).toBe(text);
      }),
    );
    expect(packId("0123456789abcdef0123456789abcdef")).toHaveLength(16);
    expect(packId("0123456789ABCDEF0123456789ABCDEF")).toBeTypeOf("string");
    expect(packDigits("ab".repeat(32))).toHaveLength(32);
    for (const origin of ["user-content", "narrative", "note", "synthetic"] as const) {
      expect(packOrigin(origin)).toBeTypeOf("number");
      expect(unpackOrigin(packOrigin(origin))).toBe(origin);
    }
    fc.assert(
      fc.property(
        fc.oneof(
          fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
          fc.string(),
        ),
        (text) => {
          expect(unpackTime(packTime(text))).toBe(text);
        },
      ),
    );
  });

  it("are found behind any text, in the order of code points", () => {
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: "binary" })), id, (text, other) => {
        const first = firstPackedAfter(text);
        const turn = first === undefined ? -1 : Buffer.from(other, "hex").compare(first.bytes);
        expect(turn > 0 || (turn === 0 && first?.orEqual === true)).toBe(compareCodePoints(other, text) > 0);
      }),
    );
    // The next beginning after one that ends in f.
    expect(firstPackedAfter("aff~")).toEqual({ bytes: Buffer.from("b".padEnd(32, "0"), "hex"), orEqual: true });
    expect(firstPackedAfter("ff~")).toBeUndefined();
  });
});
