import { join } from "node:path";
import { createFileBlobStore } from "../../src/stores/blobs/file-blob-store.ts";
import { createTurns } from "../../src/stores/sqlite/take-turns.ts";

/** Counts up in a blob, each step on the condition that nobody else did meanwhile. */
const [, , folder = "", steps = "0"] = process.argv;
const store = createFileBlobStore(folder, createTurns(join(folder, ".turns")));
for (let done = 0; done < Number(steps);) {
  const found = await store.get("count");
  const next = Number(new TextDecoder().decode(found?.bytes)) + 1;
  const put = await store.put("count", new TextEncoder().encode(String(next)), { ifMatch: found?.etag ?? "none" });
  if (put.status === "conflict") continue;
  done++;
  process.send?.(next);
}
