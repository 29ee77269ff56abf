import { LocalIndex } from "vectra";
import type { Contestant, CreateContestant } from "../contestant.ts";

interface Item {
  readonly id: string;
  readonly vector: number[];
  readonly metadata: { readonly text: string; readonly slot: number };
}

export const create: CreateContestant = async ({ folder, topK }): Promise<Contestant<Item[], number[]>> => {
  const index = new LocalIndex<Item["metadata"]>(folder);
  await index.createIndex();
  return {
    shape: ({ passages, vectors, dimensions }) =>
      passages.map(({ id, text, slot }, i) => ({
        id,
        vector: Array.from(vectors.subarray(i * dimensions, (i + 1) * dimensions)),
        metadata: { text, slot },
      })),
    add: async (items) => void (await index.batchInsertItems(items)),
    shapeQuery: ({ vector }) => Array.from(vector),
    query: async (vector) => (await index.queryItems(vector, "", topK)).map(({ item }) => item.id),
  };
};
