// Records in a vector engine, where other programs read them. Each script of this folder calls it with its engine:
//   node qdrant.ts http://127.0.0.1:6333
import { type Engine } from "ibid/stores";
import { openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";
import * as z from "zod";
import { check } from "../check.ts";

const hotel = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  stars: z.number().int(),
  city: z.string().nullable(),
});

/** Writes, reads, finds and deletes records in an engine, by words too where it takes them. */
export async function keepRecords(engine: Engine): Promise<void> {
  const kb = await openKnowledgeBase({ engine, models: { embedding: createHashingModel() } });
  const open = (view: typeof kb) =>
    view.collection("hotels of the example", {
      schema: hotel,
      key: "id",
      text: ["name", "description"],
      vectors: { description: { metric: "cosine" } },
      filterable: ["stars", "city"],
      keptIn: "engine",
    });
  const hotels = open(kb);

  await hotels.ensure({ timeoutMs: 10_000 });
  const written = await hotels.upsert([
    {
      id: "7",
      name: "Lantern Inn",
      description: "Rooms by the harbour, with a view of the boats.",
      stars: 3,
      city: "Kiel",
    },
    { id: "8", name: "Grand Alp", description: "A palace in the mountains.", stars: 5, city: "Chur" },
    { id: "9", name: 'Rose\'s "Place"', description: "A quiet house near the harbour.", stars: 4, city: null },
  ]);
  check("written", written.keys, ["7", "8", "9"]);
  check("read again, to the character", (await hotels.get("9"))?.name, 'Rose\'s "Place"');

  const near = await hotels.search("boats in the harbour", { vectorProperty: "description", topK: 1 });
  check("nearest", near[0]?.record.name, "Lantern Inn");
  const filtered = await hotels.search("the harbour", { vectorProperty: "description", filter: { stars: { gte: 4 } } });
  check("with four stars or more", filtered.map(({ key }) => key).sort(), ["8", "9"]);
  const nowhere = [];
  for await (const { id } of hotels.list({ filter: { city: null } })) nowhere.push(id);
  check("without a city", nowhere, ["9"]);

  // A caller sees the records of their own scopes.
  const [adas, bobs] = [open(kb.as({ userId: "ada" })), open(kb.as({ userId: "bob" }))];
  await adas.upsert(
    { id: "a", name: "Ada's shed", description: "Beside the harbour.", stars: 1, city: "Kiel" },
    { scope: "user:ada" },
  );
  check("Bob reads Ada's record", await bobs.get("a"), undefined);

  if (engine.capabilities.records?.words === true) {
    const both = await hotels.hybridSearch("palace", { topK: 1 });
    check("by words and vector", both[0]?.key, "8");
  }

  check("deleted", await hotels.delete(["7", "8"]), 2);
  check("dropped", await hotels.drop(), 2);
  await kb.close();
}
