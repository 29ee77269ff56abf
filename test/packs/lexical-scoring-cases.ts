import { lexicalOf, searchWords } from "../support/search-legs.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { WordQuery, WordFinds } from "../support/search-legs.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import { check, close, equal } from "../../src/testing/assert.ts";
import type { StoreCase } from "../../src/testing/store-case.ts";
import { deployment, from, into, north, south, wordsOf, writeChunks } from "../../src/testing/store-fixtures.ts";
import { idsOf } from "./vector-queries.ts";

const k1 = 1.2;
const b = 0.5;

/** `ln(1 + (N - df + 0.5) / (df + 0.5))`. */
function idf(chunks: number, having: number): number {
  return Math.log(1 + (chunks - having + 0.5) / (having + 0.5));
}

/** `(k1 + 1) f / (k1 + f)` with `f = tf / (1 - b + b length / average)`, of one field; of the names, twice that. */
function saturate(frequency: number, length: number, average: number, weight = 1): number {
  const normalised = (weight * frequency) / (1 - b + (b * length) / average);
  return ((k1 + 1) * normalised) / (k1 + normalised);
}

/** Searches the deployment, or these scopes. */
export function find(
  store: Store,
  text: string,
  query: Partial<WordQuery> = {},
  ...scopes: Scope[]
): Promise<WordFinds> {
  return searchWords(store, from(...(scopes.length === 0 ? [deployment] : scopes)), { text, topK: "all", ...query });
}

/** Ids and scores to the last bit: what must not move when something hidden does. */
export function scoresOf(result: WordFinds): unknown {
  return [result.matches.map(({ scope, chunk, score }) => [scope, chunk.id, score]), result.terms];
}

/** Four chunks of 2, 4, 3 and 3 terms: twelve in all, three on average. */
export const fruits = [
  wordsOf("a", "mango kiwi"),
  wordsOf("b", "mango mango lemon papaya"),
  wordsOf("c", "kiwi lime lime"),
  wordsOf("d", "quince olive olive"),
];

