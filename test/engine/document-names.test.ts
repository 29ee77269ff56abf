import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searchBm25 } from "../../src/engine/bm25/bm25.ts";
import { defaultBm25 } from "../../src/engine/bm25/bm25-settings.ts";
import { buildDocumentFields, type DocumentFields } from "../../src/engine/bm25/document-fields.ts";
import { type AnalysedNames, analyseNames, type NamedEntries } from "../../src/engine/bm25/name-lists.ts";
import { finishSteps } from "../../src/runtime/steps.ts";
import { encodeTerms } from "../../src/engine/segments/chunk-terms.ts";
import { createLiveSegment } from "../../src/engine/segments/live-segment.ts";
import { encodeVectors } from "../../src/engine/vectors/stored-vector.ts";
import { plainAnalyzer } from "../stores/build.ts";

const word: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c", "d", "e");
const words = (maxLength: number) => fc.array(word, { maxLength });
const world = fc.record({
  documents: fc.array(fc.record({ title: words(3), file: words(3) }), { minLength: 1, maxLength: 4 }),
  chunks: fc.array(
    fc.record({
      document: fc.nat(3),
      segment: fc.nat(1),
      text: words(8),
      heading: words(3),
      live: fc.boolean(),
      admitted: fc.boolean(),
    }),
    { maxLength: 14 },
  ),
  query: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
  topK: fc.constantFrom(1, 3, Infinity),
});
type World = typeof world extends fc.Arbitrary<infer One> ? One : never;

const documentAt = ({ documents }: World, i: number) => i % documents.length;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const occurrences = (list: readonly string[], term: string): number => list.filter((each) => each === term).length;
const rarity = (all: number, having: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));

