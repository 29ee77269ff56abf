import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Analyzer } from "../../src/contracts/analyzer.ts";
import {
  type BuiltSegment,
  chunksToSeal,
  mergeSegments,
  sealSegment,
} from "../../src/engine/segments/build-segment.ts";
import { analyzeChunk, encodeTerms } from "../../src/engine/segments/chunk-terms.ts";
import { collectLiveTerms, collectTerms } from "../../src/engine/segments/forward-terms.ts";
import { createLiveSegment, type LiveSegment } from "../../src/engine/segments/live-segment.ts";
import { openSealedSegment, packState, type SealedSegment } from "../../src/engine/segments/sealed-segment.ts";
import type { Segment, SegmentSource, StoredPlace } from "../../src/engine/segments/segment.ts";
import { searchNearest } from "../../src/engine/vectors/nearest.ts";
import {
  encodeVectors,
  type StoredVector,
  toEmbedding,
  toStoredVector,
} from "../../src/engine/vectors/stored-vector.ts";
import { columnName, vectorAt } from "../../src/engine/vectors/vector-column.ts";
import { compareCodePoints } from "../../src/runtime/compare-text.ts";

/** Words between spaces. */
const words: Analyzer = { fingerprint: "test", analyze: (text) => text.split(" ").filter((word) => word !== "") };

// Beyond the first 65,536 signs the order by UTF-16 unit is not that by sign.
const name = fc.string({ unit: fc.constantFrom("a", "b", "\uffee", "\u{10000}"), minLength: 1, maxLength: 4 });
const sentence = fc.array(fc.constantFrom<string[]>("ab", "abc", "b", "é", "\uffee", "\u{10000}"), { maxLength: 6 });
const number = fc.integer({ min: -4, max: 4 });
const dense = fc.oneof(fc.tuple(number, number), fc.int8Array({ minLength: 2, maxLength: 2 }));
const sparse = fc
  .uniqueArray(fc.nat(9), { maxLength: 3 })
  .map((indices) => ({ indices: indices.toSorted((x, y) => x - y), values: indices.map((index) => index + 0.5) }));
const item = fc.record({
  id: name,
  text: sentence,
  // Some words only names have.
  title: fc.oneof(
    sentence,
    fc.constantFrom("one", "two", "six").map((word) => [word]),
  ),
  headings: fc.array(sentence, { maxLength: 2 }),
  language: fc.constantFrom<string[]>("", "de", "en"),
  live: fc.boolean(),
  /** Whether it has a row still, in the end. */
  present: fc.integer({ min: 0, max: 4 }).map((any) => any > 0),
  vectors: fc
    .tuple(
      fc.option(dense.map((each) => toStoredVector("v", [...each]))),
      fc.option(dense.map((each) => toStoredVector("w", Int8Array.from(each)))),
      fc.option(sparse.map((each) => toStoredVector("v", each))),
      fc.option(fc.record({ dense, sparse }).map((each) => toStoredVector("w", each))),
    )
    .map((some) => some.filter((each): each is StoredVector => each !== null)),
});
type Item = typeof item extends fc.Arbitrary<infer One> ? One : never;
type Placed = Item & { readonly key: number };

/** Chunks of several segments; no two have one id. */
const world = fc
  .tuple(fc.uniqueArray(item, { maxLength: 24, selector: ({ id }) => id }), fc.array(fc.nat(3), { minLength: 24 }))
  .map(([items, places]) =>
    items.map((each, key): Placed & { place: number } => ({ ...each, key, place: places[key]! })),
  );

/** The plain reference: each chunk that is there, in order of ids, with the words of its text and of its distinct names counted one by one. */
function naive(items: readonly Placed[], gone = "") {
  return items
    .filter(({ present }) => present)
    .toSorted((x, y) => compareCodePoints(x.id, y.id))
    .map(({ id, key, live, language, text, title, headings, vectors }) => {
      const named = [...new Set([title, ...headings].map((each) => each.join(" ")))].flatMap((each) =>
        words.analyze(each),
      );
      const times = (list: readonly string[], term: string): number => list.filter((each) => each === term).length;
      const terms = [...new Set([...text, ...named])].sort();
      return {
        id,
        key,
        live,
        language,
        lengths: [text.length, named.length],
        terms: terms.map((term) => ({ term, count: times(text, term), names: times(named, term) })),
        vectors: vectors
          .filter(({ version }) => version !== gone)
          .map(toNamed)
          .sort(byName),
      };
    });
}

const toNamed = (vector: StoredVector) => ({ name: columnName(vector), is: toEmbedding(vector) });
const byName = (x: { readonly name: string }, y: { readonly name: string }): number =>
  compareCodePoints(x.name, y.name);

