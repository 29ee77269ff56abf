import type {
  Entities,
  EntityType,
  NewEntity,
  Relationship,
  RelationshipDirection,
} from "../../src/contracts/entity.ts";
import type { StandardSchema } from "../../src/contracts/schema.ts";
import type { AccessContext } from "../../src/contracts/scope.ts";
import { collect, equal, throwsCode } from "../../src/testing/assert.ts";
import { type ContractCase, defineCases } from "../../src/testing/contract-case.ts";

/**
 * How the pack gets entities of its own.
 */
export interface EntitiesSubject {
  /** Where nothing is kept yet: the operator's entities, and everybody else's view of the same. */
  open(options: {
    readonly types: readonly EntityType[];
    readonly filterable: readonly string[];
  }): Promise<(who?: AccessContext) => Entities>;
}

/** Properties of which some are texts. */
function texts<Name extends string>(...names: readonly Name[]): StandardSchema<Readonly<Record<Name, string>>> {
  const validate = (given: unknown) => {
    const missing = names.filter((name) => typeof (given as Record<string, unknown>)[name] !== "string");
    if (missing.length > 0) return { issues: missing.map((name) => ({ message: "is no text", path: [name] })) };
    const values = names.map((name) => [name, (given as Record<string, unknown>)[name]]);
    return { value: Object.fromEntries(values) as Readonly<Record<Name, string>> };
  };
  return { "~standard": { version: 1, vendor: "ibid", validate } };
}

const Employee = {
  label: "Employee",
  schema: texts("department", "role"),
  relationships: {
    projects: { name: "WORKS_ON", direction: "outgoing" },
    colleagues: { name: "KNOWS", direction: "both" },
  },
} as const satisfies EntityType;
const Manager = {
  label: "Manager",
  schema: texts("budget"),
  relationships: { reports: { name: "REPORTS_TO", direction: "incoming" } },
} as const satisfies EntityType;

const ada: NewEntity = {
  id: "ada",
  name: "Ada",
  description: "Writes programs for machines.",
  uri: "https://example.org/ada",
  metadata: { source: "letters" },
  labels: ["Employee", "Manager"],
  properties: { department: "Engines", role: "lead", budget: "none", born: 1815 },
};
const nils: NewEntity = {
  id: "nils / ä",
  name: "Nils",
  description: "Keeps the lanterns.",
  labels: ["Employee"],
  properties: { department: "Lights", role: "keeper" },
};
const engine: NewEntity = { id: "engine", name: "The engine", labels: ["Project"] };

const edge = (from: string, name: string, to: string): Relationship => ({ from, name, to });

/**
 * What every {@link Entities} promises: typed where types fit, found by label, led on to what the caller may read and to nothing else.
 */
