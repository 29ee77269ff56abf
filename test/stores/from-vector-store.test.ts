import { describe, expect, it } from "vitest";
import { openKnowledgeBase } from "../../src/knowledge-base/open/open-knowledge-base.ts";
import { createHashingModel } from "../../src/models/hashing/hashing-model.ts";
import { type AnyVectorStore, fromVectorStore } from "../../src/stores/engines/from-vector-store.ts";

type Entry = Parameters<AnyVectorStore["add"]>[0][number];
type Match = Awaited<ReturnType<AnyVectorStore["query"]>>[number];

/** The designs' vector store as an array, and what was asked of it. */
function createArray(change: (matches: Match[], all: readonly Entry[]) => Match[] = (matches) => matches) {
  const entries = new Map<string, Entry>();
  const everything: Entry[] = [];
  const asked: number[] = [];
  const vectors: AnyVectorStore = {
    add(added) {
      for (const entry of added) entries.set(entry.id, entry);
      everything.push(...added);
    },
    async query({ embedding, topK }) {
      asked.push(topK);
      const scored = [...entries.values()].map(({ id, embedding: own }) => ({
        id,
        similarityScore: embedding.reduce((sum, value, i) => sum + value * own[i]!, 0),
      }));
      return change(scored.toSorted((a, b) => b.similarityScore - a.similarityScore).slice(0, topK), everything);
    },
    async delete(ids) {
      for (const id of ids) entries.delete(id);
    },
  };
  return { vectors, entries, asked };
}

async function open(vectors: AnyVectorStore) {
  const kb = await openKnowledgeBase({
    store: fromVectorStore(vectors),
    models: { embedding: createHashingModel() },
  });
  const uris = async (...search: Parameters<typeof kb.search>): Promise<readonly string[]> =>
    (await kb.search(...search)).map(({ source }) => source.uri);
  return { kb, uris };
}

const animals = [
  { uri: "heron.txt", text: "The heron waits in the reeds.", metadata: { kind: "bird" } },
  { uri: "otter.txt", text: "The otter swims under the bridge.", metadata: { kind: "mammal" } },
  { uri: "wren.txt", text: "The wren sings in the hedge.", metadata: { kind: "bird" } },
];

