import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGrowingNumbers } from "../../src/engine/kernels/growing-numbers.ts";
import { encodeText } from "../../src/engine/segments/bytes.ts";
import { createTermNumbers } from "../../src/engine/segments/term-numbers.ts";

/** Empty ones, ones of all planes, long ones, ones that begin alike, and ones with quotes and backslashes. */
const term = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom("", "\u0000", "a", "aa", "ab", 'a"', "a\\", "é", "e\u0301", "日本", "𝒳", "𝒳𝒴"),
  fc.nat(300).map((length) => "b".repeat(length)),
  fc.nat(40).map((end) => `prefix-that-is-shared-${end}`),
);

describe("numbers of terms", () => {
  it("are those of a map in order of first appearance, by text, by bytes and from a list", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(term, fc.nat(2)), { maxLength: 80 }), fc.array(term), (steps, others) => {
        const numbers = createTermNumbers({ remembers: false });
        const known = new Map<string, number>();
        for (const [text, way] of steps) {
          expect(numbers.findText(text)).toBe(known.get(text) ?? -1);
          const bytes = encodeText(`<${text}>`);
          const list = encodeText(JSON.stringify([text]));
          const number = [
            () => numbers.numberText(text),
            () => numbers.number(bytes, 1, bytes.length - 1),
            () => numbers.of(list, 0, 1)[0],
          ][way]!();
          if (!known.has(text)) known.set(text, known.size);
          expect(number).toBe(known.get(text));
        }
        expect(numbers.count()).toBe(known.size);
        for (const [text, number] of known) {
          expect(numbers.slice(number)).toEqual(encodeText(text));
          expect(numbers.text(number)).toBe(text);
        }
        for (const text of others) expect(numbers.findText(text)).toBe(known.get(text) ?? -1);
      }),
    );
  });

  it("stay while the table grows", () => {
    const numbers = createTermNumbers({ remembers: false });
    const before = numbers.bytes;
    for (let i = 0; i < 60_000; i++) expect(numbers.numberText(`t${i * 7}`)).toBe(i);
    for (let i = 0; i < 60_000; i++) expect(numbers.findText(`t${i * 7}`)).toBe(i);
    expect(numbers.findText("t1")).toBe(-1);
    expect(numbers.bytes).toBeGreaterThan(before + 60_000 * 8);
  });
});

describe("numbers that grow", () => {
  it("are those that were pushed and set", () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 0xffff_ffff }), fc.nat());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const numbers = createGrowingNumbers(1);
        const plain: number[] = [];
        for (const [number, other] of steps) {
          numbers.push(number);
          plain.push(number);
          const at = number % plain.length;
          numbers.set(at, other);
          plain[at] = other;
          expect(numbers.at(at)).toBe(plain[at]);
        }
        expect(numbers.length).toBe(plain.length);
        expect([...numbers.view()]).toEqual(plain);
        expect([...numbers.take()]).toEqual(plain);
      }),
    );
  });
});