export function createEntitiesPack(subject: EntitiesSubject): readonly ContractCase[] {
  const open = () => subject.open({ types: [Employee, Manager], filterable: ["department"] });
  const related = async (
    entities: Entities,
    from: string,
    name: string,
    direction?: RelationshipDirection,
  ): Promise<readonly string[]> => (await collect(entities.findRelated(from, name, direction))).map(({ id }) => id);

  return defineCases("entities", [
    [
      "kept-as-given",
      "E9 E10 E32 E33",
      async () => {
        const entities = (await open())();
        equal(await entities.get("ada"), undefined, "an entity of a collection that is not there");
        await entities.upsert([ada, nils, engine]);
        equal(await entities.get("ada"), { ...ada, labels: ["Employee", "Manager", "__Entity__"] }, "an entity");
        const bare = { ...engine, description: "", metadata: {}, properties: {}, labels: ["Project", "__Entity__"] };
        equal(await entities.get("engine"), bare, "what has a default");
        equal((await entities.upsert(ada)).unchanged, 1, "the same again");
        const [hit] = await entities.search("machines", { mode: "lexical" });
        equal(hit?.entity.id, "ada", "what was found");
        equal(hit?.hit.text, "Ada: Writes programs for machines.", "what is embedded");
        await throwsCode(() => entities.upsert({ ...nils, properties: {} }), "invalid-argument", "a type's schema");
        await throwsCode(() => entities.upsert({ ...nils, name: " " }), "invalid-argument", "a blank name");
      },
    ],
    [
      "found-by-label-and-filter",
      "E30",
      async () => {
        const entities = (await open())();
        await entities.upsert([ada, nils, engine]);
        const found = async (labels: readonly string[]) =>
          (await entities.search("ada nils engine", { labels, topK: "all" })).map(({ entity }) => entity.id).toSorted();
        equal(await found(["Manager", "Project"]), ["ada", "engine"], "any of the labels");
        equal(await found(["manager", "Employees"]), [], "labels are told apart by case, and whole");
        equal(await found(["__Entity__"]), ["ada", "engine", "nils / ä"], "every entity");
        const listed = entities.list({ labels: ["Employee"], filter: { department: "Lights" } });
        equal(
          (await collect(listed)).map(({ id }) => id),
          ["nils / ä"],
          "with a filter beside",
        );
        await throwsCode(() => entities.search("ada", { labels: [] }), "invalid-argument", "no label");
        await throwsCode(() => entities.search("ada", { filter: { born: 1815 } }), "invalid-filter", "not declared");
      },
    ],
    [
      "objects-of-their-types",
      "E33 E34",
      async () => {
        const entities = (await open())();
        await entities.upsert([ada, nils, engine]);
        await entities.relate([edge("ada", "WORKS_ON", "engine"), edge("nils / ä", "REPORTS_TO", "ada")]);
        const both = await entities.toInstance("ada", Employee, Manager);
        equal([both?.department, both?.budget, both?.name], ["Engines", "none", "Ada"], "properties of both types");
        const met = [await collect(both!.projects()), await collect(both!.reports())].flat().map(({ id }) => id);
        equal(met, ["engine", "nils / ä"], "what the types lead to");
        equal(await entities.toInstance("nils / ä", Employee, Manager), undefined, "a label that it lacks");
        const data = await entities.get("ada");
        equal(
          await entities.toInstance({ ...data!, properties: { department: 7 } }, Employee),
          undefined,
          "what does not fit",
        );
        equal(await entities.toInstance("nobody", Employee), undefined, "what is not there");
      },
    ],
    [
      "led-on-by-name-and-direction",
      "E34 E35",
      async () => {
        const entities = (await open())();
        const ids = ["a", "b", "c", "d"];
        await entities.upsert(ids.map((id) => ({ id, name: id })));
        const edges = ["ab", "ac", "bd", "cd", "da", "aa", "ba"].map((pair) => edge(pair[0]!, "TO", pair[1]!));
        await entities.relate([...edges, ...edges, edge("a", "NOT TO", "d"), edge("a", "TO", "nowhere")]);
        equal(await related(entities, "a", "TO"), ["a", "b", "c"], "outgoing is the default");
        equal(await related(entities, "a", "TO", "incoming"), ["a", "b", "d"], "incoming");
        equal(await related(entities, "d", "TO", "both"), ["a", "b", "c"], "both");
        equal(await related(entities, "a", "TO", "both"), ["a", "b", "c", "d"], "each once");
        equal(await related(entities, "a", "NOT"), [], "another name");
        await entities.unrelate([edge("a", "TO", "b"), edge("c", "TO", "b")]);
        equal(await related(entities, "a", "TO"), ["a", "c"], "taken back, from its start");
        equal(await related(entities, "b", "TO", "incoming"), [], "and from its end");
        equal(await related(entities, "a", "TO", "both"), ["a", "c", "b", "d"], "but not the other way round");
        const error = "invalid-argument";
        await throwsCode(() => collect(entities.findRelated("a", "TO", "OUTGOING" as never)), error, "no direction");
      },
    ],
    [
      "only-to-what-may-be-read",
      "E35 T8 T26 L3",
      async () => {
        const entities = await open();
        const [all, north, south] = [entities(), entities({ teamId: "north" }), entities({ teamId: "south" })];
        await all.upsert(engine);
        await north.upsert(ada);
        await all.relate(edge("ada", "WORKS_ON", "engine"));
        await all.relate([edge("engine", "HAS", "ada"), edge("ada", "KNOWS", "engine")], { scope: "deployment" });
        await south.upsert(nils);
        equal(await related(north, "engine", "HAS"), ["ada"], "to one's own");
        equal(await related(north, "engine", "WORKS_ON", "incoming"), ["ada"], "in the scope of its narrower end");
        for (const [name, direction] of [
          ["HAS", "outgoing"],
          ["KNOWS", "incoming"],
          ["WORKS_ON", "incoming"],
        ] as const)
          equal(await related(south, "engine", name, direction), [], `${name} to another team's`);
        equal(await related(south, "ada", "KNOWS"), [], "from another team's");
        await throwsCode(() => all.relate(edge("ada", "KNOWS", nils.id)), "invalid-argument", "ends apart");
        await throwsCode(
          () => south.relate(edge("x", "Y", "z"), { scope: "deployment" }),
          "access-denied",
          "not theirs",
        );
      },
    ],
    [
      "gone-with-its-relationships",
      "E35 L8",
      async () => {
        const entities = (await open())();
        await entities.upsert([ada, nils, engine]);
        await entities.relate([
          edge("ada", "KNOWS", nils.id),
          edge("engine", "HAS", "ada"),
          edge("ada", "WORKS_ON", "engine"),
        ]);
        equal(await entities.delete(["ada", "ada"]), 1, "one went");
        equal(await related(entities, "engine", "HAS"), [], "outgoing to what is gone");
        await entities.upsert(ada);
        equal(await related(entities, "ada", "KNOWS"), [], "an entity of the same id begins anew");
        await entities.delete("ada");
        equal(await entities.restore("ada"), true, "restored");
        equal(await related(entities, "ada", "KNOWS"), [nils.id], "and led on, as before");
        equal(await related(entities, "ada", "HAS", "incoming"), ["engine"], "and to");
        await entities.delete(["ada", nils.id]);
        await entities.delete("ada", { purge: true });
        equal(await entities.restore("ada"), false, "purged");
        await entities.upsert(ada);
        equal(await entities.restore(nils.id), true, "the other is restored");
        equal(await related(entities, "ada", "KNOWS", "both"), [], "without what was purged");
      },
    ],
  ]);
}
