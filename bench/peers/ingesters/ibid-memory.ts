import { loadIbid, loadModels } from "../ibid.ts";
import type { Ingest } from "../ingester.ts";

export const ingest: Ingest = async (documents) => {
  const [{ createHashingModel }, { openKnowledgeBase }] = await Promise.all([loadModels(), loadIbid()]);
  const kb = await openKnowledgeBase({ models: { embedding: createHashingModel() } });
  const { chunks } = await kb.ingest(documents);
  await kb.close();
  return chunks;
};
