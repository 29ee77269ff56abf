// The whole of it: `kb.ingest` embeds with the hashing model and stores; `kb.search` embeds the question and searches densely.
import type { Contestant, CreateContestant } from "../contestant.ts";
import { type Chunk, loadModels } from "../ibid.ts";
import { openKnowledgeBase, toChunks } from "./ibid.ts";

export const create: CreateContestant = async ({ topK }): Promise<Contestant<readonly Chunk[], string>> => {
  const { createHashingModel } = await loadModels();
  const kb = await openKnowledgeBase({ models: { embedding: createHashingModel() } });
  return {
    shape: ({ passages }) => toChunks(passages),
    add: async (chunks) => void (await kb.ingest(chunks, { settle: true })),
    shapeQuery: ({ text }) => text,
    query: async (text) => (await kb.search(text, { mode: "dense", topK })).map(({ chunkId }) => chunkId),
    close: () => kb.close(),
  };
};
