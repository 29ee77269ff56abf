import { searchPattern } from "../support/search-legs.ts";
import type { Store } from "../../src/contracts/store.ts";
import type { PatternMatch, PatternQuery } from "../support/search-legs.ts";
import type { AuthorizedScopes, Scope } from "../../src/contracts/scope.ts";
import { check, close, equal, throwsCode } from "../../src/testing/assert.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { ContractCase } from "../../src/testing/contract-case.ts";
import { regexIndexCases } from "./regex-index-cases.ts";
import { withStore } from "../../src/testing/store-case.ts";
import type { StoreCase } from "../../src/testing/store-case.ts";
import {
  chunkOf,
  deployment,
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

/** Contract of every {@link Store} beside the chunk store's pack: positions in the document, scores, patterns that cannot run away. */
export function createRegexSearchPack(subject: StoreSubject): readonly ContractCase[] {
  return defineCases("regex-search", withStore(subject, [...cases, ...regexIndexCases]));
}

function find(
  store: Store,
  pattern: string,
  query: Partial<PatternQuery> = {},
  ...scopes: Scope[]
): Promise<readonly PatternMatch[]> {
  return searchPattern(store, from(...(scopes.length === 0 ? [deployment] : scopes)), {
    pattern,
    topK: "all",
    ...query,
  });
}

const cases: readonly StoreCase[] = [
  [
    "positions-are-the-documents",
    "E23 E26 L1",
    async (store) => {
      // The chunk begins at 100 of its document; its text has a title around it that the pattern must not see.
      const chunk = chunkOf("a", {
        start: 100,
        urtext: "👍 SKU-12 and SKU-345",
        text: "# Title: SKU-9\n\n👍 SKU-12 and SKU-345",
      });
      await writeChunks(store, into(deployment), [{ chunk, embeddings: [] }]);
      const [match] = await find(store, "SKU-\\d+");
      equal(
        match?.matches,
        [
          { start: 103, end: 109 },
          { start: 114, end: 121 },
        ],
        "matches, in UTF-16 units of the document",
      );
      equal(match?.chunk, chunk, "the chunk, whole");
      equal(match?.scope, deployment, "the scope");
    },
  ],
  [
    "more-matches-are-better",
    "E26 T28 L5",
    async (store) => {
      await writeChunks(store, into(deployment), [
        wordsOf("b", "x"),
        wordsOf("a", "x"),
        wordsOf("c", "xxx"),
        wordsOf("d", "no"),
      ]);
      await writeChunks(store, into(north), [wordsOf("a", "x")]);
      const found = await find(store, "x", {}, deployment, north);
      equal(
        found.map(({ chunk, scope }) => `${chunk.id}@${scope}`),
        ["c", "a", "a", "b"].map((id, i) => `${id}@${i === 2 ? north : deployment}`),
        "order",
      );
      // n / (n + 1): three matches, then one.
      for (const [i, score] of [0.75, 0.5, 0.5, 0.5].entries()) close(found[i]?.score, score, `score ${i}`);
    },
  ],
  [
    "empty-matches-left-out",
    "E26",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "bbb"), wordsOf("b", "bab")]);
      equal(idsOf(await find(store, "a*")), "b", "chunks with a match that is not empty");
      equal((await find(store, "a*"))[0]?.matches, [{ start: 1, end: 2 }], "the match");
    },
  ],
  [
    "ordinary-patterns",
    "E26",
    async (store) => {
      const text = "Order 66: Größe 12.5 cm, café, e-mail ada@example.org; [ok] tab\tend";
      await writeChunks(store, into(deployment), [wordsOf("a", text)]);
      const expected: readonly (readonly [pattern: string, ...found: string[]])[] = [
        ["\\d+", "66", "12", "5"],
        ["\\d+\\.\\d", "12.5"],
        ["[a-z]+@[a-z.]+", "ada@example.org"],
        ["^Order", "Order"],
        ["end$", "end"],
        ["(cat|café|cm)", "cm", "café"],
        ["Gr..e", "Größe"],
        ["\\[ok\\]", "[ok]"],
        ["\\bcm\\b", "cm"],
        ["[^ -~]", "ö", "ß", "é", "\t"],
        ["6{2}", "66"],
        ["a(?:d|x)?a", "ada"],
        ["\\s\\w{2},", " cm,"],
        ["l e|l\\s?a", "l a"],
        ["nothing of the kind"],
      ];
      for (const [pattern, ...found] of expected) {
        const [match] = await find(store, pattern);
        equal(
          (match?.matches ?? []).map(({ start, end }) => text.slice(start, end)),
          found,
          `matches of ${pattern}`,
        );
      }
      equal(idsOf(await find(store, "ORDER")), "", "case matters");
      equal(idsOf(await find(store, "ORDER", { ignoreCase: true })), "a", "unless told otherwise");
    },
  ],
  [
    "what-is-not-supported-is-said",
    "E26",
    async (store) => {
      await writeChunks(store, into(deployment), [wordsOf("a", "aa")]);
      for (const pattern of ["(", "[a", "a{2,1}", "*a", "(?=a)", "(?!a)", "(?<=a)a", "(a)\\1", "\\"]) {
        const error = await throwsCode(() => find(store, pattern), "invalid-regex", `the pattern ${pattern}`);
        check(error.message.length > 10, "the error says where and what", error.message);
      }
    },
  ],
  [
    "no-pattern-runs-away",
    "E26 L12",
    async (store) => {
      // A backtracking engine would need more than 2^2000 steps here; if this case ever ends, the engine is not one.
      await writeChunks(store, into(deployment), [wordsOf("a", `${"a".repeat(2000)}!`)]);
      for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(a*)*b", "^([a-z]+)*\\d$"]) {
        equal(idsOf(await find(store, pattern)), "", `matches of ${pattern}`);
      }
      equal(idsOf(await find(store, "^(a+)+!$")), "a", "matches of ^(a+)+!$");
    },
  ],
  [
    "top-k",
    "B20 L4",
    async (store) => {
      await writeChunks(
        store,
        into(deployment),
        ["a", "b", "c", "d"].map((id, i) => wordsOf(id, "x".repeat(4 - i))),
      );
      for (const topK of [1, 3, 4, 9])
        equal(idsOf(await find(store, "x", { topK })), "a b c d".slice(0, topK * 2 - 1), `topK ${topK}`);
      for (const topK of [0, -1, 1.5])
        await throwsCode(() => find(store, "x", { topK }), "invalid-argument", `topK ${topK}`);
      await throwsCode(
        () => find(store, "x", { topk: 1 } as Partial<PatternQuery>),
        "invalid-argument",
        "an unknown option",
      );
    },
  ],
  [
    "filters-origins-scopes-deletes",
    "W35 E28 E29 T9 T13 T26 L3 L4 L8",
    async (store) => {
      await writeChunks(store, into(deployment), filterWorldEntries());
      for (const [filter, ids] of filterTable)
        equal(idsOf(await find(store, "lantern", { filter })), ids, `where ${JSON.stringify(filter)}`);
      await writeChunks(store, into(north), [
        wordsOf("n", "lantern lantern", { origin: "note" }),
        ...Array.from({ length: 60 }, (_, i) => wordsOf(`x${i}`, "lantern lantern lantern")),
      ]);
      await writeChunks(store, into(south), [wordsOf("s", "lantern")]);
      equal(idsOf(await find(store, "lantern", { origins: ["note"], topK: 1 }, north)), "n", "one origin, not starved");
      equal(idsOf(await find(store, "lantern", { origins: [] }, north)), "", "no origin");
      equal(idsOf(await find(store, "lantern", { topK: 3 }, south)), "s", "one scope, not starved");
      equal(
        await searchPattern(store, from(), { pattern: "lantern" }),
        [],
        "matches for somebody who may read nothing",
      );
      await store.delete(into(deployment), { ids: ["a", "c"] });
      equal(idsOf(await find(store, "lantern")), "b d", "matches after a delete");
      for (const [i, proof] of forgedProofs("read").entries()) {
        const query = { pattern: "x" };
        await throwsCode(
          () => searchPattern(store, proof as AuthorizedScopes, query),
          "access-denied",
          `forged proof ${i}`,
        );
      }
    },
  ],
];
