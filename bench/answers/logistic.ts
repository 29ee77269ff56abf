/** Logistic regression on standardised features, with a ridge. */
export interface Logistic {
  readonly means: readonly number[];
  readonly deviations: readonly number[];
  readonly weights: readonly number[];
  readonly intercept: number;
}

/**
 * Fits a logistic regression by Newton's method.
 *
 * **Source** Cox, The regression analysis of binary sequences (1958); ridge: le Cessie and van Houwelingen, Ridge Estimators in Logistic Regression (1992).
 */
export function fitLogistic(
  rows: readonly ArrayLike<number>[],
  labels: readonly number[],
  { ridge = 1, weights = rows.map(() => 1) }: { ridge?: number; weights?: readonly number[] } = {},
): Logistic {
  const size = rows[0]?.length ?? 0;
  const total = weights.reduce((a, b) => a + b, 0);
  const means = Array.from(
    { length: size },
    (_, at) => rows.reduce((sum, row, i) => sum + weights[i]! * row[at]!, 0) / total,
  );
  const deviations = means.map(
    (mean, at) => Math.sqrt(rows.reduce((sum, row, i) => sum + weights[i]! * (row[at]! - mean) ** 2, 0) / total) || 1,
  );
  const scaled = rows.map((row) =>
    Float64Array.from([1, ...means.map((mean, at) => (row[at]! - mean) / deviations[at]!)]),
  );
  const beta = new Float64Array(size + 1);
  for (let round = 0; round < 25; round += 1) {
    const gradient = new Float64Array(size + 1);
    const hessian = Array.from({ length: size + 1 }, () => new Float64Array(size + 1));
    for (const [i, row] of scaled.entries()) {
      let z = 0;
      for (let a = 0; a <= size; a += 1) z += beta[a]! * row[a]!;
      const p = 1 / (1 + Math.exp(-z));
      const error = weights[i]! * (labels[i]! - p);
      const curve = weights[i]! * p * (1 - p);
      for (let a = 0; a <= size; a += 1) {
        gradient[a]! += error * row[a]!;
        const scaledRow = curve * row[a]!;
        const line = hessian[a]!;
        for (let b = 0; b <= a; b += 1) line[b]! += scaledRow * row[b]!;
      }
    }
    for (let a = 0; a <= size; a += 1) {
      if (a > 0) {
        gradient[a]! -= ridge * beta[a]!;
        hessian[a]![a]! += ridge;
      }
      hessian[a]![a]! += 1e-9;
      for (let b = 0; b < a; b += 1) hessian[b]![a] = hessian[a]![b]!;
    }
    const step = solve(hessian, gradient);
    let moved = 0;
    for (let a = 0; a <= size; a += 1) {
      beta[a]! += step[a]!;
      moved = Math.max(moved, Math.abs(step[a]!));
    }
    if (moved < 1e-8) break;
  }
  return { means, deviations, weights: [...beta.subarray(1)], intercept: beta[0]! };
}

/** Log-odds. */
export function scoreLogistic(model: Logistic, row: ArrayLike<number>): number {
  let z = model.intercept;
  for (const [at, weight] of model.weights.entries())
    z += (weight * (row[at]! - model.means[at]!)) / model.deviations[at]!;
  return z;
}

export const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z));

/** Solves a symmetric positive definite system by Cholesky's decomposition, in place. */
function solve(matrix: Float64Array[], right: Float64Array): Float64Array {
  const n = right.length;
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = matrix[i]![j]!;
      for (let k = 0; k < j; k += 1) sum -= matrix[i]![k]! * matrix[j]![k]!;
      matrix[i]![j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / matrix[j]![j]!;
    }
  }
  const x = Float64Array.from(right);
  for (let i = 0; i < n; i += 1) {
    for (let k = 0; k < i; k += 1) x[i]! -= matrix[i]![k]! * x[k]!;
    x[i]! /= matrix[i]![i]!;
  }
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let k = i + 1; k < n; k += 1) x[i]! -= matrix[k]![i]! * x[k]!;
    x[i]! /= matrix[i]![i]!;
  }
  return x;
}

/** Area under the ROC curve. **Source** Mann and Whitney (1947); ties count half. */
export function areaUnder(scores: readonly number[], labels: readonly number[]): number {
  const order = scores.map((score, i) => [score, labels[i]!] as const).toSorted((a, b) => a[0] - b[0]);
  let [rankSum, positives] = [0, 0];
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && order[to]![0] === order[from]![0]) to += 1;
    for (let at = from; at < to; at += 1) {
      if (order[at]![1] !== 1) continue;
      rankSum += (from + to + 1) / 2;
      positives += 1;
    }
    from = to;
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * (order.length - positives));
}

/**
 * Expected calibration error: how far stated probabilities lie from observed shares, over ten bins of equal width.
 *
 * **Source** Naeini, Cooper and Hauskrecht, Obtaining Well Calibrated Probabilities Using Bayesian Binning (AAAI 2015).
 */
export function calibrationError(stated: readonly number[], labels: readonly number[], bins = 10): number {
  const sums = Array.from({ length: bins }, () => ({ stated: 0, true: 0, count: 0 }));
  for (const [i, p] of stated.entries()) {
    const bin = sums[Math.min(bins - 1, Math.floor(p * bins))]!;
    bin.stated += p;
    bin.true += labels[i]!;
    bin.count += 1;
  }
  return sums.reduce((sum, bin) => sum + Math.abs(bin.stated - bin.true), 0) / stated.length;
}
