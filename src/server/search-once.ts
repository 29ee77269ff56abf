import type { KnowledgeBase } from "../contracts/knowledge-base.ts";

/** Searches for the title of a document, so that health counts no miss. An empty knowledge base has nothing to load. */
export async function searchOnce(kb: KnowledgeBase): Promise<void> {
  for await (const { title, uri } of kb.list()) {
    await kb.search((title ?? uri).slice(0, 200), { topK: 1 });
    return;
  }
}
