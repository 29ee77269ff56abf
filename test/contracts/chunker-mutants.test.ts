import { describe } from "vitest";

import { createRecursiveChunker } from "../../src/chunks/recursive-chunker.ts";
import { createSectionChunker } from "../../src/chunks/section-chunker.ts";
import { createSemanticChunker } from "../../src/chunks/semantic-chunker.ts";
import { createWindowChunker } from "../../src/chunks/window-chunker.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { AsyncChunker, Chunker } from "../../src/contracts/chunker.ts";
import type { TextDocument } from "../../src/contracts/document.ts";
import { createHashingModel } from "../../src/embeddings/hashing-model.ts";
import { type ChunkerSubject, createChunkerPack } from "../../src/testing/chunker-pack.ts";
import { characters } from "../../src/text/length.ts";
import { type Mutant, runMutants } from "./mutants.ts";

const good = createSectionChunker({ maxSize: 300, overlap: 40 });
const limits = { maxSize: 300, overlap: 40, length: characters };

/** The section chunker with something done to what it makes. */
function mutant(
  change: (chunks: Iterable<Chunk>, document: TextDocument) => Iterable<Chunk>,
  rest: Partial<ChunkerSubject> = {},
): ChunkerSubject {
  return {
    create: () => ({ ...good, chunk: (document) => change(good.chunk(document), document) }),
    limits,
    wholeRows: true,
    ...rest,
  };
}

/** One change for each chunk, as lazily as the chunker itself. */
const each = (change: (chunk: Chunk, document: TextDocument) => Chunk): ChunkerSubject =>
  mutant(function* changed(chunks, document) {
    for (const chunk of chunks) yield change(chunk, document);
  });

/** A chunk, moved within its document: an exact slice all the same. */
const moved = (chunk: Chunk, { text }: TextDocument, start: number, end: number): Chunk => {
  const urtext = text.slice(start, end);
  return { ...chunk, start, end, urtext, text: urtext };
};

