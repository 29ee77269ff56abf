import { describe, expect, it } from "vitest";
import { openKnowledgeBase as openAnywhere } from "../../src/knowledge-base/open-in-memory.ts";
import { openKnowledgeBase } from "../../src/knowledge-base/open/open-knowledge-base.ts";
import type { OpenOptions } from "../../src/knowledge-base/open/open-knowledge-base.ts";
import type { Store } from "../../src/contracts/store.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { createInMemoryVectorStore } from "../../src/integrations/compat/vector-store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";

const complete = {
  ...createMemoryStore(),
};

describe("openKnowledgeBase({ store })", () => {
  it.each([
    ["on Node", (options: OpenOptions) => openKnowledgeBase(options)],
    ["in any runtime", ({ store }: OpenOptions) => openAnywhere({ store: store as Store })],
  ])("puts everything into the store, %s", async (_, open) => {
    const store = createMemoryStore();
    const kb = await open({ store });
    await kb.ingest({ uri: "a.txt", text: "The heron waits in the reeds." });
    expect((await kb.search("heron")).map(({ source }) => source.uri)).toEqual(["a.txt"]);
    await kb.close();
    await expect(store.ready()).rejects.toMatchObject({ code: "store-closed" });
  });

  it("keeps the store's own number of hits, and its word on unknown ids, unless a call says otherwise", async () => {
    const kb = await openKnowledgeBase({ store: createInMemoryVectorStore({ topK: 2, onMissing: "error" }) });
    const chunks = ["a", "b", "c"].map((id, i) => ({ id, text: id, embedding: [1, i] }));
    await kb.ingest({ uri: "birds", chunks });
    expect((await kb.searchVector([1, 0])).map(({ chunk }) => chunk.id)).toEqual(["a", "b"]);
    expect(await kb.searchVector([1, 0], { topK: 3 })).toHaveLength(3);
    await expect(kb.delete({ chunks: ["a", "z"] })).rejects.toMatchObject({ code: "not-found" });
    expect(await kb.find()).toHaveLength(3);
    expect(await kb.delete({ chunks: ["a", "z"] }, { onMissing: "ignore" })).toHaveLength(1);
    await kb.close();
  });

  it("takes a location beside the store, for relative paths alone", async () => {
    const kb = await openKnowledgeBase("/nowhere/.ibid", { store: createMemoryStore() });
    await kb.ingest({ uri: "a.txt", text: "The heron waits in the reeds." });
    expect((await kb.status()).documents).toBe(1);
    await kb.close();
  });

  it.each([
    ["a copy of a store", complete, "store was not made by composeStore."],
    ["a store without find", { ...complete, find: undefined }, 'store has no method "find".'],
    ["a store without replace", { close: async () => {} }, 'store has no method "replace".'],
    ["null", null, 'store has no method "replace".'],
    ["the name of an engine without its options", "qdrant", 'store is "qdrant", a name and no Store.'],
    ["an unknown name", { name: "Qdrant" }, 'store is "Qdrant", a name and no Store.'],
    ["a location", "postgres", 'store is "postgres", a name and no Store.'],
    [
      "a designs' vector store",
      { add() {}, query() {}, delete() {} },
      "store is a vector store with add, query and delete, and no Store.",
    ],
  ])("refuses %s, by the name of the missing method", async (_, store, message) => {
    const refused = { code: "invalid-argument", message, hint: expect.stringMatching(/\w/u) as string };
    await expect(openKnowledgeBase({ store } as unknown as OpenOptions)).rejects.toMatchObject(refused);
  });

  it("takes an engine of ibid by its name, with its options, as `engine` does", async () => {
    const models = { embedding: createHashingModel() };
    const texts = ["Keys are rotated.", "Herons wait in the reeds."].map((text, i) => ({ uri: `${i}`, text }));
    const kb = await openKnowledgeBase({ store: { name: "sqlite" }, models });
    await kb.ingest(texts, { settle: true });
    expect(await kb.native("sqlite")).toBeDefined();
    expect((await kb.search("rotated keys"))[0]?.source.uri).toBe("0");
    await kb.close();
    const open = (options: object): Promise<unknown> => openKnowledgeBase({ models, ...options });
    const refused = (message: string): object => ({ code: "invalid-argument", message });
    await expect(open({ store: { name: "sqlite" }, engine: { name: "duckdb" } })).rejects.toMatchObject(
      refused('engine is given beside store: { name: "sqlite" }.'),
    );
    await expect(open({ store: { name: "sqlite", fil: "a" } })).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it.each([
    ["bm25", { search: { bm25: { k1: 2 } } }],
    ["snapshots", { snapshots: {} }],
  ])("refuses %s beside a store, which has been opened already", async (name, options) => {
    await expect(openKnowledgeBase({ store: createMemoryStore(), ...options } as OpenOptions)).rejects.toMatchObject({
      message: `${name} is given beside store.`,
    });
  });
});
