import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factorCholesky, invertLower } from "../../src/engine/kernels/cholesky.ts";
import { eigenSymmetric } from "../../src/engine/kernels/eigen-symmetric.ts";
import { addGram } from "../../src/engine/kernels/gram-matrix.ts";
import { multiplyDense } from "../../src/engine/kernels/multiply-dense.ts";
import { naturalLogarithm } from "../../src/engine/kernels/natural-logarithm.ts";
import { fillRandomSigns } from "../../src/engine/kernels/random-signs.ts";
import { multiplySparse, type SparseMatrix, transposeSparse } from "../../src/engine/kernels/sparse-matrix.ts";
import { truncateSvd, type TruncatedSvd, type TruncatedSvdOptions } from "../../src/engine/kernels/truncated-svd.ts";

type Rows = readonly (readonly number[])[];

/** Whole numbers, many of them zero, so that sums are exact in any order. */
const matrix = (rows: number, columns: number) =>
  fc.array(
    fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: -9, max: 9 })), {
      minLength: columns,
      maxLength: columns,
    }),
    { minLength: rows, maxLength: rows },
  );
const anyMatrix = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))
  .chain(([n, m]) => matrix(n, m));

const flat = (rows: Rows) => Float64Array.from(rows.flat());
const turn = (rows: Rows): number[][] => rows[0]!.map((_, column) => rows.map((row) => row[column]!));
const times = (a: Rows, b: Rows): number[][] =>
  a.map((row) => turn(b).map((column) => row.reduce((sum, value, i) => sum + value * column[i]!, 0)));
const plain = (values: Float64Array) => Array.from(values, (value) => value + 0);

function toSparse(rows: Rows): SparseMatrix {
  const starts = [0];
  const indices: number[] = [];
  const values: number[] = [];
  for (const row of rows) {
    row.forEach((value, column) => {
      if (value === 0) return;
      indices.push(column);
      values.push(value);
    });
    starts.push(values.length);
  }
  return {
    rows: rows.length,
    columns: rows[0]?.length ?? 0,
    starts: Uint32Array.from(starts),
    indices: Uint32Array.from(indices),
    values: Float64Array.from(values),
  };
}

