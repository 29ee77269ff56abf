import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TermRow } from "../../src/contracts/corpus-model.ts";
import { createPlainTermSums, createSimdTermSums } from "../../src/engine/kernels/term-sums.ts";
import { createProjector } from "../../src/engine/latent/create-projector.ts";
import { embedTerms } from "../../src/engine/latent/embed-terms.ts";
import { createRandom } from "../../src/testing/random.ts";

const forms = 512;
/** As large as a row's factor and a term's weight become: 2^38 each. */
const whole = fc.integer({ min: 0, max: 2 ** 38 });
const world = fc.integer({ min: 0, max: 40 }).chain((dimensions) =>
  fc.record({
    dimensions: fc.constant(dimensions),
    terms: fc.array(
      fc.record({
        row: fc.option(fc.int8Array({ minLength: dimensions, maxLength: dimensions }), { nil: undefined }),
        grams: fc.array(fc.integer({ min: 0, max: forms - 1 }), { maxLength: 20 }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    texts: fc.array(fc.array(fc.tuple(fc.nat(), whole, whole), { maxLength: 600 }), { maxLength: 4 }),
  }),
);

describe("sums of a text's terms", () => {
  it("are the same with SIMD and without it, for texts of any length [L11]", () => {
    fc.assert(
      fc.property(world, ({ dimensions, terms, texts }) => {
        const [plain, simd] = [createPlainTermSums(dimensions, forms), createSimdTermSums(dimensions, forms)!];
        for (const text of texts) {
          // Terms come while texts are summed, so that they lie where entries have been.
          for (const { row, grams } of terms) for (const sums of [plain, simd]) sums.add(row, Uint32Array.from(grams));
          const numbers = text.map(([number]) => number % terms.length);
          const factors = Float64Array.from(text, ([number, factor]) =>
            terms[number % terms.length]!.row ? factor : 0,
          );
          const weights = Float64Array.from(text, ([, , weight]) => weight);
          for (const sums of [plain, simd]) sums.sum(numbers, factors, weights, text.length);
          expect([...simd.direction()]).toEqual([...plain.direction()]);
          expect([...simd.hashed()]).toEqual([...plain.hashed()]);
        }
      }),
    );
  });

  it("give the vectors of a hundred texts that each text has alone, to the last bit", () => {
    const random = createRandom(3);
    const terms = Array.from({ length: 300 }, (_, i) => `term${i}`);
    const rows = new Map(
      terms.slice(100).map((term): [string, TermRow] => [
        term,
        {
          weight: Math.fround(random.next()),
          scale: Math.fround(random.next() / 100),
          row: Int8Array.from({ length: 24 }, () => Math.floor(random.next() * 255) - 127),
        },
      ]),
    );
    const find = (term: string): TermRow | undefined => rows.get(term);
    const project = createProjector({ fingerprint: "", dimensions: 24, find }, (number) => terms[number]!);
    for (let i = 0; i < 100; i++) {
      const numbers = Uint32Array.from(
        new Set(Array.from({ length: 40 }, () => Math.floor(random.next() ** 2 * terms.length))),
      );
      const counts = [...numbers].map(() => 1 + Math.floor(random.next() * 9));
      const text = { terms: [...numbers].map((number) => terms[number]!), counts };
      expect(project({ numbers, counts })).toEqual(embedTerms(text, 24, find, "document").vector);
    }
  });
});
