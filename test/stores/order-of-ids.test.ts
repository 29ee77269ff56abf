import { searchPattern, searchVectors, searchWords } from "../../src/testing/search-legs.ts";
import { describe, expect, it } from "vitest";
import { collect, entry, read, three, write } from "./build.ts";
import { eachStore } from "./each-store.ts";

/** In the order of their code points; by UTF-16 code unit the last two would come before the two before them. */
const ids = ["a", "z", "\ue000", "\ufffd", "\u{10000}", "\u{1f600}"];

describe.each(eachStore)("equal scores in $name", ({ open }) => {
  it.each([[[0, 1, 2, 3, 4, 5]], [[5, 4, 3, 2, 1, 0]], [[3, 5, 0, 2, 4, 1]]])(
    "come by chunk id, by code point, whatever was written first (%j) [L5 L11]",
    async (order) => {
      const store = await open();
      const from = read("deployment");
      const idsOf = (matches: readonly { readonly chunk: { readonly id: string } }[]): string[] =>
        matches.map(({ chunk }) => chunk.id);
      for (const index of order) await store.upsert(write("deployment"), [entry(ids[index]!, "ash birch", [1, 2, 3])]);
      const { matches } = await searchWords(store, from, { text: "ash", topK: 10 });
      expect(idsOf(matches)).toEqual(ids);
      expect(idsOf((await searchWords(store, from, { text: "ash", topK: 5 })).matches)).toEqual(ids.slice(0, 5));
      expect(idsOf(await searchVectors(store, from, { embedding: [1, 2, 3], version: three, topK: 10 }))).toEqual(ids);
      expect(idsOf(await searchPattern(store, from, { pattern: "birch", topK: 10 }))).toEqual(ids);
      expect(idsOf(await collect(store.chunks(from)))).toEqual(ids);
    },
  );
});
