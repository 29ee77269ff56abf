// Opens a LanceDB table and answers one dense query, in a fresh process.
import { answer, readTold } from "./told.ts";

const { location, dimensions } = readTold<{ location: string; dimensions: number }>();
const vector = Float32Array.from({ length: dimensions }, (_, i) => Math.sin(i));
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
answer({
  load: loaded - started,
  open: opened - loaded,
  first: answered - opened,
  next: performance.now() - answered,
  hits: hits.length,
});
process.exit(0);
