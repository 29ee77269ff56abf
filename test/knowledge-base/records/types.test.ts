import { openKnowledgeBase } from "ibid";
import { type CollectionHit, type StandardSchema } from "ibid/records";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { product } from "./shop.ts";

type Product = z.output<typeof product>;

/** A schema that no library made: nothing but the standard. */
interface Note {
  readonly id: number;
  readonly text: string;
}
const note: StandardSchema<Note> = {
  "~standard": {
    version: 1,
    vendor: "by hand",
    validate: (value) =>
      typeof (value as Note).text === "string" ? { value: value as Note } : { issues: [{ message: "no text" }] },
  },
};

// Compiled by `npm run typecheck`; each line that must not compile says so. None of it is run.
async function compiled(): Promise<void> {
  const kb = await openKnowledgeBase();
  const products = kb.collection("products", {
    schema: product,
    key: "sku",
    text: ["name", "description"],
    vectors: { description: {} },
    filterable: ["brand", "price", "tags", "soldOut"],
  });
  expectTypeOf(await products.get("K-1")).toEqualTypeOf<Product | undefined>();
  expectTypeOf(await products.get(["K-1"])).toEqualTypeOf<readonly Product[]>();
  expectTypeOf(await products.search("kettle")).toEqualTypeOf<readonly CollectionHit<Product, string>[]>();
  // A field with a default may be left out on the way in, and is there on the way out.
  await products.upsert({ sku: "K-1", name: "Kettle", brand: "Hearth", price: 1 });
  // @ts-expect-error a record without its price
  await products.upsert({ sku: "K-1", name: "Kettle", brand: "Hearth" });
  // @ts-expect-error keys are strings
  await products.get(1);
  // @ts-expect-error keys are strings
  await products.delete([1]);

  products.list({ filter: { price: { gte: 1, lt: 5 }, brand: "Hearth", tags: { hasElement: "copper" } } });
  products.list({ filter: { or: [{ soldOut: null }, { not: { brand: { startsWith: "H", ignoreCase: true } } }] } });
  // @ts-expect-error name is not filterable
  products.list({ filter: { name: "Kettle" } });
  // @ts-expect-error there is no such field
  products.list({ filter: { colour: "red" } });
  // @ts-expect-error a price is a number
  products.list({ filter: { price: "1" } });
  // @ts-expect-error a price is a number
  products.list({ filter: { price: { gte: "1" } } });
  // @ts-expect-error a number does not start with anything
  products.list({ filter: { price: { startsWith: "1" } } });
  // @ts-expect-error a list is not compared, it has elements
  products.list({ filter: { tags: { eq: "copper" } } });
  // @ts-expect-error truth has no order
  products.list({ filter: { soldOut: { gt: true } } });
  // @ts-expect-error a wrong name inside or
  products.list({ filter: { or: [{ colour: "red" }] } });
  await products.search("kettle", { vectorProperty: "description" });
  // @ts-expect-error name has no vectors of its own
  await products.search("kettle", { vectorProperty: "name" });

  const parts = { schema: product, key: "sku", text: ["name"] } as const;
  // @ts-expect-error there is no such field
  kb.collection("products", { ...parts, key: "id" });
  // @ts-expect-error what may be absent tells nothing apart
  kb.collection("products", { ...parts, key: "description" });
  // @ts-expect-error a price is no text
  kb.collection("products", { ...parts, text: ["price"] });
  // @ts-expect-error a field without text has no vectors
  kb.collection("products", { ...parts, vectors: { brand: {} } });
  // @ts-expect-error there is no such field
  kb.collection("products", { ...parts, filterable: ["colour"] });

  const notes = kb.collection("notes", { schema: note, key: "id", text: ["text"] });
  expectTypeOf(await notes.get(1)).toEqualTypeOf<Note | undefined>();

  // A schema that names some fields, and one that names none.
  const loose = kb.collection("loose", { schema: z.looseObject({ id: z.number() }), key: "id", text: ["id"] as never });
  expectTypeOf(await loose.upsert([]))
    .toHaveProperty("keys")
    .toEqualTypeOf<readonly number[]>();
  // @ts-expect-error only named fields can be meant
  kb.collection("loose", { schema: z.looseObject({ id: z.number() }), key: "name", text: [] });
  const any = kb.collection("any", {
    schema: z.record(z.string(), z.string()),
    key: "id",
    text: ["a"],
    filterable: ["b"],
  });
  any.list({ filter: { b: "c" } });

  // @ts-expect-error nothing was declared filterable
  notes.list({ filter: { id: 1 } });
}

describe("the types of a collection", () => {
  it("follow its schema: what is wrong does not compile [S5 S25]", () => {
    // The compiler has judged the lines above; a schema made by hand is judged here.
    expectTypeOf(compiled).returns.resolves.toBeVoid();
    expect(note["~standard"].validate({ text: 1 })).toEqual({ issues: [{ message: "no text" }] });
  });
});
