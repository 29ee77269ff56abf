import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type KeepingScores, prepareBm25, searchBm25, searchPrepared } from "../../src/engine/bm25/bm25.ts";
import { defaultBm25 } from "../../src/engine/bm25/bm25-settings.ts";
import { buildDocumentFields } from "../../src/engine/bm25/document-fields.ts";
import type { Analyzer } from "../../src/contracts/analyzer.ts";
import { createWordIndex, type IndexedWord } from "../../src/engine/bm25/word-index.ts";
import { createPlainSums, createSimdSums, eachReaching, impactSums } from "../../src/engine/kernels/impact-sums.ts";
import { countAt, entryOf, impactStep, mostImpact, packPostings, sparseAt } from "../../src/engine/bm25/word-list.ts";
import { finishSteps } from "../../src/runtime/steps.ts";
import { createRandom } from "../../src/testing/random.ts";
import type { Postings, Segment } from "../../src/engine/segments/segment.ts";

const size = 150_000;
/** Many near the ends of windows of 65,536 chunks, some anywhere. */
const ordinal = fc.oneof(
  fc.integer({ min: 65_530, max: 65_545 }),
  fc.integer({ min: 131_065, max: 131_080 }),
  fc.integer({ min: 0, max: 20 }),
  fc.nat(size - 1),
);
const count = fc.oneof(fc.nat(5), fc.integer({ min: 13, max: 18 }), fc.constant(70_000));
const postings = fc
  .uniqueArray(fc.tuple(ordinal, count, fc.nat(2)), { maxLength: 60, selector: ([at]) => at })
  .map((entries): Postings => {
    const sorted = entries.filter(([, text, named]) => text + named > 0).sort((a, b) => a[0] - b[0]);
    const column = (at: 0 | 1 | 2): Uint32Array => Uint32Array.from(sorted, (entry) => entry[at]);
    return { ordinals: column(0), counts: column(1), names: column(2) };
  });
const lists = fc.record({ a: postings, b: postings, c: postings });

const lengths = new Uint32Array(size).map((_, i) => 20 + (i % 300));
const nameLengths = new Uint32Array(size).map((_, i) => 1 + (i % 7));
const live = new Uint8Array(size).fill(1);
const total = (numbers: Uint32Array): number => numbers.reduce((sum, each) => sum + each, 0);
const averages = { text: total(lengths) / size, names: total(nameLengths) / size };

/** `d` is in every chunk, so that windows are walked whole with it. */
function segmentOf(held: Record<string, Postings>, calls?: string[]): Segment {
  const everywhere: Postings = {
    ordinals: new Uint32Array(size).map((_, i) => i),
    counts: new Uint32Array(size).fill(1),
    names: undefined,
  };
  return {
    scope: "deployment",
    size,
    live,
    liveCount: size,
    liveLengths: { text: averages.text * size, names: averages.names * size },
    textLengths: lengths,
    nameLengths,
    postings(term: string) {
      calls?.push(term);
      return term === "d" ? everywhere : held[term];
    },
    chunkIds: (ordinals: readonly number[]) => ordinals.map(String),
    places: (ordinals: readonly number[]) => ordinals.map((start) => ({ uri: "u", start })),
  } as unknown as Segment;
}

function scoreOf(held: Record<string, Postings>, words: readonly string[], chunk: number): number {
  let score = 0;
  for (const word of words) {
    const list = held[word]!;
    const at = list.ordinals.indexOf(chunk);
    if (at < 0 && word !== "d") continue;
    const norm = (length: number, average: number): number => 1 / (0.5 + (0.5 * length) / average);
    const [text, names] = word === "d" ? [1, 0] : [list.counts[at]!, list.names![at]!];
    const frequency =
      text * norm(lengths[chunk]!, averages.text) + names * (2 * norm(nameLengths[chunk]!, averages.names));
    const having = word === "d" ? size : list.ordinals.length;
    score += Math.log(1 + (size - having + 0.5) / (having + 0.5)) * ((2.2 * frequency) / (1.2 + frequency));
  }
  return score;
}

