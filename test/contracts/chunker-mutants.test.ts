import { describe } from "vitest";

import { createRecursiveChunker } from "../../src/chunkers/recursive-chunker.ts";
import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import { createSemanticChunker } from "../../src/chunkers/semantic-chunker.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { AsyncChunker } from "../../src/contracts/chunker.ts";
import type { TextDocument } from "../../src/contracts/document.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import type { ChunkerSubject } from "../../src/testing/chunker-fixtures.ts";
import { createChunkerPack } from "../../src/testing/chunker-pack.ts";
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

const mutants: readonly Mutant<ChunkerSubject>[] = [
  ["says nothing", "chunker/every-chunk-is-its-slice", each((chunk) => ({ ...chunk, text: " " }))],
  [
    "loses every third chunk",
    "chunker/no-character-is-lost",
    mutant(function* some(chunks) {
      let index = 0;
      for (const chunk of chunks) if (chunk.index % 3 !== 2) yield { ...chunk, index: index++ };
    }),
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
  ["cuts everything before the first", "chunker/cuts-lazily", mutant((chunks) => [...chunks])],
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
];

describe("the chunker pack notices what a chunker does wrong in how it works [E17 E18 L1]", () => {
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
