import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { searchPattern, searchVectors, searchWords } from "../support/search-legs.ts";
import { describe, expect, it } from "vitest";
import type { Store } from "../../src/contracts/store.ts";
import { collect, documentEntry, entry, read, system, three, two, write } from "./build.ts";
import { eachStore } from "./each-store.ts";

const into = write("deployment");
const from = read("deployment");
const embed = (text: string) => [text.length, 1, 0];

async function words(store: Store, text: string): Promise<string[]> {
  return (await searchWords(store, from, { text, topK: "all" })).matches.map(({ chunk: { id } }) => id).sort();
}

describe.each(eachStore)("deleting in $name", ({ open }) => {
  it("hides at once, restores until vacuumed, and counts [T13 T14 B17 W7]", async () => {
    const clock = { now: 0 };
    const store = await open({ now: () => clock.now });
    await writeChunks(
      store,
      into,
      ["a", "b", "c", "d", "e"].map((id) => entry(id, "ash", [1, 0])),
    );
    clock.now = 1_000;
    expect((await store.delete(into, { ids: ["a", "b", "nobody"] })).chunks).toBe(2);
    expect((await store.delete(into, { ids: ["a", "b"] })).chunks).toBe(0);
    expect(await words(store, "ash")).toEqual(["c", "d", "e"]);
    expect(await searchVectors(store, from, { topK: "all" })).toHaveLength(3);
    expect(await searchPattern(store, from, { pattern: "ash", topK: "all" })).toHaveLength(3);
    expect(await collect(store.chunks(from))).toHaveLength(3);
    expect(await store.trash!.restore(into, { ids: ["a", "c"] })).toBe(1);
    expect(await words(store, "ash")).toEqual(["a", "c", "d", "e"]);
    clock.now = 2_000;
    expect(await store.trash!.vacuum(system, { olderThanMs: 1_001 })).toBe(0);
    expect(await store.trash!.vacuum(system, { olderThanMs: 1_000 })).toBe(1);
    expect(await store.trash!.restore(into, { ids: ["b"] })).toBe(0);
    const [match] = await searchVectors(store, from, {
      embedding: [1, 0],
      version: { ...three, dimensions: 2 },
      topK: "all",
    });
    expect(match?.chunk.id).toBe("a");
  });

  it("a vacuum leaves nothing that refers to what it took, even when the clock went backwards [T14]", async () => {
    const clock = { now: 10 };
    const store = await open({ now: () => clock.now });
    await store.replace(into, documentEntry("d", ["ash", "birch"]));
    await store.delete(into, { ids: ["d-ash"] });
    clock.now = 5;
    await store.delete(into, { documentIds: ["d"] });
    clock.now = 8;
    expect(await store.trash!.vacuum(system, { olderThanMs: 1 })).toBe(1);
    expect(await store.trash!.restore(into, { ids: ["d-ash", "d-birch"] })).toBe(1);
    expect((await collect(store.chunks(from))).map(({ chunk: { text } }) => text)).toEqual(["ash"]);
  });

  it("a vacuum takes no vectors of the model that is in use, though there were none of it for a while [L6 T14]", async () => {
    const clock = { now: 1_000 };
    const store = await open({ now: () => clock.now });
    const found = async () =>
      (await searchVectors(store, from, { embedding: [1, 1, 0], version: three, topK: "all" })).length;
    await store.replace(into, documentEntry("a", ["ash"], { embed }));
    await store.delete(into, { documentIds: ["a"] });
    clock.now += 1;
    // Only a deleted chunk has a vector now.
    await store.trash!.vacuum(system, { olderThanMs: 1_000 });
    await store.replace(into, documentEntry("b", ["birch"], { embed }));
    clock.now += 10;
    await store.trash!.vacuum(system, { olderThanMs: 10 });
    expect(await found()).toBe(1);
    expect(await store.trash!.restore(into, { documentIds: ["a"] })).toBe(0);
    expect(await found()).toBe(1);
  });

  it("by filter, and for good with purge, also what was deleted before [T15 B35]", async () => {
    const store = await open();
    const year = (value: number) => ({ metadata: { year: value } });
    await writeChunks(store, into, [
      entry("a", "ash", undefined, year(1)),
      entry("b", "ash", undefined, year(2)),
      entry("c", "ash", undefined, year(2)),
    ]);
    await store.delete(into, { ids: ["b"] });
    expect((await store.delete(into, { filter: { op: "eq", key: "year", value: 2 } }, { purge: true })).chunks).toBe(1);
    expect(await store.trash!.restore(into, { ids: ["b", "c"] })).toBe(0);
    expect(await words(store, "ash")).toEqual(["a"]);
  });

  it("an unknown id is an error only when asked, and then nothing goes [B30 W15]", async () => {
    const store = await open();
    await writeChunks(store, into, [entry("a", "ash")]);
    await expect(store.delete(into, { ids: ["a", "nobody"] }, { onMissing: "error" })).rejects.toMatchObject({
      code: "not-found",
    });
    expect(await words(store, "ash")).toEqual(["a"]);
    await expect(store.delete(into, { documentIds: ["nobody"] }, { onMissing: "error" })).rejects.toMatchObject({
      code: "not-found",
    });
  });

  it("a wiped scope is empty, stays so, and can be filled again; the others do not notice [T15 T5]", async () => {
    const store = await open();
    const team = write("team:t");
    await writeChunks(store, into, [entry("a", "ash"), entry("b", "ash"), entry("c", "ash")]);
    await writeChunks(store, team, [entry("a", "ash")]);
    expect(await store.scopes(system)).toEqual(["deployment", "team:t"]);
    expect((await store.delete(into, { scope: true })).chunks).toBe(3);
    expect(await words(store, "ash")).toEqual([]);
    expect(await store.scopes(system)).toEqual(["team:t"]);
    expect(await store.trash!.restore(into, { ids: ["a"] })).toBe(0);
    await writeChunks(store, into, [entry("z", "ash")]);
    expect(await words(store, "ash")).toEqual(["z"]);
  });

  it("a document goes and comes back with its chunks, but not with those deleted before it [E20 T13]", async () => {
    const clock = { now: 0 };
    const store = await open({ now: () => clock.now });
    await store.replace(into, documentEntry("d", ["ash", "birch", "cedar"]));
    await store.delete(into, { ids: ["d-birch"] });
    clock.now = 5;
    expect((await store.delete(into, { documentIds: ["d"] })).chunks).toBe(2);
    expect(await store.document(from, "d")).toBeUndefined();
    expect(await store.find(from, "d.txt")).toEqual([]);
    expect(await collect(store.documents(from))).toEqual([]);
    expect(await store.trash!.restore(into, { documentIds: ["d"] })).toBe(2);
    expect((await store.document(from, "d"))?.summary.chunks).toBe(2);
    expect(await words(store, "ash birch cedar")).toEqual(["d-ash", "d-cedar"]);
    await store.delete(into, { documentIds: ["d"] });
    expect(await store.trash!.restore(into, { ids: ["d-ash"] })).toBe(1);
    expect((await store.find(from, "d.txt")).map(({ summary }) => summary.chunks)).toEqual([1]);
  });

  it("a chunk that comes back brings its document back, so that it can be cited [E20]", async () => {
    const store = await open();
    await store.replace(into, documentEntry("d", ["ash", "birch"]));
    await store.delete(into, { documentIds: ["d"] });
    expect(await store.document(from, "d")).toBeUndefined();
    expect(await store.trash!.restore(into, { ids: ["d-birch"] })).toBe(1);
    expect((await store.document(from, "d"))?.summary.chunks).toBe(1);
    expect(await words(store, "ash birch")).toEqual(["d-birch"]);
  });

  it("deletes a document and all its chunks for good [E20 T15]", async () => {
    const store = await open();
    await store.replace(into, documentEntry("d", ["ash", "birch", "cedar"]));
    await store.replace(into, documentEntry("e", ["ash"]));
    expect((await store.delete(into, { documentIds: ["d"] }, { purge: true })).chunks).toBe(3);
    expect(await store.trash!.restore(into, { documentIds: ["d"] })).toBe(0);
    expect(await words(store, "ash birch")).toEqual(["e-ash"]);
  });
});

