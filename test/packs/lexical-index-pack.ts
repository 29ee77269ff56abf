import { searchWords } from "../support/search-legs.ts";
import type { WordQuery, WordFinds } from "../support/search-legs.ts";
import type { AuthorizedScopes } from "../../src/contracts/scope.ts";
import { equal, scribble, throwsCode } from "../../src/testing/assert.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { ContractCase } from "../../src/testing/contract-case.ts";
import { withStore } from "../../src/testing/store-case.ts";
import type { StoreCase } from "../../src/testing/store-case.ts";
import {
  chunkOf,
  deployment,
  entryOf,
  filterTable,
  filterWorldEntries,
  forgedProofs,
  from,
  into,
  north,
  south,
  wordsOf,
  writeChunks,
} from "../../src/testing/store-fixtures.ts";
import type { StoreSubject } from "../../src/testing/store-fixtures.ts";
import { idsOf } from "./vector-queries.ts";
import { find, fruits, lexicalScoringCases, scoresOf } from "./lexical-scoring-cases.ts";

/**
 * Contract of every {@link Store} beside the chunk store's pack: BM25 by hand, statistics of the searched scopes alone, literal queries.
 *
 * **Source** k1 = 1.2, b = 0.5, names twice the text; an index set to others fails the cases by hand.
 */
export function createLexicalIndexPack(subject: StoreSubject): readonly ContractCase[] {
  return defineCases("lexical-index", withStore(subject, [...lexicalScoringCases, ...matching]));
}

