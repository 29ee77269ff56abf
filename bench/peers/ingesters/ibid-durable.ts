import { join } from "node:path";
import { loadIbid, loadModels } from "../ibid.ts";
import type { Ingest } from "../ingester.ts";

export const ingest: Ingest = async (documents, into) => {
  const [{ createHashingModel }, { openKnowledgeBase }] = await Promise.all([loadModels(), loadIbid()]);
  const kb = await openKnowledgeBase(join(into, "kb"), { models: { embedding: createHashingModel() } });
  const { chunks } = await kb.ingest(documents);
  await kb.close();
  return chunks;
};
