import { describe } from "vitest";

import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createStorePack } from "../../src/testing/knowledge-store-pack.ts";
import { runPack } from "./run-pack.ts";

describe("the memory store", () => {
  runPack(createStorePack({ create: async () => createMemoryStore(), destroy: (store) => store.close() }));

  describe("with segments of a few chunks, so that what only large ones have is there", () => {
    const segments = { sealAt: 2, settleAt: 1 };
    runPack(
      createStorePack({
        create: async () => createMemoryStore({ segments }),
        destroy: (store) => store.close(),
      }),
    );
  });
});
