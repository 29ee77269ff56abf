import { openKnowledgeBase } from "ibid";
import { type AnyVectorStore, fromVectorStore } from "ibid/stores";
import { fixed } from "../fixed.ts";
import { equal, refuses, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { object } from "../schema.ts";

const kettles = object({ sku: "string", name: "string" });

export const hybrid = [
  prove("S24", "keywords are searched beside the meaning of the query", () =>
    withTexts(
      {},
      async (kb) => {
        const collection = kb.collection("kettles", { schema: kettles, key: "sku", text: ["name"] });
        await collection.upsert([
          { sku: "K-1", name: "copper" },
          { sku: "K-2", name: "steel" },
        ]);
        const first = async (options: object): Promise<string | undefined> =>
          (await collection.hybridSearch("warm", options))[0]?.key;
        equal(await first({}), "K-1");
        equal(await first({ keywords: ["steel"] }), "K-2");
        equal(
          (await collection.textSearch("copper", { keywords: ["steel"] })).map(({ key }) => key),
          ["K-2"],
        );
        equal((await kb.search("warm", { keywords: ["steel"], mode: "lexical" })).length, 1);
        await refuses("invalid-argument", () => kb.search("warm", { keywords: [" "] }));
      },
      { models: { embedding: fixed({ copper: [0.8, 0.6], steel: [0.7, 0.714], warm: [0.8, 0.6] }) } },
    ),
  ),
  prove("S24", "options that one store alone knows pass through to it", async () => {
    const asked: unknown[] = [];
    const kept = new Map<string, readonly number[]>();
    const vectors: AnyVectorStore = {
      add: (entries) => entries.forEach(({ id, embedding }) => kept.set(id, embedding)),
      query: ({ options }) => {
        asked.push(options);
        return Array.from(kept.keys(), (id) => ({ id, score: 1 }));
      },
      delete: (ids) => ids.forEach((id) => kept.delete(id)),
    };
    const kb = await openKnowledgeBase({
      store: fromVectorStore(vectors),
      models: { embedding: fixed({ copper: [1, 0], warm: [1, 0] }) },
    });
    await kb.ingest({ uri: "a", text: "copper" });
    await kb.search("warm", { mode: "dense", storeOptions: { efSearch: 200 } });
    await kb.search("warm", { mode: "dense" });
    equal(asked, [{ efSearch: 200 }, undefined]);
    await kb.close();
  }),
];
