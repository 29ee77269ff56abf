import { assertAuthorized } from "../access/gate.ts";
import type { Analyzer } from "../contracts/analyzer.ts";
import type { Chunk } from "../contracts/chunk.ts";
import {
  type Embedding,
  type EmbeddingVersion,
  kindOf,
  type VersionedEmbedding,
  versionKey,
} from "../contracts/embedding.ts";
import type { Embedder } from "../contracts/embedding-model.ts";
import { IbidError } from "../contracts/errors.ts";
import type { Hit, Reranker, Retriever, RetrieveOptions } from "../contracts/retriever.ts";
import type { AccessContext, AuthorizedScopes } from "../contracts/scope.ts";
import type { RetrievalTrace, Tracer } from "../contracts/tracer.ts";
import { defaultAnalyzer } from "../text/analyzer.ts";
import { checkOptions } from "../runtime/check-options.ts";
import { hmacSha256 } from "../runtime/hash.ts";
import { createRestriction } from "../engine/filters/create-restriction.ts";
import type { Query, QueryEmbedding, Restriction } from "../contracts/leg.ts";
import type { Candidate, FusedChunk } from "./candidate.ts";
import { createHits, type HitContext } from "./create-hits.ts";
import { embedQuery } from "./embed-query.ts";
import { findSubject } from "./find-subject.ts";
import { poolSize } from "./fuse.ts";
import { reportRetrieval } from "./report-retrieval.ts";
import { checkQuery, defaultMaxQueryLength, planSearch, type SearchPlan } from "./search-plan.ts";
import { type Found, type SearchableStore, searchSession, type SessionSearch } from "./search-session.ts";
import {
  createEvidenceScale,
  defaultEvidenceSimilarity,
  defaultEvidenceStrength,
  type EvidenceThresholds,
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
    const plan = planSearch(search);
    checkQuery(query, plan.mode, maxQueryLength);
    if (plan.pattern !== undefined) checkQuery(plan.pattern, "regex", maxQueryLength);
    const { signal } = search;
    stopIfAborted(signal);

    const run: Run = { dense: false, sparse: false, reranked: false, pool: 0, evidence: 0 };
    let hits: readonly Hit[] = [];
    if (scopes.scopes.length > 0) {
      // Signs mean something there, and nothing is to be left out.
      const asked = plan.syntax === "lucene" ? await readLucene(query) : query;
      const subject = findSubject(asked, analyzer);
      const embeddings = await embedWhereAsked(options, scopes, query, plan, search);
      if (embeddings.length > 0) stages.push("embed");
      stopIfAborted(signal);

      const reranking = reranker !== undefined && plan.rerank && plan.mode !== "regex";
      const nearing = byProximity && plan.rerank && plan.mode !== "regex" && plan.syntax === "literal";
      const least = reranking ? poolSize(plan.topK) : atLeastTwo(plan.topK);
      const proximity = nearing ? await import("./rerank/weigh-proximity.ts") : undefined;
      const wanted = proximity && least !== "all" ? Math.max(least, proximity.proximityPool) : least;
      const { found, read } = await searchAndRead(store, scopes, {
        plan,
        query: toQuery(query, subject.text, plan, embeddings),
        restriction: createRestriction(plan.filter, plan.origins),
        meaning,
        wanted,
        // Without a reranker, no chunk is read that is not shown.
        shown: reranking || proximity !== undefined ? wanted : plan.topK,
        version: embedder?.version,
        signal,
      });
      stages.push(...found.legs, ...(found.legs.length > 1 ? ["merge"] : []));
      stopIfAborted(signal);

      let candidates = read;
      if (reranking) {
        const { rerankCandidates } = await import("./rerank/rerank-candidates.ts");
        candidates = await rerankCandidates(reranker, query, candidates, search);
        stages.push("rerank");
        stopIfAborted(signal);
      } else if (proximity !== undefined) {
        const { terms = [], fusion, calibrations } = found;
        candidates = proximity.weighProximity({
          candidates,
          subject: subject.text,
          terms,
          fusion,
          calibrations,
          analyzer,
          topK: plan.topK,
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
      hits = createHits(plan.topK === "all" ? candidates : candidates.slice(0, plan.topK), context);
      stages.push("snippets");
    }

    if (tracer && secret) {
      const latencyMs = performance.now() - started;
      const queryHash = hmacSha256(secret, query);
      const trace = traceOf(run, { queryHash, queryLength: query.length, latencyMs, stages }, scopes, plan, hits);
      reportRetrieval(tracer, trace, access, run.evidence);
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
  { store, embedder, formerEmbedders = [], access = "operator" }: RetrieverOptions,
  scopes: AuthorizedScopes,
  query: string,
  { mode }: SearchPlan,
  { signal, onUsage }: RetrieveOptions,
): Promise<readonly QueryEmbedding[]> {
  if (mode === "lexical" || mode === "regex" || !embedder) return [];
  // Usage is the operator's to see.
  const told = access === "operator" ? onUsage : undefined;
  return embedQuery({ store, embedder, formerEmbedders, onUsage: told }, scopes, query, signal);
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
    pattern: source === undefined ? undefined : { source, ignoreCase: plan.ignoreCase },
  };
}

/** Sessions that one search opens at most, when the store changes meanwhile. */
const mostSessions = 3;

interface ReadingSearch extends SessionSearch {
  /** How many candidates are read, best first. */
  readonly shown: number | "all";
  /** Whose vectors to hand out, where the query itself has none. */
  readonly version: EmbeddingVersion | undefined;
}

/**
 * Keys first: searches, fuses, and reads the chunks of the best alone. When the store changes meanwhile it searches again, in a new session; the last one drops
 * chunks that are gone.
 */
async function searchAndRead(
  store: SearchableStore,
  scopes: AuthorizedScopes,
  search: ReadingSearch,
): Promise<{ readonly found: Found; readonly read: readonly Candidate[] }> {
  const { restriction, shown, plan, signal } = search;
  const after = plan.after === undefined ? undefined : [plan.after].flat();
  let before: ReadonlyMap<string, string> = new Map();
  for (let sessions = 1; ; sessions++) {
    const session = await store.session(scopes, { signal, after });
    const found = await searchSession(session, search);
    const candidates = found.candidates.filter(({ scope }) => scopes.scopes.includes(scope));
    const wanted = shown === "all" ? candidates : candidates.slice(0, shown);
    stopIfAborted(signal);
    const chunks = await session.readChunks(wanted, { embeddings: plan.includeEmbeddings });
    const texts = new Map<string, string>();
    const read = wanted.flatMap((candidate, i): Candidate[] => {
      const one = chunks[i];
      if (one === undefined || !mayBeShown(one.chunk, restriction)) return [];
      const key = `${candidate.scope}\n${candidate.id}`;
      texts.set(key, one.chunk.text);
      // A row that is written again has another revision. Where its text was the same before this session, the legs scored that text.
      if (one.revision !== candidate.revision && before.get(key) !== one.chunk.text) return [];
      const { chunk, language, embeddings = [] } = one;
      return [{ ...candidate, chunk, language, embedding: chooseEmbedding(candidate, embeddings, search) }];
    });
    before = texts;
    // Metadata changes without a new revision.
    const hasChanged = found.stale || read.length < wanted.length || chunks.some((chunk) => chunk?.stale);
    if (!hasChanged || sessions === mostSessions) return { found, read };
  }
}

/** Legs restrict before they rank; whatever one lets through against that, or has changed since, is stopped here. */
function mayBeShown(chunk: Chunk, restriction: Restriction | undefined): boolean {
  return restriction === undefined || restriction.admits(chunk);
}

/** The vector that the chunk is searched by; without an embedding model, its first. */
function chooseEmbedding(
  { scope }: FusedChunk,
  embeddings: readonly VersionedEmbedding[],
  { query, version }: ReadingSearch,
): Embedding | undefined {
  const asked = query.embeddings.find(({ scopes }) => scopes.includes(scope));
  const key = asked?.version ?? version;
  if (key === undefined) return embeddings[0]?.embedding;
  return embeddings.find(
    (one) =>
      versionKey(one.version) === versionKey(key) &&
      (asked === undefined || kindOf(one.embedding) === kindOf(asked.embedding)),
  )?.embedding;
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

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new IbidError("aborted", "The search was stopped.", { cause: signal.reason });
}
