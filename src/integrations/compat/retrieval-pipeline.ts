import type { Origin } from "../../contracts/document.ts";
import type { Embedding } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { ChunkInput, KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Metadata } from "../../contracts/metadata.ts";
import type { Hit, SearchOptions } from "../../contracts/retriever.ts";
import type { AccessContext, Scope } from "../../contracts/scope.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";
import { compareCodePoints } from "../../runtime/compare-text.ts";

/**
 * How a request's results are merged. `Interleaved` and `Separate` are about scopes: one ranking of all, or scope after scope as the request names them.
 *
 * **Source** ToolUp: the first four of its document, the last two of its later code.
 *
 * @experimental
 */
export type MergeStrategy =
  | "DenseOnly"
  | "SparseOnly"
  | "DenseSparseHybrid"
  | "DenseSparseRerank"
  | "Interleaved"
  | "Separate";

/**
 * One retrieval, as ToolUp writes it. **Source** ToolUp `RetrievalRequest`.
 *
 * @experimental
 */
export interface RetrievalRequest {
  readonly query: string;
  /** Scopes that the caller may not read are dropped. */
  readonly requestedScopes: readonly Scope[];
  /** From 1 to 100. Default 5. */
  readonly topK?: number | undefined;
  /** Inclusive threshold of the dense leg, from 0 to 1. Default 0.3. */
  readonly minScore?: number | undefined;
  /** Default `"DenseOnly"`. */
  readonly mergeStrategy?: MergeStrategy | undefined;
  /** Only chunks of these origins. The first four strategies drop others last, behind the reranker, and may give fewer than `topK`. Default: all. */
  readonly originFilter?: readonly Origin[] | undefined;
}

/**
 * A chunk that a pipeline found. **Source** ToolUp `VectorMatch`.
 *
 * @experimental
 */
export interface RetrievalMatch {
  readonly scope: Scope;
  readonly score: number;
  readonly chunk: {
    readonly id: string;
    /** Cut to `snippetCharLimit`. */
    readonly text: string;
    readonly metadata: Metadata;
    readonly origin: Origin;
    /** Absent where no model embedded it. */
    readonly vector?: Embedding;
  };
}

/**
 * Options of {@link createRetrievalPipeline}; everything has a default.
 *
 * @experimental
 */
export interface RetrievalPipelineOptions {
  /** **Units** UTF-16, from 32 to 8,192. Default 1,500. */
  readonly snippetCharLimit?: number | undefined;
}

/**
 * One way in and one way out, both through the gate. **Source** ToolUp `IRetrievalPipeline`.
 *
 * @experimental
 */
export interface RetrievalPipeline {
  /** **Shape** best first; equal scores by scope and id. **Errors** `invalid-argument` for a request out of bounds; errors of the search. */
  retrieve(request: RetrievalRequest, access: AccessContext): Promise<readonly RetrievalMatch[]>;
  /** Embeds a chunk and keeps it, with the version of its vector. **Shape** the same id replaces. **Errors** errors of an ingestion. */
  index(scope: Scope, chunk: ChunkInput & { readonly id: string; readonly origin?: Origin }): Promise<void>;
}

const plans: Readonly<Record<MergeStrategy, SearchOptions & { readonly late?: true }>> = {
  DenseOnly: { mode: "dense", rerank: false, late: true },
  SparseOnly: { mode: "lexical", rerank: false, late: true },
  DenseSparseHybrid: { mode: "hybrid", fusion: "weighted", rerank: false, late: true },
  DenseSparseRerank: { mode: "hybrid", fusion: "weighted", late: true },
  Interleaved: { mode: "hybrid", fusion: "rrf" },
  Separate: { mode: "hybrid", fusion: "rrf" },
};

/**
 * ToolUp's pipeline over a knowledge base: its requests, its eight stages, its defaults and bounds.
 *
 * **Shape** a hybrid is seven parts of meaning and three of words; by scopes, reciprocal ranks with k = 60. The knowledge base's reranker orders
 * `DenseSparseRerank` and the strategies by scopes. **Errors** `invalid-argument`. **Source** ToolUp `IRetrievalPipeline`.
 *
 * @experimental
 */
