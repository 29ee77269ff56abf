import type { Counterpart, Gap, PlacedSense } from "./compare-sentences.ts";
import { isSameGroup, kindOfSense } from "./find-other-senses.ts";
import { type ClaimWord, type ReadClaim, type Veto, vetoOf } from "./read-claim.ts";
import { sentenceStride, type SupportEvidence } from "./read-evidence.ts";
import { isMonth, type ReadWord } from "./read-words.ts";
import type { Part } from "./sentence-parts.ts";
import { exclude, oppositesOfWord } from "./senses.ts";
import { dimensionOfUnit } from "./units.ts";
import { strongKinds } from "./word-lists.ts";

/** Share of the words around a detail that a sentence must hold to tell of it. **Source** these shares are chosen on generated edits; see `bench/answers`. */
const leastShared = 0.3;
/** From here on both speak of the same thing. */
export const sameMatter = 0.55;
/** From here on one is the other with a detail changed. */
export const nearlyVerbatim = 0.75;
/** From here on a name or a number that the sentence lacks was put into it. */
const addedShare = 0.75;
/** Another sentence that shares so much of what the best one shares may affirm what that one denies. */
const equallyGood = 0.9;
/** A claim with more of a sentence's words is that sentence with a detail changed. */
const mostTaken = 0.6;
/** Content words before and behind a word in which a denial belongs to it. */
const reachBefore = 3;
const reachBehind = 1;
/** Words that may stand in the place of one quantifier. */
const mostReplaced = 3;

/** A sentence beside the claim, and whether its denials leave the claim as it is. */
export interface ReadCounterpart extends Counterpart {
  readonly leavesAffirmed: boolean;
  /** Whether it says the claim in a part of it. */
  readonly saysInPart: boolean;
  /** Its parts, where it has all of the claim's words. */
  readonly parts: readonly Part[];
}
/** Details that each sentence on the same matter has otherwise. */
export function findContradictions(
  claim: ReadClaim,
  evidence: SupportEvidence,
  counterparts: readonly ReadCounterpart[],
): readonly Veto[] {
  const isSaidElsewhere = ({ kind, start }: Veto): boolean => isElsewhere(claim, evidence, kind, start);
  const found = counterparts.map(({ gaps, keys, others, leavesAffirmed, saysInPart, parts }) =>
    gaps.flatMap((gap) => [
      ...[
        ...findSubstitutes(gap, keys).filter(
          (veto) => !isWithItsOwn(claim, parts, veto) && !(saysInPart && isTold(claim, others, veto)),
        ),
        ...(leavesAffirmed ? [] : findDenials(gap)),
        ...findQuantifiers(gap),
        ...findSenses(gap),
      ].filter(
        (veto) => !isHeldAlike(claim, evidence, veto) && (gap.whole >= nearlyVerbatim || !isSaidElsewhere(veto)),
      ),
      ...findAdditions(gap, others).filter((veto) => !isSaidElsewhere(veto)),
    ]),
  );
  return found.flat().filter(({ kind, start }) => {
    const shares = counterparts.map((each) => each.shareAround(start));
    const most = Math.max(...shares);
    return found.every(
      (list, at) => shares[at]! < equallyGood * most || list.some((each) => each.kind === kind && each.start === start),
    );
  });
}

/** Whether a veto for a number, a name or a unit is about a word that a sentence has. */
function isTold({ all }: ReadClaim, others: ReadonlySet<string>, { kind, start }: Veto): boolean {
  const word = all.find((each) => each.start === start);
  return kind !== "role" && word?.isContent === true && others.has(word.key);
}

/** Whether a long sentence has the word of a veto in a part that gives the claim another word by itself. */
function isWithItsOwn({ all, words }: ReadClaim, parts: readonly Part[], { start }: Veto): boolean {
  const key = all.find((word) => word.start === start)?.key;
  const [own, ...more] = parts.filter(({ keys }) => key !== undefined && keys.has(key));
  const told = new Set(parts.flatMap((part) => [...part.keys])).size;
  if (own === undefined || more.length > 0 || parts.length < 2 || words.length > mostTaken * told) return false;
  return words.some(
    ({ word }) => word.key !== key && parts.every((part) => part.keys.has(word.key) === (part === own)),
  );
}

