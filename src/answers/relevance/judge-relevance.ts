import type { Analyzer } from "../../contracts/analyzer.ts";
import type { Relevance } from "../../contracts/answer.ts";
import type { Hit } from "../../contracts/retriever.ts";
import { describeRelevance, type RelevanceFigures } from "./describe-relevance.ts";
import { relevanceModel, type RelevanceModel } from "./weights.ts";

export interface RelevanceOptions {
  readonly analyzer: Analyzer;
  /** Default: where a twentieth of what can be answered is refused. */
  readonly minRelevance?: number | undefined;
}

/** Hits that are read. More of them change nothing: the figures are measured over so many. */
const mostHits = 5;
/** Least cosine of an embedding model that sees meaning. **Source** as for evidence: ToolUp's prompt builder, MinScore 0.3. */
const leastSimilarity = 0.3;
/** Relevance where words cannot tell, with evidence and without. **Source** our own choice. */
const unjudged = { evidence: 0.5, none: 0.05 };

/**
 * Judges by words how likely the hits answer a question.
 *
 * Nothing but the question, the hits and their explanations goes in. So a document that the asker may not read changes nothing.
 *
 * An embedding model finds answers in other words than the question's. Where it vouches for a hit, and where a pattern matched, relevance is at least
 * {@link unjudged}`.evidence`. Hits that do not explain themselves are judged by `Hit.evidence` alone; hits that do not have it count.
 *
 * **Shape** 0 without hits. **Cost** linear in the texts of the first five hits.
 * **Source** decisions 0100 and 0119; `npm run bench:answers -- --only relevance` measures it.
 */
export function judgeRelevance(
  question: string,
  hits: readonly Hit[],
  { analyzer, minRelevance }: RelevanceOptions,
): Relevance {
  const read = hits.slice(0, mostHits);
  const threshold = minRelevance ?? relevanceModel.threshold;
  return { value: round(read.length === 0 ? 0 : estimate(question, read, analyzer)), threshold, by: "words" };
}

function estimate(question: string, hits: readonly Hit[], analyzer: Analyzer): number {
  const figures = describeRelevance(question, hits, analyzer);
  if (figures === undefined) return hits.some(({ evidence }) => evidence ?? true) ? unjudged.evidence : unjudged.none;
  const byWords = toProbability(figures, relevanceModel);
  return hits.some(isVouched) ? Math.max(byWords, unjudged.evidence) : byWords;
}

/** Whether evidence of a hit is more than words. Fusions of models that see form only are `absolute`. */
function isVouched({ evidence, explain }: Hit): boolean {
  if (evidence !== true || explain === undefined) return false;
  const { legs, fusion } = explain;
  return legs.pattern !== undefined || (fusion !== "absolute" && (legs.dense?.score ?? 0) >= leastSimilarity);
}

/** Log-odds of the logistic model, as a probability. */
export function toProbability(figures: RelevanceFigures, { intercept, features }: RelevanceModel): number {
  let odds = intercept;
  for (const [name, mean, deviation, weight] of features) odds += (weight * (figures[name] - mean)) / deviation;
  return 1 / (1 + Math.exp(-odds));
}

/** Engines differ in the last digits of an exponential. */
function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
