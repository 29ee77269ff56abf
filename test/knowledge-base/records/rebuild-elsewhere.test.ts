import { describe, expect, it } from "vitest";

import type { Engine } from "../../../src/contracts/engine.ts";
import type { StandardSchema } from "../../../src/contracts/schema.ts";
import { openKnowledgeBase } from "../../../src/knowledge-base/open/open-knowledge-base.ts";
import { createHashingModel } from "../../../src/models/hashing/hashing-model.ts";
import { createReferenceEngine } from "../../../src/testing/reference-engine.ts";
import { sample } from "../../support/runs.ts";

type Item = { readonly id: string; readonly text: string; readonly stars: number };

const schema: StandardSchema<Item, Item> = {
  "~standard": { version: 1, vendor: "ibid", validate: (value) => ({ value: value as Item }) },
};

const items: readonly Item[] = Array.from({ length: 300 }, (_, i) => ({
  id: `item-${i}`,
  text: i === 7 ? "a lantern by the harbour" : `the bridge number ${i}`,
  stars: i % 5,
}));

async function open(engine: Engine = createReferenceEngine()) {
  const kb = await openKnowledgeBase({ engine, models: { embedding: createHashingModel() } });
  const of = (keptIn: "documents" | "engine") =>
    kb.collection("items", { schema, key: "id", text: ["text"], filterable: ["stars"], keptIn });
  return { kb, documents: of("documents"), rows: of("engine") };
}

const byId = (a: Item, b: Item): number => (a.id < b.id ? -1 : 1);

async function expectAll(collection: Awaited<ReturnType<typeof open>>["rows"]): Promise<void> {
  const listed: Item[] = [];
  for await (const record of collection.list()) listed.push(record);
  expect(listed.sort(byId)).toEqual(items.toSorted(byId));
  const [best] = await collection.search("lantern harbour", { topK: 1, filter: { stars: 2 } });
  expect(best!.record).toEqual(items[7]);
}

describe("a collection whose records are kept elsewhere than its definition says", () => {
  it("is refused, goes into the engine with rebuild(), and leaves no document", async () => {
    const { kb, documents, rows } = await open();
    await documents.upsert(items);
    const refused = {
      code: "configuration-missing",
      message: "The collection items in deployment has its records in documents.",
      hint: expect.stringContaining('rebuild({ scope: "deployment" })'),
    };
    await expect(rows.search("lantern")).rejects.toMatchObject(refused);
    await expect(rows.upsert(items[0]!)).rejects.toMatchObject(refused);
    await expect(rows.ensure()).rejects.toMatchObject(refused);
    const done = await rows.rebuild();
    expect({ ...done, keys: done.keys.length }).toEqual({
      keys: 300,
      added: 300,
      updated: 0,
      unchanged: 0,
      embedded: 300,
    });
    await expectAll(rows);
    expect((await kb.status()).chunks).toBe(0);
    await expect(documents.search("lantern")).rejects.toMatchObject({ code: "configuration-missing" });
    await kb.close();
  });

  it("comes back into documents with rebuild(), and leaves no row", async () => {
    const engine = createReferenceEngine();
    const { kb, documents, rows } = await open(engine);
    await rows.upsert(items);
    const refused = { message: "The collection items in deployment has its records in an engine." };
    await expect(documents.search("lantern")).rejects.toMatchObject(refused);
    await expect(documents.upsert(items[0]!)).rejects.toMatchObject(refused);
    const done = await documents.rebuild();
    expect([done.keys.length, done.added, done.updated]).toEqual([300, 300, 0]);
    await expectAll(documents);
    await expect(rows.search("lantern")).rejects.toMatchObject({ code: "configuration-missing" });
    await rows.rebuild();
    await expectAll(rows);
    await kb.close();
  });

  it("is refused after a stop at any write to the engine, and the next rebuild() goes on", async () => {
    for (const stopAt of sample([1, 2], 2)) {
      const engine = createReferenceEngine();
      let puts = 0;
      let isUp = true;
      const stopping: Engine = {
        ...engine,
        async open(spec) {
          const index = await engine.open(spec);
          return {
            ...index,
            async put(entries) {
              puts += 1;
              isUp &&= puts !== stopAt;
              if (!isUp) throw new Error("the process ended");
              await index.put(entries);
            },
          };
        },
      };
      const { kb, documents, rows } = await open(stopping);
      await documents.upsert(items);
      await expect(rows.rebuild()).rejects.toThrow("the process ended");
      await expect(rows.search("lantern")).rejects.toMatchObject({ code: "configuration-missing" });
      await expectAll(documents);
      isUp = true;
      await rows.rebuild();
      await expectAll(rows);
      await kb.close();
    }
  });

  it("names the missing engine", async () => {
    const kb = await openKnowledgeBase({ models: { embedding: createHashingModel() } });
    const rows = { schema, key: "id", text: ["text"], keptIn: "engine" } as const;
    expect(() => kb.collection("items", rows)).toThrow("the knowledge base has none");
    await kb.close();
  });
});
