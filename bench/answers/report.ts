/** A figure with the set that it was measured on and, where there is one, its bar. */
export interface Figure {
  readonly name: string;
  readonly set: string;
  readonly size: number;
  readonly value: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** One line of a table: name, figure, bar, whether it is met, set and size. */
export function formatFigure({ name, set, size, value, atLeast, atMost }: Figure): string {
  const bar =
    atLeast === undefined ? (atMost === undefined ? "" : `≤ ${atMost.toFixed(3)}`) : `≥ ${atLeast.toFixed(3)}`;
  const isMet = value >= (atLeast ?? Number.NEGATIVE_INFINITY) && value <= (atMost ?? Number.POSITIVE_INFINITY);
  return `| ${name} | ${value.toFixed(3)} | ${bar} | ${bar === "" ? "" : isMet ? "yes" : "no"} | ${set} (${size}) |`;
}