/** The same, read out of a segment list by list and column by column. */
function readOut(segment: Segment, ordinals: readonly number[]) {
  const chunks = new Map(
    ordinals.map((ordinal) => [
      ordinal,
      {
        id: segment.chunkId(ordinal),
        key: segment.key(ordinal),
        live: segment.live[ordinal] === 1,
        language: segment.languageOf(ordinal),
        lengths: [segment.textLengths[ordinal]!, segment.nameLengths[ordinal]!],
        terms: [] as { term: string; count: number; names: number }[],
        vectors: [] as ReturnType<typeof toNamed>[],
      },
    ]),
  );
  const terms = [...segment.terms("")];
  expect(terms).toEqual([...new Set(terms)].sort());
  for (const term of terms) {
    const list = segment.postings(term)!;
    expect([...list.ordinals]).toEqual([...new Set(list.ordinals)].sort((x, y) => x - y));
    expect(list.names === undefined || list.names.some((count) => count > 0)).toBe(true);
    list.ordinals.forEach((ordinal, i) =>
      chunks.get(ordinal)?.terms.push({ term, count: list.counts[i]!, names: list.names?.[i] ?? 0 }),
    );
  }
  for (const column of segment.columns()) {
    expect([...column.ordinals]).toEqual([...new Set(column.ordinals)].sort((x, y) => x - y));
    column.ordinals.forEach((ordinal, row) => chunks.get(ordinal)?.vectors.push(toNamed(vectorAt(column, row))));
  }
  for (const { vectors } of chunks.values()) vectors.sort(byName);
  return [...chunks.values()].sort((x, y) => compareCodePoints(x.id, y.id));
}

/** How often documents have been edited: each time, chunks stand elsewhere. */
let edition = 0;

/** Three documents, with chunks that begin at the same place. */
const placeOf = (key: number): StoredPlace => ({ uri: `d${(key * 7) % 3}`, start: (key * (5 + edition)) % 4 });

const byPlace = (a: Pick<Placed, "id" | "key">, b: Pick<Placed, "id" | "key">): number => {
  const [x, y] = [placeOf(a.key), placeOf(b.key)];
  return compareCodePoints(x.uri, y.uri) || x.start - y.start || compareCodePoints(a.id, b.id);
};

const source = (items: readonly Placed[], files: BuiltSegment["files"]): SegmentSource => ({
  file: (_, wanted, part) => files.find((file) => file.name === wanted && file.part === part)?.data,
  chunkId: (key) => items.find((each) => each.key === key)!.id,
  chunkIds: (keys) => keys.map((key) => items.find((each) => each.key === key)!.id),
  chunkPlaces: (keys) => keys.map(placeOf),
  chunkDocuments: (keys) => keys.map((key) => key % 3),
  chunkFacts: (keys) => keys.map(() => ({ metadata: "{}", origin: "user-content" })),
});

/** Those that are not to be there are dropped after all have come. */
function collectLive(items: readonly Placed[], drops: boolean): LiveSegment {
  const segment = createLiveSegment("deployment", source(items, []));
  for (const { key, id, live, text, title, headings, language, vectors } of items) {
    const fields = { title: title.join(" "), headings: headings.map((each) => each.join(" ")), text: text.join(" ") };
    const terms = encodeTerms(analyzeChunk(words, { ...fields, language }));
    segment.add({ key, id, stamp: 0, live, terms, vectors: encodeVectors(vectors) });
  }
  if (drops) for (const { key, present } of items) if (!present) segment.drop(key);
  return segment;
}

const open = (items: readonly Placed[], { row, files }: BuiltSegment): SealedSegment =>
  openSealedSegment("deployment", { ...row, key: 1, scope: 1, stamp: 0 }, source(items, files));

/** Sealed with everything; what is not to be there loses its row afterwards, and with it a version may go. */
function sealThenDrop(items: readonly Placed[], gone: string): SealedSegment {
  const segment = open(items, sealSegment(chunksToSeal(collectLive(items, false)), source(items, [])));
  const present = Uint8Array.from({ length: segment.size }, (_, ordinal) =>
    items.find(({ key }) => key === segment.key(ordinal))!.present ? 1 : 0,
  );
  const live = segment.live.map((flag, ordinal) => flag & present[ordinal]!);
  const headers = segment.headers().map((header) => (header.version === gone ? { ...header, version: "" } : header));
  segment.restate({ state: packState(live, present, segment.size), columns: JSON.stringify(headers) }, 1);
  return segment;
}

/** Looks at the codes of every row, which puts them into the order of the scan. */
function search(segments: readonly Segment[]): void {
  const searched = segments.map((segment) => ({ segment, admitted: segment.live }));
  for (const version of ["v", "w"])
    for (const asked of [[1, 2], Int8Array.of(1, 2)])
      searchNearest(searched, toStoredVector(version, asked), "dot", 1, -Infinity);
}

