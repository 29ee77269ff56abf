import { assertAuthorized } from "../access/gate.ts";
import { type Metric, pictureFingerprint } from "../contracts/embedding.ts";
import type { ImageEmbedder } from "../contracts/extraction.ts";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { Embedder } from "../contracts/embedding-model.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Hit, Reranker, Retriever, RetrieveOptions } from "../contracts/retriever.ts";
import type { AccessContext, AuthorizedScopes } from "../contracts/scope.ts";
import type { RetrievalTrace, Tracer } from "../contracts/tracer.ts";
import { defaultAnalyzer } from "../text/analyzer.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { hmacSha256, sha256 } from "../runtime/hash.ts";
import { createRestriction } from "../engine/filters/create-restriction.ts";
import type { Query, QueryEmbedding, SynonymRule } from "../contracts/leg.ts";
import type { FusedChunk } from "./candidate.ts";
import { createHits, type HitContext } from "./create-hits.ts";
import { embedQuery } from "./embed-query.ts";
import { findSubject } from "./find-subject.ts";
import { poolSize } from "./fuse.ts";
import { searchAndRead } from "./read-candidates.ts";
import { reportRetrieval } from "./report-retrieval.ts";
import { checkQuery, defaultMaxQueryLength, planSearch, type SearchPlan } from "./search-plan.ts";
import type { SearchableStore } from "./search-session.ts";
import {
  createEvidenceScale,
  defaultEvidenceSimilarity,
  defaultEvidenceStrength,
  type EvidenceThresholds,
  type EvidenceScale,
} from "./weigh-evidence.ts";
import { throwIfAborted } from "../runtime/abort.ts";

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
  /** Hash of a query in its trace: under the secret, or its plain SHA-256, which stays the same across knowledge bases and can be guessed. Default `"keyed"`. */
  readonly queryHash?: "keyed" | "sha256" | undefined;
  /** Metric of the dense leg. Default: the store's own. */
  readonly metric?: Metric | undefined;
  /** Embeds queries in the space of pictures. Default: none. */
  readonly imageEmbedder?: ImageEmbedder | undefined;
  /** UTF-16 code units. Default 8,192. */
  readonly maxQueryLength?: number | undefined;
  /** Rules whose words the lexical leg adds to a query; see `parseSynonyms`. Default: none. */
  readonly synonyms?: readonly SynonymRule[] | undefined;
  /** The caller, for the tracer. Default `"operator"`. */
  readonly access?: AccessContext | "operator" | undefined;
  /** Least strength of the lexical leg from which a hit is evidence. Default 0.4. */
  readonly evidenceStrength?: number | undefined;
  /** The same for the dense leg, as a cosine, where a search gives no `minScore`. Default 0.3 for models that see meaning; form alone proves nothing. */
  readonly evidenceSimilarity?: number | undefined;
}

const known = {
  store: true,
  embedder: true,
  formerEmbedders: true,
  reranker: true,
  tracer: true,
  analyzer: true,
  secret: true,
  queryHash: true,
  metric: true,
  imageEmbedder: true,
  maxQueryLength: true,
  synonyms: true,
  access: true,
  evidenceStrength: true,
  evidenceSimilarity: true,
} as const;

/**
 * Query to hits, in eight stages: scopes, embed, dense, lexical, merge, rerank, origins, snippets; and a leg for a pattern, when one is given.
 *
 * **Shape** chunks with the same text are one hit, with a count and places of the others; see `copies`. Best first, equal scores by uri, start, scope and id; without a readable scope or a match `[]`. A hit's `text` is whole. The same stored state and
 * options give the same hits in the same order with the same scores. A larger `topK` never reorders the first hits (but a reranker may). With `merge`, hits that
 * touch are one, after a reranker; chunks that do not overlap are joined where the store reads text.
 * **Errors** `access-denied` for scopes that the gate did not make; `invalid-argument` for a blank or over-long query or an invalid option, before any model is
 * called; `invalid-filter`, `invalid-regex`; `configuration-missing` for a dense search without an embedder; `unsupported` for a leg that the store does not
 * have; `aborted`; errors of embedder, store and reranker.
 * **Cost** one model call for the query, two searches of `max(4 · topK, 32)` candidates, and look-ups of those that one leg missed; see `fuse`.
 * **Source** ToolUp's pipeline, Ballerina's `VectorRetriever`.
 *
 * @experimental
 */
