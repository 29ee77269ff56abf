import type { LexicalIndex, LexicalQuery, LexicalResult } from "../contracts/lexical-index.ts";
import type { Scope } from "../contracts/scope.ts";
import { check, close, equal } from "./assert.ts";
import type { StoreCase } from "./store-case.ts";
import { deployment, from, into, north, south, wordsOf } from "./store-fixtures.ts";
import { idsOf } from "./vector-queries.ts";

const k1 = 1.2;
const b = 0.75;

/** `ln(1 + (N - df + 0.5) / (df + 0.5))`. */
function idf(chunks: number, having: number): number {
  return Math.log(1 + (chunks - having + 0.5) / (having + 0.5));
}

/** `tf (k1 + 1) / (tf + k1 (1 - b + b length / average))`. */
function saturate(frequency: number, length: number, average: number): number {
  return (frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * length) / average));
}

/** Searches the deployment, or these scopes. */
export function find(
  store: LexicalIndex,
  text: string,
  query: Partial<LexicalQuery> = {},
  ...scopes: Scope[]
): Promise<LexicalResult> {
  return store.lexicalSearch(from(...(scopes.length === 0 ? [deployment] : scopes)), { text, topK: "all", ...query });
}

/** Ids and scores to the last bit: what must not move when something hidden does. */
function scoresOf(result: LexicalResult): unknown {
  return [result.matches.map(({ scope, chunk, score }) => [scope, chunk.id, score]), result.terms];
}

/** Four chunks of 2, 4, 1 and 1 terms: eight in all, two on average. */
export const fruits = [
  wordsOf("a", "mango kiwi"),
  wordsOf("b", "mango mango lemon papaya"),
  wordsOf("c", "kiwi"),
  wordsOf("d", "quince"),
];