const matching: readonly StoreCase[] = [
  [
    "searches-the-text-that-was-written-around",
    "E11 E19",
    async (store) => {
      const chunk = chunkOf("a", { text: "Title: Orchard\n\nmango", urtext: "mango" });
      await writeChunks(store, into(deployment), [{ chunk, embeddings: [] }]);
      const { matches } = await find(store, "orchard");
      equal(
        matches.map((match) => match.chunk),
        [chunk],
        "found by its title, handed back whole",
      );
    },
  ],
  [
    "case-and-scripts",
    "T29 E25",
    async (store) => {
      const texts = {
        cyrillic: "Маяк виден за двадцать миль",
        greek: "Η ΘΆΛΑΣΣΑ είναι ήρεμη",
        han: "灯塔在二十海里外就能看见",
        kana: "きっぷはいくらですか",
        hangul: "등대는 멀리서도 보입니다",
        thai: "ประภาคารมองเห็นได้จากที่ไกล",
        arabic: "المنارة تُرى من بعيد",
        devanagari: "समुद्र आज शांत है",
      };
      await writeChunks(
        store,
        into(deployment),
        Object.entries(texts).map(([id, text]) => wordsOf(id, text)),
      );
      const queries = {
        cyrillic: "МАЯК",
        greek: "θάλασσα",
        han: "灯塔",
        kana: "きっぷ",
        hangul: "등대는",
        thai: "ประภาคาร",
        arabic: "بعيد",
        devanagari: "समुद्र",
      };
      for (const [id, query] of Object.entries(queries))
        equal(idsOf((await find(store, query)).matches), id, `found by ${query}`);
    },
  ],
  [
    "lucene-syntax",
    "E25 L4",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("a", "the red mango and the green kiwi", { title: "Fruit bowl" }),
        wordsOf("b", "mango red"),
        wordsOf("c", "kiwi green apple"),
        wordsOf("d", "manual", { headings: ["Green kiwi"] }),
      ]);
      const ids = async (text: string): Promise<readonly string[]> =>
        (await find(store, text, { syntax: "lucene" })).matches.map(({ chunk }) => chunk.id).toSorted();
      const table: Readonly<Record<string, string>> = {
        "mango apple": "a b c",
        "+mango kiwi": "a b",
        "+mango +kiwi": "a",
        "kiwi -apple": "a d",
        '"red mango"': "a",
        '"mango red"': "b",
        '"green kiwi"': "a d",
        '"fruit bowl"': "a",
        '+"green kiwi" -mango': "d",
        "man*": "a b d",
        "+man* -manual": "a b",
        "mengo~1": "a b",
        "mango~0.8": "a b",
        "\\+mango": "a b",
        absent: "",
        "+absent mango": "",
      };
      for (const [text, expected] of Object.entries(table))
        equal((await ids(text)).join(" "), expected, `found by ${text}`);
      const word = await find(store, "+mango kiwi", { syntax: "lucene", filter: { op: "eq", key: "none", value: 1 } });
      equal(word.matches, [], "nothing that a filter leaves out");
      equal(
        scoresOf(await find(store, "mango kiwi", { syntax: "lucene" })),
        scoresOf(await find(store, "mango kiwi")),
        "bare words score as they do without a syntax",
      );
      for (const text of ['"open', "+", "mango -", "-mango", "*", "~1", 'a ""', "man*go", "mango~x"])
        await throwsCode(() => ids(text), "invalid-argument", `the query ${text}`);
      const syntax = "sql" as "lucene";
      await throwsCode(() => find(store, "mango", { syntax }), "invalid-argument", "a syntax that there is not");
    },
  ],
  [
    "top-k-and-ties",
    "T28 B20 L4 L5 L11",
    async (store) => {
      for (const scope of [south, north]) {
        await writeChunks(
          store,
          into(scope),
          ["c", "a", "b"].map((id) => wordsOf(id, "mango")),
        );
      }
      const keys = async (topK: number | "all"): Promise<unknown> =>
        (await find(store, "mango", { topK }, south, north)).matches.map(({ chunk, scope }) => `${chunk.id}@${scope}`);
      const all = ["a", "b", "c"].flatMap((id) => [`${id}@${north}`, `${id}@${south}`]);
      for (const topK of [1, 3, 6, 50]) equal(await keys(topK), all.slice(0, topK), `topK ${topK}`);
      equal(await keys("all"), all, `topK "all"`);
      for (const topK of [0, -1, 1.5, Number.NaN])
        await throwsCode(() => keys(topK), "invalid-argument", `topK ${topK}`);
    },
  ],
  [
    "best-of-many",
    "T16 L4",
    async (store) => {
      // More mangoes, fewer other words: strictly better with i, so the last ones are best.
      const many = Array.from({ length: 400 }, (_, i) =>
        wordsOf(
          `m${String(i).padStart(3, "0")}`,
          `${"mango ".repeat(1 + (i % 200))}${"plum ".repeat(200 - (i % 200))}`,
          {
            metadata: { odd: i % 2 === 1 },
          },
        ),
      );
      await writeChunks(store, into(deployment), many);
      const ids = (matches: WordFinds["matches"]): readonly string[] => matches.map(({ chunk }) => chunk.id);
      equal(
        ids((await find(store, "mango", { topK: 4 })).matches),
        ["m199", "m399", "m198", "m398"],
        "the best four of 400",
      );
      const filter = { op: "eq", key: "odd", value: false } as const;
      equal(
        ids((await find(store, "mango", { topK: 2, filter })).matches),
        ["m198", "m398"],
        "the best two that pass a filter",
      );
      equal((await find(store, "mango", { topK: 7, filter })).matches.length, 7, "matches that a filter leaves");
    },
  ],
  [
    "min-score-inclusive",
    "W40 L5",
    async (store) => {
      await writeChunks(store, into(deployment), fruits);
      const { matches } = await find(store, "mango kiwi");
      for (const [i, { score }] of matches.entries()) {
        equal(
          idsOf((await find(store, "mango kiwi", { minScore: score })).matches),
          idsOf(matches.slice(0, i + 1)),
          `minScore ${score}`,
        );
      }
    },
  ],
  [
    "filters-and-origins",
    "W35 E28 E29 T9 L4",
    async (store) => {
      await writeChunks(store, into(deployment), [
        ...filterWorldEntries(),
        entryOf("z", [1, 0], { text: "lantern", origin: "note", metadata: { year: 1 } }),
      ]);
      for (const [filter, ids] of filterTable) {
        const both = { op: "and", filters: [filter, { op: "ne", key: "year", value: 1 }] } as const;
        equal(idsOf((await find(store, "lantern", { filter: both })).matches), ids, `where ${JSON.stringify(filter)}`);
      }
      const unfiltered = await find(store, "lantern");
      equal(
        (await find(store, "lantern", { origins: ["note"] })).matches,
        unfiltered.matches.filter(({ chunk }) => chunk.id === "z"),
        "one origin: the same score",
      );
      equal((await find(store, "lantern", { origins: [] })).matches, [], "no origin");
    },
  ],
  [
    "guarded",
    "T26 L3 B27",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "mango", { metadata: { list: [1] } })]);
      for (const [i, proof] of forgedProofs("read").entries()) {
        const query = { text: "mango" };
        await throwsCode(
          () => searchWords(store, proof as AuthorizedScopes, query),
          "access-denied",
          `forged proof ${i}`,
        );
      }
      equal(
        (await searchWords(store, from(), { text: "mango" })).matches,
        [],
        "matches for somebody who may read nothing",
      );
      const options = { topk: 1 } as Partial<WordQuery>;
      await throwsCode(() => find(store, "mango", options), "invalid-argument", "an unknown option");
      const [first] = (await find(store, "mango")).matches;
      scribble(first);
      const [second] = (await find(store, "mango")).matches;
      equal(second?.chunk.metadata, { list: [1] }, "metadata after a reader changed theirs");
    },
  ],
];