function factor(rows: Rows, options: TruncatedSvdOptions): TruncatedSvd {
  const steps = truncateSvd(toSparse(rows), options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Singular values, largest first, by turning pairs of columns until all are orthogonal (Hestenes 1958). */
function naiveSingularValues(rows: Rows): number[] {
  const columns = turn(rows);
  let turned = true;
  for (let sweep = 0; sweep < 60 && turned; sweep++) {
    turned = false;
    for (let p = 0; p < columns.length; p++) {
      for (let q = p + 1; q < columns.length; q++) {
        const [x, y] = [columns[p]!, columns[q]!];
        const dot = (a: number[], b: number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
        const cross = dot(x, y);
        if (Math.abs(cross) <= 1e-15 * Math.sqrt(dot(x, x) * dot(y, y))) continue;
        turned = true;
        const angle = 0.5 * Math.atan2(2 * cross, dot(x, x) - dot(y, y));
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        columns[p] = x.map((value, i) => c * value + s * y[i]!);
        columns[q] = x.map((value, i) => c * y[i]! - s * value);
      }
    }
  }
  return columns.map((column) => Math.hypot(...column)).sort((a, b) => b - a);
}

describe("products of matrices are those of the definition", () => {
  it("sparse by dense, in any slices, and transposed [L11]", () => {
    fc.assert(
      fc.property(anyMatrix, fc.integer({ min: 1, max: 6 }), fc.nat(12), (rows, width, cut) => {
        const sparse = toSparse(rows);
        const right = Array.from({ length: sparse.columns }, (_, i) =>
          Array.from({ length: width }, (__, j) => ((7 * i + 3 * j) % 11) - 5),
        );
        const product = new Float64Array(rows.length * width).fill(99);
        const middle = Math.min(cut, rows.length);
        multiplySparse(sparse, flat(right), width, product, 0, middle);
        multiplySparse(sparse, flat(right), width, product, middle, rows.length);
        expect(plain(product)).toEqual(times(rows, right).flat());
        expect(transposeSparse(sparse)).toEqual(toSparse(turn(rows)));
      }),
    );
  });

  it("dense by dense, and rows by themselves", () => {
    fc.assert(
      fc.property(anyMatrix, (rows) => {
        const width = rows[0]!.length;
        const square = times(turn(rows), rows);
        const product = new Float64Array(rows.length * width).fill(99);
        multiplyDense(flat(rows), width, flat(square), width, product, 0, rows.length);
        expect(plain(product)).toEqual(times(rows, square).flat());
        const gram = new Float64Array(width * width);
        addGram(flat(rows), width, gram, 0, rows.length);
        expect(plain(gram)).toEqual(square.flatMap((row, i) => row.map((value, j) => (j <= i ? value : 0))));
      }),
    );
  });
});

describe("factors of a matrix give it back", () => {
  it("Cholesky's, of as many columns as are independent", () => {
    fc.assert(
      fc.property(anyMatrix, (rows) => {
        const size = rows[0]!.length;
        const gram = times(turn(rows), rows);
        const { rank, order, lower } = factorCholesky(flat(gram), size, 1e-12);
        expect(rank).toBe(naiveSingularValues(rows).filter((value) => value > 1e-5).length);
        const at = (i: number, j: number): number => lower[i * rank + j]!;
        for (let i = 0; i < rank; i++) {
          for (let j = 0; j < rank; j++) {
            let sum = 0;
            for (let k = 0; k < rank; k++) sum += at(i, k) * at(j, k);
            expect(sum).toBeCloseTo(gram[order[i]!]![order[j]!]!, 8);
          }
        }
        const inverse = invertLower(lower, rank);
        const identity = new Float64Array(rank * rank);
        multiplyDense(inverse, rank, lower, rank, identity, 0, rank);
        identity.forEach((value, i) => expect(value).toBeCloseTo(i % (rank + 1) === 0 ? 1 : 0, 6));
      }),
    );
  });

  it("eigenvectors, orthonormal, largest value first", () => {
    fc.assert(
      fc.property(anyMatrix, (rows) => {
        const size = rows[0]!.length;
        const gram = times(turn(rows), rows);
        const { values, vectors } = eigenSymmetric(flat(gram), size);
        const vector = (i: number) => [...vectors.subarray(i * size, (i + 1) * size)];
        for (let i = 0; i < size; i++) {
          expect(values[i]!).toBeLessThanOrEqual(values[Math.max(0, i - 1)]!);
          const image = times(gram, turn([vector(i)])).flat();
          image.forEach((value, at) => expect(value).toBeCloseTo(values[i]! * vector(i)[at]!, 8));
          for (let j = 0; j <= i; j++) {
            const product = vector(i).reduce((sum, value, at) => sum + value * vector(j)[at]!, 0);
            expect(product).toBeCloseTo(i === j ? 1 : 0, 10);
          }
        }
      }),
    );
  });

  it("singular values and right vectors, as a plain Jacobi method finds them", () => {
    fc.assert(
      fc.property(anyMatrix, fc.integer({ min: 1, max: 14 }), (rows, wanted) => {
        const naive = naiveSingularValues(rows);
        const above = (share: number) => naive.filter((value) => value > 0 && value > share * naive[0]!).length;
        const svd = factor(rows, { rank: wanted });
        const sure = Math.min(wanted, above(0.02));
        expect(svd.rank).toBeGreaterThanOrEqual(sure);
        expect(svd.rank).toBeLessThanOrEqual(Math.min(wanted, above(1e-6)));
        for (let i = 0; i < sure; i++) expect(svd.values[i]!).toBeCloseTo(naive[i]!, 4);
        const columns = rows[0]!.length;
        const block = new Float64Array(columns * svd.rank);
        svd.rightVectors(0, columns, block);
        const right = Array.from({ length: columns }, (_, i) => [...block.subarray(i * svd.rank, (i + 1) * svd.rank)]);
        if (svd.rank === 0) return;
        times(turn(right), right).forEach((row, i) =>
          row.forEach((value, j) => expect(value).toBeCloseTo(i === j ? 1 : 0, 5)),
        );
        // A row is what its coordinates say, when nothing was left out.
        if (svd.rank < above(1e-6)) return;
        const again = times(times(rows, right), turn(right));
        again.forEach((row, i) => row.forEach((value, j) => expect(value).toBeCloseTo(rows[i]![j]!, 3)));
      }),
    );
  });

  it("the leading ones of a matrix too large to follow whole, from any seed", () => {
    // Eighty rows around five directions of falling weight, with a little noise.
    const noise = new Float64Array(80 * 40);
    fillRandomSigns(noise, 5);
    const rows = Array.from({ length: 80 }, (_, i) =>
      Array.from({ length: 40 }, (__, j) => (i % 5 === j % 5 ? 10 - 1.5 * (i % 5) : 0) + 0.05 * noise[i * 40 + j]!),
    );
    const naive = naiveSingularValues(rows);
    for (const seed of [1, 77, -3]) {
      const { rank, values } = factor(rows, { rank: 5, oversampling: 8, seed });
      expect(rank).toBe(5);
      values.forEach((value, i) => expect(Math.abs(value / naive[i]! - 1)).toBeLessThan(1e-4));
    }
  });

  it("of nothing: none", () => {
    const none = toSparse([]);
    expect(truncateSvd(none, { rank: 3 }).next()).toMatchObject({ done: true, value: { rank: 0 } });
    expect(
      factor(
        [
          [0, 0],
          [0, 0],
        ],
        { rank: 2 },
      ).rank,
    ).toBe(0);
  });

  it("works in slices, and the share that is done grows to 1", () => {
    // Wide enough for several slices: 4,000 rows of 200 entries by 58 directions.
    const starts = Uint32Array.from({ length: 4001 }, (_, i) => i * 200);
    const indices = Uint32Array.from({ length: 800_000 }, (_, p) => (p % 200) * 5 + (((p / 200) | 0) % 5));
    const values = Float64Array.from({ length: 800_000 }, (_, p) => 1 + ((p * 7919) % 13));
    const large: SparseMatrix = { rows: 4000, columns: 1000, starts, indices, values };
    const steps = truncateSvd(large, { rank: 8, oversampling: 8 });
    const shares: number[] = [];
    for (let step = steps.next(); step.done !== true; step = steps.next()) shares.push(step.value);
    expect(shares.length).toBeGreaterThan(5);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });
});

describe("numbers that every engine makes alike [L11]", () => {
  it("a logarithm without Math.log", () => {
    expect(naturalLogarithm(1)).toBe(0);
    expect(naturalLogarithm(2)).toBe(Math.LN2);
    expect(naturalLogarithm(1024)).toBe(10 * Math.LN2);
    fc.assert(
      fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true }), (x) => {
        const expected = Math.log(x);
        expect(Math.abs(naturalLogarithm(x) - expected)).toBeLessThanOrEqual(6e-16 * Math.max(1, Math.abs(expected)));
      }),
    );
  });

  it("signs by chance: the same for a seed, balanced, and others for another", () => {
    const draw = (seed: number) => {
      const signs = new Float64Array(10_000);
      fillRandomSigns(signs, seed);
      return [...signs];
    };
    const signs = draw(1);
    // Xorshift from 1 gives 270369 first: bits 1 0 0 0 0 1 0 0 …
    expect(signs.slice(0, 8)).toEqual([1, -1, -1, -1, -1, 1, -1, -1]);
    expect(signs.every((sign) => sign === 1 || sign === -1)).toBe(true);
    expect(Math.abs(signs.reduce((sum, sign) => sum + sign, 0))).toBeLessThan(400);
    expect(draw(1)).toEqual(signs);
    expect(draw(2)).not.toEqual(signs);
  });

  it("signs by chance: the bits of Marsaglia's shifts, in numbers of any length cut to 32 bits", () => {
    const naive = (seed: number, length: number): number[] => {
      const signs: number[] = [];
      for (let state = BigInt.asUintN(32, BigInt(seed)); signs.length < length;) {
        state ^= BigInt.asUintN(32, state << 13n);
        state ^= state >> 17n;
        state ^= BigInt.asUintN(32, state << 5n);
        for (let bit = 0n; bit < 32n; bit++) signs.push((state >> bit) % 2n === 1n ? 1 : -1);
      }
      return signs.slice(0, length);
    };
    const seeds = fc.integer().filter((seed) => seed !== 0);
    fc.assert(
      fc.property(seeds, fc.nat(200), (seed, length) => {
        const signs = new Float64Array(length);
        fillRandomSigns(signs, seed);
        expect([...signs]).toEqual(naive(seed, length));
      }),
    );
  });
});
