import { describe } from "vitest";

import { createStorePack } from "../../src/testing/knowledge-store-pack.ts";
import { createPlainStore } from "./plain-store.ts";
import type { PlainStore } from "./plain-store.ts";
import { runPack } from "./run-pack.ts";

describe("the plain store, as anybody could write one [B24 S3]", () => {
  runPack(
    createStorePack({
      create: async () => createPlainStore(),
      reopen: (store) => (store as PlainStore).reopen(),
    }),
  );
});