export function createRetriever(options: RetrieverOptions): Retriever {
  checkOptions("createRetriever", options ?? null, known);
  const {
    store,
    embedder,
    tracer,
    secret,
    analyzer = defaultAnalyzer,
    maxQueryLength = defaultMaxQueryLength,
    access = "operator",
  } = options;
  const chosen = chooseReranker(options);
  const byProximity = chosen === "proximity";
  const reranker = byProximity ? undefined : chosen;
  if (tracer && !secret) {
    throw new IbidError("invalid-argument", "A tracer needs the secret under which queries are hashed.", {
      hint: "Give secret: the store's own.",
    });
  }
  const meaning = embedder !== undefined && embedder.model.similarity !== "form";
  const thresholdsOf = (plan: SearchPlan): EvidenceThresholds => ({
    strength: options.evidenceStrength ?? defaultEvidenceStrength,
    similarity: plan.minScore ?? options.evidenceSimilarity ?? (meaning ? defaultEvidenceSimilarity : undefined),
  });

  const retrieve = async (
    scopes: AuthorizedScopes,
    query: string,
    search: RetrieveOptions = {},
  ): Promise<readonly Hit[]> => {
    const started = performance.now();
    const stages: string[] = ["scopes"];
    assertAuthorized(scopes, "read");
    const plan = planSearch({ ...search, topK: search.topK ?? store.defaultTopK });
    checkQuery(query, plan.mode, maxQueryLength);
    if (plan.pattern !== undefined) checkQuery(plan.pattern, "regex", maxQueryLength);
    const { signal } = search;
    throwIfAborted(signal, "The search");

    const run: Run = { dense: false, sparse: false, reranked: false, pool: 0, evidence: 0 };
    let hits: readonly Hit[] = [];
    if (scopes.scopes.length > 0) {
      // Signs mean something there, and nothing is to be left out.
      const asked = plan.syntax === "lucene" ? await readLucene(query) : query;
      const subject = findSubject(plan.keywords?.join(" ") ?? asked, analyzer);
      const embeddings = await embedWhereAsked(options, scopes, query, plan, search);
      if (embeddings.length > 0) stages.push("embed");
      throwIfAborted(signal, "The search");

      const reranking = reranker !== undefined && plan.rerank && plan.mode !== "regex";
      const nearing = byProximity && plan.rerank && plan.mode !== "regex" && plan.syntax === "literal";
      const joining = plan.merge ? await import("./join-touching.ts") : undefined;
      const needed = joining?.hitsToJoin(plan.topK) ?? plan.topK;
      const least = reranking ? poolSize(plan.topK) : atLeastTwo(needed);
      const proximity = nearing ? await import("./rerank/weigh-proximity.ts") : undefined;
      const wanted = proximity && least !== "all" ? Math.max(least, proximity.proximityPool) : least;
      const isPool = reranking || proximity !== undefined;
      const { found, read } = await searchAndRead(store, scopes, {
        plan,
        query: { ...toQuery(query, subject.text, plan, embeddings), synonyms: options.synonyms },
        restriction: createRestriction(plan.filter, plan.origins, plan.under),
        meaning,
        wanted,
        // Without a reranker, no chunk is read that is not shown.
        shown: isPool ? wanted : plan.topK,
        group: isPool ? undefined : joining?.groupTouching,
        totals: !isPool,
        version: embedder?.version,
        signal,
      });
      stages.push(...found.legs, ...(found.legs.length > 1 ? ["merge"] : []));
      throwIfAborted(signal, "The search");

      let candidates = read;
      if (reranking) {
        const { rerankCandidates } = await import("./rerank/rerank-candidates.ts");
        candidates = await rerankCandidates(reranker, query, candidates, search);
        stages.push("rerank");
        throwIfAborted(signal, "The search");
      } else if (proximity !== undefined) {
        const { terms = [], fused, scales } = found;
        candidates = proximity.weighProximity({
          candidates,
          subject: subject.text,
          terms: terms.filter(({ synonymOf }) => synonymOf === undefined),
          fused,
          scales,
          analyzer,
          topK: needed,
        });
        stages.push("rerank");
      }
      stages.push("origins");

      run.dense = found.legs.includes("dense") || found.legs.includes("latent");
      run.sparse = found.legs.includes("lexical");
      run.reranked = reranking || nearing;
      run.pool = found.candidates.length;
      const evidence = createEvidenceScale(found.terms ?? [], subject.functionTerms, thresholdsOf(plan));
      run.evidence = countEvidence(found.candidates, evidence);

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
      hits = createHits(needed === "all" ? candidates : candidates.slice(0, needed), context);
      stages.push("snippets");
      if (joining) {
        hits = await joining.joinTouching(hits, plan.topK, joining.hitTextReader(store, scopes));
        stages.push("join");
      }
    }

    if (tracer && secret) {
      const latencyMs = performance.now() - started;
      const queryHash = options.queryHash === "sha256" ? sha256(query) : hmacSha256(secret, query);
      const trace = traceOf(run, { queryHash, queryLength: query.length, latencyMs, stages }, scopes, plan, hits);
      await reportRetrieval(tracer, trace, access, { ...options, scopes, mode: plan.mode, evidence: run.evidence });
    }
    return hits;
  };
  return { retrieve };
}

