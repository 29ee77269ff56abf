import { describe, expect, it } from "vitest";

import { createSearchedStorePack } from "../packs/searched-store-pack.ts";
import { expectNoticed } from "./mutants.ts";
import { createPlainStore } from "./plain-store.ts";
import type { PlainStore } from "./plain-store.ts";
import { storeFaults } from "./store-faults.ts";
import type { StoreFault } from "./store-faults.ts";

describe("the store packs notice a store with one fault [L3 L4 L5 L6 L7 L8 B28 T26 W36 W40]", () => {
  it.each(Object.entries(storeFaults))("%s: noticed by %s", async (fault, caseId) => {
    const pack = createSearchedStorePack({
      create: async () => createPlainStore(fault as StoreFault),
      reopen: (store) => (store as PlainStore).reopen(),
    });
    await expectNoticed(pack, caseId);
  });

  it("there is a fault for every kind of store", () => {
    const packs = new Set(Object.values(storeFaults).map((id) => id.split("/")[0]));
    expect(packs).toEqual(
      new Set(["chunk-store", "document-store", "knowledge-store", "lexical-index", "regex-search", "vector-store"]),
    );
  });
});
