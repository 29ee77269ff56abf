import { afterEach, describe, expect, it } from "vitest";
import { collect } from "../../../src/testing/assert.ts";
import { createHomes, definition, kettle, lamp, letterModel, pan } from "./shop.ts";

describe.each(createHomes())("a collection in $name", (home) => {
  afterEach(() => home.close());
  const shop = async () => {
    const kb = await home.open();
    return { kb, products: kb.collection("products", definition) };
  };

  it("keeps records and gives them back by key [S5 S25]", async () => {
    const { products } = await shop();
    expect(await products.upsert([kettle, lamp])).toEqual({
      keys: ["K-1", "L/2 ä"],
      added: 2,
      updated: 0,
      unchanged: 0,
      embedded: 0,
    });
    expect(await products.get("K-1")).toEqual(kettle);
    expect(await products.get(["L/2 ä", "never", "K-1"])).toEqual([lamp, kettle]);
    expect(await products.get("never")).toBeUndefined();
    expect(await collect(products.list())).toEqual([kettle, lamp]);
  });

  it("finds by words and by likeness, with typed filters, in pages [S25 S24]", async () => {
    const { products } = await shop();
    await products.upsert([kettle, lamp, pan]);
    const hits = await products.hybridSearch("copper", { topK: "all" });
    expect(hits.map(({ key, rank }) => [key, rank])).toEqual([
      ["P-3", 1],
      ["K-1", 2],
    ]);
    expect((await products.search("copper pan", { topK: 1 }))[0]?.record).toEqual(pan);
    const page = await products.hybridSearch("copper", { topK: 1, skip: 1 });
    expect(page.map(({ key, rank }) => [key, rank])).toEqual([["K-1", 2]]);
    const cheap = await products.hybridSearch("copper", { filter: { price: { lt: 60 }, brand: "Hearth" } });
    expect(cheap.map(({ key }) => key)).toEqual(["K-1"]);
    const either = await collect(
      products.list({ filter: { or: [{ soldOut: true }, { tags: { hasElement: "copper" }, price: { gt: 60 } }] } }),
    );
    expect(either).toEqual([lamp, pan]);
  });

  it("is cited like every document, and every verb reaches its records [S10 L2 L8]", async () => {
    const { kb, products } = await shop();
    await products.upsert([kettle, lamp, pan]);
    const answer = await kb.ask("What does the kettle do when the water boils?");
    const [citation] = answer.citations;
    expect(citation?.uri).toBe(products.uriOf("K-1"));
    const document = await kb.document(products.uriOf("K-1"));
    expect(document?.text).toBe("Copper kettle\n\nIt whistles when the water boils.");
    expect(document?.text.slice(citation!.start, citation!.end)).toContain("whistles");
    const lucene = await kb.search("+copper -pan", { syntax: "lucene", filter: { _collection: "products" } });
    expect(lucene.map(({ source }) => source.uri)).toEqual([products.uriOf("K-1")]);

    expect(await products.delete("K-1")).toBe(1);
    expect(await products.get("K-1")).toBeUndefined();
    await kb.restore(products.uriOf("K-1"));
    expect(await products.get("K-1")).toEqual(kettle);
    expect(await products.delete(["K-1", "P-3"], { purge: true })).toBe(2);
    expect(await kb.restore(products.uriOf("K-1"))).toEqual([]);
    expect((await kb.doctor()).findings).toEqual([]);
    await kb.delete({ filter: { brand: "Lumen" } });
    expect(await collect(products.list())).toEqual([]);
    await kb.reset("deployment");
    expect(await products.exists()).toBe(false);
    expect((await kb.doctor()).findings).toEqual([]);
  });

  it("writes and embeds nothing for what has not changed [S25 L7]", async () => {
    const model = letterModel("letters", "aeiou");
    const kb = await home.open({ models: { embedding: model } });
    const products = kb.collection("products", definition);
    expect(await products.upsert([kettle, lamp])).toMatchObject({ added: 2, embedded: 2 });
    expect(await products.upsert([kettle, { ...lamp, price: 75 }])).toMatchObject({
      updated: 1,
      unchanged: 1,
      embedded: 0,
    });
    expect(await products.upsert([{ ...kettle, name: "Tin kettle" }])).toMatchObject({ updated: 1, embedded: 1 });
    expect(model.asked).toHaveLength(3);
    expect(await products.get("L/2 ä")).toEqual({ ...lamp, price: 75 });
  });
});
