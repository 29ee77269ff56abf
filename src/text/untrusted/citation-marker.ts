/**
 * Forms of a citation, and forms that a reader might take for one.
 *
 * - `[1]`, `[2, 3]`, `[1; 2]`, `[1 and 2]`, `[1-3]`, `[Source 1]`, `[1, p. 3]`.
 * - The same in brackets and digits that look like these, which some models write by habit: `【1】`, `［２］`.
 * - `[Doc abc, Chunk 1 of 5]`.
 *
 * `[^1]` and `【1†source】` name source 1, and `【4:1†source】` names none. Emphasis and white space in a marker do not count: `[**1**]`.
 *
 * **Source** ToolUp's short identifiers for labels; GitHub's footnotes; OpenAI's Assistants and gpt-oss for the dagger.
 */

/** Brackets that open a marker, as they stand in a character class. */
export const openingBrackets = "[\\[【［〔❲〚﹝⁅〖〘⦋⦍⦏⟬⹕﹇︹︻⎡⎣]";
const opening = new RegExp(openingBrackets, "u");
const closing = "[\\]】］〕❳〛﹞⁆〗〙⦌⦎⦐⟭⹖﹈︺︼⎤⎦]";
const space = "(?:[^\\S\\n]|\\n(?![^\\S\\n]*\\n)|\\u2800)";
/** Signs of emphasis, of code and of an escape, which a reader does not see. */
const sign = "[*_~`\\\\]";
const unseen = `(?:${space}|${sign})`;
const figure = "[\\p{N}]";
const digit = `${figure}\\p{M}*(?!\\p{M})${sign}*(?!${sign})`;
/** A year is longer, and a value has its point or sign: `[2024]`, `[1.2.3]`, `[-9]`. Each text is a number in one way, so that none is tried in many. */
const number = `(?:\\^${unseen}*)?(?=(?:0${sign}*)*(?:${digit}){1,3}(?!${figure}))(?:${digit})+(?!${figure})`;
/** In the languages of the stop lists, as models write them. */
const words =
  "sources?|src|refs?|references?|citations?|cite|documents?|docs?|nos?|nr|passages?|chunks?|snippets?|excerpts?|evidence|footnotes?|notes?|fn|see|cf|" +
  "quellen?|fuentes?|fontes?|fonti|bron|bronnen|kilder?|källa|källor|lähde|zdroj|źródło|kaynak|источник|джерело|来源|來源|出典|출처";
const joining = "and|or|和|及|と|및";
/** Beside a digit they are a part of a value: `1e5`, `9a`. */
const apart = "und|oder|et|ou|y|e|o|och|eller|og|en|i|a|и|или|та";
const upTo = "to|bis|до|至";
const joinings = `(?:(?:${joining})(?!\\p{L})|(?<!\\p{N})(?:${apart})(?![\\p{L}\\p{N}]))`;
const word = `(?:(?:${words})(?!\\p{L})|№)(?:[.:#№-]|${unseen})*`;
const named = `(?:${word})?${number}`;
/** A range begins with a source: `[0-9]` is a pattern. */
const dash = `(?:[-‐‑‒–—−⁃﹣－﹘⸺→～〜…]|\\.\\.|(?<!\\p{L})(?:${upTo})(?!\\p{L}))`;
const comma = `(?:[,;，、；﹐؛٫˒⸲&＆+·・•⋅]|(?<!\\p{L})${joinings})`;
const items = `(?!0${unseen}*${dash})(?:${named}(?:${unseen}*(?:${dash}|${comma})${unseen}*(?:${comma}${unseen}*)*|${space}${unseen}*))*${named}`;
/** Signs that change nothing of what a number names: `["9"]`, `[(9)]`, `[9.]`. */
const around = `(?:["'“”„‘’«»(){}†‡=,;，、；\\p{M}]|[<‹$](?=\\p{Nd}{1,3}[>›$])|${unseen})*`;
const behind = `(?:["'“”„‘’«»(){}†‡=,;，、；.!?]|(?<=[<‹$]\\p{Nd}{1,3})[>›$]|${unseen})*`;
/** The place in a source: `[1, p. 3]`, `[1: keys.md]`. */
const place = `(?:${unseen}*[,;]${unseen}*(?:pp?|ch|sec|chapter|section|page)(?!\\p{L})|: *(?=[\\p{L}"“]))[^\\]】\\n]{0,60}`;
const numbers = `${around}${items}(?:${place}|${behind})`;
const dagger = "\\p{Nd}{1,3}(?::\\p{Nd}{1,3})? *† *[^\\]】\\n]{0,60}";
const label = "Doc +[\\w-]{1,40} *, *Chunk +\\d{1,4} +of +\\d{1,4}";

