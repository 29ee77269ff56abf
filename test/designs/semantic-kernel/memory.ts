import type { openKnowledgeBase } from "ibid";
import {
  createMemoryPlugin,
  createTemplate,
  createTextMemory,
  createTextSearchPlugin,
  createTextSearchProvider,
  withMemory,
} from "ibid/compat";
import { createHashingModel } from "ibid/models";
import { createMemoryStore } from "ibid/stores";
import { openSqliteStore } from "ibid/stores/sqlite";
import { createScriptedChatModel } from "ibid/testing";
import * as z from "zod";
import { fixed } from "../fixed.ts";
import { all, equal, matches, refuses, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

const budget = "My budget for 2024 is 100,000 dollars.";
const question = "What is my budget for 2024?";
const echo = () => createScriptedChatModel((messages) => JSON.stringify(messages));
const products = z.object({
  sku: z.string(),
  name: z.string(),
  description: z.string(),
  brand: z.string(),
  price: z.number(),
});
const kettle = { sku: "K-1", name: "Copper kettle", description: "It whistles.", brand: "Hearth", price: 49 };
const pan = { sku: "P-2", name: "Copper pan", description: "It needs polishing.", brand: "Hearth", price: 65 };
const withProducts = <Result>(
  use: (collection: ReturnType<typeof open>, kb: Awaited<ReturnType<typeof openKnowledgeBase>>) => Promise<Result>,
): Promise<Result> =>
  withTexts(
    {},
    async (kb) => {
      const collection = open(kb);
      await collection.upsert([kettle, pan]);
      return use(collection, kb);
    },
    { models: { embedding: createHashingModel() } },
  );
const open = (kb: Awaited<ReturnType<typeof openKnowledgeBase>>) =>
  kb.collection("products", {
    schema: products,
    key: "sku",
    text: ["name", "description"],
    vectors: { description: {} },
    filterable: ["brand", "price"],
  });

export const memory = [
  prove("S1", "a prompt recalls from memory, whichever store is behind it", async () => {
    for (const store of [createMemoryStore(), await openSqliteStore(":memory:").catch(() => createMemoryStore())])
      await withTexts(
        {},
        async (kb) => {
          await createTextMemory(kb).save("b", `Company budget by year: ${budget}`);
          const text = await createTemplate("{{recall 'company budget by year'}} What is my budget for 2024?", {
            functions: createMemoryPlugin(kb).functions,
          }).render();
          equal(text, `Company budget by year: ${budget} ${question}`);
        },
        { store },
      );
  }),
  prove("S5", "records of any schema", () =>
    withProducts(async (collection) => {
      equal((await collection.get("P-2"))?.price, 65);
      await refuses("invalid-argument", () => collection.upsert({ ...pan, price: "x" } as never));
    }),
  ),
  prove("S17", "asynchronous render filters: in by their order, out by its reverse", async () => {
    const order: string[] = [];
    const filter =
      (name: string) => async (context: { renderedPrompt: string | undefined }, next: () => Promise<void>) => {
        order.push(`${name} in`);
        await Promise.resolve();
        await next();
        order.push(`${name} out`);
        if (name === "1") context.renderedPrompt = `Data. ${context.renderedPrompt}`;
      };
    equal(await createTemplate("Ask.", { filters: [filter("1"), filter("2"), filter("3")] }).render(), "Data. Ask.");
    equal(order, ["1 in", "2 in", "3 in", "3 out", "2 out", "1 out"]);
  }),
  prove("S18", "memory in the settings of a request: relevance, limit, temperature", () =>
    withTexts({ a: budget, b: "Soup is served." }, async (kb) => {
      const model = echo();
      const { message } = await withMemory(model).chat(
        { role: "user", content: question },
        { temperature: 0.8, memory: { store: kb, minRelevanceScore: 0.1, limit: 1 } },
      );
      matches(message.content ?? "", /100,000/u);
      equal(model.calls[0]?.options.temperature, 0.8);
      equal(JSON.stringify(model.calls[0]?.messages).includes("Soup"), false);
    }),
  ),
  prove("S22", "what is missing: removing does nothing, a limit of none is empty, the score is inclusive", () =>
    withTexts(
      {},
      async (kb) => {
        const texts = createTextMemory(kb);
        await texts.remove("nothing");
        await texts.save("a", budget);
        await texts.save("a", budget);
        const [found] = await texts.search("budget");
        equal((await texts.search("budget", { minRelevanceScore: found!.relevance })).length, 1);
        equal((await texts.search("budget", { minRelevanceScore: found!.relevance + 1e-6 })).length, 0);
        equal(found?.embedding, undefined);
      },
      { models: { embedding: createHashingModel() } },
    ),
  ),
  prove("S24", "collections apart from records; strings, results and records; words beside a vector", () =>
    withProducts(async (collection, kb) => {
      equal(await kb.collections(), [{ name: "products", scope: "deployment" }]);
      equal((await collection.hybridSearch("copper kettle", { topK: 1 }))[0]?.record.sku, "K-1");
      const { functions } = createTextSearchPlugin(kb);
      const results = await functions["GetTextSearchResults"]!("kettle", {}, {});
      matches(JSON.stringify(results), /kettle/u);
    }),
  ),
  prove("S25", "collections of typed records: ensure, get, upsert, delete, search, drop", () =>
    withProducts(async (collection, kb) => {
      equal(
        [
          await collection.exists(),
          await kb.collection("other", { schema: products, key: "sku", text: ["name"] }).exists(),
        ],
        [true, false],
      );
      equal((await collection.get(["K-1", "P-2", "X"])).length, 2);
      equal((await collection.search("polishing", { topK: 1, vectorProperty: "description" }))[0]?.record.sku, "P-2");
      equal(
        (await collection.search("copper", { filter: { price: { lt: 60 } } })).map(({ record }) => record.sku),
        ["K-1"],
      );
      equal((await collection.search("copper", { topK: 1, skip: 1 })).length, 1);
      equal([await collection.delete(["K-1", "X"]), await collection.drop(), await collection.exists()], [1, 1, false]);
      await refuses("invalid-argument", () => collection.search("x", { topK: 0 }));
    }),
  ),
  prove(
    "S25",
    "records by a vector, in an order, by the metric of a field; strict rules; errors that name the collection",
    () =>
      withTexts(
        {},
        async (kb) => {
          const definition = {
            schema: products,
            key: "sku",
            text: ["name", "description"],
            filterable: ["brand", "price"],
          } as const;
          const collection = kb.collection("products", {
            ...definition,
            vectors: { description: { metric: "manhattan", index: "flat" } },
          });
          await collection.upsert([kettle, pan]);
          const skus = (found: readonly { readonly record: { readonly sku: string } }[]) =>
            found.map(({ record }) => record.sku);
          const near = { vectorProperty: "description" } as const;
          equal(skus(await collection.vectorSearch([0, 1], near)), ["P-2", "K-1"]);
          equal(skus(await collection.vectorSearch([0, 1], { ...near, filter: { price: { lt: 60 } } })), ["K-1"]);
          equal(skus(await collection.vectorSearch([0, 1], { ...near, topK: 1, skip: 1 })), ["K-1"]);
          equal((await collection.vectorSearch([0.5, 3], near))[0]?.score, 1 / (1 + 2.5));
          equal((await collection.vectorSearch([0, 3], { ...near, metric: "dot" }))[0]?.score, 3);
          equal((await collection.search("pan", near))[0]?.score, 1);
          const wrong = await refuses("dimension-mismatch", () => collection.vectorSearch([1, 2, 3]));
          equal(wrong.message, "products: dimension mismatch: expected 2, got 3");
          const { store, operation, collection: named } = wrong.details;
          equal([store, operation, named], ["The memory store", "vectorSearch", "products"]);
          equal(
            (await all(collection.list({ orderBy: { field: "price", direction: "desc" } }))).map(({ sku }) => sku),
            ["P-2", "K-1"],
          );
          equal(
            (await all(collection.list({ orderBy: { field: "price" }, skip: 1, topK: 1 }))).map(({ sku }) => sku),
            ["P-2"],
          );
          const strict = kb.collection("products", {
            ...definition,
            vectors: { description: { metric: "manhattan" } },
            strict: true,
          });
          await refuses("invalid-argument", () => strict.search("pan"));
          await refuses("invalid-argument", () => strict.search("pan", { ...near, includeEmbeddings: true }));
          equal(skus(await strict.search("pan", { ...near, topK: 1 })), ["P-2"]);
          await refuses("invalid-argument", () =>
            kb.collection("x", { ...definition, vectors: { description: { index: "hnsw" } } }),
          );
        },
        {
          models: {
            embedding: fixed({
              pan: [0, 1],
              [kettle.name]: [1, 0],
              [pan.name]: [0, 1],
              [kettle.description]: [1, 0],
              [pan.description]: [0, 1],
            }),
          },
        },
      ),
  ),
  prove("S26", "a provider that injects what the messages ask for, or offers a tool", () =>
    withTexts({ "a.md": budget }, async (kb) => {
      const { instructions } = await createTextSearchProvider(kb).beforeCall({ role: "user", content: question });
      matches(
        instructions,
        /^## Additional Context\nConsider the following information from source documents when responding to the user:/u,
      );
      matches(instructions, /SourceDocName: .*\nSourceDocLink: .*\nContents: [\s\S]*----/u);
      const { tools } = await createTextSearchProvider(kb, { searchTime: "OnDemandFunctionCalling" }).beforeCall({
        role: "user",
        content: question,
      });
      equal(
        tools.map(({ name }) => name),
        ["Search"],
      );
      equal((await createTextSearchProvider(kb).beforeCall({ role: "user", content: "zeppelin?" })).instructions, "");
    }),
  ),
];
