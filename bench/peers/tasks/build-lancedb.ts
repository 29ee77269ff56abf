// The same passages, and given vectors, in a LanceDB table with an index over the text.
import { connect, Index, type Table } from "@lancedb/lancedb";
import { openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Passage } from "../contestant.ts";
import { answer, readTold } from "./told.ts";

const { location, passages, vectors, dimensions, count, batchSize } = readTold<{
  location: string;
  passages: string;
  vectors: string;
  dimensions: number;
  count: number;
  batchSize: number;
}>();
const connection = await connect(location);
const file = openSync(vectors, "r");
let table: Table | undefined;
let ms = 0;
for (let from = 0; from < count; from += batchSize) {
  const rows = readFileSync(join(passages, `${from / batchSize}.jsonl`), "utf8")
    .split("\n")
    .slice(0, Math.min(batchSize, count - from))
    .map((line, i) => {
      const vector = new Float32Array(dimensions);
      readSync(file, new Uint8Array(vector.buffer), 0, vector.byteLength, (from + i) * dimensions * 4);
      return { ...(JSON.parse(line) as Passage), vector: Array.from(vector) };
    });
  const started = performance.now();
  if (table === undefined) table = await connection.createTable("passages", rows);
  else await table.add(rows);
  ms += performance.now() - started;
}
const started = performance.now();
await table!.createIndex("text", { config: Index.fts() });
answer({ ms: ms + performance.now() - started });
