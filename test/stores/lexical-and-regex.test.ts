import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { lexicalOf, searchPattern, searchWords } from "../support/search-legs.ts";
import { describe, expect, it } from "vitest";
import { entry, read, write } from "./build.ts";
import { eachStore } from "./each-store.ts";

const into = write("deployment");
const from = read("deployment");

/** The formula by hand, for chunks without names: k1 = 1.2, b = 0.5. */
function bm25(chunks: number, df: number, frequency: number, length: number, average: number): number {
  const idf = Math.log(1 + (chunks - df + 0.5) / (df + 0.5));
  const normalised = frequency * (1 / (0.5 + (0.5 * length) / average));
  return idf * ((2.2 * normalised) / (1.2 + normalised));
}

describe.each(eachStore)("words in $name", ({ open }) => {
  it("scores by BM25, to the last bit, and says what each term gave [T29 L5]", async () => {
    const store = await open();
    await writeChunks(store, into, [
      entry("a", "ash ash birch"),
      entry("b", "ash"),
      entry("c", "cedar cedar cedar cedar"),
      entry("d", "birch cedar"),
    ]);
    // Lengths 3, 1, 4, 2: on average 2.5.
    const { matches, terms } = await searchWords(store, from, { text: "ash BIRCH ash yew", topK: "all" });
    const ash = Math.log(1 + 2.5 / 2.5);
    expect(terms).toEqual([
      { term: "ash", idf: ash, count: 2, chunks: 2 },
      { term: "birch", idf: ash, count: 1, chunks: 2 },
      { term: "yew", idf: Math.log(1 + 4.5 / 0.5), count: 1, chunks: 0 },
    ]);
    const expected = {
      a: 2 * bm25(4, 2, 2, 3, 2.5) + bm25(4, 2, 1, 3, 2.5),
      b: 2 * bm25(4, 2, 1, 1, 2.5),
      d: bm25(4, 2, 1, 2, 2.5),
    };
    expect(matches.map((match) => [match.chunk.id, lexicalOf(match)])).toEqual(Object.entries(expected));
    // Each is the only chunk of its document, which gives .3 times the same.
    for (const match of matches) {
      const { id } = match.chunk;
      expect(match.document).toBeCloseTo(0.3 * expected[id as keyof typeof expected], 12);
      expect(match.score).toBe(lexicalOf(match) + match.document);
    }
    expect(matches[0]?.terms).toEqual([
      { term: "ash", idf: ash, frequency: 2, score: 2 * bm25(4, 2, 2, 3, 2.5) },
      { term: "birch", idf: ash, frequency: 1, score: bm25(4, 2, 1, 3, 2.5) },
    ]);
  });

  it("finds a chunk by the words of its headings [E23]", async () => {
    const store = await open();
    await writeChunks(store, into, [
      entry("a", "how it is done", undefined, { headings: ["Keys", "Rotation"] }),
      entry("b", "other"),
    ]);
    expect((await searchWords(store, from, { text: "rotation" })).matches.map(({ chunk: { id } }) => id)).toEqual([
      "a",
    ]);
  });

  it("a filter and a floor take away matches, never change a score [L4]", async () => {
    const store = await open();
    await writeChunks(store, into, [
      entry("a", "ash ash", undefined, { metadata: { year: 1 } }),
      entry("b", "ash birch", undefined, { metadata: { year: 2 } }),
      entry("c", "cedar", undefined, { metadata: { year: 2 } }),
    ]);
    const all = (await searchWords(store, from, { text: "ash" })).matches;
    const filtered = (await searchWords(store, from, { text: "ash", filter: { op: "eq", key: "year", value: 2 } }))
      .matches;
    expect(filtered).toEqual(all.filter(({ chunk: { id } }) => id === "b"));
    const floor = all[0]!.score;
    expect((await searchWords(store, from, { text: "ash", minScore: floor })).matches).toEqual(all.slice(0, 1));
  });

  it("scores the same whatever else is hidden from the asker, deleted or gone [L3]", async () => {
    const lone = await open();
    const crowded = await open();
    const shown = [entry("a", "ash birch"), entry("b", "ash ash cedar"), entry("c", "elm")];
    await writeChunks(lone, into, shown);
    await writeChunks(crowded, into, [
      ...shown,
      entry("deleted", "ash ash ash"),
      entry("purged", "ash birch"),
      entry("a2", "ash"),
    ]);
    await writeChunks(crowded, write("team:rivals"), [
      entry("secret", "ash ash ash ash ash"),
      entry("secret2", "birch"),
    ]);
    await crowded.delete(into, { ids: ["deleted", "a2"] });
    await crowded.delete(into, { ids: ["purged"] }, { purge: true });
    const query = { text: "ash birch", topK: "all" as const };
    expect(await searchWords(crowded, from, query)).toEqual(await searchWords(lone, from, query));
    await crowded.upkeep!.settle();
    expect(await searchWords(crowded, from, query)).toEqual(await searchWords(lone, from, query));
  });

  it("joins the statistics of all scopes that are searched, and orders ties by id, then scope [L3 L5]", async () => {
    const store = await open();
    for (const scope of ["user:u", "deployment", "team:t"] as const) {
      await writeChunks(store, write(scope), [entry("same", "ash"), entry(`of ${scope}`, "birch birch")]);
    }
    const { matches } = await searchWords(store, read("user:u", "deployment", "team:t"), { text: "ash" });
    expect(matches.map(({ scope }) => scope)).toEqual(["deployment", "team:t", "user:u"]);
    expect(matches.map(lexicalOf)).toEqual([0, 0, 0].map(() => bm25(6, 3, 1, 1, 1.5)));
    expect(matches.map(({ score }) => score)).toEqual([0, 0, 0].map(() => matches[0]!.score));
  });

  it("finds patterns in the original words, as places in the document [E23 E26]", async () => {
    const store = await open();
    await writeChunks(store, into, [
      entry("a", "Title\nid-12 and id-345", undefined, { urtext: "id-12 and id-345", start: 100, end: 116 }),
      entry("b", "ID-7", undefined, { start: 5, end: 9 }),
      entry("c", "none"),
    ]);
    const matches = await searchPattern(store, from, { pattern: "id-\\d+" });
    expect(matches.map(({ chunk: { id }, score, matches: places }) => ({ id, score, places }))).toEqual([
      {
        id: "a",
        score: 2 / 3,
        places: [
          { start: 100, end: 105 },
          { start: 110, end: 116 },
        ],
      },
    ]);
    const folded = await searchPattern(store, from, { pattern: "^id", ignoreCase: true });
    expect(folded.map(({ chunk: { id }, score }) => [id, score])).toEqual([
      ["a", 0.5],
      ["b", 0.5],
    ]);
    expect(await searchPattern(store, from, { pattern: "Title" })).toEqual([]);
    await expect(searchPattern(store, from, { pattern: "(" })).rejects.toMatchObject({ code: "invalid-regex" });
  });
});
