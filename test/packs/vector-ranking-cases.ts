import { searchVectors } from "../support/search-legs.ts";
import type { VectorMatch } from "../../src/contracts/vector-store.ts";
import { check, close, equal, throwsCode } from "../../src/testing/assert.ts";
import { createRandom } from "../../src/testing/random.ts";
import type { StoreCase } from "../../src/testing/store-case.ts";
import { idsOf, near, put, refusesMetric } from "./vector-queries.ts";
import {
  deployment,
  entryOf,
  from,
  into,
  north,
  plane,
  south,
  versionOf,
  writeChunks,
} from "../../src/testing/store-fixtures.ts";

function scored(
  matches: readonly VectorMatch[],
  expected: readonly (readonly [id: string, score: number, raw: number])[],
): void {
  equal(idsOf(matches), expected.map(([id]) => id).join(" "), "order");
  for (const [i, [id, score, raw]] of expected.entries()) {
    close(matches[i]?.score, score, `score of ${id}`);
    close(matches[i]?.rawScore, raw, `raw score of ${id}`);
  }
}

/** Contract of a vector store about scores and their order. */
export const vectorRankingCases: readonly StoreCase[] = [
  [
    "cosine-by-hand",
    "W34 W8 B28 T7 B19 E24 L5",
    async (store) => {
      // a is parallel to the query, b is (3,4) of length 5: 3/5, c is perpendicular, d points the other way.
      await put(store, { d: [-1, 0], c: [0, 5], b: [3, 4], a: [2, 0] });
      const expected = [
        ["a", 1, 1],
        ["b", 0.6, 0.6],
        ["c", 0, 0],
        ["d", -1, -1],
      ] as const;
      scored(await near(store, [1, 0]), expected);
      scored(await near(store, [250, 0], { metric: "cosine" }), expected);
    },
  ],
  [
    "dot-by-hand",
    "B28 L5",
    async (store) => {
      await put(store, { a: [2, 0], b: [3, 4], c: [0, 5], d: [-1, -1] });
      if (await refusesMetric(store, "dot")) return;
      // (1,2) with each: 2, 3 + 8, 10, -1 - 2.
      scored(await near(store, [1, 2], { metric: "dot" }), [
        ["b", 11, 11],
        ["c", 10, 10],
        ["a", 2, 2],
        ["d", -3, -3],
      ]);
    },
  ],
  [
    "euclidean-nearest-first",
    "B28 L5",
    async (store) => {
      await put(store, { far: [3, 4], near: [0, 1], here: [0, 0] });
      if (await refusesMetric(store, "euclidean")) return;
      // Distances 5, 1 and 0; the score is 1 / (1 + distance), so that higher is better here too.
      scored(await near(store, [0, 0], { metric: "euclidean" }), [
        ["here", 1, 0],
        ["near", 0.5, 1],
        ["far", 1 / 6, 5],
      ]);
    },
  ],
  [
    "ties-by-id-then-scope",
    "T28 L5 L11",
    async (store) => {
      for (const scope of [south, north]) await put(store, { c: [1, 0], a: [2, 0], b: [3, 0] }, scope);
      const search = async (topK: number | "all"): Promise<string> =>
        (await searchVectors(store, from(south, north), { embedding: [1, 0], version: plane, topK }))
          .map(({ chunk, scope }) => `${chunk.id}@${scope}`)
          .join(" ");
      const all = ["a", "b", "c"].flatMap((id) => [`${id}@${north}`, `${id}@${south}`]);
      equal(await search("all"), all.join(" "), "order of equal scores");
      equal(await search(3), all.slice(0, 3).join(" "), "the first three of equal scores");
    },
  ],
  [
    "top-k-exact",
    "B20 B25 T5 W7 L4",
    async (store) => {
      // Angles grow with the letter, so the nearest to (1,0) are in alphabetical order.
      const ids = ["a", "b", "c", "d", "e", "f", "g"];
      await put(store, Object.fromEntries(ids.map((id, i) => [id, [1, i / 4]])));
      for (const topK of [1, 2, 6, 7, 8, 1000]) {
        equal(idsOf(await near(store, [1, 0], { topK })), ids.slice(0, topK).join(" "), `topK ${topK}`);
      }
      equal(idsOf(await near(store, [1, 0], { topK: "all" })), ids.join(" "), `topK "all"`);
      const standard = await searchVectors(store, from(deployment), { embedding: [1, 0], version: plane });
      check(
        standard.length >= 1 && ids.join(" ").startsWith(idsOf(standard)),
        "the default topK gives the nearest",
        idsOf(standard),
      );
    },
  ],
  [
    "top-k-below-one-refused",
    "B20 L4",
    async (store) => {
      await put(store, { a: [1, 0] });
      for (const topK of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await throwsCode(() => near(store, [1, 0], { topK }), "invalid-argument", `topK ${topK}`);
      }
      const text = "5" as unknown as number;
      await throwsCode(() => near(store, [1, 0], { topK: text }), "invalid-argument", `topK "5"`);
    },
  ],
  [
    "min-score-inclusive",
    "W40 W23 T5 L5",
    async (store) => {
      await put(store, { a: [2, 0], b: [3, 4], c: [0, 5], d: [-1, 0] });
      equal(idsOf(await near(store, [1, 0], { minScore: 1 })), "a", "minScore 1, a score of exactly 1");
      equal(idsOf(await near(store, [1, 0], { minScore: 0 })), "a b c", "minScore 0, a score of exactly 0");
      const all = await near(store, [1, 0]);
      for (const [i, { score }] of all.entries()) {
        equal(idsOf(await near(store, [1, 0], { minScore: score })), idsOf(all.slice(0, i + 1)), `minScore ${score}`);
      }
      equal(idsOf(await near(store, [1, 0], { minScore: 0.61 })), "a", "minScore .61");
      equal(idsOf(await near(store, [1, 0], { minScore: 1.1 })), "", "minScore above every score");
    },
  ],
  [
    "zero-vectors-score-zero",
    "T28 W15 L5",
    async (store) => {
      await put(store, { nil: [0, 0], plus: [1, 1], minus: [-1, -1] });
      scored(await near(store, [1, 1]), [
        ["plus", 1, 1],
        ["nil", 0, 0],
        ["minus", -1, -1],
      ]);
      for (const { score } of await near(store, [0, 0])) equal(score, 0, "a score against the zero vector");
    },
  ],
  [
    "extreme-numbers-stay-finite",
    "L5",
    async (store) => {
      for (const [id, size] of Object.entries({ a: 1e30, b: 1e-30, c: 1e38, d: 1e300, e: 5e-324 })) {
        try {
          await put(store, { [id]: [size, size] });
        } catch {
          // Beyond what this store can keep: to refuse it is right, to return NaN for it is not.
        }
      }
      for (const metric of ["cosine", "dot", "euclidean"] as const) {
        if (await refusesMetric(store, metric)) continue;
        for (const { score, rawScore, chunk } of await near(store, [1, 1], { metric })) {
          check(!Number.isNaN(score) && !Number.isNaN(rawScore), `${metric} of ${chunk.id} is a number`, score);
          if (metric === "cosine")
            check(score <= 1.000001 && score >= -0.000001, `cosine of ${chunk.id} is in [0, 1]`, score);
        }
      }
    },
  ],
  [
    "equal-to-a-plain-loop",
    "T10 T16 L5 L4",
    async (store) => {
      if (store.capabilities.legs["dense"]?.exact === false) return;
      const [random, space] = [createRandom(7), versionOf(16)];
      const vector = (): Float32Array => Float32Array.from({ length: 16 }, () => random.next() * 2 - 1);
      const vectors = Array.from({ length: 700 }, (_, i) => [`v${String(i).padStart(3, "0")}`, vector()] as const);
      await writeChunks(
        store,
        into(deployment),
        vectors.map(([id, embedding]) => entryOf(id, embedding, {}, space)),
      );
      const query = vector();
      const dot = (a: Float32Array, b: Float32Array): number =>
        a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
      const best = vectors
        .map(([id, v]) => ({ id, score: dot(v, query) / Math.sqrt(dot(v, v) * dot(query, query)) }))
        .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
      const found = await near(store, query, { version: space, topK: 25 });
      equal(
        idsOf(found),
        best
          .slice(0, 25)
          .map(({ id }) => id)
          .join(" "),
        "the nearest 25 of 700",
      );
      for (const [i, match] of found.entries()) close(match.score, best[i]?.score ?? 0, `score ${i}`, 1e-5);
    },
  ],
];
