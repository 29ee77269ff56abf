import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { assembleWat } from "../../scripts/assemble-wat.ts";
import { compareModule, kernels } from "../../scripts/build-kernels.ts";
import { strideOf } from "../../src/engine/kernels/code-layout.ts";
import type { CodeMemory, CodeTable, SumBounds } from "../../src/engine/kernels/code-table.ts";
import { dotCodes } from "../../src/engine/kernels/dot-codes.ts";
import { createFreeList } from "../../src/engine/kernels/free-list.ts";
import { createKthBest } from "../../src/engine/kernels/kth-best.ts";
import { createPlainMemory } from "../../src/engine/kernels/plain-memory.ts";
import { quantize } from "../../src/engine/kernels/quantize.ts";
import { scanCodesModule } from "../../src/engine/kernels/scan-codes-module.ts";
import { siftCodesModule } from "../../src/engine/kernels/sift-codes-module.ts";
import { createSimdMemory } from "../../src/engine/kernels/simd-memory.ts";

describe("the modules of the scan", () => {
  it.each(kernels)("%s is what its source says, byte for byte", (name) => {
    const { made, written } = compareModule(name);
    expect(written).toBe(made);
  });

  it("are valid WebAssembly, and small", () => {
    const modules = [scanCodesModule, siftCodesModule].map((module) => Buffer.from(module, "base64"));
    for (const bytes of modules) expect(WebAssembly.validate(bytes)).toBe(true);
    expect(modules.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(2_800);
  });

  it("are not made of a source with a word that the assembler does not know", () => {
    const around = (code: string) => `(module (func (export "f") (param $a i32) ${code}))`;
    expect(() => assembleWat(around("local.get $a i32.flip"))).toThrow("Unknown instruction: i32.flip");
    expect(() => assembleWat(around("local.get $b"))).toThrow("Unknown local: $b");
    expect(() => assembleWat(around("block $x br $y end"))).toThrow("Unknown label: $y");
    expect(() => assembleWat(around("block $x"))).toThrow("Not ended: $x");
    expect(() => assembleWat("(module (func (export")).toThrow("A parenthesis is missing.");
    expect(() => assembleWat('(module (import "a" "b" (table 1)))')).toThrow("Only a memory is imported.");
  });
});

/** How a scan of made-up rows is made. */
interface Made {
  readonly dimensions: number;
  readonly rows: number;
  /** How many of the rows are there when weaving begins; the others come later. */
  readonly first: number;
  readonly seed: number;
  readonly extreme: boolean;
  readonly scaled: boolean;
}

/** What a scan finds, in two calls, and what the plain words of `CodeMemory.scan` give, by the query alone and with its digits. */
function scanRows(memory: CodeMemory, { dimensions, rows, first, seed, extreme, scaled }: Made) {
  let state = seed + 1;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const stride = strideOf(dimensions);
  const most = Math.min(32_767, Math.floor((2 ** 31 - 1) / (128 * dimensions)));
  const table = memory.allocate(stride, rows + 1);
  memory.reserve(stride, rows);
  table.fill((bytes) => bytes.fill(0));
  const norms: number[] = [];
  const slopes: number[] = [];
  const residuals: number[] = [];
  const query = memory.query.fill(0);
  for (let i = 0; i < dimensions; i++) query[i] = extreme ? -most : Math.round((random() * 2 - 1) * most);
  // What is nothing of the query in 7 bits is nothing to the padding.
  const digits = memory.digits.fill(64);
  for (let i = 0; i < dimensions; i++) digits[i] = extreme ? 127 * (seed % 2) : Math.round(random() * 126) + 1;
  const kept: Int8Array[] = [];
  for (let row = 0; row < rows; row++) {
    if (row === Math.min(first, rows)) memory.weave(table, row);
    memory.flags[row] = extreme || random() < 0.7 ? 1 : 0;
    norms[row] = random() * 3;
    slopes[row] = Math.fround(random());
    residuals[row] = Math.fround(random());
    const own = new Int8Array(stride);
    for (let i = 0; i < dimensions; i++) own[i] = extreme ? -128 : Math.round(random() * 255 - 128);
    kept.push(own);
    table.write(row, (given) => {
      given.codes.set(own);
      given.norms[0] = norms[row]!;
      given.slopes[0] = slopes[row]!;
      given.residuals[0] = residuals[row]!;
    });
  }
  memory.weave(table, rows);
  const bounds = {
    coarse: { tau: 1e-4, more: 1.6, margin: 0.2 },
    fine: { tau: 1e-6, more: 1.5, margin: 0.1 },
    scaled,
    shrink: 0.2,
    bound: extreme ? -Infinity : 0.3,
  };
  const found: (readonly [number, number, number])[] = [];
  const uppers: number[] = [];
  const half = (rows >> 3) * 4;
  // Sometimes there are more rows than are asked for.
  const last = Math.max(half, rows - (seed % 3));
  for (const [from, to] of [
    [0, half],
    [half, last],
  ] as const) {
    const count = memory.scan(table, from, to - from, bounds);
    for (let i = 0; i < count; i++) found.push([memory.found[i]!, memory.middles[i]!, memory.reaches[i]!]);
    uppers.push(...memory.uppers.subarray(0, to - from));
  }
  const bounded = (row: number, sum: number, { tau, more, margin }: SumBounds) => {
    const middle = slopes[row]! * (tau * sum);
    const reach = residuals[row]! * more + margin;
    const norm = norms[row]!;
    const upper = scaled ? norm * (middle + reach) - norm * norm * bounds.shrink : middle + reach;
    return { hit: [row, middle, reach] as const, upper: Math.fround(upper), reaches: upper >= bounds.bound };
  };
  const reached = kept.slice(0, last).map((own, row) => ({
    row,
    fine: bounded(row, dotCodes(own, 0, memory.query, dimensions), bounds.fine),
    coarse: bounded(
      row,
      dotCodes(
        own,
        0,
        Int16Array.from(memory.digits, (digit) => digit - 64),
        stride,
      ),
      bounds.coarse,
    ),
  }));
  // By the digits a row is bounded where they leave it out, and by the query where it is looked at.
  const bounded32 = reached.flatMap(({ row, fine, coarse }) =>
    memory.flags[row] === 1 ? { row, upper: uppers[row], byQuery: fine.upper, byDigits: coarse.upper } : [],
  );
  const byQuery = reached.filter(({ row, fine }) => memory.flags[row] === 1 && fine.reaches);
  return {
    found,
    byQuery: byQuery.map(({ fine }) => fine.hit),
    // The last rows that make no four are not looked at by digits.
    byDigits: byQuery
      .filter(({ row, coarse }) => row >= last - (last % 4) || coarse.reaches)
      .map(({ fine }) => fine.hit),
    kept,
    table,
    isBoundedByQuery: bounded32.every(({ upper, byQuery }) => upper === byQuery),
    isBounded: bounded32.every(({ upper, byQuery, byDigits }) => upper === byQuery || upper === byDigits),
  };
}

describe("a scan of codes", () => {
  const simd = createSimdMemory()!;
  const made: fc.Arbitrary<Made> = fc.record({
    dimensions: fc.integer({ min: 1, max: 200 }),
    rows: fc.nat(70),
    first: fc.nat(70),
    seed: fc.nat(1e6),
    extreme: fc.boolean(),
    scaled: fc.boolean(),
  });

  it("finds what its plain words say, bit for bit, with and without SIMD, also where sums fill 32 bits [T10 T29 L11]", () => {
    expect(simd.simd).toBe("relaxed");
    let sifted = 0;
    fc.assert(
      fc.property(made, (each) => {
        const fast = scanRows(simd, each);
        const plain = scanRows(createPlainMemory(), each);
        expect(fast.found).toEqual(fast.byDigits);
        expect(plain.found).toEqual(plain.byQuery);
        expect(fast.byQuery).toEqual(plain.byQuery);
        expect([fast.isBounded, plain.isBoundedByQuery]).toEqual([true, true]);
        expect(fast.found.length).toBeGreaterThanOrEqual(each.extreme ? each.rows - 2 : 0);
        sifted += fast.byQuery.length - fast.found.length;
        // Woven or not, a row's codes are what they were.
        expect(fast.kept.map((_, row) => fast.table.row(row))).toEqual(fast.kept);
        expect(plain.kept.map((_, row) => plain.table.row(row))).toEqual(plain.kept);
        for (const { kept, table } of [fast, plain]) {
          const target = new Float32Array(table.stride);
          const copied = kept.map((_, row) => (table.copyRow(row, target), Int8Array.from(target)));
          expect(copied).toEqual(kept);
        }
        simd.free(fast.table);
      }),
    );
    expect(sifted).toBeGreaterThan(0);
  });

  it("looks at every row by the whole query where there is no relaxed SIMD [T10 L11]", () => {
    const { Module } = WebAssembly;
    const sift = Buffer.from(siftCodesModule, "base64").length;
    vi.spyOn(WebAssembly, "Module").mockImplementation(function (bytes) {
      if (bytes.byteLength === sift) throw new SyntaxError("invalid numeric opcode");
      return new Module(bytes);
    });
    const older = createSimdMemory()!;
    vi.restoreAllMocks();
    expect(older.simd).toBe("plain");
    fc.assert(
      fc.property(made, (each) => {
        const { found, byQuery, table, isBoundedByQuery } = scanRows(older, each);
        expect(found).toEqual(byQuery);
        expect(isBoundedByQuery).toBe(true);
        older.free(table);
      }),
    );
  });

  it("keeps tables apart while the memory grows, and uses again what is given back", () => {
    const memory = createSimdMemory()!;
    const kept = Array.from({ length: 40 }, (_, i) => {
      const table = memory.allocate(32, 3_000);
      table.fill((bytes) => bytes.fill(i + 1));
      memory.reserve(32, 1000 * i);
      memory.weave(table, 3_000);
      memory.query.fill(-1);
      memory.digits.fill(255);
      memory.flags.fill(255);
      memory.found.fill(0);
      memory.middles.fill(0);
      memory.reaches.fill(0);
      return table;
    });
    kept.forEach((table, i) => {
      const norm = new Float64Array(new Uint8Array(8).fill(i + 1).buffer)[0];
      for (const row of [0, 1, 1_501, 2_999]) {
        expect(table.row(row)).toEqual(new Int8Array(32).fill(i + 1));
        expect(table.norm(row)).toBe(norm);
      }
    });
    for (const table of kept) memory.free(table);
    const grow = vi.spyOn(WebAssembly.Memory.prototype, "grow");
    memory.allocate(32, 60_000).fill((bytes) => bytes.fill(0));
    expect(grow).not.toHaveBeenCalled();
    grow.mockRestore();
    // What was given back twice is there once.
    memory.free(kept[0]!);
    const [a, b] = [memory.allocate(32, 1), memory.allocate(32, 1)];
    a.fill((bytes) => bytes.fill(1));
    b.fill((bytes) => bytes.fill(2));
    expect(a.row(0)).toEqual(new Int8Array(32).fill(1));
  });

  it("goes on plainly where such a memory cannot grow any more", () => {
    vi.spyOn(WebAssembly.Memory.prototype, "grow").mockImplementation(() => {
      throw new RangeError("no more memory");
    });
    try {
      const memory = createSimdMemory()!;
      memory.reserve(224, 100);
      const large = Object.create(memory, {
        allocate: { value: (stride: number, rows: number) => memory.allocate(stride, rows + 2_000) },
      }) as CodeMemory;
      const all = { dimensions: 200, rows: 60, first: 20, seed: 3, extreme: false, scaled: true };
      const { found, byQuery } = scanRows(large, all);
      expect(found).toEqual(byQuery);
      expect(found.length).toBeGreaterThan(0);
    } finally {
      vi.restoreAllMocks();
    }
  });
});

describe("a memory of codes without room for a search", () => {
  const stride = 32;
  const rows = 41;
  const write = (memory: CodeMemory, seed: number) => {
    const table = memory.allocate(stride, rows);
    table.write(0, ({ codes, norms, slopes, residuals }) => {
      for (let i = 0; i < rows * stride; i++) codes[i] = ((i * 31 + seed) % 251) - 125;
      norms.fill(1);
      slopes.fill(1);
      residuals.fill(0);
    });
    return table;
  };
  /** Rows and sums of a table, as far as they reach 20,000. */
  const scan = (memory: CodeMemory, table: CodeTable): (readonly [number, number])[] => {
    memory.query.set(Int16Array.from({ length: stride }, (_, i) => i * 3 - 40));
    memory.digits.set(Uint8Array.from({ length: stride }, (_, i) => i * 3 - 40 + 64));
    memory.flags.fill(1, 0, rows);
    const one = { tau: 1, more: 0, margin: 0 };
    const bounds = { fine: one, coarse: one, scaled: false, shrink: 0, bound: 20_000 };
    const count = memory.scan(table, 0, rows, bounds);
    return Array.from({ length: count }, (_, at) => [memory.found[at]!, memory.middles[at]!]);
  };

  it("scans plainly what is woven and what is not, and as before once there is room", () => {
    const plain = createPlainMemory();
    plain.reserve(stride, rows);
    const expected = [1, 2].map((seed) => scan(plain, write(plain, seed)));
    for (const found of expected) expect(found.length).toBeGreaterThan(0);
    const memory = createSimdMemory()!;
    memory.reserve(stride, rows);
    const [woven, late] = [write(memory, 1), write(memory, 2)];
    memory.weave(woven, rows);
    vi.spyOn(WebAssembly.Memory.prototype, "grow").mockImplementation(() => {
      throw new RangeError("no more memory");
    });
    try {
      for (let search = 0; search < 2; search++) {
        memory.reserve(stride, 3_000_000);
        memory.weave(late, rows);
        expect([woven, late].map((table) => scan(memory, table))).toEqual(expected);
      }
    } finally {
      vi.restoreAllMocks();
    }
    memory.reserve(stride, rows);
    memory.weave(late, rows);
    expect([woven, late].map((table) => scan(memory, table))).toEqual(expected);
  });
});

describe("free stretches", () => {
  /** The plain reference: one flag for every place of the room, and a look from the left. */
  function naive(room: number) {
    const isFree = Array<boolean>(room).fill(true);
    const fill = (start: number, length: number, free: boolean) => isFree.fill(free, start, start + length);
    return {
      give: (start: number, length: number) => fill(start, length, true),
      take(length: number): number {
        const starts = Array.from({ length: room - length + 1 }, (_, start) => start);
        const start = starts.find((at) => isFree.slice(at, at + length).every(Boolean)) ?? -1;
        if (start >= 0) fill(start, length, false);
        return start;
      },
    };
  }

  it("are the first that a look at every place finds, and become one again when all is given back", () => {
    const step = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(0));
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat(100)), { maxLength: 120 }), (steps) => {
        const free = createFreeList();
        const plain = naive(256);
        free.give(0, 100);
        free.give(100, 156);
        const taken: { start: number; length: number }[] = [];
        const starts: [number, number][] = [];
        for (const [length, pick] of steps) {
          if (length > 0) {
            const start = free.take(length);
            starts.push([start, plain.take(length)]);
            if (start >= 0) taken.push({ start, length });
          } else if (taken.length > 0) {
            const [gone] = taken.splice(pick % taken.length, 1);
            free.give(gone!.start, gone!.length);
            plain.give(gone!.start, gone!.length);
          }
        }
        expect(starts.map(([start]) => start)).toEqual(starts.map(([, start]) => start));
        for (const { start, length } of taken) free.give(start, length);
        expect(free.take(256)).toBe(0);
        expect(free.take(1)).toBe(-1);
      }),
    );
  });
});

