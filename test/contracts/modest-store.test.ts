import { describe } from "vitest";

import { createSearchedStorePack } from "../packs/searched-store-pack.ts";
import type { StoreSubject } from "../../src/testing/store-fixtures.ts";
import { createModestStore } from "./modest-store.ts";
import type { Immodesty } from "./modest-store.ts";
import { runMutants } from "./mutants.ts";
import { runPack } from "./run-pack.ts";

const modest = (immodesty?: Immodesty): StoreSubject => ({
  create: async () => createModestStore(immodesty),
});

describe("a store that can little, and says so", () => {
  runPack(createSearchedStorePack(modest()));
});

describe("a declared no is a promise too", () => {
  runMutants(createSearchedStorePack, [
    ["keeps sparse vectors", "chunk-store/kinds-as-declared", modest("keeps sparse vectors")],
    ["takes part of a batch", "chunk-store/kinds-as-declared", modest("takes part of a batch")],
    [
      "says that it lasts",
      "knowledge-store/acknowledged-survives",
      {
        create: async () => ({
          ...createModestStore(),
          capabilities: { ...createModestStore().capabilities, durability: "commit" },
        }),
      },
    ],
  ]);
});
