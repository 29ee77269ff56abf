// Opens the page over real documents: one of every format that ibid reads, and this project's own documentation.
//
//   npm run demo:page                     at http://127.0.0.1:9090/, until Ctrl+C
//   npm run demo:page -- --port 0         at a free port
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openKnowledgeBase } from "../src/index.node.ts";
import { startService } from "../src/server/index.node.ts";
import { openFileBlobStore } from "../src/stores/index.node.ts";
import { papers } from "../test/page/documents.ts";
import { buildPage } from "./build-page.ts";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { port: { type: "string", default: "9090" } } });

await buildPage(join(root, "src", "server", "page", "built"));
const folder = mkdtempSync(join(tmpdir(), "ibid-demo-"));
const kb = await openKnowledgeBase();
await kb.ingest(["README.md", "docs"].map((path) => join(root, path)));
for (const { name, bytes } of papers)
  await kb.ingest({ uri: `harbour/${name}`, bytes }, { metadata: { fileName: name } });
const originals = new Map(papers.map(({ name, bytes }) => [`harbour/${name}`, bytes]));
const service = await startService(kb, {
  port: Number(values.port),
  files: openFileBlobStore(folder),
  readSource: async (uri) => originals.get(uri),
  local: { access: "operator", write: true },
  warmUp: true,
});
const { documents } = await kb.status();
console.log(`${service.url}  ${documents} documents. Try: ${papers[0]!.question}`);
const stop = async (): Promise<void> => {
  await service.stop();
  await kb.close();
  rmSync(folder, { recursive: true, force: true });
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
