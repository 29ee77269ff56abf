// Works on the queue of a knowledge base, which it may be killed at; says what it has acknowledged and what is indexed.
import { setTimeout as sleep } from "node:timers/promises";
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { openIngestionQueue } from "../../../src/ingest/index.node.ts";

const [location = "", task = "", amount = "0"] = process.argv.slice(2);
const kb = await openKnowledgeBase(location);
const queue = await openIngestionQueue(kb, location, {
  leaseMs: 2000,
  pollMs: 50,
  concurrency: task === "fill" ? 0 : 2,
});
if (task === "fill") {
  for (let i = 0; i < Number(amount); i++) {
    const id = await queue.enqueueWhenRoom({
      uri: `${i}.md`,
      text: `# Page ${i}\n\nIt speaks of topic${i} and of nothing else.\n`,
    });
    process.send?.(id);
  }
} else {
  void (async () => {
    for await (const event of queue.events()) if (event.type === "KnowledgeChunkIndexed") process.send?.(event.uri);
  })();
  while ((await queue.depth()).depth > 0) await sleep(20);
}
await queue.close();
await kb.close();
process.disconnect?.();