/** The formula as it is written down, over lists. */
function plainly(asked: World) {
  const { documents, chunks, query, topK } = asked;
  const rows = chunks.map((chunk, i) => ({ ...chunk, i, home: documentAt(asked, chunk.document) }));
  const live = rows.filter((row) => row.live);
  const homes = [...new Set(live.map(({ home }) => home))];
  const namesOf = (home: number) => new Set([...documents[home]!.title, ...documents[home]!.file]);
  const fieldsOf = ({ text, heading, home }: (typeof rows)[number]) => ({
    text,
    names: [...documents[home]!.title, ...heading],
    files: documents[home]!.file,
  });
  const mean = (field: "text" | "names" | "files"): number =>
    sum(live.map((row) => fieldsOf(row)[field].length)) / live.length;
  const average = { text: mean("text"), names: mean("names"), files: mean("files") };
  const weights = { text: 1, names: 2, files: 10 };
  const lexical = (row: (typeof rows)[number]): number =>
    sum(
      query.map((term) => {
        const having = live.filter((other) => Object.values(fieldsOf(other)).some((field) => field.includes(term)));
        const frequency = sum(
          (["text", "names", "files"] as const).map((field) => {
            const count = occurrences(fieldsOf(row)[field], term);
            const length = fieldsOf(row)[field].length;
            return count === 0 ? 0 : (count * weights[field]) / (0.5 + (0.5 * length) / average[field]);
          }),
        );
        return rarity(live.length, having.length) * ((2.2 * frequency) / (1.2 + frequency));
      }),
    );
  const byName = (home: number): number => {
    const idf = (term: string) => rarity(homes.length, homes.filter((other) => namesOf(other).has(term)).length);
    return Math.max(
      ...[documents[home]!.title, documents[home]!.file].map((name) => {
        const terms = [...new Set(name)];
        const [said, all] = [sum(terms.filter((term) => query.includes(term)).map(idf)), sum(terms.map(idf))];
        return said === 0 ? 0 : (0.5 * said * said) / all;
      }),
    );
  };
  const textOf = (home: number): readonly string[] =>
    live.filter((row) => row.home === home).flatMap(({ text }) => text);
  const byDocument = (home: number): number => {
    const meanLength = sum(homes.map((other) => textOf(other).length)) / homes.length;
    return sum(
      query.map((term) => {
        const having = homes.filter((other) => textOf(other).includes(term)).length;
        const count = occurrences(textOf(home), term);
        if (count === 0) return 0;
        const frequency = count / (0.5 + (0.5 * textOf(home).length) / meanLength);
        return 0.3 * rarity(homes.length, having) * ((2.2 * frequency) / (1.2 + frequency));
      }),
    );
  };
  const byHeading = ({ heading }: (typeof rows)[number]): number => {
    const idf = (term: string): number =>
      rarity(
        live.length,
        live.filter((other) => Object.values(fieldsOf(other)).some((field) => field.includes(term))).length,
      );
    const terms = [...new Set(heading)];
    const [said, all] = [sum(terms.filter((term) => query.includes(term)).map(idf)), sum(terms.map(idf))];
    return said === 0 ? 0 : 0.5 * said * (said / all) ** 2;
  };
  return live
    .filter((row) => row.admitted && lexical(row) > 0)
    .map((row) => ({
      id: row.i,
      score: lexical(row) + byName(row.home) + byDocument(row.home) + byHeading(row),
      lexical: lexical(row),
    }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, topK);
}

function search(asked: World, before?: DocumentFields) {
  const { documents, chunks, query, topK } = asked;
  const rowsRead: number[] = [];
  const source = {
    chunkDocuments: (keys: readonly number[]) => keys.map((key) => documentAt(asked, chunks[key]!.document) + 1),
    chunkPlaces: (keys: readonly number[]) => keys.map((key) => ({ uri: "one", start: key })),
  };
  const searched = [0, 1].map((place) => {
    const segment = createLiveSegment(`team:t${place}`, source as never);
    const own = chunks.flatMap((chunk, i) => (chunk.segment === place ? [{ ...chunk, i }] : []));
    for (const { i, text, heading, live, document } of own) {
      const { title } = documents[documentAt(asked, document)]!;
      const terms = [...new Set([...text, ...title, ...heading])];
      const counts = (list: readonly string[]) => terms.map((term) => occurrences(list, term));
      segment.add({
        key: i,
        id: String(i),
        stamp: 0,
        live,
        terms: encodeTerms({ terms, counts: counts(text), names: counts([...title, ...heading]), language: "" }),
        vectors: encodeVectors([]),
      });
    }
    return { segment, admitted: Uint8Array.from(own, ({ live, admitted }) => (live && admitted ? 1 : 0)) };
  });
  const fields = finishSteps(
    buildDocumentFields(
      searched.map(({ segment }) => segment),
      (rows) => {
        rowsRead.push(...rows);
        return new Map(
          rows.map((row) => {
            const { title, file } = documents[row - 1]!;
            return [row, { title: title.join(" "), file: file.join(" ") }];
          }),
        );
      },
      plainAnalyzer,
      before,
    ),
  );
  const asWords = query.map((term) => ({ terms: [term], count: 1 }));
  const readHeadings = (segment: { key(ordinal: number): number }, ordinals: readonly number[]) =>
    ordinals.map((ordinal) => ({ terms: [...new Set(chunks[segment.key(ordinal)]!.heading)] }));
  const { hits } = searchBm25(searched, asWords, topK, 0, defaultBm25, fields, readHeadings);
  return { hits, fields, rowsRead };
}

describe("names of documents", () => {
  it("score as the formula is written down, over live chunks in any segments, whatever is admitted [L3 L4 L11]", () => {
    fc.assert(
      fc.property(world, (asked) => {
        const { hits } = search(asked);
        const expected = plainly(asked);
        expect(hits.map(({ score }) => score)).toHaveLength(expected.length);
        hits.forEach((hit, i) => {
          expect(hit.score).toBeCloseTo(expected[i]!.score, 9);
          expect(hit.lexical).toBeCloseTo(sum(hit.terms.map(({ score }) => score)), 12);
          const { lexical, name, document, heading, fields } = hit;
          expect(hit.score).toBe(lexical + (name?.value ?? 0) + (document ?? 0) + (heading?.value ?? 0));
          expect(sum(Object.values(fields ?? {}))).toBeCloseTo(lexical, 9);
        });
        const byId = new Map(plainly({ ...asked, topK: Infinity }).map((each) => [each.id, each]));
        for (const hit of hits) {
          const each = byId.get(hit.segment.key(hit.ordinal))!;
          expect(hit.score).toBeCloseTo(each.score, 9);
          expect(hit.lexical).toBeCloseTo(each.lexical, 9);
        }
      }),
      { numRuns: 400 },
    );
  });

  it("are read again only of new documents, and score as if all had been read [L11]", () => {
    const later = fc.tuple(
      world,
      world.map(({ chunks }) => chunks),
    );
    fc.assert(
      fc.property(later, ([asked, chunks]) => {
        const rows = (from: World["chunks"]): Set<number> =>
          new Set(from.filter(({ live }) => live).map(({ document }) => documentAt(asked, document) + 1));
        const before = search(asked);
        const next = { ...asked, chunks };
        const [anew, after] = [search(next), search(next, before.fields)];
        const shown = ({ hits }: typeof anew) =>
          hits.map(({ segment, ordinal, ...rest }) => ({ ...rest, row: segment.key(ordinal) }));
        expect(shown(after)).toEqual(shown(anew));
        const known = rows(asked.chunks);
        expect(after.rowsRead.toSorted((a, b) => a - b)).toEqual(
          [...rows(chunks)].filter((row) => !known.has(row)).toSorted((a, b) => a - b),
        );
      }),
      { numRuns: 400 },
    );
  });

  it("state nothing: the evidence of a term is what text, title and headings give [L5]", () => {
    const { hits } = search({
      documents: [{ title: [], file: ["a"] }],
      chunks: [
        { document: 0, segment: 0, text: ["b"], heading: [], live: true, admitted: true },
        { document: 0, segment: 0, text: ["a", "b"], heading: [], live: true, admitted: true },
      ],
      query: ["a"],
      topK: Infinity,
    });
    const stated = hits.map(({ terms }) => terms[0]!.stated ?? Number.NaN);
    expect(stated.toSorted((a, b) => a - b)[0]).toBe(0);
    expect(stated.every((each, i) => each < hits[i]!.terms[0]!.score)).toBe(true);
  });

  it("keep the count of each of their terms, however many they are, and of terms that come later [L11]", () => {
    const terms = Array.from({ length: 20_000 }, (_, i) => `w${i}`);
    const chunk = { segment: 0, text: ["a"], heading: [], live: true, admitted: true };
    const asked = { documents: [{ title: [] as string[], file: terms }], query: ["a"], topK: 1 };
    const { fields } = search({ ...asked, chunks: [{ ...chunk, document: 0 }] });
    let counted = 0;
    const countAll = (): number[] =>
      terms.map((term) => fields.countOf(term, () => (counted++, Number(term.slice(1)))));
    expect(countAll()).toEqual(countAll());
    expect(counted).toBe(20_000);
    // The fields of a later state share the vocabulary, which has grown.
    const more = { title: ["later"], file: ["a"] };
    const chunks = [0, 1].map((document) => ({ ...chunk, document }));
    search({ ...asked, documents: [...asked.documents, more], chunks }, fields);
    expect([fields.countOf("later", () => 7), fields.countOf("later", () => 7)]).toEqual([7, 7]);
    expect(fields.countOf("w5", () => 0)).toBe(5);
  });

  it("are those of an analysis anew, whichever documents went, moved and came [L11]", () => {
    const named = (row: number) => ({ title: `t${row % 7} t${row % 11} t${row % 7}`, file: `f${row} g${row % 300}` });
    /** Documents of some rows: one of three is in two languages. */
    function entriesOf(rows: readonly number[]): NamedEntries {
      const homes = rows.flatMap((row, at) => (row % 3 === 0 ? [at, at] : [at]));
      const languageOf = homes.map((at, i) => (homes[i - 1] === at ? "de" : "en"));
      return { documentOf: Uint32Array.from(homes), languageOf, rows };
    }
    const analyse = (rows: readonly number[], before?: AnalysedNames) => {
      const read: number[] = [];
      const namesOf = (asked: readonly number[]) => {
        read.push(...asked);
        return new Map(asked.map((row) => [row, named(row)]));
      };
      return { names: finishSteps(analyseNames(entriesOf(rows), namesOf, plainAnalyzer, before)), read };
    };
    const shown = ({ vocabulary, title, file }: AnalysedNames) => {
      const terms = Array.from({ length: vocabulary.count() }, (_, term) => term);
      return {
        names: [title, file].map(({ lengths, starts, terms: of, counts }) =>
          Array.from(lengths, (length, entry) => {
            const places = Array.from({ length: starts[entry + 1]! - starts[entry]! }, (_, i) => starts[entry]! + i);
            return [length, ...places.map((at) => [vocabulary.text(of[at]!), counts[at]])];
          }),
        ),
        holding: [title, file].map(({ has, holding }) =>
          Object.fromEntries(
            terms.filter(has).map((term) => {
              const { entries, counts } = holding(term)!;
              return [vocabulary.text(term), [[...entries], [...counts]]];
            }),
          ),
        ),
      };
    };
    const some = fc.record({
      size: fc.integer({ min: 0, max: 300 }),
      gone: fc.array(fc.tuple(fc.nat(300), fc.nat(60)), { maxLength: 4 }),
      moved: fc.array(fc.tuple(fc.nat(300), fc.nat(120), fc.nat(300)), { maxLength: 3 }),
      come: fc.nat(80),
    });
    fc.assert(
      fc.property(some, ({ size, gone, moved, come }) => {
        const rows = Array.from({ length: size }, (_, i) => i + 1);
        const later = rows.slice();
        for (const [from, count] of gone) later.splice(from, count);
        for (const [from, count, to] of moved) later.splice(to, 0, ...later.splice(from, count));
        const fresh = Array.from({ length: come }, (_, i) => size + 1 + i);
        later.push(...fresh);
        const { names, read } = analyse(later, analyse(rows).names);
        const anew = analyse(later).names;
        expect(shown(names)).toEqual(shown(anew));
        // Terms that came before may be among the beginnings; none that is there is missing.
        const begun = ["f12", "f29", "g1", "g12", "g29", "x"].filter(anew.beginnings.has);
        expect(begun.filter((word) => !names.beginnings.has(word))).toEqual([]);
        expect(names.beginnings.has("t1")).toBe(false);
        expect(read).toEqual(fresh);
      }),
      { numRuns: 100 },
    );
  });
});
