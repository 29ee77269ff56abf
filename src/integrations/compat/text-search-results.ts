import type { FilterInput } from "../../contracts/filter.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Hit, SearchMode } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";

/**
 * How a text search looks, which no model sees or changes.
 *
 * @experimental
 */
export interface TextSearchLimits {
  readonly filter?: FilterInput;
  /** Only of these; what the view may not read is dropped. Default: all that it may. */
  readonly scopes?: readonly Scope[];
  /** Default `"hybrid"`. */
  readonly mode?: SearchMode;
}

/**
 * One result of a text search. **Source** Semantic Kernel's `TextSearchResult`.
 *
 * @experimental
 */
export interface TextSearchResult {
  /** The document's title. */
  readonly name: string;
  readonly value: string;
  /** The document's uri. */
  readonly link: string;
}

/**
 * Hits from `skip` on, best first.
 *
 * **Shape** a blank query looks for nothing and finds nothing (S26, S27).
 */
export async function searchText(
  kb: KnowledgeBase,
  query: string,
  {
    count,
    skip = 0,
    signal,
    ...limits
  }: TextSearchLimits & { count: number; skip?: number; signal?: AbortSignal | undefined },
): Promise<readonly Hit[]> {
  if (query.trim() === "" || count < 1) return [];
  const { filter, scopes, mode } = limits;
  const hits = await kb.search(query, {
    topK: skip + count,
    snippetLength: 0,
    ...(filter !== undefined && { filter }),
    ...(scopes !== undefined && { scopes }),
    ...(mode !== undefined && { mode }),
    ...(signal && { signal }),
  });
  return hits.slice(skip);
}

/** A hit in the words of a text search. */
export function toTextSearchResult({ text, source }: Hit): TextSearchResult {
  return { name: source.title, value: text, link: source.uri };
}