export function createRetrievalPipeline(
  kb: Pick<KnowledgeBase, "as" | "ingest">,
  options: RetrievalPipelineOptions = {},
): RetrievalPipeline {
  checkGiven("createRetrievalPipeline", "kb", kb, "object");
  checkOptions("createRetrievalPipeline", options, { snippetCharLimit: true });
  const { snippetCharLimit = 1500 } = options;
  checkBounds("snippetCharLimit", snippetCharLimit, 32, 8192);

  return {
    async retrieve(request, access) {
      const { query, requestedScopes, topK, minScore, originFilter, mergeStrategy } = readRequest(request);
      const { late = false, ...plan } = plans[mergeStrategy];
      const search = {
        ...plan,
        topK,
        copies: "all",
        snippetLength: 0,
        includeEmbeddings: true,
        ...(plan.mode !== "lexical" && { minScore }),
        ...(originFilter && !late && { origins: originFilter }),
      } as const;
      const view = kb.as(access);
      const groups = mergeStrategy === "Separate" ? requestedScopes.map((scope) => [scope]) : [requestedScopes];
      const found: Hit[] = [];
      for (const scopes of groups) {
        if (found.length >= topK) break;
        found.push(...(await view.search(query, { ...search, scopes })).toSorted(compareMatches));
      }
      return found
        .slice(0, topK)
        .filter(({ origin }) => originFilter?.includes(origin) ?? true)
        .map((hit) => toMatch(hit, snippetCharLimit));
    },

    async index(scope, { origin, ...chunk }) {
      const { failures } = await kb.ingest(
        { uri: `chunk:${chunk.id}`, chunks: [chunk] },
        { scope, ...(origin && { origin }) },
      );
      if (failures[0] !== undefined) throw failures[0].error;
    },
  };
}

function readRequest(request: RetrievalRequest) {
  checkGiven("retrieve", "request", request, "object");
  checkOptions("retrieve", request, {
    query: true,
    requestedScopes: true,
    topK: true,
    minScore: true,
    mergeStrategy: true,
    originFilter: true,
  });
  const { query, requestedScopes, topK = 5, minScore = 0.3, mergeStrategy = "DenseOnly", originFilter } = request;
  checkGiven("retrieve", "requestedScopes", requestedScopes, "list");
  checkBounds("topK", topK, 1, 100);
  if (!(minScore >= 0 && minScore <= 1)) throw outOfBounds("minScore", minScore, "a number from 0 to 1");
  if (!Object.hasOwn(plans, mergeStrategy))
    throw outOfBounds("mergeStrategy", JSON.stringify(mergeStrategy), `one of ${Object.keys(plans).join(", ")}`);
  return { query, requestedScopes: [...new Set(requestedScopes)], topK, minScore, mergeStrategy, originFilter };
}

function checkBounds(name: string, value: number, least: number, most: number): void {
  if (!(Number.isInteger(value) && value >= least && value <= most))
    throw outOfBounds(name, value, `a whole number from ${least} to ${most}`);
}

function outOfBounds(name: string, value: unknown, wanted: string): IbidError {
  return new IbidError("invalid-argument", `${name} is ${String(value)}.`, { hint: `Give ${wanted}.` });
}

const compareMatches = (a: Hit, b: Hit): number =>
  b.score - a.score || compareCodePoints(a.scope, b.scope) || compareCodePoints(a.chunkId, b.chunkId);

function toMatch({ scope, score, chunkId, text, metadata, origin, embedding }: Hit, limit: number): RetrievalMatch {
  const cut = /[\ud800-\udbff]$/u.test(text.slice(0, limit)) ? limit - 1 : limit;
  return {
    scope,
    score,
    chunk: { id: chunkId, text: text.slice(0, cut), metadata, origin, ...(embedding && { vector: embedding }) },
  };
}
