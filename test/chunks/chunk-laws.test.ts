import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createRecursiveChunker } from "../../src/chunks/recursive-chunker.ts";
import { createSectionChunker } from "../../src/chunks/section-chunker.ts";
import type { Chunker } from "../../src/contracts/chunker.ts";
import { characters, codePoints, heuristicTokens } from "../../src/text/length.ts";
import { anyDocument } from "./generated-document.ts";
import { checkPairs, checkPlaces, checkProvenance, checkSizesKept, type Sizes } from "./laws.ts";

/** Not monotone, as tokenizers of byte pairs are not: one character more can be one token less. */
const jumpy = (text: string): number =>
  Math.ceil(text.length / 3) + (text.length % 5 === 0 ? 1 : 0) - (text === "" ? 1 : 0);

const sizes: fc.Arbitrary<Sizes> = fc
  .tuple(
    fc.integer({ min: 1, max: 160 }),
    fc.double({ min: 0, max: 0.99, noNaN: true }),
    fc.constantFrom(characters, characters, codePoints, heuristicTokens, jumpy),
  )
  .map(([maxSize, share, length]) => ({ maxSize, overlap: Math.floor(maxSize * share), length }));

const strategies = ["paragraph", "line", "sentence", "word", "character"] as const;
const anyChunker: fc.Arbitrary<[Chunker, Sizes]> = fc.oneof(
  fc
    .tuple(sizes, fc.boolean())
    .map(([size, respectSentences]): [Chunker, Sizes] => [createSectionChunker({ ...size, respectSentences }), size]),
  fc
    .tuple(sizes, fc.constantFrom(...strategies))
    .map(([size, strategy]): [Chunker, Sizes] => [createRecursiveChunker({ ...size, strategy }), size]),
);

describe("every chunker, any script, any tree, any sizes", () => {
  it("gives chunks that are exact slices in order, cover everything visible and differ in id [L1 B8 C17]", () => {
    fc.assert(
      fc.property(anyDocument, anyChunker, (document, [chunker, size]) => {
        const chunks = [...chunker.chunk(document)];
        checkProvenance(document, chunks);
        checkPairs(document, chunks);
        checkPlaces(document, chunks);
        if (!chunker.fingerprint.startsWith('["recursive"')) checkSizesKept(document, chunks, size);
        else checkSizesKept({ ...document, blocks: [] }, chunks, size);
      }),
      { numRuns: 1200 },
    );
  });

  it("cuts the same document alike each time, also when it was cut only halfway before [L11 E17]", () => {
    fc.assert(
      fc.property(anyDocument, anyChunker, (document, [chunker]) => {
        const cut = chunker.chunk(document);
        const once = [...cut];
        for (const chunk of cut) {
          expect(chunk).toEqual(once[0]);
          break;
        }
        expect([...cut]).toEqual(once);
        expect([...chunker.chunk(structuredClone(document))]).toEqual(once);
      }),
      { numRuns: 150 },
    );
  });
});
