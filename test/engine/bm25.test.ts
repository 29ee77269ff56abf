import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Scope } from "../../src/contracts/scope.ts";
import { searchBm25 } from "../../src/engine/bm25/bm25.ts";
import type { QueryWord } from "../../src/engine/bm25/bm25-scoring.ts";
import { type Bm25Settings, defaultBm25 } from "../../src/engine/bm25/bm25-settings.ts";
import { bm25Formulas, type Bm25Variant, coarseLength } from "../../src/engine/bm25/bm25-variants.ts";
import { encodeTerms } from "../../src/engine/segments/chunk-terms.ts";
import { countPhrase } from "../../src/engine/bm25/find-phrase.ts";
import { joinPostings } from "../../src/engine/segments/join-postings.ts";
import { createLiveSegment } from "../../src/engine/segments/live-segment.ts";
import { createPostingsCache } from "../../src/engine/bm25/postings-cache.ts";
import type { Postings, StoredPlace } from "../../src/engine/segments/segment.ts";
import { encodeVectors } from "../../src/engine/vectors/stored-vector.ts";
import { compareChunkPlaces } from "../../src/runtime/compare-text.ts";

/** A chunk as a test sees it. */
interface Item {
  readonly text: readonly string[];
  readonly names: readonly string[];
  readonly live: boolean;
  readonly admitted: boolean;
}

const vocabulary = ["a", "b", "c", "d", "e", "f"];
const word = fc.constantFrom(...vocabulary);
const mostly = fc.integer({ min: 0, max: 5 }).map((any) => any > 0);
const item = fc.record({
  text: fc.array(word, { maxLength: 40 }),
  names: fc.array(word, { maxLength: 3 }),
  live: mostly,
  admitted: mostly,
});

const idOf = (i: number): string => `c${String(i).padStart(3, "0")}`;
const scopeOf = (place: number): Scope => `team:t${place}`;
/** A few documents, whose order is not that of the ids; some chunks share an offset. */
const placeOf = (i: number): StoredPlace => ({ uri: `d${(i * 5) % 4}`, start: (i * 7) % 5 });

const world = fc.record({
  segments: fc.array(fc.array(item, { maxLength: 30 }), { minLength: 1, maxLength: 3 }),
  /** Of each word, its alternatives and how often it is asked for; the last is in no chunk. */
  words: fc.uniqueArray(
    fc.record({
      terms: fc.uniqueArray(fc.oneof({ weight: 9, arbitrary: word }, fc.constant("unseen")), {
        minLength: 1,
        maxLength: 3,
      }),
      count: fc.integer({ min: 1, max: 3 }),
    }),
    { maxLength: 4, selector: ({ terms }) => terms.join(" ") },
  ),
  variant: fc.constantFrom(...(Object.keys(bm25Formulas) as Bm25Variant[])),
  settings: fc.constantFrom({}, { k1: 0.9, b: 0.4 }, { b: 1, nameB: 1 }, { nameWeight: 0.5 }),
  topK: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(Infinity)),
  floor: fc.constantFrom(0, 0.3, 1),
  /** Whether only every other chunk is asked for, one by one. */
  some: fc.boolean(),
});

type World = typeof world extends fc.Arbitrary<infer One> ? One : never;

