import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assembleWat } from "../../scripts/assemble-wat.ts";
import { source, target, writeModule } from "../../scripts/build-kernels.ts";
import { type CodeMemory, createPlainMemory, createSimdMemory, strideOf } from "../../src/kernels/code-memory.ts";
import { dotCodes } from "../../src/kernels/dot-codes.ts";
import { createFreeList } from "../../src/kernels/free-list.ts";
import { createKthBest } from "../../src/kernels/kth-best.ts";
import { quantize } from "../../src/kernels/quantize.ts";
import { scanCodesModule } from "../../src/kernels/scan-codes-module.ts";

describe("the module of the scan", () => {
  it("is what its source says, byte for byte", () => {
    expect(readFileSync(target, "utf8")).toBe(writeModule(readFileSync(source, "utf8")));
  });

  it("is valid WebAssembly, and small", () => {
    const bytes = Buffer.from(scanCodesModule, "base64");
    expect(WebAssembly.validate(bytes)).toBe(true);
    expect(bytes.length).toBeLessThan(400);
  });

  it("is not made of a source with a word that the assembler does not know", () => {
    const around = (code: string) => `(module (func (export "f") (param $a i32) ${code}))`;
    expect(() => assembleWat(around("local.get $a i32.flip"))).toThrow("Unknown instruction: i32.flip");
    expect(() => assembleWat(around("local.get $b"))).toThrow("Unknown local: $b");
    expect(() => assembleWat(around("block $x br $y end"))).toThrow("Unknown label: $y");
    expect(() => assembleWat(around("block $x"))).toThrow("Not ended: $x");
    expect(() => assembleWat("(module (func (export")).toThrow("A parenthesis is missing.");
  });
});

/** Sums of a region of random codes, in two calls, and what they should be. */
function scanRows(memory: CodeMemory, dimensions: number, rows: number, seed: number, extreme: boolean) {
  let state = seed + 1;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const stride = strideOf(dimensions);
  const most = Math.min(32_767, Math.floor((2 ** 31 - 1) / (128 * dimensions)));
  const region = memory.allocate(rows * stride);
  memory.reserve(stride, rows);
  const codes = region.codes();
  const query = memory.query.fill(0);
  for (let i = 0; i < dimensions; i++) query[i] = extreme ? -most : Math.round((random() * 2 - 1) * most);
  for (let row = 0; row < rows; row++) {
    memory.flags[row] = extreme || random() < 0.7 ? 1 : 0;
    memory.sums[row] = -7;
    for (let i = 0; i < dimensions; i++) codes[row * stride + i] = extreme ? -128 : Math.round(random() * 255 - 128);
  }
  const half = rows >> 1;
  memory.scan(region, stride, 0, half);
  memory.scan(region, stride, half, rows - half);
  const expected = Array.from({ length: rows }, (_, row) =>
    memory.flags[row] === 0 ? -7 : dotCodes(region.codes(), row * stride, memory.query, dimensions),
  );
  return { sums: [...memory.sums.subarray(0, rows)], expected, region };
}

describe("sums of codes", () => {
  const simd = createSimdMemory()!;
  const shape = fc.tuple(fc.integer({ min: 1, max: 200 }), fc.nat(70), fc.nat(1e6), fc.boolean());

  it("are the same with SIMD, plainly, and in the plain reference, also where they fill 32 bits [T10 T29 L11]", () => {
    expect(simd.simd).toBe(true);
    fc.assert(
      fc.property(shape, ([dimensions, rows, seed, extreme]) => {
        const fast = scanRows(simd, dimensions, rows, seed, extreme);
        const plain = scanRows(createPlainMemory(), dimensions, rows, seed, extreme);
        expect(fast.sums).toEqual(fast.expected);
        expect(plain.sums).toEqual(fast.sums);
        simd.free(fast.region);
      }),
    );
  });

  it("of many regions at once stay apart while the memory grows, and what is given back is used again", () => {
    const memory = createSimdMemory()!;
    const kept = Array.from({ length: 40 }, (_, i) => {
      const region = memory.allocate(100_000);
      region.codes().fill(i + 1);
      memory.reserve(32, 1000 * i);
      return region;
    });
    kept.forEach((region, i) => expect(region.codes().every((code) => code === i + 1)).toBe(true));
    for (const region of kept) memory.free(region);
    const again = memory.allocate(3_000_000);
    expect(again.codes().every((code) => code === 0)).toBe(true);
    // A region that was given back twice is one region still.
    memory.free(kept[0]!);
    const [a, b] = [memory.allocate(64), memory.allocate(64)];
    a.codes().fill(1);
    b.codes().fill(2);
    expect(a.codes().every((code) => code === 1)).toBe(true);
  });

  it("are found plainly where the memory cannot grow any more", () => {
    const memory = createSimdMemory()!;
    // 4 GB is more than a memory has left.
    const small = memory.allocate(64);
    const { sums, expected, region } = scanRows(
      {
        ...memory,
        query: memory.query,
        flags: memory.flags,
        sums: memory.sums,
        allocate: createPlainMemory().allocate,
      },
      1,
      0,
      1,
      false,
    );
    expect(sums).toEqual(expected);
    expect(region.length).toBe(0);
    expect(small.codes()).toHaveLength(64);
  });
});
