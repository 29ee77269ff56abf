/** A bound of the k-th best of scores from -1 to 1: no higher, and lower by less than 2⁻¹⁰. */
export interface NearlyKth {
  /** Forgets everything. */
  reset(k: number): void;
  /** At least `k` of the scores that were offered are not below it; `-Infinity` until there are so many. */
  readonly floor: number;
  /** **Cost** constant, nearly: a heap of some hundred scores takes ten times as long. */
  offer(score: number): void;
}

/** Steps between 0 and 1. */
const steps = 2 ** 11;

/** More than rounding moves a score into the next step. */
const rounding = 2 ** -40;

export function createNearlyKth(): NearlyKth {
  const counts = new Uint32Array(2 * steps + 1);
  let wanted = 1;
  /** The highest step that `wanted` scores reach, and how many do. */
  let step = -1;
  let reaching = 0;

  return {
    reset(k) {
      counts.fill(0);
      wanted = k;
      step = 0;
      reaching = 0;
    },
    get floor() {
      return reaching < wanted ? -Infinity : step / steps - 1 - rounding;
    },
    offer(score) {
      const at = Math.max(0, Math.min(2 * steps, Math.floor((score + 1) * steps)));
      if (at < step) return;
      counts[at]!++;
      reaching++;
      while (reaching - counts[step]! >= wanted) reaching -= counts[step++]!;
    },
  };
}
