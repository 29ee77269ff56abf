import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitLatentSemantic } from "../../src/engine/latent/fit-latent-semantic.ts";
import type { CorpusFit, FitChunk, TermCounts, TermRow } from "../../src/contracts/corpus-model.ts";
import { createProjector } from "../../src/engine/latent/create-projector.ts";
import { embedTerms, formDimensions } from "../../src/engine/latent/embed-terms.ts";
import { hashForms } from "../../src/engine/latent/hash-forms.ts";
import { projectLatent } from "../../src/engine/latent/project-latent.ts";
import { sampleForFit } from "../../src/engine/latent/sample-for-fit.ts";
import { buildTermMatrix } from "../../src/engine/latent/term-matrix.ts";
import { entropyWeight, localWeight } from "../../src/engine/latent/term-weight.ts";
import { truncateSvd } from "../../src/engine/kernels/truncated-svd.ts";

function count(text: string): TermCounts {
  const counts = new Map<string, number>();
  for (const term of text.split(" ").filter((word) => word !== "")) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { terms: [...counts.keys()], counts: [...counts.values()] };
}
const chunk = (id: string, text: string): FitChunk => ({ id, terms: count(text) });

function look(fit: CorpusFit): (term: string) => TermRow | undefined {
  const known = new Map<string, TermRow>(fit.terms.map((term) => [term.term, term]));
  return (term) => known.get(term);
}

function project(fit: CorpusFit, text: string | TermCounts) {
  return projectLatent(typeof text === "string" ? count(text) : text, fit.dimensions, look(fit));
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
    Array.from(x).reduce((sum, value, i) => sum + value * y[i]!, 0);
  const lengths = Math.sqrt(dot(a, a) * dot(b, b));
  return lengths === 0 ? 0 : dot(a, b) / lengths;
}

/** Chunks on a few subjects, each with words of its own and words of all; no chunk has all words of its subject. */
function corpus(chunks: number, subjects: number): FitChunk[] {
  let state = 12_345;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
  return Array.from({ length: chunks }, (_, i) => {
    const words = Array.from({ length: 8 }, () => `s${i % subjects}w${draw(20)}`);
    const others = Array.from({ length: 6 }, () => `common${draw(15)}`);
    return chunk(`c${i}`, [...words, ...others].join(" "));
  });
}

