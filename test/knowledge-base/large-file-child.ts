import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKnowledgeBase } from "../../src/index.node.ts";

/** Ingests one file durably, finds its last words, and says so. */
const [path = ""] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "ibid-large-kb-"));
const kb = await openKnowledgeBase(folder, { models: { embedding: null } });
let said: object = {};
let text = "";
for await (const { uri, status, chunks } of kb.ingest(path)) {
  said = { status, chunks };
  text = (await kb.document(uri))?.text ?? "";
}
const last = text.slice(text.lastIndexOf("\n") + 1);
const [hit] = await kb.search(last.split(" ").slice(0, 6).join(" "), { topK: 1 });
await kb.close();
await rm(folder, { recursive: true, force: true });
console.log(
  JSON.stringify({
    ...said,
    found: hit?.text.includes(last) === true ? last : hit?.text,
    total: hit?.structure?.totalChunks,
  }),
);
