import type { Contestant, CreateContestant } from "../contestant.ts";
import { insert, openOrama, search } from "./orama.ts";

export const create: CreateContestant = ({ topK, dimensions }): Contestant<object[], number[]> => {
  const db = openOrama(dimensions);
  return {
    shape: ({ passages, vectors }) =>
      passages.map((passage, i) => ({
        ...passage,
        embedding: Array.from(vectors.subarray(i * dimensions, (i + 1) * dimensions)),
      })),
    add: (documents) => insert(db, documents),
    shapeQuery: ({ vector }) => Array.from(vector),
    query: async (value) =>
      (
        await search(db, { mode: "vector", vector: { value, property: "embedding" }, similarity: 0, limit: topK })
      ).hits.map(({ id }) => id),
  };
};
