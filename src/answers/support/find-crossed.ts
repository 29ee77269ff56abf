import { mostAligned } from "./features.ts";
import { type ClaimWord, type ReadClaim, type Veto, vetoOf } from "./read-claim.ts";
import type { SupportEvidence } from "./read-evidence.ts";
import type { ReadWord } from "./read-words.ts";
import {
  areLinkedAlike,
  articles,
  auxiliaries,
  linksBefore,
  type Part,
  partsOf,
  tellsBefore,
  tellsBehind,
} from "./sentence-parts.ts";
import { dimensionOfUnit } from "./units.ts";

/** At most so many words stand in the place of at most so many others. */
const mostSwapped = 3;
/** A sentence of more parts is left to the model, so that the cost stays linear. */
const mostParts = 12;

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));
/** A part with one of these before its words has the subject of the part before. */
const pronouns = set("it they he she this these both er sie es dies diese");
/** They speak of the word before them. */
const relative = set("who which whose whom where");
/** Words that begin a clause of their own, whatever stands before it. */
const subordinating = set(
  "when if while because after before until unless since where wenn falls weil nachdem bevor bis",
);
/** They link a short part to the one before. */
const linking = set("though although too also either however obwohl auch");
/** Behind one of these stands another than the sentence is about. */
const excepting = set("unlike except instead rather anders statt");

/** A claim, and those of its words that one sentence holds. */
interface HeldClaim {
  readonly all: readonly ReadWord[];
  readonly words: readonly ClaimWord[];
  readonly keys: ReadonlySet<string>;
}

/**
 * Words that one part of a sentence lends to another, in the place of its own: `An espresso runs for four minutes`, where `a French press steeps for four minutes, and an espresso runs
 * for 27 seconds`.
 *
 * Parts stand between signs and conjunctions. A part that only continues another, as in a list, lends nothing.
 *
 * **Cost** the sentence that holds most of the claim, times its parts.
 */
export function findCrossed({ all, words, best: [first] }: ReadClaim, { sentences }: SupportEvidence): readonly Veto[] {
  if (first === undefined || all.length > mostAligned) return [];
  const missing = words.filter(({ heldBy, isInTitle }) => !heldBy.has(first) && !isInTitle);
  if (missing.length > 1 || missing.some(({ word }) => word.isName || word.isNumber)) return [];
  const own = words.filter(({ heldBy }) => heldBy.has(first));
  const parts = partsOf(sentences[first]!.words.slice(0, mostAligned));
  if (own.length === 0 || parts.length > mostParts) return [];
  const widened = findWidened(all, own, parts);
  const claim = { all, words: own, keys: new Set(own.map(({ word }) => word.key)) };
  const exchanged = findExchangedPair(claim, parts).map(({ word }) => vetoOf("exchange", word));
  if (widened.length > 0 || exchanged.length > 0 || parts.length < 2) return [...widened, ...exchanged];
  if (isSaid({ all, words: own }, parts)) return [];
  if (readShortPart(claim, parts) === "turned") return [vetoOf("negation", own[0]!.word)];
  const lent = [findLent, findTwoSubjects, findOtherAmount, findOtherCase].map((find) => find(claim, parts));
  return (lent.find(({ length }) => length > 0) ?? []).map(({ word }) => vetoOf("exchange", word));
}

/** Whether one part of a sentence says a claim, by itself or with what it leaves out of a part before it. */
export function isSaid(claim: Pick<HeldClaim, "all" | "words">, parts: readonly Part[]): boolean {
  const { words } = claim;
  return isSaidWhole(words, parts) || isSaidInShort(words, parts) || readShortPart(claim, parts) === "alike";
}

/**
 * Whether a claim has all of a short part, and its beginning from a part before: `Logs are kept for 30 days in Denver`, where
 * `logs are kept for 90 days in Oslo and for 30 days in Denver`.
 */
function isSaidInShort(words: readonly ClaimWord[], parts: readonly Part[]): boolean {
  const keys = new Set(words.map(({ word }) => word.key));
  return parts.some((short, at) => {
    const isShort = short.content.length > 0 && short.content.every(({ key }) => keys.has(key));
    if (!isShort || goesOn(short) || relative.has(short.words[0]!.word)) return false;
    return parts.slice(0, at).some((base, place) => {
      if (base.words.slice(0, 2).some(({ word }) => subordinating.has(word))) return false;
      const first = base.content.findIndex(({ key }) => !keys.has(key));
      const shared = new Set(base.content.slice(0, Math.max(0, first)).map(({ key }) => key));
      const isWhole = words.every(({ word }) => short.keys.has(word.key) || shared.has(word.key));
      return isWhole && !isUnderOther({ keys }, parts.slice(place + 1, at + 1));
    });
  });
}

