import { describe } from "vitest";

import { createSearchedStorePack } from "../packs/searched-store-pack.ts";
import { createPlainStore } from "./plain-store.ts";
import type { PlainStore } from "./plain-store.ts";
import { runPack } from "./run-pack.ts";

describe("the plain store, as anybody could write one [B24 S3]", () => {
  runPack(
    createSearchedStorePack({
      create: async () => createPlainStore(),
      reopen: (store) => (store as PlainStore).reopen(),
    }),
  );
});
