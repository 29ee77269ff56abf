import { createFixedEmbeddingModel, type FixedEmbeddingModel } from "ibid/testing";

/** A model with the vector of each text. What is embedded may have a title above the text. */
export function fixed(vectors: Readonly<Record<string, readonly number[]>>): FixedEmbeddingModel {
  const otherwise = (text: string): readonly number[] => {
    const own = text.slice(text.lastIndexOf("\n") + 1);
    const vector = vectors[own];
    if (vector === undefined) throw new Error(`There is no vector of ${JSON.stringify(text)}.`);
    return vector;
  };
  return createFixedEmbeddingModel({}, { dimensions: Object.values(vectors)[0]!.length, otherwise });
}
