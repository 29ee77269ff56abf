import { stemPlural } from "./stem-plural.ts";
import { stemPorter } from "./stem-porter.ts";

const ascii = /^[a-z]+$/u;
const accents = /[\u0300-\u036f]+/gu;

/**
 * An English word without its endings, and without accents: `résumés`, `resume` → `resum`.
 *
 * English borrows its accents, and its writers put them in or leave them out.
 *
 * **Shape** takes a folded word. **Source** Porter (`stem-porter.ts`). Of it, of its author's second version and of taking off the plural alone, see
 * `docs/decisions/0014-languages.md`.
 */
export function stemEnglish(word: string): string {
  return stemAscii(ascii.test(word) ? word : word.normalize("NFD").replaceAll(accents, "").normalize("NFC"));
}

/**
 * A word of the Latin script in no known language: plain letters are most likely English; a word with marks is another language's, and keeps them.
 *
 * **Source** on German, taken for no language, nDCG@10 is no lower than with the plural alone (`docs/decisions/0014-languages.md`).
 */
export function stemAscii(word: string): string {
  return ascii.test(word) ? stemPorter(word) : stemPlural(word);
}
