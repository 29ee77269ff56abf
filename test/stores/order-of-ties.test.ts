import { writeChunks } from "../../src/testing/store-fixtures.ts";
import { searchPattern, searchVectors, searchWords } from "../support/search-legs.ts";
import { describe, expect, it } from "vitest";
import { collect, entry, read, three, write } from "./build.ts";
import { eachStore } from "./each-store.ts";

/** In the order of their code points; by UTF-16 code unit the last two would come before the two before them. */
const names = ["a", "z", "\ue000", "\ufffd", "\u{10000}", "\u{1f600}"];

/** Documents with two chunks each. Ids are in the opposite order of the places. */
const documents = names.map((name, i) => {
  const place = { documentId: name, uri: `${name}.txt`, title: "" };
  return [
    entry(`${9 - i}-b`, "ash birch", [1, 2, 3], { ...place, start: 0, end: 9 }),
    entry(`${9 - i}-a`, "ash birch", [1, 2, 3], { ...place, start: 20, end: 29, index: 1 }),
  ];
});
const inOrder = documents.flat().map(({ chunk }) => chunk.id);

describe.each(eachStore)("equal scores in $name", ({ open }) => {
  it.each([[[0, 1, 2, 3, 4, 5]], [[5, 4, 3, 2, 1, 0]], [[3, 5, 0, 2, 4, 1]]])(
    "come by uri and start, by code point, whatever was written first (%j) [L5 L11]",
    async (order) => {
      const store = await open();
      const from = read("deployment");
      const idsOf = (matches: readonly { readonly chunk: { readonly id: string } }[]): string[] =>
        matches.map(({ chunk }) => chunk.id);
      for (const index of order) await writeChunks(store, write("deployment"), documents[index]!);
      for (const topK of [1, 2, 5, 20]) {
        const expected = inOrder.slice(0, topK);
        expect(idsOf((await searchWords(store, from, { text: "ash", topK })).matches)).toEqual(expected);
        const near = await searchVectors(store, from, { embedding: [1, 2, 3], version: three, topK });
        expect(idsOf(near)).toEqual(expected);
        expect(idsOf(await searchPattern(store, from, { pattern: "birch", topK }))).toEqual(expected);
      }
      expect(idsOf(await collect(store.chunks(from)))).toEqual(inOrder.toSorted());
    },
  );

  it("of one place come by scope, then by id [L5 L11]", async () => {
    const store = await open();
    for (const scope of ["team:b", "team:a"] as const) {
      for (const id of ["y", "x"])
        await writeChunks(store, write(scope), [entry(id, "ash", [1, 2, 3], { documentId: id, uri: "one.txt" })]);
    }
    const from = read("team:a", "team:b");
    const expected = ["team:a x", "team:a y", "team:b x", "team:b y"];
    const { matches } = await searchWords(store, from, { text: "ash", topK: 10 });
    expect(matches.map(({ scope, chunk }) => `${scope} ${chunk.id}`)).toEqual(expected);
    const near = await searchVectors(store, from, { embedding: [1, 2, 3], version: three, topK: 10 });
    expect(near.map(({ scope, chunk }) => `${scope} ${chunk.id}`)).toEqual(expected);
  });
});
