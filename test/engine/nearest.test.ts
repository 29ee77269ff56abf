import fc from "fast-check";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Embedding, Metric } from "../../src/contracts/embedding.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import * as nearest from "../../src/engine/vectors/nearest.ts";
import type { Segment, VectorColumn } from "../../src/engine/segments/segment.ts";
import * as live from "../../src/engine/segments/live-segment.ts";
import { encodeVectors, type StoredVector, toStoredVector } from "../../src/engine/vectors/stored-vector.ts";
import * as columns from "../../src/engine/vectors/vector-column.ts";
import { compareChunkPlaces } from "../../src/runtime/compare-text.ts";

/** A chunk of the test's world: its vector if it has one, and whether it may be found. */
interface Item {
  readonly vector: StoredVector | undefined;
  readonly admitted: boolean;
}

interface Code {
  readonly searchNearest: typeof nearest.searchNearest;
  readonly createColumnWriter: typeof columns.createColumnWriter;
  readonly readColumn: typeof columns.readColumn;
  readonly createLiveSegment: typeof live.createLiveSegment;
}

const idOf = (i: number) => `c${String(i).padStart(4, "0")}`;
/** A few documents, whose order is not that of the ids; some chunks share an offset. */
const placeOf = (i: number) => ({ uri: `d${(i * 5) % 4}`, start: (i * 7) % 5 });
const scopeOf = (place: number): Scope => `team:${place}`;

/** A sealed segment; its ordinals are in order of ids. */
function seal(code: Code, items: readonly Item[], scope: Scope, beforeCodes: boolean): Segment {
  const written = new Map<string, VectorColumn>();
  for (const form of ["float32", "int8"] as const) {
    const rows = items.flatMap(({ vector }, ordinal) =>
      vector !== undefined && vector.dense instanceof Int8Array === (form === "int8") ? [{ vector, ordinal }] : [],
    );
    if (rows.length === 0) continue;
    const { version, kind, dense } = rows[0]!.vector;
    const writer = code.createColumnWriter(version, kind, dense.length, form);
    for (const { vector, ordinal } of rows) writer.add(ordinal, vector);
    const { header, files } = writer.finish(0);
    const read = (name: string, part: number) => files.find((file) => file.name === name && file.part === part)!.data;
    const old = { version, kind, dimensions: header.dimensions, rows: header.rows };
    const isOld = beforeCodes && form === "float32" && kind === "dense";
    written.set(form, code.readColumn(isOld ? old : header, 0, isOld ? readOld(rows, read) : read));
  }
  return {
    scope,
    size: items.length,
    live: new Uint8Array(items.length).fill(1),
    liveCount: items.length,
    chunkId: idOf,
    chunkIds: (ordinals: readonly number[]) => ordinals.map(idOf),
    places: (ordinals: readonly number[]) => ordinals.map(placeOf),
    column: (_version: string, _kind: string, form: string) => written.get(form),
    columns: () => written.values(),
  } as unknown as Segment;
}

/** The files that a column had before there were codes: blocks of 1 MB, which these vectors never fill. */
function readOld(rows: readonly { readonly vector: StoredVector }[], read: (name: string, part: number) => Uint8Array) {
  const whole = Float32Array.from(rows.flatMap(({ vector }) => [...vector.dense]));
  return (name: string, part: number) => {
    expect(name).not.toMatch(/codes/u);
    return name === "dense/0" ? new Uint8Array(whole.buffer) : read(name, part);
  };
}

/** A live segment, to which the chunks come in another order than that of their ids. */
function tail(code: Code, items: readonly Item[], scope: Scope): { segment: Segment; admitted: Uint8Array } {
  const segment = code.createLiveSegment(scope, {
    chunkPlaces: (keys: readonly number[]) => keys.map(placeOf),
  } as never);
  const order = items.map((_, i) => i).sort((a, b) => ((a * 7) % 11) - ((b * 7) % 11) || a - b);
  const admitted = new Uint8Array(items.length);
  order.forEach((i, ordinal) => {
    const { vector } = items[i]!;
    const vectors = encodeVectors(vector === undefined ? [] : [vector]);
    admitted[ordinal] = items[i]!.admitted ? 1 : 0;
    segment.add({ key: i, id: idOf(i), stamp: 0, live: true, terms: new Uint8Array(1), vectors });
  });
  return { segment, admitted };
}

