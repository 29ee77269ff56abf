import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { judgeByWords, logistic, scoreOf } from "../../src/answers/support/judge-by-words.ts";
import { rarityAmong, readEvidence } from "../../src/answers/support/read-evidence.ts";
import { createWordReader } from "../../src/answers/support/read-words.ts";
import { languageAnalyzer } from "../../src/text/index.node.ts";
import { runs } from "../support/runs.ts";

const judge = (sentence: string, ...sources: readonly string[]) =>
  judgeByWords({
    sentence,
    evidence: sources.map((text) => ({ text, title: "Harbour handbook" })),
    analyzer: languageAnalyzer,
    language: "en",
  });
const kinds = (sentence: string, ...sources: readonly string[]) => [
  ...new Set(judge(sentence, ...sources).vetoes.map(({ kind }) => kind)),
];
const keysOf = (text: string, language = "en") =>
  createWordReader(languageAnalyzer, language)
    .read(text)
    .filter(({ key }) => /^[#@]/u.test(key))
    .map(({ key }) => key);

const rotation =
  "The harbour office rotates the keys of all storage sheds every ninety days, and Ada Brandt signs the log.";
const closing = "The north pier is not open to visitors between 3 October and 14 March.";

it("a sentence may have more words than a call can have arguments", () => {
  expect(judge("keys rotated ".repeat(100_000), rotation).support).toBeLessThan(1);
});

describe("numbers and dates are compared by value", () => {
  it.each([
    ["fifty", "50"],
    ["fifty-two", "52"],
    ["two hundred and six", "206"],
    ["1,000", "1000"],
    ["3.50", "3.5"],
    ["1.5 million", "1,500,000"],
    ["twelve thousand", "12000"],
    ["the third", "the 3rd"],
    ["the 1960s", "1960"],
    ["World War II", "World War 2"],
    ["2018–19", "2018–2019"],
    ["October 6", "6 Oct"],
    ["2017-10-31", "October 31 2017"],
    ["20%", "20 percent"],
    ["9 am", "9:00"],
    ["5:30 p.m.", "17:30"],
    ["12 am", "0:00"],
    ["€1.2m", "1,200,000 euros"],
    ["$3bn", "3 billion dollars"],
  ])("%s is %s", (one, other) => {
    expect(keysOf(one).toSorted()).toEqual(keysOf(other).toSorted());
    expect(keysOf(one).length).toBeGreaterThan(0);
  });

  it.each([
    ["fifty", "15"],
    ["3.5", "35"],
    ["-5 degrees", "5 degrees"],
    ["May 7", "June 7"],
    ["9 am", "9 pm"],
    ["9:30", "9:00"],
    ["3:2", "3:1"],
    ["1.2m", "1.2 million"],
  ])("%s is not %s", (one, other) => {
    expect(keysOf(one)).not.toEqual(keysOf(other));
  });

  it("a full stop between thousands is German, and a decimal point English", () => {
    expect(keysOf("1.000", "de")).toEqual(["#1000"]);
    expect(keysOf("1.000", "en")).toEqual(["#1"]);
  });

  it("May is a month beside a number, and a verb elsewhere", () => {
    expect(keysOf("You may open it in May 2020")).toEqual(["@5", "#2020"]);
  });
});

describe("support by words", () => {
  it("May is a month behind a word of time", () => {
    expect(keysOf("Courses start in May.")).toEqual(["@5"]);
    expect(keysOf("They met after March.")).toEqual(["@3"]);
    expect(keysOf("Kurse beginnen im Mai.", "de")).toEqual(["@5"]);
    expect(keysOf("May it work in time.")).toEqual([]);
    expect(kinds("Courses start in May.", "Courses start in March.")).toContain("number");
  });

  it("a sentence that stands in a source is supported, whatever follows or precedes it there", () => {
    const { support, verdict, isVerbatim, carriedBy, unsupportedWords } = judge(rotation, closing, rotation);
    expect({ support, verdict, isVerbatim, carriedBy, unsupportedWords }).toEqual({
      support: 1,
      verdict: "supported",
      isVerbatim: true,
      carriedBy: [1],
      unsupportedWords: [],
    });
    expect(judge("Ada Brandt signs the log.", rotation).isVerbatim).toBe(true);
    expect(judge("the north pier is open", "It is false that the north pier is open.").isVerbatim).toBe(false);
  });

  it.each([
    ["de", "Das Hafenamt wechselt die Schlüssel aller Schuppen alle neunzig Tage."],
    ["fr", "Le bureau du port change les clés des hangars tous les quatre-vingt-dix jours."],
    ["es", "La oficina del puerto cambia las llaves de los almacenes cada noventa días."],
    ["ru", "Портовая служба меняет ключи от складов каждые девяносто дней."],
    ["ar", "يغير مكتب الميناء مفاتيح المخازن كل تسعين يوما."],
    ["zh", "港口办公室每九十天更换一次仓库的钥匙。"],
    ["ja", "港湾事務所は九十日ごとに倉庫の鍵を交換する。"],
  ])("a verbatim sentence is supported in %s", (language, sentence) => {
    const evidence = [{ text: sentence }, { text: rotation }];
    for (const given of [language, undefined])
      expect(judgeByWords({ sentence, evidence, analyzer: languageAnalyzer, language: given })).toMatchObject({
        verdict: "supported",
        carriedBy: [0],
      });
  });

  it.each([
    ["de", "Das Hafenamt wechselt die Schlüssel nicht im März.", "nicht ", ""],
    ["de", "Das Hafenamt wechselt die Schlüssel im März.", "März", "April"],
    ["fr", "Le bureau ne change pas les clés en 2019.", "2019", "2020"],
    ["es", "La oficina no cambia las llaves.", "no ", ""],
    ["zh", "港口办公室每九十天更换一次仓库的钥匙。", "九十", "六十"],
    ["zh", "港口办公室每天不更换仓库的钥匙。", "不", ""],
    ["ja", "港湾事務所は九十日ごとに倉庫の鍵を交換する。", "九十", "六十"],
  ])("a detail that is changed is not supported in %s: %s", (language, source, from, to) => {
    const evidence = [{ text: source }];
    const found = judgeByWords({ sentence: source.replace(from, to), evidence, analyzer: languageAnalyzer, language });
    expect(found.verdict).not.toBe("supported");
    expect(found.vetoes.length).toBeGreaterThan(0);
  });

  it("a rewording by the source's own words is supported, and says which sentence carries it", () => {
    const found = judge("The keys of the storage sheds are rotated every 90 days.", closing, rotation);
    expect(found).toMatchObject({ verdict: "supported", isVerbatim: false, carriedBy: [1], vetoes: [] });
  });

  it("a sentence on something else is unsupported and carried by nothing", () => {
    const sentence = "Elephants sleep standing under baobab trees.";
    const found = judge(sentence, rotation, closing);
    expect(found).toMatchObject({ verdict: "unsupported", carriedBy: [] });
    expect(found.unsupportedWords.map(({ start, end }) => sentence.slice(start, end)).join(" ")).toContain("baobab");
  });

  it("a sentence with a fact from elsewhere in it is not supported, and the fact is named", () => {
    const sentence = "The help desk rotates the keys of all storage sheds every ninety days at extension 42.";
    const found = judge(sentence, rotation);
    expect(found.verdict).not.toBe("supported");
    expect(found.unsupportedWords.some(({ start, end }) => sentence.slice(start, end).includes("42"))).toBe(true);
  });

  it("a word of the title is no word from elsewhere", () => {
    const sentence = "The harbour handbook: the north pier is not open to visitors.";
    expect(judge(sentence, closing).vetoes).toEqual([]);
  });

  it("nothing is carried without evidence, and no claim by a sentence without words", () => {
    expect(judge("The pier is open.")).toMatchObject({ support: 0, verdict: "unsupported", carriedBy: [] });
    expect(judge("…", rotation)).toMatchObject({ support: 0, verdict: "unsupported", unsupportedWords: [] });
  });

  it("an abbreviation stands for its words, and its words for it", () => {
    expect(judge("The U.S. Navy uses the pier.", "The United States Navy uses the pier.").vetoes).toEqual([]);
    expect(judge("The United States Navy uses the pier.", "The US Navy uses the pier.").vetoes).toEqual([]);
    expect(kinds("The UK Navy uses the pier.", "The United States Navy uses the pier.")).toEqual(["name"]);
  });

  it("evidence that was read once gives the same as evidence that is read each time", () => {
    const evidence = [{ text: rotation }, { text: closing }];
    const sentence = "Ada Brandt signs the log of the pier.";
    expect(judgeByWords({ sentence, evidence: readEvidence(evidence) })).toEqual(judgeByWords({ sentence, evidence }));
  });

  it("a threshold of the caller decides in place of the trained one", () => {
    const sentence = "The keys of the storage sheds are rotated every 90 days.";
    const evidence = [{ text: rotation }];
    expect(judgeByWords({ sentence, evidence, minSupport: 1 }).verdict).toBe("partly");
    const edited = judgeByWords({ sentence: sentence.replace("90", "91"), evidence, minSupport: 0 });
    expect(edited.verdict).not.toBe("supported");
  });

  it("rarity falls with the sentences that hold a term, and weighs in", () => {
    const weigh = rarityAmong(1000, (term) => (term === "pier" ? 500 : 0));
    expect(weigh("gangway")).toBe(1);
    expect(weigh("pier")).toBeCloseTo(Math.log(1001 / 500.5) / Math.log(2002), 10);
    const input = { sentence: "The pier has a gangway.", evidence: [{ text: "The pier is open." }] };
    const flat = judgeByWords({ ...input, weigh: () => 0.5 });
    expect(judgeByWords({ ...input, weigh }).support).not.toBe(flat.support);
  });

  it("a model is a weighted sum of standardised features", () => {
    const model = { intercept: 1, features: [["a", 2, 4, 3] as const, ["b", 0, 1, -1] as const] };
    expect(scoreOf(model, Float64Array.of(6, 2))).toBe(1 + 3 - 2);
    expect(logistic(0)).toBe(0.5);
  });
});

describe("a veto", () => {
  it.each([
    ["number", "a number", rotation.replace("ninety", "sixty")],
    ["number", "a spelled number as digits", rotation.replace("ninety", "91")],
    ["name", "a name", rotation.replace("Ada Brandt", "Otto Keller")],
    ["name", "a first name", rotation.replace("Ada", "Otto")],
    ["name", "a surname", rotation.replace("Brandt", "Keller")],
    ["quantifier", "a quantifier", rotation.replace("all", "most")],
    ["quantifier", "a quantifier put in", rotation.replace("signs", "only signs")],
    ["negation", "a denial put in", rotation.replace("rotates", "never rotates")],
  ] as const)("for %s: %s changed", (kind, _, sentence) => {
    expect(kinds(sentence, rotation)).toContain(kind);
    expect(judge(sentence, rotation).verdict).not.toBe("supported");
  });

  it.each([
    ["number", "a month", closing.replace("October", "November")],
    ["number", "a day", closing.replace("14", "15")],
    ["number", "a number of the same sentence", closing.replace("14", "3")],
    ["negation", "a denial left out", closing.replace("not ", "")],
    ["negation", "no for not", closing.replace("is not", "is")],
  ] as const)("for %s: %s", (kind, _, sentence) => {
    expect(kinds(sentence, closing)).toContain(kind);
    expect(judge(sentence, closing).verdict).not.toBe("supported");
  });

  it.each([
    ["number", "a number that no sentence has", "Reports of 1893 praise sheds with good locks."],
    ["name", "a name that no sentence has", "Critics such as Otto Keller praise sheds with good locks."],
    ["name", "a name with another first name", "Critics such as Otto Brandt praise sheds with good locks."],
    ["number", "a month with another day", "Critics praised sheds with good locks on 14 October."],
    ["negation", "a denial", "Critics of sheds with good locks never praise gangways."],
    ["quantifier", "a quantifier", "Critics of good locks praise most gangways."],
  ] as const)("for %s: %s, in a sentence that has no counterpart", (kind, _, sentence) => {
    expect(kinds(sentence, rotation, closing)).toEqual([kind]);
  });

  it("is not made by a longer form of a known name", () => {
    expect(kinds("Critics praise the Brandt Institute.", "Yesterday Brandt signed the log.")).toEqual([]);
  });

  it("is not made by a denial in other words, nor by one that both have", () => {
    expect(kinds("Visitors can't enter the north pier.", "Visitors cannot enter the north pier.")).toEqual([]);
    expect(kinds("The office did not accept the plan.", "The office refused to accept the plan.")).toEqual([]);
  });

  it("is made by another name and number of the same evidence in this one's place", () => {
    const sources = ["Otto Keller leads the north pier.", "Ada Brandt leads the south dock.", "Pier 7 has 12 berths."];
    expect(kinds("Ada Brandt leads the north pier.", ...sources)).toContain("name");
    expect(kinds("Pier 7 has 7 berths.", ...sources)).toContain("number");
  });

  it("is made by a circumstance from a sentence on something else", () => {
    const evidence = ["The large pool closes at ten for all visitors.", "It is heated to thirty degrees in winter."];
    const { verdict, vetoes } = judge("The large pool closes at ten for all visitors in winter.", ...evidence);
    expect([verdict, vetoes.map(({ kind }) => kind)]).toEqual(["partly", ["connection"]]);
  });

  it("names the word that it is about", () => {
    const sentence = rotation.replace("ninety", "sixty");
    const { vetoes, unsupportedWords } = judge(sentence, rotation);
    expect(vetoes.map(({ kind, start, end }) => [kind, sentence.slice(start, end)])).toEqual([["number", "sixty"]]);
    expect(unsupportedWords.map(({ start, end }) => sentence.slice(start, end))).toContain("sixty");
  });
});

describe("laws of support by words", () => {
  const word = fc.constantFrom(
    ..."pier keys office Ada Brandt not all only 90 fifty October sheds rotates the of is never United States 7 log".split(
      " ",
    ),
  );
  const sentence = fc.array(word, { minLength: 4, maxLength: 14 }).map((words) => `${words.join(" ")}.`);
  const sources = fc.array(sentence, { minLength: 0, maxLength: 6 });

  it("more evidence never lowers the support of a verbatim sentence", () => {
    fc.assert(
      fc.property(sentence, sources, sources, (claim, before, after) => {
        const found = judge(claim, ...before, claim, ...after);
        expect([found.support, found.verdict]).toEqual([1, "supported"]);
      }),
      { numRuns: runs(300) },
    );
  });

  it("a veto excludes supported, and supported excludes a veto", () => {
    fc.assert(
      fc.property(sentence, sources, (claim, evidence) => {
        const found = judgeByWords({ sentence: claim, evidence: evidence.map((text) => ({ text })), minSupport: 0 });
        expect(found.verdict === "supported").toBe(found.vetoes.length === 0);
      }),
      { numRuns: runs(300) },
    );
  });

  it("spans lie in the sentence, in order and apart; carriers are at most two places of the evidence", () => {
    fc.assert(
      fc.property(fc.oneof(sentence, fc.string({ unit: "grapheme", maxLength: 80 })), sources, (claim, evidence) => {
        const { support, unsupportedWords, carriedBy } = judge(claim, ...evidence);
        expect(support).toBeGreaterThanOrEqual(0);
        expect(support).toBeLessThanOrEqual(1);
        let from = 0;
        for (const { start, end } of unsupportedWords) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          from = end;
        }
        expect(from).toBeLessThanOrEqual(claim.length);
        expect(carriedBy.length).toBeLessThanOrEqual(2);
        expect(new Set(carriedBy).size).toBe(carriedBy.length);
        for (const at of carriedBy) expect(evidence[at]).toBeDefined();
      }),
      { numRuns: runs(300) },
    );
  });

  it("reads evidence that repeats the claim's words in proportion to its length, not to its square", () => {
    const readsOf = (repeats: number): number => {
      let reads = 0;
      const counted = <Item>(list: readonly Item[]): readonly Item[] =>
        new Proxy(list, {
          get(target, name) {
            if (typeof name === "string" && /^\d+$/u.test(name)) reads++;
            return Reflect.get(target, name) as unknown;
          },
        });
      const text = "keys sheds Ada Brandt 90 days October not all ".repeat(repeats);
      const evidence = readEvidence([text, text].map((each) => ({ text: each, title: "Harbour handbook" })));
      judgeByWords({
        sentence: "The keys of the sheds of Ada Brandt rotate every 90 days in October.",
        evidence: {
          ...evidence,
          places: new Map(Array.from(evidence.places, ([key, list]) => [key, counted(list)])),
          sentences: evidence.sentences.map((sentence) => ({ ...sentence, words: counted(sentence.words) })),
        },
      });
      return reads;
    };
    const [once, twice, fourTimes] = [readsOf(200), readsOf(400), readsOf(800)];
    expect(once).toBeGreaterThan(200);
    expect((fourTimes - twice) / (twice - once)).toBeLessThan(2.1);
  });
});