/** Whether one part has all words of a claim, or goes on with an auxiliary verb, of the subject of the part before it. */
function isSaidWhole(words: readonly ClaimWord[], parts: readonly Part[]): boolean {
  return parts.some((part) => {
    const keys = new Set(clauseUpTo(part, parts).map(({ key }) => key));
    return words.every(({ word }) => keys.has(word.key));
  });
}

/** A claim of all or of none that leaves out how its part ends: `Members never pay`, where `members never pay for special exhibitions`. */
function findWidened(all: readonly ReadWord[], own: readonly ClaimWord[], parts: readonly Part[]): readonly Veto[] {
  const sweeping = all.find(({ isDenial, quantifier, word }) => isDenial || quantifier === "all" || word === "any");
  if (sweeping === undefined) return [];
  const keys = new Set(own.map(({ word }) => word.key));
  const whole = parts.filter((part) => own.every(({ word }) => part.keys.has(word.key)));
  const isCut = ({ words }: Part): boolean => {
    const last = words.findLastIndex(({ key, isContent }) => isContent && keys.has(key));
    const isLast = words[last]!.key === own.at(-1)!.word.key;
    const rest = words.slice(last + 1);
    return isLast && rest[0] !== undefined && restricting.has(rest[0].word) && rest.some(({ isContent }) => isContent);
  };
  return whole.length > 0 && whole.every(isCut) ? [vetoOf("quantifier", sweeping)] : [];
}

/** They begin what a claim of all or of none is limited to. */
const restricting = set(
  "for in on at with without to from during of who that which whose more than longer für in im am auf mit ohne zu von bei während länger",
);

/**
 * Says whether a short part such as `but libraries do not` says the same of a claim's subject as the claim.
 *
 * **Shape** `undefined` where no short part is about the subject, and all else of the claim stands in the part before.
 */
export function readShortPart(
  claim: Pick<HeldClaim, "all" | "words">,
  parts: readonly Part[],
): "alike" | "turned" | undefined {
  const { all, words } = claim;
  const keys = new Set(words.map(({ word }) => word.key));
  const denies = (list: readonly ReadWord[]): boolean => list.some(({ isDenial }) => isDenial);
  const short = parts.find((part, at) => {
    const isShort = part.content.every(({ key, word }) => keys.has(key) || linking.has(word));
    const rest = words.filter(({ word }) => !part.keys.has(word.key));
    return (
      isShort &&
      part.words.some(({ word }) => auxiliaries.has(word)) &&
      part.keys.has(words[0]?.word.key ?? "") &&
      rest.length > 0 &&
      rest.every(({ word }) => parts[at - 1]?.keys.has(word.key) === true)
    );
  });
  if (short === undefined) return undefined;
  return denies(all) === denies(short.words) ? "alike" : "turned";
}

/** Words that only another part gives, where the part that holds all others has words that the claim lacks. */
function findLent(claim: HeldClaim, parts: readonly Part[]): readonly ClaimWord[] {
  for (const [at, holder] of parts.entries()) {
    const isGiven = ({ word: { key } }: ClaimWord): boolean => !holder.keys.has(key);
    const from = claim.words.findIndex(isGiven);
    const to = claim.words.findLastIndex(isGiven) + 1;
    const given = claim.words.slice(from, to);
    if (from < 0 || given.length > mostSwapped || given.length === claim.words.length || !given.every(isGiven))
      continue;
    const slot = findSlot(claim, holder, from, to);
    if (slot === undefined) continue;
    const givers = parts.filter((part) => given.every(({ word }) => part.keys.has(word.key)));
    const isLent = (giver: Part): boolean => {
      const place = parts.indexOf(giver);
      if (isUnderOther(claim, parts.slice(at + 1, place + 1))) return true;
      return takesFrom(claim, giver, given, slot, place < at) || (place > at && isToldOf(giver, parts[place + 1]));
    };
    if (givers.length > 0 && givers.every(isLent)) return given;
  }
  return [];
}

/** Where words of a claim stand in a part that lacks them. */
interface Slot {
  readonly begins: boolean;
  /** Whether a word of the claim stands behind it, in the claim or in the part. */
  readonly isBounded: boolean;
}

