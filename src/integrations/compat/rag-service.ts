import { IbidError } from "../../contracts/errors.ts";
import type { KnowledgeBase } from "../../contracts/knowledge-base.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { checkGiven, checkOptions } from "../../runtime/check-options.ts";

/**
 * A request with Embabel's defaults. **Source** Embabel `RagRequest`.
 *
 * @experimental
 */
export interface RagRequest {
  readonly query: string;
  /** Inclusive threshold of the cosine, from 0 to 1. Default 0.8. */
  readonly similarityThreshold?: number | undefined;
  /** Default 8. */
  readonly topK?: number | undefined;
}

/**
 * A chunk with its score. A merged one has the text of all its chunks, and the id and place of the first.
 *
 * @experimental
 */
export interface RagResult {
  readonly match: Pick<Hit, "chunkId" | "documentId" | "scope" | "text" | "source" | "metadata" | "structure">;
  readonly score: number;
}

/**
 * Results of one request. **Source** Embabel `RagResponse`.
 *
 * @experimental
 */
export interface RagResponse {
  /** With its defaults filled in. */
  readonly request: Readonly<Required<{ [Name in keyof RagRequest]: NonNullable<RagRequest[Name]> }>>;
  /** The service's name. */
  readonly service: string;
  /** Best first, unless an enhancer orders otherwise. */
  readonly results: readonly RagResult[];
}

/**
 * A step over the results of a request. **Source** Embabel `RagResponseEnhancer`.
 *
 * @experimental
 */
export type RagEnhancer = (response: RagResponse) => RagResponse | Promise<RagResponse>;

/**
 * Options of {@link createRagService}; everything has a default.
 *
 * @experimental
 */
export interface RagServiceOptions {
  /** Default `"ibid"`. */
  readonly name?: string | undefined;
  /** One after another, each with the results of the one before. Default: none. */
  readonly enhancers?: readonly RagEnhancer[] | undefined;
}

/**
 * Search by meaning, with enhancers behind it.
 *
 * @experimental
 */
export interface RagService {
  readonly name: string;
  /** **Errors** `invalid-argument` for a request out of bounds; errors of the search and of the enhancers. */
  search(request: string | RagRequest, options?: { readonly signal?: AbortSignal }): Promise<RagResponse>;
}

/**
 * Embabel's service over a knowledge base or a caller's view of it: a threshold of 0.8 and eight results, unless the request says otherwise.
 *
 * **Shape** behind the enhancers, results below the threshold go, and so do those of an id that a better one has; at most `topK` stay.
 * **Errors** `invalid-argument`. **Source** Embabel's pipeline module.
 *
 * @experimental
 */
export function createRagService(kb: Pick<KnowledgeBase, "search">, options: RagServiceOptions = {}): RagService {
  checkGiven("createRagService", "kb", kb, "object");
  checkOptions("createRagService", options, { name: true, enhancers: true });
  const { name = "ibid", enhancers = [] } = options;
  return {
    name,
    async search(given, { signal } = {}) {
      const request = readRequest(typeof given === "string" ? { query: given } : given);
      const { query, similarityThreshold: minScore, topK } = request;
      const hits = await kb.search(query, { mode: "dense", minScore, topK, ...(signal && { signal }) });
      let response: RagResponse = { request, service: name, results: hits.map(toResult) };
      for (const enhance of enhancers) response = await enhance(response);
      return { ...response, results: filterResults(response) };
    },
  };
}

/**
 * Merges results that stand beside one another in the list and in their document: the best score, the texts joined by a space.
 *
 * **Source** Embabel's `ChunkMergingEnhancer`.
 *
 * @experimental
 */
export function mergeAdjacentResults(response: RagResponse): RagResponse {
  checkGiven("mergeAdjacentResults", "response", response, "object");
  checkGiven("mergeAdjacentResults", "results", response.results, "list");
  const runs: RagResult[][] = [];
  for (const result of response.results) {
    const last = runs.at(-1);
    if (last !== undefined && follows(last.at(-1)!, result)) last.push(result);
    else runs.push([result]);
  }
  const results = runs.map((run): RagResult => {
    const [{ match }] = run as [RagResult];
    const text = run.map((each) => each.match.text).join(" ");
    return { match: { ...match, text }, score: Math.max(...run.map(({ score }) => score)) };
  });
  return { ...response, results };
}

/**
 * The harmonic mean of the metrics above 0, so that one poor metric tells; 0 where none is.
 *
 * **Shape** metrics from 0 to 1 by any name: faithfulness, relevancy, precision and recall of the context. **Errors** `invalid-argument` for another number.
 * **Source** Embabel's RAGAS score.
 *
 * @experimental
 */
export function ragasScore(metrics: Readonly<Record<string, number>>): number {
  checkGiven("ragasScore", "metrics", metrics, "object");
  for (const [name, value] of Object.entries(metrics))
    if (!(value >= 0 && value <= 1)) throw outOfBounds(`The metric ${name}`, value, "a number from 0 to 1");
  const values = Object.values(metrics).filter((value) => value > 0);
  return values.length === 0 ? 0 : values.length / values.reduce((sum, value) => sum + 1 / value, 0);
}

function readRequest(request: RagRequest): RagResponse["request"] {
  checkOptions("search", request, { query: true, similarityThreshold: true, topK: true });
  const { query, similarityThreshold = 0.8, topK = 8 } = request;
  if (!(similarityThreshold >= 0 && similarityThreshold <= 1))
    throw outOfBounds("similarityThreshold", similarityThreshold, "a number from 0 to 1");
  return { query, similarityThreshold, topK };
}

function outOfBounds(name: string, value: number, wanted: string): IbidError {
  return new IbidError("invalid-argument", `${name} is ${String(value)}.`, { hint: `Give ${wanted}.` });
}

function toResult({ chunkId, documentId, scope, text, source, metadata, structure, score }: Hit): RagResult {
  return { match: { chunkId, documentId, scope, text, source, metadata, ...(structure && { structure }) }, score };
}

function follows({ match: one }: RagResult, { match: other }: RagResult): boolean {
  const [place, next] = [one.structure?.sequenceNumber, other.structure?.sequenceNumber];
  const isSame = one.scope === other.scope && one.documentId === other.documentId;
  return isSame && place !== undefined && next === place + 1;
}

function filterResults({ request: { similarityThreshold, topK }, results }: RagResponse): readonly RagResult[] {
  const best = new Map<string, RagResult>();
  for (const result of results) {
    const id = JSON.stringify([result.match.scope, result.match.chunkId]);
    const known = best.get(id);
    if (result.score >= similarityThreshold && (known === undefined || result.score > known.score))
      best.set(id, result);
  }
  return [...best.values()].slice(0, topK);
}
