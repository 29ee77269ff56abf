import { IbidError } from "../contracts/errors.ts";

/** A metric of a ranking: a formula, and the ranks that it looks at. */
export interface RankingMetric {
  /** As it is written, such as `ndcg@10`. */
  readonly name: string;
  readonly formula: Formula;
  /** Ranks that count; `Infinity`: the whole ranking. */
  readonly cutoff: number;
}

/** Formula over the grades in ranked order (cut off; 0 without a judgement), all grades above 0 (largest first), and the cut-off. */
type Formula = (ranked: readonly number[], relevant: readonly number[], cutoff: number) => number;

/**
 * The formulas by name, each as trec_eval computes it with a grade of 1 or more as relevant.
 *
 * **Source** trec_eval's `ndcg_cut`, `recall`, `map`, `map_cut`, `recip_rank`, `P` and `success`; without a cut-off `ndcg`, `set_recall`, `set_P`. Gain and
 * discount of nDCG are the grade and log2(rank + 1), as in Järvelin and Kekäläinen, TOIS 20 (2002). MS MARCO cuts `recip_rank` off at 10.
 */
const formulas: Readonly<Record<string, Formula>> = {
  ndcg: (ranked, relevant, cutoff) => {
    const ideal = discountedGain(relevant.slice(0, cutoff));
    return ideal === 0 ? 0 : discountedGain(ranked) / ideal;
  },
  recall: (ranked, relevant) => (relevant.length === 0 ? 0 : countRelevant(ranked) / relevant.length),
  map: (ranked, relevant) => {
    let found = 0;
    let sum = 0;
    for (const [index, grade] of ranked.entries()) {
      if (grade <= 0) continue;
      found++;
      sum += found / (index + 1);
    }
    return relevant.length === 0 ? 0 : sum / relevant.length;
  },
  mrr: (ranked) => {
    const first = ranked.findIndex((grade) => grade > 0);
    return first === -1 ? 0 : 1 / (first + 1);
  },
  // A cut-off divides by itself also when less was found.
  p: (ranked, _, cutoff) =>
    ranked.length === 0 ? 0 : countRelevant(ranked) / (cutoff === Infinity ? ranked.length : cutoff),
  success: (ranked) => (ranked.some((grade) => grade > 0) ? 1 : 0),
};

/** Default metrics of a test collection. */
export const defaultMetrics: readonly string[] = ["ndcg@10", "recall@100", "map", "mrr@10", "p@10"];

/**
 * Reads a metric's name: `ndcg`, `recall`, `map`, `mrr`, `p` or `success`, with `@k` to look at the first k only.
 *
 * **Errors** `invalid-argument` for a name that is not known or a k that is no whole number from 1.
 */
export function parseMetric(name: string): RankingMetric {
  const [formulaName = "", cutoff, ...rest] = name.split("@");
  const formula = Object.hasOwn(formulas, formulaName) ? formulas[formulaName] : undefined;
  if (formula === undefined || rest.length > 0) {
    throw new IbidError("invalid-argument", `There is no metric "${name}".`, {
      hint: `Known metrics: ${Object.keys(formulas).join(", ")}, each with @k to look at the first k only, such as ndcg@10.`,
    });
  }
  if (cutoff === undefined) return { name, formula, cutoff: Infinity };
  if (!/^[1-9]\d{0,8}$/u.test(cutoff)) {
    throw new IbidError("invalid-argument", `The metric "${name}" has no whole number from 1 after its @.`, {
      hint: `Write it like ${formulaName}@10.`,
    });
  }
  return { name, formula, cutoff: Number(cutoff) };
}

/**
 * Measures one ranking, by each metric.
 *
 * **Shape** each value in [0, 1]; 0 for a query without a relevant document. Grades of 0 and below, and documents without a judgement, are not relevant.
 */
export function measureRanking(
  ranking: readonly string[],
  grades: ReadonlyMap<string, number>,
  metrics: readonly RankingMetric[],
): Readonly<Record<string, number>> {
  const ranked = ranking.map((id) => grades.get(id) ?? 0);
  const relevant = [...grades.values()].filter((grade) => grade > 0).toSorted((a, b) => b - a);
  return Object.fromEntries(
    metrics.map(({ name, formula, cutoff }) => [name, formula(ranked.slice(0, cutoff), relevant, cutoff)]),
  );
}

const countRelevant = (grades: readonly number[]): number =>
  grades.reduce((count, grade) => count + (grade > 0 ? 1 : 0), 0);

function discountedGain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, index) => (grade > 0 ? sum + grade / Math.log2(index + 2) : sum), 0);
}