/** The place of a claim's words in a part that has others there. */
function findSlot({ all, words, keys }: HeldClaim, holder: Part, from: number, to: number): Slot | undefined {
  const [left, right] = [words[from - 1], words[to]];
  const placeOf = (each: ClaimWord): number => holder.content.findIndex(({ key }) => key === each.word.key);
  const rest = holder.content.slice(left === undefined ? 0 : placeOf(left) + 1, right && placeOf(right));
  const stop = right === undefined ? rest.findIndex(({ key }) => keys.has(key)) : -1;
  const facing = stop < 0 ? rest : rest.slice(0, stop);
  if (facing.length === 0 || facing.length > mostSwapped || facing.some(({ key }) => keys.has(key))) return undefined;
  if (left !== undefined) {
    const [own, other] = [linksBefore(all, words[from]!.word), linksBefore(holder.words, facing[0]!)];
    if (!areLinkedAlike(own, other)) return undefined;
  }
  return { begins: left === undefined, isBounded: right !== undefined || stop >= 0 };
}

/** Whether a part gives a claim words that belong to something else there. */
function takesFrom(
  { all, keys }: HeldClaim,
  giver: Part,
  given: readonly ClaimWord[],
  { begins, isBounded }: Slot,
  isBefore: boolean,
): boolean {
  const places = given.map(({ word }) => giver.words.findLastIndex(({ key }) => key === word.key));
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const next = giver.words[last + 1];
  if (begins) {
    if (giver.words.slice(0, first).some(({ word }) => excepting.has(word))) return true;
    const behind = all[all.indexOf(given.at(-1)!.word) + 1];
    // A claim that goes on as its first part does says more of that part: "The menu has bread", of soup and bread.
    if (behind !== undefined && !behind.isContent && behind.word === next?.word) return false;
    // The subjects of a sentence may be joined: "Schools in Kiel and libraries get grants".
    if (isBefore && (next === undefined || (!next.isContent && !auxiliaries.has(next.word)))) return false;
  }
  // The end of a claim may continue its beginning: "The tool runs on Windows", of Linux, and on Windows from version 2.
  if (!begins && !isBounded) {
    const isSubject = next !== undefined && !giver.words.slice(0, first).some(({ isContent }) => isContent);
    const hasVerb =
      isSubject && !next.isBehindSign && (next.isContent ? !keys.has(next.key) : auxiliaries.has(next.word));
    return isBefore || hasVerb || tellsBefore(giver.words, first, keys);
  }
  return tellsBefore(giver.words, first, keys) || tellsBehind(giver.words, last, keys);
}

/** Whether one of some parts in a row begins with a subject that a claim lacks, and has a verb for it. */
function isUnderOther({ keys }: Pick<HeldClaim, "keys">, parts: readonly Part[]): boolean {
  return parts.some((part, at) => {
    const { words } = part;
    const first = words.findIndex(({ isContent }) => isContent);
    const hasVerb = words.slice(first).some(({ word }) => auxiliaries.has(word)) || isToldOf(part, parts[at + 1]);
    return opensSubject(words) && !keys.has(words[first]!.key) && hasVerb;
  });
}

/** Whether a name alone stands before a part about it, and so is the subject of a later verb: `Ann, who founded it, leads it`. */
function isToldOf(part: Part, next: Part | undefined): boolean {
  return isBare(part) && next !== undefined && relative.has(next.words[0]!.word);
}

/** The last word of the name with which a claim begins, else its first: `Roos` of `Captain Roos`. */
function nameOf(words: readonly ClaimWord[]): ClaimWord {
  const behind = words.findIndex(({ word }, at) => at > 0 && !word.isName);
  return words[Math.max(0, (behind < 0 ? words.length : behind) - 1)]!;
}

/** The words of a part, behind the subject that it has from the parts before. */
function clauseUpTo(part: Part, parts: readonly Part[]): readonly ReadWord[] {
  if (!goesOn(part) && !isBare(part)) return part.words;
  const before = parts.slice(0, parts.indexOf(part));
  // "Mr. Berg, her deputy, is responsible": a name or a noun between signs is a subject too.
  const aside = before
    .slice(before.findLastIndex((each) => !isBare(each)) + 1)
    .filter(({ words }) => opensSubject(words));
  if (goesOn(part) && aside.length > 0) return [...aside.flatMap(({ words }) => words), ...part.words];
  const base = before.findLast((each) => !goesOn(each) && !isBare(each));
  return base === undefined ? part.words : [...subjectOf(base), ...part.words];
}

/** Words of a part before its verb: those before an auxiliary one, else its first that tells, and names with it. */
function subjectOf({ words }: Part): readonly ReadWord[] {
  const verb = words.findIndex(({ word }) => auxiliaries.has(word));
  if (verb >= 0) return words.slice(0, verb);
  const first = words.findIndex(({ isContent }) => isContent);
  const behind = words.findIndex(({ isName }, at) => at > first && !isName);
  return words.slice(0, behind < 0 ? first + 1 : behind);
}

