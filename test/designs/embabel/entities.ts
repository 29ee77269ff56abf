import { openKnowledgeBase } from "ibid";
import { defineEntityType, type Entities, hasAnyLabel, openEntities } from "ibid/records";
import { all, equal, holds, refuses, uris } from "../kit.ts";
import { prove } from "../prove.ts";
import { object } from "../schema.ts";

const Project = defineEntityType({
  label: "Project",
  schema: object({}),
  relationships: { contributors: { name: "HAS_CONTRIBUTOR" }, dependencies: { name: "DEPENDS_ON" } },
});
const Employee = defineEntityType({
  label: "Employee",
  schema: object({ department: "string", role: "string" }),
  relationships: { projects: { name: "WORKS_ON" } },
});
const employee = (id: string, name: string, department: string) => ({
  id,
  name,
  description: `Works in ${department}.`,
  labels: ["Employee"],
  properties: { department, role: "Lead" },
});

/** Two projects and two employees, as in the design's own domain. */
async function withCompany<Result>(
  use: (company: Entities, kb: Awaited<ReturnType<typeof openKnowledgeBase>>) => Promise<Result>,
): Promise<Result> {
  const kb = await openKnowledgeBase();
  try {
    const company = openEntities(kb, "company", { types: [Project, Employee] });
    await company.upsert([
      {
        id: "search",
        name: "Search",
        description: "Finds passages in documents.",
        labels: ["Project"],
        uri: "https://example.com/search",
        metadata: { budget: 3 },
      },
      { id: "index", name: "Index", description: "Keeps the words of documents.", labels: ["Project"] },
      employee("ada", "Ada", "Engines"),
      employee("nils", "Nils", "Lights"),
    ]);
    await company.relate([
      { from: "search", name: "HAS_CONTRIBUTOR", to: "ada" },
      { from: "search", name: "HAS_CONTRIBUTOR", to: "nils" },
      { from: "search", name: "DEPENDS_ON", to: "index" },
      { from: "ada", name: "WORKS_ON", to: "search" },
    ]);
    return await use(company, kb);
  } finally {
    await kb.close();
  }
}
const ids = async (entities: AsyncIterable<{ readonly id: string }>): Promise<readonly string[]> =>
  (await all(entities)).map(({ id }) => id);

