import { connect, Index, type Table } from "@lancedb/lancedb";
import type { Contestant, Setting } from "../contestant.ts";

type Row = Record<string, unknown>;

/** A table with text, slot and, where there are any, vectors; `finish` makes the indexes that the work needs. */
export function createTable<Asked>(
  { folder, dimensions }: Setting,
  part: Pick<Contestant<Row[], Asked>, "shapeQuery"> & {
    readonly finish?: (table: Table) => Promise<void>;
    readonly query: (table: Table, asked: Asked) => Promise<readonly string[]>;
  },
): Contestant<Row[], Asked> {
  let table: Table | undefined;
  return {
    shape: ({ passages, vectors }) =>
      passages.map((passage, i) => ({
        ...passage,
        ...(dimensions === 0 ? {} : { vector: Array.from(vectors.subarray(i * dimensions, (i + 1) * dimensions)) }),
      })),
    async add(rows) {
      if (table === undefined) table = await (await connect(folder)).createTable("passages", rows);
      else await table.add(rows);
    },
    finish: () => part.finish?.(table!),
    shapeQuery: part.shapeQuery,
    query: (asked) => part.query(table!, asked),
    close: () => table?.close(),
  };
}

export { Index };
