/** How often a promise was tried, and what broke it. */
export interface Tally {
  readonly promise: string;
  /** A unit of attempts, for people: `comparisons`. */
  readonly unit: string;
  readonly attempts: number;
  readonly breaches: readonly string[];
  /** The reason why nothing was tried. */
  readonly skipped?: string;
}

/** The number of attempts of a size, at least one. */
export const scaled = (full: number, size: number): number => Math.max(1, Math.round(full * size));
