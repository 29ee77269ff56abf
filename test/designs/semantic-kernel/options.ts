import { createTemplate, createTextSearchStore, createTextSearchProvider } from "ibid/compat";
import { matches, refuses } from "../kit.ts";
import { type KnowledgeBase, openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";
import { createMemoryPlugin, createTextMemory } from "ibid/compat";
import { createFixedEmbeddingModel } from "ibid/testing";
import { type AnyVectorStore, createMemoryBlobStore, fromVectorStore } from "ibid/stores";
import { all, equal, holds, withTexts } from "../kit.ts";
import { prove } from "../prove.ts";

const wind = () =>
  createFixedEmbeddingModel({}, { dimensions: 2, otherwise: (text) => (text.includes("north") ? [0, 1] : [1, 0]) });

export const options = [
  prove("S18", "the relevance of recall is the cosine, in hybrid mode too", () =>
    withTexts(
      {},
      async (kb) => {
        const memory = createTextMemory(kb);
        await memory.save("east", "An east wind.");
        await memory.save("north", "A north wind, wind, wind.");
        equal(
          (await memory.search("wind", { limit: 5, minRelevanceScore: 0.99 })).map(({ key, relevance }) => [
            key,
            relevance,
          ]),
          [["east", 1]],
        );
        equal(await createMemoryPlugin(kb, { relevance: 0.99 }).functions.recall("wind", {}, {}), "An east wind.");
      },
      { models: { embedding: wind() } },
    ),
  ),
  prove("S4", "a store that is not ready yet is waited for: by ready, and by an ingestion", async () => {
    const open = async (): Promise<{ kb: KnowledgeBase; asked: () => number }> => {
      let asked = 0;
      let isReady = false;
      const kept = new Map<string, readonly number[]>();
      const vectors: AnyVectorStore = {
        ready: () => (isReady = ++asked >= 3),
        add(entries) {
          if (!isReady) throw new Error("Initializing");
          for (const { id, embedding } of entries) kept.set(id, embedding);
        },
        query: () => Array.from(kept.keys(), (id) => ({ id, score: 1 })),
        delete: (ids) => ids.forEach((id) => kept.delete(id)),
      };
      const models = { embedding: createHashingModel() };
      return { kb: await openKnowledgeBase({ store: fromVectorStore(vectors), models }), asked: () => asked };
    };
    const one = await open();
    await one.kb.ready();
    equal(one.asked(), 3);
    await one.kb.close();
    const other = await open();
    equal((await other.kb.ingest([{ uri: "a", text: "Bees." }])).added, 1);
    equal(other.asked(), 3);
    await other.kb.close();
  }),
  prove("S17", "filters around a prompt and around each function, in by their order, out by its reverse", async () => {
    const order: string[] = [];
    const template = createTemplate("{{search 'bees' top='2'}}!", {
      functions: { search: (input, named) => `${JSON.stringify(input)} ${JSON.stringify(named["top"])}` },
      trusted: true,
      functionFilters: [
        async (context, next) => {
          order.push(`1 in ${context.name}`);
          context.input = "wasps";
          await next();
          context.result = `<${JSON.stringify(context.result)}>`;
          order.push("1 out");
        },
        async (_, next) => {
          order.push("2 in");
          await Promise.resolve();
          await next();
          order.push("2 out");
        },
      ],
      filters: [
        async (context, next) => {
          order.push("prompt in");
          await next();
          context.renderedPrompt = `Data. ${context.renderedPrompt}`;
        },
      ],
    });
    equal(await template.render(), 'Data. <"\\"wasps\\" \\"2\\"">!');
    equal(order, ["prompt in", "1 in search", "2 in", "2 out", "1 out"]);
    const without = createTemplate("{{search 'x'}}", {
      functions: {
        search: () => {
          throw new Error("called");
        },
      },
      functionFilters: [
        (context) => {
          context.result = "cached";
        },
      ],
    });
    equal(await without.render(), "cached");
  }),
  prove("S22", "collections are made and asked for; saving into a missing one is an error by an option", () =>
    withTexts({}, async (kb) => {
      const memory = createTextMemory(kb, { onMissingCollection: "error" });
      await refuses("not-found", () => memory.save("a", "Bees hum.", { collection: "bees" }));
      await memory.createCollection("bees");
      await memory.createCollection("bees");
      equal(
        [await memory.collectionExists("bees"), await memory.collectionExists("wasps"), await memory.collections()],
        [true, false, ["bees"]],
      );
      await memory.save("a", "Bees hum.", { collection: "bees" });
      await memory.remove("nothing", { collection: "bees" });
      const [found] = await memory.search("bees", { collection: "bees" });
      equal(
        [found?.key, found?.embedding, await memory.search("bees", { collection: "bees", limit: 0 })],
        ["a", undefined, []],
      );
      await memory.deleteCollection("bees");
      equal([await memory.collectionExists("bees"), await memory.collections()], [false, []]);
      await refuses("not-found", () => memory.deleteCollection("bees"));
      const open = createTextMemory(kb);
      await open.save("b", "Wasps sting.", { collection: "wasps" });
      equal(await open.collections(), ["wasps"]);
    }),
  ),
  prove("S26", "a provider, and a store of texts with namespaces whose text is read from its source", () =>
    withTexts({}, async (kb) => {
      const store = createTextSearchStore(kb, { namespace: "garden" });
      await store.upsert([
        { text: "Bees hum.", sourceId: "1", name: "Bees", link: "https://x/1" },
        { text: "Bees sleep.", namespaces: ["night"] },
      ]);
      equal(await store.search("bees"), [{ name: "Bees", value: "Bees hum.", link: "https://x/1" }]);
      equal(
        (await store.search("bees", { namespace: "night" })).map(({ value }) => value),
        ["Bees sleep."],
      );
      equal((await createTextSearchStore(kb).search("bees")).length, 2);
      equal(await store.search("  "), []);
      await refuses("invalid-argument", () => store.search("bees", { top: 0 }));
      const elsewhere = createTextSearchStore(kb, {
        readSource: async ({ link }) => (link === "https://x/1" ? "Read at its source." : undefined),
      });
      equal(
        (await elsewhere.search("bees")).map(({ value }) => value),
        ["Read at its source."],
      );
      const { instructions } = await createTextSearchProvider(kb, { top: 1 }).beforeCall({
        role: "user",
        content: "Do bees hum?",
      });
      matches(
        instructions,
        /^## Additional Context\nConsider the following information from source documents when responding to the user:\nSourceDocName: /u,
      );
      equal(await store.delete(["1", "2"]), 1);
      equal(await store.search("bees"), []);
    }),
  ),
  prove("S26", "a text that is not persisted is found by its vector and read from its source", async () => {
    const embedding = createFixedEmbeddingModel({}, { otherwise: (text) => [text.includes("hum") ? 1 : 0, 0.1] });
    const blobs = createMemoryBlobStore();
    const kb = await openKnowledgeBase({ models: { embedding }, snapshots: { blobs } });
    const readSource = async ({ link }: { readonly link: string }) => `Read at ${link}.`;
    const store = createTextSearchStore(kb, { persistSourceText: false, readSource, embedding });
    await store.upsert([
      { text: "Bees hum of xylophones.", sourceId: "1", name: "Insects", link: "https://x/1" },
      { text: "Cats sleep.", sourceId: "2", name: "Cats", link: "https://x/2" },
    ]);
    equal((await store.search("hum", { top: 1 }))[0], {
      name: "Insects",
      value: "Read at https://x/1.",
      link: "https://x/1",
    });
    equal((await kb.search("xylophones", { mode: "lexical" })).length, 0);
    await kb.close();
    const kept = await all(blobs.list());
    const texts = await Promise.all(
      kept.map(async ({ key }) => new TextDecoder("latin1").decode((await blobs.get(key))!.bytes)),
    );
    holds(texts.some((text) => text.includes("Insects")));
    holds(texts.every((text) => !text.includes("xylophones")));
    await refuses("invalid-argument", () => createTextSearchStore(kb, { persistSourceText: false, readSource }));
    await refuses("invalid-argument", () => createTextSearchStore(kb, { persistSourceText: false, embedding }));
  }),
];
