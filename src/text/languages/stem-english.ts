import { stemPlural } from "./stem-plural.ts";
import { stemPorter } from "./stem-porter.ts";

const ascii = /^[a-z]+$/u;
const accents = /[\u0300-\u036f]+/gu;

/**
 * Stems an English word and drops its accents: `résumés`, `resume` → `resum`.
 *
 * English borrows its accents, and its writers put them in or leave them out.
 *
 * **Shape** takes a folded word. **Source** Porter (`stem-porter.ts`). For comparisons with its second version and with plurals alone, see
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
 * Stems a word of the Latin script in no known language. A word of plain letters is most likely English; a word with
 * marks belongs to another language, and keeps them.
 *
 * **Source** on German as an unknown language, nDCG@10 is no lower than with the plural alone (`docs/decisions/0014-languages.md`).
 */
export function stemAscii(word: string): string {
  return ascii.test(word) ? stemPlain(word) : stemPlural(word);
}
