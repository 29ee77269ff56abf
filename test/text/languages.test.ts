import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { snowballLanguages } from "../../src/text/languages/snowball/snowball-languages.ts";
import { createAnalyzer, defaultAnalyzer } from "../../src/text/analyzer.ts";
import { languageOfTag } from "../../src/text/languages/language-tag.ts";
import { anyText, hostileTexts } from "./texts.ts";

const snowball = createAnalyzer({ languages: snowballLanguages });
const languages = ["", "xx", ...Object.keys(snowballLanguages)];

describe("an analyzer that knows the language [T29]", () => {
  it("stems English by Porter, without accents", () => {
    expect(defaultAnalyzer.analyze("rotating rotated rotation résumés Résumé", "en")).toEqual([
      "rotat",
      "rotat",
      "rotat",
      "resum",
      "resum",
    ]);
  });

  it("gives back the y that Porter takes, so that stems read like words", () => {
    expect(defaultAnalyzer.analyze("key keys query queries querying happy sky ties ski skis", "en")).toEqual([
      "key",
      "key",
      "query",
      "query",
      "query",
      "happy",
      "sky",
      "ti",
      "ski",
      "ski",
    ]);
  });

  it("keeps what has digits, and leaves the words of other scripts to their own", () => {
    expect(snowball.analyze("SKU-1200s ключами", "en")).toEqual(["sku-1200s", "sku", "1200s", "ключами"]);
    expect(snowball.analyze("queries ключами الكتاب", "ru")).toEqual(["query", "ключ", "الكتاب"]);
    expect(snowball.analyze("黑豹队 queries", "zh")).toEqual(["黑", "黑豹", "豹", "豹队", "队", "query"]);
    // Persian shares the letters of Arabic and none of its endings.
    expect(snowball.analyze("کتاب", "fa")).toEqual(defaultAnalyzer.analyze("كتاب", "fa"));
  });

  it("takes a text for the language that its function words show, and says which", () => {
    const german = "Die Schlüssel werden mit dem alten Server in der Nacht rotiert.";
    expect(snowball.languageOf?.(german)).toBe("de");
    expect(snowball.analyze(german)).toEqual(snowball.analyze(german, "de"));
    expect(snowball.languageOf?.("Schlüssel")).toBe("");
    expect(snowball.analyze("Schlüssel")).toEqual(snowball.analyze("Schlüssel", ""));
  });

  it("treats a language without rules, or one that it does not know, like the plural alone", () => {
    expect(snowball.analyze("testy testing tests thay", "vi")).toEqual(["testy", "testing", "test", "thay"]);
    expect(snowball.analyze("testing tests", "xx")).toEqual(["testing", "test"]);
  });

  it.each([
    ["en-GB", "en"],
    ["nb_NO", "no"],
    ["deu", "de"],
  ])("knows %s for %s", (tag, language) => {
    const text = "die Häuser og husene houses rotating";
    expect(snowball.analyze(text, tag)).toEqual(snowball.analyze(text, language));
    expect(languageOfTag(tag)).toBe(language);
  });
});

describe("a query in several languages", () => {
  it("has each word in the form of each language, once, its own language's first [T29]", () => {
    expect(snowball.analyzeQuery?.("Häuser", ["de", "en", ""])).toEqual([["haus", "hauser", "häuser"]]);
    expect(snowball.analyzeQuery?.("house", ["en", "zh", ""])).toEqual([["hous"]]);
    expect(snowball.analyzeQuery?.("die Häuser in der Stadt", ["en", "de"])?.[1]).toEqual(["haus", "hauser"]);
    expect(snowball.analyzeQuery?.("houses", [])).toEqual([["hous"]]);
    expect(snowball.analyzeQuery?.("黑豹", ["zh", "en"])).toEqual([["黑"], ["黑豹"], ["豹"]]);
  });

  it("is, for one language, what documents of that language are analysed to [T29 L11]", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...languages), (text, language) => {
        expect(snowball.analyzeQuery?.(text, [language]).flat()).toEqual(snowball.analyze(text, language));
      }),
      { numRuns: 1000 },
    );
  });

  it("has for every word of a document the form that stands there, whatever its language [T29]", () => {
    fc.assert(
      fc.property(anyText, fc.uniqueArray(fc.constantFrom(...languages), { minLength: 1 }), (text, searched) => {
        const groups = snowball.analyzeQuery?.(text, searched) ?? [];
        for (const language of searched) {
          const terms = snowball.analyze(text, language);
          expect(groups.length).toBe(terms.length);
          for (const [at, term] of terms.entries()) expect(groups[at]).toContain(term);
        }
        for (const group of groups) {
          expect(group.length).toBeGreaterThan(0);
          expect(new Set(group).size).toBe(group.length);
        }
      }),
    );
  });

  it("is bounded on hostile input, in every language", () => {
    for (const language of languages) {
      for (const text of Object.values(hostileTexts(3000))) {
        const found = snowball.analyze(text, language);
        expect(found.length).toBeLessThanOrEqual(2 * text.length);
        expect(found.filter((term) => !/^\S{1,64}$/su.test(term))).toEqual([]);
      }
    }
  });
});

describe("a caller's own language", () => {
  const rules = { version: "1", script: "latin", stem: (word: string) => word.replace(/(?:oj|on|o)$/u, "") } as const;
  const own = createAnalyzer({ languages: { eo: { ...rules, functionWords: "la kaj en de estas kiu kio al" } } });

  it("is stemmed, detected and asked by its own rules", () => {
    expect(own.languageOf?.("La hundo kaj la kato estas en la domo")).toBe("eo");
    expect(own.analyze("hundoj hundon", "eo")).toEqual(["hund", "hund"]);
    expect(own.functionWords?.["eo"]).toContain("kaj");
  });

  it("may give no blank, no spaced and no endless term: the word stays", () => {
    for (const stem of [() => "", () => "a b", () => "x".repeat(65)]) {
      const odd = createAnalyzer({ languages: { eo: { ...rules, stem } } });
      expect(odd.analyze("hundo", "eo")).toEqual(["hundo"]);
    }
  });
});

describe("the tag of a language", () => {
  it.each([
    ["en", "en"],
    ["EN-us", "en"],
    ["zh-Hant-TW", "zh"],
    ["pt_BR", "pt"],
    ["nn", "no"],
    ["iw", "he"],
    ["hr", "sr"],
    ["eng", "en"],
    [" fr ", "fr"],
    ["und", ""],
    ["English", ""],
    ["", ""],
    ["x-klingon", ""],
    ["de'; DROP", ""],
  ])("%j is %j", (tag, language) => {
    expect(languageOfTag(tag)).toBe(language);
  });

  it("is idempotent", () => {
    const tags = fc.oneof(fc.string({ maxLength: 12 }), fc.stringMatching(/^[a-zA-Z]{2,3}(?:-[A-Za-z]{2,4})?$/u));
    fc.assert(
      fc.property(tags, (tag) => {
        const language = languageOfTag(tag);
        expect(languageOfTag(language)).toBe(language);
        expect(language).toMatch(/^(?:[a-z]{2,3})?$/u);
      }),
    );
  });
});
