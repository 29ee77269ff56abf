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

/** Porter turns a final `y` into `i`; turned back, `queri` is `query` to who reads an explanation, and `key*` finds `keys`. */
function stemPlain(word: string): string {
  const stem = stemPorter(word);
  const last = stem.length - 1;
  // `kiwi` and `kiwis` have an `i` of their own.
  const turned = word[last] === "y" || (last > 2 && word.length > stem.length + 1);
  return stem[last] === "i" && turned ? `${stem.slice(0, last)}y` : stem;
}

/**
 * A word of the Latin script in no known language: plain letters are most likely English; a word with marks is another language's, and keeps them.
 *
 * **Source** on German, taken for no language, nDCG@10 is no lower than with the plural alone (`docs/decisions/0014-languages.md`).
 */
export function stemAscii(word: string): string {
  return ascii.test(word) ? stemPlain(word) : stemPlural(word);
}
