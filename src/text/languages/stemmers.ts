import { latin, number } from "../patterns/character-class.ts";
import { maxTermLength } from "./fold-word.ts";
import type { LanguageRules } from "./language-rules.ts";
import { languageOfTag } from "./language-tag.ts";
import { isArabic, stemArabic } from "./stem-arabic.ts";
import { stemAscii } from "./stem-english.ts";
import { stemPlural } from "./stem-plural.ts";

/** Makes the term of a folded word with these classes (`character-class.ts`). */
export type Stemmer = (folded: string, classes: number) => string;

export interface Stemmers {
  /** Stemmer of a language's tag, or of `""` for no known language. Languages with the same rules share one. */
  of(language: string): Stemmer;
}

/** Stems that are remembered per language; when there are more, all are forgotten. */
const remembered = 20_000;

/**
 * Chooses the rules for a word.
 *
 * A word with a digit has no endings. A word in the language's own script uses the language's rules. A Latin word in text of another script, or in an unknown language, is
 * taken for English (`stem-english.ts`), and an Arabic word for Arabic. A language of the Latin script without
 * rules loses a plural `s` at most.
 */
export function createStemmers(
  kind: "language" | "light" | "none",
  languages: Readonly<Record<string, LanguageRules>>,
): Stemmers {
  const made = new Map<LanguageRules, Stemmer>();
  const unknown = byScript(remember(stemAscii));
  const light = byScript(stemPlural);

  const of = (language: string): Stemmer => {
    if (kind === "none") return keep;
    if (kind === "light") return light;
    if (language === "") return unknown;
    const rules = languages[language] ?? languages[languageOfTag(language)];
    if (rules === undefined) return light;
    if (rules.stem === undefined) return rules.script === "latin" ? light : unknown;
    let stemmer = made.get(rules);
    if (stemmer === undefined) made.set(rules, (stemmer = createStemmer(rules.script, rules.stem)));
    return stemmer;
  };

  function createStemmer(script: LanguageRules["script"], stem: (word: string) => string): Stemmer {
    const own = remember(stem);
    return (folded, classes) => {
      if ((classes & number) !== 0) return folded;
      const isOwn = script === "any" || ((classes & latin) !== 0) === (script === "latin");
      return isOwn ? own(folded) : unknown(folded, classes);
    };
  }

  return { of };
}

const keep: Stemmer = (folded) => folded;

function byScript(stemLatin: (word: string) => string): Stemmer {
  return (folded, classes) => {
    if ((classes & number) !== 0) return folded;
    if ((classes & latin) !== 0) return stemLatin(folded);
    return isArabic(folded) ? stemArabic(folded) : folded;
  };
}

/** A stem must still be a term: what is blank, holds white space or is too long is left as the word. */
function remember(stem: (word: string) => string): (word: string) => string {
  const stems = new Map<string, string>();
  return (word) => {
    let found = stems.get(word);
    if (found !== undefined) return found;
    found = stem(word);
    if (found === "" || found.length > maxTermLength || /\s/u.test(found)) found = word;
    if (stems.size >= remembered) stems.clear();
    stems.set(word, found);
    return found;
  };
}
