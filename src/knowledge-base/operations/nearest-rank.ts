/**
 * A percentile that is one of the measurements: the one at rank `ceil(share · n)`, counted from 1.
 *
 * **Shape** `ascending` is sorted; 0 for none. **Source** Hyndman and Fan, Sample Quantiles in Statistical Packages (1996), definition 1; ToolUp's p95.
 */
export function nearestRank(ascending: readonly number[], share: number): number {
  // A product such as 0.95 · 20 may come out a little above the whole number that it is.
  const rank = Math.ceil(share * ascending.length - 1e-9);
  return ascending[Math.max(rank, 1) - 1] ?? 0;
}
