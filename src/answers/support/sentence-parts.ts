import type { ReadWord } from "./read-words.ts";

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));
/** Words that open a part, as signs do. */
const joining = set("and but or while whereas und aber oder während sondern et mais pero");
/** They count where they stand in the place of a number. */
const ones = set("one eins");
export const articles: ReadonlySet<string> = set(
  "the a an this that these those its their his her our your der die das den dem ein eine einen einem",
);
/** Between two words that tell, these make the first a modifier of the second: `a slice of bread`. */
const binding = set("of von de du di");
/** Verbs that tell nothing by themselves. */
export const auxiliaries: ReadonlySet<string> = set(
  "is are was were be been being has have had will can could may might must should would do does did ist sind war waren wird wurde werden hat haben kann können muss müssen soll darf dürfen",
);

/** A stretch of a sentence between two signs or conjunctions: its words, those that tell, and their keys. */
export interface Part {
  readonly words: readonly ReadWord[];
  readonly content: readonly ReadWord[];
  readonly keys: ReadonlySet<string>;
}

/** Parts of a sentence between its commas, semicolons, colons and conjunctions. */
export function partsOf(words: readonly ReadWord[]): readonly Part[] {
  const parts: ReadWord[][] = [[]];
  for (const [at, word] of words.entries()) {
    const part = parts.at(-1)!;
    // "7:30" is no clause and another.
    const isWithinNumber = word.isNumber && part.at(-1)?.isNumber === true;
    // "Blinks while charging" is one.
    const isDuring = word.word === "while" && words[at + 1]?.word.endsWith("ing") === true;
    const opens = word.isBehindSign ? !isWithinNumber : joining.has(word.word) && !isDuring;
    if (opens && part.some(({ isContent }) => isContent)) parts.push([word]);
    else part.push(word);
  }
  // "More frequent with A (23 %) than with B (9 %)": an amount alone belongs to what stands before it.
  for (let at = parts.length - 1; at > 0; at -= 1)
    if (parts[at]!.every(({ isNumber, unit }) => isNumber || unit !== ""))
      parts[at - 1]!.push(...parts.splice(at, 1)[0]!);
  return parts.map((part) => {
    const content = part.filter(({ isContent, word }) => isContent || ones.has(word));
    return { words: part, content, keys: new Set(content.map(({ key }) => key)) };
  });
}

/** Prepositions that may stand for each other before two things of a kind. */
const groups: readonly ReadonlySet<string>[] = [
  set("at in on inside outside im am an auf"),
  set("by with via using durch mit per"),
];

/** Whether two words of different sentences stand behind the same link, or behind none. */
export function areLinkedAlike(one: readonly string[], other: readonly string[]): boolean {
  if (one.length === 0 || other.length === 0) return one.length === other.length;
  return one.some(
    (link) => other.includes(link) || groups.some((group) => group.has(link) && other.some((each) => group.has(each))),
  );
}

/** Words that tell nothing right before a word, such as `by` and `at`. Articles, auxiliary verbs and denials are left out. */
export function linksBefore(words: readonly ReadWord[], word: ReadWord): readonly string[] {
  const links: string[] = [];
  for (let at = words.indexOf(word) - 1; at >= 0 && !words[at]!.isContent; at -= 1) {
    const { word: link, isDenial } = words[at]!;
    if (!articles.has(link) && !auxiliaries.has(link) && !isDenial) links.push(link);
  }
  return links;
}

/** Whether words before a place tell something that a claim lacks, and are more than modifiers of the word there. */
export function tellsBefore(words: readonly ReadWord[], at: number, claimed: ReadonlySet<string>): boolean {
  // A word before an amount does not modify it: "students €9".
  let isApart = words[at]!.isNumber && (words[at + 1]?.unit ?? "") !== "";
  for (let before = at - 1; before >= 0; before -= 1) {
    const { key, word, isContent } = words[before]!;
    if (isContent && isApart && !claimed.has(key)) return true;
    if (!isContent && !binding.has(word)) isApart = true;
  }
  return false;
}

/** Whether words behind a place tell something that a claim lacks. */
export function tellsBehind(words: readonly ReadWord[], at: number, claimed: ReadonlySet<string>): boolean {
  return words.slice(at + 1).some(({ key, isContent }) => isContent && !claimed.has(key));
}
