import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeTerms, encodeTerms, lengthsOf } from "../../src/engine/segments/chunk-terms.ts";
import { createCountsReader, totalCounts } from "../../src/engine/segments/forward-terms.ts";
import { createTermCollector } from "../../src/engine/segments/term-collector.ts";

const word = fc.oneof(
  fc.constantFrom("a", "ab", "harbour", 'say "x"', "back\\slash", "日本", "né", "😀", ""),
  fc.string(),
);
const chunk = fc.record({
  language: fc.constantFrom("", "en", "de"),
  words: fc.uniqueArray(
    word.filter((text) => text.isWellFormed()),
    { maxLength: 30 },
  ),
  seed: fc.nat(1_000),
});

describe("terms on their way into a segment [L4]", () => {
  it("have the counts that lists of their texts would have, chunk by chunk", () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 12 }), (chunks) => {
        const reader = createCountsReader();
        for (const { language, words, seed } of chunks) {
          const counts = words.map((_, i) => 1 + ((seed + i) % 300));
          const names = words.map((_, i) => (seed + i) % 3);
          const encoded = encodeTerms({ terms: words, counts, names, language });
          const { numbers, counts: read } = reader.read(encoded);
          expect({ terms: Array.from(numbers, (number) => reader.text(number)), counts: read }).toEqual(
            totalCounts(decodeTerms(encoded)),
          );
        }
      }),
    );
  });

  it("have the postings that lists of their texts would have", () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 12 }), (chunks) => {
        const collector = createTermCollector();
        const expected = new Map<string, [ordinal: number, count: number, named: number][]>();
        chunks.forEach(({ language, words, seed }, ordinal) => {
          const counts = words.map((_, i) => 1 + ((seed + i) % 300));
          const names = words.map((_, i) => (seed + i) % 3);
          words.forEach((term, i) =>
            expected.set(term, [...(expected.get(term) ?? []), [ordinal, counts[i]!, names[i]!]]),
          );
          const added = collector.add(ordinal, encodeTerms({ terms: words, counts, names, language }));
          expect(added).toEqual({ language, lengths: lengthsOf({ counts, names }) });
        });
        const found = Array.from(collector.inOrder(), ({ term, ordinals, counts, names }) => [
          term,
          Array.from(ordinals, (ordinal, i) => [ordinal, counts[i], names?.[i] ?? 0]),
        ]);
        expect(found).toEqual([...expected].sort(([a], [b]) => (a < b ? -1 : 1)));
      }),
    );
  });

  it("find their numbers again in a table that has grown", () => {
    const collector = createTermCollector();
    const terms = Array.from({ length: 20_000 }, (_, i) => `w${i}`);
    const counts = terms.map(() => 1);
    const encoded = encodeTerms({ terms, counts, names: terms.map(() => 0), language: "" });
    for (const ordinal of [0, 1]) collector.add(ordinal, encoded);
    const lists: { readonly ordinals: Uint32Array }[] = [];
    const found = Array.from(collector.inOrder(), ({ term, ordinals }) => {
      lists.push({ ordinals });
      return [term, ordinals.length];
    });
    expect(found).toEqual(terms.toSorted().map((term) => [term, 2]));
    // The place of the lists is given back with the last.
    expect(lists.every(({ ordinals }) => ordinals.length === 0)).toBe(true);
  });

  it("are no terms where the list breaks off", () => {
    const whole = encodeTerms({ terms: ["one", "two"], counts: [1, 1], names: [0, 0], language: "" });
    for (const cut of [1, 3, 7]) {
      const add = (): unknown => createTermCollector().add(0, whole.subarray(0, whole.length - cut));
      expect(add).toThrow(expect.objectContaining({ code: "store-corrupt" }) as Error);
    }
  });
});
