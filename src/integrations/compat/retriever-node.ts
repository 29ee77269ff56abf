import { IbidError } from "../../contracts/errors.ts";
import type { FilterInput } from "../../contracts/filter.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Hit, SearchMode } from "../../contracts/retriever.ts";
import type { Scope } from "../../contracts/scope.ts";
import { checkOptions } from "../../runtime/check-options.ts";

/**
 * What a graph carries of a passage that was found: no score, for the next node has no use for it (W24).
 *
 * @experimental
 */
export interface RetrievedDoc {
  /** The chunk's id, by which a citation leads back. */
  readonly id: string;
  readonly content: string;
  /** The chunk's own, with `uri`, `title`, `headings`, `start` and `end` of its place. */
  readonly metadata: Metadata;
}

/**
 * State that has something to look for. **Source** Wesichain (W25).
 *
 * @experimental
 */
export interface HasQuery {
  readonly query: string;
}

/**
 * State that takes what was found. **Source** Wesichain (W25).
 *
 * @experimental
 */
export interface HasRetrievedDocs<Doc = RetrievedDoc> {
  readonly retrievedDocs: readonly Doc[];
}

/**
 * State that may say which documents it wants. **Source** Wesichain (W25).
 *
 * @experimental
 */
export interface HasMetadataFilter {
  readonly metadataFilter?: FilterInput | undefined;
}

/**
 * How a node retrieves; everything has a default.
 *
 * @experimental
 */
export interface RetrieverNodeOptions<State, Doc = RetrievedDoc> {
  /** Default 5. */
  readonly topK?: number;
  /** Inclusive floor on a hit's score, held here after the search (W23). Default: none. */
  readonly scoreThreshold?: number;
  /** Default `"hybrid"`. */
  readonly mode?: SearchMode;
  /** The application's own: what the state asks for narrows it further, and never widens it (law 12). */
  readonly filter?: FilterInput;
  readonly scopes?: readonly Scope[];
  /** Where the query stands in a state of your own. Default: `query`. */
  readonly query?: (state: State) => string;
  /** Default: `metadataFilter`. */
  readonly metadataFilter?: (state: State) => FilterInput | undefined;
  /** What a hit becomes. Default: {@link RetrievedDoc}. */
  readonly toDoc?: (hit: Hit) => Doc;
}

const optionNames = [
  "topK",
  "scoreThreshold",
  "mode",
  "filter",
  "scopes",
  "query",
  "metadataFilter",
  "toDoc",
] as const satisfies readonly (keyof RetrieverNodeOptions<unknown>)[];

/**
 * A node of a graph: what a state changes to. LangGraph takes it as it is.
 *
 * @experimental
 */
export type RetrieverNode<State, Doc = RetrievedDoc> = (
  state: State,
  config?: { readonly signal?: AbortSignal | undefined },
) => Promise<HasRetrievedDocs<Doc>>;

/**
 * Retrieval as a step of a graph: reads the query from the state, and replaces what was retrieved before.
 *
 * **Shape** the update holds `retrievedDocs` alone, best first; nothing found is `[]` (W28).
 * **Errors** `node-failed` around whatever retrieval throws, cause kept: it ends the graph (W27, W29). `aborted` stays itself.
 * **Source** Wesichain's `RetrieverNode` and its state traits (W20, W23 to W29).
 *
 * @experimental
 */
export function createRetrieverNode<State extends object = HasQuery & HasMetadataFilter, Doc = RetrievedDoc>(
  kb: KnowledgeBase,
  options: RetrieverNodeOptions<State, Doc> = {},
): RetrieverNode<State, Doc> {
  checkOptions("createRetrieverNode", options, optionNames);
  const { topK, scoreThreshold = -Infinity, mode, filter, scopes } = options;
  const queryOf = options.query ?? ((state: State) => (state as unknown as HasQuery).query);
  const filterOf = options.metadataFilter ?? ((state: State) => (state as HasMetadataFilter).metadataFilter);
  const toDoc = options.toDoc ?? (toRetrievedDoc as (hit: Hit) => Doc);
  return async (state, config = {}) => {
    try {
      const filters = [filter, filterOf(state)].filter((one) => one !== undefined);
      const hits = await kb.search(queryOf(state), {
        snippetLength: 0,
        ...(topK !== undefined && { topK }),
        ...(mode !== undefined && { mode }),
        ...(scopes !== undefined && { scopes }),
        ...(filters.length > 0 && { filter: { and: filters } }),
        ...(config.signal && { signal: config.signal }),
      });
      return { retrievedDocs: hits.filter(({ score }) => score >= scoreThreshold).map(toDoc) };
    } catch (cause) {
      if (IbidError.isInstance(cause, "aborted")) throw cause;
      const known = IbidError.isInstance(cause) ? cause : undefined;
      throw new IbidError(
        "node-failed",
        `The retriever node failed: ${known?.message ?? "something unforeseen happened."}`,
        {
          ...(known?.hint !== undefined && { hint: known.hint }),
          cause,
        },
      );
    }
  };
}

/**
 * What a hit is to a graph.
 *
 * @experimental
 */
export function toRetrievedDoc({ chunkId, text, metadata, source }: Hit): RetrievedDoc {
  const { uri, title, headings, start, end } = source;
  return { id: chunkId, content: text, metadata: { ...metadata, uri, title, headings, start, end } };
}
