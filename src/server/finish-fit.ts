import type { KnowledgeBase } from "../contracts/knowledge-base.ts";

/** Makes the fit that a service left behind when it stopped. Nobody waits for it: searches go on with the one before. **Errors** as `ingest`. */
export async function finishFit(kb: KnowledgeBase): Promise<void> {
  const { fit } = await kb.status();
  // A call without documents settles, and reports no ingestion.
  if (fit?.isDue === true) await kb.ingest([], { settle: true });
}