describe.each(eachStore)("replacing a document in $name", ({ open }) => {
  it("keeps the times that a copy gives, and those of the clock otherwise", async () => {
    const store = await open({ now: () => Date.UTC(2026, 4, 1) });
    const [ingestedAt, checkedAt, now] = ["2025-01-02", "2025-03-04", "2026-05-01"].map(
      (day) => `${day}T00:00:00.000Z`,
    );
    await store.replace(into, { ...documentEntry("old", ["ash"]), ingestedAt, checkedAt });
    await store.replace(into, { ...documentEntry("once", ["ash"]), ingestedAt });
    await store.replace(into, documentEntry("own", ["ash"]));
    const listed = await collect(store.documents(from));
    expect(listed.map((each) => [each.id, each.ingestedAt, each.checkedAt])).toEqual([
      ["old", ingestedAt, checkedAt],
      ["once", ingestedAt, ingestedAt],
      ["own", now, now],
    ]);
  });

  it("keeps the vectors of chunks that stay, wherever they move, and says what it did [L7 T38]", async () => {
    const store = await open();
    await store.replace(into, documentEntry("d", ["ash one", "birch two", "cedar three"], { embed }));
    const held = await store.held(into, "d", three);
    expect(Object.fromEntries(held)).toEqual({
      "d-ash": "About d\nash one",
      "d-birch": "About d\nbirch two",
      "d-cedar": "About d\ncedar three",
    });
    expect((await store.held(into, "d", two)).size).toBe(0);
    expect((await store.held(into, "d", undefined)).size).toBe(3);

    const next = documentEntry("d", ["new first", "ash one", "cedar three, changed"], { embed: () => [9, 9, 9] });
    const entries = next.chunks.map((each) => (each.chunk.id === "d-ash" ? { ...each, embeddings: [] } : each));
    expect(await store.replace(into, { ...next, chunks: entries, keeps: ["d-ash"] })).toMatchObject({
      added: 2,
      kept: 1,
      removed: 2,
    });

    const stored = await collect(store.chunks(from, { includeEmbeddings: true }));
    expect(stored.map(({ chunk }) => [chunk.id, chunk.start, chunk.index, chunk.text])).toEqual([
      ["d-ash", 11, 1, "ash one"],
      ["d-cedar", 20, 2, "cedar three, changed"],
      ["d-new", 0, 0, "new first"],
    ]);
    expect(stored.map(({ embeddings }) => [...(embeddings![0]!.embedding as Float32Array)])).toEqual([
      [7, 1, 0],
      [9, 9, 9],
      [9, 9, 9],
    ]);
    const text = (await store.document(from, "d"))?.document.text;
    for (const { chunk } of stored) expect(text?.slice(chunk.start, chunk.end)).toBe(chunk.urtext);
  });

  it("keeps vectors under new headings, by which the chunk is then found [L7 E23]", async () => {
    const store = await open();
    await store.replace(into, documentEntry("d", ["ash", "birch"], { embed, headings: ["Old"] }));
    const result = await store.replace(into, documentEntry("d", ["ash", "birch"], { headings: ["New"] }));
    expect(result).toMatchObject({ added: 0, kept: 2, removed: 0 });
    expect(await words(store, "old")).toEqual([]);
    expect(await words(store, "new")).toEqual(["d-ash", "d-birch"]);
    expect(await searchVectors(store, from, { embedding: [3, 1, 0], version: three })).toHaveLength(2);
  });

  it("filters see new metadata of kept chunks at once [L4 L7]", async () => {
    const store = await open();
    const filter = { op: "eq", key: "year", value: 1 } as const;
    await store.replace(into, documentEntry("d", ["ash", "birch"], { embed, document: { metadata: { year: 1 } } }));
    expect(await searchVectors(store, from, { filter })).toHaveLength(2);
    const result = await store.replace(
      into,
      documentEntry("d", ["ash", "birch"], { embed, document: { metadata: { year: 2 } } }),
    );
    expect(result).toMatchObject({ added: 0, kept: 2, removed: 0 });
    expect(await searchVectors(store, from, { filter })).toEqual([]);
  });

  it("takes other vectors when they are given, and none when the text changed [L6 W5]", async () => {
    const store = await open();
    await store.replace(into, documentEntry("d", ["ash", "birch one"], { embed }));
    await store.replace(into, documentEntry("d", ["ash", "birch two"], { embed: () => [0, 0, 5] }));
    const version = three;
    expect((await searchVectors(store, from, { embedding: [0, 0, 1], version })).map(({ score }) => score)).toEqual([
      1, 1,
    ]);
    await store.replace(into, documentEntry("d", ["ash", "birch three"]));
    expect(
      (await searchVectors(store, from, { embedding: [0, 0, 1], version })).map(({ chunk: { id } }) => id),
    ).toEqual(["d-ash"]);
  });

  it("stores nothing when a chunk that was to be kept has gone meanwhile [L6]", async () => {
    const store = await open();
    const first = documentEntry("d", ["ash", "birch"], { embed });
    await store.replace(into, first);
    await store.delete(into, { ids: ["d-ash"] }, { purge: true });
    const next = { ...documentEntry("d", ["ash", "elm"]), keeps: ["d-ash"] };
    await expect(store.replace(into, next)).rejects.toMatchObject({ code: "store-busy" });
    expect((await store.document(from, "d"))?.document.text).toBe(first.document.text);
    expect((await collect(store.chunks(from))).map(({ chunk: { id } }) => id)).toEqual(["d-birch"]);
    const elsewhere = write("team:new");
    await expect(store.replace(elsewhere, next)).rejects.toMatchObject({ code: "store-busy" });
    expect(await store.find(read("team:new"), "d.txt")).toEqual([]);
    // What was taken back has left no trace that a later write could stumble over.
    await store.replace(into, documentEntry("d", ["ash", "elm"], { embed }));
    expect(await words(store, "ash elm birch")).toEqual(["d-ash", "d-elm"]);
  });

  it("keeps a transformed text beside the original words [E12 E19]", async () => {
    const store = await open();
    const made = documentEntry("d", ["ash tree", "birch"]);
    const entries = made.chunks.map(({ chunk, embeddings }) => ({
      chunk: { ...chunk, text: `About\n${chunk.text}` },
      embeddings,
    }));
    await store.replace(into, { ...made, chunks: entries });
    expect((await collect(store.chunks(from))).map(({ chunk: { text, urtext } }) => [text, urtext])).toEqual([
      ["About\nash tree", "ash tree"],
      ["About\nbirch", "birch"],
    ]);
    expect(await words(store, "about")).toEqual(["d-ash", "d-birch"]);
  });

  it("lists documents by uri, then scope, over pages, with their provenance [E21 T5]", async () => {
    const store = await open({ now: () => 0, segments: { sealAt: 1024 } });
    const uris = Array.from({ length: 300 }, (_, i) => `file-${String(i).padStart(3, "0")}`);
    for (const id of uris.toReversed()) await store.replace(into, documentEntry(id, ["ash"]));
    for (const id of uris.slice(250)) await store.replace(write("team:t"), documentEntry(id, ["ash"]));
    const listed = await collect(store.documents(read("team:t", "deployment")));
    const expected = uris.flatMap((id, i) =>
      i < 250
        ? [["deployment", id]]
        : [
            ["deployment", id],
            ["team:t", id],
          ],
    );
    expect(listed.map(({ scope, id }) => [scope, id])).toEqual(expected);
    expect(listed[0]).toEqual({
      scope: "deployment",
      id: "file-000",
      uri: "file-000.txt",
      title: "About file-000",
      mediaType: "text/plain",
      chunks: 1,
      contentHash: "hash of 3",
      metadataHash: "none",
      fingerprint: "test",
      bytes: 3,
      folder: null,
      rootLabel: "",
      path: "file-000.txt",
      ingestedAt: "1970-01-01T00:00:00.000Z",
      checkedAt: "1970-01-01T00:00:00.000Z",
    });
    expect(
      (await store.find(read("team:t", "deployment"), "file-299.txt")).map(({ summary }) => summary.scope),
    ).toEqual(["deployment", "team:t"]);
    expect(await store.find(read("user:nobody"), "file-299.txt")).toEqual([]);
    await store.touch(into, "file-000", { folder: "docs" });
    await store.touch(into, "nobody", { folder: "docs" });
    expect((await store.document(from, "file-000"))?.summary.folder).toBe("docs");
  });

  it("an iteration goes on while others write between its pages [T5]", async () => {
    const store = await open({ segments: { sealAt: 1024 } });
    await writeChunks(
      store,
      into,
      Array.from({ length: 600 }, (_, i) => entry(`c${String(i).padStart(3, "0")}`, "ash")),
    );
    const seen: string[] = [];
    for await (const { chunk } of store.chunks(from)) {
      seen.push(chunk.id);
      if (seen.length === 10) await store.delete(into, { ids: ["c500"] });
      if (seen.length === 20) await writeChunks(store, into, [entry("c5995", "ash")]);
    }
    expect(seen).toHaveLength(600);
    expect(seen).not.toContain("c500");
    expect(seen.at(-1)).toBe("c5995");
    expect(seen).toEqual(seen.toSorted());
  });
});
