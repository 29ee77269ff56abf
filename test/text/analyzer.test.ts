import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createAnalyzer, defaultAnalyzer } from "../../src/text/analyzer.ts";
import { foldWord } from "../../src/text/languages/fold-word.ts";
import { stemArabic } from "../../src/text/languages/stem-arabic.ts";
import { stemPlural } from "../../src/text/languages/stem-plural.ts";
import { segmentWords } from "../../src/text/words.ts";
import { anyText, hostileTexts } from "./texts.ts";

// Endings are another matter: what is looked at here is where words begin and end, and how they are folded.
const light = createAnalyzer({ stem: "light" });
const terms = (text: string): string => light.analyze(text).join(" ");

describe("the default analyzer", () => {
  it.each([
    ["getUserById", "getuserbyid get user by id"],
    ["HTTPServer parseURLs PDFs APIs iPhone", "httpserver http server parseurl parse url pdf api iphone"],
    ["SKU-1234", "sku-1234 sku 1234"],
    ["snake_case __init__ MAX_SIZE", "snake_case snake case init max_size max size"],
    ["dotted.names", "dotted.names dotted name"],
    ["src/runtime/hash.ts", "src/runtime/hash.ts src runtime hash ts"],
    ["user@example.com", "user@example.com user example com"],
    ["2024-05-01 10:30 3.14 1,234,567 v1.2.3", "2024-05-01 2024 05 01 10 30 3.14 1234567 v1.2.3"],
    ["AT&T R&D", "at&t at r&d"],
    ["C++ and C# and F#", "c++ and c# and f#"],
  ])("keeps and splits the identifiers of %j", (text, expected) => {
    expect(terms(text)).toBe(expected);
  });

  it.each([
    ["A well-known and/or long-lived thing", "a well known and or long lived thing"],
    ["e-mail, X-ray and T‑shirts", "email mail xray ray and tshirt shirt"],
    ["Newton's workers' don't O'Brien", "newton worker don't o'brien"],
    ["l'homme d’une qu'elle dell'arte", "homme une elle arte"],
    ["The U.S. said e.g. this", "the us said eg thi"],
  ])("lets prose not grow: %j", (text, expected) => {
    expect(terms(text)).toBe(expected);
  });

  it.each([
    ["ＡＢＣ ﬁnd １２３ ٣٢١ km²", "abc find 123 321 km2"],
    ["STRASSE Straße ΣΊΣΥΦΟΣ Σίσυφος", "strasse strasse σισυφοσ σισυφοσ"],
    ["İSTANBUL résumé re\u0301sume\u0301 Größe", "istanbul résumé résumé grösse"],
    ["co\u00adoperate می\u200cخواهم", "cooperate ميخ"],
    ["ΑΘΗΝΑ Αθήνα ᾠδή ΩΔΗ", "αθηνα αθηνα ωδη ωδη"],
    ["ещё еще ЁЛКА ții ţii", "еще еще елка ţii ţii"],
    ["các bằng trời", "các bằng trời"],
    ["كِتَابٌ كتـــاب الكتاب والكتاب", "تاب تاب تاب تاب"],
    ["queries houses keys access corpus employees gas", "query house key access corpus employee gas"],
  ])("brings spellings of one word together: %j", (text, expected) => {
    expect(terms(text)).toBe(expected);
  });

  it.each([
    ["黑豹队", "黑 黑豹 豹 豹队 队"],
    ["茶。", "茶"],
    ["カタカナ ｶﾀｶﾅ ﾊﾟﾝ", "カタ タカ カナ カタ タカ カナ パン"],
    ["ภาษาไทย", "ภา าษ ษา าไ ไท ทย"],
    ["한국어를 물", "한국 국어 어를 물"],
    ["第3世代", "第 3 世 世代 代"],
  ])("gives pairs of characters where no spaces stand: %j", (text, expected) => {
    expect(terms(text)).toBe(expected);
  });

  it("finds one ideograph inside a run", () => {
    const query = defaultAnalyzer.analyze("茶");
    expect(query.length).toBe(1);
    expect(defaultAnalyzer.analyze("喝绿茶的人")).toContain(query[0]);
  });

  it("gives short terms without blanks, the same each time", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const found = defaultAnalyzer.analyze(text);
        expect(defaultAnalyzer.analyze(text)).toEqual(found);
        for (const term of found) {
          expect(term).not.toMatch(/^$|\s/);
          expect(term.length).toBeLessThanOrEqual(64);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("analyses parts that white space sets apart independently, in one language", () => {
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom("", "en", "ar", "xx"), (a, b, language) => {
        expect(defaultAnalyzer.analyze(`${a} ${b}`, language)).toEqual([
          ...defaultAnalyzer.analyze(a, language),
          ...defaultAnalyzer.analyze(b, language),
        ]);
      }),
    );
  });

  it("is linear on hostile input, and bounds what it gives", () => {
    for (const text of Object.values(hostileTexts(100_000))) {
      const found = defaultAnalyzer.analyze(text);
      expect(found.length).toBeLessThanOrEqual(2 * text.length);
      expect(found.every((term) => term.length <= 64)).toBe(true);
    }
  });

  it("names its version, the Unicode version and its settings [L11]", () => {
    expect(defaultAnalyzer.fingerprint).toMatch(
      /^ibid-words\/\d+\/unicode-\d+(?:\.\d)?\/[0-9a-f]{16}\/\["language"\]$/,
    );
    expect(createAnalyzer().fingerprint).toBe(defaultAnalyzer.fingerprint);
    expect(createAnalyzer({ stem: "none" }).fingerprint).not.toBe(defaultAnalyzer.fingerprint);
    const shouting = { version: "1", script: "latin", stem: (word: string) => word } as const;
    const [one, other] = ["1", "2"].map((v) => createAnalyzer({ languages: { xx: { ...shouting, version: v } } }));
    expect(one!.fingerprint).not.toBe(defaultAnalyzer.fingerprint);
    expect(one!.fingerprint).not.toBe(other!.fingerprint);
    expect(createAnalyzer({ stopWords: ["b", "a"] }).fingerprint).toBe(
      createAnalyzer({ stopWords: ["A", "b"] }).fingerprint,
    );
  });
});

