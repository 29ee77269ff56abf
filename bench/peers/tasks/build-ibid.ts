// A durable knowledge base of so many chunks, with the model that a user gets who names none.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openKnowledgeBase, toChunks } from "../contestants/ibid.ts";
import type { Passage } from "../contestant.ts";
import { answer, measureMemory, readTold } from "./told.ts";

const { location, passages, count, batchSize } = readTold<{
  location: string;
  passages: string;
  count: number;
  batchSize: number;
}>();
const before = await measureMemory();
const kb = await openKnowledgeBase(location);
let ms = 0;
for (let from = 0; from < count; from += batchSize) {
  const lines = readFileSync(join(passages, `${from / batchSize}.jsonl`), "utf8")
    .split("\n")
    .slice(0, Math.min(batchSize, count - from));
  const chunks = toChunks(lines.map((line) => JSON.parse(line) as Passage));
  const started = performance.now();
  await kb.ingest(chunks, { settle: true });
  ms += performance.now() - started;
}
const memory = (await measureMemory()) - before;
const { chunks } = await kb.status();
await kb.close();
answer({ ms, memory, chunks });
