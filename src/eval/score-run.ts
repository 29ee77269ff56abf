import { IbidError } from "../contracts/errors.ts";
import { checkGiven, checkOptions, readingGiven } from "../runtime/check-options.ts";
import { type Estimate, estimateMean } from "./estimate-mean.ts";
import type { Qrels } from "./qrels.ts";
import { defaultMetrics, measureRanking, parseMetric } from "./ranking-metric.ts";
import type { Run } from "./run.ts";

/**
 * Values of each query, by metric. A metric without a value for a query is absent there.
 *
 * @experimental
 */
export type QueryScores = ReadonlyMap<string, Readonly<Record<string, number>>>;

/**
 * How good a run is: each metric's mean over the queries, and what each query is worth.
 *
 * @experimental
 */
export interface Evaluation {
  readonly metrics: Readonly<Record<string, Estimate>>;
  readonly queries: QueryScores;
}

/**
 * Metrics for a run.
 *
 * @experimental
 */
export interface ScoreOptions {
  /** `ndcg`, `recall`, `map`, `mrr`, `p`, `success`, each with or without `@k`. Default `ndcg@10`, `recall@100`, `map`, `mrr@10`, `p@10`. */
  readonly metrics?: readonly string[] | undefined;
}

/**
 * Scores a run against judgements, with the numbers of trec_eval.
 *
 * **Shape** every judged query counts: one that the run lacks, or that nothing is relevant to, is worth 0, as with trec_eval's `-c`. (Without `-c`
 * trec_eval leaves out queries that the run lacks, so a search that finds nothing for a hard question would look better for it.) Queries of the
 * run that nobody judged are left out. `map` looks at the whole run.
 * **Errors** `invalid-argument` for a metric that is not known, `empty` for judgements of no query.
 * **Source** trec_eval 10; the papers stand beside the formulas in `ranking-metric.ts`.
 *
 * @experimental
 */
export function scoreRun(run: Run, qrels: Qrels, options: ScoreOptions = {}): Evaluation {
  checkGiven("scoreRun", "run", run, "items", { get: "function" });
  checkGiven("scoreRun", "qrels", qrels, "items", { get: "function" });
  checkOptions("scoreRun", options, { metrics: true });
  const metrics = (options.metrics ?? defaultMetrics).map(parseMetric);
  const scores = readingGiven("scoreRun", "run or qrels", "a run and its judgements", () =>
    Array.from(qrels, ([query, grades]) => {
      const ranking = (run.get(query) ?? []).map(({ documentId }) => documentId);
      return [query, measureRanking(ranking, grades, metrics)] as const;
    }),
  );
  return summarise(new Map(scores));
}

/** Means over the queries that a metric says something of, in the order in which metrics first appear. **Errors** `empty` without a query. */
export function summarise(queries: QueryScores): Evaluation {
  if (queries.size === 0) {
    throw new IbidError("empty", "There is no query to score.", { hint: "Judge at least one query." });
  }
  const names = new Set([...queries.values()].flatMap((scores) => Object.keys(scores)));
  const metrics = Array.from(names, (name) => {
    const values = [...queries.values()].flatMap((scores) => scores[name] ?? []);
    return [name, estimateMean(values)] as const;
  });
  return { metrics: Object.fromEntries(metrics), queries };
}
