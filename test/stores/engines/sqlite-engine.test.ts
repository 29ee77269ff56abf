import { describe } from "vitest";
import { openKnowledgeBase } from "../../../src/knowledge-base/open/open-knowledge-base.ts";
import { createEngineStore } from "../../../src/stores/engines/engine-store.ts";
import { createMemoryStore } from "../../../src/stores/memory/memory-store.ts";
import { createSqliteEngine } from "../../../src/stores/sqlite/sqlite-engine.ts";
import { createEnginePack } from "../../../src/testing/engine-pack.ts";
import { runPack } from "../../contracts/run-pack.ts";

describe("the engine over SQLite", () => {
  runPack(
    createEnginePack({
      name: "sqlite",
      create: async () => createSqliteEngine(),
      createStore: (engine) => (engine === undefined ? createMemoryStore() : createEngineStore(engine)),
      openKnowledgeBase: (engine) => openKnowledgeBase({ engine }),
      chunks: 300,
    }),
  );
});