/** A whole marker, where a text begins with one. */
export const completeMarker = new RegExp(
  `^${openingBrackets}(?:${unseen}*(?:${dagger}|${label}(?: *[;,] *${label})*)${unseen}*|${numbers})${closing}`,
  "iu",
);

/** Any beginning of a word that a marker may hold. */
const beginnings = [words.replaceAll("?", ""), joining, apart, upTo]
  .flatMap((list) => list.split("|"))
  .flatMap((whole) => Array.from(whole, (_, at) => whole.slice(0, at + 1)));

/** Start of a marker that the next piece may complete. */
export const unfinishedMarker = new RegExp(
  `^${openingBrackets}(?:(?:(?!\\n[^\\S\\n]*\\n)[^\\p{L}\\[\\]【】]|(?<!\\p{L})(?:${beginnings.join("|")})(?!\\p{L}))*|${unseen}*doc [\\w ,;-]*|${around}${items}(?:${unseen}*(?:†|[,;]${unseen}*(?:p|c|s)|:)[^\\]】\\n]{0,66})?)$`,
  "iu",
);

/** Every marker of a text, code or not. */
export const everyMarker = new RegExp(completeMarker.source.slice(1), "giu");

/** Brackets of any kind that a reader takes for those of a marker; a source's own come to a model as `⟦1⟧`. */
export const anyOpening = `[⟦${openingBrackets.slice(1)}`;
export const anyClosing = `[⟧${closing.slice(1)}`;
const inBrackets = new RegExp(
  `${anyOpening}((?:[^\\p{L}\\n\\[\\]⟦⟧【】]|\\n(?!\\s*\\n)|(?<!\\p{L})(?:(?:${words}|${upTo}|p|x?br)(?!\\p{L})|${joinings})){1,80}(?:[:†][^\\n\\]⟧】\uFDD1]{0,60}?)?)${anyClosing}`,
  "giu",
);
/** Start of such a text. */
export const unfinishedNumber = new RegExp(
  `^${anyOpening}(?:[^\\p{L}\\n\\[\\]⟦⟧【】]|\\n(?!\\s*\\n)|(?<!\\p{L})(?:${beginnings.join("|")}|p|x?br?)(?!\\p{L})){0,80}$`,
  "iu",
);
/** A number with a sign, a unit, a point or a slash of its own, a year, or a pattern such as `[0-9]`. */
const valueInBrackets =
  /^(?:[-+−±#$€£≤≥≈]+ ?\p{Nd}[^]*|[^]*\p{Nd}(?: ?[%°‰]|[.:/|] ?\p{Nd}|,\p{Nd}{3})[^]*|0-\p{Nd}+|[^]*[1-9]\p{Nd}{3,}[^]*|p{1,2}\.? ?\p{Nd}+)$/iu;

/** Numbers in brackets that are no marker by their form, and no value: a reader takes them for one. **Cost** linear. */
export function* findLooseMarkers(text: string): Generator<{ readonly index: number; readonly length: number }> {
  for (const { index, 0: whole, 1: inner = "" } of text.matchAll(inBrackets)) {
    const seen = inner.replaceAll(/[\p{M}\p{Cf}*_~`\\⠀]/gu, "").trim();
    if (/\p{N}/u.test(seen) && !valueInBrackets.test(seen)) yield { index, length: whole.length };
  }
}

/** Names in a marker: numbers of sources as they are, labels in one spelling: `doc abc, chunk 1 of 5`. */
export function readMarker(marker: string): readonly (number | string)[] {
  const labels = marker.match(new RegExp(label, "giu"));
  if (labels) return labels.map(normaliseLabel);
  const [before = ""] = marker.split("†");
  if (before !== marker && before.includes(":")) return [];
  return before
    .replaceAll(/[*_~`\\]/gu, "")
    .replace(new RegExp(place, "iu"), "")
    .split(new RegExp(comma, "iu"))
    .flatMap((part) => {
      const all = (part.match(/\p{Nd}+/gu) ?? []).map((digits) => Number(Array.from(digits, digitValue).join("")));
      const [first = 0, last = 0] = all;
      return new RegExp(dash, "u").test(part) && first < last
        ? Array.from({ length: last - first + 1 }, (_, index) => first + index)
        : all;
    });
}

/** Where the last bracket before `position` stands that could open a marker; -1 when none does. */
export function lastOpeningBefore(text: string, position: number): number {
  let at = position - 1;
  while (at >= 0 && !opening.test(text.charAt(at))) at -= 1;
  return at;
}

export function normaliseLabel(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\s*,\s*/gu, ", ")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

/** **Source** Unicode: the decimal digits of a script stand together, from zero to nine. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return (code - zero) % 10;
}
