import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { strideOf } from "../../src/engine/kernels/code-layout.ts";
import { dotCodes } from "../../src/engine/kernels/dot-codes.ts";
import { createPlainMemory } from "../../src/engine/kernels/plain-memory.ts";
import { quantize } from "../../src/engine/kernels/quantize.ts";
import { createSimdMemory } from "../../src/engine/kernels/simd-memory.ts";
import type { VectorColumn } from "../../src/engine/segments/segment.ts";
import { writeRow } from "../../src/engine/vectors/dense-rows.ts";
import { searchNearest } from "../../src/engine/vectors/nearest.ts";
import { toStoredVector } from "../../src/engine/vectors/stored-vector.ts";
import { tightenBounds } from "../../src/engine/vectors/tighten-bounds.ts";
import { readColumn } from "../../src/engine/vectors/vector-column.ts";
import { dot, norm } from "../../src/runtime/dot.ts";
import { openFiles, segmentOf, writeColumn } from "./column-files.ts";

function createRandom(seed: number): () => number {
  let state = seed + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;
}

/** Rows of a few shapes, each times a power of two. */
const row = fc
  .record({
    dimensions: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(97, 384)),
    shape: fc.constantFrom("any", "cone", "narrow", "constant", "zero", "peak", "opposite", "same"),
    seed: fc.nat(1e6),
    scale: fc.constantFrom(1, 2 ** -60, 2 ** 60, 2 ** -135),
    /** Largest code of the query: few bits leave much of it out. */
    largest: fc.constantFrom(3, 63, 32_767),
  })
  .map(({ dimensions, shape, seed, scale, largest }) => {
    const random = createRandom(seed);
    const draw = () => Float32Array.from({ length: dimensions }, random);
    const centre = draw();
    const near = (spread: number) => draw().map((value, i) => centre[i]! + spread * value);
    const query = shape === "any" || shape === "peak" ? draw() : near(shape === "narrow" ? 0.01 : 0.5);
    const made = {
      any: draw,
      cone: () => near(0.5),
      narrow: () => near(0.01),
      constant: () => new Float32Array(dimensions).fill(0.3),
      zero: () => new Float32Array(dimensions),
      peak: () => draw().map((value, i) => (i === seed % dimensions ? 1000 : value)),
      opposite: () => query.map((value) => -value),
      same: () => query.slice(),
    }[shape]();
    return { query, largest, values: made.map((value) => value * scale) };
  });

