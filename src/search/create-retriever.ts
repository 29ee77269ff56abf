import { assertAuthorized } from "../access/gate.ts";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { Embedder } from "../contracts/embedding-model.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Hit, Reranker, Retriever, RetrieveOptions } from "../contracts/retriever.ts";
import type { AccessContext, AuthorizedScopes } from "../contracts/scope.ts";
import type { Tracer } from "../contracts/tracer.ts";
import { defaultAnalyzer } from "../text/analyzer.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { hmacSha256 } from "../runtime/hash.ts";
import type { Candidate } from "./candidate.ts";
import { createHits, type HitContext } from "./create-hits.ts";
import { embedQuery } from "./embed-query.ts";
import { findSubject } from "./find-subject.ts";
import { poolSize } from "./fuse-legs.ts";
import type { QueryEmbedding, SearchableStore } from "./legs.ts";
import { reportRetrieval } from "./report-retrieval.ts";
import { checkQuery, defaultMaxQueryLength, planSearch, type SearchPlan } from "./search-plan.ts";
import { searchStore } from "./search-store.ts";
import {
  createEvidenceScale,
  defaultEvidenceSimilarity,
  defaultEvidenceStrength,
  type EvidenceFloors,
  type EvidenceScale,
} from "./weigh-evidence.ts";

/**
 * Parts of the built-in retriever; only the store is necessary.
 *
 * @experimental
 */
export interface RetrieverOptions {
  readonly store: SearchableStore;
  /** Without one, a hybrid search is a lexical one. */
  readonly embedder?: Embedder | undefined;
  /** Embedders of former models, which search a scope as long as its vectors belong to one of them. */
  readonly formerEmbedders?: readonly Embedder[] | undefined;
  /** `"proximity"`: what has the query's words near one another ranks higher, without a model; see `weighProximity`. Default: none. */
  readonly reranker?: Reranker | "proximity" | undefined;
  /** Receives every retrieval; needs `secret`. */
  readonly tracer?: Tracer | undefined;
  /** The store's own. Default: the one that stores use by default. */
  readonly analyzer?: Analyzer | undefined;
  /** The knowledge base's own key, under which queries are hashed for the tracer. */
  readonly secret?: Uint8Array | undefined;
  /** UTF-16 code units. Default 8,192. */
  readonly maxQueryLength?: number | undefined;
  /** The caller, for the tracer. Default `"operator"`. */
  readonly access?: AccessContext | "operator" | undefined;
  /** Least strength of the lexical leg from which a hit is evidence. Default 0.4. */
  readonly evidenceStrength?: number | undefined;
  /** The same for the dense leg, as a cosine, where a search gives no `minScore`. Default 0.3 for models that see meaning; form alone proves nothing. */
  readonly evidenceSimilarity?: number | undefined;
}

const known = [
  "store",
  "embedder",
  "formerEmbedders",
  "reranker",
  "tracer",
  "analyzer",
  "secret",
  "maxQueryLength",
  "access",
  "evidenceStrength",
  "evidenceSimilarity",
] as const satisfies readonly (keyof RetrieverOptions)[];

/**
 * Query to hits, in eight stages: scopes, embed, dense, lexical, merge, rerank, origins, snippets; and a leg for a pattern, when one is given.
 *
 * **Shape** best first, ties by chunk id, then scope; without a readable scope or a match `[]`. A hit's `text` is whole. The same stored state and
 * options give the same hits in the same order with the same scores. A larger `topK` never reorders the first hits (but a reranker may).
 * **Errors** `access-denied` for scopes that the gate did not make; `invalid-argument` for a blank or over-long query or an invalid option, before any model is
 * called; `invalid-filter`, `invalid-regex`; `configuration-missing` for a dense search without an embedder; `unsupported` for a leg that the store does not
 * have; `aborted`; errors of embedder, store and reranker.
 * **Cost** one model call for the query, two searches of `max(4 · topK, 32)` candidates, and look-ups of those that one leg missed; see `fuseLegs`.
 * **Source** ToolUp's pipeline, Ballerina's `VectorRetriever`.
 *
 * @experimental
 */
