import fc from "fast-check";
import { IbidError, type KnowledgeBase } from "ibid";
import { type StandardSchema } from "ibid/records";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { collect } from "../../../src/testing/assert.ts";
import { createHomes, definition, kettle, lamp, letterModel, pan, product } from "./shop.ts";
import { fewer } from "../../support/runs.ts";

const [memory] = createHomes();
const homes = createHomes();

/** Two that are told apart by the letters they count. */
const vowels = () => letterModel("vowels", "aeiou");
const late = () => letterModel("late letters", "rstwz");

describe("what a collection refuses", () => {
  afterEach(() => memory!.close());

  it("records that the schema does not allow: it names key and field, and of the batch nothing is stored [S5 S25]", async () => {
    const kb = await memory!.open();
    const products = kb.collection("products", definition);
    const wrong = { ...lamp, price: "80" } as unknown as typeof lamp;
    const failing = products.upsert([kettle, wrong]);
    await expect(failing).rejects.toMatchObject({ code: "invalid-argument", details: { fields: ["price"] } });
    await expect(failing).rejects.toThrow(/^products: record "L\/2 ä" does not fit the schema: price: /u);
    await expect(products.upsert([kettle, pan, kettle])).rejects.toMatchObject({ code: "invalid-id" });
    await expect(products.upsert({ ...kettle, sku: " " })).rejects.toMatchObject({ code: "invalid-id" });
    expect(await collect(kb.list())).toEqual([]);
  });

  it("a batch whose embedding fails [B36]", async () => {
    const model = vowels();
    const failing = {
      ...model,
      embed: async (...given: Parameters<typeof model.embed>) => {
        if (given[0].length > 1) throw new Error("overloaded");
        return model.embed(...given);
      },
    };
    const kb = await memory!.open({ models: { embedding: failing } });
    const products = kb.collection("products", definition);
    await expect(products.upsert([kettle, lamp])).rejects.toMatchObject({ code: "embedding-failed" });
    expect(await collect(kb.list())).toEqual([]);
  });

  it("what JSON cannot keep, and transforms that do not take their own results [S5]", async () => {
    const kb = await memory!.open();
    const open = (schema: StandardSchema) =>
      kb.collection("open", { schema, key: "id", text: ["id"] } as never) as unknown as {
        upsert(it: unknown): Promise<unknown>;
      };
    const any = open(z.looseObject({ id: z.string() }));
    for (const bad of [new Map(), 1n, Number.NaN, () => 1, [undefined]])
      await expect(any.upsert({ id: "a", deep: { bad } })).rejects.toThrow(/deep\.bad/u);
    const dates = open(z.object({ id: z.string(), at: z.date() }));
    await expect(dates.upsert({ id: "a", at: new Date(0) })).rejects.toThrow(
      /does not go through the schema unchanged/u,
    );
    const lengths = open(z.object({ id: z.string(), name: z.string().transform((name) => name.length) }));
    await expect(lengths.upsert({ id: "a", name: "Ada" })).rejects.toMatchObject({ details: { fields: ["name"] } });
  });

  it("a kept record that does not fit the schema any more [S5]", async () => {
    const kb = await memory!.open();
    await kb.collection("products", definition).upsert([kettle, pan]);
    const stricter = kb.collection("products", { ...definition, schema: product.required({ description: true }) });
    const failing = stricter.get("P-3");
    await expect(failing).rejects.toMatchObject({ code: "unreadable", details: { fields: ["description"] } });
    expect(await stricter.get("K-1")).toEqual(kettle);
  });

  it("definitions, filters and pages that make no sense [S25]", async () => {
    const kb = await memory!.open();
    const define = (given: object) => () => kb.collection("c", { ...definition, ...given } as never);
    for (const given of [
      { schema: {} },
      { key: "" },
      { text: [] },
      { text: ["name", "name"] },
      { vectors: { brand: {} } },
      { filterable: ["not"] },
      { filterable: ["_record"] },
      { colour: 1 },
    ])
      expect(define(given)).toThrow(IbidError);
    expect(() => kb.collection(" ", definition)).toThrow(/cannot be called " "/u);
    const products = kb.collection("products", definition);
    await expect(products.search("x", { topK: 0 })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(products.search("x", { skip: -1 })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(products.search("x", { vectorProperty: "name" as never })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    const filter = { name: "Kettle" } as never;
    await expect(products.search("x", { filter })).rejects.toMatchObject({ code: "invalid-filter" });
    await expect(collect(products.list({ filter }))).rejects.toMatchObject({ code: "invalid-filter" });
  });
});

describe("what is not there [S22 S25]", () => {
  afterEach(() => memory!.close());

  it("a missing collection has nothing; ensure makes it, twice is fine; drop takes it away, twice is fine", async () => {
    const model = vowels();
    const kb = await memory!.open({ models: { embedding: model } });
    const products = kb.collection("products", definition);
    expect([await products.exists(), await products.search("kettle"), await products.get("K-1")]).toEqual([
      false,
      [],
      undefined,
    ]);
    expect(model.asked).toEqual([]);
    await products.ensure();
    await products.ensure();
    expect(await kb.collections()).toEqual([{ name: "products", scope: "deployment" }]);
    await products.upsert([kettle, lamp]);
    await kb.collection("a b/ä", definition).upsert(pan);
    expect((await kb.collections()).map(({ name }) => name)).toEqual(["a b/ä", "products"]);
    expect(await products.drop()).toBe(2);
    expect(await products.drop()).toBe(0);
    // What was only deleted is still there to be purged.
    expect([await products.drop({ purge: true }), await products.drop({ purge: true })]).toEqual([2, 0]);
    expect([await products.exists(), await collect(products.list())]).toEqual([false, []]);
    expect(await kb.collection("a b/ä", definition).get("P-3")).toEqual(pan);
    expect((await kb.doctor()).findings).toEqual([]);
  });

  it("a missing key deletes nothing, or is an error before anything is deleted", async () => {
    const kb = await memory!.open();
    const products = kb.collection("products", definition);
    await products.upsert(kettle);
    expect(await products.delete(["never"])).toBe(0);
    await expect(products.delete(["K-1", "never"], { onMissing: "error" })).rejects.toMatchObject({
      code: "not-found",
    });
    expect(await products.get("K-1")).toEqual(kettle);
  });
});

describe.each(homes)("vectors by field, collection or knowledge base in $name [S25 L6]", (home) => {
  afterEach(() => home.close());
  const ask = (kb: KnowledgeBase) =>
    kb.status().then(({ embeddingVersions }) => embeddingVersions.map(({ model, chunks }) => `${model} ${chunks}`));

  it("a field's own model, beside the knowledge base's", async () => {
    const [own, field] = [vowels(), late()];
    const kb = await home.open({ models: { embedding: own } });
    const products = kb.collection("products", { ...definition, vectors: { description: { embeddingModel: field } } });
    await products.upsert([kettle, lamp, pan]);
    // Five chunks: three names, two descriptions. Each has a vector of the knowledge base's model.
    expect((await ask(kb)).toSorted()).toEqual(["late letters 2", "vowels 5"]);
    expect(field.asked.toSorted()).toEqual([lamp.description, kettle.description].toSorted());
    // Ranked by the field's model: the very text is nearest, at a cosine of 1.
    const [hit, ...others] = await products.search(lamp.description, {
      vectorProperty: "description",
      includeEmbeddings: true,
    });
    expect([hit?.key, hit?.hit.source.headings, others.length]).toEqual(["L/2 ä", ["description"], 1]);
    expect(hit?.score).toBeCloseTo(1, 6);
    expect(hit?.hit.embedding).toHaveLength(5);
    // Without naming a field, every part is compared by the one model that all of them have.
    const everywhere = await products.search("Copper pan", { topK: 1 });
    expect([everywhere[0]?.key, field.asked.length]).toEqual(["P-3", 3]);
    // The scope is still searched by the knowledge base's model.
    const [version] = (await kb.status()).versions;
    expect(version?.current?.model).toBe("vowels");
    expect((await kb.doctor()).findings).toEqual([]);
    await kb.reembed();
    await kb.vacuum({ olderThanMs: 0 });
    expect((await ask(kb)).toSorted()).toEqual(["late letters 2", "vowels 5"]);
  });

  it("a collection's own model, where the knowledge base has none", async () => {
    const field = late();
    const kb = await home.open({ models: { embedding: null } });
    const products = kb.collection("products", { ...definition, embeddingModel: field });
    await products.upsert([kettle, lamp, pan]);
    const hits = await products.search(`${lamp.name}\n\n${lamp.description}`, { topK: 2 });
    expect(hits.map(({ key }) => key)[0]).toBe("L/2 ä");
    expect(hits[0]?.score).toBeCloseTo(1, 6);
    expect(await products.upsert([kettle, lamp, pan])).toMatchObject({ unchanged: 3, embedded: 0 });
    expect((await kb.search("copper")).length).toBe(2);
    expect((await kb.status()).versions).toEqual([]);
    const plain = kb.collection("plain", definition);
    await plain.upsert(kettle);
    await expect(plain.search("kettle")).rejects.toMatchObject({ code: "configuration-missing" });
    expect((await plain.hybridSearch("kettle")).map(({ key }) => key)).toEqual(["K-1"]);
  });

  it("never becomes what the scope is searched by, though every chunk has it [L6]", async () => {
    const [own, field] = [vowels(), late()];
    const kb = await home.open({ models: { embedding: own, formerEmbeddings: [letterModel("letters", "aeiourst")] } });
    const products = kb.collection("products", { ...definition, embeddingModel: field });
    await products.upsert([kettle, lamp, pan]);
    expect((await kb.status()).versions.map(({ current }) => current?.model)).toEqual(["vowels"]);
    expect(await kb.search("kettle", { mode: "dense", topK: "all" })).toHaveLength(3);
    expect(await products.search("kettle")).toHaveLength(3);
  });

  it("another definition answers after a rebuild, not before [S25 L6]", async () => {
    const kb = await home.open({ models: { embedding: vowels() } });
    const before = kb.collection("products", { ...definition, filterable: ["brand"] });
    await before.upsert([kettle, lamp]);
    const model = late();
    const after = kb.collection("products", { ...definition, embeddingModel: model });
    const refused = { code: "configuration-missing", hint: expect.stringContaining("rebuild") };
    await expect(after.search("kettle")).rejects.toMatchObject(refused);
    await expect(after.upsert(pan)).rejects.toMatchObject(refused);
    await expect(after.ensure()).rejects.toMatchObject(refused);
    expect(await after.get("K-1")).toEqual(kettle);
    expect(await after.rebuild()).toMatchObject({ updated: 2, unchanged: 0 });
    expect(model.asked).toHaveLength(2);
    expect((await after.search("kettle", { filter: { price: { lt: 60 } } })).map(({ key }) => key)).toEqual(["K-1"]);
    await expect(before.search("kettle")).rejects.toMatchObject(refused);
    expect(await after.rebuild()).toMatchObject({ updated: 0, unchanged: 2, embedded: 0 });
    const otherKey = kb.collection("products", { ...definition, key: "name" });
    await expect(otherKey.rebuild()).rejects.toThrow(/would be record/u);
    expect((await after.search("kettle", { topK: 1 })).length).toBe(1);
    expect((await kb.doctor()).findings).toEqual([]);
  });
});

describe.each(homes)("any record of JSON in $name", (home) => {
  afterEach(() => home.close());
  const loose = z.looseObject({ id: z.union([z.string(), z.number()]), text: z.string() });

  it("comes back as it was written, whatever its key [S5]", async () => {
    const kb = await home.open();
    const things = kb.collection("things", { schema: loose, key: "id", text: ["text"] });
    const anyKey = fc.oneof(
      fc.string({ minLength: 1, unit: "binary" }).filter((key) => key.trim() !== "" && !key.includes("\0")),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    // What is kept is what the schema makes of a record, and this one's library leaves `__proto__` out.
    const name = fc.string().filter((one) => one !== "__proto__");
    const anyThing = fc
      .tuple(
        fc.dictionary(
          name,
          fc.jsonValue().filter((one) => !JSON.stringify(one).includes('"__proto__"')),
        ),
        anyKey,
        fc.string({ unit: "binary" }),
      )
      .map(([rest, id, text]) => JSON.parse(JSON.stringify({ ...rest, id, text })) as z.output<typeof loose>);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(anyThing, { selector: ({ id }) => String(id), maxLength: 5 }),
        async (records) => {
          const { keys } = await things.upsert(records);
          expect(await things.get(keys)).toEqual(records.map((record) => JSON.parse(JSON.stringify(record))));
          expect(await things.upsert(records)).toMatchObject({ unchanged: records.length });
        },
      ),
      { numRuns: home.name === "memory" ? fewer(25, 60) : fewer(6, 15) },
    );
    expect((await kb.doctor()).findings).toEqual([]);
  });
});
