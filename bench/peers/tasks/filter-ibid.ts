// Hybrid search with filters of several selectivities, in turns; and whether what a filter finds is what is left of everything when it is filtered.
import { readFileSync } from "node:fs";
import { openKnowledgeBase } from "../contestants/ibid.ts";
import { answer, readTold } from "./told.ts";

const { location, queryTexts, below, rounds, count } = readTold<{
  location: string;
  queryTexts: string;
  below: readonly (number | null)[];
  rounds: number;
  count: number;
}>();
const queries = readFileSync(queryTexts, "utf8")
  .split("\n")
  .map((line) => (JSON.parse(line) as { text: string }).text);
const kb = await openKnowledgeBase(location, { create: false });
const search = (query: string, limit: number | null, topK: number | "all" = 10) =>
  kb.search(query, { topK, ...(limit === null ? {} : { filter: { slot: { lt: limit } } }) });

const ms: number[][] = below.map(() => []);
for (let round = -1; round < rounds; round++) {
  for (const [which, limit] of below.entries()) {
    for (let i = 0; i < count; i++) {
      const query = queries[(Math.max(0, round) * count + i) % queries.length]!;
      const started = performance.now();
      await search(query, limit);
      if (round >= 0) ms[which]!.push(performance.now() - started);
    }
  }
}

let checked = 0;
let same = 0;
for (const query of queries.slice(0, 3)) {
  const all = await search(query, null, "all");
  for (const limit of below) {
    if (limit === null) continue;
    const wanted = all.filter(({ metadata }) => (metadata["slot"] as number) < limit).slice(0, 10);
    const found = await search(query, limit);
    checked++;
    if (JSON.stringify(wanted.map(({ chunkId }) => chunkId)) === JSON.stringify(found.map(({ chunkId }) => chunkId)))
      same++;
  }
}
await kb.close();
answer({ ms, checked, same });
