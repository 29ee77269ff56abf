import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";

import { openLibrary } from "./plain-usearch.ts";

const root = mkdtempSync(join(tmpdir(), "ibid-hnsw-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it("a knowledge base with an HNSW index finds what one without does, and ingests none of its files [T17 S4]", async () => {
  const folder = join(root, "kb");
  const hnsw = { startAt: 1, usearch: await openLibrary() };
  const embeddingModel = createHashingModel();
  const texts = ["herons wait", "otters swim", "voles dig", "newts hide"].map((text, i) => ({ uri: `t${i}`, text }));
  const kb = await openKnowledgeBase(folder, { hnsw, embeddingModel });
  await kb.ingest(texts);
  await kb.search("an otter that swims", { mode: "dense" });
  // Settling waits for the graph.
  await kb.ingest({ uri: "t4", text: "kites hover" }, { settle: true });
  await kb.close();
  expect(existsSync(join(folder, "hnsw"))).toBe(true);

  const again = await openKnowledgeBase(folder, { hnsw, embeddingModel });
  const found = await again.search("an otter that swims", { mode: "dense" });
  await again.ingest(root);
  expect((await again.status()).documents).toBe(5);
  await again.close();
  const exact = await openKnowledgeBase(folder, { embeddingModel });
  expect(found).toEqual(await exact.search("an otter that swims", { mode: "dense" }));
  await exact.close();
});
