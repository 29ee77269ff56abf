/** How many worlds a property looks at: few in the tests, `IBID_RUNS` times as many for who has the time. */
export function runs(few: number): number {
  return few * Number(process.env["IBID_RUNS"] ?? 1);
}