describe("a latent-semantic model", () => {
  it("finds what keeps the same company: words that never meet, but meet the same words", async () => {
    const fit = await fitLatentSemantic(
      [
        ...Array.from({ length: 20 }, (_, i) =>
          chunk(`a${i}`, `${i % 2 === 0 ? "car" : "automobile"} engine wheel road${i % 4}`),
        ),
        ...Array.from({ length: 20 }, (_, i) =>
          chunk(`b${i}`, `${i % 2 === 0 ? "cat" : "kitten"} fur paw purr${i % 4}`),
        ),
      ],
      { dimensions: 2 },
    );
    const car = project(fit, "car").direction;
    expect(cosine(car, project(fit, "automobile").direction)).toBeGreaterThan(0.8);
    expect(Math.abs(cosine(car, project(fit, "kitten").direction))).toBeLessThan(0.1);
  });

  it("puts chunks beside those of their subject", async () => {
    const chunks = corpus(200, 5);
    const fit = await fitLatentSemantic(chunks, { dimensions: 8 });
    const vectors = chunks.map(({ terms }) => project(fit, terms).direction);
    let right = 0;
    for (const [i, vector] of vectors.entries()) {
      const near = vectors.map((other, j) => (i === j ? -1 : cosine(vector, other)));
      if (near.indexOf(Math.max(...near)) % 5 === i % 5) right++;
    }
    expect(right).toBeGreaterThan(195);
  });

  it("gives the same bits whatever the order of chunks and of their terms [L11]", async () => {
    const chunks = corpus(60, 3);
    const fit = await fitLatentSemantic(chunks);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(chunks, { minLength: chunks.length }), async (shuffled) => {
        const turned = shuffled.map(({ id, terms: { terms, counts } }) => ({
          id,
          terms: { terms: terms.toReversed(), counts: counts.toReversed() },
        }));
        expect(await fitLatentSemantic(turned)).toEqual(fit);
        const { terms: first } = chunks[0]!;
        const backwards = { terms: first.terms.toReversed(), counts: first.counts.toReversed() };
        expect(project(fit, backwards)).toEqual(project(fit, first));
      }),
      { numRuns: 10 },
    );
  });

  it("gives these bits on every machine [L11]", async () => {
    expect((await fitLatentSemantic(corpus(300, 6))).fingerprint).toBe("4c432a7f3f787412aede184d3e17f1d0");
  });

  it("is another one for other chunks, and says so [L6]", async () => {
    const chunks = corpus(60, 3);
    const { fingerprint } = await fitLatentSemantic(chunks);
    const others = [
      await fitLatentSemantic(chunks.slice(1)),
      await fitLatentSemantic(chunks, { dimensions: 8 }),
      await fitLatentSemantic([...chunks.slice(1), chunk("c0", "s0w1 s0w2 s0w2")]),
    ];
    expect(new Set([fingerprint, ...others.map((other) => other.fingerprint)]).size).toBe(4);
  });

  it("folds a chunk it was fitted on to where the unrounded model has it", async () => {
    const chunks = corpus(200, 5);
    const fit = await fitLatentSemantic(chunks, { dimensions: 16 });
    const building = buildTermMatrix(chunks);
    let built = building.next();
    while (built.done !== true) built = building.next();
    const { matrix } = built.value;
    const factoring = truncateSvd(matrix, { rank: 16 });
    let factored = factoring.next();
    while (factored.done !== true) factored = factoring.next();
    const right = new Float64Array(matrix.columns * 16);
    factored.value.rightVectors(0, matrix.columns, right);
    const byId = chunks.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    for (const [row, { terms }] of byId.entries()) {
      const exact = new Float64Array(16);
      let whole = 0;
      for (let p = matrix.starts[row]!; p < matrix.starts[row + 1]!; p++) {
        const value = matrix.values[p]!;
        whole += value * value;
        for (let d = 0; d < 16; d++) exact[d]! += value * right[matrix.indices[p]! * 16 + d]!;
      }
      const { direction, energy } = project(fit, terms);
      expect(cosine(direction, exact)).toBeGreaterThan(0.999);
      expect(energy).toBeCloseTo(Math.hypot(...exact) / Math.sqrt(whole), 2);
      const length = Math.hypot(...exact);
      // Rows are rounded to a 127th of their largest coordinate; so many of them differ by hardly more than one does.
      direction.forEach((value, d) => expect(Math.abs(value - exact[d]! / length)).toBeLessThan(0.01));
    }
  });

  it("captures all of what lies in its dimensions, and nothing of what it never saw", async () => {
    // Two words that always come together are one direction.
    const fit = await fitLatentSemantic([
      ...Array.from({ length: 4 }, (_, i) => chunk(`a${i}`, "tea cup")),
      ...Array.from({ length: 4 }, (_, i) => chunk(`b${i}`, "sea ship")),
    ]);
    expect(fit.dimensions).toBe(2);
    expect(fit.energy).toBeCloseTo(1, 6);
    expect(project(fit, "tea cup").energy).toBeCloseTo(1, 2);
    expect(project(fit, "tea").energy).toBeCloseTo(Math.SQRT1_2, 2);
    expect(project(fit, "zebra")).toEqual({ direction: new Float64Array(2), energy: 0 });
    // weight of a word that four of eight chunks have: 1 - ln 4 / ln 8 = 1/3; an unseen one weighs 1.
    expect(project(fit, "tea cup zebra").energy).toBeCloseTo(Math.sqrt(2 / 9 / (2 / 9 + 1)), 2);
  });

  it("fits nothing where there is nothing to fit", async () => {
    const nothing: readonly (readonly FitChunk[])[] = [
      [],
      [chunk("a", "alone")],
      [chunk("a", ""), chunk("b", "")],
      [chunk("a", "no"), chunk("b", "words"), chunk("c", "shared")],
      // What is everywhere alike says nothing.
      Array.from({ length: 9 }, (_, i) => chunk(`c${i}`, "all the same")),
    ];
    for (const chunks of nothing) {
      const fit = await fitLatentSemantic(chunks);
      expect(fit).toMatchObject({ dimensions: 0, energy: 0, terms: [] });
      expect(project(fit, "all words alone")).toEqual({ direction: new Float64Array(0), energy: 0 });
    }
  });

  it("takes as many dimensions as chunks bear, and terms in any script", async () => {
    const words = ["café", "naïve", "東京", "𝔘𝔫𝔦", "😀", "مرحبا", "\ud800"];
    const chunks = Array.from({ length: 14 }, (_, i) => chunk(`c${i}`, `${words[i % 7]!} ${words[(i + 1) % 7]!}`));
    const fit = await fitLatentSemantic(chunks);
    expect(fit.dimensions).toBe(4);
    expect(fit.terms.map(({ term }) => term)).toEqual(words.toSorted());
    for (const { row, scale, weight } of fit.terms) {
      expect(Math.max(...row.map(Math.abs))).toBe(127);
      expect([Math.fround(scale), Math.fround(weight)]).toEqual([scale, weight]);
    }
  });

  it("never fails, and always keeps to its bounds", async () => {
    const word = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const texts = fc.array(fc.array(word, { maxLength: 6 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(texts, fc.array(word), async (written, asked) => {
        const fit = await fitLatentSemantic(written.map((words, i) => chunk(String(i), words.join(" "))));
        expect(fit.dimensions).toBeLessThanOrEqual(Math.ceil(written.length / 4));
        expect(fit.energy).toBeLessThanOrEqual(1);
        const { direction, energy } = project(fit, asked.join(" "));
        expect(direction).toHaveLength(fit.dimensions);
        expect(energy).toBeGreaterThanOrEqual(0);
        expect(energy).toBeLessThanOrEqual(1);
        expect(energy > 0).toBe(direction.some((value) => value !== 0));
      }),
    );
  });

  it("says how far it is, and can be stopped", async () => {
    const shares: number[] = [];
    await fitLatentSemantic(corpus(100, 4), { onProgress: (share) => shares.push(share) });
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
    const controller = new AbortController();
    const stopped = fitLatentSemantic(corpus(100, 4), {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  });

  it("refuses dimensions that are none, and options that it does not know", async () => {
    for (const dimensions of [0, -1, 1.5, 1025, Number.NaN]) {
      await expect(fitLatentSemantic([], { dimensions })).rejects.toMatchObject({ code: "invalid-argument" });
    }
    await expect(fitLatentSemantic([], { dimension: 8 } as object)).rejects.toThrow('has no option "dimension"');
  });
});

describe("an embedding of terms", () => {
  const known: Record<string, TermRow> = {
    // Rows that are whole numbers on their scale.
    tea: { row: Int8Array.of(127, 0), scale: Math.fround(1 / 127), weight: 1 },
    cup: { row: Int8Array.of(0, 127), scale: Math.fround(1 / 127), weight: 0.5 },
  };
  const find = (term: string) => known[term];
  const asQuery = (text: string) => embedTerms(count(text), 2, find, "query");
  const asChunk = (text: string) => embedTerms(count(text), 2, find, "document");

  it("adds what terms mean and how they are written, to what rounding allows", () => {
    const word = fc.constantFrom("tea", "cup", "teacup", "saucer", "東京", "x");
    const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(text, text, (asked, written) => {
        const query = asQuery(asked);
        const chunk = asChunk(written);
        const meaning = [asked, written].map((one) => projectLatent(count(one), 2, find).direction);
        const form = [asked, written].map((one) => hashForms(count(one), formDimensions, find));
        const expected = 0.6 * query.energy * cosine(meaning[0]!, meaning[1]!) + 0.2 * cosine(form[0]!, form[1]!);
        const isKnown = meaning[1]!.some((value) => value !== 0);
        const product = query.weight * cosine(query.vector, chunk.vector);
        expect(Math.abs(product - (isKnown ? expected : Math.SQRT2 * expected))).toBeLessThan(0.02);
      }),
    );
  });

  it("has its largest coordinate at 127, the others within half a step [B28]", () => {
    const { vector, weight, energy } = asChunk("tea tea cup zebra");
    // log2(3) · 1 along the first dimension, 1 · 0.5 along the second, 1 for the unseen word beside them.
    const length = Math.hypot(Math.log2(3), 0.5);
    expect(weight).toBe(1);
    expect(energy).toBeCloseTo(length / Math.hypot(length, 1), 6);
    expect(vector).toHaveLength(2 + formDimensions);
    expect(vector[0]).toBe(127);
    expect(vector[1]).toBe(Math.round((0.5 / Math.log2(3)) * 127));
    const forms = hashForms(count("tea tea cup zebra"), formDimensions, find);
    const step = Math.log2(3) / length / 127;
    forms.forEach((value, d) => expect(Math.abs(vector[2 + d]! * step - value)).toBeLessThan(step * 0.5001));
  });

  it("does not depend on the order of terms, to the last bit [L11]", () => {
    const counted = count("tea saucer cup cup zebra tea teacup 東京 tea");
    const turned = { terms: counted.terms.toReversed(), counts: counted.counts.toReversed() };
    for (const purpose of ["document", "query"] as const) {
      expect(embedTerms(turned, 2, find, purpose)).toEqual(embedTerms(counted, 2, find, purpose));
    }
  });

  it("is the same for many documents by the numbers of their terms, to the last bit", () => {
    const word = fc.constantFrom("tea", "cup", "teacup", "saucer", "東京", "x");
    const texts = fc.array(fc.array(word, { maxLength: 9 }), { maxLength: 12 });
    fc.assert(
      fc.property(texts, (documents) => {
        const names = ["saucer", "tea", "x", "東京", "cup", "teacup"];
        const project = createProjector({ fingerprint: "", dimensions: 2, find }, (number) => names[number]!);
        for (const words of documents) {
          const { terms, counts } = count(words.join(" "));
          const numbers = terms.map((term) => names.indexOf(term));
          expect(project({ numbers, counts })).toEqual(embedTerms({ terms, counts }, 2, find, "document").vector);
        }
      }),
    );
  });

  it("relates a compound to its parts by form alone, and a text without terms to nothing", () => {
    const forms = (text: string) => hashForms(count(text), formDimensions, () => undefined);
    expect(cosine(forms("handschuhfach"), forms("handschuh"))).toBeGreaterThan(0.5);
    expect(Math.abs(cosine(forms("handschuhfach"), forms("regenbogen")))).toBeLessThan(0.25);
    expect(asQuery("")).toEqual({ vector: new Int8Array(2 + formDimensions), energy: 0, weight: 0 });
    expect(asChunk("")).toEqual({ vector: new Int8Array(2 + formDimensions), energy: 0, weight: 1 });
  });

  it("hashes the n-grams of a term, signed, and no others", () => {
    // "a" between its boundaries is one n-gram: <a>.
    const [value, ...others] = [...hashForms(count("a"), 64, () => undefined)].filter((entry) => entry !== 0);
    expect(Math.abs(value!)).toBe(1);
    expect(others).toEqual([]);
    // <ab> has <ab ab> <ab>: three, of equal weight.
    const squares = [...hashForms(count("ab"), 65_536, () => undefined)].map((entry) => entry * entry).filter(Boolean);
    expect(squares).toHaveLength(3);
    for (const square of squares) expect(square).toBeCloseTo(1 / 3, 12);
  });
});

describe("weights of terms", () => {
  it("of counts are log2(1 + count)", () => {
    for (const [power, value] of [
      [1, 1],
      [3, 2],
      [255, 8],
      [1023, 10],
    ] as const)
      expect(localWeight(power)).toBe(value);
  });

  it("of terms are one less their entropy", () => {
    expect(entropyWeight([3], 8)).toBe(1);
    expect(entropyWeight([1, 1, 1, 1], 16)).toBeCloseTo(0.5, 12);
    expect(entropyWeight([2, 2, 2, 2], 4)).toBeCloseTo(0, 12);
    // p = 3/4 and 1/4: H = 2 ln 2 - 3/4 ln 3.
    expect(entropyWeight([3, 1], 4)).toBeCloseTo(1 - (2 * Math.LN2 - 0.75 * Math.log(3)) / (2 * Math.LN2), 12);
    expect(entropyWeight([5], 1)).toBe(1);
  });
});

describe("the sample that a model is fitted on", () => {
  const ids = (language: string | undefined, total: number) =>
    Array.from({ length: total }, (_, i) => ({ id: `${language}-${i}`, language }));

  it("is everything when that is little", () => {
    expect(sampleForFit([...ids("en", 3), ...ids("de", 2)], 5)).toEqual(["de-0", "de-1", "en-0", "en-1", "en-2"]);
    expect(sampleForFit([])).toEqual([]);
  });

  it("gives languages shares as the roots of their sizes, and what one cannot fill to the others", () => {
    const sample = sampleForFit([...ids("en", 900), ...ids("de", 100), ...ids(undefined, 4)], 44);
    const of = (language: string) => sample.filter((id) => id.startsWith(language)).length;
    // Roots 30, 10 and 2 of 44 places: 31.4, 10.5 and 2.1.
    expect([of("en"), of("de"), of("undefined")]).toEqual([31, 11, 2]);
    const filled = sampleForFit([...ids("en", 900), ...ids("de", 4)], 104);
    expect(filled.filter((id) => id.startsWith("de"))).toHaveLength(4);
    expect(filled).toHaveLength(104);
  });

  it("depends on ids alone: neither order nor repetition, and growing changes little of it", () => {
    const chunks = ids("en", 500);
    const sample = sampleForFit(chunks, 100);
    expect(sampleForFit([...chunks.toReversed(), ...chunks], 100)).toEqual(sample);
    const grown = sampleForFit(
      [...chunks, ...Array.from({ length: 50 }, (_, i) => ({ id: `new-${i}`, language: "en" }))],
      100,
    );
    expect(grown.filter((id) => sample.includes(id)).length).toBeGreaterThan(80);
  });

  it("always has as many as it can", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 6 }), fc.nat(300), (sizes, size) => {
        const chunks = sizes.flatMap((total, i) => ids(`l${i}`, total));
        expect(sampleForFit(chunks, size)).toHaveLength(Math.min(size, chunks.length));
      }),
    );
  });
});
