import { narrowProof } from "../../access/gate.ts";
import type { EmbeddingModel } from "../../contracts/embedding-model.ts";
import type { Store } from "../../contracts/store.ts";
import { createEmbedder } from "../../models/embedder/create-embedder.ts";
import { createRetriever } from "../../search/create-retriever.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { FilterInput } from "../../contracts/filter.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import { thresholdScore, withoutExplanation } from "./threshold-score.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Hit, SearchMode } from "../../contracts/retriever.ts";
import type { AuthorizedScopes, Scope } from "../../contracts/scope.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";

/**
 * A chunk in the state of a graph. It has no score, because the next node needs none.
 *
 * @experimental
 */
export interface RetrievedDoc {
  /** The chunk's id, for citations. */
  readonly id: string;
  readonly content: string;
  /** The chunk's metadata, with `uri`, `title`, `headings`, `start` and `end` of its place. */
  readonly metadata: Metadata;
}

/**
 * State with a query. **Source** Wesichain.
 *
 * @experimental
 */
export interface HasQuery {
  readonly query: string;
}

/**
 * State with retrieved documents. **Source** Wesichain.
 *
 * @experimental
 */
export interface HasRetrievedDocs<Doc = RetrievedDoc> {
  readonly retrievedDocs: readonly Doc[];
}

/**
 * State with a filter. **Source** Wesichain.
 *
 * @experimental
 */
export interface HasMetadataFilter {
  readonly metadataFilter?: FilterInput | undefined;
}

/**
 * Options of a node. All have defaults.
 *
 * @experimental
 */
export interface RetrieverNodeOptions<State, Doc = RetrievedDoc> {
  /** Documents. Default 5. */
  readonly topK?: number | undefined;
  /** Least score, inclusive; checked after the search. With an embedding model it is on the score of the dense leg, in every mode but `"lexical"` and `"regex"`. Default: none. */
  readonly scoreThreshold?: number | undefined;
  /** Default `"hybrid"`. */
  readonly mode?: SearchMode | undefined;
  /** Filter of the application; the state's own filter can only narrow it. */
  readonly filter?: FilterInput | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  /** Reads the query from a state of your own. Default: `query`. */
  readonly query?: ((state: State) => string) | undefined;
  /** Reads the filter from it. Default: `metadataFilter`. */
  readonly metadataFilter?: ((state: State) => FilterInput | undefined) | undefined;
  /** Converts a hit. Default: {@link RetrievedDoc}. */
  readonly toDoc?: ((hit: Hit) => Doc) | undefined;
}

const optionNames = {
  topK: true,
  scoreThreshold: true,
  mode: true,
  filter: true,
  scopes: true,
  query: true,
  metadataFilter: true,
  toDoc: true,
} as const;

/**
 * Parts of a node that owns its store and its model.
 *
 * @experimental
 */
export interface RetrieverNodeParts {
  readonly store: Store;
  readonly embeddingModel: EmbeddingModel;
  /** The gate's permission: `createGate().read(operator, ["deployment"])`. */
  readonly scopes: AuthorizedScopes;
}

/** A search over a store and a model, without a knowledge base. */
function searchStore(parts: RetrieverNodeParts): Pick<KnowledgeBase, "search"> {
  checkOptions("createRetrieverNode", parts, { store: true, embeddingModel: true, scopes: true });
  const { store, embeddingModel, scopes: proof } = parts;
  for (const [name, part] of Object.entries({ store, embeddingModel, scopes: proof }))
    checkGiven("createRetrieverNode", name, part, "object");
  const embedder = createEmbedder(embeddingModel, { secret: store.secret });
  const retriever = createRetriever({ store, embedder });
  return {
    search: async (query, { scopes, strategy: _, groupBy: __, ...options } = {}) =>
      retriever.retrieve(scopes === undefined ? proof : narrowProof(proof, scopes), query, options),
  };
}

/**
 * A node of a graph: from a state to its update. LangGraph takes it unchanged.
 *
 * @experimental
 */
export type RetrieverNode<State, Doc = RetrievedDoc> = (
  state: State,
  config?: { readonly signal?: AbortSignal | undefined },
) => Promise<HasRetrievedDocs<Doc>>;

/**
 * Makes a node that retrieves, over a knowledge base or over a store and a model. It reads the query from the state, and replaces the retrieved documents.
 *
 * **Shape** the update has `retrievedDocs` alone, best first; `[]` without hits.
 * **Errors** `node-failed` around each error of retrieval, with its cause; it ends the graph. `aborted` stays as it is.
 * **Source** Wesichain's `RetrieverNode` and its state traits.
 *
 * @experimental
 */
export function createRetrieverNode<State extends object = HasQuery & HasMetadataFilter, Doc = RetrievedDoc>(
  from: Pick<KnowledgeBase, "search"> | RetrieverNodeParts,
  options: RetrieverNodeOptions<State, Doc> = {},
): RetrieverNode<State, Doc> {
  checkOptions("createRetrieverNode", options, optionNames);
  checkGiven("createRetrieverNode", "from", from, "object");
  const kb = "search" in from ? from : searchStore(from);
  const { topK, scoreThreshold = -Infinity, mode, filter, scopes } = options;
  const queryOf = options.query ?? ((state: State) => (state as unknown as HasQuery).query);
  const filterOf = options.metadataFilter ?? ((state: State) => (state as HasMetadataFilter).metadataFilter);
  const toDoc = options.toDoc ?? (toRetrievedDoc as (hit: Hit) => Doc);
  return async (state, config = {}) => {
    try {
      const filters = [filter, filterOf(state)].filter((one) => one !== undefined);
      const hits = await kb.search(queryOf(state), {
        snippetLength: 0,
        ...(scoreThreshold > -Infinity && { explain: true }),
        ...(topK !== undefined && { topK }),
        ...(mode !== undefined && { mode }),
        ...(scopes !== undefined && { scopes }),
        ...(filters.length > 0 && { filter: { and: filters } }),
        ...(config.signal && { signal: config.signal }),
      });
      return {
        retrievedDocs: hits
          .filter((hit) => thresholdScore(hit) >= scoreThreshold)
          .map((hit) => toDoc(withoutExplanation(hit))),
      };
    } catch (cause) {
      if (config.signal?.aborted === true || IbidError.isInstance(cause, "aborted")) throw cause;
      const known = IbidError.isInstance(cause) ? cause : undefined;
      throw new IbidError(
        "node-failed",
        `The retriever node failed: ${known?.message ?? "an unexpected error occurred."}`,
        {
          ...(known?.hint !== undefined && { hint: known.hint }),
          cause,
        },
      );
    }
  };
}

/**
 * Converts a hit to a document of a graph.
 *
 * @experimental
 */
export function toRetrievedDoc(hit: Hit): RetrievedDoc {
  checkGiven("toRetrievedDoc", "hit", hit, "object", { source: "object" });
  const { chunkId, text, metadata, source } = hit;
  const { uri, title, headings, start, end } = source;
  return { id: chunkId, content: text, metadata: { ...metadata, uri, title, headings, start, end } };
}
