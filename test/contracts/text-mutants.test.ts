import { describe } from "vitest";

import type { Analyzer } from "../../src/contracts/analyzer.ts";
import type { LengthFunction } from "../../src/contracts/chunker.ts";
import { createAnalyzerPack, createLengthFunctionPack } from "../../src/testing/text-packs.ts";
import { createAnalyzer } from "../../src/text/analyzer.ts";
import { runMutants } from "./mutants.ts";

const length = (name: string, measure: (text: string) => number): { create(): LengthFunction } => ({
  create: () => Object.defineProperty((text: string) => measure(text), "name", { value: name }),
});

describe("the length pack notices a length function with one fault [T32 T33]", () => {
  runMutants(createLengthFunctionPack, [
    ["something in nothing", "length-function/whole-numbers-from-zero", length("n", (text) => text.length + 1)],
    ["fractions", "length-function/whole-numbers-from-zero", length("n", (text) => text.length / 4)],
    [
      "nothing in something",
      "length-function/whole-numbers-from-zero",
      length("n", (text) => Math.floor(text.length / 4)),
    ],
    ["no name", "length-function/whole-numbers-from-zero", length(" ", (text) => text.length)],
    ["grows too fast", "length-function/parts-add-up", length("n", (text) => text.length * text.length)],
    [
      "goes round",
      "length-function/a-beginning-is-not-longer-than-the-whole",
      length("n", (text) => (text === "" ? 0 : 40 - (text.length % 37))),
    ],
    [
      "chokes on half a pair",
      "length-function/survives-hostile-texts",
      length("n", (text) => (encodeURIComponent(text), text.length)),
    ],
  ]);
});

const good = createAnalyzer();
const analyzeQuery = (text: string, languages: readonly string[]): readonly (readonly string[])[] =>
  good.analyzeQuery?.(text, languages) ?? [];
const analyzer = (
  analyze: (text: string, calls: number) => readonly string[],
  fingerprint = "f",
): { create(): Analyzer } => ({
  create() {
    let calls = 0;
    return { fingerprint, analyze: (text) => analyze(text, calls++) };
  },
});

describe("the analyzer pack notices an analyzer with one fault [T29 L11 L12]", () => {
  runMutants(createAnalyzerPack, [
    ["no fingerprint", "analyzer/same-text-same-terms", analyzer((text) => good.analyze(text), "")],
    [
      "another fingerprint each time",
      "analyzer/same-text-same-terms",
      { create: () => ({ ...good, fingerprint: String(Math.random()) }) },
    ],
    [
      "its mood in the terms",
      "analyzer/same-text-same-terms",
      { create: () => ({ ...good, analyze: (text) => [...good.analyze(text), String(Math.random())] }) },
    ],
    ["blank terms", "analyzer/no-blank-terms", analyzer((text) => text.split(/\P{L}/u))],
    ["punctuation as terms", "analyzer/no-blank-terms", analyzer((text) => text.match(/\p{L}+|[^\p{L}\s]/gu) ?? [])],
    ["ASCII alone", "analyzer/every-script-has-terms", analyzer((text) => text.toLowerCase().match(/[a-z]+/gu) ?? [])],
    [
      "repetition lost",
      "analyzer/words-in-order-and-as-often-as-they-stand",
      analyzer((text) => [...new Set(good.analyze(text))]),
    ],
    [
      "sorted terms",
      "analyzer/words-in-order-and-as-often-as-they-stand",
      analyzer((text) => good.analyze(text).toSorted()),
    ],
    [
      "case kept",
      "analyzer/case-does-not-matter",
      analyzer((text) => text.normalize("NFC").match(/[\p{L}\p{M}]+/gu) ?? []),
    ],
    [
      "marks left apart",
      "analyzer/joined-marks-do-not-matter",
      analyzer((text) => text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []),
    ],
    [
      "split at blanks alone",
      "analyzer/a-word-in-a-sentence-is-the-word-alone",
      analyzer((text) => text.toLowerCase().split(/\s+/u)),
    ],
    [
      "another language in its terms than it says",
      "analyzer/a-language-that-nobody-says-is-the-one-that-it-takes-the-text-for",
      { create: () => ({ ...good, languageOf: (text) => (good.languageOf?.(text) === "en" ? "xx" : "") }) },
    ],
    [
      "queries in one language alone",
      "analyzer/a-query-is-analysed-like-the-documents-of-each-language",
      { create: () => ({ ...good, analyzeQuery: (text) => good.analyze(text, "en").map((term) => [term]) }) },
    ],
    [
      "a word of a query lost",
      "analyzer/a-query-is-analysed-like-the-documents-of-each-language",
      { create: () => ({ ...good, analyzeQuery: (text, languages) => analyzeQuery(text, languages).slice(1) }) },
    ],
    [
      "terms of other words beside a word's own",
      "analyzer/a-query-is-analysed-like-the-documents-of-each-language",
      {
        create: () => ({
          ...good,
          analyzeQuery: (text, languages) => analyzeQuery(text, languages).map((group) => [...group, "more"]),
        }),
      },
    ],
    [
      "a term for each language, alike or not",
      "analyzer/a-query-word-has-each-of-its-terms-once",
      {
        create: () => ({
          ...good,
          analyzeQuery: (text, languages) =>
            languages.length < 2
              ? analyzeQuery(text, languages)
              : analyzeQuery(text, languages).map((group) => [...group, ...group]),
        }),
      },
    ],
    [
      "nothing searched, nothing in a word",
      "analyzer/a-query-word-has-each-of-its-terms-once",
      {
        create: () => ({
          ...good,
          analyzeQuery: (text, languages) =>
            analyzeQuery(text, languages).map((group) => (languages.length === 0 ? [] : group)),
        }),
      },
    ],
    [
      "throws at half a pair",
      "analyzer/survives-hostile-texts",
      analyzer((text) => (encodeURIComponent(text), good.analyze(text))),
    ],
  ]);
});
