import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe } from "vitest";

import { createAutoChunker } from "../../src/chunkers/auto-chunker.ts";
import { chainTransformers } from "../../src/chunkers/transformers/chain-transformers.ts";
import { createContextTransformer } from "../../src/chunkers/transformers/context-transformer.ts";
import { createTransformer } from "../../src/chunkers/transformers/create-transformer.ts";
import { createHtmlChunker } from "../../src/chunkers/html-chunker.ts";
import { createLineChunker } from "../../src/chunkers/line-chunker.ts";
import { createMarkdownChunker, type MarkdownStrategy } from "../../src/chunkers/markdown-chunker.ts";
import { createMetadataTransformer } from "../../src/chunkers/transformers/metadata-transformer.ts";
import { createRecursiveChunker } from "../../src/chunkers/recursive-chunker.ts";
import { createSectionChunker } from "../../src/chunkers/section-chunker.ts";
import { createSemanticChunker } from "../../src/chunkers/semantic-chunker.ts";
import { createSentenceChunker } from "../../src/chunkers/sentence-chunker.ts";
import { createSeparatorChunker } from "../../src/chunkers/separator-chunker.ts";
import { createSpreadsheetChunker } from "../../src/chunkers/spreadsheet-chunker.ts";
import { createStructureTransformer } from "../../src/chunkers/transformers/structure-transformer.ts";
import { createTitleTransformer } from "../../src/chunkers/transformers/title-transformer.ts";
import { createTokenChunker } from "../../src/chunkers/token-chunker.ts";
import { createWholeChunker } from "../../src/chunkers/whole-chunker.ts";
import { createWindowChunker } from "../../src/chunkers/window-chunker.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { createChunkTransformerPack } from "../../src/testing/chunk-transformer-pack.ts";
import type { ChunkerSubject } from "../../src/testing/chunker-fixtures.ts";
import { createChunkerPack } from "../../src/testing/chunker-pack.ts";
import { createScriptedChatModel } from "../../src/testing/scripted-chat-model.ts";
import { createLengthFunctionPack } from "../packs/text-packs.ts";
import { countInPieces } from "../../src/text/count-in-pieces.ts";
import { characters, codePoints, heuristicTokens } from "../../src/text/length.ts";
import { runPack } from "./run-pack.ts";
import { sample } from "../support/runs.ts";

const realTokens = countInPieces(countTokens, { name: "o200k_base" });

type Named = readonly [name: string, subject: ChunkerSubject];

