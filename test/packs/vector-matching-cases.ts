import { searchVectors } from "../support/search-legs.ts";
import type { AuthorizedScopes } from "../../src/contracts/scope.ts";
import type { VectorMatch, VectorQuery } from "../../src/contracts/vector-store.ts";
import { check, close, equal, scribble, throwsCode } from "../../src/testing/assert.ts";
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
  plane,
  south,
  versionOf,
  wordsOf,
  writeChunks,
} from "../../src/testing/store-fixtures.ts";
import { idsOf, near, put } from "./vector-queries.ts";

/** Contract of a vector store about what can be found at all: versions, filters, scopes, deletes, kinds. */
export const vectorMatchingCases: readonly StoreCase[] = [
  [
    "empty-store-finds-nothing",
    "W15 W28 S22",
    async (store) => {
      equal(await near(store, [1, 0]), [], "matches in an empty store");
      equal(
        await searchVectors(store, from(deployment), { embedding: [1, 2, 3], version: versionOf(3) }),
        [],
        "another dimension",
      );
    },
  ],
  [
    "dimension-mismatch-on-search",
    "W36 W15 L6",
    async (store) => {
      await put(store, { a: [1, 0] });
      await throwsCode(() => near(store, [1, 0, 0]), "dimension-mismatch", "a query longer than its version");
      await throwsCode(() => near(store, [1]), "dimension-mismatch", "a query shorter than its version");
      await throwsCode(() => near(store, new Float32Array(3)), "dimension-mismatch", "a typed array of another length");
    },
  ],
  [
    "broken-queries-refused",
    "L5 L6",
    async (store) => {
      await put(store, { a: [1, 0] });
      await throwsCode(() => near(store, [Number.NaN, 0]), ["invalid-argument", "invalid-response"], "a query of NaN");
      const bare = { embedding: [1, 0] };
      await throwsCode(
        () => searchVectors(store, from(deployment), bare),
        "invalid-argument",
        "an embedding without its version",
      );
      const options = { topk: 3 } as VectorQuery;
      await throwsCode(() => near(store, [1, 0], options), "invalid-argument", "an unknown option");
      const metric = { metric: "alien" } as unknown as VectorQuery;
      await throwsCode(() => near(store, [1, 0], metric), ["invalid-argument", "unsupported"], "an unknown metric");
      const filter = { filter: { op: "near", key: "a", value: 1 } } as unknown as VectorQuery;
      await throwsCode(() => near(store, [1, 0], filter), "invalid-filter", "an unknown operator");
    },
  ],
  [
    "versions-apart",
    "T37 T19 L6",
    async (store) => {
      const [old, fresh, refit] = [versionOf(2, "old"), versionOf(2, "new"), versionOf(2, "old", "refit")];
      await writeChunks(store, into(deployment), [
        entryOf("only-old", [1, 0], {}, old),
        entryOf("only-new", [1, 0], {}, fresh),
        entryOf("refit", [1, 0], {}, refit),
        entryOf("wide", [1, 0, 0], {}, versionOf(3, "old")),
        // During a cut-over a chunk has both.
        {
          chunk: chunkOf("both"),
          embeddings: [
            { version: old, embedding: [0, 1] },
            { version: fresh, embedding: [1, 0] },
          ],
        },
        wordsOf("none", "no vector at all"),
      ]);
      const byOld = await near(store, [1, 0], { version: old });
      equal(idsOf(byOld), "only-old both", "chunks with a vector of the old version");
      close(byOld[1]?.score, 0, "the old vector's score");
      const byNew = await near(store, [1, 0], { version: fresh });
      equal(idsOf(byNew), "both only-new", "chunks with a vector of the new version");
      close(byNew[0]?.score, 1, "the new vector's score");
      equal(idsOf(await near(store, [1, 0], { version: refit })), "refit", "chunks of another fingerprint");
      equal(idsOf(await near(store, [1, 0], { version: versionOf(2, "none") })), "", "chunks of an unknown version");
    },
  ],
  [
    "filter-alone-and-nothing-at-all",
    "B20 L4",
    async (store) => {
      await writeChunks(store, into(deployment), [...filterWorldEntries(), wordsOf("e", "without a vector")]);
      const facts = (matches: readonly VectorMatch[]): unknown => matches.map(({ chunk, score }) => [chunk.id, score]);
      const filter = { op: "exists", key: "year" } as const;
      const filtered = await searchVectors(store, from(deployment), { filter, topK: "all" });
      equal(
        facts(filtered),
        [
          ["a", 0],
          ["b", 0],
          ["c", 0],
        ],
        "a filter and no embedding: every match, at score 0",
      );
      const everything = await searchVectors(store, from(deployment), { topK: "all" });
      equal(
        facts(everything),
        ["a", "b", "c", "d", "e"].map((id) => [id, 0]),
        "neither: every chunk, at score 0",
      );
      equal(
        idsOf(await searchVectors(store, from(deployment), { filter, topK: 2 })),
        "a b",
        "the first two of a filter's matches",
      );
    },
  ],
  [
    "filters-mean-one-thing",
    "W35 W10 E28 E29 E23 B21 B22 B23 B29 L4",
    async (store) => {
      await writeChunks(store, into(deployment), filterWorldEntries());
      for (const [filter, ids] of filterTable) {
        equal(idsOf(await near(store, [1, 0], { filter })), ids, `nearest where ${JSON.stringify(filter)}`);
      }
    },
  ],
  [
    "filter-never-starves",
    "W9 E27 T28 L4",
    async (store) => {
      const close = Array.from({ length: 300 }, (_, i) =>
        entryOf(`x${i}`, [1, i / 1e6], { metadata: { keep: false } }),
      );
      const far = ["a", "b", "c"].map((id, i) => entryOf(id, [i, 1], { metadata: { keep: true }, origin: "note" }));
      await writeChunks(store, into(deployment), [...close, ...far]);
      const filter = { op: "eq", key: "keep", value: true } as const;
      equal(idsOf(await near(store, [1, 0], { filter, topK: 2 })), "c b", "the nearest two that pass the filter");
      equal(idsOf(await near(store, [1, 0], { filter, topK: 5 })), "c b a", "all that pass the filter");
      equal(idsOf(await near(store, [1, 0], { origins: ["note"], topK: 2 })), "c b", "the nearest two of an origin");
    },
  ],
  [
    "origins-filter",
    "T9 T22 L4",
    async (store) => {
      const origins = ["user-content", "narrative", "note", "synthetic"] as const;
      await writeChunks(
        store,
        into(deployment),
        origins.map((origin) => entryOf(origin, [1, 0], { origin })),
      );
      equal(idsOf(await near(store, [1, 0], { origins: ["note", "narrative"] })), "narrative note", "two origins");
      equal(idsOf(await near(store, [1, 0], { origins: [] })), "", "no origin");
    },
  ],
  [
    "only-authorised-scopes",
    "T25 T26 L3",
    async (store) => {
      await put(store, { a: [1, 0], n: [0, 1] }, north);
      await put(store, { a: [0, 1], s: [1, 0] }, south);
      const search = async (scopes: AuthorizedScopes): Promise<unknown> =>
        (await searchVectors(store, scopes, { embedding: [1, 0], version: plane, topK: 2 })).map((match) => [
          match.chunk.id,
          match.scope,
          Math.round(match.score),
        ]);
      equal(
        await search(from(north)),
        [
          ["a", north, 1],
          ["n", north, 0],
        ],
        "nearest in the north, not starved by the south",
      );
      equal(
        await search(from(south)),
        [
          ["s", south, 1],
          ["a", south, 0],
        ],
        "nearest in the south",
      );
      equal(await search(from()), [], "nearest for somebody who may read nothing");
      equal(await search(from(deployment)), [], "nearest in a scope that holds nothing");
      for (const [i, proof] of forgedProofs("read").entries()) {
        await throwsCode(() => search(proof as AuthorizedScopes), "access-denied", `search with forged proof ${i}`);
      }
    },
  ],
  [
    "deleted-is-not-found",
    "T13 W38 L8",
    async (store) => {
      await put(store, { a: [1, 0], b: [1, 0.1], c: [1, 0.2], d: [1, 0.3] });
      await store.delete(into(deployment), { ids: ["a", "c"] });
      equal(idsOf(await near(store, [1, 0], { topK: 2 })), "b d", "the nearest two that are left");
      if (store.capabilities.trash) {
        await store.trash!.restore(into(deployment), { ids: ["c"] });
        equal(idsOf(await near(store, [1, 0], { topK: 2 })), "b c", "the nearest two after one came back");
      }
      await store.delete(into(deployment), { scope: true });
      equal(idsOf(await near(store, [1, 0])), "", "the nearest after a reset");
    },
  ],
  [
    "replaced-vector-is-gone",
    "B18 L6",
    async (store) => {
      await put(store, { a: [1, 0], b: [0.9, 0.1] });
      await put(store, { a: [-1, 0] });
      const found = await near(store, [1, 0]);
      equal(idsOf(found), "b a", "order after a vector was replaced");
      close(found[1]?.score, -1, "score of the new vector");
    },
  ],
  [
    "vectors-only-on-request",
    "B34 W15 W39 W53 S22",
    async (store) => {
      await put(store, { a: new Float32Array([0.5, -2]) });
      const [bare] = await near(store, [1, 0]);
      check(
        bare !== undefined && bare.embedding === undefined && bare.chunk.embedding === undefined,
        "a vector came unasked",
        bare,
      );
      const [full] = await near(store, [1, 0], { includeEmbeddings: true });
      equal(full?.embedding, [0.5, -2], "a vector that was asked for");
    },
  ],
  [
    "results-not-aliased",
    "B27",
    async (store) => {
      await writeChunks(store, into(deployment), [entryOf("a", [1, 0], { metadata: { list: [1] } })]);
      const query: number[] = [1, 0];
      const [first] = await near(store, query, { includeEmbeddings: true });
      scribble(first);
      const [second] = await near(store, query, { includeEmbeddings: true });
      equal(second?.embedding, [1, 0], "the vector after a reader changed theirs");
      equal(second?.chunk, chunkOf("a", { metadata: { list: [1] } }), "the chunk after a reader changed theirs");
      close(second?.score, 1, "the score after a reader changed theirs");
      equal(query, [1, 0], "the query after a search");
    },
  ],
];
