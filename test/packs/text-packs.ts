import type { Analyzer } from "../../src/contracts/analyzer.ts";
import type { LengthFunction } from "../../src/contracts/chunker.ts";
import { check, equal } from "../../src/testing/assert.ts";
import { defineCases } from "../../src/testing/contract-case.ts";
import type { ContractCase } from "../../src/testing/contract-case.ts";
import { edgeTexts, generateText, scripts } from "../../src/testing/corpus.ts";
import { createRandom } from "../../src/testing/random.ts";

const texts: readonly string[] = [...Object.values(scripts).flat(), ...edgeTexts, generateText(1, 8)];

/** What every {@link LengthFunction} promises: nothing is 0 long, a text with more words is not shorter, and parts add up to within one. */
export function createLengthFunctionPack(subject: { create(): LengthFunction }): readonly ContractCase[] {
  return defineCases("length-function", [
    [
      "whole-numbers-from-zero",
      "T32 T33",
      () => {
        const length = subject.create();
        check(length.name.trim() !== "", "it has a name");
        equal(length(""), 0, "the length of nothing");
        for (const text of texts) {
          const value = length(text);
          check(Number.isSafeInteger(value) && value > 0, `the length of ${JSON.stringify(text.slice(0, 30))}`, value);
          equal(length(text), value, "the same length again");
        }
      },
    ],
    [
      "parts-add-up",
      "T32 T33",
      () => {
        const length = subject.create();
        const random = createRandom(3);
        for (const text of texts) {
          const whole = length(text);
          for (let i = 0; i < 10; i++) {
            const cut = random.below(text.length + 1);
            const sum = length(text.slice(0, cut)) + length(text.slice(cut));
            check(whole <= sum + 1, `${JSON.stringify(text.slice(0, 30))} is longer than its parts cut at ${cut}`, [
              whole,
              sum,
            ]);
          }
        }
      },
    ],
    [
      "a-beginning-is-not-longer-than-the-whole",
      "T33",
      () => {
        const length = subject.create();
        // Within a word it may be: pairs of bytes are joined when the rest of the word comes.
        for (const text of [...Object.values(scripts).flat(), generateText(2, 3)]) {
          const ends = Array.from(text.matchAll(/\S(?=\s)/gu), ({ index, 0: letter }) => index + letter.length);
          for (const [i, end] of [...ends, text.length].entries()) {
            const [shorter, longer] = [length(text.slice(0, ends[i - 1] ?? 0)), length(text.slice(0, end))];
            check(shorter <= longer + 1, `a beginning of ${JSON.stringify(text)} is longer than a longer one`, [
              shorter,
              longer,
            ]);
          }
        }
      },
    ],
    [
      "survives-hostile-texts",
      "T33",
      () => {
        const length = subject.create();
        for (const text of ["a".repeat(200_000), "\u0000\uFFFF", "\uD800", "\uDC00x", " ".repeat(10_000)]) {
          check(length(text) > 0, "a hostile text has a length");
        }
      },
    ],
  ]);
}

/** What nobody knows, one language with endings, one that runs words together, one with letters of its own, and one that nobody has heard of. */
const someLanguages: readonly string[] = ["", "en", "zh", "ru", "xx"];

/**
 * What every {@link Analyzer} promises: the same terms for the same text, none blank, letters of every script found, case folded; and that a query has for
 * each word what documents hold for it, in every language that is searched.
 */
