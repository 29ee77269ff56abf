import { describe } from "vitest";

import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { createRecordingTracer } from "../packs/recording-tracer.ts";
import { createRerankerPack } from "../../src/testing/reranker-pack.ts";
import { createRetrieverPack } from "../../src/testing/retriever-pack.ts";
import { createTracerPack } from "../packs/tracer-pack.ts";
import type { RecordingTracer } from "../packs/recording-tracer.ts";
import { countWords } from "./count-words.ts";
import { retrieverOver } from "./retriever-over.ts";
import { runPack } from "./run-pack.ts";

describe("the retriever with the hashing model", () => {
  runPack(
    createRetrieverPack({
      create: (texts) => retrieverOver(texts, createHashingModel()),
      modes: ["hybrid", "dense", "lexical", "regex"],
    }),
  );
});

describe("the retriever without a model", () => {
  runPack(createRetrieverPack({ create: (texts) => retrieverOver(texts, undefined), modes: ["hybrid", "lexical"] }));
});

describe("a reranker that counts shared words", () => {
  runPack(
    createRerankerPack({
      create: () => countWords,
      example: { query: "rotate the keys", better: "to rotate the keys, turn", worse: "the sea is calm" },
    }),
  );
});

describe("the recording tracer", () => {
  runPack(
    createTracerPack({ create: () => createRecordingTracer(), read: (tracer) => (tracer as RecordingTracer).traces }),
  );
});