describe("rounding to codes", () => {
  it("by hand: the largest coordinate is the largest code, the others the nearest steps", () => {
    const codes = new Int8Array(4);
    const { step, residual } = quantize(Float32Array.of(9, 254, -254, 3, 1, 9), 1, 4, 127, codes, 0);
    // Steps of 2: 254 and -254 are 127 steps, 3 is a tie between 1 and 2 that the even one wins, 1 one between 0 and 1.
    expect([step, [...codes]]).toEqual([2, [127, -127, 2, 0]]);
    expect(residual).toBeCloseTo(Math.SQRT2, 8);
    expect(residual).toBeGreaterThanOrEqual(Math.SQRT2);
  });

  it("leaves out no more than it says, in codes of 8 and of 16 bits, from the largest to the smallest numbers", () => {
    const number = fc.float({ noNaN: true, noDefaultInfinity: true });
    const small = fc.integer({ min: -400, max: 400 }).map((steps) => Math.fround(steps * 2 ** -149));
    const values = fc.oneof(fc.array(number, { maxLength: 40 }), fc.array(small, { maxLength: 40 }));
    fc.assert(
      fc.property(values, fc.constantFrom(15, 127, 32_767), (row, largest) => {
        const codes = new Int16Array(row.length + 1);
        const { step, residual } = quantize(Float32Array.from(row), 0, row.length, largest, codes, 1);
        expect(Math.fround(step)).toBe(step);
        let left = 0;
        row.forEach((value, i) => {
          const code = codes[i + 1]!;
          expect(Math.abs(code)).toBeLessThanOrEqual(largest);
          // Exact, as its proof says; and never more than the coordinate itself.
          const rest = value - step * code;
          expect(Math.abs(rest)).toBeLessThanOrEqual(Math.abs(value) * (1 + 2 ** -40));
          left += rest * rest;
        });
        expect(residual).toBeGreaterThanOrEqual(Math.sqrt(left));
        expect(residual).toBeLessThanOrEqual(Math.sqrt(left) * (1 + 2 ** -29));
      }),
      { numRuns: 500 },
    );
  });
});

it("the k-th best is what sorting everything gives, run after run", () => {
  const kth = createKthBest();
  const scores = fc.array(fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: 0, max: 3 })), { maxLength: 200 });
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 150 }), (offered, k) => {
      kth.reset(k);
      const all: number[] = [];
      for (const score of offered) {
        kth.offer(score);
        all.push(score);
        const sorted = all.toSorted((a, b) => b - a);
        expect(kth.floor + 0).toBe((sorted[k - 1] ?? -Infinity) + 0);
      }
    }),
  );
});