/** The plain reference: each chunk by the formula as it is written down, then everything sorted. */
function naive({ segments, words, variant, settings, topK, floor, some }: World) {
  const { k1, b, nameB, nameWeight }: Bm25Settings = { ...defaultBm25, ...settings };
  const formula = bm25Formulas[variant];
  const { shift, bonus, fields, coarse } = formula;
  const live = segments.flat().filter((chunk) => chunk.live);
  const mean = (of: (chunk: Item) => number): number => live.reduce((sum, chunk) => sum + of(chunk), 0) / live.length;
  const averages = { text: mean(({ text }) => text.length), names: mean(({ names }) => names.length) };
  const norm = (length: number, average: number, strength: number): number =>
    length === 0 ? 1 : 1 / (1 - strength + (strength * length) / average);
  const frequencyOf = (said: readonly string[], terms: readonly string[]): number =>
    said.filter((each) => terms.includes(each)).length;
  const has = ({ text, names }: Item, terms: readonly string[]): boolean =>
    frequencyOf(text, terms) + frequencyOf(names, terms) > 0;
  const share = (chunk: Item, { terms, count }: QueryWord): number => {
    const { text, names } = chunk;
    const together = text.length + names.length;
    const whole = norm(coarse ? coarseLength(together) : together, averages.text + averages.names, b);
    const ofText = fields ? norm(text.length, averages.text, b) : whole;
    const ofNames = fields ? nameWeight * norm(names.length, averages.names, nameB) : whole;
    const frequency = frequencyOf(text, terms) * ofText + shift + frequencyOf(names, terms) * ofNames;
    const having = live.filter((other) => has(other, terms)).length;
    const said = formula.distinct ? Math.min(1, count) : count;
    return formula.idf(live.length, having) * said * ((formula.gain(k1) * frequency) / (k1 + frequency) + bonus);
  };
  return segments
    .flatMap((items, place) =>
      items.map((chunk, i) => {
        const found = chunk.live && chunk.admitted && (!some || i % 2 === 0);
        const held = words.filter(({ terms }) => has(chunk, terms));
        const score = found ? held.reduce((sum, each) => sum + share(chunk, each), 0) : 0;
        return { i, id: idOf(i), scope: scopeOf(place), score };
      }),
    )
    .filter(({ score }) => score > 0 && score >= floor)
    .sort((x, y) => y.score - x.score || compareChunkPlaces({ ...x, ...placeOf(x.i) }, { ...y, ...placeOf(y.i) }))
    .slice(0, topK)
    .map(({ id, scope, score }) => ({ id, scope, score }));
}

function countsOf(words: readonly string[], terms: readonly string[]): number[] {
  return terms.map((term) => words.filter((each) => each === term).length);
}

/** Chunks come in another order than that of their ids. */
function index(items: readonly Item[], scope: Scope, some: boolean) {
  const segment = createLiveSegment(scope, { chunkPlaces: (keys: readonly number[]) => keys.map(placeOf) } as never);
  const order = items.map((_, i) => i).sort((x, y) => ((x * 7) % 11) - ((y * 7) % 11) || x - y);
  for (const i of order) {
    const { text, names, live } = items[i]!;
    const terms = [...new Set([...text, ...names])];
    segment.add({
      key: i,
      id: idOf(i),
      stamp: 0,
      live,
      terms: encodeTerms({ terms, counts: countsOf(text, terms), names: countsOf(names, terms), language: "" }),
      vectors: encodeVectors([]),
    });
  }
  const admitted = Uint8Array.from(order, (i) => (items[i]!.live && items[i]!.admitted ? 1 : 0));
  return { segment, admitted, ...(some && { only: order.flatMap((i, ordinal) => (i % 2 === 0 ? [ordinal] : [])) }) };
}

describe("words by BM25 are those of a plain loop over all chunks", () => {
  it("to the last bit and the last tie, whatever the formula, run after run [T29 B19 L4 L5 L11]", () => {
    fc.assert(
      fc.property(world, (asked) => {
        const { segments, words, variant, settings, topK, floor, some } = asked;
        const searched = segments.map((items, place) => index(items, scopeOf(place), some));
        const { hits } = searchBm25(searched, words, topK, floor, { ...defaultBm25, ...settings, variant });
        const found = hits.map(({ segment, ordinal, score }) => ({
          id: segment.chunkId(ordinal),
          scope: segment.scope,
          score,
        }));
        expect(found).toEqual(naive(asked));
        for (const { score, terms } of hits) expect(terms.reduce((sum, term) => sum + term.score, 0)).toBe(score);
      }),
      { numRuns: 500 },
    );
  });
});