describe("bounds by the angle between codes and query", () => {
  it("hold the cosine of rows of all shapes, and are no wider than those before [T10 L5]", () => {
    let narrowed = 0;
    fc.assert(
      fc.property(row, ({ query, largest, values }) => {
        const { length } = values;
        const memory = createPlainMemory();
        const table = memory.allocate(strideOf(length), 1);
        table.write(0, (rows) => writeRow(values, 0, rows));
        const codes = new Int16Array(strideOf(length));
        const { step, residual: left } = quantize(query, 0, length, largest, codes, 0);
        const size = norm(query, 0, length);
        const omega = left / size;
        const own = table.row(0);
        const { product, squares } = table.sums(0, codes);
        expect(product).toBe(codes.reduce((whole, code, i) => whole + code * own[i]!, 0));
        const [slope, residual] = [table.slope(0), table.residual(0)];
        const given = { middle: slope * ((step / size) * product), reach: residual * (1 + omega) + omega + 2 ** -20 };
        const bounds = tightenBounds(given, { coded: slope * Math.sqrt(squares), residual }, omega);
        const cosine = table.norm(0) === 0 ? 0 : dot(values, 0, query, 0, length) / (table.norm(0) * size);
        for (const { middle, reach } of [given, bounds]) expect(Math.abs(cosine - middle)).toBeLessThanOrEqual(reach);
        expect(bounds.reach).toBeLessThanOrEqual(given.reach);
        if (bounds !== given) narrowed++;
      }),
      { numRuns: 3_000 },
    );
    expect(narrowed).toBeGreaterThan(1_000);
  });

  it("know the sums of a row's codes, woven or not", () => {
    const memory = createSimdMemory()!;
    const table = memory.allocate(64, 7);
    memory.reserve(64, 7);
    const random = createRandom(3);
    const rows = Array.from({ length: 7 }, () => Float32Array.from({ length: 45 }, random));
    table.write(0, (coding) => {
      coding.codes.fill(0);
      rows.forEach((values, at) => writeRow(values, at, coding));
    });
    const query = Int16Array.from({ length: 64 }, (_, i) => (i * 7919) % 30_000);
    const sums = () => rows.map((_, at) => table.sums(at, query));
    const before = sums();
    memory.weave(table, 7);
    expect(sums()).toEqual(before);
    for (const [at, { product, squares }] of before.entries()) {
      expect(product).toBe(dotCodes(table.row(at), 0, query, 64));
      expect(Math.abs(table.slope(at) * Math.sqrt(squares) - 1)).toBeLessThan(0.01);
    }
    memory.free(table);
    expect(() => table.sums(0, query)).toThrow("after it was freed");
  });

  it("spare a cone's rows from being read: 21 are scored, and 108 by the length of the rest alone", () => {
    const random = createRandom(11);
    const centre = Float32Array.from({ length: 96 }, () => 4 * random());
    const draw = () => Array.from(centre, (value) => Math.fround(16 * (value + random())));
    const rows = Array.from({ length: 6_000 }, draw);
    const { header, files } = writeColumn("float32", rows, (at) => at);
    const { read } = openFiles(files);
    const column = readColumn(header, 0, read);
    const dense = column.dense()!;
    let scored = 0;
    const counted: VectorColumn = {
      ...column,
      dense: () => ({
        ...dense,
        block(at) {
          scored++;
          return dense.block(at);
        },
      }),
    };
    const query = toStoredVector("v", Float32Array.from(draw()));
    const admitted = new Uint8Array(rows.length).fill(1);
    searchNearest([{ segment: segmentOf(counted, rows.length), admitted }], query, "cosine", 10, -Infinity);
    expect(scored).toBeLessThan(40);
  });

  it("are the same when a search runs again with the rows that it lacked: it lacks no more", () => {
    const random = createRandom(13);
    const centre = Float32Array.from({ length: 96 }, () => 4 * random());
    const draw = () => Array.from(centre, (value) => Math.fround(16 * (value + random())));
    const rows = Array.from({ length: 3_000 }, draw);
    const { header, files } = writeColumn("float32", rows, (at) => at);
    const { read } = openFiles(files);
    const admitted = new Uint8Array(rows.length).fill(1);
    const lacking = new Error("not here");
    let fetched = 0;
    const searchTwice = (vector: Float32Array, minScore: number) => {
      const here = new Set<number>();
      let wanted: number[] = [];
      const readHere = (name: string, part: number): Uint8Array => {
        if (name.startsWith("dense/") && !here.has(part)) throw lacking;
        return read(name, part);
      };
      const expected = (_: string, parts: readonly number[]): void =>
        void wanted.push(...parts.filter((part) => !here.has(part)));
      const column = readColumn(header, 0, readHere, undefined, expected);
      const searched = [{ segment: segmentOf(column, rows.length), admitted }];
      const query = toStoredVector("v", vector);
      const ask = () => {
        wanted = [];
        try {
          return searchNearest(searched, query, "cosine", 10, minScore);
        } catch (error) {
          if (error === lacking) return [];
          throw error;
        }
      };
      expect(ask()).toEqual([]);
      for (const part of wanted) here.add(part);
      fetched += wanted.length;
      const found = ask();
      expect(wanted).toEqual([]);
      expect(ask()).toEqual(found);
      expect(wanted).toEqual([]);
      return found.map(({ ordinal, score }) => [ordinal, score] as const);
    };
    for (let i = 0; i < 40; i++) {
      const vector = Float32Array.from(draw());
      const found = searchTwice(vector, -Infinity);
      expect(found).toHaveLength(10);
      // Fewer than are asked for: the threshold alone says which rows count.
      expect(searchTwice(vector, found[4]![1])).toEqual(found.slice(0, 5));
    }
    expect(fetched).toBeLessThan(40 * 30);
  });
});
