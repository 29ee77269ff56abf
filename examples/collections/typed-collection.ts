// Records of a schema of your own: written, found, filtered and cited. The types follow the schema, so that a wrong field name or filter value does not compile.
import { openKnowledgeBase } from "ibid";
import { createHashingModel } from "ibid/models";
import { createTool } from "ibid/tools";
import * as z from "zod";
import { check } from "../check.ts";

const product = z.object({
  sku: z.string(),
  name: z.string(),
  description: z.string(),
  brand: z.string(),
  price: z.number().nonnegative(),
  tags: z.array(z.string()).default([]),
});

// A model that needs no key and no download; put any other in its place.
const kb = await openKnowledgeBase({ models: { embedding: createHashingModel() } });
const products = kb.collection("products", {
  schema: product,
  key: "sku",
  text: ["name", "description"],
  // Descriptions have vectors of their own, of a model of their own.
  vectors: { description: { embeddingModel: createHashingModel({ dimensions: 512 }) } },
  filterable: ["brand", "price", "tags"],
});

await products.ensure({ timeoutMs: 5_000 });
const written = await products.upsert([
  { sku: "K-1", name: "Copper kettle", description: "It whistles when the water boils.", brand: "Hearth", price: 49 },
  { sku: "P-2", name: "Copper pan", description: "Heats evenly, needs polishing.", brand: "Hearth", price: 65 },
  { sku: "L-3", name: "Reading lamp", description: "A warm light.", brand: "Lumen", price: 80, tags: ["light"] },
]);
check("written", written.keys, ["K-1", "P-2", "L-3"]);

// The same again writes nothing; of a batch with something wrong in it nothing is stored.
const kettle = await products.get("K-1");
check("a default that the schema adds", kettle?.tags, []);
const again = await products.upsert(kettle!);
check("unchanged", [again.unchanged, again.embedded], [1, 0]);
const batch = [
  { ...kettle!, sku: "K-9" },
  { ...kettle!, price: -1 },
];
const refused = await products.upsert(batch).then(
  () => "nothing",
  (error: Error) => error.message.split(":").slice(0, 3).join(":"),
);
check("refused", refused, 'products: record "K-1" does not fit the schema: price');
check("and nothing stored of it", await products.get("K-9"), undefined);

// By words and vectors together, and by the vectors of one field.
const copper = await products.hybridSearch("copper", { filter: { price: { lt: 60 }, brand: "Hearth" } });
check(
  "copper under 60",
  copper.map(({ record }) => record.name),
  ["Copper kettle"],
);
const [boiling] = await products.search("water that boils", { vectorProperty: "description", topK: 1 });
check("nearest description", [boiling?.key, boiling?.hit.source.headings], ["K-1", ["description"]]);

// A record is a document like every other: questions are answered from it, word for word.
const answer = await kb.ask("When does the kettle whistle?");
const quotes = answer.citations.map(({ uri, quote }) => [uri, quote]);
check("cited", quotes.at(-1), [products.uriOf("K-1"), "It whistles when the water boils."]);

// A plugin of one's own: no interface to implement, just a function over the collection. The price limit stays with the application.
const shop = createTool({
  name: "find_product",
  title: "Find a product",
  description: "Finds products under 70 by what they are.",
  inputSchema: z.object({ query: z.string() }),
  run: async ({ query }) => {
    const hits = await products.hybridSearch(query, { filter: { price: { lt: 70 } } });
    return hits.map(({ record }) => `${record.name}: ${record.price}`).join("\n");
  },
});
check("a plugin", await shop.execute({ query: "copper pan" }), "Copper pan: 65\nCopper kettle: 49");

// Everybody in their scopes: Ada's team has a catalogue of its own beside the common one.
const ada = kb.as({ userId: "ada", teamId: "north" }).collection("products", {
  schema: product,
  key: "sku",
  text: ["name", "description"],
  vectors: { description: { embeddingModel: createHashingModel({ dimensions: 512 }) } },
  filterable: ["brand", "price", "tags"],
});
await ada.upsert({ sku: "N-1", name: "Northern kettle", description: "For ice.", brand: "North", price: 12 });
const nils = kb.as({ userId: "nils", teamId: "south" });
check("Ada finds", (await ada.hybridSearch("kettle")).map(({ key }) => key).toSorted(), ["K-1", "N-1"]);
check(
  "Nils finds",
  (await nils.search("northern kettle")).map(({ source }) => source.uri).includes(ada.uriOf("N-1")),
  false,
);

await kb.close();
