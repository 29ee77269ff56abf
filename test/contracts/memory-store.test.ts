import { describe } from "vitest";

import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createSearchedStorePack } from "../packs/searched-store-pack.ts";
import { runPack } from "./run-pack.ts";

describe("the memory store", () => {
  runPack(createSearchedStorePack({ create: async () => createMemoryStore(), destroy: (store) => store.close() }));

  describe("with segments of a few chunks, so that what only large ones have is there", () => {
    const segments = { sealAt: 2, settleAt: 1 };
    runPack(
      createSearchedStorePack({
        create: async () => createMemoryStore({ segments }),
        destroy: (store) => store.close(),
      }),
    );
  });
});