export const entities = [
  prove("E30", "a filter on labels: any overlap, by case, entities alone", () =>
    withCompany(async (company, kb) => {
      await kb.ingest({ uri: "note", text: "Documents about a Project.", metadata: { labels: "Project" } });
      const found = async (...labels: readonly [string, ...string[]]) =>
        uris(await kb.search("documents works", { filter: hasAnyLabel(...labels), topK: "all" })).toSorted();
      equal(await found("Project", "Nobody"), ["index", "search"].map((id) => company.uriOf(id)).toSorted());
      equal(await found("project"), []);
      equal((await company.search("documents", { labels: ["Project"] })).map(({ entity }) => entity.id).toSorted(), [
        "index",
        "search",
      ]);
      await refuses("invalid-argument", () => hasAnyLabel(...([] as never as [string])));
    }),
  ),
  prove("E32", "a named entity has id, name, description, address, metadata and labels, and is found", () =>
    withCompany(async (company) => {
      equal(await company.get("search"), {
        id: "search",
        name: "Search",
        description: "Finds passages in documents.",
        uri: "https://example.com/search",
        metadata: { budget: 3 },
        labels: ["Project", "__Entity__"].toSorted((a, b) => (a === "Project" ? 0 : 1) - (b === "Project" ? 0 : 1)),
        properties: {},
      });
      equal(
        (await company.search("passages", { mode: "lexical" })).map(({ entity }) => entity.name),
        ["Search"],
      );
      await refuses("invalid-argument", () => company.upsert({ id: "x", name: " " }));
      equal(await company.get("x"), undefined);
    }),
  ),
  prove("E34", "relationships have a name, of their own or from what they are called, and a direction", () =>
    withCompany(async (company) => {
      const { relationships } = defineEntityType({
        label: "Boss",
        schema: object({}),
        relationships: {
          getDirectReports: {},
          friends: { direction: "both" },
          project: { name: "DEPENDS_ON", direction: "incoming" },
        },
      });
      equal(relationships, {
        getDirectReports: { name: "HAS_DIRECT_REPORTS", direction: "outgoing" },
        friends: { name: "HAS_FRIENDS", direction: "both" },
        project: { name: "DEPENDS_ON", direction: "incoming" },
      });
      equal(await ids(company.findRelated("search", "HAS_CONTRIBUTOR")), ["ada", "nils"]);
      equal(await ids(company.findRelated("ada", "HAS_CONTRIBUTOR")), []);
      equal(await ids(company.findRelated("ada", "HAS_CONTRIBUTOR", "incoming")), ["search"]);
      await company.relate({ from: "index", name: "DEPENDS_ON", to: "search" });
      equal(await ids(company.findRelated("search", "DEPENDS_ON", "both")), ["index"]);
    }),
  ),
  prove("E35", "a navigator gives what is related one by one, and only what the caller may read", () =>
    withCompany(async (company, kb) => {
      for await (const { id } of company.findRelated("search", "HAS_CONTRIBUTOR")) {
        equal(id, "ada");
        await company.delete("nils");
        break;
      }
      equal(await ids(company.findRelated("search", "HAS_CONTRIBUTOR")), ["ada"]);
      equal(await ids(company.findRelated((await company.get("search"))!, "HAS_CONTRIBUTOR")), ["ada"]);
      await company.upsert({ id: "comet", name: "Comet", labels: ["Project"] }, { scope: "team:north" });
      await company.relate({ from: "ada", name: "WORKS_ON", to: "comet" });
      const seen = async (context: object) =>
        ids(openEntities(kb.as(context), "company", { types: [Project, Employee] }).findRelated("ada", "WORKS_ON"));
      equal(
        [await seen({ userId: "eva", teamId: "north" }), await seen({ userId: "guest" })],
        [["comet", "search"], ["search"]],
      );
      equal(await ids(company.findRelated("nobody", "WORKS_ON")), []);
    }),
  ),
  prove("E36", "the design's own domain: projects with contributors and dependencies, employees with projects", () =>
    withCompany(async (company) => {
      const search = await company.toInstance("search", Project);
      equal([await ids(search!.contributors()), await ids(search!.dependencies())], [["ada", "nils"], ["index"]]);
      const ada = await company.toInstance("ada", Employee);
      equal([ada?.department, ada?.role, await ids(ada!.projects())], ["Engines", "Lead", ["search"]]);
      equal(await company.toInstance("ada", Project), undefined);
    }),
  ),
  prove(
    "E41",
    "entity types of one's own: properties are checked, an object is of several types, filters name properties",
    async () => {
      const Painting = defineEntityType({
        label: "Painting",
        schema: object({ year: "number" }),
        relationships: { painters: {} },
      });
      const Painter = defineEntityType({
        label: "Painter",
        schema: object({ born: "string" }),
        relationships: { paintings: { name: "HAS_PAINTERS", direction: "incoming" } },
      });
      const Teacher = defineEntityType({ label: "Teacher", schema: object({ school: "string" }) });
      const kb = await openKnowledgeBase();
      const museum = openEntities(kb, "museum", { types: [Painting, Painter, Teacher], filterable: ["year"] });
      await museum.upsert([
        {
          id: "harbour",
          name: "Harbour",
          description: "Boats and lanterns.",
          labels: ["Painting"],
          properties: { year: 1884 },
        },
        {
          id: "still",
          name: "Still life",
          description: "Three lanterns.",
          labels: ["Painting"],
          properties: { year: 1901 },
        },
        {
          id: "anna",
          name: "Anna",
          description: "Paints.",
          labels: ["Painter", "Teacher"],
          properties: { born: "1850-02-03", school: "Skagen" },
        },
      ]);
      await museum.relate([{ from: "harbour", name: "HAS_PAINTERS", to: "anna" }]);
      const anna = await museum.toInstance("anna", Painter, Teacher);
      equal([anna?.born, anna?.school, await ids(anna!.paintings())], ["1850-02-03", "Skagen", ["harbour"]]);
      equal(await ids((await museum.toInstance("harbour", Painting))!.painters()), ["anna"]);
      equal(
        (await museum.search("lanterns", { labels: ["Painting"], filter: { year: { gte: 1900 } } })).map(
          ({ entity }) => entity.id,
        ),
        ["still"],
      );
      const error = await refuses("invalid-argument", () =>
        museum.upsert({ id: "sketch", name: "Sketch", labels: ["Painting"], properties: { year: "1884" } }),
      );
      equal(error.details["fields"], ["properties.year"]);
      holds((await museum.get("sketch")) === undefined);
      await kb.close();
    },
  ),
];
