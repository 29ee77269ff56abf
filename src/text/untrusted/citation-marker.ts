/**
 * Forms of a citation, and forms that a reader might take for one.
 *
 * `[1]`, `[2, 3]`, `[1; 2]`, `[1-3]`; the same in the brackets and digits that look like these (`【1】`, `［２］`), which some models write by habit; and `[Doc abc, Chunk 1 of 5]`.
 * `[^1]` and `【1†source】` name source 1, and `【4:1†source】` names none. Emphasis and white space in a marker do not count: `[**1**]`.
 *
 * **Source** ToolUp's short identifiers for labels; GitHub's footnotes; OpenAI's Assistants and gpt-oss for the dagger.
 */

/** Brackets that open a marker, as they stand in a character class. */
export const openingBrackets = "[\\[【［〔❲〚﹝⁅]";
const opening = new RegExp(openingBrackets, "u");
const closing = "[\\]】］〕❳〛﹞⁆]";
/** White space within a paragraph, and signs of emphasis and of code, which a reader does not see. */
const unseen = "(?:[^\\S\\n]|\\n(?![^\\S\\n]*\\n)|[*_~`])";
const digit = "[\\p{Nd}\\p{No}]\\p{M}*";
const number = `(?:\\^${unseen}*)?${digit}(?:[*_~\`]*${digit}){0,2}`;
/** A range begins with a source: `[0-9]` is a pattern. */
const dash = "[-‐‑‒–—−]";
const item = `(?:(?!0)${number}${unseen}*${dash}${unseen}*${number}|${number})`;
const comma = "[,;，、；]";
const numbers = `${item}(?:${unseen}*${comma}${unseen}*${item})*`;
const dagger = "\\p{Nd}{1,3}(?::\\p{Nd}{1,3})? *† *[^\\]】\\n]{0,60}";
const label = "Doc +[\\w-]{1,40} *, *Chunk +\\d{1,4} +of +\\d{1,4}";

/** A whole marker, where a text begins with one. */
export const completeMarker = new RegExp(
  `^${openingBrackets}${unseen}*(?:${dagger}|${numbers}|${label}(?: *[;,] *${label})*)${unseen}*${closing}`,
  "iu",
);

/** Start of a marker that the next piece may complete. */
export const unfinishedMarker = new RegExp(
  `^${openingBrackets}${unseen}*(?:(?:[\\p{Nd}\\p{No}\\p{M},^;，、；‐‑‒–—−-]|${unseen})*\\n?|\\p{Nd}{1,3}(?::\\p{Nd}{0,3})? *(?:† *[^\\]】\\n]{0,60})?|d|do|doc(?: [\\w ,;-]*)?)$`,
  "iu",
);

/** Every marker of a text, code or not. */
export const everyMarker = new RegExp(completeMarker.source.slice(1), "giu");

/** Names in a marker: numbers of sources as they are, labels in one spelling: `doc abc, chunk 1 of 5`. */
export function readMarker(marker: string): readonly (number | string)[] {
  const labels = marker.match(new RegExp(label, "giu"));
  if (labels) return labels.map(normaliseLabel);
  const [named = ""] = marker.split("†");
  if (named.includes(":")) return [];
  return named
    .replaceAll(/[*_~`]/gu, "")
    .split(new RegExp(comma, "u"))
    .flatMap((part) => {
      const [first, last] = (part.match(/\p{Nd}+/gu) ?? []).map((digits) =>
        Number(Array.from(digits, digitValue).join("")),
      );
      if (first === undefined) return [];
      if (last === undefined) return [first];
      return new RegExp(dash, "u").test(part) && first < last
        ? Array.from({ length: last - first + 1 }, (_, index) => first + index)
        : [first, last];
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
