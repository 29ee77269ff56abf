import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Analyzer } from "../../src/contracts/analyzer.ts";
import { postingsOf } from "../../src/engine/bm25/word-index.ts";
import { analyzeChunk, encodeTerms } from "../../src/engine/segments/chunk-terms.ts";
import { createLiveSegment } from "../../src/engine/segments/live-segment.ts";
import { planLucene } from "../../src/engine/bm25/lucene-plan.ts";
import { encodeVectors } from "../../src/engine/vectors/stored-vector.ts";
import type { LuceneClause } from "../../src/text/parse-lucene.ts";
import { plainEditDistance } from "../text/plain-edit-distance.ts";

/** Words between spaces and hyphens, less an ending that each language has of its own; a query's has a form for each language. */
const endings: Readonly<Record<string, RegExp>> = { "": /^$/u, p: /(?<=.)s$/u, q: /(?<=.)n$/u };
const split = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[ -]/u)
    .filter((word) => word !== "");
const analyzer: Analyzer = {
  fingerprint: "test",
  analyze: (text, language = "") => split(text).map((word) => word.replace(endings[language]!, "")),
  analyzeQuery: (text, languages) =>
    split(text).map((word) => [...new Set([word, ...languages.map((each) => word.replace(endings[each]!, ""))])]),
};

/** Near one another, of one beginning, with endings. */
const word = fc.constantFrom("tan", "tans", "tas", "nat", "ta", "tant", "sn", "s");
const sentence = fc.array(word, { maxLength: 6 }).map((list) => list.join(" "));
const item = fc
  .record({
    text: sentence,
    title: sentence,
    headings: fc.array(sentence, { maxLength: 2 }),
    /** A title that is a heading too counts once. */
    repeats: fc.boolean(),
    language: fc.constantFrom("", "p", "q"),
    live: fc.integer({ min: 0, max: 4 }).map((any) => any > 0),
    admitted: fc.integer({ min: 0, max: 4 }).map((any) => any > 0),
  })
  .map(({ repeats, ...each }) => (repeats ? { ...each, headings: [...each.headings, each.title] } : each));
type Item = typeof item extends fc.Arbitrary<infer One> ? One : never;

const said = fc.array(word, { minLength: 1, maxLength: 3 });
const clause: fc.Arbitrary<LuceneClause> = fc
  .record({
    occurs: fc.constantFrom("should", "should", "must", "not"),
    kind: fc.constantFrom("word", "phrase", "prefix", "fuzzy"),
    text: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.tuple(said, fc.constantFrom("-", "-", "- ")).map(([list, between]) => list.join(between)),
      },
      { weight: 1, arbitrary: fc.constantFrom("T", "-", "TAN") },
    ),
    nearness: fc.constantFrom(0, 0.4, 0.5, 0.7, 1, 2),
  })
  .map((each) => (each.kind === "phrase" ? each : { ...each, text: each.text.replaceAll(" ", "") }));

/** How often one thing that is asked for is in a row of terms. */
interface Meaning {
  readonly label: string | undefined;
  readonly count: number;
  readonly times: (terms: readonly string[]) => number;
}

/** What a clause asks for, in plain words: the forms of each word, the beginnings, the letters that differ. */
function meaningsOf({ kind, text, nearness = 2 }: LuceneClause, languages: readonly string[]): readonly Meaning[] {
  const groups = analyzer.analyzeQuery!(text, languages);
  const oneBy = (label: string, fits: (term: string) => boolean): Meaning[] => [
    { label, count: 1, times: (terms) => terms.filter(fits).length },
  ];
  if (kind === "prefix") return oneBy(`${text}*`, (term) => term.startsWith(text.toLowerCase()));
  if (kind === "fuzzy") {
    const edits = (form: string) => (nearness >= 1 ? nearness : Math.min(2, Math.floor((1 - nearness) * form.length)));
    const forms = [text.toLowerCase(), ...groups.flat()];
    return oneBy(`${text}~`, (term) => forms.some((form) => plainEditDistance(form, term) <= edits(form)));
  }
  if (kind === "phrase" && groups.length > 1) {
    const begins = (terms: readonly string[], at: number) =>
      groups.every((forms, i) => forms.includes(terms[at + i] ?? ""));
    return [{ label: `"${text}"`, count: 1, times: (terms) => terms.filter((_, at) => begins(terms, at)).length }];
  }
  const distinct = groups.filter((forms, i) => groups.findIndex((each) => String(each) === String(forms)) === i);
  return distinct.map((forms) => ({
    label: undefined,
    count: groups.filter((each) => String(each) === String(forms)).length,
    times: (terms) => terms.filter((term) => forms.includes(term)).length,
  }));
}

