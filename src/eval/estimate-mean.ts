/**
 * A mean over queries of something in [0, 1], and how far chance in the choice of queries may have moved it.
 *
 * @experimental
 */
export interface Estimate {
  readonly mean: number;
  /** Bounds of the 95 % confidence interval; the mean itself for a single query. */
  readonly low: number;
  readonly high: number;
  /** How many queries the mean is of. */
  readonly queries: number;
}

/**
 * The mean of some values in [0, 1] and its 95 % confidence interval by Student's t. The interval is mean ± t · s / √n, cut to [0, 1].
 *
 * **Source** Student, Biometrika 6 (1908); that it holds well for means of retrieval metrics: Urbano,
 * Lima and Hanjalic, SIGIR 2019.
 */
export function estimateMean(values: readonly number[]): Estimate {
  const queries = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / queries;
  if (queries < 2) return { mean, low: mean, high: mean, queries };
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  const margin = studentQuantile(queries - 1) * Math.sqrt(squares / (queries - 1) / queries);
  return { mean, low: Math.max(0, mean - margin), high: Math.min(1, mean + margin), queries };
}

/** The t that holds 95 % of Student's distribution between -t and t. **Units** `freedom`: degrees, a whole number from 1. */
export function studentQuantile(freedom: number): number {
  let low = 0;
  let high = 13;
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (studentWithin(middle, freedom) < 0.95) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * How much of Student's distribution lies between -t and t.
 *
 * **Cost** linear in the degrees of freedom. **Source** Abramowitz and Stegun, 26.7.3 and 26.7.4: a finite series for whole degrees.
 */
function studentWithin(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let i = isOdd ? 3 : 2; i < freedom; i += 2) {
    term *= ((i - 1) / i) * cosine * cosine;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}
