import { describe } from "vitest";

import { createRecursiveChunker } from "../../src/chunks/recursive-chunker.ts";
import { createSectionChunker } from "../../src/chunks/section-chunker.ts";
import { createSpreadsheetChunker } from "../../src/chunks/spreadsheet-chunker.ts";
import { createTransformer } from "../../src/chunks/create-transformer.ts";
import { createTitleTransformer } from "../../src/chunks/title-transformer.ts";
import { createChunkTransformerPack } from "../../src/testing/chunk-transformer-pack.ts";
import { createChunkerPack } from "../../src/testing/chunker-pack.ts";
import { characters, heuristicTokens } from "../../src/text/length.ts";
import { runPack } from "./run-pack.ts";

describe("the section chunker", () => {
  runPack(
    createChunkerPack({
      create: () => createSectionChunker(),
      limits: { maxSize: 1500, overlap: 200, length: characters },
      resize: (maxSize, overlap) => createSectionChunker({ maxSize, overlap }),
    }),
  );
});

describe("the section chunker, by tokens", () => {
  runPack(
    createChunkerPack({
      create: () => createSectionChunker({ maxSize: 60, overlap: 10, length: heuristicTokens }),
      limits: { maxSize: 60, overlap: 10, length: heuristicTokens },
    }),
  );
});

describe.each(["paragraph", "line", "sentence", "word", "character"] as const)(
  "the recursive chunker by %s",
  (strategy) => {
    runPack(
      createChunkerPack({
        create: () => createRecursiveChunker({ strategy }),
        limits: { maxSize: 200, overlap: 40, length: characters },
        resize: (maxSize, overlap) => createRecursiveChunker({ strategy, maxSize, overlap }),
      }),
    );
  },
);

describe("the spreadsheet chunker", () => {
  runPack(
    createChunkerPack({
      create: () => createSpreadsheetChunker({ maxSize: 64 }),
      limits: { maxSize: 64, overlap: 0, length: heuristicTokens },
    }),
  );
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
