import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { diversify, type DiversifyOptions } from "../../../src/search/around/diversify.ts";
import { from } from "../../../src/testing/store-fixtures.ts";
import { finding, hitOf, ids, scores } from "./fixtures.ts";

const proof = from("deployment", "team:north");
const ask = (hits: Parameters<typeof finding>[0], options: DiversifyOptions = {}, topK: number | "all" = 5) =>
  diversify(finding(hits), options).retrieve(proof, "q", { topK, explain: true });

describe("maximal marginal relevance [T28]", () => {
  const alike = [
    hitOf("a", 2, { embedding: [3, 0] }),
    hitOf("b", 1.8, { embedding: [1, 0] }),
    hitOf("c", 1.6, { embedding: [0, 2] }),
  ];

  it("takes what is new before what was said: λ · relevance - (1 - λ) · likeness, by hand", async () => {
    const hits = await ask(alike, { lambda: 0.5 });
    expect(ids(hits)).toEqual(["a", "c", "b"]);
    // 0.5 · 1; 0.5 · 0.8 - 0.5 · 0; 0.5 · 0.9 - 0.5 · 1
    expect(scores(hits)).toEqual([0.5, 0.4, 0.45 - 0.5]);
    expect(hits.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    expect(hits[1]?.explain?.steps).toEqual([{ retriever: "diversify", before: { score: 1.6, rank: 3 } }]);
  });

  it("by words, the likeness is the share of words in common", async () => {
    const hits = await ask(
      [
        hitOf("a", 1, { text: "Keys are kept in a safe." }),
        hitOf("b", 0.9, { text: "keys are kept in a drawer" }),
        hitOf("c", 0.7, { text: "Tea at four." }),
      ],
      { lambda: 0.5, by: "words" },
    );
    expect(ids(hits)).toEqual(["a", "c", "b"]);
    // Five words of seven.
    expect(hits[2]?.score).toBeCloseTo(0.45 - 0.5 * (5 / 7), 12);
  });

  it("relevance alone is the order of before, difference alone never takes a copy first", async () => {
    expect(ids(await ask(alike, { lambda: 1 }))).toEqual(["a", "b", "c"]);
    expect(ids(await ask(alike, { lambda: 0 }))).toEqual(["a", "c", "b"]);
  });

  it("compares no vectors of different scopes, for they may be of different models [L6]", async () => {
    const apart = [alike[0]!, { ...alike[1]!, scope: "team:north" as const, text: "else" }, alike[2]!];
    // By vectors b would be last; by words all are as different as can be.
    expect(
      ids(
        await ask(
          apart.map((hit, i) => ({ ...hit, text: `word${i}` })),
          { lambda: 0.5 },
        ),
      ),
    ).toEqual(["a", "b", "c"]);
  });

  it("keeps the order where no score is above 0", async () => {
    const hits = await ask([hitOf("a", -1), hitOf("b", -2), hitOf("c", -4)], { lambda: 1 });
    expect(ids(hits)).toEqual(["a", "b", "c"]);
    expect(scores(hits)).toEqual([0, -1, -3]);
  });

  it("hands out no vector that nobody asked for, and those that were", async () => {
    const retriever = diversify(finding(alike));
    const [bare] = await retriever.retrieve(proof, "q");
    const [full] = await retriever.retrieve(proof, "q", { includeEmbeddings: true });
    expect([bare?.embedding, bare?.explain, full?.embedding]).toEqual([undefined, undefined, [3, 0]]);
  });

  it("looks at max(4 · topK, 32) candidates, and gives as many as were asked for", async () => {
    const base = finding(Array.from({ length: 300 }, (_, i) => hitOf(String(i).padStart(3, "0"), 1 - i / 1000)));
    expect(await diversify(base).retrieve(proof, "q", { topK: 10 })).toHaveLength(10);
    expect(await diversify(base).retrieve(proof, "q", { topK: "all" })).toHaveLength(300);
    expect(base.asked.map(({ options }) => options.topK)).toEqual([40, "all"]);
  });

  it("never rises, loses nothing, and explains itself, whatever is found [L5 L11]", async () => {
    const some = fc.array(
      fc.record({
        score: fc.double({ min: -2, max: 2, noNaN: true }),
        words: fc.array(fc.constantFrom("a", "b", "c", "d")),
      }),
      { maxLength: 160 },
    );
    await fc.assert(
      fc.asyncProperty(some, fc.double({ min: 0, max: 1, noNaN: true }), async (given, lambda) => {
        const found = given
          .map(({ score, words }, i) => hitOf(String(i).padStart(3, "0"), score, { text: words.join(" ") }))
          .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
        const hits = await ask(found, { lambda }, "all");
        expect(ids(hits).toSorted()).toEqual(ids(found).toSorted());
        for (const [i, { score, explain }] of hits.entries()) {
          expect(score).toBeLessThanOrEqual((hits[i - 1]?.score ?? Infinity) + 1e-12);
          expect(explain?.parts.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score, 12);
        }
        expect(await ask(found, { lambda }, "all")).toEqual(hits);
      }),
      { numRuns: 60 },
    );
  });

  it.each([{ lambda: 2 }, { lambda: Number.NaN }, { by: "sound" as never }, { lamda: 0.5 } as never])(
    "refuses %j",
    (options) => {
      expect(() => diversify(finding([]), options)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    },
  );
});
