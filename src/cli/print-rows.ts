import type { Context } from "./open.ts";
import { displayWidth, pad } from "./text-layout.ts";

/** A name and its value; a row with the name `""` continues the one above. */
export type Row = readonly [name: string, value: string];

/** Prints names and values in two columns. */
export async function printRows({ output }: Context, rows: readonly Row[]): Promise<void> {
  const width = rows.reduce((widest, [name]) => Math.max(widest, displayWidth(name)), 0);
  for (const [name, value] of rows) await output.line(`${output.style.dim(pad(name, width))}  ${value}`);
}
