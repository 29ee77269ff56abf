import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TermRow } from "../../src/contracts/corpus-model.ts";
import { createPlainTermSums, createSimdTermSums } from "../../src/engine/kernels/term-sums.ts";
import { createProjector } from "../../src/engine/latent/create-projector.ts";
import { embedTerms } from "../../src/engine/latent/embed-terms.ts";
import { localWeight } from "../../src/engine/latent/term-weight.ts";
import { encodeText } from "../../src/engine/segments/bytes.ts";
import { createTermNumbers } from "../../src/engine/segments/term-numbers.ts";
import { readSpace, writeSpace } from "../../src/engine/vectors/space-file.ts";
import { createRandom } from "../../src/testing/random.ts";

const forms = 512;
const part = fc.float({ min: 0, max: 1, noNaN: true });
const world = fc.integer({ min: 0, max: 40 }).chain((dimensions) =>
  fc.record({
    dimensions: fc.constant(dimensions),
    terms: fc.array(
      fc.record({
        weight: part,
        scale: part,
        row: fc.int8Array({ minLength: dimensions, maxLength: dimensions }),
        grams: fc.array(fc.integer({ min: 0, max: forms - 1 }), { maxLength: 20 }),
        isKnown: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    texts: fc.array(fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 300 })), { maxLength: 600 }), {
      maxLength: 4,
    }),
  }),
);

describe("sums of a text's terms", () => {
  it("are the same with SIMD and without it, for texts of any length [L11]", () => {
    fc.assert(
      fc.property(world, ({ dimensions, terms, texts }) => {
        const [plain, simd] = [createPlainTermSums(dimensions, forms), createSimdTermSums(dimensions, forms)!];
        for (const text of texts) {
          // Terms come while texts are summed, so that they lie where entries have been.
          for (const { weight, scale, row, grams, isKnown } of terms) {
            const known = isKnown ? { scale, row } : { scale: 0 };
            for (const sums of [plain, simd]) sums.add({ weight, ...known, grams: Uint32Array.from(grams) });
          }
          const numbers = text.map(([number]) => number % terms.length);
          const counts = text.map(([, count]) => count);
          for (const sums of [plain, simd]) sums.sum(numbers, counts, localWeight);
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

  it("find the rows of a fit by the bytes of their terms, as by their texts", () => {
    const random = createRandom(5);
    const names = Array.from({ length: 900 }, (_, i) => (i % 7 === 0 ? `tür${i}` : `term${i}`)).toSorted();
    const fitted = names.map((term) => ({
      term,
      weight: Math.fround(random.next()),
      scale: Math.fround(random.next()),
      row: Int8Array.from({ length: 24 }, () => Math.floor(random.next() * 255) - 127),
    }));
    const parts = writeSpace({ terms: fitted });
    expect(parts.length).toBeGreaterThan(2);
    const space = readSpace({ fingerprint: "", dimensions: 24 }, (part) => parts[part]!);
    const numbers = createTermNumbers();
    const asked = [...names.filter((_, i) => i % 3 === 0), "unknown", 'quo"ted'];
    const bytes = encodeText(JSON.stringify(asked));
    const own = numbers.of(bytes, 0, asked.length);
    const rows = space.rowsOf(numbers.find);
    for (const [i, term] of asked.entries()) expect(rows.get(own[i]!)).toEqual(space.find(term));
    expect(rows.size).toBe(asked.length - 2);
    expect(numbers.count()).toBe(asked.length);
  });
});
