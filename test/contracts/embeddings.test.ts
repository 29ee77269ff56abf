import { describe } from "vitest";

import { createEmbedder } from "../../src/models/embedder/create-embedder.ts";
import { createEmbeddingCache } from "../../src/models/embedder/embedding-cache.ts";
import { createSharedEmbeddingCache } from "../../src/models/embedder/shared-embedding-cache.ts";
import { createBlobCache } from "../../src/models/embedder/blob-cache.ts";
import { createMemoryBlobStore } from "../../src/stores/memory/memory-blob-store.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { createEmbedderPack } from "../packs/embedder-pack.ts";
import { createEmbeddingCachePack } from "../packs/embedding-cache-pack.ts";
import { createEmbeddingModelPack } from "../../src/testing/embedding-model-pack.ts";
import { createFixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";
import { runPack } from "./run-pack.ts";

describe("the hashing model", () => {
  runPack(createEmbeddingModelPack({ create: () => createHashingModel() }));
});

describe("the hashing model of 16 dimensions", () => {
  runPack(createEmbeddingModelPack({ create: () => createHashingModel({ dimensions: 16 }) }));
});

describe("the fixed model", () => {
  const otherwise = (text: string): number[] => Array.from({ length: 4 }, (_, i) => text.charCodeAt(i) || 0);
  runPack(createEmbeddingModelPack({ create: () => createFixedEmbeddingModel({}, { dimensions: 4, otherwise }) }));
});

describe("the embedding cache", () => {
  runPack(
    createEmbeddingCachePack({
      create: (capacity) => createEmbeddingCache(capacity === undefined ? {} : { capacity }),
      bounded: true,
    }),
  );
});

describe("the embedding cache that processes share", () => {
  const shared = (capacity?: number) =>
    createSharedEmbeddingCache(createBlobCache(createMemoryBlobStore()), capacity === undefined ? {} : { capacity });
  runPack(createEmbeddingCachePack({ create: shared }));

  describe("where this process remembers one entry alone", () => {
    runPack(createEmbeddingCachePack({ create: () => shared(1) }));
  });
});

describe("the embedder", () => {
  const secret = new Uint8Array(32).fill(7);
  runPack(
    createEmbedderPack({
      create: (model, cache) => createEmbedder(model, { secret, ...(cache === undefined ? {} : { cache }) }),
    }),
  );
});