export function createRetriever(options: RetrieverOptions): Retriever {
  checkOptions("createRetriever", options, known);
  const {
    store,
    embedder,
    formerEmbedders = [],
    tracer,
    secret,
    analyzer = defaultAnalyzer,
    maxQueryLength = defaultMaxQueryLength,
    access = "operator",
  } = options;
  const byProximity = options.reranker === "proximity";
  const reranker = options.reranker === "proximity" ? undefined : options.reranker;
  if (typeof reranker === "string") {
    throw new IbidError("invalid-argument", `There is no reranker "${String(reranker)}".`, {
      hint: 'Give a reranker, or "proximity".',
    });
  }
  if (tracer && !secret) {
    throw new IbidError("invalid-argument", "A tracer needs the secret under which queries are hashed.", {
      hint: "Give secret: the store's own.",
    });
  }
  if (reranker?.maxBatchSize !== undefined && !(reranker.maxBatchSize >= 1)) {
    throw new IbidError("invalid-argument", `The reranker ${reranker.name} takes ${reranker.maxBatchSize} texts.`, {
      hint: "Its maxBatchSize must be 1 or more.",
    });
  }
  const meaning = embedder !== undefined && embedder.model.similarity !== "form";
  const floorsOf = (plan: SearchPlan): EvidenceFloors => ({
    strength: options.evidenceStrength ?? defaultEvidenceStrength,
    similarity: plan.minScore ?? options.evidenceSimilarity ?? (meaning ? defaultEvidenceSimilarity : undefined),
  });

  const embedIn = async (
    scopes: AuthorizedScopes,
    query: string,
    plan: SearchPlan,
    { signal, onUsage }: RetrieveOptions,
  ): Promise<readonly QueryEmbedding[]> => {
    if (plan.mode === "lexical" || plan.mode === "regex" || (plan.mode === "hybrid" && !embedder)) return [];
    if (embedder) {
      const told = access === "operator" ? onUsage : undefined;
      return embedQuery({ store, embedder, formerEmbedders, onUsage: told }, scopes, query, signal);
    }
    if (store.latentSearch) return [];
    throw new IbidError("configuration-missing", "A dense search needs an embedding model, and none is configured.", {
      hint: "Give an embedder, or search with mode: lexical.",
    });
  };

  const retrieve = async (
    scopes: AuthorizedScopes,
    query: string,
    search: RetrieveOptions = {},
  ): Promise<readonly Hit[]> => {
    const started = performance.now();
    const stages: string[] = ["scopes"];
    assertAuthorized(scopes, "read");
    const plan = planSearch(search);
    checkQuery(query, plan.mode, maxQueryLength);
    if (plan.pattern !== undefined) checkQuery(plan.pattern, "regex", maxQueryLength);
    const { signal } = search;
    stopIfAborted(signal);

    const run = { dense: false, sparse: false, reranked: false, pool: 0, evidence: 0 };
    let hits: readonly Hit[] = [];
    if (scopes.scopes.length > 0) {
      // Signs mean something there, and nothing is to be left out.
      const asked = plan.syntax === "lucene" ? await readLucene(query) : query;
      const subject = findSubject(asked, analyzer);
      const queryEmbeddings = await embedIn(scopes, query, plan, search);
      if (queryEmbeddings.length > 0) stages.push("embed");
      stopIfAborted(signal);

      const reranking = reranker !== undefined && plan.rerank && plan.mode !== "regex";
      const nearing = byProximity && plan.rerank && plan.mode !== "regex" && plan.syntax === "literal";
      const least = reranking ? poolSize(plan.topK) : atLeastTwo(plan.topK);
      const proximity = nearing ? await import("./rerank/weigh-proximity.ts") : undefined;
      const wanted = proximity && least !== "all" ? Math.max(least, proximity.proximityPool) : least;
      const found = await searchStore({
        store,
        scopes,
        plan,
        query,
        subject: plan.syntax === "lucene" ? query : subject.text,
        queryEmbeddings,
        meaning,
        wanted,
        version: embedder?.version,
      });
      stages.push(...found.stages);
      stopIfAborted(signal);

      let candidates: readonly Candidate[] = found.candidates;
      if (reranking) {
        const pool = wanted === "all" ? candidates : candidates.slice(0, wanted);
        const { rerankCandidates } = await import("./rerank/rerank-candidates.ts");
        candidates = await rerankCandidates(reranker, query, pool, search);
        stages.push("rerank");
        stopIfAborted(signal);
      } else if (proximity !== undefined) {
        const { terms = [], fusion } = found;
        candidates = proximity.weighProximity({
          candidates,
          subject: subject.text,
          terms,
          fusion,
          analyzer,
          topK: plan.topK,
        });
        stages.push("rerank");
      }

      candidates = candidates.filter((candidate) => mayBeShown(candidate, scopes, plan));
      stages.push("origins");

      run.dense = found.dense;
      run.sparse = found.sparse;
      run.reranked = reranking || nearing;
      run.pool = found.candidates.length;
      const evidence = createEvidenceScale(found.terms ?? [], subject.functionTerms, floorsOf(plan));
      run.evidence = countEvidence(candidates, evidence);

      const context: HitContext = {
        plan,
        subject: subject.text,
        analyzer,
        evidence,
        fusion: found.fusion,
        terms: found.terms,
        latent: found.latent,
        reranker: reranking ? reranker.name : undefined,
      };
      hits = createHits(plan.topK === "all" ? candidates : candidates.slice(0, plan.topK), context);
      stages.push("snippets");
    }

    if (tracer && secret) {
      const trace = {
        queryHash: hmacSha256(secret, query),
        queryLength: query.length,
        requestedScopes: scopes.requested,
        permittedScopes: scopes.scopes,
        topK: plan.topK,
        candidatePoolSize: run.pool,
        topScore: hits[0]?.score ?? 0,
        dense: run.dense,
        sparse: run.sparse,
        reranked: run.reranked,
        latencyMs: performance.now() - started,
        stages,
        resultCount: hits.length,
      };
      reportRetrieval(tracer, trace, access, run.evidence);
    }
    return hits;
  };
  return { retrieve };
}

/** The words of a query in Lucene's syntax, which few send: what reads it is loaded then. */
async function readLucene(query: string): Promise<string> {
  const { luceneWords, parseLucene } = await import("../text/parse-lucene.ts");
  return luceneWords(parseLucene(query));
}

/** So that a miss can be told from a search that only wanted one. */
function atLeastTwo(topK: number | "all"): number | "all" {
  return topK === "all" ? topK : Math.max(topK, 2);
}

/** Stage 7. Stores restrict before they rank; whatever a store lets through against that is stopped here. */
function mayBeShown({ scope, chunk }: Candidate, scopes: AuthorizedScopes, plan: SearchPlan): boolean {
  return scopes.scopes.includes(scope) && (plan.origins === undefined || plan.origins.includes(chunk.origin));
}

/** Only whether there are two matters, so the count stops there. */
function countEvidence(candidates: readonly Candidate[], scale: EvidenceScale): number {
  let count = 0;
  for (const candidate of candidates) {
    if (scale.isEvidence(candidate)) count += 1;
    if (count >= 2) break;
  }
  return count;
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new IbidError("aborted", "The search was stopped.", { cause: signal.reason });
}
