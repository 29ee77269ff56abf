import { segmentWords } from "../../text/words.ts";
import { capitalisingLanguages } from "../support/read-words.ts";

/**
 * The names in a sentence: words with a capital that do not have it for standing first.
 *
 * **Shape** none in a language whose nouns all have capitals, and none in a line that is written in capitals throughout. Scripts without capitals have no names here.
 */
export function namesIn(sentence: string, language: string): readonly string[] {
  if (capitalisingLanguages.has(language)) return [];
  const words = [...segmentWords(sentence)].filter(({ kind }) => kind === "word");
  const capitals = words.filter(({ text }) => /^\p{Lu}/u.test(text));
  if (capitals.length > titleShare * words.length) return [];
  return capitals
    .filter(({ start, text }) => {
      const before = sentence.slice(0, start);
      return text.length > 1 && (!startsClause.test(before) || cutShort.test(before));
    })
    .map(({ text }) => text);
}

/** A line with more capitals than this is a title, or shouted. */
const titleShare = 0.6;
/** A title or a name cut short, such as `Dr.`, ends no sentence. */
const cutShort = /(?<![\p{L}\p{N}])\p{Lu}\p{L}{0,4}\.\s+$/u;
const startsClause = /(?:^|[.:!?…"“”„«»])[\s\p{P}]*$/u;

/**
 * Whether a sentence denies something.
 *
 * **Source** our own choice: the words by which these languages deny; elsewhere nothing is taken for a denial.
 */
export function denies(sentence: string): boolean {
  return denial.test(sentence.toLowerCase());
}

const denials = [
  "not no never none nobody nothing neither nor without cannot",
  "nicht nie niemals kein keine keinen keinem keiner keines nichts niemand weder ohne",
  "ne pas jamais aucun aucune rien personne sans nunca ningún ninguna nada sin tampoco",
  "non mai nessun nessuno nessuna niente senza não nenhum nenhuma sem",
  "niet geen nooit niemand zonder inte aldrig ingen inga utan ikke aldri uten aldrig",
  "не нет никогда без ни никто ничего",
]
  .join(" ")
  .split(" ");
const denial = new RegExp(`(?<![\\p{L}\\p{Nd}_])(?:${denials.join("|")})(?![\\p{L}\\p{Nd}_])|n['’]t(?!\\p{L})`, "u");
