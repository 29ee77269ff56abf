import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KnowledgeBase, openKnowledgeBase } from "ibid";
import {
  createMemoryPlugin,
  createTemplate,
  createTextMemory,
  createTextSearchPlugin,
  type MemoryPluginOptions,
  type MemoryWrite,
} from "ibid/compat";
import { createHashingModel } from "ibid/models";
import { createMemoryBlobStore, createMemoryStore, fromVectorStore } from "ibid/stores";
import { createScriptedChatModel } from "ibid/testing";
import { callTools, toChatTool } from "ibid/tools";
import { all, equal, holds, refuses, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";
import { object } from "../schema.ts";

const budget = "The company budget for 2024 is ninety thousand.";
const withKb = <Result>(use: (kb: KnowledgeBase) => Promise<Result>): Promise<Result> => withTexts({}, use);
const render = (kb: KnowledgeBase, text: string, args = {}, options: MemoryPluginOptions = {}): Promise<string> =>
  createTemplate(text, { functions: createMemoryPlugin(kb, options).functions, trusted: true }).render(args);
const call = (kb: KnowledgeBase, name: string, input: object, options: MemoryPluginOptions = {}): Promise<string> =>
  createMemoryPlugin(kb, options)
    .tools.find((tool) => tool.name === name)!
    .execute(input);

export const plugins = [
  prove("S3", "the same memory over other stores, chosen while the program runs", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ibid-kernel-"));
    const kept = new Map<string, readonly number[]>();
    const own = fromVectorStore({
      add: (entries) => entries.forEach(({ id, embedding }) => kept.set(id, embedding)),
      query: ({ embedding, topK }) =>
        [...kept]
          .map(([id, vector]) => ({ id, similarityScore: vector.reduce((sum, x, i) => sum + x * embedding[i]!, 0) }))
          .slice(0, topK),
      delete: (ids) => ids.forEach((id) => kept.delete(id)),
    });
    const models = { embedding: createHashingModel() };
    for (const open of [
      () => openKnowledgeBase({ models }),
      () => openKnowledgeBase({ store: createMemoryStore(), models }),
      () => openKnowledgeBase({ store: own, models }),
      () => openKnowledgeBase({ snapshots: { blobs: createMemoryBlobStore() }, models }),
      () => openKnowledgeBase(join(folder, "kb"), { models }),
    ]) {
      const kb = await open();
      equal(await render(kb, "{{save $text key='budget'}}{{recall 'company budget'}}", { text: budget }), budget);
      await kb.close();
    }
    rmSync(folder, { recursive: true });
  }),
  prove("S5", "records of any schema: no field of ours is needed, and a wrong one is refused by name", () =>
    withKb(async (kb) => {
      const schema = object({ sku: "string", words: "string", price: "number", tags: "string[]" });
      const goods = kb.collection("goods", { schema, key: "sku", text: ["words"], filterable: ["price"] });
      const lantern = { sku: "L 1", words: "A brass lantern.", price: 40, tags: ["light"] };
      await goods.upsert([lantern, { ...lantern, sku: "L 2", words: "A tin lantern.", price: 9 }]);
      equal(await goods.get("L 1"), lantern);
      equal(
        (await goods.search("lantern", { filter: { price: { gt: 10 } } })).map(({ record }) => record.sku),
        ["L 1"],
      );
      const error = await refuses("invalid-argument", () => goods.upsert({ ...lantern, price: "40" } as never));
      holds(error.message.includes("price") && error.message.includes("L 1"), error.message);
      await goods.delete("L 1");
      equal(await goods.get("L 1"), undefined);
    }),
  ),
  prove("S6", "retrieve by key, recall by meaning, save and remove, in a prompt and by a model", () =>
    withKb(async (kb) => {
      equal(
        await render(kb, "{{save $text key='b' collection='money'}}{{retrieve 'b' collection='money'}}", {
          text: budget,
        }),
        budget,
      );
      equal(
        await render(kb, "{{recall 'company budget by year' collection='money'}} What is my budget for 2024?"),
        `${budget} What is my budget for 2024?`,
      );
      equal(await render(kb, "[{{remove 'b' collection='money'}}{{retrieve 'b' collection='money'}}]"), "[]");
      await call(kb, "memory_save", { key: "c", text: "Apples are red." }, { writes: true });
      equal(await call(kb, "memory_recall", { query: "red apples" }), "Apples are red.");
      equal(await call(kb, "memory_retrieve", { key: "c" }), "Apples are red.");
      await call(kb, "memory_remove", { key: "c" }, { writes: true });
      equal(await call(kb, "memory_retrieve", { key: "c" }), "");
    }),
  ),
  prove(
    "S7",
    "a model is offered what reads; what writes only where that was chosen, and each write can be confirmed",
    () =>
      withKb(async (kb) => {
        const names = (options?: MemoryPluginOptions) => createMemoryPlugin(kb, options).tools.map(({ name }) => name);
        equal(names(), ["memory_recall", "memory_retrieve"]);
        equal(names({ writes: true }), ["memory_recall", "memory_retrieve", "memory_save", "memory_remove"]);
        const asked: MemoryWrite[] = [];
        const writes = {
          confirm: (write: MemoryWrite) => (asked.push(write), write.action === "save" || "Records stay."),
        };
        await call(kb, "memory_save", { key: "a", text: budget }, { writes });
        equal(
          await call(kb, "memory_remove", { key: "a" }, { writes }),
          "This was not allowed: nothing was removed. Records stay.",
        );
        equal(
          [(await createTextMemory(kb).get("a"))?.text, asked.map(({ action }) => action)],
          [budget, ["save", "remove"]],
        );
      }),
  ),
  prove(
    "S8",
    "a model cannot leave its collection, nor anybody their scope; a failing confirmation writes nothing",
    () =>
      withKb(async (kb) => {
        const [ada, bob] = ["acme", "zenith"].map((teamId) => kb.as({ userId: teamId, teamId }));
        await createTextMemory(ada!).save("plan", "The plan of Acme is a bridge.");
        await createTextMemory(kb).save("b", "Bananas are secret.", { collection: "secret" });
        equal(await call(bob!, "memory_recall", { query: "plan of Acme bridge" }), "");
        await call(bob!, "memory_remove", { key: "plan" }, { writes: true }).catch(() => {});
        equal((await createTextMemory(ada!).get("plan"))?.text, "The plan of Acme is a bridge.");
        for (const more of [{ collection: "secret" }, { scope: "team:acme" }, { filter: {} }])
          await refuses("invalid-argument", () => call(kb, "memory_recall", { query: "bananas", ...more }));
        const writes = { confirm: () => Promise.reject(new Error("nobody there")) };
        equal(
          await call(kb, "memory_save", { key: "n", text: "x" }, { writes }).then(
            () => "written",
            () => "refused",
          ),
          "refused",
        );
        equal(await createTextMemory(kb).get("n"), undefined);
      }),
  ),
  prove("S19", "memory as a plugin: a model asks for what it needs, and answers from it", () =>
    withKb(async (kb) => {
      await createTextMemory(kb).save("budget", budget);
      const { tools } = createMemoryPlugin(kb);
      const model = createScriptedChatModel((messages) => {
        const told = messages.at(-1)!;
        return told.role === "function"
          ? `It says: ${told.content as string}`
          : { toolCalls: [{ id: "1", name: "memory_recall", arguments: { query: "company budget 2024" } }] };
      });
      const question = { role: "user", content: "What is my budget for 2024?" } as const;
      const { message } = await model.chat([question], { tools: tools.map(toChatTool) });
      const { message: answer } = await model.chat([
        question,
        message,
        ...(await callTools(tools, message.toolCalls!)),
      ]);
      equal(answer.content, `It says: ${budget}`);
    }),
  ),
  prove(
    "S20",
    'collection generic, relevance 0, limit 1; nothing is "", one is its text, more are a JSON array; blanks are errors',
    () =>
      withKb(async (kb) => {
        await createTextMemory(kb).save("new", budget);
        await createTextMemory(kb).save("old", "The company budget for 2023 was eighty thousand.");
        equal((await createTextMemory(kb).get("new"))?.collection, "generic");
        equal(await render(kb, "{{recall 'company budget 2024'}}"), budget);
        equal((JSON.parse(await render(kb, "{{recall 'company budget 2024' limit='2'}}")) as unknown[]).length, 2);
        equal(
          await render(kb, "[{{recall 'zebra'}}|{{recall 'company budget' relevance='99'}}|{{retrieve 'never'}}]"),
          "[||]",
        );
        for (const text of [
          "{{recall ' '}}",
          "{{recall 'x' collection=' '}}",
          "{{retrieve ''}}",
          "{{save '' key='a'}}",
          "{{save 'text'}}",
          "{{remove ' '}}",
        ])
          await refuses("invalid-argument", () => render(kb, text));
      }),
  ),
  prove(
    "S21",
    "texts and references are saved; a key gives its record at relevance 1; a collection comes with its first text",
    () =>
      withKb(async (kb) => {
        const texts = createTextMemory(kb);
        equal(await texts.search("anything", { collection: "missing" }), []);
        equal(
          await texts.save("a", "Apples are red.", {
            collection: "fruit",
            description: "apples",
            metadata: { year: 2024 },
          }),
          "a",
        );
        equal(await texts.collections(), ["fruit"]);
        const got = await texts.get("a", { collection: "fruit" });
        equal(
          [got?.relevance, got?.text, got?.description, got?.isReference, got?.metadata],
          [1, "Apples are red.", "apples", false, { year: 2024 }],
        );
        await texts.saveReference(
          { text: "How holidays are applied for", externalId: "wiki/7", externalSource: "the wiki" },
          { description: "holidays" },
        );
        const [found] = await texts.search("apply for holidays");
        equal([found?.key, found?.text, found?.isReference, found?.externalSource], ["wiki/7", "", true, "the wiki"]);
        await texts.save("a", "Apples are green.", { collection: "fruit" });
        equal((await all(kb.list())).length, 2);
      }),
  ),
  prove(
    "S27",
    "search functions for models: texts, results, or what is kept; two unless more are asked for, from where it is said",
    () =>
      withTexts({ one: "Keys are red.", two: "Keys are blue.", three: "Keys hang in the hall." }, async (kb) => {
        const { tools, functions } = createTextSearchPlugin(kb);
        equal(
          tools.map(({ name }) => name),
          ["Search", "GetTextSearchResults", "GetSearchResults"],
        );
        const run = async (name: string, input: object): Promise<readonly never[]> =>
          JSON.parse(await tools.find((tool) => tool.name === name)!.execute(input)) as readonly never[];
        const three = await run("Search", { query: "keys", count: 3 });
        equal(
          [three.length, new Set<string>(three)],
          [3, new Set(["Keys are red.", "Keys are blue.", "Keys hang in the hall."])],
        );
        equal(await run("Search", { query: "keys" }), three.slice(0, 2));
        equal(await run("Search", { query: "keys", skip: 2 }), three.slice(2));
        equal(await run("GetTextSearchResults", { query: "blue", count: 1 }), [
          { name: "two", value: "Keys are blue.", link: "two" },
        ]);
        equal(
          (await run("GetSearchResults", { query: "blue", count: 1 })).map(
            ({ text, source }: { text: string; source: { uri: string } }) => [text, source.uri],
          ),
          [["Keys are blue.", "two"]],
        );
        for (const { name } of tools) equal(await run(name, { query: "" }), []);
        equal(
          await createTemplate("{{docs.Search 'blue keys' count='1'}}", {
            plugins: { docs: functions },
            trusted: true,
          }).render(),
          '["Keys are blue."]',
        );
      }),
  ),
];