describe("a vector store with add, query and delete under a knowledge base [B17 B24 B31]", () => {
  it("is written, searched, filtered, asked and deleted from", async () => {
    const { vectors, entries } = createArray();
    const { kb, uris } = await open(vectors);
    await kb.ingest(animals);
    expect(entries.size).toBe(3);
    expect((await uris("herons waiting in reeds", { mode: "dense" }))[0]).toBe("heron.txt");
    expect(await uris("otter", { mode: "lexical" })).toEqual(["otter.txt"]);
    expect((await uris("the heron waits"))[0]).toBe("heron.txt");
    expect(await uris("sw[ia]ms", { mode: "regex" })).toEqual(["otter.txt"]);
    expect(await uris("otter swims", { mode: "dense", topK: "all", filter: { kind: "bird" } })).not.toContain(
      "otter.txt",
    );
    const answer = await kb.ask("Where does the heron wait?");
    expect(answer.citations.map(({ uri }) => uri)).toEqual(["heron.txt"]);
    await kb.delete("heron.txt");
    expect(entries.size).toBe(2);
    expect(await uris("heron waits in the reeds", { topK: "all" })).not.toContain("heron.txt");
    expect((await kb.status()).documents).toBe(2);
    await expect(kb.restore("heron.txt")).rejects.toMatchObject({ code: "unsupported" });
    await kb.close();
  });

  it("keeps what did not change: a second ingestion embeds and adds nothing, a changed text replaces its vector", async () => {
    const { vectors, entries } = createArray();
    const { kb, uris } = await open(vectors);
    await kb.ingest(animals);
    const before = new Set(entries.keys());
    expect(await kb.ingest(animals)).toMatchObject({ unchanged: 3, embedded: 0 });
    expect(new Set(entries.keys())).toEqual(before);
    await kb.ingest({ ...animals[0]!, text: "The crane waits in the meadow." });
    expect(entries.size).toBe(3);
    expect((await uris("crane in the meadow", { mode: "dense" }))[0]).toBe("heron.txt");
    await kb.close();
  });

  it("shows nothing that a caller may not read, whatever it finds [L3]", async () => {
    const { vectors } = createArray();
    const { kb } = await open(vectors);
    await kb.ingest(animals[0]!, { scope: "user:ada" });
    await kb.ingest(animals[1]!, { scope: "team:north" });
    for (const mode of ["hybrid", "dense", "lexical"] as const) {
      const found = await kb.as({ userId: "ada" }).search("the heron and the otter", { mode, topK: "all" });
      expect(found.map(({ scope }) => scope)).toEqual(["user:ada"]);
    }
    await kb.close();
  });

  it("shows nothing that was deleted or replaced, where the vector store remembers everything [L8]", async () => {
    const { vectors } = createArray((matches, all) => [
      { id: "nobody knows/this", similarityScore: 9 },
      { id: "%E0%A4%A/x/y", similarityScore: 8 },
      { similarityScore: 7 },
      ...all.map(({ id }) => ({ id, similarityScore: 5 })),
      ...matches,
    ]);
    const { kb, uris } = await open(vectors);
    await kb.ingest(animals);
    await kb.ingest({ ...animals[1]!, text: "The otter sleeps." });
    await kb.delete("heron.txt");
    const found = await kb.search("the otter swims, the heron waits", { mode: "dense", topK: "all" });
    expect(found.map(({ text }) => text).toSorted()).toEqual(["The otter sleeps.", "The wren sings in the hedge."]);
    expect(await uris("heron", { topK: "all", mode: "dense", filter: { kind: "bird" } })).toEqual(["wren.txt"]);
    await kb.close();
  });

  it("asks for more candidates until a filter has let enough through [L4]", async () => {
    const { vectors, asked } = createArray();
    const { kb, uris } = await open(vectors);
    await kb.ingest(
      Array.from({ length: 400 }, (_, i) => ({
        uri: `${i}.txt`,
        text: i === 399 ? "A lantern far away." : `The heron waits in the reeds, day ${i}.`,
        metadata: { rare: i === 399 },
      })),
    );
    expect(await uris("heron waits in reeds", { mode: "dense", topK: 1, filter: { rare: true } })).toEqual(["399.txt"]);
    expect(asked.at(-1)).toBeGreaterThan(400);
    await kb.close();
  });

  it("says that it is approximate, and has no trash", () => {
    const { capabilities, trash } = fromVectorStore(createArray().vectors);
    expect(capabilities).toMatchObject({ trash: false, versions: false, embeddings: ["dense"] });
    expect(capabilities.legs["dense"]).toMatchObject({ exact: false });
    expect(trash).toBeUndefined();
  });

  it.each(["add", "query", "delete"] as const)("is refused without %s, by that name", (name) => {
    const incomplete = { ...createArray().vectors, [name]: undefined } as never;
    expect(() => fromVectorStore(incomplete)).toThrow(`The vector store has no method "${name}".`);
  });

  it("keeps nothing of a document whose vectors it could not add, and says whose failure it was", async () => {
    const { vectors } = createArray();
    const failing = { ...vectors, add: () => Promise.reject(new Error("quota")) };
    const { kb, uris } = await open(failing);
    const failed = await kb.ingest(animals[0]!).then(
      ({ failed: count }) => count,
      (error: { code: string }) => error.code,
    );
    expect(["store-failed", 1]).toContain(failed);
    expect(await uris("heron", { mode: "lexical" })).toEqual([]);
    await kb.close();
  });

  it("deletes nothing where the vector store does not delete", async () => {
    const { vectors, entries } = createArray();
    const { kb, uris } = await open({ ...vectors, delete: () => Promise.reject(new Error("offline")) });
    await kb.ingest(animals);
    await expect(kb.delete("heron.txt")).rejects.toMatchObject({ code: "store-failed" });
    expect(entries.size).toBe(3);
    expect(await uris("heron", { mode: "lexical" })).toEqual(["heron.txt"]);
    await kb.close();
  });
});