export function createAnalyzerPack(subject: { create(): Analyzer }): readonly ContractCase[] {
  return defineCases("analyzer", [
    [
      "same-text-same-terms",
      "T29 L11",
      () => {
        const [analyzer, again] = [subject.create(), subject.create()];
        check(analyzer.fingerprint.trim() !== "", "it has a fingerprint");
        equal(again.fingerprint, analyzer.fingerprint, "the fingerprint of the same analyzer, made again");
        for (const text of texts) equal(again.analyze(text), analyzer.analyze(text), `terms of ${text.slice(0, 30)}`);
      },
    ],
    [
      "no-blank-terms",
      "T29",
      () => {
        const analyzer = subject.create();
        for (const text of texts) {
          check(
            analyzer.analyze(text).every((term) => term.trim() !== ""),
            `a blank term in ${JSON.stringify(text.slice(0, 30))}`,
          );
        }
        for (const text of ["", " \n\t\u00A0", "… — ! ?", "\u200B"])
          equal(analyzer.analyze(text), [], `terms of ${JSON.stringify(text)}`);
      },
    ],
    [
      "every-script-has-terms",
      "T29",
      () => {
        const analyzer = subject.create();
        for (const [script, sentences] of Object.entries(scripts)) {
          for (const sentence of sentences) {
            check(analyzer.analyze(sentence).length > 0, `${script}: no terms in "${sentence}"`);
          }
        }
      },
    ],
    [
      "words-in-order-and-as-often-as-they-stand",
      "T29",
      () => {
        const terms = subject.create().analyze("mango kiwi mango quince");
        equal(terms.length, 4, "terms of four words");
        equal(terms[0], terms[2], "the term of a word that stands twice");
        equal(new Set(terms).size, 3, "distinct terms");
      },
    ],
    [
      "case-does-not-matter",
      "T29",
      () => {
        const analyzer = subject.create();
        for (const [lower, upper] of [
          ["lighthouse", "LIGHTHOUSE"],
          ["größe", "GRÖßE"],
          ["маяк", "МАЯК"],
          ["θάλαμο", "ΘΆΛΑΜΟ"],
        ] as const) {
          equal(analyzer.analyze(upper), analyzer.analyze(lower), `terms of ${upper}`);
        }
      },
    ],
    [
      "joined-marks-do-not-matter",
      "T29",
      () => {
        const analyzer = subject.create();
        for (const text of ["café Ångström", "Trời đẹp quá"]) {
          equal(
            analyzer.analyze(text.normalize("NFD")),
            analyzer.analyze(text.normalize("NFC")),
            `terms of ${text}, decomposed`,
          );
        }
      },
    ],
    [
      "a-word-in-a-sentence-is-the-word-alone",
      "T29",
      () => {
        const analyzer = subject.create();
        for (const [word, sentence] of [
          ["lighthouse", "The (lighthouse), they say, is old."],
          ["маяк", "Старый «маяк»!"],
          ["등대", "저 등대, 보여요?"],
          ["灯塔", "看,灯塔!"],
        ] as const) {
          const terms = new Set(analyzer.analyze(sentence));
          check(
            analyzer.analyze(word).some((term) => terms.has(term)),
            `"${sentence}" is not found by "${word}"`,
            [...terms],
          );
        }
      },
    ],
    [
      "a-language-that-nobody-says-is-the-one-that-it-takes-the-text-for",
      "T29",
      () => {
        const analyzer = subject.create();
        for (const text of texts) {
          const language = analyzer.languageOf?.(text) ?? "";
          equal(
            analyzer.analyze(text),
            analyzer.analyze(text, language),
            `terms of ${text.slice(0, 30)}, in "${language}"`,
          );
        }
      },
    ],
    [
      "a-query-is-analysed-like-the-documents-of-each-language",
      "T29",
      () => {
        const analyzer = subject.create();
        const analyzeQuery = analyzer.analyzeQuery?.bind(analyzer);
        if (analyzeQuery === undefined) return;
        for (const text of texts) {
          const what = `of ${JSON.stringify(text.slice(0, 30))}`;
          for (const language of someLanguages) {
            const alone = analyzeQuery(text, [language]);
            equal(alone.flat(), analyzer.analyze(text, language), `the query terms ${what} in "${language}"`);
            check(
              alone.every((group) => group.length === 1),
              `one term a word ${what} in "${language}"`,
            );
          }
          const groups = analyzeQuery(text, someLanguages);
          for (const language of someLanguages) {
            const terms = analyzer.analyze(text, language);
            equal(groups.length, terms.length, `words ${what}`);
            check(
              terms.every((term, at) => groups[at]?.includes(term) === true),
              `each word ${what} as in "${language}"`,
            );
          }
        }
      },
    ],
    [
      "a-query-word-has-each-of-its-terms-once",
      "T29",
      () => {
        const analyzer = subject.create();
        for (const languages of [[], [""], someLanguages, ["en", "en", "", ""]]) {
          for (const text of texts) {
            for (const group of analyzer.analyzeQuery?.(text, languages) ?? []) {
              check(group.length > 0, `no empty word in ${JSON.stringify(text.slice(0, 30))}`);
              equal(
                new Set(group).size,
                group.length,
                `distinct terms of a word in ${JSON.stringify(text.slice(0, 30))}`,
              );
            }
          }
        }
      },
    ],
    [
      "survives-hostile-texts",
      "L12",
      () => {
        const analyzer = subject.create();
        for (const text of [
          "a".repeat(100_000),
          "a-".repeat(30_000),
          "漢".repeat(20_000),
          "e" + "\u0301".repeat(20_000),
          "\uD800x\uDC00",
          "ก".repeat(5000),
        ]) {
          check(Array.isArray(analyzer.analyze(text)), "a hostile text is analysed");
        }
      },
    ],
  ]);
}