const placed = ({ id, scope }: { readonly id: string; readonly scope: Scope }) => ({
  ...placeOf(Number(id.slice(1))),
  scope,
  id,
});

/** The plain reference: every score in one loop, by the definition, then everything sorted. */
function naive(world: readonly (readonly Item[])[], query: StoredVector, metric: Metric, topK: number, floor: number) {
  const lanes = (length: number, term: (i: number) => number) => {
    const sums = [0, 0, 0, 0];
    for (let i = 0; i < length; i++) sums[i % 4]! += term(i);
    return sums[0]! + sums[1]! + (sums[2]! + sums[3]!);
  };
  const product = (a: StoredVector, b: StoredVector) => lanes(a.dense.length, (i) => a.dense[i]! * b.dense[i]!);
  const score = (row: StoredVector) => {
    if (metric === "dot") return product(row, query) + 0;
    if (metric === "euclidean") {
      const difference = (i: number) => row.dense[i]! - query.dense[i]!;
      return 1 / (1 + Math.sqrt(lanes(row.dense.length, (i) => difference(i) * difference(i))));
    }
    const [a, b] = [Math.sqrt(product(row, row)), Math.sqrt(product(query, query))];
    return a === 0 || b === 0 ? 0 : Math.max(-1, Math.min(1, product(row, query) / (a * b))) + 0;
  };
  return world
    .flatMap((items, place) =>
      items.flatMap(({ vector, admitted }, i) =>
        vector === undefined || !admitted ? [] : [{ id: idOf(i), scope: scopeOf(place), score: score(vector) }],
      ),
    )
    .filter((hit) => hit.score >= floor)
    .sort((a, b) => b.score - a.score || compareChunkPlaces(placed(a), placed(b)))
    .slice(0, topK);
}

/** Neighbouring 32-bit numbers. */
function nudge(value: number, steps: number): number {
  const bits = new Int32Array(Float32Array.of(value).buffer);
  bits[0]! += steps;
  const moved = new Float32Array(bits.buffer)[0]!;
  return Number.isFinite(moved) ? moved : value;
}

const finite = fc.float({ noNaN: true, noDefaultInfinity: true, min: Math.fround(-1e30), max: Math.fround(1e30) });
const unit = fc.float({ noNaN: true, min: -1, max: 1 });

/** A dense vector, made to be hard to tell from a few others. */
function vectorLike(bases: readonly (readonly number[])[], dimensions: number): fc.Arbitrary<Embedding> {
  const base = fc.constantFrom(...bases);
  const zeros = new Float32Array(dimensions);
  return fc.oneof(
    // The same, the same but for the last bit of some coordinate, and the same times a power of two: ties and near ties.
    { weight: 4, arbitrary: base.map((values) => Float32Array.from(values)) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(base, fc.nat(dimensions - 1), fc.integer({ min: -2, max: 2 }))
        .map(([values, at, steps]) =>
          Float32Array.from(values, (value, i) => (i === at ? nudge(value, steps) : value)),
        ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(base, fc.constantFrom(2, 0.5, -1, 2 ** -60, 2 ** 60, 2 ** -140, 2 ** 100))
        .map(([values, factor]) => Float32Array.from(values, (value) => Math.fround(value * factor)))
        .filter((values) => values.every(Number.isFinite)),
    },
    { weight: 3, arbitrary: fc.array(unit, { minLength: dimensions, maxLength: dimensions }) },
    { weight: 1, arbitrary: fc.array(finite, { minLength: dimensions, maxLength: dimensions }) },
    // One coordinate far above the others, which then have codes of 0.
    {
      weight: 1,
      arbitrary: fc
        .tuple(base, fc.nat(dimensions - 1))
        .map(([values, at]) => values.map((v, i) => (i === at ? 1e6 : v))),
    },
    { weight: 1, arbitrary: fc.constant(zeros) },
    {
      weight: 3,
      arbitrary: base.map((values) => Int8Array.from(values, (value) => Math.max(-128, Math.min(127, value * 128)))),
    },
    { weight: 1, arbitrary: fc.constant(new Int8Array(dimensions).fill(-128)) },
  );
}

const world = fc
  .tuple(fc.constantFrom(1, 2, 3, 4, 31, 32, 33, 100), fc.integer({ min: 1, max: 4 }))
  .chain(([dimensions, count]) =>
    fc
      .array(fc.array(unit, { minLength: dimensions, maxLength: dimensions }), { minLength: count, maxLength: count })
      .chain((bases) => {
        const vector = vectorLike(bases, dimensions);
        const item = fc.record({
          vector: fc.option(vector, { nil: undefined, freq: 12 }),
          admitted: fc.boolean().chain((maybe) => (maybe ? fc.constant(true) : fc.boolean())),
        });
        return fc.record({
          query: vector,
          scopes: fc.array(fc.array(item, { maxLength: 40 }), { minLength: 1, maxLength: 3 }),
          lives: fc.constantFrom(0, 1),
          old: fc.boolean(),
          metric: fc.constantFrom<Metric>("cosine", "dot", "euclidean"),
          topK: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(Infinity)),
          /** A floor that is some row's very score, or any other. */
          floor: fc.oneof(fc.constant(-Infinity), fc.nat(20), fc.constantFrom(0, 0.5, 1, 2)),
          isRank: fc.boolean(),
        });
      }),
  );

