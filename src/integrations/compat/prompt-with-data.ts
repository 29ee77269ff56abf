import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { SearchOptions } from "../../contracts/retriever.ts";

/**
 * What is searched for, and how; everything has a default.
 *
 * @experimental
 */
export interface PromptWithDataOptions extends Omit<SearchOptions, "snippetLength" | "explain" | "includeEmbeddings"> {
  /** Default: the question itself. */
  readonly query?: string;
}

/**
 * The plainest prompt with memory: what was found, a new line, the question.
 *
 * Nothing marks where the data end. Where documents are not your own, let a template encode them, a chat model be given memory (`withMemory`), or `ask`, which
 * fences them and checks every citation.
 *
 * **Shape** the texts of the hits, best first, a line apart; nothing found is the question alone. **Errors** those of `search`.
 * **Source** Semantic Kernel's first option (S14).
 *
 * @experimental
 */
export async function promptWithData(
  kb: KnowledgeBase,
  question: string,
  { query = question, ...options }: PromptWithDataOptions = {},
): Promise<string> {
  const hits = await kb.search(query, { ...options, snippetLength: 0 });
  return [...hits.map(({ text }) => text), question].join("\n");
}