/** What a lexical index promises about its scores: BM25, and statistics of the searched scopes alone. */
export const lexicalScoringCases: readonly StoreCase<LexicalIndex>[] = [
  [
    "bm25-by-hand",
    "T29 T24",
    async (store) => {
      await store.upsert(into(deployment), fruits);
      // mango is in 2 of 4 chunks: idf = ln(1 + 2.5/2.5) = ln 2. The average length is 2.
      const mango = idf(4, 2);
      close(mango, Math.LN2, "idf of a word in half of the chunks");
      const { matches, terms } = await find(store, "mango");
      equal(idsOf(matches), "b a", "chunks with mango, best first");
      // b: tf 2 of 4 terms: 2·2.2 / (2 + 1.2·(.25 + .75·2)) = 4.4/4.1. a: tf 1 of 2 terms: 2.2 / (1 + 1.2) = 1.
      close(saturate(2, 4, 2), 4.4 / 4.1, "saturation by hand");
      close(matches[0]?.score, (mango * 4.4) / 4.1, "score of b");
      close(matches[1]?.score, mango, "score of a");
      equal(
        terms.map(({ term }) => term),
        ["mango"],
        "terms of the query",
      );
      close(terms[0]?.idf, mango, "idf of the term");
    },
  ],
  [
    "scores-are-the-sum-of-their-terms",
    "T29 L5",
    async (store) => {
      await store.upsert(into(deployment), fruits);
      const { matches, terms } = await find(store, "kiwi absent mango");
      equal(
        terms.map(({ term }) => term),
        ["kiwi", "absent", "mango"],
        "terms, unseen ones too, in the query's order",
      );
      close(terms[1]?.idf, idf(4, 0), "idf of a word that no chunk has");
      equal(idsOf(matches), "a c b", "order");
      const [both] = matches;
      equal(
        both?.terms.map(({ term, frequency }) => [term, frequency]),
        [
          ["kiwi", 1],
          ["mango", 1],
        ],
        "terms of a",
      );
      for (const { chunk, score, terms: parts } of matches) {
        equal(
          parts.reduce((sum, part) => sum + part.score, 0),
          score,
          `the terms of ${chunk.id}, added in their order`,
        );
        check(score > 0, `the score of ${chunk.id} is above 0`, score);
      }
      close(matches[1]?.score, idf(4, 2) * saturate(1, 1, 2), "score of c");
    },
  ],
  [
    "found-by-title-and-headings",
    "T29 E23",
    async (store) => {
      const headings = ["Orchard", "Picking mango"];
      await store.upsert(into(deployment), [
        wordsOf("a", "kiwi", { title: "Orchard", headings }),
        wordsOf("b", "mango papaya"),
      ]);
      // a has 4 terms, for the title that is a heading too counts once: orchard, picking, mango, kiwi; b has 2; 3 on average.
      for (const word of ["orchard", "picking", "kiwi"]) {
        const { matches } = await find(store, word);
        equal(idsOf(matches), "a", `found by ${word}`);
        close(matches[0]?.score, idf(2, 1) * saturate(1, 4, 3), `score for ${word}`);
      }
      const { matches } = await find(store, "mango");
      equal(idsOf(matches), "b a", "the shorter one first");
      close(matches[1]?.score, idf(2, 2) * saturate(1, 4, 3), "score for a heading's word");
      await store.upsert(into(deployment), [wordsOf("a", "kiwi", { title: "Garden", headings: [] })]);
      equal(idsOf((await find(store, "orchard picking")).matches), "", "by names that it had");
      equal(idsOf((await find(store, "garden")).matches), "a", "by the name that it has");
    },
  ],
  [
    "a-word-asked-twice-counts-once",
    "T29",
    async (store) => {
      await store.upsert(into(deployment), fruits);
      equal(scoresOf(await find(store, "mango mango MANGO")), scoresOf(await find(store, "mango")), "distinct terms");
    },
  ],
  [
    "no-shared-word-no-match",
    "W28",
    async (store) => {
      equal(
        await find(store, "mango"),
        { matches: [], terms: [{ term: "mango", idf: idf(0, 0) }] },
        "in an empty index",
      );
      await store.upsert(into(deployment), fruits);
      equal((await find(store, "absent")).matches, [], "a word that nobody has");
      equal(await find(store, ""), { matches: [], terms: [] }, "no words at all");
      equal(await find(store, " \n\t"), { matches: [], terms: [] }, "white space");
    },
  ],
  [
    "queries-are-literal",
    "E25 L12",
    async (store) => {
      await store.upsert(into(deployment), fruits);
      for (const query of [
        '+mango -kiwi "',
        "mango*",
        "mango~0.8",
        "AND OR NOT (",
        "title:mango",
        "mango\\",
        "[mango TO kiwi}",
        "\u0000mango",
      ]) {
        check(Array.isArray((await find(store, query)).matches), `the query ${query} is answered`);
      }
      check(idsOf((await find(store, "-mango")).matches).includes("b"), "a minus sign excludes nothing");
    },
  ],
  [
    "hidden-scopes-move-nothing",
    "T26 L3",
    async (store) => {
      await store.upsert(into(deployment), fruits);
      const before = scoresOf(await find(store, "mango kiwi"));
      await store.upsert(into(north), [
        wordsOf("n1", "mango mango mango"),
        wordsOf("n2", "kiwi plum plum plum plum plum plum"),
      ]);
      await store.upsert(into(south), [wordsOf("a", "mango")]);
      equal(
        scoresOf(await find(store, "mango kiwi")),
        before,
        "scores after others wrote where the asker may not read",
      );
      equal(scoresOf(await find(store, "mango", {}, north)), scoresOf(await find(store, "mango", {}, north)), "again");
      const { matches } = await find(store, "mango", {}, north);
      equal(idsOf(matches), "n1", "what the north finds");
      // Alone in its scope of two chunks: df 1 of 2, three terms; the average is 5 (3 and 7).
      close(matches[0]?.score, idf(2, 1) * saturate(3, 3, 5), "the northern score", 1e-6);
    },
  ],
  [
    "scopes-searched-together-are-one",
    "T8 L3",
    async (store) => {
      const [a, ...rest] = fruits;
      await store.upsert(into(north), a === undefined ? [] : [a]);
      await store.upsert(into(south), rest);
      const { matches } = await find(store, "mango", {}, north, south);
      equal(idsOf(matches), "b a", "order over two scopes");
      close(matches[0]?.score, (Math.LN2 * 4.4) / 4.1, "score of b, as if all were in one scope");
      close(matches[1]?.score, Math.LN2, "score of a, as if all were in one scope");
    },
  ],
  [
    "deleted-chunks-move-nothing",
    "T13 L3 L8",
    async (store) => {
      await store.upsert(into(deployment), fruits);
      const before = scoresOf(await find(store, "mango kiwi"));
      await store.upsert(into(deployment), [wordsOf("x", "mango kiwi kiwi plum plum plum plum"), wordsOf("y", "kiwi")]);
      await store.delete(into(deployment), { ids: ["x", "y"] });
      equal(scoresOf(await find(store, "mango kiwi")), before, "scores after chunks came and went");
      await store.upsert(into(deployment), [wordsOf("d", "mango mango plum")]);
      await store.upsert(into(deployment), [wordsOf("d", "quince")]);
      equal(scoresOf(await find(store, "mango kiwi")), before, "scores after a chunk was replaced and replaced back");
      equal(idsOf((await find(store, "plum")).matches), "", "words that only gone chunks had");
    },
  ],
  [
    "restored-chunks-count-again",
    "T13",
    async (store) => {
      if (!store.capabilities.restore) return;
      await store.upsert(into(deployment), fruits);
      const before = scoresOf(await find(store, "mango kiwi"));
      await store.delete(into(deployment), { ids: ["a", "b"] });
      equal(idsOf((await find(store, "mango")).matches), "", "matches while they are deleted");
      await store.restore(into(deployment), { ids: ["a", "b"] });
      equal(scoresOf(await find(store, "mango kiwi")), before, "scores after the restore");
    },
  ],
];
