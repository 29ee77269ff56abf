/**
 * Embabel's own domain: projects and employees, their relationships, and a navigator that follows them, each caller as far as they may read.
 *
 * | Embabel | ibid |
 * |---|---|
 * | `interface Project : NamedEntity { @Relationship(name = "HAS_CONTRIBUTOR") fun getContributors() … }` | `defineEntityType({ label, schema, relationships })` |
 * | `NamedEntityData` with `properties`, `toTypedInstance()`, `toInstance(…interfaces)` | an entity as data, `toInstance(entity, …types)` |
 * | `RelationshipDirection.OUTGOING`, `INCOMING`, `BOTH` | `"outgoing"`, `"incoming"`, `"both"` |
 * | `RelationshipNavigator.findRelated(source, name, direction)` | `findRelated(source, name, direction)`, read as far as it is followed |
 * | `EntityFilter.HasAnyLabel` | `hasAnyLabel(…)`, or `labels` of a search |
 * | `Retrievable` with its `infoString` | `describeForModel(item)` |
 *
 *     npm run build && npx node examples/seeds/embabel-entities.ts
 */
import { openKnowledgeBase } from "ibid";
import { defineEntityType, openEntities } from "ibid/records";
import * as z from "zod";
import { check } from "../check.ts";

const Project = defineEntityType({
  label: "Project",
  schema: z.object({}),
  relationships: { contributors: { name: "HAS_CONTRIBUTOR" }, dependencies: { name: "DEPENDS_ON" } },
});
const Employee = defineEntityType({
  label: "Employee",
  schema: z.object({ department: z.string(), role: z.string() }),
  relationships: { projects: { name: "WORKS_ON" } },
});

const kb = await openKnowledgeBase();
const open = (view: typeof kb) => openEntities(view, "company", { types: [Project, Employee] });
const company = open(kb);
const project = (id: string, name: string, description: string) => ({ id, name, description, labels: ["Project"] });
const employee = (id: string, name: string, department: string, role: string) => ({
  id,
  name,
  description: `${role} in ${department}.`,
  labels: ["Employee"],
  properties: { department, role },
});
await company.upsert([
  project("search", "Search", "Finds passages in the company's documents."),
  project("index", "Index", "Keeps the words that Search looks up."),
  employee("ada", "Ada", "Engines", "Lead"),
  employee("nils", "Nils", "Lights", "Keeper"),
]);
// Only the north team may know this: a project of its own, and who works on it.
const secret = { scope: "team:north" } as const;
await company.upsert(project("comet", "Comet", "A search engine that nobody has heard of."), secret);
await company.relate([
  { from: "search", name: "HAS_CONTRIBUTOR", to: "ada" },
  { from: "search", name: "HAS_CONTRIBUTOR", to: "nils" },
  { from: "search", name: "DEPENDS_ON", to: "index" },
  { from: "ada", name: "WORKS_ON", to: "search" },
  { from: "nils", name: "WORKS_ON", to: "search" },
  // One end is the team's alone, and so is this.
  { from: "ada", name: "WORKS_ON", to: "comet" },
]);

async function idsOf(entities: AsyncIterable<{ readonly id: string }>): Promise<readonly string[]> {
  const ids = [];
  for await (const { id } of entities) ids.push(id);
  return ids;
}

const search = await company.toInstance("search", Project);
check("contributors", await idsOf(search!.contributors()), ["ada", "nils"]);
check("dependencies", await idsOf(search!.dependencies()), ["index"]);
check("who depends on it", await idsOf(company.findRelated("index", "DEPENDS_ON", "incoming")), ["search"]);
for await (const contributor of search!.contributors()) {
  const person = await company.toInstance(contributor, Employee);
  check(`${person?.name}'s department`, person?.department, person?.id === "ada" ? "Engines" : "Lights");
}

const [north, guest] = [open(kb.as({ userId: "eva", teamId: "north" })), open(kb.as({ userId: "guest" }))];
const projectsOf = async (entities: typeof company) => idsOf((await entities.toInstance("ada", Employee))!.projects());
check("Ada's projects, as her team sees them", await projectsOf(north), ["comet", "search"]);
check("and as a guest does", await projectsOf(guest), ["search"]);
check("what a guest is told of the other", await idsOf(guest.findRelated("comet", "WORKS_ON", "incoming")), []);
const found = async (entities: typeof company) =>
  (await entities.search("search engine", { labels: ["Project"] })).map(({ entity }) => entity.id);
check("found by the team", (await found(north)).includes("comet"), true);
check("found by a guest", (await found(guest)).includes("comet"), false);

await company.delete("ada");
check("contributors that are left", await idsOf(search!.contributors()), ["nils"]);
await company.restore("ada");
check("and when one is back", await idsOf(search!.contributors()), ["ada", "nils"]);
await kb.close();
