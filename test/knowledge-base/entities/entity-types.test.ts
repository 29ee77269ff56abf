import { openKnowledgeBase, type KnowledgeBase } from "ibid";
import { defineEntityType, type EntityInstanceOf, openEntities } from "ibid/records";
import { afterEach, describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { collect } from "../../../src/testing/assert.ts";

const Project = defineEntityType({
  label: "Project",
  schema: z.object({ budget: z.number().optional() }),
  relationships: { getContributors: {}, isActive: {}, directReports: { direction: "both" }, HTTP2Servers: {} },
});
const Employee = defineEntityType({
  label: "Employee",
  schema: z.object({ department: z.string(), since: z.coerce.date() }),
});

describe("a type of entities", () => {
  it("names relationships by what they are called [E34]", () => {
    expect(Project.relationships).toEqual({
      getContributors: { name: "HAS_CONTRIBUTORS", direction: "outgoing" },
      isActive: { name: "HAS_ACTIVE", direction: "outgoing" },
      directReports: { name: "HAS_DIRECT_REPORTS", direction: "both" },
      HTTP2Servers: { name: "HAS_HTTP2_SERVERS", direction: "outgoing" },
    });
  });

  it.each([
    [{ label: " " }, "not blank"],
    [{ schema: {} }, "no Standard Schema"],
    [{ relationships: { name: {} } }, "every entity has a name already"],
    [{ relationships: { parts: { name: "" } } }, "has no name"],
    [{ relationships: { parts: { direction: "OUTGOING" } } }, "has no name, or no direction"],
    [{ relationships: { parts: { to: "Part" } } }, '"to"'],
    [{ labels: ["Project"] }, '"labels"'],
  ])("is refused when it contradicts itself: %o [E34]", (wrong, said) => {
    const define = () => defineEntityType({ label: "Thing", schema: z.object({}), ...wrong } as never);
    expect(define).toThrow(said);
  });

  it("gives instances their types [E33]", () => {
    type Both = EntityInstanceOf<readonly [typeof Employee, typeof Project]>;
    expectTypeOf<EntityInstanceOf<readonly [typeof Employee]>["since"]>().toEqualTypeOf<Date>();
    expectTypeOf<Both["budget"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Both["getContributors"]>().toBeFunction();
    // @ts-expect-error No type says that it has one.
    type _Boss = Both["boss"];
  });
});

describe("entities as they are written", () => {
  let kb: KnowledgeBase;
  afterEach(() => kb.close());

  it("name what does not fit, and store nothing of it [E32 E33]", async () => {
    kb = await openKnowledgeBase();
    const entities = openEntities(kb, "company", { types: [Employee] });
    const good = { id: "a", name: "Ada" };
    for (const [wrong, field] of [
      [{ labels: ["Employee"], properties: { department: 7, since: "1850-01-01" } }, "properties.department"],
      [{ labels: "Employee" }, "labels"],
      [{ labels: [""] }, "labels"],
      [{ description: null }, "description"],
      [{ uri: 7 }, "uri"],
      [{ metadata: [] }, "metadata"],
      [{ properties: "none" }, "properties"],
      [{ department: "Engines" }, "department"],
      [{ about: "somebody else" }, "about"],
      [{ properties: { at: () => 1 } }, "properties.at"],
    ] as const) {
      const upsert = entities.upsert([good, { id: "b", name: "Bo", ...wrong } as never]);
      await expect(upsert).rejects.toMatchObject({ code: "invalid-argument", details: { fields: [field] } });
    }
    await expect(entities.upsert({ id: 1, name: "One" } as never)).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(entities.relate({ from: "a", name: "TO", to: 7 } as never)).rejects.toMatchObject({
      code: "invalid-id",
    });
    await expect(entities.relate({ from: "a", name: " ", to: "b" })).rejects.toMatchObject({ code: "invalid-id" });
    expect(() => openEntities(kb, "company", { filterable: ["_x"] })).toThrow("cannot be filtered by");
    expect(() => openEntities(kb, "company", { labels: [] } as never)).toThrow('"labels"');
    expect(await collect(kb.list())).toEqual([]);
  });

  it("keep what JSON keeps, and give it back as the type says [E33]", async () => {
    kb = await openKnowledgeBase();
    const entities = openEntities(kb, "company", { types: [Employee] });
    const properties = JSON.parse(
      '{"department":"Engines","__proto__":{"polluted":true},"constructor":"mine"}',
    ) as object;
    await entities.upsert({
      id: "ada",
      name: "Ada",
      labels: ["Employee"],
      properties: { ...properties, since: new Date(0) },
    });
    expect((await entities.get("ada"))?.properties).toMatchObject({ since: "1970-01-01T00:00:00.000Z" });
    const ada = await entities.toInstance("ada", Employee);
    expect(ada?.since).toEqual(new Date(0));
    expect((ada as { polluted?: true }).polluted).toBeUndefined();
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
  });

  it("can be filtered by more once they are written again [E30]", async () => {
    kb = await openKnowledgeBase();
    const ada = { id: "ada", name: "Ada", labels: ["Employee"], metadata: { town: "London" }, properties: { rank: 3 } };
    await openEntities(kb, "company", { filterable: ["town"] }).upsert(ada);
    const entities = openEntities(kb, "company", { filterable: ["rank"] });
    await expect(entities.search("Ada")).rejects.toMatchObject({ code: "configuration-missing" });
    expect((await entities.rebuild()).updated).toBe(1);
    expect((await entities.search("Ada", { filter: { rank: { gte: 3 } } })).map(({ entity }) => entity.id)).toEqual([
      "ada",
    ]);
    expect(await entities.search("Ada", { filter: { rank: { gt: 3 } } })).toEqual([]);
    expect(await entities.drop()).toBe(1);
    expect(await collect(kb.list())).toEqual([]);
  });

  it("are embedded as their name and description, as a fact is as what it asserts [E9]", async () => {
    kb = await openKnowledgeBase();
    const entities = openEntities(kb, "company");
    await entities.upsert([
      { id: "ada", name: "Ada", description: "Writes programs.", properties: { id: 7, embedding: [1], role: "lead" } },
      { id: "bo", name: "Bo" },
    ]);
    await kb.ingest({ uri: "fact:1", text: "Water boils at 100 °C.", metadata: { authority: "CRC Handbook" } });
    const texts = (await collect(kb.chunks())).map(({ chunk }) => chunk.text);
    expect(texts.toSorted()).toEqual(["Ada: Writes programs.", "Bo", "Water boils at 100 °C."]);
  });
});
