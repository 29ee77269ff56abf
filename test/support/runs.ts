/** How many worlds a property looks at: `few`, times `IBID_RUNS`. */
export function runs(few: number): number {
  return few * Number(process.env["IBID_RUNS"] ?? 1);
}

/** Whether every case runs, not only a sample: `IBID_FULL=1`, as in .ci/nightly. */
export const runsAll: boolean = process.env["IBID_FULL"] === "1";

const seed = Number(process.env["IBID_SEED"] ?? 1);

/**
 * One case in `every`, or all of them with `IBID_FULL=1`. The same cases with the same `IBID_SEED`.
 *
 * `turn` moves the choice: subjects that are tried with the same cases, each with its own turn, try all of them together.
 */
export function sample<Case>(cases: readonly Case[], every: number, turn = 0): readonly Case[] {
  return runsAll ? cases : cases.filter((_, i) => (i + turn + seed) % every === 0);
}

/** A count that is smaller in .ci/run than in .ci/nightly: `few`, or `all` with `IBID_FULL=1`. */
export function fewer(few: number, all: number): number {
  return runs(runsAll ? all : few);
}
