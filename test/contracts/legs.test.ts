import { describe } from "vitest";

import type { StoreParts } from "../../src/contracts/store.ts";
import { type AnyVectorStore, createVectorStoreParts } from "../../src/stores/engines/from-vector-store.ts";
import { latentSemanticModel as corpusModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions, type StoreOptions } from "../../src/stores/segments/store-options.ts";
import { createLegPack } from "../../src/testing/leg-pack.ts";
import type { LegSubject } from "../../src/testing/leg-world.ts";
import { createPlainLegs, plainSubject } from "./plain-legs.ts";
import { runPack } from "./run-pack.ts";

const subjects: readonly Pick<LegSubject, "name" | "reads">[] = [
  { name: "lexical", reads: ["words"] },
  { name: "dense", reads: ["embedding"] },
  { name: "latent", reads: ["words"] },
  { name: "pattern", reads: ["pattern"] },
];

function createSegmentParts(options: StoreOptions = {}): StoreParts {
  return createSegmentStore(createMemoryDirectory(), {
    ...decideStoreOptions({ corpusModel, ...options }),
    embeddings: ["dense"],
    secret: createSecret(),
  });
}

describe("the legs of a segment store", () => {
  for (const subject of subjects) runPack(createLegPack({ ...subject, create: async () => createSegmentParts() }));

  describe("with segments of a few chunks", () => {
    const create = async () => createSegmentParts({ segments: { sealAt: 2, settleAt: 1 } });
    for (const subject of subjects) runPack(createLegPack({ ...subject, create }));
  });
});

describe("the legs of a store over a vector store", () => {
  const create = async () => createVectorStoreParts(createVectorList());
  for (const subject of subjects) if (subject.name !== "latent") runPack(createLegPack({ ...subject, create }));
});

describe("a plain leg", () => {
  runPack(createLegPack(plainSubject()));

  describe("that promises little", () => {
    const modest = { exact: false, filters: "none", scoresGivenChunks: false } as const;
    for (const visibility of ["later", "waits"] as const)
      runPack(createLegPack(createPlainLegs({ capabilities: { ...modest, visibility } })));
  });

  describe("that evaluates a few operators", () => {
    runPack(createLegPack(createPlainLegs({ capabilities: { filters: ["eq", "and"] } })));
  });
});

/** A vector store of one list, which scores by the cosine. */
function createVectorList(): AnyVectorStore {
  const held = new Map<string, readonly number[]>();
  const length = (vector: readonly number[]): number => Math.hypot(...vector) || 1;
  return {
    add(entries) {
      for (const { id, embedding } of entries) held.set(id, embedding);
    },
    async query({ embedding, topK }) {
      const scored = Array.from(held, ([id, own]) => {
        const dot = own.reduce((sum, value, i) => sum + value * embedding[i]!, 0);
        return { id, similarityScore: dot / length(own) / length(embedding) };
      });
      return scored.toSorted((a, b) => b.similarityScore - a.similarityScore).slice(0, topK);
    },
    delete(ids) {
      for (const id of ids) held.delete(id);
    },
  };
}
