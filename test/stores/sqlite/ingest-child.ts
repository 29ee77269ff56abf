// Writes the corpus into the store that is named, saying after each document that it is safe. Documents that are there already are left alone.
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { plainAnalyzer, read, write } from "../build.ts";
import { makeCorpus } from "./corpus.ts";

const [path = "", documents = "0"] = process.argv.slice(2);
const store = await openSqliteStore(path, { analyzer: plainAnalyzer, segments: { sealAt: 16 }, now: () => 0 });
process.send?.("ready");
for (const entry of makeCorpus(Number(documents))) {
  if ((await store.document(read("deployment"), entry.document.id)) !== undefined) continue;
  await store.replace(write("deployment"), entry);
  process.send?.(entry.document.id);
}
await store.upkeep!.settle();
await store.close();
process.disconnect?.();
