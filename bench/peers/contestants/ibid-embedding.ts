// The whole of it: `kb.ingest` embeds with the hashing model and stores; `kb.search` embeds the question and searches densely.
import type { Chunk } from "../../../dist/node.js";
import type { Contestant, CreateContestant } from "../contestant.ts";
import { ibid, toChunk } from "./ibid.ts";

export const create: CreateContestant = async ({ topK }): Promise<Contestant<Chunk[], string>> => {
  const kb = await ibid.openKnowledgeBase({ models: { embedding: ibid.createHashingModel() } });
  return {
    shape: ({ passages }) => passages.map(toChunk),
    add: async (chunks) => void (await kb.ingest(chunks, { settle: true })),
    shapeQuery: ({ text }) => text,
    query: async (text) => (await kb.search(text, { mode: "dense", topK })).map(({ chunkId }) => chunkId),
    close: () => kb.close(),
  };
};
