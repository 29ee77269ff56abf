import { mostAligned } from "./features.ts";
import { type ReadClaim, type Veto, vetoOf } from "./read-claim.ts";
import type { SupportEvidence } from "./read-evidence.ts";
import type { ReadWord } from "./read-words.ts";

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));
/** A clause behind one of these says what may be. */
const conditional = set("if unless whether wenn falls ob sofern");
/** A clause behind one of these says what may be, where it tells of no past. */
const temporal = set("when whenever");
const past = set("was were had did war waren hatte hatten");
const future = set("will shall wird werden");
const ended = set("was were has have had did war wurde wurden hat haben");
/** Words behind one of these, up to the end of the clause, do not hold. */
const replaced: readonly (readonly string[])[] = [
  ["instead", "of"],
  ["rather", "than"],
  ["in", "place", "of"],
  ["anstelle"],
  ["statt"],
  ["anstatt"],
];

/**
 * Facts of a claim that its sentence gives as a condition, as a plan, or as replaced: `The file is empty`, where `it crashes if the
 * file is empty`.
 *
 * **Cost** linear in the sentence that holds most of the claim.
 */
export function findUnreal({ all, words, best: [first] }: ReadClaim, { sentences }: SupportEvidence): readonly Veto[] {
  const own = words.filter(({ heldBy }) => first !== undefined && heldBy.has(first)).map(({ word }) => word);
  if (first === undefined || all.length > mostAligned || own.length === 0 || own.length < words.length - 1) return [];
  const other = sentences[first]!.words.slice(0, mostAligned);
  const isIn = (list: readonly ReadWord[], { key }: ReadWord): boolean => list.some((word) => word.key === key);
  const has = (list: readonly ReadWord[], of: ReadonlySet<string>): boolean => list.some(({ word }) => of.has(word));

  const conditions = other.flatMap(({ word }, at) => {
    const clause = clauseFrom(other, at);
    const isOpen = conditional.has(word) || (temporal.has(word) && !has(clause, past));
    return isOpen ? [clause] : [];
  });
  // "If it is red" may go on with the subject of the condition before.
  const isHeld = own.every((word) => conditions.some((clause) => isIn(clause, word)));
  if (isHeld && !has(all, conditional) && !has(all, temporal)) return [vetoOf("relation", own[0]!)];

  const former = other.flatMap((_, at) => {
    const phrase = replaced.find((each) => each.every((word, next) => other[at + next]?.word === word));
    return phrase === undefined ? [] : clauseFrom(other, at).slice(phrase.length);
  });
  const isTold = replaced.some(([word]) => all.some((each) => each.word === word));
  const outside = other.filter((word) => !former.includes(word));
  const lost = isTold ? undefined : own.find((word) => isIn(former, word) && !isIn(outside, word));
  if (lost !== undefined) return [vetoOf("exchange", lost)];

  const [ofClaim, ofOther] = [verbsBehind(all, ended, future), verbsBehind(other, future, ended)];
  const verb = own.find((word) => ofClaim.has(word.key) && ofOther.has(word.key));
  const [ahead, behind] = [verbsBehind(all, future, ended), verbsBehind(other, ended, future)];
  const planned = own.find((word) => ahead.has(word.key) && behind.has(word.key));
  const early = verb ?? planned;
  return early === undefined ? [] : [vetoOf("relation", early)];
}

/** Words from a place up to the next sign. */
function clauseFrom(words: readonly ReadWord[], at: number): readonly ReadWord[] {
  const end = words.findIndex(({ isBehindSign }, place) => place > at && isBehindSign);
  return words.slice(at, end < 0 ? undefined : end);
}

/** Keys of the first word that tells behind each of some auxiliary verbs, with none of the others between. */
function verbsBehind(
  words: readonly ReadWord[],
  verbs: ReadonlySet<string>,
  others: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  let isOpen = false;
  for (const { word, key, isContent, isBehindSign } of words) {
    if (isBehindSign) isOpen = false;
    if (verbs.has(word) && !isContent) isOpen = true;
    else if (others.has(word) && !isContent) isOpen = false;
    else if (isContent && isOpen) {
      found.add(key);
      isOpen = false;
    }
  }
  return found;
}