const chunkers: readonly Named[] = [
  [
    "the section chunker",
    {
      create: () => createSectionChunker(),
      limits: { maxSize: 1500, overlap: 200, length: characters },
      resize: (maxSize, overlap) => createSectionChunker({ maxSize, overlap }),
      wholeRows: true,
    },
  ],
  [
    "the section chunker, by tokens",
    {
      create: () => createSectionChunker({ maxSize: 60, overlap: 10, length: heuristicTokens }),
      limits: { maxSize: 60, overlap: 10, length: heuristicTokens },
      wholeRows: true,
    },
  ],
  ...(["paragraph", "line", "sentence", "word", "character"] as const).map((strategy): Named => [
    `the recursive chunker by ${strategy}`,
    {
      create: () => createRecursiveChunker({ strategy }),
      limits: { maxSize: 200, overlap: 40, length: characters },
      resize: (maxSize, overlap) => createRecursiveChunker({ strategy, maxSize, overlap }),
    },
  ]),
  ...(["header", "code-block", "rule", "paragraph", "line", "sentence", "word", "character"] as const).map(
    (strategy: MarkdownStrategy): Named => [
      `the Markdown chunker by ${strategy}`,
      {
        create: () => createMarkdownChunker({ strategy }),
        limits: { maxSize: 200, overlap: 40, length: characters },
        resize: (maxSize, overlap) => createMarkdownChunker({ strategy, maxSize, overlap }),
        wholeRows: !["line", "sentence", "word", "character"].includes(strategy),
      },
    ],
  ),
  ...(["header", "paragraph", "line", "sentence", "word", "character"] as const).map((strategy): Named => [
    `the HTML chunker by ${strategy}`,
    {
      create: () => createHtmlChunker({ strategy }),
      limits: { maxSize: 200, overlap: 40, length: characters },
      resize: (maxSize, overlap) => createHtmlChunker({ strategy, maxSize, overlap }),
      wholeRows: strategy === "header" || strategy === "paragraph",
    },
  ]),
  [
    "the sentence chunker",
    {
      create: () => createSentenceChunker({ maxSize: 400, overlap: 120 }),
      limits: { maxSize: 400, overlap: 120, length: characters },
      resize: (maxSize, overlap) => createSentenceChunker({ maxSize, overlap }),
      wholeRows: true,
    },
  ],
  [
    "the sentence chunker, one by one",
    {
      create: () => createSentenceChunker({ sentences: 1, maxSize: 300, overlap: 50 }),
      limits: { maxSize: 300, overlap: 50, length: characters },
      wholeRows: true,
    },
  ],
  [
    "the token chunker",
    {
      create: () => createTokenChunker(),
      limits: { maxSize: 500, overlap: 50, length: heuristicTokens },
      resize: (maxTokens, overlapTokens) => createTokenChunker({ maxTokens, overlapTokens, minTokens: 0 }),
      wholeRows: true,
    },
  ],
  [
    "the token chunker with a real tokenizer",
    {
      create: () => createTokenChunker({ maxTokens: 120, overlapTokens: 20, minTokens: 30, length: realTokens }),
      limits: { maxSize: 120, overlap: 20, length: realTokens },
      wholeRows: true,
    },
  ],
  [
    "the window chunker",
    {
      create: () => createWindowChunker({ size: 300, overlap: 60 }),
      limits: { maxSize: 300, overlap: 60, length: codePoints },
      resize: (size, overlap) => createWindowChunker({ size, overlap }),
      wholeCharacters: false,
    },
  ],
  [
    "the separator chunker",
    {
      create: () => createSeparatorChunker({ maxSize: 300, overlap: 60 }),
      limits: { maxSize: 300, overlap: 60, length: characters },
      resize: (maxSize, overlap) => createSeparatorChunker({ maxSize, overlap }),
    },
  ],
  [
    "the line chunker",
    {
      create: () => createLineChunker({ maxTokens: 80, overlapTokens: 20 }),
      limits: { maxSize: 80, overlap: 20, length: heuristicTokens },
      resize: (maxTokens, overlapTokens) => createLineChunker({ maxTokens, overlapTokens }),
      wholeRows: true,
    },
  ],
  [
    "the spreadsheet chunker",
    {
      create: () => createSpreadsheetChunker({ maxTokens: 80 }),
      limits: { maxSize: 80, overlap: 0, length: heuristicTokens },
      wholeRows: true,
    },
  ],
  [
    "the semantic chunker",
    {
      create: () => createSemanticChunker({ model: createHashingModel(), maxSize: 600, overlap: 80, percentile: 80 }),
      limits: { maxSize: 600, overlap: 80, length: characters },
      resize: (maxSize, overlap) => createSemanticChunker({ model: createHashingModel(), maxSize, overlap }),
      wholeRows: true,
    },
  ],
  [
    "the automatic chunker",
    { create: () => createAutoChunker(), limits: { maxSize: 1000, overlap: 125, length: characters }, wholeRows: true },
  ],
  ["the whole chunker", { create: () => createWholeChunker(), cuts: false, wholeRows: true }],
];

describe.each(chunkers.map(([name, subject], turn) => [name, subject, turn] as const))("%s", (_, subject, turn) => {
  // Two chunkers try all cases together.
  runPack(sample(createChunkerPack(subject), 2, turn));
});

describe("a real tokenizer, in pieces", () => {
  runPack(createLengthFunctionPack({ create: () => countInPieces(countTokens, { name: "o200k_base" }) }));
});

describe("the title transformer", () => {
  runPack(createChunkTransformerPack({ create: () => createTitleTransformer() }));
});

describe("a transformer made of parts", () => {
  runPack(
    createChunkTransformerPack({
      create: () => createTransformer({ name: "shout", text: ({ text }) => `${text.toUpperCase()}!` }),
    }),
  );
});

describe("the structure transformer", () => {
  runPack(createChunkTransformerPack({ create: () => createStructureTransformer() }));
});

describe("the metadata transformer", () => {
  runPack(
    createChunkTransformerPack({
      create: () => createMetadataTransformer("size", ({ text }) => ({ size: text.length })),
    }),
  );
});

describe.each([
  ["nobody to ask", {}],
  ["a summary of the document", { summarise: () => "A guide to keys." }],
  ["a language model", { model: createScriptedChatModel(() => "[1] How to turn a key.") }],
])("the context transformer with %s", (_, options) => {
  runPack(createChunkTransformerPack({ create: () => createContextTransformer(options) }));
});

describe("a chain of transformers", () => {
  runPack(
    createChunkTransformerPack({
      create: () => chainTransformers([createTitleTransformer(), createStructureTransformer()]),
    }),
  );
});
