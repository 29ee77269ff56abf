import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import fc from "fast-check";
import { type KnowledgeBase, openKnowledgeBase } from "ibid";
import { createTextMemory } from "ibid/compat";
import { createHashingModel } from "ibid/models";
import { memoryUri } from "../../../src/integrations/compat/memory-address.ts";

const folder = mkdtempSync(join(tmpdir(), "ibid-memory-"));
const open: KnowledgeBase[] = [];
const start = async (location?: string): Promise<KnowledgeBase> => {
  const kb = await openKnowledgeBase(location);
  open.push(kb);
  return kb;
};
afterEach(async () => {
  for (const kb of open.splice(0)) await kb.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a text memory", () => {
  it("keeps, replaces, finds and removes, and is there when the file is opened again [S21 S22]", async () => {
    const place = join(folder, "kb");
    const first = await start(place);
    const memory = createTextMemory(first);
    expect(await memory.save("budget", "Ninety thousand in 2023.")).toBe("budget");
    await memory.save("budget", "The company budget for 2024 is ninety thousand.", {
      description: "the budget",
      metadata: { year: 2024 },
    });
    await memory.save("lunch", "Lunch is at noon.");
    await first.close();

    const again = createTextMemory(await start(place));
    expect(await again.get("budget")).toEqual({
      collection: "generic",
      key: "budget",
      text: "The company budget for 2024 is ninety thousand.",
      description: "the budget",
      isReference: false,
      metadata: { year: 2024 },
      relevance: 1,
      scope: "deployment",
      uri: "memory:generic/budget",
    });
    const found = await again.search("company budget");
    expect(found).toMatchObject([{ key: "budget", source: { uri: "memory:generic/budget", start: 0, end: 47 } }]);
    expect(found[0]).not.toHaveProperty("embedding");
    expect(await again.search("lunch noon company budget", { limit: 5, filter: { year: 2024 } })).toHaveLength(1);
    await again.remove("budget");
    expect(await again.get("budget")).toBeUndefined();
    await again.remove("budget");
    expect(await again.search("company budget")).toEqual([]);
  });

  it("is a document like any other: listed, cited, restored, purged [S21]", async () => {
    const kb = await start();
    const memory = createTextMemory(kb, { scope: "team:acme" });
    await memory.save("budget", "The company budget for 2024 is ninety thousand.");
    const answer = await kb.ask("What is the company budget for 2024?");
    expect(answer.citations.map(({ quote, uri }) => [quote, uri])).toEqual([
      ["The company budget for 2024 is ninety thousand.", "memory:generic/budget"],
    ]);
    await memory.remove("budget");
    expect(await kb.restore("memory:generic/budget", { scope: "team:acme" })).toHaveLength(1);
    expect(await memory.get("budget")).toBeDefined();
    await memory.remove("budget", { purge: true });
    expect(await kb.restore("memory:generic/budget", { scope: "team:acme" })).toEqual([]);
  });

  it("keeps references: found by their words, which are not shown [S21]", async () => {
    const memory = createTextMemory(await start());
    const reference = { text: "How holidays are applied for", externalId: "wiki/7", externalSource: "the wiki" };
    expect(await memory.saveReference(reference, { description: "holidays" })).toBe("wiki/7");
    const expected = {
      key: "wiki/7",
      text: "",
      isReference: true,
      externalSource: "the wiki",
      description: "holidays",
    };
    expect(await memory.search("apply for holidays")).toMatchObject([expected]);
    expect(await memory.get("wiki/7")).toMatchObject(expected);
  });

  it("has collections that are there while they hold something [S22]", async () => {
    const memory = createTextMemory(await start());
    expect(await memory.search("anything", { collection: "missing" })).toEqual([]);
    expect(await memory.get("key", { collection: "missing" })).toBeUndefined();
    await memory.remove("key", { collection: "missing" });
    await expect(memory.deleteCollection("missing")).rejects.toMatchObject({ code: "not-found" });
    await memory.save("a", "Apples are red.", { collection: "fruit" });
    await memory.save("b", "Pears are green.", { collection: "fruit" });
    await memory.save("a", "Apples fall.", { collection: "physics" });
    expect(await memory.collections()).toEqual(["fruit", "physics"]);
    expect(
      (await memory.search("apples pears", { collection: "fruit", limit: 9 })).map(({ key }) => key).toSorted(),
    ).toEqual(["a", "b"]);
    await memory.deleteCollection("fruit");
    expect(await memory.collections()).toEqual(["physics"]);
    expect(await memory.get("a", { collection: "physics" })).toBeDefined();
  });

  it("leaves alone what only says to be a memory [S8]", async () => {
    const kb = await start();
    const metadata = { memoryCollection: "fruit", memoryKey: "a" };
    await kb.ingest({ uri: "own.md", text: "Apples are mine.", metadata });
    const memory = createTextMemory(kb);
    await memory.save("a", "Apples are red.", { collection: "fruit" });
    expect((await memory.search("apples", { collection: "fruit", limit: 9 })).map(({ text }) => text)).toEqual([
      "Apples are red.",
    ]);
    await memory.deleteCollection("fruit");
    expect(await kb.document("own.md")).toBeDefined();
    await kb.ingest({ uri: "memory:generic/own", text: "Apples are mine.", metadata });
    await memory.remove("own");
    expect(await memory.get("own")).toBeUndefined();
    expect(await kb.document("memory:generic/own")).toBeDefined();
    expect(await memory.collections()).toEqual([]);
  });

  it("shows as many as the limit, from the score on, inclusively; each once, however long [S20 S22]", async () => {
    const kb = await start();
    const memory = createTextMemory(kb);
    const long = Array.from(
      { length: 60 },
      (_, index) => `Rule ${index}: the harbour closes when the wind comes from the north, says the harbour master.`,
    );
    await memory.save("long", long.join("\n\n"));
    await memory.save("short", "The harbour has a lighthouse.");
    expect((await kb.search("harbour", { topK: "all" })).length).toBeGreaterThan(4);
    const found = await memory.search("harbour", { limit: 2 });
    expect(found.map(({ key }) => key).toSorted()).toEqual(["long", "short"]);
    expect(found.find(({ key }) => key === "long")?.text).toBe(long.join("\n\n"));
    const [best, second] = found.map(({ relevance }) => relevance) as [number, number];
    expect(await memory.search("harbour", { limit: 2, minRelevanceScore: second })).toHaveLength(2);
    expect(await memory.search("harbour", { limit: 2, minRelevanceScore: best + 1e-9 })).toEqual([]);
    expect(await memory.search("harbour", { limit: 0 })).toEqual([]);
    expect(await memory.search("harbour", { limit: -1 })).toEqual([]);
  });

  it("hands out no embeddings unless asked to [S22]", async () => {
    const kb = await openKnowledgeBase({ models: { embedding: createHashingModel() } });
    open.push(kb);
    const memory = createTextMemory(kb);
    await memory.save("a", "Apples are red.");
    expect(await memory.search("red apples")).toEqual([expect.not.objectContaining({ embedding: expect.anything() })]);
    const [found] = await memory.search("red apples", { includeEmbeddings: true });
    expect(found?.embedding).toBeDefined();
  });

  it("refuses what is blank, and options that it does not know [S20]", async () => {
    const memory = createTextMemory(await start());
    const refused = { code: "invalid-argument" };
    for (const blank of ["", " \n"]) {
      await expect(memory.save("key", blank)).rejects.toMatchObject(refused);
      await expect((async () => memory.save(blank, "text"))()).rejects.toMatchObject(refused);
      await expect((async () => memory.save("key", "text", { collection: blank }))()).rejects.toMatchObject(refused);
      await expect(memory.get(blank)).rejects.toMatchObject(refused);
      await expect(memory.search(blank)).rejects.toMatchObject(refused);
      await expect(memory.search("query", { collection: blank })).rejects.toMatchObject(refused);
      await expect(memory.remove(blank)).rejects.toMatchObject(refused);
    }
    await expect(memory.get("\ud800")).rejects.toMatchObject(refused);
    await expect(memory.search("query", { topK: 3 } as object)).rejects.toMatchObject(refused);
    expect(() => createTextMemory(open[0]!, { collection: "x" } as object)).toThrow("no option");
  });

  it("gives every key of every collection an address of its own [S21 L12]", () => {
    const name = fc
      .oneof(fc.string({ unit: "grapheme", minLength: 1 }), fc.constantFrom(".", "..", "a/b", "%2E", "a", "/"))
      .filter((text) => text.trim() !== "" && text.isWellFormed());
    fc.assert(
      fc.property(name, name, name, name, (collection, key, other, otherKey) => {
        const uri = memoryUri(collection, key);
        expect(uri).toMatch(/^memory:[^/]+\/[^/]+$/u);
        expect(uri.split(/[:/]/u)).not.toContain("..");
        expect(uri === memoryUri(other, otherKey)).toBe(collection === other && key === otherKey);
      }),
    );
  });

  it("is shown to who may read it, and changed by who may write there [S3 S8 L3]", async () => {
    const kb = await start();
    const ada = createTextMemory(kb.as({ userId: "ada", teamId: "acme" }));
    const adaAlone = createTextMemory(kb.as({ userId: "ada" }));
    const bob = createTextMemory(kb.as({ userId: "bob", teamId: "zenith" }));
    await ada.save("plan", "The plan of Acme is a bridge.");
    await bob.save("plan", "The plan of Zenith is a tunnel.");
    expect(await ada.get("plan")).toMatchObject({ scope: "team:acme" });
    expect((await bob.search("plan of Acme", { limit: 9 })).map(({ scope }) => scope)).toEqual(["team:zenith"]);
    expect(await adaAlone.get("plan")).toBeUndefined();
    await bob.remove("plan");
    expect(await ada.get("plan")).toBeDefined();
    await createTextMemory(kb, { scope: "deployment" }).save("rule", "Nobody runs.");
    await expect(bob.remove("rule")).rejects.toMatchObject({ code: "access-denied" });
    await expect(
      createTextMemory(kb.as({ userId: "bob" }), { scope: "team:acme" }).save("a", "b"),
    ).rejects.toMatchObject({
      code: "access-denied",
    });
    await ada.save("rule", "Acme runs.");
    await expect(ada.get("rule")).rejects.toMatchObject({
      code: "ambiguous",
      message: "Several scopes keep a memory under this key.",
    });
    expect(await createTextMemory(kb.as({ teamId: "acme" }), { scope: "team:acme" }).get("rule")).toMatchObject({
      text: "Acme runs.",
    });
  });
});
