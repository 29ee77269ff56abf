import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createRecursiveChunker } from "../../src/chunkers/recursive-chunker.ts";
import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import { createHtmlChunker } from "../../src/chunkers/html-chunker.ts";
import { createLineChunker } from "../../src/chunkers/line-chunker.ts";
import { createMarkdownChunker } from "../../src/chunkers/markdown-chunker.ts";
import { createSemanticChunker } from "../../src/chunkers/semantic-chunker.ts";
import { createSentenceChunker } from "../../src/chunkers/sentence-chunker.ts";
import { createSeparatorChunker } from "../../src/chunkers/separator-chunker.ts";
import { createTokenChunker } from "../../src/chunkers/token-chunker.ts";
import { createWindowChunker, splitText } from "../../src/chunkers/window-chunker.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import type { Chunker } from "../../src/contracts/chunker.ts";
import { characters, codePoints, heuristicTokens } from "../../src/text/length.ts";
import { anyDocument } from "./generated-document.ts";
import { checkPairs, checkPlaces, checkProvenance, checkSizesKept, type Sizes } from "./laws.ts";
import { fewer } from "../support/runs.ts";

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

/** What a chunk may be larger than: nothing, for a chunker that is blind to tables. */
const blindToTables = /^\["(?:recursive|separator|line|sentence|semantic)"/;

const strategies = ["paragraph", "line", "sentence", "word", "character"] as const;
const anyChunker: fc.Arbitrary<[Chunker, Sizes]> = fc.oneof(
  fc
    .tuple(sizes, fc.boolean())
    .map(([size, respectSentences]): [Chunker, Sizes] => [createSectionChunker({ ...size, respectSentences }), size]),
  fc
    .tuple(sizes, fc.constantFrom(...strategies))
    .map(([size, strategy]): [Chunker, Sizes] => [createRecursiveChunker({ ...size, strategy }), size]),
  fc
    .tuple(sizes, fc.constantFrom("header", "code-block", "rule", "paragraph", "line", "sentence", "word", "character"))
    .map(([size, strategy]): [Chunker, Sizes] => [createMarkdownChunker({ ...size, strategy }), size]),
  fc
    .tuple(sizes, fc.constantFrom("header", ...strategies))
    .map(([size, strategy]): [Chunker, Sizes] => [createHtmlChunker({ ...size, strategy }), size]),
  fc
    .tuple(sizes, fc.integer({ min: 1, max: 6 }))
    .map(([size, sentences]): [Chunker, Sizes] => [createSentenceChunker({ ...size, sentences }), size]),
  fc.tuple(sizes, fc.double({ min: 0, max: 1, noNaN: true })).map(([size, share]): [Chunker, Sizes] => {
    const { maxSize: maxTokens, overlap: overlapTokens, length } = size;
    return [createTokenChunker({ maxTokens, overlapTokens, minTokens: Math.floor(maxTokens * share), length }), size];
  }),
  fc
    .tuple(sizes, fc.subarray(["\n\n", "\n", ". ", " ", "", "e", "\u0301", "\ud83d"]))
    .map(([size, separators]): [Chunker, Sizes] => [createSeparatorChunker({ ...size, separators }), size]),
  sizes.map((size): [Chunker, Sizes] => {
    const { maxSize: maxTokens, overlap: overlapTokens, length } = size;
    return [createLineChunker({ maxTokens, overlapTokens, length }), size];
  }),
);

describe("every chunker, any script, any tree, any sizes", () => {
  it("gives chunks that are exact slices in order, cover everything visible and differ in id [L1 B8 C17]", () => {
    fc.assert(
      fc.property(anyDocument, anyChunker, (document, [chunker, size]) => {
        const chunks = [...chunker.chunk(document)];
        checkProvenance(document, chunks);
        checkPairs(document, chunks);
        checkPlaces(document, chunks);
        const isBlind = blindToTables.test(chunker.fingerprint);
        checkSizesKept(isBlind ? { ...document, blocks: [] } : document, chunks, size);
      }),
      { numRuns: fewer(140, 700) },
    );
  });

  it("gives windows that are exact slices, of one length and one step, and cover everything [L1 W18]", () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 90 }), fc.double({ min: 0, max: 0.99, noNaN: true }));
    fc.assert(
      fc.property(anyDocument, sizes, (document, [size, share]) => {
        const overlap = Math.floor(size * share);
        const points = Array.from(document.text);
        const windows = splitText(document.text, size, overlap);
        expect(windows).toEqual(
          windows.map((_, i) => points.slice(i * (size - overlap), i * (size - overlap) + size).join("")),
        );
        const reached = windows.length === 0 ? 0 : (windows.length - 1) * (size - overlap) + size;
        expect(reached).toBeGreaterThanOrEqual(points.length);
        const chunks = [...createWindowChunker({ size, overlap }).chunk(document)];
        expect(chunks.map(({ urtext }) => urtext)).toEqual(windows.filter((window) => window.trim() !== ""));
        checkPairs(document, chunks);
        checkPlaces(document, chunks);
        for (const { urtext, start, end } of chunks) expect(document.text.slice(start, end)).toBe(urtext);
      }),
      { numRuns: fewer(40, 200) },
    );
  });

  it("cuts where a model sees a change, and keeps every law all the same [L1 E17]", async () => {
    const model = createHashingModel();
    await fc.assert(
      fc.asyncProperty(anyDocument, sizes, async (document, size) => {
        const chunks: Chunk[] = [];
        for await (const chunk of createSemanticChunker({ ...size, model, percentile: 70 }).chunk(document)) {
          chunks.push(chunk);
        }
        checkProvenance(document, chunks);
        checkPairs(document, chunks);
        checkPlaces(document, chunks);
        checkSizesKept({ ...document, blocks: [] }, chunks, size);
      }),
      { numRuns: fewer(40, 150) },
    );
  });

  it("never cuts a row or a line of code that fits by itself [L1 E18]", () => {
    const sizes = fc.tuple(fc.integer({ min: 200, max: 600 }), fc.integer({ min: 0, max: 60 }));
    const makers = [
      (maxSize: number, overlap: number): Chunker => createSectionChunker({ maxSize, overlap }),
      (maxSize: number, overlap: number): Chunker => createMarkdownChunker({ maxSize, overlap }),
      (maxSize: number, overlap: number): Chunker => createHtmlChunker({ maxSize, overlap }),
      (maxSize: number, overlap: number): Chunker => createSentenceChunker({ maxSize, overlap }),
      (maxTokens: number, overlapTokens: number): Chunker =>
        createTokenChunker({ maxTokens, overlapTokens, minTokens: 90, length: characters }),
    ];
    fc.assert(
      fc.property(anyDocument, sizes, fc.constantFrom(...makers), (document, [maxSize, overlap], make) => {
        const { text, blocks = [] } = document;
        const lines = blocks
          .filter(({ kind }) => kind === "table" || kind === "code")
          .flatMap(({ start, end }) =>
            Array.from(text.slice(start, end).matchAll(/[^\n]+/g), ({ index, 0: line }) => ({
              start: start + index + (line.length - line.trimStart().length),
              end: start + index + line.trimEnd().length,
            })),
          )
          .filter(({ start, end }) => end - start <= maxSize);
        for (const chunk of make(maxSize, overlap).chunk(document)) {
          for (const { start, end } of lines) {
            expect(start < chunk.start && chunk.start < end).toBe(false);
            expect(start < chunk.end && chunk.end < end).toBe(false);
          }
        }
      }),
      { numRuns: fewer(60, 300) },
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
      { numRuns: fewer(40, 150) },
    );
  });
});
