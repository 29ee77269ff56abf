import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fadeLength, weighBestPlace, type WeightedWords } from "../../src/search/rerank/best-place.ts";
import { createRetriever } from "../../src/search/create-retriever.ts";
import { proximityPool } from "../../src/search/rerank/weigh-proximity.ts";
import { createFakeEmbedder, createFakeStore, readAll } from "./fake-store.ts";

const fade = 1 - 1 / fadeLength;

function looking(...weights: readonly number[]): WeightedWords {
  return { words: new Map(weights.map((_, word) => [String(word), word])), weights };
}

/** Every place, with what is left there of every word: no running sum. */
function naive(terms: readonly string[], { words, weights }: WeightedWords): number {
  let best = 0;
  terms.forEach((_, end) => {
    let sum = 0;
    for (const [term, word] of words) {
      const last = terms.lastIndexOf(term, end);
      if (last >= 0) sum += weights[word]! * Math.pow(fade, end - last);
    }
    best = Math.max(best, sum);
  });
  return best;
}

describe("the best place of a text", () => {
  it("is worth what is read last in full, and of what was read before what has not faded", () => {
    expect(weighBestPlace([], looking(1, 2))).toBe(0);
    expect(weighBestPlace(["x", "1", "y"], looking(1, 2))).toBe(2);
    expect(weighBestPlace(["1", "1", "x", "1"], looking(1, 2))).toBe(2);
    expect(weighBestPlace(["0", "1"], looking(1, 2))).toBeCloseTo(2 + fade, 12);
    expect(weighBestPlace(["0", "x", "x", "1"], looking(1, 2))).toBeCloseTo(2 + fade * fade * fade, 12);
    // 1 and 0 are one word apart at the end, which is better than at the beginning.
    expect(weighBestPlace(["0", "x", "x", "1", "0"], looking(1, 2))).toBeCloseTo(1 + 2 * fade, 12);
  });

  it("is what looking at every place finds", () => {
    const term = fc.oneof(fc.constantFrom("0", "1", "2", "3"), fc.constant("x"));
    const weights = fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(term, { maxLength: 120 }), weights, (terms, chosen) => {
        const words = looking(...chosen);
        const found = weighBestPlace(terms, words);
        expect(found).toBeCloseTo(naive(terms, words), 9);
        expect(found).toBeLessThanOrEqual(chosen.reduce((sum, weight) => sum + weight, 0) + 1e-9);
        expect(weighBestPlace(terms, words)).toBe(found);
      }),
    );
  });

  it("forgets what lies far behind, and looks up each term once [L11]", () => {
    const far = ["0", ...Array.from({ length: 5000 }, () => "x"), "1"];
    expect(weighBestPlace(far, looking(1, 2))).toBe(2);
    let lookups = 0;
    const { weights } = looking(...Array.from({ length: 500 }, () => 1));
    const words = new Map(weights.map((_, word) => [String(word), word]));
    const get = words.get.bind(words);
    words.get = (key) => {
      lookups += 1;
      return get(key);
    };
    const hostile = Array.from({ length: 20_000 }, (_, at) => String(at % 500));
    expect(weighBestPlace(hostile, { words, weights })).toBeLessThanOrEqual(fadeLength + 1e-6);
    expect(lookups).toBe(hostile.length);
  });
});

const gap = Array.from({ length: 30 }, (_, at) => `filler${at}`).join(" ");
const apart = { id: "a-apart", text: `rotate ${gap} keys`, vector: [0, 1] };
const together = { id: "b-together", text: `rotate keys ${gap}`, vector: [0, 1] };
const one = { id: "c-one", text: `rotate words ${gap}`, vector: [0, 1] };
const { embedder } = createFakeEmbedder([0, 0], "form");

