import type { Contestant, CreateContestant, Passage } from "../contestant.ts";
import { insert, openOrama, search } from "./orama.ts";

export const create: CreateContestant = ({ topK }): Contestant<Passage[], string> => {
  const db = openOrama(0);
  return {
    shape: ({ passages }) => passages.map((passage) => ({ ...passage })),
    add: (passages) => insert(db, passages),
    shapeQuery: ({ text }) => text,
    query: async (term) => (await search(db, { term, limit: topK })).hits.map(({ id }) => id),
  };
};
