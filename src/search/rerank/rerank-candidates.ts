import { IbidError } from "../../contracts/errors.ts";
import type { Reranker, RetrieveOptions } from "../../contracts/retriever.ts";
import { type Candidate, compareCandidates } from "../candidate.ts";
import { throwIfAborted } from "../../runtime/abort.ts";

/** The options of a search that its reranker receives too. */
type RerankSignals = Pick<RetrieveOptions, "signal" | "onUsage">;

/**
 * Stage 6: candidates in the order that a reranker sees in them.
 *
 * **Shape** candidates past `maxBatchSize` follow in their old order. A score of theirs above the lowest score seen is lowered to it, so that a
 * higher score always stands higher. Equal scores among the reranked by uri, start, scope and id.
 * **Errors** `invalid-response` for a wrong count or a score that is not finite; `model-failed` around whatever the reranker throws; `aborted`.
 * **Source** ToolUp.
 */
export async function rerankCandidates(
  reranker: Reranker,
  query: string,
  candidates: readonly Candidate[],
  told: RerankSignals,
): Promise<readonly Candidate[]> {
  if (candidates.length === 0) return candidates;
  const seen = candidates.slice(0, reranker.maxBatchSize ?? candidates.length);
  const scores = await askReranker(
    reranker,
    query,
    seen.map(({ chunk }) => chunk.text),
    told,
  );
  const reranked = seen.map((candidate, index): Candidate => {
    const score = scores[index] ?? Number.NaN;
    return { ...candidate, score, before: { score: candidate.score, rank: index + 1 } };
  });
  reranked.sort(compareCandidates);
  const lowest = reranked.at(-1)?.score ?? 0;
  const unseen = candidates.slice(seen.length).map((candidate, index): Candidate => ({
    ...candidate,
    score: Math.min(candidate.score, lowest),
    before: { score: candidate.score, rank: seen.length + index + 1 },
  }));
  return [...reranked, ...unseen];
}

async function askReranker(
  reranker: Reranker,
  query: string,
  texts: readonly string[],
  { signal, onUsage }: RerankSignals,
): Promise<readonly number[]> {
  let scores: readonly number[];
  try {
    scores = await reranker.rerank(query, texts, { ...(signal && { signal }), ...(onUsage && { onUsage }) });
  } catch (cause) {
    if (IbidError.isInstance(cause)) throw cause;
    throwIfAborted(signal, "The reranking");
    throw new IbidError("model-failed", `The reranker ${reranker.name} failed.`, {
      hint: "Look at the cause, or search with rerank: false.",
      cause,
    });
  }
  if (!Array.isArray(scores)) {
    throw new IbidError("invalid-response", `The reranker ${reranker.name} gave no list of scores.`, {
      hint: "A reranker gives one finite score per text, in order.",
      details: { texts: texts.length },
    });
  }
  if (scores.length !== texts.length || !scores.every(Number.isFinite)) {
    throw new IbidError(
      "invalid-response",
      `The reranker ${reranker.name} was given ${texts.length} texts and gave ${scores.length} scores, ${scores.filter(Number.isFinite).length} of them finite.`,
      {
        hint: "A reranker gives one finite score per text, in order.",
        details: { texts: texts.length, scores: scores.length },
      },
    );
  }
  return scores;
}
