import { openKnowledgeBase } from "ibid";
import { createMemoryPlugin, createTextMemory } from "ibid/compat";
import { createFixedEmbeddingModel } from "ibid/testing";
import { composeStore, createMemoryStore } from "ibid/stores";
import { equal, holds, withTexts } from "../kit.ts";
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
    const inner = createMemoryStore();
    holds(composeStore !== undefined);
    const kb = await openKnowledgeBase({ store: inner });
    await kb.ready();
    equal((await kb.ingest([{ uri: "a", text: "Bees." }])).added, 1);
    await kb.close();
  }),
];
