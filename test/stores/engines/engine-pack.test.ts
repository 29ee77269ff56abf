import { describe } from "vitest";
import { openKnowledgeBase } from "../../../src/knowledge-base/open/open-knowledge-base.ts";
import { createEngineStore } from "../../../src/stores/engines/engine-store.ts";
import { createMemoryStore } from "../../../src/stores/memory/memory-store.ts";
import { createEnginePack } from "../../../src/testing/engine-pack.ts";
import { createReferenceEngine } from "../../../src/testing/reference-engine.ts";
import { runPack } from "../../contracts/run-pack.ts";

describe("the reference engine", () => {
  runPack(
    createEnginePack({
      name: "reference",
      create: async () => createReferenceEngine(),
      createStore: (engine) => (engine === undefined ? createMemoryStore() : createEngineStore(engine)),
      openKnowledgeBase: (engine) => openKnowledgeBase({ engine }),
    }),
  );
});
