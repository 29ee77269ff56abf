import { kindOf } from "../../contracts/embedding.ts";
import { IbidError } from "../../contracts/errors.ts";
import type { Hit, Retriever } from "../../contracts/retriever.ts";
import { dot, norm } from "../../runtime/dot.ts";
import { checkOptions } from "../../runtime/check-options.ts";
import { jaccard, shinglesOf } from "../../text/shingles.ts";
import { poolSize } from "../fuse.ts";
import { addStep, rankHits, withoutExtras } from "./rank-hits.ts";
import { readRequest } from "./read-request.ts";

/**
 * How much hits should differ from one another.
 *
 * @experimental
 */
export interface DiversifyOptions {
  /** Weight of relevance against difference: 1 for relevance alone, 0 for difference alone. Default 0.8. */
  readonly lambda?: number | undefined;
  /** Basis of the comparison. Default `"embeddings"`, where every candidate has one and all are of one scope; otherwise, and by `"words"`, the words. */
  readonly by?: "embeddings" | "words" | undefined;
}

/** **Source** measured by `bench/retriever-quality.ts`: at ToolUp's .5 Vaswani loses .025 of nDCG@10, at .8 .009; CACM gains .001. */
const defaultLambda = 0.8;
/** A search for everything compares this many hits with one another. */
const mostCompared = 128;

/**
 * Prefers hits that differ from better ones: maximal marginal relevance.
 *
 * **Shape** one by one, the candidate with the highest `λ · relevance - (1 - λ) · likeness`. Relevance is its score over the best score; likeness is the highest to any hit
 * already chosen, from 0 to 1. That value is the new score; it never rises from one hit to the next, and `explain.parts` add up to it. In a search for everything, candidates
 * beyond 128 follow in their old order. Asking for more looks at more candidates, and may choose others, as a reranker may.
 * Likeness is the cosine of the embeddings, at least 0, or the share of words in common (Jaccard). Vectors of different scopes are never compared: while a model is
 * being changed, they may be of different ones.
 * **Errors** errors of the retriever within; `invalid-argument` for an invalid lambda.
 * **Cost** a search of `max(4 · topK, 32)` hits; `topK` times that many comparisons.
 * **Source** Carbonell and Goldstein, The Use of MMR, Diversity-Based Reranking (SIGIR 1998); ToolUp.
 *
 * @experimental
 */
export function diversify(retriever: Retriever, options: DiversifyOptions = {}): Retriever {
  checkOptions("diversify", options, { lambda: true, by: true });
  const { lambda = defaultLambda, by = "embeddings" } = options;
  if (!(lambda >= 0 && lambda <= 1)) {
    throw new IbidError("invalid-argument", `diversify: lambda is ${String(lambda)}.`, {
      hint: "Give a number from 0 to 1.",
    });
  }
  if (by !== "embeddings" && by !== "words") {
    throw new IbidError("invalid-argument", `diversify: by cannot be "${String(by)}".`, {
      hint: "Choose from embeddings, words.",
    });
  }
  return {
    async retrieve(scopes, query, search = {}) {
      const plan = readRequest(scopes, query, search);
      const pool = poolSize(plan.topK);
      const includeEmbeddings = plan.includeEmbeddings || by === "embeddings";
      const hits = await retriever.retrieve(scopes, query, { ...search, topK: pool, includeEmbeddings });
      const chosen = chooseHits(hits, plan.topK === "all" ? mostCompared : plan.topK, lambda, by);
      return rankHits(chosen, plan.topK).map((hit) => withoutExtras(hit, plan));
    },
  };
}

interface Marginal {
  readonly hit: Hit;
  readonly relevance: number;
  likeness: number;
}

function chooseHits(hits: readonly Hit[], wanted: number, lambda: number, by: "embeddings" | "words"): readonly Hit[] {
  const compared = hits.slice(0, Math.max(wanted, mostCompared));
  const likenessOf = compareBy(compared, by);
  const top = hits[0]?.score ?? 0;
  // Where the best score is not above 0, a ratio would turn the order around.
  // A division by a smaller score could overflow to infinity.
  const leastTop = 1e-12;
  const relevanceOf = ({ score }: Hit): number => (top >= leastTop ? score / top : score - top);
  const valueOf = ({ relevance, likeness }: Marginal): number => lambda * relevance - (1 - lambda) * likeness;
  const rescored = (marginal: Marginal): Hit => {
    const { hit, relevance, likeness } = marginal;
    const before = { score: hit.score, rank: hit.rank };
    const parts = [
      { name: "relevance", value: lambda * relevance },
      { name: "likeness", value: -((1 - lambda) * likeness) },
    ];
    return addStep({ ...hit, score: valueOf(marginal) }, { retriever: "diversify", before }, { parts });
  };

  const left: (Marginal & { readonly index: number })[] = compared.map((hit, index) => ({
    hit,
    index,
    relevance: relevanceOf(hit),
    likeness: 0,
  }));
  const chosen: Hit[] = [];
  while (left.length > 0 && chosen.length < Math.min(wanted, compared.length)) {
    // Candidates stand best first, ties by id, so that the first of equals is the right one.
    let best = 0;
    for (let i = 1; i < left.length; i++) if (valueOf(left[i]!) > valueOf(left[best]!)) best = i;
    const [next] = left.splice(best, 1);
    chosen.push(rescored(next!));
    for (const other of left) other.likeness = Math.max(other.likeness, likenessOf(next!.index, other.index));
  }
  // As if each of them were just like what was chosen: never above it, and in their old order.
  const tail = hits.slice(compared.length).map((hit) => ({ hit, relevance: relevanceOf(hit), likeness: 1 }));
  return wanted >= compared.length ? [...chosen, ...tail.map(rescored)] : chosen;
}

/** How alike two of the hits are, by their numbers. */
function compareBy(hits: readonly Hit[], by: "embeddings" | "words"): (a: number, b: number) => number {
  const vectors = by === "embeddings" ? vectorsOf(hits) : undefined;
  if (vectors !== undefined) {
    return (a, b) => {
      const [one, other] = [vectors[a]!, vectors[b]!];
      const lengths = norm(one, 0, one.length) * norm(other, 0, other.length);
      return lengths === 0 ? 0 : Math.min(1, Math.max(0, dot(one, 0, other, 0, one.length) / lengths));
    };
  }
  const words = hits.map(({ text }) => shinglesOf(text, 1));
  return (a, b) => jaccard(words[a]!, words[b]!);
}

/** `undefined` where not all have a dense vector that may be compared with all others. */
function vectorsOf(hits: readonly Hit[]): readonly Float32Array[] | undefined {
  const vectors: Float32Array[] = [];
  for (const { embedding, scope } of hits) {
    if (embedding === undefined || kindOf(embedding) !== "dense" || scope !== hits[0]!.scope) return undefined;
    const vector = Float32Array.from(embedding as readonly number[]);
    if (vector.length !== (vectors[0]?.length ?? vector.length)) return undefined;
    vectors.push(vector);
  }
  return vectors;
}
