import { join } from "node:path";
import type { Ingest } from "../ingester.ts";

export const ingest: Ingest = async (documents, into) => {
  const { createHashingModel, openKnowledgeBase } = await import("../../../dist/node.js");
  const kb = await openKnowledgeBase(join(into, "kb"), { models: { embedding: createHashingModel() } });
  const { chunks } = await kb.ingest(documents);
  await kb.close();
  return chunks;
};