/** The facts of one search, for its trace. */
interface Run {
  dense: boolean;
  sparse: boolean;
  reranked: boolean;
  pool: number;
  evidence: number;
}

function traceOf(
  { dense, sparse, reranked, pool }: Run,
  measured: Pick<RetrievalTrace, "queryHash" | "queryLength" | "latencyMs" | "stages">,
  scopes: AuthorizedScopes,
  { topK }: SearchPlan,
  hits: readonly Hit[],
): RetrievalTrace {
  return {
    ...measured,
    requestedScopes: scopes.requested,
    permittedScopes: scopes.scopes,
    topK,
    candidatePoolSize: pool,
    topScore: hits[0]?.score ?? 0,
    dense,
    sparse,
    reranked,
    resultCount: hits.length,
  };
}

/** **Errors** `invalid-argument` for a reranker that is unknown or takes no texts. */
function chooseReranker({ reranker }: RetrieverOptions): Reranker | "proximity" | undefined {
  if (reranker === undefined || reranker === "proximity") return reranker;
  if (typeof reranker === "string") {
    throw new IbidError("invalid-argument", `There is no reranker "${String(reranker)}".`, {
      hint: 'Give a reranker, or "proximity".',
    });
  }
  if (reranker.maxBatchSize !== undefined && !(reranker.maxBatchSize >= 1)) {
    throw new IbidError("invalid-argument", `The reranker ${reranker.name} takes ${reranker.maxBatchSize} texts.`, {
      hint: "Its maxBatchSize must be 1 or more.",
    });
  }
  return reranker;
}

/** The query's vectors: none without an embedder, or where the mode searches words alone. */
async function embedWhereAsked(
  { store, embedder, formerEmbedders = [], access = "operator", metric, imageEmbedder }: RetrieverOptions,
  scopes: AuthorizedScopes,
  query: string,
  { mode }: SearchPlan,
  { signal, onUsage }: RetrieveOptions,
): Promise<readonly QueryEmbedding[]> {
  if (mode === "lexical" || mode === "regex") return [];
  const pictures = imageEmbedder === undefined ? [] : [await embedForPictures(imageEmbedder, scopes, query, signal)];
  if (!embedder) return pictures;
  // Usage is the operator's to see.
  const told = access === "operator" ? onUsage : undefined;
  const embedded = await embedQuery({ store, embedder, formerEmbedders, onUsage: told }, scopes, query, signal);
  const all = [...embedded, ...pictures];
  return metric === undefined ? all : all.map((each) => ({ ...each, metric }));
}

/** The query in the space of pictures. */
async function embedForPictures(
  by: ImageEmbedder,
  scopes: AuthorizedScopes,
  query: string,
  signal: AbortSignal | undefined,
): Promise<QueryEmbedding> {
  const embedding = await by.embedQuery(query, signal === undefined ? {} : { signal });
  const { providerId: provider, modelId: model, dimensions } = by;
  const version = { provider, model, dimensions, fingerprint: pictureFingerprint };
  return { embedding, version, scopes: scopes.scopes, similarity: "meaning" };
}

/** The words of a query in Lucene's syntax, which few send: what reads it is loaded then. */
async function readLucene(query: string): Promise<string> {
  const { luceneWords, parseLucene } = await import("../text/parse-lucene.ts");
  return luceneWords(parseLucene(query));
}

/** A search for one hit looks for two, as fewer than two count as a miss. */
function atLeastTwo(topK: number | "all"): number | "all" {
  return topK === "all" ? topK : Math.max(topK, 2);
}

/** A query as the legs take it. In Lucene's syntax signs mean something, and nothing is left out. */
function toQuery(question: string, subject: string, plan: SearchPlan, embeddings: readonly QueryEmbedding[]): Query {
  const source = plan.mode === "regex" ? question : plan.pattern;
  return {
    question,
    text: plan.syntax === "lucene" ? question : subject,
    syntax: plan.syntax,
    embeddings,
    ...(plan.storeOptions !== undefined && { storeOptions: plan.storeOptions }),
    pattern: source === undefined ? undefined : { source, ignoreCase: plan.ignoreCase },
  };
}

/** Only whether there are two matters, so the count stops there. */
function countEvidence(candidates: readonly FusedChunk[], scale: EvidenceScale): number {
  let count = 0;
  for (const candidate of candidates) {
    if (scale.isEvidence(candidate)) count += 1;
    if (count >= 2) break;
  }
  return count;
}
