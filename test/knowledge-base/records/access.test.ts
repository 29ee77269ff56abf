import type { RecordCollection } from "ibid/records";
import { afterEach, describe, expect, it } from "vitest";
import { collect } from "../../../src/testing/assert.ts";
import { createHomes, definition, kettle, lamp, pan } from "./shop.ts";

const callers = {
  operator: undefined,
  ada: { userId: "ada", teamId: "north" },
  nils: { userId: "nils", teams: ["south"] },
  nobody: {},
} as const;

describe.each(createHomes())("who may see and write which records in $name [T8 T26 L3]", (home) => {
  afterEach(() => home.close());

  async function shops() {
    const kb = await home.open();
    const shop = kb.collection("products", definition);
    await shop.upsert(kettle);
    await shop.upsert({ ...pan, brand: "North" }, { scope: "team:north" });
    await shop.upsert(lamp, { scope: "user:nils" });
    const views = Object.entries(callers).map(([name, context]) => {
      const view = context === undefined ? kb : kb.as(context);
      return [name, view, view.collection("products", definition)] as const;
    });
    return { kb, views };
  }

  const sees = async (
    products: Pick<RecordCollection<object, typeof kettle>, "get" | "list" | "hybridSearch" | "search">,
  ) => ({
    listed: (await collect(products.list())).map(({ sku }) => sku),
    got: ((await products.get(["K-1", "P-3", "L/2 ä"] as never)) as unknown as { sku: string }[]).map(({ sku }) => sku),
    found: (await products.hybridSearch("copper warm kettle lamp pan", { topK: "all" }))
      .map(({ record }) => record.sku)
      .toSorted(),
    near: (await products.search("copper warm kettle lamp pan", { topK: "all" }))
      .map(({ record }) => record.sku)
      .toSorted(),
  });
  const only = (...keys: readonly string[]) => ({
    listed: keys.toSorted(),
    got: ["K-1", "P-3", "L/2 ä"].filter((key) => keys.includes(key)),
    found: keys.toSorted(),
    near: keys.toSorted(),
  });

  it("every caller their own, by every verb", async () => {
    const { views } = await shops();
    const seen: Record<string, unknown> = {};
    for (const [name, , products] of views) seen[name] = await sees(products as never);
    expect(seen).toEqual({
      operator: only("K-1", "L/2 ä", "P-3"),
      ada: only("K-1", "P-3"),
      nils: only("K-1", "L/2 ä"),
      nobody: only("K-1"),
    });
    const where: Record<string, readonly string[]> = {};
    for (const [name, view] of views) where[name] = (await view.collections()).map(({ scope }) => scope);
    expect(where).toEqual({
      operator: ["deployment", "team:north", "user:nils"],
      ada: ["deployment", "team:north"],
      nils: ["deployment", "user:nils"],
      nobody: ["deployment"],
    });
  });

  it("what may not be read is as if it were not there, named or not", async () => {
    const { views } = await shops();
    const nils = views[2]![2];
    expect(await nils.get("P-3", { scope: "team:north" })).toBeUndefined();
    expect(await collect(nils.list({ scope: "team:north" }))).toEqual([]);
    expect(await nils.hybridSearch("copper", { scopes: ["team:north"] })).toEqual([]);
    expect(await nils.exists({ scope: "team:north" })).toBe(false);
    expect(await nils.delete("P-3")).toBe(0);
  });

  it("everybody writes what is theirs, and nothing else", async () => {
    const { kb, views } = await shops();
    const [, ada, nils, nobody] = views.map(([, , products]) => products);
    const denied = { code: "access-denied" };
    await expect(ada!.upsert(kettle, { scope: "deployment" })).rejects.toMatchObject(denied);
    await expect(ada!.delete("K-1")).rejects.toMatchObject(denied);
    await expect(nils!.drop({ scope: "team:north" })).rejects.toMatchObject(denied);
    await expect(nils!.rebuild({ scope: "deployment" })).rejects.toMatchObject(denied);
    await expect(nobody!.ensure({ scope: "deployment" })).rejects.toMatchObject(denied);
    // A caller's own records go to their team, and the same key may be in another scope.
    await ada!.upsert({ ...kettle, price: 1 });
    await expect(ada!.get("K-1")).rejects.toMatchObject({
      code: "ambiguous",
      details: { scopes: ["deployment", "team:north"] },
    });
    expect(await ada!.get("K-1", { scope: "team:north" })).toEqual({ ...kettle, price: 1 });
    expect(await ada!.drop()).toBe(2);
    expect((await kb.collections()).map(({ scope }) => scope)).toEqual(["deployment", "user:nils"]);
    expect(await kb.collection("products", definition).get("K-1")).toEqual(kettle);
  });
});
