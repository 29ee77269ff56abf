import { describe, expect, it } from "vitest";
import { takeRoom } from "../../src/engine/kernels/lent-room.ts";
import { type Keeping, nearestInSteps, searchNearest } from "../../src/engine/vectors/nearest.ts";
import { readColumn } from "../../src/engine/vectors/vector-column.ts";
import { finishSteps } from "../../src/runtime/steps.ts";
import { createRandom } from "../../src/testing/random.ts";
import { openFiles, segmentOf, toVector, writeColumn } from "./column-files.ts";

describe("rows that a search keeps", () => {
  const [rows, dimensions, topK] = [900, 12, 5];
  const random = createRandom(3);
  const draw = () => Array.from({ length: dimensions }, () => Math.round((random.next() - 0.5) * 200) / 10);
  const made = Array.from({ length: rows }, draw);

  for (const form of ["float32", "int8"] as const) {
    for (const metric of ["cosine", "dot"] as const) {
      it(`are all that may score enough, with the most that they score: ${form}, ${metric} [T28 L5]`, () => {
        const { header, files } = writeColumn(form, made, (row) => row);
        const column = readColumn(header, 0, openFiles(files).read);
        const admitted = Uint8Array.from({ length: rows }, (_, ordinal) => (ordinal % 7 === 0 || ordinal < 40 ? 0 : 1));
        const searched = [{ segment: segmentOf(column, rows), admitted }];
        for (let i = 0; i < 20; i++) {
          const query = toVector(form, draw());
          const whole = searchNearest(searched, query, metric, rows, -Infinity);
          const minScore = i % 3 === 0 ? whole[40]!.score : -Infinity;
          const keeping: Keeping = {};
          const hits = finishSteps(nearestInSteps(searched, query, metric, topK, minScore, keeping));
          expect(hits).toEqual(searchNearest(searched, query, metric, topK, minScore));
          const kept = keeping.kept!;
          for (const least of [-Infinity, whole[200]!.score, whole[12]!.score]) {
            const [own] = kept.chunks(least)!;
            const places = new Map(own!.ordinals.map((ordinal, at) => [ordinal, at]));
            const wrong = whole.filter(({ ordinal, score }) => {
              const at = places.get(ordinal);
              return at === undefined ? score >= least : own!.uppers[at]! < score;
            });
            expect(wrong).toEqual([]);
            expect(own!.ordinals.filter((ordinal) => admitted[ordinal] !== 1)).toEqual([]);
          }
          // The query's digits and the codes tell a score to some hundredths of the most.
          expect(kept.chunks(whole[12]!.score)![0]!.ordinals.length).toBeLessThan(120);
          const { segment } = searched[0]!;
          const isKept = Array.from(admitted, (flag) => flag === 1);
          // Both are some hundredths of the most apart, and by all bits some thousandths.
          for (const [closely, share] of [
            [false, 10],
            [true, 50],
          ] as const) {
            const { most, least } = kept.bounds(segment, [...made.keys()], closely)!;
            expect(whole.filter(({ ordinal, score }) => most[ordinal]! < score || least[ordinal]! > score)).toEqual([]);
            for (const bounds of [most, least])
              expect(Array.from(bounds, (bound) => bound > -Infinity)).toEqual(isKept);
            const best = Math.max(...Array.from(most, Math.abs));
            expect(whole.filter(({ ordinal }) => most[ordinal]! - least[ordinal]! > best / share)).toEqual([]);
          }
          // Chunks with a sum need less; each of these needs a score that chunks of the same sum have.
          const sums = Float32Array.from({ length: rows }, (_, ordinal) => (ordinal % 3 === 0 ? 0 : ordinal % 4));
          const leasts = Float64Array.of(whole[12]!.score, whole[40]!.score, whole[80]!.score, whole[200]!.score);
          const needs = { sums, first: 0, perSum: 1, leasts };
          const [few] = kept.chunks(whole[200]!.score, () => needs)!;
          const needed = ({ ordinal }: { readonly ordinal: number }): number =>
            leasts[sums[ordinal] === 0 ? 0 : Math.min(3, 1 + sums[ordinal]!)]!;
          const listed = new Set(few!.ordinals);
          expect(whole.filter((hit) => hit.score >= needed(hit) && !listed.has(hit.ordinal))).toEqual([]);
          expect(few!.ordinals.filter((ordinal, i) => few!.uppers[i]! < needed({ ordinal }))).toEqual([]);
          kept.close();
          expect(kept.chunks(0)).toBeUndefined();
          expect(kept.bounds(segment, [50])).toBeUndefined();
        }
      });
    }
  }
});

describe("room for the bounds of a search", () => {
  it("is one that was given back, or the one that was taken longest ago", () => {
    const held = Array.from({ length: 16 }, () => takeRoom(10));
    expect(new Set(held.map(({ numbers }) => numbers)).size).toBe(16);
    const [first, second] = held;
    const { numbers } = second!;
    second!.close();
    expect(second!.numbers).toBeUndefined();
    const again = takeRoom(5);
    expect(again.numbers).toBe(numbers);
    expect(first!.numbers).toBeDefined();
    const another = takeRoom(20);
    expect(first!.numbers).toBeUndefined();
    expect(another.numbers!.length).toBeGreaterThanOrEqual(20);
    first!.close();
    expect(another.numbers).toBeDefined();
    for (const one of [...held, again, another]) one.close();
  });
});
