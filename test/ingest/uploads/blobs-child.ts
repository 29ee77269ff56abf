// Puts blobs into a folder whose hook queues them durably, and may be killed at it; says each key that was acknowledged.
import { openKnowledgeBase } from "../../../src/index.node.ts";
import { openIngestionQueue, withIngestion } from "../../../src/ingest/index.node.ts";
import { openFileBlobStore } from "../../../src/stores/index.node.ts";

const [location = "", blobs = "", amount = "0"] = process.argv.slice(2);
const kb = await openKnowledgeBase(location);
const queue = await openIngestionQueue(kb, location, { leaseMs: 2000, pollMs: 20 });
const uploads = withIngestion(openFileBlobStore(blobs), kb, {
  scope: "team:birds",
  enqueue: ({ input, options }) => queue.enqueue(input, options),
  cancel: (uri, scope) => queue.cancel(queue.idOf(uri, scope)),
});
for (let i = 0; i < Number(amount); i++) {
  const key = `pages/${i}.md`;
  const put = await uploads.put(key, new TextEncoder().encode(`# Page ${i}\n\nIt speaks of topic${i}.\n`));
  process.send?.(`${put.ingestion?.status} ${key}`);
}
await queue.drained();
await queue.close();
await kb.close();
process.disconnect?.();
