/**
 * Custom entity types: a museum's painters and paintings. The schema of a label checks properties when they are
 * written. An entity that fits several types is an object of all of them.
 *
 *     npm run build && npx node examples/extending/entity-types.ts
 */
import { IbidError, openKnowledgeBase } from "ibid";
import { defineEntityType, hasAnyLabel, openEntities } from "ibid/records";
import { describeForModel } from "ibid/tools";
import * as z from "zod";
import { check } from "../check.ts";

const Painting = defineEntityType({
  label: "Painting",
  schema: z.object({ year: z.number(), onLoan: z.boolean().default(false) }),
  // Without a name of its own a relationship is HAS_ and what it is called: HAS_PAINTERS.
  relationships: { painters: {} },
});
const Painter = defineEntityType({
  label: "Painter",
  schema: z.object({ born: z.coerce.date() }),
  relationships: { paintings: { name: "HAS_PAINTERS", direction: "incoming" } },
});
const Teacher = defineEntityType({
  label: "Teacher",
  schema: z.object({ school: z.string() }),
  relationships: { pupils: { name: "TEACHES" } },
});

const kb = await openKnowledgeBase();
await kb.ingest({ uri: "visit.md", text: "The harbour painting hangs in the second room, beside the lanterns." });
const museum = openEntities(kb, "museum", { types: [Painting, Painter, Teacher], filterable: ["year"] });
await museum.upsert([
  {
    id: "harbour",
    name: "Harbour at dusk",
    description: "Boats and a lighthouse in the last light.",
    labels: ["Painting"],
    properties: { year: 1884 },
  },
  {
    id: "still-life",
    name: "Still life with lanterns",
    description: "Three lanterns on a table.",
    labels: ["Painting"],
    properties: { year: 1901 },
  },
  {
    id: "anna",
    name: "Anna",
    description: "Paints boats, and teaches others to.",
    labels: ["Painter", "Teacher"],
    properties: { born: new Date("1850-02-03"), school: "Skagen" },
  },
]);
await museum.relate([
  { from: "harbour", name: "HAS_PAINTERS", to: "anna" },
  { from: "still-life", name: "HAS_PAINTERS", to: "anna" },
]);

const harbour = await museum.toInstance("harbour", Painting);
check("a default of its schema", harbour?.onLoan, false);
for await (const painter of harbour!.painters()) check("who painted it", painter.name, "Anna");
check("no painter", await museum.toInstance("harbour", Painter), undefined);

const anna = await museum.toInstance("anna", Painter, Teacher);
check("born", anna?.born.getUTCFullYear(), 1850);
check("school", anna?.school, "Skagen");
const painted = [];
for await (const { id } of anna!.paintings()) painted.push(id);
check("what she painted", painted, ["harbour", "still-life"]);

const late = await museum.search("lanterns", { labels: ["Painting"], filter: { year: { gte: 1900 } } });
check("found among late paintings", late[0]?.entity.id, "still-life");
check(
  "as a model reads it",
  describeForModel(late[0]!.entity),
  "entity: still-life (Painting)\nStill life with lanterns: Three lanterns on a table.\nyear: 1901",
);
const beside = await kb.search("lanterns", { topK: "all" });
check("documents and entities, side by side", beside.length, 2);
const only = await kb.search("lanterns", { topK: "all", filter: hasAnyLabel("Painting", "Painter") });
check("entities alone", only[0]?.source.uri, museum.uriOf("still-life"));

const refused = await museum
  .upsert({ id: "sketch", name: "Sketch", labels: ["Painting"], properties: { year: "1884" } })
  .catch((error: unknown) => error);
check("what does not fit its type", IbidError.isInstance(refused) && refused.details["fields"], ["properties.year"]);
await kb.close();