function check(code: Code, runs: number): void {
  fc.assert(
    fc.property(world, ({ query: asked, scopes, lives, old, metric, topK, floor, isRank }) => {
      const query = toStoredVector("v", asked);
      const items = scopes.map((some) =>
        some.map(({ vector, admitted }): Item => ({
          vector: vector === undefined ? undefined : toStoredVector("v", vector),
          admitted,
        })),
      );
      const searched = items.map((some, place) => {
        if (place === lives) return tail(code, some, scopeOf(place));
        const admitted = Uint8Array.from(some, (item) => (item.admitted ? 1 : 0));
        return { segment: seal(code, some, scopeOf(place), old), admitted };
      });
      const all = naive(items, query, metric, Infinity, -Infinity);
      const minScore =
        isRank && floor >= 0 && all.length > 0 ? all[Math.min(Math.trunc(floor), all.length - 1)]!.score : floor;
      const found = code.searchNearest(searched, query, metric, topK, minScore);
      const hits = found.map(({ segment, ordinal, score }) => ({
        id: segment.chunkId(ordinal),
        scope: segment.scope,
        score,
      }));
      expect(hits).toEqual(naive(items, query, metric, topK, minScore));
      for (const { score, rawScore } of found) {
        // The distance of a score of 1 / (1 + d), or the score.
        expect(metric === "euclidean" ? 1 / (1 + rawScore) : rawScore).toBe(score);
      }
    }),
    { numRuns: runs },
  );
}

describe("the nearest vectors are those of a plain loop over all of them, to the last bit and the last tie", () => {
  const code: Code = { ...nearest, ...columns, ...live };

  it("with SIMD [B19 B20 B25 B28 T10 T16 T28 W7 W34 L4 L5 L11]", () => check(code, 1_500), 120_000);

  it("over several batches of rows, of which most are left out by a part of the query's bits [T10 L5 L11]", () => {
    let state = 5;
    const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;
    const centres = Array.from({ length: 40 }, () => Float32Array.from({ length: 40 }, random));
    const draw = (i: number) =>
      toStoredVector(
        "v",
        centres[i % 40]!.map((value) => value + random() / 4),
      );
    const items = Array.from({ length: 5_003 }, (_, i): Item => ({ vector: draw(i), admitted: i % 7 > 0 }));
    const segment = seal(code, items, "deployment", false);
    const admitted = Uint8Array.from(items, (item) => (item.admitted ? 1 : 0));
    for (const metric of ["cosine", "dot", "euclidean"] as const) {
      for (let i = 0; i < 4; i++) {
        const query = draw(i);
        const found = code.searchNearest([{ segment, admitted }], query, metric, 10, -Infinity);
        expect(found.map(({ ordinal, score }) => [idOf(ordinal), score])).toEqual(
          naive([items], query, metric, 10, -Infinity).map(({ id, score }) => [id, score]),
        );
      }
    }
  });

  it("whichever way the sums of codes are computed [L11]", async () => {
    vi.stubGlobal("WebAssembly", undefined);
    vi.resetModules();
    const { codeMemory } = await import("../../src/engine/kernels/code-memory.ts");
    expect(codeMemory().simd).toBe("none");
    check(
      {
        ...(await import("../../src/engine/vectors/nearest.ts")),
        ...(await import("../../src/engine/vectors/vector-column.ts")),
        ...(await import("../../src/engine/segments/live-segment.ts")),
      },
      300,
    );
  });

  afterAll(() => {
    vi.unstubAllGlobals();
    // Other files need a memory with WebAssembly.
    vi.resetModules();
  });
});