const everyOrdinal = ({ size }: Segment): number[] => Array.from({ length: size }, (_, ordinal) => ordinal);

describe("the terms of a live segment", () => {
  it("are decoded in steps, and say the same as those that a search decodes in one go", () => {
    const source: SegmentSource = new Proxy({} as SegmentSource, {
      get: () => (): never => {
        throw new Error("not reached");
      },
    });
    const made = (count: number): LiveSegment => {
      const segment = createLiveSegment("deployment", source);
      for (let key = 1; key <= count; key++) {
        const chunk = { title: "", headings: [], text: `w${key} all`, language: "en" };
        const terms = encodeTerms(analyzeChunk(words, chunk));
        segment.add({ key, id: `c${key}`, stamp: 0, live: true, terms, vectors: encodeVectors([]) });
      }
      return segment;
    };
    const [stepwise, whole] = [made(200), made(200)];
    let steps = 1;
    while (stepwise.readTerms()) steps++;
    expect(steps).toBe(4);
    expect(stepwise.terms("")).toEqual(whole.terms(""));
    expect(stepwise.postings("all")).toEqual(whole.postings("all"));
    expect(stepwise.textLengths).toEqual(whole.textLengths);
    // A search that does not wait gets all of them.
    const half = made(200);
    half.readTerms();
    expect(half.postings("all")).toEqual(whole.postings("all"));
  });
});

describe("segments hold what a list of their chunks says", () => {
  it("live, and sealed in order of documents and places [L11]", () => {
    fc.assert(
      fc.property(world, fc.boolean(), fc.constantFrom("", "a", "ab", "b", "\uffee", "zz"), (items, early, prefix) => {
        const live = collectLive(items, !early);
        const ordinals = (): number[] => Array.from(live.rows(), ([ordinal]) => ordinal);
        // Searched before the rows go, or after.
        expect(readOut(live, ordinals())).toEqual(
          naive(items.map((each) => ({ ...each, present: early || each.present }))),
        );
        if (early) for (const { key, present } of items) if (!present) live.drop(key);
        const expected = naive(items);
        expect(readOut(live, ordinals())).toEqual(expected);
        expect(live.presentCount).toBe(expected.length);
        const sealed = open(items, sealSegment(chunksToSeal(live), source(items, [])));
        const inPlace = expected.toSorted(byPlace);
        expect(sealed.places(everyOrdinal(sealed))).toEqual(inPlace.map(({ key }) => placeOf(key)));
        expect(Array.from(everyOrdinal(sealed), (ordinal) => sealed.chunkId(ordinal))).toEqual(
          inPlace.map(({ id }) => id),
        );
        expect(readOut(sealed, everyOrdinal(sealed))).toEqual(expected);
        for (const segment of [live, sealed]) {
          expect([...segment.terms(prefix)]).toEqual([...segment.terms("")].filter((term) => term.startsWith(prefix)));
          expect(segment.languages()).toEqual(new Set(expected.flatMap((each) => (each.live ? [each.language] : []))));
          expect(segment.liveCount).toBe(expected.filter((each) => each.live).length);
        }
        expect(items.map(({ key }) => sealed.find(key))).toEqual(
          items.map(({ key }) => inPlace.findIndex((each) => each.key === key)),
        );
      }),
    );
  });

  it("merged, whichever lay where and was moved since, searched or not, without what is gone [B12 L6 L11]", () => {
    fc.assert(
      fc.property(world, fc.constantFrom("", "v", "w"), fc.boolean(), (items, gone, searched) => {
        const places = [0, 1, 2, 3].map((place) => items.filter((each) => each.place === place));
        edition = 0;
        const [first, ...others] = places.map((some) => sealThenDrop(some, gone));
        edition = 1;
        if (searched) search(others);
        const half = open(items, mergeSegments(others));
        edition = 2;
        if (searched) search([half, first!]);
        const merged = open(items, mergeSegments([half, first!]));
        const expected = naive(
          items.map((each) => ({ ...each, live: each.live && each.present })),
          gone,
        );
        expect(merged.presentCount).toBe(expected.length);
        expect(Array.from(everyOrdinal(merged), (ordinal) => merged.chunkId(ordinal))).toEqual(
          expected.toSorted(byPlace).map(({ id }) => id),
        );
        expect(readOut(merged, everyOrdinal(merged))).toEqual(expected);
      }),
    );
  });

  it("with an id for every ordinal, asked in any order, each read once while they are few", () => {
    const long = "x".repeat(600_000);
    const items = Array.from({ length: 12 }, (_, key): Placed => {
      const none = { title: [], headings: [], vectors: [], language: "", live: true, present: true };
      return { ...none, id: `${key < 2 ? "short" : long}${String(key).padStart(2, "0")}`, key, text: ["ab"] };
    });
    const built = sealSegment(chunksToSeal(collectLive(items, false)), source(items, []));
    const asked: number[] = [];
    const from = source(items, built.files);
    const counted: SegmentSource = {
      ...from,
      chunkId: (key) => (asked.push(key), from.chunkId(key)),
      chunkIds: (keys) => (asked.push(...keys), from.chunkIds(keys)),
    };
    const segment = openSealedSegment("deployment", { ...built.row, key: 1, scope: 1, stamp: 0 }, counted);
    const isRight = (ordinals: readonly number[]): void => {
      expect(segment.chunkIds(ordinals)).toEqual(
        ordinals.map((ordinal) => items.find(({ key }) => key === segment.key(ordinal))!.id),
      );
    };
    isRight([3, 1]);
    isRight([1, 2, 3, 2]);
    expect(segment.chunkId(1)).toBe(items.find(({ key }) => key === segment.key(1))!.id);
    expect(asked.length).toBe(4);
    fc.assert(fc.property(fc.array(fc.nat(11)), isRight));
    // Long ids are not all kept.
    asked.length = 0;
    isRight(everyOrdinal(segment));
    isRight(everyOrdinal(segment));
    expect(asked.length).toBeGreaterThan(0);
  });

  it("with ids that segments keep together: the one that was asked last keeps its own", () => {
    const asked: string[] = [];
    const segments = ["a", "b", "c"].map((name) => {
      const none = { title: [], headings: [], vectors: [], language: "", live: true, present: true };
      const items: Placed[] = [{ ...none, id: name + "x".repeat(1_900_000), key: 0, text: ["ab"] }];
      const built = sealSegment(chunksToSeal(collectLive(items, false)), source(items, []));
      const from = source(items, built.files);
      const counted: SegmentSource = { ...from, chunkIds: (keys) => (asked.push(name), from.chunkIds(keys)) };
      return openSealedSegment("deployment", { ...built.row, key: 1, scope: 1, stamp: 0 }, counted);
    });
    const ask = (...places: readonly number[]): string => {
      asked.length = 0;
      for (const place of places) expect(segments[place]!.chunkIds([0])[0]![0]).toBe("abc"[place]);
      return asked.join("");
    };
    expect(ask(0, 1, 0, 1)).toBe("ab");
    expect(ask(2)).toBe("c");
    expect(ask(1, 2)).toBe("");
    expect(ask(0)).toBe("a");
  });

  it("over as many blocks as its words take", () => {
    const texts = Array.from({ length: 40 }, (_, i) =>
      Array.from({ length: 90 }, (__, j) => `w${(i * 37 + j * 11) % 2_500}`),
    );
    const items = texts.map((text, key): Placed => {
      const none = { title: [], headings: [], vectors: [], language: "", live: true, present: key % 9 > 0 };
      return { ...none, id: `c${99 - key}`, key, text };
    });
    const halves = [items.slice(0, 23), items.slice(23)].map((some) => sealThenDrop(some, ""));
    const merged = open(items, mergeSegments(halves));
    expect([...merged.blocks()].length).toBeGreaterThan(1);
    expect(readOut(merged, everyOrdinal(merged))).toEqual(naive(items));
    for (const prefix of ["w", "w1", "w19", "w24", "w249", "w2499", "w9", "x", ""]) {
      expect([...merged.terms(prefix)]).toEqual([...merged.terms("")].filter((term) => term.startsWith(prefix)));
    }
  });
});