describe("lists of postings", () => {
  it("that are kept are those that would be read again, however many", () => {
    const read = (term: number): Postings | undefined =>
      term % 5 === 0 ? undefined : ({ ordinals: { length: term * 50_000 }, names: undefined } as unknown as Postings);
    const step = fc.tuple(fc.nat(9), fc.nat(2), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let reads = 0;
        const caches = [0, 1, 2].map(() =>
          createPostingsCache((term) => {
            reads++;
            return read(Number(term));
          }),
        );
        for (const [term, segment, isNew] of steps) {
          const cache = caches[segment]!;
          if (isNew) cache.clear();
          expect(cache.get(String(term))).toEqual(read(term));
          const before = reads;
          expect(cache.get(String(term))).toEqual(read(term));
          expect(reads).toBe(before);
        }
        for (const cache of caches) cache.clear();
      }),
    );
  });

  it("of all segments share eight megabytes: those that were asked for last stay", () => {
    const list = (length: number) => ({ ordinals: { length }, names: undefined }) as unknown as Postings;
    const reads: string[] = [];
    const caches = ["a", "b", "c"].map((name) =>
      createPostingsCache((term) => {
        reads.push(name + term);
        return list(400_000);
      }),
    );
    const ask = (...at: readonly number[]): string => {
      reads.length = 0;
      for (const each of at) caches[each]!.get("x");
      return reads.join(" ");
    };
    // Two lists of 3.2 MB fit.
    expect(ask(0, 1, 0, 1)).toBe("ax bx");
    expect(ask(2)).toBe("cx");
    expect(ask(1, 2)).toBe("");
    expect(ask(0)).toBe("ax");
    // Cleared lists take no room.
    for (const cache of caches) cache.clear();
    expect(ask(1, 2, 1, 2)).toBe("bx cx");
    for (const cache of caches) cache.clear();
  });

  it("joined are the sums of both", () => {
    const entry = fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 9 }), fc.nat(3));
    const list = fc.tuple(fc.uniqueArray(entry, { maxLength: 20, selector: ([at]) => at }), fc.boolean());
    const toPostings = ([entries, named]: readonly [readonly (readonly number[])[], boolean]): Postings => {
      const sorted = entries.toSorted((x, y) => x[0]! - y[0]!);
      const column = (at: number): Uint32Array => Uint32Array.from(sorted, (each) => each[at]!);
      return { ordinals: column(0), counts: column(1), names: named ? column(2) : undefined };
    };
    fc.assert(
      fc.property(list, list, (left, right) => {
        const sums = new Map<number, [number, number]>();
        for (const [entries, named] of [left, right]) {
          for (const [at, count, name] of entries) {
            const [counts, names] = sums.get(at) ?? [0, 0];
            sums.set(at, [counts + count, names + (named ? name : 0)]);
          }
        }
        const wanted = [...sums].sort(([x], [y]) => x - y);
        const joined = joinPostings(toPostings(left), toPostings(right));
        expect([...joined.ordinals]).toEqual(wanted.map(([at]) => at));
        expect([...joined.counts]).toEqual(wanted.map(([, [count]]) => count));
        const names = left[1] || right[1] ? wanted.map(([, [, name]]) => name) : undefined;
        expect(joined.names && [...joined.names]).toEqual(names);
      }),
    );
  });

  it("of a phrase count where its words, in any of their forms, follow one another", () => {
    const group = fc.uniqueArray(word, { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 20 }),
        fc.array(group, { minLength: 2, maxLength: 3 }),
        (terms, words) => {
          // Every character is one word, so a look-ahead finds what overlaps, too.
          const pattern = new RegExp(`(?=${words.map((forms) => `[${forms.join("")}]`).join("")})`, "gu");
          expect(countPhrase(terms, words)).toBe([...terms.join("").matchAll(pattern)].length);
        },
      ),
    );
  });
});
