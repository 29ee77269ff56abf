import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openKnowledgeBase } from "ibid";
import { createMemoryBlobStore } from "ibid/stores";
import { afterAll, describe } from "vitest";

import { openKnowledgeBase as openInMemory } from "../../src/knowledge-base/open-in-memory.ts";
import { createKnowledgeBasePack } from "../packs/knowledge-base-pack.ts";
import { runPack } from "./run-pack.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-kb-contracts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

describe("the knowledge base of any runtime", () => {
  runPack(createKnowledgeBasePack({ open: (parts) => openInMemory(parts) }));
});

describe("the knowledge base of Node, in memory", () => {
  runPack(createKnowledgeBasePack({ open: (parts) => openKnowledgeBase(parts) }));
});

describe("the knowledge base of Node, in memory, kept as snapshots", () => {
  const snapshots = () => ({ blobs: createMemoryBlobStore(), delayMs: 0 });
  runPack(createKnowledgeBasePack({ open: (parts) => openKnowledgeBase({ ...parts, snapshots: snapshots() }) }));
});

describe("the knowledge base of Node, in a folder", () => {
  runPack(createKnowledgeBasePack({ open: (parts) => openKnowledgeBase(join(folder, `kb-${count++}`), parts) }));
});