/** Whether a part has a word or two that tell, and no more: `and bicycles`. */
function isBare({ words, content }: Part): boolean {
  return content.length <= 2 && words.length <= content.length + 1;
}

/** Whether words begin with an article, a title or a name. */
function opensSubject(words: readonly ReadWord[]): boolean {
  const first = words.findIndex(({ isContent }) => isContent);
  if (first < 0) return false;
  const { isName, isTitle } = words[first]!;
  return words.slice(0, first).some(({ word }) => articles.has(word)) || isName || isTitle;
}

/** Whether a part begins with an auxiliary verb, behind its conjunction. */
function goesOn({ words }: Part): boolean {
  return words.slice(0, 2).some(({ word, isContent }) => !isContent && auxiliaries.has(word));
}

/** The end of a claim, which one part says of its own subject, where another with words of its own gives the claim's subject. */
function findTwoSubjects({ all, words, keys }: HeldClaim, parts: readonly Part[]): readonly ClaimWord[] {
  const [subject, end] = [nameOf(words), words.at(-1)!];
  const holdersOf = (own: ClaimWord, other: ClaimWord): readonly Part[] =>
    parts.filter((part) => part.keys.has(own.word.key) && !part.keys.has(other.word.key));
  const tellsMore = (part: Part): boolean => {
    const last = part.words.findLastIndex(({ key }) => keys.has(key));
    const next = part.words[last + 1];
    const goesOn = next !== undefined && (next.isContent || auxiliaries.has(next.word));
    return goesOn ? tellsBehind(part.words, last, keys) : tellsBefore(part.words, last, keys);
  };
  const isOfAnother = (part: Part): boolean => {
    const given = words.slice(words.findLastIndex(({ word }) => !part.keys.has(word.key)) + 1);
    const clause = clauseUpTo(part, parts);
    const own = clause.length - part.words.length;
    const first = own + part.words.findIndex(({ key }) => given.some(({ word }) => word.key === key));
    const links = linksBefore(clause, clause[first]!);
    const opens = linksBefore(all, given[0]!.word).some((link) => subordinating.has(link) && links.includes(link));
    const before = parts[parts.indexOf(part) - 1]?.content.at(-1);
    // "… trained Roos, who commands the Brisk" tells of Roos.
    if (before !== undefined && relative.has(part.words[0]!.word)) return !keys.has(before.key);
    const isContinued = clause.slice(0, first).some(({ word }) => pronouns.has(word));
    return !opens && !isContinued && tellsBefore(clause, first, keys);
  };
  const isGiven = parts.some((part) => part.keys.has(subject.word.key) && part.keys.has(end.word.key));
  const [one, other] = [holdersOf(subject, end), holdersOf(end, subject)];
  const isExcepted = ({ words: all, keys: own }: Part): boolean =>
    all
      .slice(
        0,
        all.findIndex(({ key }) => key === subject.word.key),
      )
      .some(({ word }) => excepting.has(word)) && !own.has(end.word.key);
  if (!isGiven && one.length > 0 && one.every(isExcepted)) return [subject];
  const isCrossed = !isGiven && one.length > 0 && other.length > 0 && one.every(tellsMore) && other.every(isOfAnother);
  return isCrossed ? [end] : [];
}

/**
 * A figure or a day of one part, beside words of a part with another one: `Adults pay €9`, where `adults pay €14, students €9`.
 *
 * A part that only continues an earlier one takes its words: `students €9` says that they pay.
 */
function findOtherAmount({ words, keys }: HeldClaim, parts: readonly Part[]): readonly ClaimWord[] {
  return words.filter(({ word }) => {
    if (!isFigure(word) && !isDay(word)) return false;
    const givers = parts.filter((part) => part.keys.has(word.key));
    const placeOf = (giver: Part): number => giver.words.findIndex(({ key }) => key === word.key);
    const isWithItsWord = givers.some((giver) => {
      const before = giver.words.slice(0, placeOf(giver)).findLast(({ isContent }) => isContent);
      return before !== undefined && keys.has(before.key);
    });
    return parts.some((part) => {
      const isOwn = words.some(
        (each) => part.keys.has(each.word.key) && givers.every((giver) => !giver.keys.has(each.word.key)),
      );
      if (givers.includes(part) || !isOwn) return false;
      const others = part.words.filter((each) => !keys.has(each.key) && (isDay(word) ? isDay(each) : isFigure(each)));
      const isSame = (each: ReadWord): boolean =>
        isDay(word) || givers.every((giver) => areComparable(giver, word.key, part, each.key));
      if (!others.some(isSame)) return false;
      if (givers.some((giver) => parts.indexOf(giver) < parts.indexOf(part)))
        return (
          isDay(word) ||
          !isWithItsWord ||
          !part.words.some((each) => auxiliaries.has(each.word) || pronouns.has(each.word))
        );
      return givers.every((giver) => tellsBefore(giver.words, placeOf(giver), keys));
    });
  });
}

