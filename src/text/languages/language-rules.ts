import { functionWords } from "./function-words.ts";
import { isArabic, stemArabic } from "./stem-arabic.ts";
import { stemEnglish } from "./stem-english.ts";

/**
 * Rules of one language for an analyzer.
 *
 * @experimental
 */
export interface LanguageRules {
  /** Changes whenever the stems do: it is in the analyzer's fingerprint. */
  readonly version: string;
  /** Words of the language: those in Latin letters, those in others, or all. Latin words in a language of another script are taken for English. */
  readonly script: "latin" | "other" | "any";
  /**
   * A word without its endings, in the form in which the forms of that word meet.
   *
   * **Shape** takes a folded word of the language's script, without digits; gives the same each time.
   */
  readonly stem?: (word: string) => string;
  /** Articles, pronouns, question words and the like, separated by white space: see `function-words.ts`. */
  readonly functionWords?: string;
}

const version = "1";

/** The languages of the core: no library is needed for them. */
export const coreLanguages: Readonly<Record<string, LanguageRules>> = {
  en: { version, script: "latin", stem: stemEnglish, functionWords: words("en") },
  de: { version, script: "latin", functionWords: words("de") },
  fr: { version, script: "latin", functionWords: words("fr") },
  es: { version, script: "latin", functionWords: words("es") },
  it: { version, script: "latin", functionWords: words("it") },
  pt: { version, script: "latin", functionWords: words("pt") },
  nl: { version, script: "latin", functionWords: words("nl") },
  ru: { version, script: "other", functionWords: words("ru") },
  ar: {
    version,
    script: "other",
    stem: (word) => (isArabic(word) ? stemArabic(word) : word),
    functionWords: words("ar"),
  },
  zh: { version, script: "other", functionWords: words("zh") },
  ja: { version, script: "other", functionWords: words("ja") },
};

function words(language: string): string {
  return functionWords[language] ?? "";
}