/** Whether a carrier has a word beginning with a capital as no name, or a quantifier right before the same word. */
function isHeldAlike({ all, best, text }: ReadClaim, { sentences }: SupportEvidence, { kind, start }: Veto): boolean {
  const at = all.findIndex((word) => word.start === start);
  // A sign has no place of its own.
  if (at < 0) return false;
  const { key, isName, quantifier, word: spelled } = all[at]!;
  const words = best.map((each) => sentences[each]!.words);
  // "Since 2004" stands for itself at either end of a sentence.
  if (kind === "relation" || spelled === "any") {
    const head = headBehind(all, at);
    if (kind === "relation" && !/^[#@]/u.test(head ?? "")) return false;
    return words.some((each) => each.some(({ word }, place) => word === spelled && headBehind(each, place) === head));
  }
  // Between quotation marks a capital belongs to a title.
  if (kind === "name" && !/["'“„«]$/u.test(text.slice(0, start)))
    return !isName && words.some((each) => each.some((word) => word.key === key && !word.isCapital));
  const head = kind === "quantifier" && quantifier !== "" ? headBehind(all, at) : undefined;
  if (head === undefined) return false;
  return words.some((each) =>
    each.some((word, place) => word.quantifier === quantifier && headBehind(each, place) === head),
  );
}

/** Key of the content word behind a place. */
function headBehind(words: readonly ReadWord[], at: number): string | undefined {
  return words.slice(at + 1).find(({ isContent }) => isContent)?.key;
}

/** Whether the evidence says elsewhere what one sentence says otherwise. */
function isElsewhere(claim: ReadClaim, evidence: SupportEvidence, kind: Veto["kind"], start: number): boolean {
  if (kind === "number" || kind === "name" || kind === "unit") return hasNeighbour(claim, start, evidence);
  const at = claim.all.findIndex((word) => word.start === start);
  return kind === "quantifier" && claim.all[at]!.quantifier !== "" && isQuantified(claim, at, evidence);
}

/** Whether some sentence has a word of the claim beside the word that stands beside it, or beside its name, in the claim. */
function hasNeighbour({ words, text }: ReadClaim, start: number, { places }: SupportEvidence): boolean {
  const at = words.findIndex(({ word }) => word.start === start);
  const isRow = (left: number): boolean => {
    const [one, other] = [words[left]?.word, words[left + 1]?.word];
    return one?.isName === true && other?.isName === true && /^\s+$/u.test(text.slice(one.end, other.start));
  };
  let [first, last] = [at, at];
  while (isRow(first - 1)) first -= 1;
  while (isRow(last)) last += 1;
  const stands = (own: number, beside: number): boolean => {
    const others = new Set(places.get(words[beside]?.word.key ?? ""));
    return (places.get(words[own]?.word.key ?? "") ?? []).some(
      (place) => others.has(place - 1) || others.has(place + 1),
    );
  };
  return (
    stands(first, first - 1) ||
    stands(last, last + 1) ||
    (last > first && isRowOf(words.slice(first, last + 1), words, places))
  );
}

/** Whether a sentence has a whole name of several words, and others of the claim's words besides. */
function isRowOf(name: readonly ClaimWord[], words: readonly ClaimWord[], places: SupportEvidence["places"]): boolean {
  let starts = places.get(name[0]!.word.key) ?? [];
  for (const [at, { word }] of name.entries()) {
    const others = new Set(places.get(word.key));
    starts = starts.filter((place) => others.has(place + at));
  }
  return starts.some((place) => {
    const sentence = Math.floor(place / sentenceStride);
    return words.filter((each) => !name.includes(each) && each.heldBy.has(sentence)).length >= leastBesides;
  });
}

/** Content words besides a name that tie its sentence to the claim. */
const leastBesides = 2;

/** Numbers and names that stand where the counterpart has others. */
function findSubstitutes({ own, other, isBounded, share, whole }: Gap, claimed: ReadonlySet<string>): readonly Veto[] {
  if (share < (isBounded ? leastShared : sameMatter) || (!isBounded && whole < sameMatter)) return [];
  const keys = new Set(other.map(({ key }) => key));
  // A name that the claim has elsewhere is in another order rather than another name.
  const facing = whole >= nearlyVerbatim ? other : other.filter(({ key }) => !claimed.has(key));
  return own.flatMap((word): readonly Veto[] => {
    if (keys.has(word.key)) return [];
    if (isMonth(word)) return other.some((each) => isMonth(each)) ? [vetoOf("number", word)] : [];
    if (
      word.unit !== "" &&
      word.start < word.end &&
      other.some((each) => isOtherUnit(word, each)) &&
      !other.some(({ unit }) => unit === word.unit)
    )
      return [vetoOf("unit", word)];
    if (other.some((each) => oppositesOfWord(word.word).has(each.word))) return [vetoOf("role", word)];
    if (word.isNumber || isOne(word))
      return other.some(
        (each) => each.isNumber || (word.isNumber && isOne(each)) || (isRank(each) && share >= sameMatter),
      )
        ? [vetoOf("number", word)]
        : [];
    const mayBegin = !isBounded || word.mayBeName;
    return isNamed(word, mayBegin) && facing.some((each) => isNamed(each, mayBegin)) ? [vetoOf("name", word)] : [];
  });
}

function isOtherUnit({ unit }: ReadWord, other: ReadWord): boolean {
  return other.unit !== "" && other.unit !== unit && dimensionOfUnit(other.unit) === dimensionOfUnit(unit);
}

/** Relations, limits and modals in whose place the counterpart has others, or that only one of two nearly verbatim sentences has. */
function findSenses({ own, senses, isBounded, share, whole }: Gap): readonly Veto[] {
  if (share < sameMatter) return [];
  return senses.own
    .flatMap((sense): readonly Veto[] => {
      const others = senses.other.filter(({ readings }) => isSameGroup(readings, sense.readings));
      const isOther = others.length > 0 && others.every(({ readings }) => exclude(sense.readings, readings));
      const isAdded = others.length === 0 && isBounded && whole >= nearlyVerbatim && isBinding(sense);
      return isOther || isAdded ? [vetoOf(kindOfSense(sense.readings), sense.words[0]!)] : [];
    })
    .concat(
      senses.other
        .filter(({ readings }) => isBounded && whole >= nearlyVerbatim && readings.some((each) => kept.has(each)))
        .filter(({ readings }) => !senses.own.some((sense) => isSameGroup(sense.readings, readings)))
        .flatMap(({ readings, next }) => {
          const word = own[0] ?? next;
          return word === undefined ? [] : vetoOf(kindOfSense(readings), word);
        }),
    );
}

/** A duty, an exception, a place outside, and a limit before a number say something by themselves. */
function isBinding({ readings, next }: PlacedSense): boolean {
  return readings.some((reading) => binding.has(reading) || (reading.startsWith("limit/") && next?.isNumber === true));
}

const binding: ReadonlySet<string> = new Set(["modal/must", "scope/except", "place/outside"]);
/** These must not get lost either. */
const kept: ReadonlySet<string> = new Set(["modal/may", "scope/except"]);

/** Numbers and names that a nearly verbatim sentence lacks; its date may well stand elsewhere. */
function findAdditions({ own, share, whole }: Gap, present: ReadonlySet<string>): readonly Veto[] {
  if (whole < addedShare || share < nearlyVerbatim) return [];
  return own
    .filter(({ key, isNumber, isName }) => !present.has(key) && (isName || (isNumber && !isYear(key))))
    .map((word) => vetoOf(word.isName ? "name" : "number", word));
}

/** It counts where another number stands in its place, and is a pronoun elsewhere. */
const isOne = ({ word }: ReadWord): boolean => word === "one" || word === "eins";
const isRank = ({ quantifier }: ReadWord): boolean => quantifier === "first" || quantifier === "last";

/** An exception answers a denial; limits and relations do not. */
const isLimit = ({ readings }: PlacedSense): boolean => !readings.includes("scope/except");

function findDenials({ own: given, other: facing, anchor, isLast, share, whole, senses }: Gap): readonly Veto[] {
  if (share < sameMatter) return [];
  // "No later than" is a limit, and no denial.
  const limits = new Set([...senses.own, ...senses.other].filter(isLimit).flatMap(({ words }) => words));
  const own = given.filter((word) => !limits.has(word));
  const other = facing.filter((word) => !limits.has(word));
  const denied = own.find(({ isDenial }) => isDenial);
  const count = (words: readonly ReadWord[]): number => words.filter(({ isDenial }) => isDenial).length;
  if (denied && whole >= nearlyVerbatim && count(own) === 2 && count(other) === 1) return [vetoOf("negation", denied)];
  const known = new Set(own.map(({ word }) => word));
  const isAnswered = other.some(({ isDenial, impliesDenial, word }) => isDenial || (impliesDenial && !known.has(word)));
  if (denied && !isAnswered) return [vetoOf("negation", denied)];
  const isDenied = other.some(({ isDenial }) => isDenial) && !isLast;
  const words = new Set(other.map(({ word }) => word));
  if (isDenied && !own.some(({ isDenial, impliesDenial, word }) => isDenial || (impliesDenial && !words.has(word))))
    return [vetoOf("negation", anchor)];
  return [];
}

function findQuantifiers({
  own: given,
  other: facing,
  anchor,
  isBounded,
  isLast,
  share,
  whole,
  senses,
}: Gap): readonly Veto[] {
  if (share < sameMatter) return [];
  // "At most" is a limit, and no "most".
  const limits = new Set([...senses.own, ...senses.other].flatMap(({ words }) => words));
  const own = given.filter((word) => !limits.has(word));
  const other = facing.filter((word) => !limits.has(word));
  const said = new Set(other.map(({ quantifier }) => quantifier).filter((kind) => kind !== ""));
  const found = own
    .filter(({ quantifier }) => quantifier !== "" && !said.has(quantifier))
    .filter(({ quantifier }) => said.size > 0 || strongKinds.has(quantifier) || whole >= nearlyVerbatim);
  if (found.length > 0) return found.map((word) => vetoOf("quantifier", word));
  const kinds = new Set(own.map(({ quantifier }) => quantifier));
  const keys = new Set(other.map(({ key }) => key));
  const instead = own.find(({ key, isContent, word }) => !keys.has(key) && (isContent || word === "any"));
  const isLost =
    !isLast &&
    own.length <= mostReplaced &&
    whole >= nearlyVerbatim &&
    [...said].some((kind) => !kinds.has(kind) && kind !== "more" && kind !== "less");
  if (isLost && instead) return [vetoOf("quantifier", instead)];
  // "Schools pay the price" says more than "Schools pay half of the price".
  const isLeftOut =
    isBounded &&
    own.length <= mostReplaced &&
    whole >= nearlyVerbatim &&
    own.every(({ quantifier }) => quantifier === "") &&
    [...said].some((kind) => lessening.has(kind));
  return isLeftOut ? [vetoOf("quantifier", anchor)] : [];
}

/** Kinds of quantifiers without which a sentence says more. */
const lessening: ReadonlySet<string> = new Set(["half", "few", "minority"]);

function isNamed(word: ReadWord, mayBegin: boolean): boolean {
  return (word.isName || (mayBegin && word.isCapital)) && !word.isTitle && !word.isNumber && !isMonth(word);
}

export const isYear = (key: string): boolean => /^#\d{4}$/u.test(key);

/** Whether a sentence that covers the claim quantifies the same thing alike. */
export function isQuantified({ all, best }: ReadClaim, at: number, { sentences }: SupportEvidence): boolean {
  const heads = headsOf(all, at);
  return best.some((place) => {
    const { words } = sentences[place]!;
    return words.some(
      ({ quantifier }, other) =>
        quantifier === all[at]!.quantifier && around(words, other).some(({ key }) => heads.has(key)),
    );
  });
}

/** Keys of the content words that a denial or a quantifier may belong to: two behind it, else the one before. */
export function headsOf(words: readonly ReadWord[], at: number): ReadonlySet<string> {
  const keys = new Set<string>();
  for (let next = at + 1; next < words.length && keys.size < 2; next += 1)
    if (words[next]!.isContent) keys.add(words[next]!.key);
  for (let before = at - 1; before >= 0 && keys.size < 1; before -= 1)
    if (words[before]!.isContent) keys.add(words[before]!.key);
  return keys;
}

export function isDeniedAt(words: readonly ReadWord[], at: number): boolean {
  return around(words, at).some(({ impliesDenial, key }) => impliesDenial && key !== words[at]!.key);
}

/** Words around a place, with at most so many content words between. */
function around(words: readonly ReadWord[], at: number): readonly ReadWord[] {
  let [from, to] = [at, at];
  for (let passed = 0; from > 0 && passed < reachBefore; from -= 1) if (words[from - 1]!.isContent) passed += 1;
  for (let passed = 0; to + 1 < words.length && passed < reachBehind; to += 1)
    if (words[to + 1]!.isContent) passed += 1;
  return words.slice(from, to + 1);
}
