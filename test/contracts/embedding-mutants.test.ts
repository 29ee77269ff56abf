import { describe } from "vitest";

import type { EmbeddingCache, EmbeddingInput, EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { Embedding } from "../../src/contracts/embedding.ts";
import { createEmbedder } from "../../src/models/embedder/create-embedder.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { createEmbedderPack } from "../../src/testing/embedder-pack.ts";
import type { EmbedderSubject } from "../../src/testing/embedder-pack.ts";
import { createEmbeddingCachePack } from "../../src/testing/embedding-cache-pack.ts";
import { createEmbeddingModelPack } from "../../src/testing/embedding-model-pack.ts";
import type { EmbeddingModelSubject } from "../../src/testing/embedding-model-pack.ts";
import { runMutants } from "./mutants.ts";
import { createPlainEmbedder } from "./plain-embedder.ts";
import type { EmbedderFault } from "./plain-embedder.ts";

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

/** A cache of one map, with a fault. */
const cache = (fault: string) => ({
  bounded: true,
  create(capacity = Infinity): EmbeddingCache {
    const entries = new Map<string, Embedding>();
    let [reads, hits] = [0, 0];
    return {
      get hitRate() {
        if (fault === "no reads, no number") return hits / reads;
        return reads === 0 ? 0 : hits / reads;
      },
      get(given) {
        const key = fault === "keys in one case" ? given.toLowerCase() : given;
        const found = entries.get(key);
        reads += 1;
        if (found !== undefined || fault === "every read a hit") hits += 1;
        if (found === undefined) return fault === "zero for the unknown" ? [0] : undefined;
        if (fault !== "reads forgotten") {
          entries.delete(key);
          entries.set(key, found);
        }
        return fault === "output aliased" ? found : structuredClone(found);
      },
      set(given, embedding) {
        const key =
          fault === "keys in one case" ? given.toLowerCase() : fault === "long keys cut" ? given.slice(0, 100) : given;
        if (fault === "first write wins" && entries.has(key)) return;
        entries.delete(key);
        if (entries.size >= capacity && fault !== "without bounds") entries.delete(entries.keys().next().value ?? "");
        entries.set(key, fault === "input aliased" ? embedding : structuredClone(embedding));
        if (fault === "writes counted") reads += 1;
      },
    };
  },
});

describe("the cache pack notices a cache with one fault [T38 B27]", () => {
  runMutants(
    createEmbeddingCachePack,
    Object.entries({
      "zero for the unknown": "gives-back-what-it-was-given",
      "keys in one case": "keys-apart",
      "long keys cut": "keys-apart",
      "first write wins": "keys-apart",
      "no reads, no number": "hit-rate",
      "every read a hit": "hit-rate",
      "writes counted": "hit-rate",
      "input aliased": "not-aliased",
      "output aliased": "not-aliased",
      "reads forgotten": "forgets-the-least-recent",
      "without bounds": "forgets-the-least-recent",
    }).map(([fault, by]) => [fault, `embedding-cache/${by}`, cache(fault)] as const),
  );
});

const faults = {
  "order of arrival": "in-order-however-batches-finish",
  "version without fingerprint": "in-order-and-of-one-version",
  "everything sent": "sends-only-what-is-not-cached",
  "one big batch": "batches-within-the-model's-limit",
  "purposes share a key": "purpose-reaches-the-model",
  "text as key": "cache-holds-no-text",
  "models share a key": "models-apart-in-one-cache",
  "vectors shared": "cached-vectors-not-aliased",
  "NaN cached before it is refused": "a-failure-leaves-no-trace-in-the-cache",
  "count unchecked": "too-few-vectors-refused",
  "surplus ignored": "too-many-vectors-refused",
  "NaN let through": "nan-refused",
  "infinity let through": "infinity-refused",
  "dimensions unchecked": "other-dimensions-refused",
  "tries again": "failures-keep-their-cause",
  "cause lost": "failures-keep-their-cause",
  "media refused as a failure": "media-refused-by-a-model-of-text",
  "deaf while waiting": "stops-when-told",
  "dimensions guessed": "dimensions-learned-from-the-first-answer",
} as const satisfies Record<EmbedderFault, string>;

describe("the embedder pack notices an embedder with one fault [B14 B36 T38 W11 W13 W14]", () => {
  runMutants<EmbedderSubject>(
    createEmbedderPack,
    Object.entries(faults).map(
      ([fault, by]) =>
        [
          fault,
          `embedder/${by}`,
          { create: (...given) => createPlainEmbedder(fault as EmbedderFault, ...given) },
        ] as const,
    ),
  );
  runMutants<EmbedderSubject>(createEmbedderPack, [
    [
      "no cache at all",
      "embedder/sends-only-what-is-not-cached",
      { create: (each) => createEmbedder(each, { secret: new Uint8Array(4).fill(1) }) },
    ],
  ]);
});
