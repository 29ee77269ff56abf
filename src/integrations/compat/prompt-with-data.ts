import { checkGiven } from "../../runtime/check-options.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { SearchOptions } from "../../contracts/retriever.ts";

/**
 * Options of the search. All have defaults.
 *
 * @experimental
 */
export interface PromptWithDataOptions extends Omit<SearchOptions, "snippetLength" | "explain" | "includeEmbeddings"> {
  /** Default: the question itself. */
  readonly query?: string | undefined;
}

/**
 * Makes the plainest prompt with data: the hits, a line break, the question.
 *
 * Nothing marks where the data ends. For documents of others, use a template that encodes them, `withMemory`, or `ask`, which fences sources and checks citations.
 *
 * **Shape** the texts of the hits, best first, one a line; without hits, the question alone. **Errors** as `search`. **Source** Semantic Kernel's first option.
 *
 * @experimental
 */
export async function promptWithData(
  kb: KnowledgeBase,
  question: string,
  options: PromptWithDataOptions = {},
): Promise<string> {
  checkGiven("promptWithData", "kb", kb, "object", { search: "function" });
  checkGiven("promptWithData", "question", question, "text");
  checkGiven("promptWithData", "options", options, "object");
  const { query = question, ...search } = options;
  const hits = await kb.search(query, { ...search, snippetLength: 0 });
  return [...hits.map(({ text }) => text), question].join("\n");
}
