import MiniSearch from "minisearch";
import type { Contestant, CreateContestant, Passage } from "../contestant.ts";

export const create: CreateContestant = ({ topK }): Contestant<readonly Passage[], string> => {
  const index = new MiniSearch<Passage>({ fields: ["text"], storeFields: ["text", "slot"] });
  return {
    shape: ({ passages }) => passages,
    add: (passages) => index.addAll(passages),
    shapeQuery: ({ text }) => text,
    query: (text) =>
      index
        .search(text)
        .slice(0, topK)
        .map(({ id }) => id as string),
  };
};