describe("segments of several windows", () => {
  it("give the best chunks to the last bit, whether windows are walked whole or by their entries [L4 L5]", () => {
    const wanted = fc.record({
      held: lists,
      words: fc.constantFrom<(readonly string[])[]>(["a", "b", "c"], ["c", "a"], ["b", "d"], ["d"]),
      topK: fc.constantFrom(1, 5, 40),
      admitEven: fc.boolean(),
    });
    fc.assert(
      fc.property(wanted, ({ held, words, topK, admitEven }) => {
        const all = { ...held, d: { ordinals: new Uint32Array(0), counts: new Uint32Array(0), names: undefined } };
        const chunks = words.includes("d")
          ? Array.from(lengths, (_, i) => i)
          : [...new Set(words.flatMap((word) => [...all[word as "a"].ordinals]))];
        const admitted = admitEven ? live.map((_, i) => 1 - (i % 2)) : live;
        const expected = chunks
          .filter((chunk) => admitted[chunk] === 1)
          .map((chunk) => ({ chunk, score: scoreOf(all, words, chunk) }))
          .sort((a, b) => b.score - a.score || a.chunk - b.chunk)
          .slice(0, topK);
        const asked = words.map((word) => ({ terms: [word], count: 1 }));
        const { hits } = searchBm25([{ segment: segmentOf(held), admitted }], asked, topK, 0);
        expect(hits.map((hit) => ({ chunk: hit.ordinal, score: hit.score }))).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it("keep their lists to the last count", () => {
    fc.assert(
      fc.property(postings, (list) => {
        const packed = packPostings(list, size, new Uint32Array(list.ordinals.length).fill(1));
        const held = new Map([...list.ordinals].map((at, i) => [at, i]));
        for (const chunk of [...list.ordinals, 0, 7, 65_535, 65_536, 131_072, size - 1]) {
          const [at, i] = [entryOf(packed, chunk), held.get(chunk)];
          expect(at >= 0 ? at : undefined).toBe(i);
          if (i === undefined) continue;
          expect(countAt(packed, at)).toBe(list.counts[i]);
          expect(sparseAt(packed.names, at)).toBe(list.names![i]);
          // From where the last one was found, as a walk in order asks.
          expect(entryOf(packed, chunk, Math.max(0, i - 1))).toBe(i);
        }
      }),
    );
  });

  it("keep impacts that are rounded up by less than a step, within 16 bits", () => {
    const impact = fc.oneof(fc.integer({ min: 1, max: mostImpact }), fc.constantFrom(1, mostImpact - 1, mostImpact));
    fc.assert(
      fc.property(fc.array(fc.tuple(impact, count)), (entries) => {
        const list: Postings = {
          ordinals: Uint32Array.from(entries.keys()),
          counts: Uint32Array.from(entries, ([, text]) => text),
          names: undefined,
        };
        const impacts = Uint32Array.from(entries, ([given]) => given);
        const { packed } = packPostings(list, size, impacts);
        entries.forEach(([given], i) => {
          expect(packed[i]! & 0xffff).toBe(i);
          expect(packed[i]! >>> 16).toBeGreaterThanOrEqual(given);
          expect(packed[i]! >>> 16).toBeLessThan(given + impactStep);
        });
      }),
    );
  });
});

describe("documents of several windows", () => {
  const documents = 75_000;
  // The second half of the chunks goes through the same documents in another order.
  const homes = Uint32Array.from({ length: size }, (_, i) => (i < documents ? i : (i * 7) % documents));
  const analyzer = { fingerprint: "none", analyze: () => [] } as unknown as Analyzer;
  const named = { languages: () => ["en"], languageOf: () => "en", documents: () => Float64Array.from(homes) };
  const sizes = new Float64Array(documents);
  homes.forEach((home, i) => (sizes[home]! += lengths[i]!));
  const mean = total(lengths) / documents;
  const norms = sizes.map((length) => 1 - 0.5 + (0.5 * length) / mean);

  it("give each chunk the part of its own to the last bit, and bound it closely from above [L4 L5]", () => {
    const wanted = fc.record({
      held: lists,
      words: fc.constantFrom<(readonly ("a" | "b" | "c")[])[]>(["a", "b", "c"], ["c", "a"], ["b"]),
      topK: fc.constantFrom(1, 5, 40, Infinity),
    });
    let present: Record<string, Postings> = {};
    const segment = {
      ...segmentOf({}),
      ...named,
      postings: (term: string) => present[term],
    } as unknown as Segment;
    const fields = finishSteps(buildDocumentFields([segment], () => new Map(), analyzer));
    fc.assert(
      fc.property(wanted, ({ held, words, topK }) => {
        present = held;
        const counted = words.map((word) => {
          const occurrences = new Map<number, number>();
          held[word].ordinals.forEach((ordinal, i) => {
            const count = held[word].counts[i]!;
            if (count > 0) occurrences.set(homes[ordinal]!, (occurrences.get(homes[ordinal]!) ?? 0) + count);
          });
          const having = occurrences.size;
          return { occurrences, worth: 0.3 * Math.log(1 + (documents - having + 0.5) / (having + 0.5)) };
        });
        const documentPart = (home: number): number => {
          let sum = 0;
          for (const { occurrences, worth } of counted) {
            const count = occurrences.get(home);
            if (count === undefined) continue;
            const frequency = count / norms[home]!;
            sum += worth * ((2.2 * frequency) / (1.2 + frequency));
          }
          return sum;
        };
        const chunks = [...new Set(words.flatMap((word) => [...held[word].ordinals]))];
        const expected = chunks
          .map((chunk) => ({ chunk, score: scoreOf(held, words, chunk) + documentPart(homes[chunk]!) }))
          .sort((a, b) => b.score - a.score || a.chunk - b.chunk)
          .slice(0, topK);
        const asked = words.map((word) => ({ terms: [word], count: 1 }));
        const { hits } = searchBm25([{ segment, admitted: live }], asked, topK, 0, defaultBm25, fields);
        expect(hits.map((hit) => ({ chunk: hit.ordinal, score: hit.score }))).toEqual(expected);
        const keeping: KeepingScores = {};
        const scoring = finishSteps(prepareBm25(createWordIndex([segment], defaultBm25, fields), asked));
        finishSteps(searchPrepared(scoring, [{ segment, admitted: live }], topK, 0, undefined, undefined, keeping));
        const kept = keeping.kept!;
        const uppers = kept.uppers(segment, chunks)!;
        const { most, least } = kept.bounds(segment, chunks)!;
        kept.close();
        expect(most).toEqual(uppers);
        chunks.forEach((chunk, i) => {
          const document = documentPart(homes[chunk]!);
          const score = scoreOf(held, words, chunk) + document;
          expect(most[i]).toBeGreaterThanOrEqual(score);
          expect(least[i]).toBeLessThanOrEqual(score);
          // Bounds of a chunk with names include the most that a heading gives.
          const isNamed = words.some((word) => (held[word].names?.[held[word].ordinals.indexOf(chunk)] ?? 0) > 0);
          if (isNamed) return;
          // The rounded impacts of a word add less than a thousandth of the most that it gives.
          expect(most[i]).toBeLessThan(score + 0.05);
          expect(least[i]).toBeGreaterThan(score - 0.05);
        });
      }),
      { numRuns: 30 },
    );
  });
});

describe("scores that differ by less than an impact", () => {
  const mean = 200;
  const documents = 200;
  const valueOf = (count: number, length: number): number => {
    const frequency = count / (0.5 + (0.5 * length) / mean);
    return (2.2 * frequency) / (1.2 + frequency);
  };
  const impactOf = (count: number, length: number): number => {
    const impact = Math.ceil((valueOf(count, length) * mostImpact) / 2.2);
    return Math.ceil((impact - count) / impactStep) * impactStep + count;
  };
  /** Lengths and counts of two words. The first of a pair has the higher score, and the lower sum of impacts. */
  const pairs = Array.from({ length: 8000 }, (_, i) => {
    const length = 5000 + ((i * 7919) % 4000);
    const counts = [2 + (i % 9), 2 + ((i * 5) % 7)] as const;
    const sum = (of: typeof valueOf): number => of(counts[0], length) + of(counts[1], length);
    return { length, counts, value: sum(valueOf), impacts: sum(impactOf) };
  })
    .sort((a, b) => b.value - a.value)
    .flatMap((one, i, all) => {
      const other = all[i + 1];
      return other !== undefined && one.impacts < other.impacts ? [[one, other] as const] : [];
    })
    .slice(0, 120);

  it("are in order: those of chunks [L4]", () => {
    for (const pair of pairs) {
      // Other chunks make up the mean.
      const textLengths = new Uint32Array(documents);
      textLengths.set([pair[0].length, pair[1].length, documents * mean - pair[0].length - pair[1].length]);
      const listOf = (word: 0 | 1): Postings => ({
        ordinals: Uint32Array.of(0, 1),
        counts: Uint32Array.of(pair[0].counts[word], pair[1].counts[word]),
        names: undefined,
      });
      const segment = {
        ...segmentOf({ a: listOf(0), b: listOf(1) }),
        size: documents,
        live: new Uint8Array(documents).fill(1),
        liveCount: documents,
        liveLengths: { text: documents * mean, names: 0 },
        textLengths,
        nameLengths: new Uint32Array(documents),
      } as unknown as Segment;
      const asked = ["a", "b"].map((term) => ({ terms: [term], count: 1 }));
      const { hits } = searchBm25([{ segment, admitted: segment.live }], asked, 1, 0);
      expect(hits.map(({ ordinal }) => ordinal)).toEqual([0]);
    }
  });

  it("are in order: those of documents [L4]", () => {
    expect(pairs.length).toBeGreaterThan(50);
    for (const pair of pairs) {
      // Each has a chunk that says both words once, and a long one with the rest. Other documents make up the mean.
      const rest = documents * mean - pair[0].length - pair[1].length;
      const own = Uint32Array.from([50, pair[0].length - 50, 50, pair[1].length - 50, rest]);
      const homes = Float64Array.from([1, 1, 2, 2, 3]);
      const size = own.length + documents - 3;
      const textLengths = new Uint32Array(size);
      textLengths.set(own);
      const listOf = (word: 0 | 1): Postings => ({
        ordinals: Uint32Array.of(0, 1, 2, 3),
        counts: Uint32Array.of(1, pair[0].counts[word] - 1, 1, pair[1].counts[word] - 1),
        names: undefined,
      });
      const segment = {
        ...segmentOf({ a: listOf(0), b: listOf(1) }),
        size,
        live: new Uint8Array(size).fill(1),
        liveCount: size,
        liveLengths: { text: documents * mean, names: size },
        textLengths,
        nameLengths: new Uint32Array(size).fill(1),
        languages: () => ["en"],
        languageOf: () => "en",
        documents: () => Float64Array.from({ length: size }, (_, i) => homes[i] ?? i),
      } as unknown as Segment;
      const analyzer = { fingerprint: "none", analyze: () => [] } as unknown as Analyzer;
      const fields = finishSteps(buildDocumentFields([segment], () => new Map(), analyzer));
      const asked = ["a", "b"].map((term) => ({ terms: [term], count: 1 }));
      const settings = { ...defaultBm25, document: 300 };
      const { hits } = searchBm25([{ segment, admitted: segment.live }], asked, 1, 0, settings, fields);
      expect(hits.map(({ ordinal }) => ordinal)).toEqual([0]);
    }
  });
});

describe("a search that fails", () => {
  const list = (from: number, step: number): Postings => {
    const ordinals = Uint32Array.from({ length: 2_000 }, (_, i) => from + i * step);
    return { ordinals, counts: ordinals.map((at) => 1 + (at % 3)), names: undefined };
  };
  const held = { a: list(0, 1), b: list(500, 60) };
  const words = ["a", "b", "d"].map((term) => ({ terms: [term], count: 1 }));
  const segment = segmentOf(held);
  const search = (admitted: Uint8Array, topK: number, asked = words) =>
    searchBm25([{ segment, admitted }], asked, topK, 0).hits.map(({ ordinal, score }) => ({ ordinal, score }));

  it.each([
    ["whole", words],
    ["by their entries", words.slice(0, 2)],
  ])("amid a window, moves no score of the next: windows that are walked %s", (_, asked) => {
    const expected = search(live, 20, asked);
    for (const failsAt of [3, 700, 66_020]) {
      const admitted = new Proxy(live, {
        get(target, at) {
          if (at === String(failsAt)) throw new RangeError("no more memory");
          return Reflect.get(target, at) as unknown;
        },
      });
      expect(() => search(admitted, Infinity, asked)).toThrow("no more memory");
      expect(search(live, 20, asked)).toEqual(expected);
    }
  });

  it("while a word is counted in documents, moves no score of the next", () => {
    // Its second segment cannot be read the first time.
    const isBroken = { now: false };
    const second = {
      ...segmentOf(held),
      postings: (term: string) => {
        if (isBroken.now) throw new RangeError("no more memory");
        return segmentOf(held).postings(term);
      },
    };
    const homes = { documents: () => Float64Array.from({ length: size }, (_, i) => 1 + (i >> 8)) };
    const languages = { languages: () => ["en"], languageOf: () => "en" };
    const segments = [segment, second].map((each) => ({ ...each, ...homes, ...languages }) as unknown as Segment);
    const analyzer = { fingerprint: "none", analyze: () => [] } as unknown as Analyzer;
    const fields = finishSteps(buildDocumentFields(segments, () => new Map(), analyzer));
    const read = () => finishSteps(createWordIndex(segments, defaultBm25, fields).word({ terms: ["a"] })).documents;
    const expected = read();
    isBroken.now = true;
    expect(read).toThrow("no more memory");
    isBroken.now = false;
    expect(expected!.length).toBeGreaterThan(0);
    expect(read()).toEqual(expected);
  });
});

describe("words of an index", () => {
  it.each([
    ["by the index", (bytes: number) => ({ least: bytes, perChunk: 0 })],
    ["by its chunks", (bytes: number) => ({ least: 0, perChunk: bytes / size })],
  ])("are read once while there is room %s, and those that were asked for last stay [L4]", (_, roomFor) => {
    const one = (at: number): Postings => ({
      ordinals: Uint32Array.of(at),
      counts: Uint32Array.of(1),
      names: undefined,
    });
    const held = Object.fromEntries(["a", "b", "c"].map((term, i) => [term, one(i)]));
    const calls: string[] = [];
    const segment = segmentOf(held, calls);
    const bytes = finishSteps(createWordIndex([segment], defaultBm25).word({ terms: ["a"] })).bytes;
    calls.length = 0;
    const index = createWordIndex([segment], defaultBm25, undefined, roomFor(2 * bytes));
    const ask = (term: string): void => void finishSteps(index.word({ terms: [term] }));
    for (const term of ["a", "a", "b", "a", "b"]) ask(term);
    expect(calls).toEqual(["a", "b"]);
    ask("c");
    ask("b");
    expect(calls).toEqual(["a", "b", "c"]);
    ask("a");
    expect(calls).toEqual(["a", "b", "c", "a"]);
    expect(index.bytes).toBe(2 * bytes);
  });
});

describe("a word that two searches read in turns", () => {
  const segments = [1, 2, 3].map((step) => {
    const ordinals = Uint32Array.from({ length: 500 }, (_, i) => i * step);
    return segmentOf({ a: { ordinals, counts: ordinals.map((at) => 1 + (at % 3)), names: undefined } });
  });

  it("is the same for both, and counts once", () => {
    const alone = createWordIndex(segments, defaultBm25);
    const { lists, frequency } = finishSteps(alone.word({ terms: ["a"] }));
    fc.assert(
      fc.property(fc.array(fc.nat(1), { maxLength: 8 }), (turns) => {
        const index = createWordIndex(segments, defaultBm25);
        const reading = [0, 1].map(() => index.word({ terms: ["a"] }));
        const read: IndexedWord[] = [];
        const advance = (at: number): boolean => {
          if (read[at] !== undefined) return false;
          const step = reading[at]!.next();
          if (step.done === true) read[at] = step.value;
          return step.done !== true;
        };
        for (const at of turns) advance(at);
        for (const at of [1, 0]) while (advance(at));
        expect(read[0]).toBe(read[1]);
        expect(read[0]!.frequency).toBe(frequency);
        expect([...read[0]!.lists.values()]).toEqual([...lists.values()]);
        expect(index.bytes).toBe(alone.bytes);
      }),
    );
  });
});

describe("sums of impacts", () => {
  const entries = fc.uniqueArray(fc.tuple(fc.nat(65_535), fc.integer({ min: 1, max: 65_535 })), {
    maxLength: 200,
    selector: ([at]) => at,
  });
  const words = fc.array(fc.record({ entries, unit: fc.double({ min: 1e-30, max: 1, noNaN: true }) }), {
    maxLength: 4,
  });

  it("in WebAssembly are those of the plain reference to the bit, and so are the places that are sifted", () => {
    const [plain, simd] = [createPlainSums(), createSimdSums()!];
    const stretch = fc.record({
      from: fc.nat(7).map((i) => i * 8192),
      least: fc.double({ min: 1e-40, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(words, stretch, (asked, { from, least }) => {
        const found = [plain, simd].map(({ add, sift, sums, found: places }) => {
          sums.fill(0);
          for (const each of asked)
            add(
              Uint32Array.from(each.entries, ([at, impact]) => at | (impact << 16)),
              each.unit,
            );
          return {
            sums: [...sums.subarray(from, from + 8192)],
            places: [...places.subarray(0, sift(from, from + 8192, least))],
          };
        });
        expect(found[1]).toEqual(found[0]);
        expect(found[0]!.places).toEqual(
          found[0]!.sums.flatMap((sum, i) => (sum >= Math.fround(least) ? [from + i] : [])),
        );
      }),
      { numRuns: 30 },
    );
  });
});

describe("numbers that reach another", () => {
  it("are all that do, in order, over several windows, and the sums of a search stay clear", () => {
    const random = createRandom(9);
    const numbers = Float32Array.from({ length: size }, () => random.next() - 0.2);
    for (const at of [0, 65_535, 65_536, 131_071, size - 1]) numbers[at] = at % 2 === 0 ? 1 : Number.NaN;
    for (const [from, to] of [
      [0, size],
      [3, 65_540],
      [65_537, 140_001],
      [7, 7],
    ] as const) {
      for (const least of [-Infinity, -0.1, 0, Math.fround(0.3), numbers[5]!, 0.79, 1, 2]) {
        const plain: number[] = [];
        for (let at = from; at < to; at++) if (numbers[at]! >= least) plain.push(at);
        const found: number[] = [];
        eachReaching(numbers, from, to, least, (at) => found.push(at));
        expect(found).toEqual(plain);
      }
    }
    expect(impactSums().sums.every((sum) => sum === 0)).toBe(true);
  });
});