describe("reranking by proximity", () => {
  const store = createFakeStore([apart, together, one]);

  it("puts words that stand together before the same words apart, and adds up [B33 L11]", async () => {
    const plain = await createRetriever({ store }).retrieve(readAll(), "rotate keys");
    expect(plain.map(({ chunkId }) => chunkId)).toEqual(["a-apart", "b-together", "c-one"]);
    const retriever = createRetriever({ store, reranker: "proximity" });
    const hits = await retriever.retrieve(readAll(), "rotate keys", { explain: true });
    expect(hits.map(({ chunkId }) => chunkId)).toEqual(["b-together", "a-apart", "c-one"]);
    for (const { score, explain } of hits) {
      expect(explain?.parts.reduce((sum, { value }) => sum + value, 0)).toBe(score);
    }
    const [rotate, keys] = hits[0]!.explain!.queryTerms!;
    const part = (at: number): number => hits[at]!.explain!.parts.find(({ name }) => name === "proximity")!.value;
    expect(part(0)).toBeCloseTo(0.4 * (keys!.idf + fade * rotate!.idf), 9);
    expect(part(2)).toBeCloseTo(0.4 * rotate!.idf, 9);
    expect(await retriever.retrieve(readAll(), "rotate keys", { explain: true })).toEqual(hits);
  });

  it("weighs against an absolute score by the same measure as the words themselves", async () => {
    const retriever = createRetriever({ store, embedder, reranker: "proximity" });
    const [hit] = await retriever.retrieve(readAll(), "rotate keys", { fusion: "absolute", explain: true });
    const [rotate, keys] = hit!.explain!.queryTerms!;
    const mass = Math.sqrt(rotate!.idf * rotate!.idf + keys!.idf * keys!.idf);
    const proximity = hit!.explain!.parts.find(({ name }) => name === "proximity");
    expect([hit!.chunkId, proximity!.value]).toEqual([
      "b-together",
      expect.closeTo((0.4 * (keys!.idf + fade * rotate!.idf)) / mass, 9),
    ]);
  });

  it("refuses a name that it does not know [B44]", () => {
    expect(() => createRetriever({ store, reranker: "nearness" as "proximity" })).toThrow('no reranker "nearness"');
  });

  it("can be switched off, and leaves alone what has no lexical scores [T23]", async () => {
    const retriever = createRetriever({ store, embedder, reranker: "proximity" });
    const names = async (options: object): Promise<readonly string[]> => {
      const hits = await retriever.retrieve(readAll(), "rotate keys", { explain: true, ...options });
      return hits.flatMap(({ explain }) => explain!.parts.map(({ name }) => name));
    };
    expect(await names({ fusion: "weighted" })).toContain("proximity");
    expect(await names({ rerank: false })).not.toContain("proximity");
    expect(await names({ fusion: "rrf" })).not.toContain("proximity");
    expect(await names({ mode: "dense" })).not.toContain("proximity");
  });

  it("never reorders the first when more are asked for, nor lets what is not read pass them [L11]", async () => {
    const word = fc.constantFrom("rotate", "keys", "safely", "filler", "other");
    const texts = fc.array(fc.array(word, { minLength: 1, maxLength: 40 }), {
      minLength: 1,
      maxLength: 2 * proximityPool,
    });
    await fc.assert(
      fc.asyncProperty(texts, async (rows) => {
        const chunks = rows.map((row, at) => ({ id: `c${String(at).padStart(2, "0")}`, text: row.join(" ") }));
        const retriever = createRetriever({ store: createFakeStore(chunks), reranker: "proximity" });
        const all = await retriever.retrieve(readAll(), "rotate keys safely", { mode: "lexical", topK: "all" });
        for (const topK of [1, 2, 5, proximityPool + 3]) {
          const hits = await retriever.retrieve(readAll(), "rotate keys safely", { mode: "lexical", topK });
          expect(hits).toEqual(all.slice(0, topK));
        }
        expect(all.every(({ score }, at) => at === 0 || all[at - 1]!.score >= score)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