describe("sparse and hybrid vectors", () => {
  const code: Code = { ...nearest, ...columns, ...live };
  const value = fc.oneof(fc.float({ noNaN: true, min: -4, max: 4 }), fc.constantFrom(0, 1, -1));
  const sparse = fc
    .dictionary(fc.constantFrom("0", "1", "2", "7", "9", "4294967295"), value, { maxKeys: 5, noNullPrototype: true })
    .map((entries) => {
      const indices = Object.keys(entries).map(Number);
      indices.sort((a, b) => a - b);
      return { indices, values: indices.map((index) => entries[index]!) };
    });
  const dense = fc.array(value, { minLength: 2, maxLength: 2 });
  const vectors = fc.boolean().chain((both) => {
    const vector = both ? fc.record({ dense, sparse }) : sparse;
    return fc.record({
      query: vector,
      scopes: fc.array(fc.array(fc.record({ vector, admitted: fc.boolean() }), { maxLength: 12 }), { maxLength: 2 }),
      metric: fc.constantFrom<Metric>("cosine", "dot", "euclidean"),
      topK: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(Infinity)),
      minScore: fc.constantFrom(-Infinity, 0, 0.5),
    });
  });

  /** The coordinates of both, zeros and all, in ascending order: what their zeros add changes no sum. */
  const score = (a: StoredVector, b: StoredVector, metric: Metric) => {
    const all = [...new Set([...a.indices, ...b.indices])].sort((x, y) => x - y);
    const at = ({ indices, values }: StoredVector, index: number) => values[indices.indexOf(index)] ?? 0;
    const product = (x: StoredVector, y: StoredVector) => all.reduce((sum, i) => sum + at(x, i) * at(y, i), 0);
    const lanes = (term: (i: number) => number) => (a.dense.length === 0 ? 0 : term(0) + term(1));
    const denseProduct = (x: StoredVector, y: StoredVector) => lanes((i) => x.dense[i]! * y.dense[i]!);
    const squares = all.reduce((sum, i) => sum + (at(a, i) - at(b, i)) * (at(a, i) - at(b, i)), 0);
    const denseSquares = lanes((i) => (a.dense[i]! - b.dense[i]!) * (a.dense[i]! - b.dense[i]!));
    const cosine = (of: typeof product) => {
      const [x, y] = [Math.sqrt(of(a, a)), Math.sqrt(of(b, b))];
      return x === 0 || y === 0 ? 0 : Math.max(-1, Math.min(1, of(a, b) / (x * y))) + 0;
    };
    const hasDense = a.kind === "hybrid";
    if (metric === "cosine") return (hasDense ? cosine(denseProduct) : 0) + cosine(product);
    if (metric === "dot") return denseProduct(a, b) + 0 + (product(a, b) + 0);
    return (hasDense ? 1 / (1 + Math.sqrt(denseSquares)) : 0) + 1 / (1 + Math.sqrt(squares));
  };

  it("are scored as coordinate by coordinate, in memory and in files [B12 B19 B28 L4 L5 L11]", () => {
    fc.assert(
      fc.property(vectors, ({ query: asked, scopes, metric, topK, minScore }) => {
        const query = toStoredVector("v", asked);
        const items = scopes.map((some) => some.map((item) => ({ ...item, vector: toStoredVector("v", item.vector) })));
        const searched = items.map((some, place) => {
          if (place === 1) return tail(code, some, scopeOf(place));
          const admitted = Uint8Array.from(some, (item) => (item.admitted ? 1 : 0));
          return { segment: seal(code, some, scopeOf(place), false), admitted };
        });
        const expected = items
          .flatMap((some, place) =>
            some.map(({ vector, admitted }, i) => ({
              admitted,
              hit: { id: idOf(i), scope: scopeOf(place), score: score(vector, query, metric) },
            })),
          )
          .filter(({ admitted, hit }) => admitted && hit.score >= minScore)
          .map(({ hit }) => hit)
          .sort((a, b) => b.score - a.score || compareChunkPlaces(placed(a), placed(b)))
          .slice(0, topK);
        const found = code.searchNearest(searched, query, metric, topK, minScore);
        expect(
          found.map(({ segment, ordinal, score: given }) => ({
            id: segment.chunkId(ordinal),
            scope: segment.scope,
            score: given,
          })),
        ).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});
