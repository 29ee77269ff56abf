import { createTextSearchPlugin, createTextSearchProvider, createTextSearchStore, withMemory } from "ibid/compat";
import { where } from "ibid/search";
import { createFixedEmbeddingModel, createScriptedChatModel } from "ibid/testing";
import { equal, holds, matches, refuses, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { object } from "../schema.ts";

/** Texts on a circle: the number in each is its cosine with any query. */
const circle = () =>
  createFixedEmbeddingModel(
    {},
    {
      dimensions: 2,
      otherwise: (text) => {
        const cosine = Number(/\d\.\d+/u.exec(text)?.[0] ?? 1);
        return [cosine, Math.sqrt(1 - cosine * cosine)];
      },
    },
  );
const goods = object({ sku: "string", name: "string", price: "number" });

export const defaults = [
  prove("S18", "a relevance of .8 and three texts, unless the request says otherwise", () =>
    withTexts(
      { a: "0.99", b: "0.95", c: "0.90", d: "0.85", e: "0.75" },
      async (kb) => {
        const said = async (memory: object): Promise<number> => {
          const model = createScriptedChatModel((messages) => JSON.stringify(messages));
          await withMemory(model).chat(
            { role: "user", content: "Which?" },
            { memory: { store: kb, mode: "dense", ...memory } },
          );
          return (JSON.stringify(model.calls[0]?.messages).match(/0\.\d\d/gu) ?? []).length;
        };
        equal(await said({}), 3);
        equal([await said({ limit: 9 }), await said({ limit: 9, minRelevanceScore: 0.7 })], [4, 5]);
        // It may be registered once, for every request of a model.
        const model = createScriptedChatModel((messages) => JSON.stringify(messages));
        await withMemory(model, { store: kb, mode: "dense" }).chat({ role: "user", content: "Which?" });
        matches(JSON.stringify(model.calls[0]?.messages), /0\.99/u);
      },
      { models: { embedding: circle() } },
    ),
  ),
  prove("S24", "no vectors unless they are asked for, from the first on; filters by an expression", () =>
    withTexts(
      {},
      async (kb) => {
        const collection = kb.collection("goods", {
          schema: goods,
          key: "sku",
          text: ["name"],
          vectors: { name: {} },
          filterable: ["price"],
        });
        const names = ["0.99", "0.98", "0.97", "0.96"];
        await collection.upsert(names.map((name, price) => ({ sku: name, name, price })));
        const found = await collection.search("any", { topK: 3 });
        equal(
          found.map(({ record, ...rest }) => [record.sku, "embedding" in rest]),
          names.slice(0, 3).map((name) => [name, false]),
        );
        const next = await collection.search("any", { topK: 3, skip: 3, includeEmbeddings: true });
        equal([next.length, next[0]?.record.sku], [1, "0.96"]);
        holds(JSON.stringify(next).includes("0.95999") || JSON.stringify(next).includes("0.96"));
        const dear = await kb.search("any", { filter: where("price").gte(2), topK: "all" });
        equal(dear.length, 2);
        await refuses("invalid-argument", () => collection.search("any", { skip: -1 }));
        await refuses("invalid-argument", () => collection.search("any", { topK: 0 }));
        equal(
          (await collection.search("any", { minScore: 0.975, vectorProperty: "name" })).map(({ key }) => key),
          ["0.99", "0.98"],
        );
      },
      { models: { embedding: circle() } },
    ),
  ),
  prove("S25", "one record or many at once; collections by name, made when they are needed, and dropped", () =>
    withTexts({}, async (kb) => {
      const open = (name: string) =>
        kb.collection(name, { schema: goods, key: "sku", text: ["name"], filterable: ["price"] });
      equal(
        [await open("a").exists(), await open("a").get("1"), await open("a").search("lamp")],
        [false, undefined, []],
      );
      await open("a").upsert({ sku: "1", name: "A lamp", price: 1 });
      await open("b").upsert([
        { sku: "1", name: "A desk", price: 2 },
        { sku: "2", name: "A lamp", price: 3 },
      ]);
      equal(
        (await kb.collections()).map(({ name }) => name),
        ["a", "b"],
      );
      equal(
        (await open("b").get(["2", "1"])).map((record) => record?.name),
        ["A lamp", "A desk"],
      );
      equal([await open("b").delete("1"), await open("b").delete(["1", "2"])], [1, 1]);
      await open("a").drop();
      await open("a").drop();
      equal([await open("a").exists(), await open("a").get("1")], [false, undefined]);
      // A schema may name no field.
      const any = { "~standard": { version: 1, vendor: "own", validate: (value: unknown) => ({ value }) } } as const;
      const dynamic = kb.collection("dynamic", { schema: any, key: "id" as never, text: ["words"] as never });
      await dynamic.upsert({ id: "x", words: "A brass lantern.", more: { deep: [1] } });
      equal(await dynamic.get("x" as never), { id: "x", words: "A brass lantern.", more: { deep: [1] } });
    }),
  ),
  prove("S26", "three results, an instruction to cite, and a formatter of one's own in their place", () =>
    withTexts(Object.fromEntries(["a", "b", "c", "d"].map((uri) => [uri, `Bees hum ${uri}.`])), async (kb) => {
      const ask = { role: "user", content: "Do bees hum?" } as const;
      const { instructions } = await createTextSearchProvider(kb).beforeCall(ask);
      equal(instructions.match(/^SourceDocName: /gmu)?.length, 3);
      matches(instructions, /^Include citations to the source document/mu);
      const own = createTextSearchProvider(kb, {
        contextFormatter: (results) => results.map(({ value }) => value).join("|"),
        top: 2,
      });
      equal((await own.beforeCall(ask)).instructions.split("|").length, 2);
      equal((await createTextSearchStore(kb).search("bees")).length, 0);
      for (const query of ["", "  "])
        equal((await createTextSearchProvider(kb).beforeCall({ role: "user", content: query })).instructions, "");
    }),
  ),
  prove("S27", "two results from the first on, unless the model asks for more", () =>
    withTexts(Object.fromEntries(["a", "b", "c", "d"].map((uri) => [uri, `Bees hum ${uri}.`])), async (kb) => {
      const { tools } = createTextSearchPlugin(kb);
      for (const { inputSchema } of tools) {
        const shown = JSON.stringify(inputSchema["~standard"].jsonSchema.input({ target: "draft-2020-12" }));
        matches(shown, /"count":\{[^}]*"default":2/u);
        matches(shown, /"skip":\{[^}]*"default":0/u);
      }
    }),
  ),
];