const isDay = ({ unit }: ReadWord): boolean => unit !== "" && dimensionOfUnit(unit) === "weekday";
const isFigure = ({ key, isNumber }: ReadWord): boolean => isNumber && /^#-?[\d.]+$/u.test(key);

/** Whether two figures have the same unit, or count the same or nothing that is named. */
function areComparable(one: Part, figure: string, two: Part, other: string): boolean {
  const [first, second] = [countedBy(one, figure), countedBy(two, other)];
  if (first === undefined || second === undefined) return second === undefined && (first?.unit ?? "") === "";
  return first.unit === "" || second.unit === "" ? first.key === second.key : first.unit === second.unit;
}

/** The word behind a figure that it counts. */
function countedBy({ words }: Part, figure: string): ReadWord | undefined {
  const next = words[words.findIndex(({ key }) => key === figure) + 1];
  return next !== undefined && (next.unit !== "" || (next.isContent && !next.isNumber)) ? next : undefined;
}

/** The consequence of another condition than the claim's: `If it is dark, add time`, where `if it is pale, add time; if it is dark, cover it`. */
function findOtherCase({ all, words, keys }: HeldClaim, parts: readonly Part[]): readonly ClaimWord[] {
  const isCondition = ({ words: own }: Part): boolean => own.slice(0, 2).some(({ word }) => conditional.has(word));
  const own = partsOf(all);
  const condition = own.find(isCondition);
  if (condition === undefined || own.length < 2) return [];
  const telling = words.filter(({ word }) => condition.keys.has(word.key));
  const rest = words.filter(({ word }) => !condition.keys.has(word.key));
  const cases = parts.flatMap((part, at) => {
    const behind = parts[at + 1];
    const result = behind !== undefined && !isCondition(behind) ? behind : parts[at - 1];
    return isCondition(part) && result !== undefined ? [{ part, result }] : [];
  });
  const held = (part: Part, list: readonly ClaimWord[]): number =>
    list.filter(({ word }) => part.keys.has(word.key)).length;
  const fits = ({ part }: { part: Part }): number =>
    held(part, telling) - part.content.filter(({ key }) => !keys.has(key)).length;
  const [best] = cases.toSorted((a, b) => fits(b) - fits(a));
  if (best === undefined || held(best.part, telling) === 0) return [];
  const movedFrom = (list: readonly ClaimWord[], own: Part, other: Part): readonly ClaimWord[] =>
    list.filter(({ word }) => !own.keys.has(word.key) && other.keys.has(word.key));
  const moved = movedFrom(telling, best.part, best.result);
  if (moved.length > 0 && movedFrom(rest, best.result, best.part).length > 0) return moved;
  const lost = rest.filter(({ word }) => !best.result.keys.has(word.key));
  const isElsewhere = parts.some(
    (part) => part !== best.result && !isCondition(part) && held(part, rest) > held(best.result, rest),
  );
  return isElsewhere ? lost : [];
}

const conditional = set("if when unless wenn falls");

/** The end of a pair side by side that the sentence has with the beginning of the next pair: `rise sooner but fall faster`, where `rise faster but fall sooner`. */
function findExchangedPair({ words }: HeldClaim, parts: readonly Part[]): readonly ClaimWord[] {
  const content = parts.flatMap((part) => part.words).filter(({ isContent }) => isContent);
  const pairs = new Map(content.slice(1).map(({ key }, at) => [`${content[at]!.key} ${key}`, at]));
  const placeOf = (one: ClaimWord, other: ClaimWord): number => pairs.get(`${one.word.key} ${other.word.key}`) ?? -1;
  for (let at = 0; at + 3 < words.length; at += 1)
    for (let next = at + 2; next + 1 < words.length; next += 1) {
      const [a, b, c, d] = [words[at]!, words[at + 1]!, words[next]!, words[next + 1]!];
      const [first, second] = [placeOf(a, d), placeOf(c, b)];
      if (first >= 0 && second > first && placeOf(a, b) < 0 && placeOf(c, d) < 0) return [b];
    }
  return [];
}
