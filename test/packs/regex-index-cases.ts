import { searchPattern } from "../support/search-legs.ts";
import { equal } from "../../src/testing/assert.ts";
import type { StoreCase } from "../../src/testing/store-case.ts";
import { deployment, from, into, wordsOf, writeChunks } from "../../src/testing/store-fixtures.ts";

/** The short, the optional, one way of several, case beyond ASCII, scripts without spaces, white space, numbers. */
const texts = [
  "ab",
  "abc",
  "abd abbd",
  "ac adc",
  "The cat sat; the CATALOGUE is shut.",
  "a dog,\n\ta catfish",
  "catalog v12.5 of 2024-05-17",
  "v1.x SKU-7 SKU-4711",
  "Stra\u017Fe",
  "STRASSE, straße",
  "STRAẞE",
  "300 \u212A",
  "300 k",
  "Σίσυφος",
  "ΣΊΣΥΦΟΣ",
  "中国的大学",
  "中、国",
  "😀😀 𐐀𐐨",
  "\u00B5m and",
  "\u03BCm and",
  "İstanbul, \u0131stanbul",
  "istanbul",
  "\uFB05 and",
  "\uFB06 and",
  "",
];

const patterns = [
  ["a", "ab", "ab?d", "ab*d", "a(?:b|)d", "(?:abc|adc)", "ab{2}d", "ab{0,1}d", "[ab]bd?", "(?:ab|a)c", "a.d", "[^a]bc"],
  [
    "cat",
    "cat(?:alog)?",
    "cat(?:fish|alogue)",
    "(?:c|C)at",
    "\\bcat\\b",
    "sat.*shut",
    "dog,\\s+a",
    "dog,\\s*a",
    "the\\s",
  ],
  ["\\d+", "v\\d+\\.\\d", "\\d{4}-\\d\\d", "v1\\d?\\.", "SKU-\\d{2,}", "SKU-[4-9]", "[0-9]7", "20[0-9]4", "1\\d\\.5"],
  [
    "straße",
    "strase",
    "strasse",
    "stra(?:ß|ss)e",
    "300 k",
    "σίσυφοσ",
    "Σίσ",
    "µm and",
    "istanbul",
    "İstan",
    "\uFB05 and",
  ],
  ["中国", "大学", "国的", "中.?国", "😀{2}", "𐐀{2}", ".", "^$", "[]", "(?:[]|abd)", "x{0}abd", "(?:ab){1,3}d?"],
].flat();

/** A search through the index finds everything that a search of every chunk finds. */
export const regexIndexCases: readonly StoreCase[] = [
  [
    "as-if-every-chunk-was-looked-at",
    "E26 L4",
    async (store) => {
      const ids = texts.map((_, i) => `t${String(i).padStart(2, "0")}`);
      await writeChunks(
        store,
        into(deployment),
        texts.map((text, i) => wordsOf(ids[i]!, text)),
      );
      for (const ignoreCase of [false, true]) {
        for (const pattern of patterns) {
          const plain = new RegExp(pattern, ignoreCase ? "gimu" : "gmu");
          const expected = ids.filter((_, i) => [...texts[i]!.matchAll(plain)].some(([match]) => match !== ""));
          const found = await searchPattern(store, from(deployment), { pattern, ignoreCase, topK: "all" });
          equal(
            found.map(({ chunk }) => chunk.id).toSorted(),
            expected,
            `${pattern}${ignoreCase ? ", whatever the case" : ""}`,
          );
        }
      }
    },
  ],
  [
    "what-changed-is-looked-at-again",
    "T14 W7 L8",
    async (store) => {
      const find = async (pattern: string): Promise<string> => {
        const found = await searchPattern(store, from(deployment), { pattern, topK: "all" });
        return found.map(({ chunk }) => chunk.id).join(" ");
      };
      await writeChunks(
        store,
        into(deployment),
        ["a", "b", "c", "d"].map((id) => wordsOf(id, `lantern ${id}`)),
      );
      // The first look is when this one is out of sight.
      await store.delete(into(deployment), { ids: ["d"] });
      equal(await find("lantern"), "a b c", "matches");
      await writeChunks(store, into(deployment), [wordsOf("a", "compass a")]);
      equal(await find("lantern"), "b c", "matches of the old text");
      equal(await find("compass"), "a", "matches of the new text");
      await store.delete(into(deployment), { ids: ["b"] });
      equal(await find("lantern"), "c", "matches after a delete");
      if (!store.capabilities.trash) return;
      await store.trash!.restore(into(deployment), { ids: ["b", "d"] });
      equal(await find("lantern"), "b c d", "matches after two were restored");
    },
  ],
];
