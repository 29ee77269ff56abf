import type { Store, StoreParts } from "../../src/contracts/store.ts";
import { composeStore } from "../../src/stores/compose/compose-store.ts";
import { createMemoryDirectory } from "../../src/stores/memory/memory-directory.ts";
import { createSecret } from "../../src/stores/segments/create-secret.ts";
import { createSegmentStore } from "../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../src/stores/segments/store-options.ts";

/** A store of a memory store's parts, composed otherwise. */
export function fromParts(change: (parts: StoreParts) => StoreParts): Store {
  const parts = createSegmentStore(createMemoryDirectory(), {
    ...decideStoreOptions({}),
    embeddings: ["dense", "sparse", "hybrid"],
    secret: createSecret(),
  });
  return composeStore(change(parts));
}