describe("a chunk's words, turned back from a segment", () => {
  it("are those of its text and names together, of the chosen chunks alone", () => {
    fc.assert(
      fc.property(world, fc.uniqueArray(fc.nat(23)), (items, keys) => {
        const expected = new Map(
          naive(items.filter(({ key }) => keys.includes(key))).map(({ key, terms }) => [
            key,
            terms.map(({ term, count, names }): [string, number] => [term, count + names]),
          ]),
        );
        const live = collectLive(items, true);
        const sealed = open(items, sealSegment(chunksToSeal(live), source(items, [])));
        const found = (segment: Segment, collected: ReturnType<typeof collectTerms>) =>
          new Map(
            Array.from(collected, ([ordinal, { terms, counts }]) => [
              segment.key(ordinal),
              terms.map((term, i): [string, number] => [term, counts[i]!]).sort(([x], [y]) => (x < y ? -1 : 1)),
            ]),
          );
        for (const [segment, collect] of [
          [live, (chosen: (ordinal: number) => boolean) => collectLiveTerms(live, chosen)],
          [sealed, (chosen: (ordinal: number) => boolean) => collectTerms(sealed, chosen)],
        ] as const) {
          expect(
            found(
              segment,
              collect((ordinal) => keys.includes(segment.key(ordinal))),
            ),
          ).toEqual(expected);
        }
      }),
    );
  });
});
