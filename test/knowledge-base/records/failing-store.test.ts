import { type IbidError, openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";
import { fromVectorStore } from "ibid/stores";
import { expect, it } from "vitest";
import * as z from "zod";
import { collect } from "../../../src/testing/assert.ts";

const definition = { schema: z.object({ id: z.string(), words: z.string() }), key: "id", text: ["words"] } as const;

it("a failure of the store says which collection, store and operation [S25]", async () => {
  let fails = false;
  const cause = new Error("The disk is full.");
  const work = (): [] => {
    if (fails) throw cause;
    return [];
  };
  const vectors = { add: work, query: work, delete: work };
  const kb = await openKnowledgeBase({
    store: fromVectorStore(vectors, { name: "acme" }),
    models: { embedding: createHashingModel({ dimensions: 16 }) },
  });
  const hotels = kb.collection("hotels", definition);
  await hotels.upsert({ id: "1", words: "by the sea" });
  fails = true;
  const named = (operation: string) =>
    expect.objectContaining({
      code: "store-failed",
      message: expect.stringMatching(/^hotels: acme /u) as string,
      details: { store: "acme", operation, collection: "hotels" },
      cause,
    }) as IbidError;
  await expect(hotels.upsert({ id: "2", words: "in the hills" })).rejects.toEqual(named("add"));
  await expect(hotels.search("hills")).rejects.toEqual(named("query"));
  fails = false;
  await expect(hotels.get(["2", "1"])).resolves.toHaveLength(1);
  await expect(hotels.upsert({ id: 3 } as never)).rejects.toMatchObject({ code: "invalid-argument" });
  await kb.close();
});

it("a vector of another length says which collection, store and operation [S25]", async () => {
  const kb = await openKnowledgeBase({ models: { embedding: createHashingModel({ dimensions: 16 }) } });
  const hotels = kb.collection("hotels", { ...definition, vectors: { words: {} } });
  await hotels.upsert({ id: "1", words: "by the sea" });
  for (const options of [{}, { vectorProperty: "words" }] as const)
    await expect(hotels.vectorSearch([1, 2, 3], options)).rejects.toMatchObject({
      code: "dimension-mismatch",
      message: "hotels: dimension mismatch: expected 16, got 3",
      details: { store: "The memory store", operation: "vectorSearch", collection: "hotels", expected: 16, got: 3 },
    });
  await kb.close();
});

it("records of a scope that was dropped are listed for the operator, and purged [T13 L8]", async () => {
  const kb = await openKnowledgeBase();
  const hotels = kb.collection("hotels", definition);
  await hotels.upsert({ id: "1", words: "by the sea" }, { scope: "team:a" });
  await hotels.drop();
  const deleted = async () => (await collect(hotels.keys({ deleted: true }))).map(({ key, scope }) => [key, scope]);
  expect(await deleted()).toEqual([["1", "team:a"]]);
  await hotels.drop({ purge: true });
  expect(await deleted()).toEqual([]);
  await kb.close();
});