/** Contract of a lexical index about its scores: BM25, and statistics of the searched scopes alone. */
export const lexicalScoringCases: readonly StoreCase[] = [
  [
    "bm25-by-hand",
    "T29 T24",
    async (store) => {
      await writeChunks(store, into(deployment), fruits);
      // mango is in 2 of 4 chunks: idf = ln(1 + 2.5/2.5) = ln 2. The average length is 3.
      const mango = idf(4, 2);
      close(mango, Math.LN2, "idf of a word in half of the chunks");
      const { matches, terms } = await find(store, "mango");
      equal(idsOf(matches), "b a", "chunks with mango, best first");
      // b: tf 2 of 4 terms, f = 2 / (.5 + .5·4/3) = 12/7. Its saturation is 2.2·(12/7) / (1.2 + 12/7) = 22/17. For a:
      // tf 1 of 2 terms, f = 1.2. Its saturation is 2.2·1.2 / 2.4 = 1.1.
      close(saturate(2, 4, 3), 22 / 17, "saturation by hand");
      // Each is the one chunk of its document, so the whole document gives .3 times the same.
      close(matches[0]?.score, 1.3 * ((mango * 22) / 17), "score of b");
      close(matches[1]?.score, 1.3 * (mango * 1.1), "score of a");
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
      await writeChunks(store, into(deployment), fruits);
      const { matches, terms } = await find(store, "kiwi absent mango");
      equal(
        terms.map(({ term, chunks }) => [term, chunks]),
        [
          ["kiwi", 2],
          ["absent", 0],
          ["mango", 2],
        ],
        "terms, unseen ones too, in the query's order, with how many chunks have them",
      );
      close(terms[1]?.idf, idf(4, 0), "idf of a word that no chunk has");
      equal(idsOf(matches), "a b c", "order");
      const [both] = matches;
      equal(
        both?.terms.map(({ term, frequency }) => [term, frequency]),
        [
          ["kiwi", 1],
          ["mango", 1],
        ],
        "terms of a",
      );
      for (const match of matches) {
        const { chunk, score, name, document, heading } = match;
        equal(lexicalOf(match) + name + document + heading, score, `the parts of ${chunk.id}, added in their order`);
        check(score > 0, `the score of ${chunk.id} is above 0`, score);
      }
      close(matches[2]?.score, 1.3 * (idf(4, 2) * saturate(1, 3, 3)), "score of c");
    },
  ],
  [
    "found-by-title-and-headings",
    "T29 E23",
    async (store) => {
      const headings = ["Orchard", "Picking mango"];
      await writeChunks(store, into(deployment), [
        wordsOf("a", "kiwi", { title: "Orchard", headings }),
        wordsOf("b", "mango papaya"),
      ]);
      // a has 3 terms in its names and 1 in its text; a title that is a heading too counts once. For b: 2 in its text.
      // So the average is 1.5 in each.
      for (const word of ["orchard", "picking"]) {
        const { matches } = await find(store, word);
        equal(idsOf(matches), "a", `found by ${word}`);
        // f = 2 · 1 / (.5 + .5 · 3 / 1.5) = 4/3: 2.2·(4/3) / (1.2 + 4/3) = 22/19.
        close(lexicalOf(matches[0]!), (idf(2, 1) * 22) / 19, `score of the words for ${word}`);
        equal(matches[0]?.terms[0]?.frequency, 1, `frequency of ${word}`);
      }
      const kiwi = await find(store, "kiwi");
      close(lexicalOf(kiwi.matches[0]!), idf(2, 1) * saturate(1, 1, 1.5), "score for a word of the text");
      const { matches } = await find(store, "mango");
      const scores = Object.fromEntries(matches.map((match) => [match.chunk.id, lexicalOf(match)]));
      close(scores["a"], idf(2, 2) * saturate(1, 3, 1.5, 2), "score for a heading's word");
      close(scores["b"], idf(2, 2) * saturate(1, 2, 1.5), "score for the text's");
      await writeChunks(store, into(deployment), [wordsOf("a", "kiwi", { title: "Garden", headings: [] })]);
      equal(idsOf((await find(store, "orchard picking")).matches), "", "by names that it had");
      equal(idsOf((await find(store, "garden")).matches), "a", "by the name that it has");
    },
  ],
  [
    "found-by-the-files-name",
    "T29 E23",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("a", "kiwi", { documentId: "harbour/sealog_2019" }),
        wordsOf("b", "mango papaya"),
      ]);
      // Three terms in the name of a's file, and two in "of b.txt": 2.5 on average. f = 10 / (.5 + .5 · 3 / 2.5).
      for (const [query, added] of [
        ["harbour", undefined],
        ["FY19", "2019"],
        ["sea log", "sealog"],
      ] as const) {
        const { matches, terms } = await find(store, query);
        equal(idsOf(matches), "a", `found by ${query}`);
        close(lexicalOf(matches[0]!), idf(2, 1) * saturate(1, 3, 2.5, 10), `score of the words for ${query}`);
        // Three words of equal rarity, one of them said: .5 · ln 2 · 1/3.
        close(matches[0]?.name, (0.5 * idf(2, 1)) / 3, `part of the name for ${query}`);
        equal(matches[0]?.document, 0, `part of the document for ${query}, whose text has no such word`);
        equal(terms.at(-1)?.term, added ?? "harbour", `the last term of ${query}`);
      }
      equal(idsOf((await find(store, "txt")).matches), "", "found by an extension");
    },
  ],
  [
    "a-name-that-is-said-counts",
    "T29",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("a", "kiwi", { title: "Tides" }),
        wordsOf("b", "kiwi", { title: "Tides, winds and storms" }),
        wordsOf("c", "kiwi", { title: "Winds" }),
      ]);
      const { matches } = await find(store, "tides winds");
      // Over three documents, two have either word, and one each of the others.
      const [said, rare] = [idf(3, 2), idf(3, 1)];
      const parts = Object.fromEntries(matches.map(({ chunk, name }) => [chunk.id, name]));
      close(parts["a"], 0.5 * said, "a title that is said wholly");
      close(parts["b"], (0.5 * (2 * said) ** 2) / (2 * said + 2 * rare), "a title that is said in part");
      close(parts["c"], 0.5 * said, "another title that is said wholly");
    },
  ],
  [
    "the-whole-document-counts",
    "T29 T26 L3",
    async (store) => {
      const pages = ["mango kiwi", "mango mango lemon papaya", "kiwi lime lime"];
      const report = pages.map((text, i) => wordsOf(`r${i}`, text, { documentId: "report", start: 30 * i, index: i }));
      await writeChunks(store, into(deployment), [...report, wordsOf("d", "quince olive mango")]);
      const found = await find(store, "mango");
      // The report has 9 words, three of them mango; the other document 3 words and one. On average 6.
      const [whole, other] = [idf(2, 2) * saturate(3, 9, 6), idf(2, 2) * saturate(1, 3, 6)];
      equal(idsOf(found.matches).split(" ").sort().join(" "), "d r0 r1", "chunks that match at all");
      for (const { chunk, document } of found.matches) {
        close(document, 0.3 * (chunk.id === "d" ? other : whole), `part of the document of ${chunk.id}`);
      }
      // A document of the same id and name in another scope is another one.
      await writeChunks(store, into(north), [wordsOf("n", "lime lime lime", { documentId: "report" })]);
      equal(scoresOf(await find(store, "mango")), scoresOf(found), "scores after another scope has such a document");
      const { matches } = await find(store, "mango", {}, deployment, north);
      const three = idf(3, 2) * saturate(3, 9, 5);
      close(matches.find(({ chunk }) => chunk.id === "r0")?.document, 0.3 * three, "among three documents");
    },
  ],
  [
    "the-innermost-heading-counts",
    "T29 E23",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("a", "kiwi", { headings: ["Orchard", "Picking mango"] }),
        wordsOf("b", "kiwi", { headings: ["Picking mango", "Orchard"] }),
        wordsOf("c", "kiwi lemon", { headings: [] }),
      ]);
      // Two of three chunks have each word of a heading.
      const parts = async (query: string) => {
        const { matches } = await find(store, query);
        return Object.fromEntries(matches.map(({ chunk, heading }) => [chunk.id, heading]));
      };
      const orchard = await parts("orchard");
      close(orchard["b"], 0.5 * idf(3, 2), "the innermost heading, said wholly");
      equal(orchard["a"], 0, "an outer heading");
      const mango = await parts("mango");
      close(mango["a"], (0.5 * idf(3, 2)) / 4, "half of the innermost heading");
      equal(mango["b"], 0, "half of an outer heading");
    },
  ],
  [
    "a-word-asked-twice-counts-twice",
    "T29",
    async (store) => {
      await writeChunks(store, into(deployment), fruits);
      const once = await find(store, "kiwi mango");
      const twice = await find(store, "mango kiwi MANGO");
      equal(
        twice.terms.map(({ term, count }) => [term, count]),
        [
          ["mango", 2],
          ["kiwi", 1],
        ],
        "distinct words, with how often they are asked",
      );
      const scoreOf = ({ matches }: WordFinds, term: string): number | undefined =>
        matches.find(({ chunk }) => chunk.id === "a")?.terms.find((each) => each.term === term)?.score;
      close(scoreOf(twice, "mango"), 2 * (scoreOf(once, "mango") ?? 0), "the share of mango in a");
      close(scoreOf(twice, "kiwi"), scoreOf(once, "kiwi") ?? 0, "the share of kiwi in a");
    },
  ],
  [
    "no-shared-word-no-match",
    "W28",
    async (store) => {
      equal(
        await find(store, "mango"),
        { matches: [], terms: [{ term: "mango", idf: idf(0, 0), count: 1, chunks: 0 }] },
        "in an empty index",
      );
      await writeChunks(store, into(deployment), fruits);
      equal((await find(store, "absent")).matches, [], "a word that nobody has");
      equal(await find(store, ""), { matches: [], terms: [] }, "no words at all");
      equal(await find(store, " \n\t"), { matches: [], terms: [] }, "white space");
    },
  ],
  [
    "queries-are-literal",
    "E25 L12",
    async (store) => {
      await writeChunks(store, into(deployment), fruits);
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
      await writeChunks(store, into(deployment), fruits);
      const before = scoresOf(await find(store, "mango kiwi"));
      await writeChunks(store, into(north), [
        wordsOf("n1", "mango mango mango"),
        wordsOf("n2", "kiwi plum plum plum plum plum plum"),
      ]);
      await writeChunks(store, into(south), [wordsOf("a", "mango")]);
      equal(
        scoresOf(await find(store, "mango kiwi")),
        before,
        "scores after others wrote where the asker may not read",
      );
      equal(scoresOf(await find(store, "mango", {}, north)), scoresOf(await find(store, "mango", {}, north)), "again");
      const { matches } = await find(store, "mango", {}, north);
      equal(idsOf(matches), "n1", "what the north finds");
      // Alone in its scope of two chunks: df 1 of 2, three terms; the average is 5 (3 and 7).
      close(matches[0]?.score, 1.3 * (idf(2, 1) * saturate(3, 3, 5)), "the northern score", 1e-6);
    },
  ],
  [
    "scopes-searched-together-are-one",
    "T8 L3",
    async (store) => {
      const [a, ...rest] = fruits;
      await writeChunks(store, into(north), a === undefined ? [] : [a]);
      await writeChunks(store, into(south), rest);
      const { matches } = await find(store, "mango", {}, north, south);
      equal(idsOf(matches), "b a", "order over two scopes");
      close(matches[0]?.score, 1.3 * ((Math.LN2 * 22) / 17), "score of b, as if all were in one scope");
      close(matches[1]?.score, 1.3 * (Math.LN2 * 1.1), "score of a, as if all were in one scope");
    },
  ],
  [
    "deleted-chunks-move-nothing",
    "T13 L3 L8",
    async (store) => {
      await writeChunks(store, into(deployment), fruits);
      const before = scoresOf(await find(store, "mango kiwi"));
      await writeChunks(store, into(deployment), [
        wordsOf("x", "mango kiwi kiwi plum plum plum plum"),
        wordsOf("y", "kiwi"),
      ]);
      await store.delete(into(deployment), { ids: ["x", "y"] });
      equal(scoresOf(await find(store, "mango kiwi")), before, "scores after chunks came and went");
      await writeChunks(store, into(deployment), [wordsOf("d", "mango mango plum")]);
      await writeChunks(store, into(deployment), [wordsOf("d", "quince olive olive")]);
      equal(scoresOf(await find(store, "mango kiwi")), before, "scores after a chunk was replaced and replaced back");
      equal(idsOf((await find(store, "plum")).matches), "", "words that only gone chunks had");
    },
  ],
  [
    "restored-chunks-count-again",
    "T13",
    async (store) => {
      if (!store.capabilities.trash) return;
      await writeChunks(store, into(deployment), fruits);
      const before = scoresOf(await find(store, "mango kiwi"));
      await store.delete(into(deployment), { ids: ["a", "b"] });
      equal(idsOf((await find(store, "mango")).matches), "", "matches while they are deleted");
      await store.trash!.restore(into(deployment), { ids: ["a", "b"] });
      equal(scoresOf(await find(store, "mango kiwi")), before, "scores after the restore");
    },
  ],
];
