import type { FilterInput } from "../../contracts/filter.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Hit, SearchMode } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";

/**
 * Limits of a text search that the application sets; a model neither sees nor changes them.
 *
 * @experimental
 */
export interface TextSearchLimits {
  readonly filter?: FilterInput | undefined;
  /** Only these scopes, of those that the view may read. Default: all of them. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Default `"hybrid"`. */
  readonly mode?: SearchMode | undefined;
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
 * **Shape** a blank query finds nothing.
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

/** Converts a hit to a result. */
export function toTextSearchResult({ text, source }: Hit): TextSearchResult {
  return { name: source.title, value: text, link: source.uri };
}
