import type { Ingest } from "../ingester.ts";

export const ingest: Ingest = async (documents) => {
  const { openKnowledgeBase } = await import("../../../dist/node.js");
  const kb = await openKnowledgeBase();
  const { chunks } = await kb.ingest(documents);
  await kb.close();
  return chunks;
};