const mutants: readonly Mutant<ChunkerSubject>[] = [
  [
    "joins paragraphs anew",
    "chunker/every-chunk-is-its-slice",
    each((chunk) => ({ ...chunk, urtext: chunk.urtext.replaceAll(/\s+/g, " ") })),
  ],
  [
    "one place too far",
    "chunker/every-chunk-is-its-slice",
    each((chunk) => ({ ...chunk, start: chunk.start + 1, end: chunk.end + 1 })),
  ],
  ["says nothing", "chunker/every-chunk-is-its-slice", each((chunk) => ({ ...chunk, text: " " }))],
  [
    "loses a last letter",
    "chunker/no-character-is-lost",
    each((chunk, document) => (chunk.urtext.length < 3 ? chunk : moved(chunk, document, chunk.start, chunk.end - 1))),
  ],
  [
    "loses every third chunk",
    "chunker/no-character-is-lost",
    mutant(function* some(chunks) {
      let index = 0;
      for (const chunk of chunks) if (chunk.index % 3 !== 2) yield { ...chunk, index: index++ };
    }),
  ],
  ["counts from one", "chunker/in-order-and-numbered", each((chunk) => ({ ...chunk, index: chunk.index + 1 }))],
  [
    "says a thing twice",
    "chunker/in-order-and-numbered",
    mutant(function* twice(chunks) {
      let index = 0;
      for (const chunk of chunks) {
        yield { ...chunk, index: index++ };
        yield { ...chunk, id: `${chunk.id}-again`, index: index++ };
      }
    }),
  ],
  [
    "names a chunk after its text alone",
    "chunker/ids-unique-and-stable",
    each((chunk) => ({ ...chunk, id: `same-${chunk.urtext}` })),
  ],
  [
    "another id each time",
    "chunker/ids-unique-and-stable",
    each((chunk) => ({ ...chunk, id: `${chunk.id}-${Math.random()}` })),
  ],
  [
    "names a chunk after the whole document",
    "chunker/unchanged-text-keeps-its-id",
    each((chunk, { text }) => ({ ...chunk, id: `${chunk.id}-${text.length}` })),
  ],
  [
    "the same ids in every document",
    "chunker/unchanged-text-keeps-its-id",
    each((chunk) => ({ ...chunk, id: `${chunk.start}-${chunk.urtext}` })),
  ],
  [
    "repeated paragraphs run together",
    "chunker/repeated-paragraphs-stay-apart",
    mutant(function* once(chunks) {
      for (const chunk of chunks) yield { ...chunk, id: chunk.urtext };
    }),
  ],
  ["forgets the origin", "chunker/carries-the-document's-facts", each((chunk) => ({ ...chunk, origin: "note" }))],
  ["forgets the metadata", "chunker/carries-the-document's-facts", each((chunk) => ({ ...chunk, metadata: {} }))],
  [
    "always in the root",
    "chunker/knows-its-section-and-line",
    each((chunk) => ({ ...chunk, sectionId: "0", headings: [] })),
  ],
  [
    "lines from zero",
    "chunker/knows-its-section-and-line",
    each((chunk) => ({ ...chunk, line: (chunk.line ?? 1) - 1 })),
  ],
  [
    "an overlap on top of the size",
    "chunker/keeps-its-sizes",
    each((chunk, document) => moved(chunk, document, Math.max(0, chunk.start - 35), chunk.end)),
  ],
  [
    "a header on top of the size",
    "chunker/keeps-its-sizes",
    each((chunk) => ({ ...chunk, text: `${"A header. ".repeat(20)}${chunk.text}` })),
  ],
  [
    "more overlap than it says",
    "chunker/keeps-its-sizes",
    { create: () => createRecursiveChunker({ maxSize: 300, overlap: 120 }), limits },
  ],
  [
    "cuts through pairs",
    "chunker/no-character-is-cut",
    {
      create: () => ({
        fingerprint: "halves",
        *chunk(document: TextDocument) {
          const [first] = good.chunk(document);
          if (first === undefined) return;
          for (let start = 0; start < document.text.length; start += 7) {
            yield { ...moved(first, document, start, start + 7), index: start / 7 };
          }
        },
      }),
    },
  ],
  [
    "cuts through what is drawn as one",
    "chunker/no-character-is-cut",
    { create: () => createWindowChunker({ size: 5, overlap: 0 }) },
  ],
  ["cuts everything before the first", "chunker/cuts-lazily", mutant((chunks) => [...chunks])],
  [
    "can be walked once",
    "chunker/cuts-lazily",
    {
      create: () => {
        const seen = new Map<TextDocument, Iterator<Chunk>>();
        return {
          fingerprint: "once",
          chunk: (document) => {
            const iterator = seen.get(document) ?? good.chunk(document)[Symbol.iterator]();
            seen.set(document, iterator);
            return { [Symbol.iterator]: () => ({ next: () => iterator.next() }) };
          },
        };
      },
    },
  ],
  ["begins before it is asked", "chunker/asks-nothing-before-it-is-asked", mutant((chunks) => [...chunks])],
  [
    "cuts rows where sentences end",
    "chunker/rows-and-lines-stay-whole",
    { create: () => createRecursiveChunker({ maxSize: 300, overlap: 0, strategy: "word" }), wholeRows: true },
  ],
  [
    "chokes on a blank text",
    "chunker/blank-texts-have-no-words-to-cut",
    mutant(function* fussy(chunks, { text }) {
      if (text.trim() === "") throw new Error("nothing to cut");
      yield* chunks;
    }),
  ],
  [
    "no fingerprint",
    "chunker/fingerprint-tells-settings-apart",
    { create: () => ({ ...good, fingerprint: " " }), limits },
  ],
  [
    "one fingerprint for all sizes",
    "chunker/fingerprint-tells-settings-apart",
    {
      create: () => good,
      resize: (maxSize, overlap): Chunker => ({
        ...createSectionChunker({ maxSize, overlap }),
        fingerprint: "section",
      }),
    },
  ],
  [
    "takes any size",
    "chunker/impossible-sizes-refused",
    {
      create: () => good,
      resize: (maxSize, overlap): Chunker => {
        const size = Number.isSafeInteger(maxSize) && maxSize > 0 ? maxSize : 1;
        return createSectionChunker({ maxSize: size, overlap: Math.min(Math.max(0, Math.floor(overlap)), size - 1) });
      },
    },
  ],
  [
    "writes into the document",
    "chunker/documents-are-left-alone",
    mutant(function* greedy(chunks, { metadata }) {
      (metadata as Record<string, unknown>)["seen"] = true;
      yield* chunks;
    }),
  ],
];

describe("the chunker pack notices a chunker with one fault [E17 E18 L1]", () => {
  runMutants(createChunkerPack, mutants);
});

const semantic = createSemanticChunker({ model: createHashingModel(), maxSize: 300 });

describe("and one that has to be waited for [E17 L1]", () => {
  runMutants(createChunkerPack, [
    [
      "loses every third chunk",
      "chunker/no-character-is-lost",
      {
        create: (): AsyncChunker => ({
          ...semantic,
          async *chunk(document) {
            for await (const chunk of semantic.chunk(document)) if (chunk.index % 3 !== 2) yield chunk;
          },
        }),
      },
    ],
    [
      "another cut each time",
      "chunker/ids-unique-and-stable",
      {
        create: (): AsyncChunker => ({
          ...semantic,
          async *chunk(document) {
            for await (const chunk of semantic.chunk(document)) yield { ...chunk, id: `${chunk.id}${Math.random()}` };
          },
        }),
      },
    ],
  ]);
});
