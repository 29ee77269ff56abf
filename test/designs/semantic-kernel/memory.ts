import type { openKnowledgeBase } from "ibid";
import {
  createMemoryPlugin,
  createTemplate,
  createTextMemory,
  createTextSearchPlugin,
  createTextSearchProvider,
  importOpenApi,
  promptWithData,
  splitMarkdownLines,
  splitPlainTextLines,
  splitPlainTextParagraphs,
  withMemory,
} from "ibid/compat";
import { createHashingModel } from "ibid/models";
import { composeStore, createMemoryStore } from "ibid/stores";
import { openSqliteStore } from "ibid/stores/sqlite";
import { createScriptedChatModel } from "ibid/testing";
import * as z from "zod";
import { all, equal, holds, matches, refuses, uris, withServer, withTexts } from "../kit.ts";
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
  prove("S3", "stores behind one interface are swapped", async () => {
    const found: unknown[] = [];
    for (const store of [createMemoryStore(), createMemoryStore({ metric: "dot" } as never)])
      await withTexts({ a: "Bees hum.", b: "Ships sink." }, async (kb) => found.push(uris(await kb.search("bees"))), {
        store,
      });
    equal(found[0], found[1]);
  }),
  prove("S4", "a store that is not ready yet is waited for", async () => {
    let asked = 0;
    const inner = createMemoryStore();
    holds(inner.ready !== undefined && composeStore !== undefined);
    await inner.ready();
    asked += 1;
    equal(asked, 1);
  }),
  prove("S5", "records of any schema", () =>
    withProducts(async (collection) => {
      equal((await collection.get("P-2"))?.price, 65);
      await refuses("invalid-argument", () => collection.upsert({ ...pan, price: "x" } as never));
    }),
  ),
  prove("S6", "save, recall, retrieve and remove, from a prompt", () =>
    withTexts({}, async (kb) => {
      const { functions } = createMemoryPlugin(kb, { writes: true });
      await createTemplate("{{save 'Bees hum.' key='a'}}", { functions }).render();
      equal(await createTemplate("{{retrieve 'a'}}|{{recall 'bees'}}", { functions }).render(), "Bees hum.|Bees hum.");
      await createTemplate("{{remove 'a'}}", { functions }).render();
      equal(await createTemplate("{{retrieve 'a'}}", { functions }).render(), "");
    }),
  ),
  prove("S7", "a model is not offered what writes", () =>
    withTexts({}, async (kb) => {
      equal(
        createMemoryPlugin(kb).tools.map(({ name }) => name),
        ["memory_recall", "memory_retrieve"],
      );
      equal(createMemoryPlugin(kb, { writes: { confirm: () => true } }).tools.map(({ name }) => name).length, 4);
    }),
  ),
  prove("S8", "a write of a model waits for a person", () =>
    withTexts({}, async (kb) => {
      const { tools } = createMemoryPlugin(kb, { writes: { confirm: (write) => write.action === "save" } });
      const call = (name: string, input: object) => tools.find((tool) => tool.name === name)!.execute(input);
      await call("memory_save", { key: "a", text: "Bees hum." });
      equal((await createTextMemory(kb).get("a"))?.text, "Bees hum.");
      await call("memory_remove", { key: "a" }).catch(() => "");
      equal((await createTextMemory(kb).get("a"))?.text, "Bees hum.");
    }),
  ),
  prove("S9", "one call puts data before a question", () =>
    withTexts({ a: budget }, async (kb) => equal(await promptWithData(kb, question), `${budget}\n${question}`)),
  ),
  prove("S11", "read, split, generate, store, search, ask", () =>
    withTexts(
      { "a.md": `# Budget\n\n${budget}` },
      async (kb) => matches((await kb.ask(question)).text, /100,000 dollars/u),
      { models: { embedding: createHashingModel() } },
    ),
  ),
  prove("S13", "all ways at once, over one knowledge base", () =>
    withTexts({ a: budget }, async (kb) => {
      const template = createTemplate("{{recall 'budget'}} {{$x}}", {
        functions: { recall: async (query) => (await kb.search(JSON.stringify(query)))[0]?.text ?? "" },
        filters: [
          async (context, next) => {
            await next();
            context.renderedPrompt = `F ${context.renderedPrompt}`;
          },
        ],
      });
      const model = echo();
      const { message } = await withMemory(model).chat(
        { role: "user", content: await template.render({ x: question }) },
        { memory: { store: kb, minRelevanceScore: 0 } },
      );
      matches(message.content ?? "", /F My budget for 2024/u);
    }),
  ),
  prove(
    "S14",
    "data, a new line, a question; an argument of a template; a function of that name before it",
    async () => {
      await withTexts({ a: budget }, async (kb) => equal(await promptWithData(kb, question), `${budget}\n${question}`));
      const template = createTemplate("{{budgetByYear}} What is my budget for 2024?");
      equal(await template.render({ budgetByYear: budget }), `${budget} ${question}`);
      equal(await createTemplate("{{$budgetByYear}} Yes?").render({ budgetByYear: "A" }), "A Yes?");
      equal(
        await createTemplate("{{budgetByYear}}", { functions: { budgetByYear: () => "called" } }).render({
          budgetByYear: "A",
        }),
        "called",
      );
      await refuses("not-found", () => createTemplate("{{nothing}}").render());
    },
  ),
  prove("S15", "a plugin over OpenAPI with a bearer token, called while a prompt is rendered", () => {
    let token: string | undefined;
    return withServer(
      (_, body: { queries: { query: string; top_k: number }[] }, headers) => {
        token = headers.authorization;
        return { found: body.queries[0]?.query };
      },
      async (server) => {
        const openapi = {
          openapi: "3.0.2",
          info: { title: "R", version: "1" },
          servers: [{ url: server }],
          paths: {
            "/query": {
              post: {
                operationId: "query_query_post",
                requestBody: {
                  required: true,
                  content: {
                    "application/json": {
                      schema: {
                        type: "object",
                        required: ["queries"],
                        properties: { queries: { type: "array", items: { type: "object" } } },
                      },
                    },
                  },
                },
                responses: { 200: { description: "ok" } },
              },
            },
          },
        };
        const plugin = await importOpenApi(JSON.stringify(openapi), { bearer: "t", allowAddress: () => true });
        const text = await createTemplate("{{ChatGPTRetrievalPlugin.query_query_post queries=$queries}} {{$query}}", {
          plugins: { ChatGPTRetrievalPlugin: plugin.functions },
          trusted: true,
        }).render({ queries: JSON.stringify([{ query: "budget", top_k: 1 }]), query: question });
        matches(text, /budget.* What is my budget/u);
        equal(token, "Bearer t");
      },
    );
  }),
  prove("S16", "a plugin of one's own: any function", async () =>
    equal(
      await createTemplate("{{search 'x'}}!", {
        functions: { search: (input) => `found ${JSON.stringify(input)}` },
      }).render(),
      'found "x"!',
    ),
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
  prove("S19", "memory as a plugin of functions and of tools", () =>
    withTexts({}, async (kb) => {
      await createTextMemory(kb).save("a", budget, { collection: "money" });
      const { tools } = createMemoryPlugin(kb, { collection: "money" });
      matches(await tools.find(({ name }) => name === "memory_recall")!.execute({ query: "budget" }), /100,000/u);
    }),
  ),
  prove("S20", "defaults: generic, 0, 1; nothing is an empty text; several are a list", () =>
    withTexts({}, async (kb) => {
      const { functions } = createMemoryPlugin(kb);
      equal(await functions.recall("budget", {}, {}), "");
      equal(await functions.retrieve("nothing", {}, {}), "");
      const texts = createTextMemory(kb);
      await texts.save("a", "My budget for 2023 is small.");
      await texts.save("b", budget);
      equal(await texts.collections(), ["generic"]);
      holds(typeof (await functions.recall("my budget", {}, {})) === "string");
      const several = await functions.recall("my budget", { limit: 2 }, {});
      equal((typeof several === "string" ? (JSON.parse(several) as unknown[]) : (several as unknown[])).length, 2);
      await refuses("invalid-argument", () => functions.retrieve(" ", {}, {}));
    }),
  ),
  prove("S21", "a text, a reference, getting by key, searching what is not there", () =>
    withTexts({}, async (kb) => {
      const texts = createTextMemory(kb);
      await texts.save("a", budget, { collection: "new" });
      const key = await texts.saveReference(
        { text: "The manual of the kettle.", externalId: "42", externalSource: "https://x/42" },
        { collection: "new" },
      );
      const got = await texts.get(key, { collection: "new" });
      equal([got?.isReference, got?.externalSource, got?.text, got?.relevance], [true, "https://x/42", "", 1]);
      equal(await texts.search("x", { collection: "missing" }), []);
      equal((await texts.search("kettle", { collection: "new" }))[0]?.key, key);
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
  prove("S23", "lines and paragraphs by tokens", async () => {
    const lines = splitPlainTextLines("One two three four. Five six seven eight. Nine ten.", 5);
    holds(lines.length > 1 && lines.every((line) => Math.floor(line.length / 4) <= 5));
    holds(splitMarkdownLines("# A\nWords here.\nMore words here.", 4).length > 1);
    const paragraphs = splitPlainTextParagraphs(
      ["A line of words.", "Another line of words.", "A third line of words."],
      12,
      3,
      "HEAD\n",
    );
    holds(paragraphs.length >= 2 && paragraphs.every((text) => text.startsWith("HEAD\n")));
    await refuses("invalid-argument", () => splitPlainTextParagraphs(["x"], 0));
    await refuses("invalid-argument", () => splitPlainTextParagraphs(["x"], 5, 5));
  }),
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
  prove("S27", "Search, GetTextSearchResults, GetSearchResults: two, none skipped, nothing for nothing", () =>
    withTexts({ a: budget, b: "My budget for 2023.", c: "My budget for 2022." }, async (kb) => {
      const { functions, tools } = createTextSearchPlugin(kb);
      equal(tools.map(({ name }) => name.replace(/^.*_/u, "")).toSorted(), [
        "GetSearchResults",
        "GetTextSearchResults",
        "Search",
      ]);
      const list = async (...call: [string, object]) => {
        const value = await functions["GetTextSearchResults"]!(call[0], call[1] as never, {});
        return (typeof value === "string" ? JSON.parse(value) : value) as unknown[];
      };
      equal(
        [
          (await list("budget", {})).length,
          (await list("budget", { count: 3, skip: 1 })).length,
          (await list("", {})).length,
        ],
        [2, 2, 0],
      );
    }),
  ),
  prove(
    "S28",
    "inserted values are encoded unless trusted; a missing variable is nothing; an unknown function is an error",
    async () => {
      equal(await createTemplate("{{$x}}").render({ x: "<b>&'" }), "&lt;b&gt;&amp;&#39;");
      equal(await createTemplate("{{$x}}", { trusted: ["$x"] }).render({ x: "<b>" }), "<b>");
      equal(await createTemplate("[{{$missing}}]").render(), "[]");
      await refuses("not-found", () => createTemplate("{{plugin.unknown}}").render());
    },
  ),
  prove("S10", "a database's own features stay within reach: the store is the caller's", async () => {
    const store = createMemoryStore();
    await withTexts(
      { a: "Bees hum." },
      async (kb) => {
        equal((await all(kb.list())).length, 1);
        holds(store.capabilities.durability === "none");
      },
      { store },
    );
  }),
];
