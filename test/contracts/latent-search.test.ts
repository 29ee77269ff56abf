import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe } from "vitest";

import { openSqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import type { Store } from "../../src/contracts/store.ts";
import { latentSemanticModel as corpusModel } from "../../src/engine/latent/latent-semantic-model.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createLatentSearchPack } from "../packs/latent-search-pack.ts";
import { sample } from "../support/runs.ts";
import { runPack } from "./run-pack.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-contracts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = new WeakMap<Store, string>();
let count = 0;

async function open(file: string): Promise<Store> {
  const store = await openSqliteStore(file, { corpusModel, segments: { sealAt: 32, settleAt: 8 } });
  files.set(store, file);
  return store;
}

describe("the memory store's own model", () => {
  const create = async () => createMemoryStore({ corpusModel });
  runPack(createLatentSearchPack({ create, destroy: (store) => store.close() }));

  describe("with segments of a few chunks", () => {
    const segments = { sealAt: 2, settleAt: 1 };
    const few = async () => createMemoryStore({ corpusModel, segments });
    runPack(sample(createLatentSearchPack({ create: few, destroy: (store) => store.close() }), 2));
  });
});

describe("the SQLite store's own model", () => {
  const pack = createLatentSearchPack({
    create: () => open(join(folder, `store-${count++}.sqlite`)),
    destroy: (store) => store.close(),
  });
  runPack(sample(pack, 2, 1));
});