/** The plain reference: every chunk is looked at for every clause. */
function naive(segments: readonly (readonly Item[])[], clauses: readonly LuceneClause[]) {
  const live = segments.flat().filter((each) => each.live);
  const languages = [...new Set(live.map(({ language }) => language))].sort();
  const meant = clauses.map((each) => meaningsOf(each, languages));
  const timesIn = ({ text, title, headings, language }: Item, { times }: Meaning): readonly [number, number] => {
    const names = [...new Set([title, ...headings])].map((name) => times(analyzer.analyze(name, language)));
    return [times(analyzer.analyze(text, language)), names.reduce((sum, each) => sum + each, 0)];
  };
  const asked = clauses.flatMap(({ occurs }, i) => (occurs === "not" ? [] : meant[i]!));
  return {
    words: asked.map(({ label, count }) => ({ label, count })),
    chunks: segments.map((items) =>
      items.map((each) => {
        const has = meant.map(
          (some) => some.length > 0 && some.every((one) => timesIn(each, one).some((times) => times > 0)),
        );
        const fits = clauses.every(({ occurs }, i) => occurs === "should" || has[i] === (occurs === "must"));
        // What is not admitted is not searched for phrases.
        const found = each.live && each.admitted;
        return { admitted: found && fits, times: found ? asked.map((one) => timesIn(each, one)) : [] };
      }),
    ),
  };
}

function plan(segments: readonly (readonly Item[])[], clauses: readonly LuceneClause[]) {
  const searched = segments.map((items, place) => {
    const segment = createLiveSegment(`team:t${place}`, {} as never);
    items.forEach((each, key) => {
      const terms = encodeTerms(analyzeChunk(analyzer, each));
      segment.add({ key, id: `c${key}`, stamp: 0, live: each.live, terms, vectors: encodeVectors([]) });
    });
    return { segment, admitted: Uint8Array.from(items, ({ live, admitted }) => (live && admitted ? 1 : 0)) };
  });
  const read = (at: { readonly scope: string }, ordinal: number): Item =>
    segments[Number(at.scope.slice(6))]![ordinal]!;
  const planned = planLucene(clauses, analyzer, searched, read);
  return {
    words: planned.words.map(({ label, count }) => ({ label, count })),
    chunks: planned.searched.map(({ segment, admitted }, place) =>
      segments[place]!.map((each, ordinal) => {
        const times = planned.words.map((one) => {
          const list = postingsOf(segment, one);
          const at = list?.ordinals.indexOf(ordinal) ?? -1;
          return at < 0 ? [0, 0] : [list!.counts[at]!, list!.names?.[at] ?? 0];
        });
        return { admitted: admitted[ordinal] === 1, times: each.live && each.admitted ? times : [] };
      }),
    ),
  };
}

describe("a plan for a query in Lucene's syntax", () => {
  it("counts and admits what a look at every chunk does [E25]", () => {
    const segments = fc.array(fc.array(item, { maxLength: 8 }), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(segments, fc.array(clause, { maxLength: 4 }), (some, clauses) => {
        expect(plan(some, clauses)).toEqual(naive(some, clauses));
      }),
      { numRuns: 500 },
    );
  });

  it("needs all the words of a long identifier, however many [E25]", () => {
    const all = Array.from({ length: 300 }, (_, i) => `w${i}x`);
    const chunk = { title: "", headings: [], language: "" as const, live: true, admitted: true };
    const items = [
      { ...chunk, text: all.join(" ") },
      { ...chunk, text: all.slice(0, 44).join(" ") },
    ];
    const { chunks } = plan([items], [{ occurs: "must", kind: "word", text: all.join("-") }]);
    expect(chunks[0]!.map(({ admitted }) => admitted)).toEqual([true, false]);
  });
});
