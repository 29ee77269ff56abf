// Opens a knowledge base and answers one hybrid query, in a fresh process.
import { loadIbid } from "../ibid.ts";
import { answer, measureMemory, readTold } from "./told.ts";

const { location, query } = readTold<{ location: string; query: string }>();
const before = await measureMemory();
const started = performance.now();
const { openKnowledgeBase } = await loadIbid();
const loaded = performance.now();
const kb = await openKnowledgeBase(location, { create: false });
const opened = performance.now();
const hits = await kb.search(query, { topK: 10 });
const answered = performance.now();
const again = await kb.search(`${query} again`, { topK: 10 });
const next = performance.now() - answered;
const memory = (await measureMemory()) - before;
await kb.close();
answer({
  load: loaded - started,
  open: opened - loaded,
  first: answered - opened,
  next,
  memory,
  hits: hits.length + again.length,
});
