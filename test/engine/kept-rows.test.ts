import { describe, expect, it } from "vitest";
import { createNearlyKth } from "../../src/engine/kernels/nearly-kth.ts";
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
      it(`are all that score enough, with bounds of their scores: ${form}, ${metric} [T28 L5]`, () => {
        const { header, files } = writeColumn(form, made, (row) => row);
        const column = readColumn(header, 0, openFiles(files).read);
        const admitted = Uint8Array.from({ length: rows }, (_, ordinal) => (ordinal % 7 === 0 ? 0 : 1));
        const searched = [{ segment: segmentOf(column, rows), admitted }];
        for (let i = 0; i < 20; i++) {
          const query = toVector(form, draw());
          const whole = searchNearest(searched, query, metric, rows, -Infinity);
          const minScore = i % 3 === 0 ? whole[40]!.score : -Infinity;
          const keeping: Keeping = { share: 1 / 20, times: 8 };
          const hits = finishSteps(nearestInSteps(searched, query, metric, topK, minScore, keeping));
          expect(hits).toEqual(searchNearest(searched, query, metric, topK, minScore));
          const kept = keeping.kept!;
          for (const least of [-Infinity, kept.floor, whole[12]!.score]) {
            const [own] = kept.chunks(least);
            const places = new Map(own!.ordinals.map((ordinal, at) => [ordinal, at]));
            const wrong = whole.filter(({ ordinal, score }) => {
              const at = places.get(ordinal);
              if (at === undefined) return score >= Math.max(kept.floor, least);
              return own!.lowers[at]! > score || own!.uppers[at]! < score;
            });
            expect(wrong).toEqual([]);
            expect(places.has(0)).toBe(false);
          }
          // No more than a few beside the 45 of a twentieth.
          expect(kept.chunks(-Infinity)[0]!.ordinals.length).toBeLessThan(120);
          const reaching = whole.filter(({ score }) => score >= kept.floor).length;
          expect(reaching).toBeGreaterThanOrEqual(minScore === -Infinity ? 45 : 41);
        }
      });
    }
  }
});

describe("a bound of the k-th best", () => {
  it("is the k-th best or less, by less than 2⁻¹⁰", () => {
    const nearly = createNearlyKth();
    const random = createRandom(9);
    for (let round = 0; round < 50; round++) {
      const k = 1 + Math.floor(random.next() * 40);
      nearly.reset(k);
      const scores: number[] = [];
      for (let i = 0; i < 200; i++) {
        const score = random.pick([1, -1, 0, random.next() * 2 - 1, Math.round(random.next() * 8) / 4 - 1]);
        nearly.offer(score);
        scores.push(score);
        const best = scores.toSorted((a, b) => b - a)[k - 1] ?? -Infinity;
        expect(nearly.floor).toBeLessThanOrEqual(best);
        expect(nearly.floor + 2 ** -10).toBeGreaterThanOrEqual(best);
      }
    }
  });
});
