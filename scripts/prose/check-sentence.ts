/** A rule of plain English that a sentence can break. */
export type ProseRule = "opening" | "length" | "code" | "word" | "person";

const longest = 25;
const opening = /^["'“‘([*_]*(?:what|whoever|who|whom|of|that of|those of|which|it says)\b/iu;
/** Item codes, laws by number, and documents that do not lie in the repository. */
const code =
  /\[[A-Z]\d{1,3}(?:[ ,]+[A-Z]\d{1,3})*\]|(?<![\w/-])[BTWEL]\d{1,2}(?![\w/-])|\blaws? (?:\d|one\b|two\b)|\b(?:DESIGN|FACE|REDESIGN|BRIEF)\b/u;
/** Words of our own where the field has one: see GLOSSARY.md. */
const word = /\b(?:doors?|houses?|mend(?:s|ed|ing)?|owe[sd]?|strays?|tellers?|grounds|told|floors?)\b/iu;
/** A program is "it", never a person. */
const person = /\b(?:somebody|someone|whoever|whomever)\b/iu;

/** The rules that a sentence breaks. */
export function checkSentence(sentence: string): readonly ProseRule[] {
  const broken: ProseRule[] = [];
  if (opening.test(sentence) && !sentence.endsWith("?")) broken.push("opening");
  if (countWords(sentence) > longest) broken.push("length");
  if (code.test(sentence)) broken.push("code");
  if (word.test(sentence)) broken.push("word");
  if (person.test(sentence)) broken.push("person");
  return broken;
}

function countWords(sentence: string): number {
  return sentence.split(/[\s—–/]+/u).filter((each) => /[\p{L}\p{N}]/u.test(each)).length;
}
