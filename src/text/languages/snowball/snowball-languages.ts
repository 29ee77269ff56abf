import { stemmer as armenian } from "@orama/stemmers/armenian";
import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as indian } from "@orama/stemmers/indian";
import { stemmer as indonesian } from "@orama/stemmers/indonesian";
import { stemmer as irish } from "@orama/stemmers/irish";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as lithuanian } from "@orama/stemmers/lithuanian";
import { stemmer as nepali } from "@orama/stemmers/nepali";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as serbian } from "@orama/stemmers/serbian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as tamil } from "@orama/stemmers/tamil";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { coreLanguages, type LanguageRules } from "../language-rules.ts";
import { moreFunctionWords } from "./more-function-words.ts";

/** Version of the package, whose algorithms are those of Snowball 2. Part of the analyzer's fingerprint. */
const packageVersion = "orama-3.1.18";

/** Stemmers of the package by language. English and Arabic are not among them: the core's own do better. */
const stemmers = {
  da: danish,
  de: german,
  el: greek,
  es: spanish,
  fi: finnish,
  fr: french,
  ga: irish,
  hi: indian,
  hu: hungarian,
  hy: armenian,
  id: indonesian,
  it: italian,
  lt: lithuanian,
  ne: nepali,
  nl: dutch,
  no: norwegian,
  pt: portuguese,
  ro: romanian,
  ru: russian,
  sr: serbian,
  sv: swedish,
  ta: tamil,
  tr: turkish,
} as const satisfies Readonly<Record<string, (word: string) => string>>;

/** Languages of a script other than Latin; Serbian has two. */
const scripts: Readonly<Record<string, LanguageRules["script"]>> = {
  ...Object.fromEntries("ar bg el fa he hi hy ja ko ne ru ta th uk ur yi zh".split(" ").map((each) => [each, "other"])),
  sr: "any",
};

const accents = /[\u0300-\u036f]+/gu;
const withoutAccents = (word: string): string => word.normalize("NFD").replaceAll(accents, "").normalize("NFC");

/** Changes to a word before Snowball stems it. */
const before: Readonly<Record<string, (word: string) => string>> = {
  // An apostrophe sets a name apart from its endings: `İstanbul'da`.
  tr: (word) => word.replace(/'.*$/su, ""),
  // Nukta is left out at will, and chandrabindu and anusvara stand for one another (Lucene's HindiNormalizer).
  hi: (word) => word.normalize("NFD").replaceAll("\u093c", "").replaceAll("\u0901", "\u0902").normalize("NFC"),
};

/**
 * Changes to a stem: accents that writers omit, on capitals or on keyboards without them, are dropped. Only the stem loses them,
 * because endings depend on them.
 *
 * **Source** Savoy, Light Stemming Approaches for the French, Portuguese, German and Hungarian Languages (SAC 2006),
 * does so for these four. Snowball itself does so in German and Spanish. In Turkish, capital `I` is `ı`, and lower case
 * without a locale makes it `i`.
 */
const after: Readonly<Record<string, (stem: string) => string>> = {
  fr: withoutAccents,
  it: withoutAccents,
  pt: withoutAccents,
  tr: (stem) => stem.replaceAll("ı", "i"),
};

/**
 * The languages that Snowball has stemmers for, and the function words of some more, for `createAnalyzer`.
 *
 * **Shape** by language (`de`); the core's own languages are in it. Estonian, Basque, Catalan and Yiddish have no stemmer in the package.
 * **Source** the Snowball project's algorithms (snowballstem.org), in the package `@orama/stemmers`.
 *
 * @experimental
 */
export const snowballLanguages: Readonly<Record<string, LanguageRules>> = Object.freeze(
  Object.fromEntries(
    [...new Set([...Object.keys(coreLanguages), ...Object.keys(stemmers), ...Object.keys(moreFunctionWords)])].map(
      (language) => [language, createRules(language)],
    ),
  ),
);

function createRules(language: string): LanguageRules {
  const core = coreLanguages[language];
  const words = core?.functionWords ?? moreFunctionWords[language];
  const shared = {
    script: core?.script ?? scripts[language] ?? "latin",
    ...(words === undefined ? {} : { functionWords: words }),
  };
  if (!isStemmed(language)) {
    return { version: "1", ...shared, ...core };
  }
  return { version: `1/${packageVersion}`, ...shared, stem: createStem(language) };
}

function isStemmed(language: string): language is keyof typeof stemmers {
  return Object.hasOwn(stemmers, language);
}

function createStem(language: keyof typeof stemmers): (word: string) => string {
  const [prepare, finish] = [before[language], after[language]];
  const stemmer = stemmers[language];
  return (word) => {
    const stem = stemmer(prepare ? prepare(word) : word);
    return finish ? finish(stem) : stem;
  };
}
