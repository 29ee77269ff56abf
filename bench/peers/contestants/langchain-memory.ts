import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { Document } from "@langchain/core/documents";
import { FakeEmbeddings } from "@langchain/core/utils/testing";
import type { Contestant, CreateContestant } from "../contestant.ts";

interface Shaped {
  readonly vectors: number[][];
  readonly documents: Document[];
}

export const create: CreateContestant = ({ topK }): Contestant<Shaped, number[]> => {
  // Vectors are given, so it never embeds.
  const store = new MemoryVectorStore(new FakeEmbeddings());
  return {
    shape: ({ passages, vectors, dimensions }) => ({
      vectors: passages.map((_, i) => Array.from(vectors.subarray(i * dimensions, (i + 1) * dimensions))),
      documents: passages.map(({ id, text, slot }) => new Document({ id, pageContent: text, metadata: { slot } })),
    }),
    add: ({ vectors, documents }) => store.addVectors(vectors, documents),
    shapeQuery: ({ vector }) => Array.from(vector),
    query: async (vector) => (await store.similaritySearchVectorWithScore(vector, topK)).map(([{ id }]) => id!),
  };
};
