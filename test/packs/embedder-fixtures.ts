import type { EmbeddingCache, EmbeddingInput, EmbeddingModel } from "../../src/contracts/embedding-model.ts";
import type { Embedding } from "../../src/contracts/embedding.ts";
import { createFixedEmbeddingModel } from "../../src/testing/fixed-embedding-model.ts";
import type { FixedEmbeddingModel, FixedEmbeddingModelOptions } from "../../src/testing/fixed-embedding-model.ts";

/** A cache that can be looked into. */
export function openCache(): EmbeddingCache & { readonly entries: Map<string, Embedding> } {
  const entries = new Map<string, Embedding>();
  return {
    entries,
    hitRate: 0,
    get: (key) => structuredClone(entries.get(key)),
    set: (key, embedding) => void entries.set(key, structuredClone(embedding)),
  };
}

/** A model whose vectors tell the text's length and first letter. */
export function lettersModel(options: FixedEmbeddingModelOptions = {}): FixedEmbeddingModel {
  const otherwise = (text: string): Embedding => [text.length, text.codePointAt(0) ?? 0];
  return createFixedEmbeddingModel({}, { dimensions: 2, otherwise, ...options });
}

/** A model that answers as it is told, and counts how often it was asked. */
export function answering(answer: (inputs: readonly EmbeddingInput[]) => unknown): EmbeddingModel & { asked: number } {
  return {
    provider: "testing",
    model: "odd",
    kind: "dense",
    dimensions: 2,
    asked: 0,
    async embed(inputs) {
      this.asked += 1;
      return { embeddings: (await answer(inputs)) as readonly Embedding[] };
    },
  };
}
