import { IbidError } from "ibid";
import { createHashingModel } from "ibid/models";
import { createMemoryStore } from "ibid/stores";
import { describe, expect, it } from "vitest";
import { createMemoryDirectory } from "../../../src/stores/memory/memory-directory.ts";
import { composeStore } from "../../../src/stores/compose/compose-store.ts";
import type { DocumentStore } from "../../../src/contracts/store.ts";
import { createSecret } from "../../../src/stores/segments/create-secret.ts";
import { createSegmentStore } from "../../../src/stores/segments/segment-store.ts";
import { decideStoreOptions } from "../../../src/stores/segments/store-options.ts";
import { knowledgeBaseOver } from "../../support/knowledge-base-over.ts";
import { definition, kettle } from "./shop.ts";

/** A knowledge base over a store that says how it is each time it is asked, as a database does that makes an index in the background. */
function openOver(ready: NonNullable<DocumentStore["ready"]>) {
  const parts = createSegmentStore(createMemoryDirectory(), {
    ...decideStoreOptions({}),
    embeddings: ["dense"],
    secret: createSecret(),
  });
  const store = composeStore({ ...parts, documents: { ...parts.documents, ready } });
  return knowledgeBaseOver(store, createHashingModel());
}

describe("a store that is not ready yet [S4]", () => {
  it("is asked until it is; what is written meanwhile waits", async () => {
    let asked = 0;
    const products = openOver(async () => ++asked > 2).collection("products", definition);
    expect(await products.upsert(kettle)).toMatchObject({ added: 1 });
    expect(asked).toBe(3);
    expect(await products.get("K-1")).toEqual(kettle);
  });

  it("is waited for with a limit, and until a signal fires", async () => {
    const products = openOver(async () => false).collection("products", definition);
    await expect(products.waitUntilReady({ timeoutMs: 10 })).rejects.toMatchObject({ code: "timeout" });
    await expect(products.ensure({ timeoutMs: 10 })).rejects.toMatchObject({ code: "timeout" });
    await expect(products.upsert(kettle, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
    const stopping = new AbortController();
    const waiting = products.waitUntilReady({ signal: stopping.signal });
    stopping.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await expect(products.waitUntilReady({ timeoutMs: -1 })).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await products.exists()).toBe(false);
  });

  it("may also resolve when it is, or never answer", async () => {
    const store = createMemoryStore();
    await store.ready();
    await expect(
      openOver(() => new Promise(() => {}))
        .collection("p", definition)
        .ensure({ timeoutMs: 10 }),
    ).rejects.toThrow(IbidError);
    const failing = openOver(async () => {
      throw new IbidError("store-failed", "The index could not be made.");
    });
    await expect(failing.collection("p", definition).waitUntilReady()).rejects.toMatchObject({ code: "store-failed" });
  });
});
