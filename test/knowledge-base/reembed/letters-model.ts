import { createFixedEmbeddingModel, type FixedEmbeddingModel } from "../../../src/testing/fixed-embedding-model.ts";

/** A model that counts one letter: the same in every process. */
export function lettersModel(model: string, letter: string): FixedEmbeddingModel {
  const otherwise = (text: string): readonly number[] => [text.split(letter).length, 1];
  return createFixedEmbeddingModel({}, { model, dimensions: 2, otherwise });
}
