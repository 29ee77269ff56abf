// Opens a LanceDB table and answers one dense query, in a fresh process.
import { answer, measureMemory, readTold } from "./told.ts";

const { location, dimensions } = readTold<{ location: string; dimensions: number }>();
const vector = Float32Array.from({ length: dimensions }, (_, i) => Math.sin(i));
const before = await measureMemory();
const started = performance.now();
const { connect } = await import("@lancedb/lancedb");
const loaded = performance.now();
const table = await (await connect(location)).openTable("passages");
const opened = performance.now();
const search = () =>
  table.query().nearestTo(vector).distanceType("cosine").limit(10).select(["id", "text", "_distance"]).toArray();
const hits = await search();
const answered = performance.now();
await search();
const next = performance.now() - answered;
const memory = (await measureMemory()) - before;
answer({
  load: loaded - started,
  open: opened - loaded,
  first: answered - opened,
  next,
  memory,
  hits: hits.length,
});
process.exit(0);
