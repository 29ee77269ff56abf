import { describe } from "vitest";

import type { EmbeddingInput, EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { Embedding } from "../../src/contracts/embedding.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { createEmbeddingModelPack } from "../../src/testing/embedding-model-pack.ts";
import type { EmbeddingModelSubject } from "../../src/testing/embedding-model-pack.ts";
import { runMutants } from "./mutants.ts";

const model = (change: (good: EmbeddingModel) => Partial<EmbeddingModel>): EmbeddingModelSubject => ({
  create() {
    const good = createHashingModel({ dimensions: 8 });
    return { ...good, ...change(good) };
  },
});
/** A model whose answer is changed on the way out. */
const answering = (
  change: (embeddings: readonly Embedding[], inputs: readonly EmbeddingInput[]) => readonly Embedding[],
): EmbeddingModelSubject =>
  model((good) => ({
    async embed(inputs, options) {
      return { embeddings: change((await good.embed(inputs, options)).embeddings, inputs) };
    },
  }));

describe("the embedding model pack notices a model with one fault [B13 B14 W6 W14]", () => {
  const kept: Embedding[] = [];
  runMutants(createEmbeddingModelPack, [
    ["no name", "embedding-model/says-who-it-is", model(() => ({ model: "" }))],
    [
      "a new identity each time",
      "embedding-model/says-who-it-is",
      model(() => ({ fingerprint: String(Math.random()) })),
    ],
    ["no room for a batch", "embedding-model/says-who-it-is", model(() => ({ maxBatchSize: 0 }))],
    ["one vector too few", "embedding-model/one-vector-for-each-input", answering((embeddings) => embeddings.slice(1))],
    [
      "one vector too many",
      "embedding-model/one-vector-for-each-input",
      answering((embeddings) => [...embeddings, ...embeddings.slice(0, 1)]),
    ],
    ["other dimensions than stated", "embedding-model/one-vector-for-each-input", model(() => ({ dimensions: 9 }))],
    ["another kind than stated", "embedding-model/one-vector-for-each-input", model(() => ({ kind: "sparse" }))],
    [
      "NaN",
      "embedding-model/one-vector-for-each-input",
      answering((embeddings) => embeddings.map((each) => [...(each as Float32Array)].fill(Number.NaN))),
    ],
    [
      "something for nothing",
      "embedding-model/no-input-no-vector",
      answering((embeddings) => (embeddings.length === 0 ? [[1, 2, 3, 4, 5, 6, 7, 8]] : embeddings)),
    ],
    [
      "batch order swapped",
      "embedding-model/order-and-batches-change-nothing",
      answering((embeddings) => embeddings.toReversed()),
    ],
    [
      "neighbours leak in",
      "embedding-model/order-and-batches-change-nothing",
      answering((embeddings) =>
        embeddings.map((each) => [...(each as Float32Array)].map((value) => value * embeddings.length)),
      ),
    ],
    [
      "one vector for all",
      "embedding-model/tells-texts-apart",
      answering((embeddings) => embeddings.map(() => [1, 0, 0, 0, 0, 0, 0, 0])),
    ],
    [
      "a chunk's urtext",
      "embedding-model/a-chunk-is-its-text",
      model((good) => ({
        embed: (inputs, options) =>
          good.embed(
            inputs.map((input) => (typeof input !== "string" && "urtext" in input ? input.urtext : input)),
            options,
          ),
      })),
    ],
    [
      "media embedded by accident",
      "embedding-model/media-as-declared",
      model((good) => ({
        embed: (inputs, options) =>
          good.embed(
            inputs.map((input) => (typeof input === "string" ? input : JSON.stringify(input))),
            options,
          ),
      })),
    ],
    [
      "no queries",
      "embedding-model/both-purposes",
      model((good) => ({
        embed: (inputs, options) =>
          options.purpose === "query" ? Promise.resolve({ embeddings: [] }) : good.embed(inputs, options),
      })),
    ],
    [
      "deaf to signals",
      "embedding-model/stops-when-told",
      model((good) => ({ embed: (inputs, { purpose }) => good.embed(inputs, { purpose }) })),
    ],
    [
      "vectors handed out twice",
      "embedding-model/results-not-aliased",
      answering((embeddings) => embeddings.map((each, i) => (embeddings.length === 6 ? (kept[i] ??= each) : each))),
    ],
  ]);
});