describe("createAnalyzer", () => {
  it("leaves words alone, and stop words out, when told to", () => {
    expect(createAnalyzer({ stem: "none" }).analyze("Keys الكتاب")).toEqual(["keys", "الكتاب"]);
    expect(createAnalyzer({ stopWords: ["THE", "keys"] }).analyze("the keys of The lock")).toEqual(["of", "lock"]);
  });

  it("refuses an unknown option", () => {
    expect(() => createAnalyzer({ stemmer: "x" } as object)).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  });
});

describe("foldWord", () => {
  it("is idempotent", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const word of segmentWords(text)) {
          const once = foldWord(word.text);
          expect(foldWord(once)).toBe(once);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("what is its own folded form at a glance", () => {
  it("is what a longer look makes of it, letter by letter", () => {
    const letters = Array.from({ length: 0x530 }, (_, unit) => String.fromCharCode(unit)).filter((letter) =>
      /[\p{L}\p{Nd}]/u.test(letter),
    );
    // A typographic apostrophe is for the longer look.
    const looked = letters.map((letter) => foldWord(`’${letter}x`));
    expect(letters.map((letter) => `'${foldWord(`${letter}x`)}`)).toEqual(looked);
    expect(letters.filter((letter) => foldWord(letter) === letter).length).toBeGreaterThan(300);
  });
});

describe("a term's length", () => {
  it("is bounded without splitting a surrogate pair, and long words keep their beginning", () => {
    expect(foldWord(`a${"𐐨".repeat(40)}`)).toBe(`a${"𐐨".repeat(31)}`);
    expect(light.analyze(`${"x".repeat(80)}_part ${"Y".repeat(70)}`)).toEqual(["x".repeat(64), "part", "y".repeat(64)]);
  });
});

describe("stemming", () => {
  it("follows the S stemmer's rules and exceptions", () => {
    const pairs = {
      queries: "query",
      dies: "dy",
      movies: "movy",
      houses: "house",
      boxes: "boxe",
      heroes: "heroe",
      bus: "bus",
      glass: "glass",
      was: "was",
      "caf\u00e9s": "caf\u00e9",
    };
    for (const [word, stem] of Object.entries(pairs)) expect(stemPlural(word)).toBe(stem);
  });

  it("takes Arabic articles, particles and endings off, and leaves a stem", () => {
    expect(["والمدرسون", "للمدرسه", "مدرسات"].map(stemArabic)).toEqual(["مدرس", "مدرس", "مدرس"]);
    expect(["بيت", "البيت", "بيتها", "وبالبيت"].map(stemArabic)).toEqual(["بيت", "بيت", "بيت", "بيت"]);
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(...Array.from("ابتثجحخدذرزسشصضطظعغفقكلمنهوي")),
          minLength: 1,
          maxLength: 12,
        }),
        (word) => {
          expect(stemArabic(word).length).toBeGreaterThanOrEqual(Math.min(2, word.length));
        },
      ),
    );
  });
});
