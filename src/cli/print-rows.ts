import type { Context } from "./open.ts";
import { displayWidth, pad, wrap } from "./text-layout.ts";

/** A name and its value; a row with the name `""` continues the one above. */
export type Row = readonly [name: string, value: string];

/** Prints names and values in two columns. A value that is wider than the terminal goes on below itself. */
export async function printRows({ output }: Context, rows: readonly Row[]): Promise<void> {
  const width = rows.reduce((widest, [name]) => Math.max(widest, displayWidth(name)), 0);
  for (const [name, value] of rows) {
    const [first = "", ...rest] = wrap(value, Math.max(20, output.columns - width - 2));
    await output.line(`${output.style.dim(pad(name, width))}  ${first}`);
    for (const line of rest) await output.line(`${" ".repeat(width)}  ${line}`);
  }
}
